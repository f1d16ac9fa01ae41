"""Sessions at the gateway: what a client asked for, and what it was sent."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tests.discord_peer.world import Payload

if TYPE_CHECKING:
    from aiohttp import web

INTENTS: Final = {
    "guilds": 1 << 0,
    "members": 1 << 1,
    "presences": 1 << 8,
    "guild_messages": 1 << 9,
    "dm_messages": 1 << 12,
    "message_content": 1 << 15,
}
PRIVILEGED: Final = ("members", "presences", "message_content")


@dataclass(eq=False)
class Session:
    """A session of a bot. ``sent`` are its events with their numbers, so that it can be resumed;
    ``resumed`` counts how often it was. ``socket`` is its connection, if it has one now."""

    id: str
    intents: int
    socket: web.WebSocketResponse | None = None
    number: int = 0
    sent: list[tuple[int, str]] = field(default_factory=list)
    resumed: int = 0
    barriers: list[tuple[int, asyncio.Future[None]]] = field(default_factory=list)

    def wants(self, intent: str) -> bool:
        """Whether it asked for this kind of events."""
        return not intent or bool(self.intents & INTENTS[intent])

    async def send(self, event: str, payload: Payload) -> None:
        """An event; one that is not connected gets it when it resumes."""
        self.number += 1
        frame = json.dumps({"op": 0, "t": event, "s": self.number, "d": payload})
        self.sent.append((self.number, frame))
        if self.socket is not None and not self.socket.closed:
            try:
                await self.socket.send_str(frame)
            except ConnectionError:
                self.socket = None

    async def replay(self, socket: web.WebSocketResponse, since: int) -> None:
        """All events after a number over a new connection, which is its own from then on."""
        self.socket, self.resumed = None, self.resumed + 1
        while since < self.number:
            since, frame = next(one for one in self.sent if one[0] > since)
            await socket.send_str(frame)
        self.socket = socket
        await self.send("RESUMED", {"_trace": []})

    def beat(self, number: int | None) -> None:
        """A heartbeat of the client, which has read all events up to this number."""
        waiting, self.barriers = self.barriers, []
        for until, barrier in waiting:
            if number is not None and number >= until and not barrier.done():
                barrier.set_result(None)
            elif not barrier.done():
                self.barriers.append((until, barrier))
