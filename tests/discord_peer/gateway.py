"""The gateway: connections over WebSockets, with heartbeats, intents, shards, RESUME, codes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Final

from aiohttp import web

from tests.discord_peer import payloads
from tests.discord_peer.sessions import INTENTS, PRIVILEGED, Session
from tests.discord_peer.world import Guild, Payload, World

RESUME_HOST: Final = "gateway-us-east1-b.discord.gg"
PATIENCE: Final = 90.0


class Gateway:
    """All sessions. ``granted`` are the privileged intents switched on for the application;
    ``refuse_resume`` lets no session be resumed. ``identified`` counts new sessions, and ``closed``
    are the codes with which clients were turned away."""

    def __init__(self, world: World, token: str, changed: Callable[[], None]) -> None:
        self.world = world
        self.granted: set[str] = set(PRIVILEGED)
        self.refuse_resume = False
        self.sessions: dict[str, Session] = {}
        self.identified = 0
        self.closed: list[int] = []
        self._token = token
        self._changed = changed
        self._ending: set[web.WebSocketResponse] = set()

    @property
    def flags(self) -> int:
        """The application's flags for the intents that are switched on (the limited ones)."""
        places = {"presences": 13, "members": 15, "message_content": 19}
        return sum(1 << places[name] for name in self.granted)

    @property
    def connected(self) -> list[Session]:
        """Sessions that have a connection now."""
        return [one for one in self.sessions.values() if one.socket is not None]

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """One connection, from HELLO to its end."""
        socket = web.WebSocketResponse(max_msg_size=4096)
        await socket.prepare(request)
        session: Session | None = None
        try:
            await _frame(socket, 10, {"heartbeat_interval": 41_250, "_trace": []})
            async for frame in socket:
                asked = json.loads(frame.data)
                session = await self._take(socket, session, asked["op"], asked.get("d"))
                if socket.closed:
                    break
                self._changed()
        except ConnectionError:
            pass
        finally:
            if session and session.socket is socket:
                session.socket = None
                if socket.close_code in {1000, 1001} and socket not in self._ending:
                    self.sessions.pop(session.id, None)  # the client ended it
            self._changed()
        return socket

    async def _turn_away(self, socket: web.WebSocketResponse, code: int) -> None:
        self.closed.append(code)
        self._ending.add(socket)
        await socket.close(code=code)

    async def _take(
        self, socket: web.WebSocketResponse, session: Session | None, op: int, data: Any
    ) -> Session | None:
        """One frame of the client; the session it has from now on."""
        if op == 1:
            if session:
                session.beat(data)
            await _frame(socket, 11)
        elif op in {2, 6} and data["token"] != self._token:
            await self._turn_away(socket, 4004)
        elif op == 2:
            return await self._identify(socket, int(data["intents"]))
        elif op == 6:
            return await self._resume(socket, data)
        return session

    async def _identify(self, socket: web.WebSocketResponse, intents: int) -> Session | None:
        refused = (INTENTS[name] for name in PRIVILEGED if name not in self.granted)
        if any(intents & intent for intent in refused):
            await self._turn_away(socket, 4014)
            return None
        self.identified += 1
        session = Session(f"session-{self.identified}", intents, socket)
        bot = self.world.bot
        guilds = [one for one in self.world.guilds.values() if bot.id in one.members]
        ready = {
            "v": 10,
            "user": payloads.of_user(bot),
            "guilds": [{"id": str(one.id), "unavailable": True} for one in guilds],
            "session_id": session.id,
            "resume_gateway_url": f"wss://{RESUME_HOST}",
            "application": {"id": str(bot.id), "flags": self.flags},
            "shard": [0, 1],
        }
        await session.send("READY", ready)
        for guild in guilds:
            await session.send("GUILD_CREATE", payloads.of_guild(guild, bot))
        # Only now: it is among the others as soon as it was told of its servers.
        self.sessions[session.id] = session
        return session

    async def _resume(self, socket: web.WebSocketResponse, data: Payload) -> Session | None:
        session = self.sessions.get(data["session_id"])
        if session is None or self.refuse_resume:
            self.sessions.pop(data["session_id"], None)
            await _frame(socket, 9, False)
            return None
        await session.replay(socket, data["seq"])
        return session

    async def dispatch(
        self, event: str, payload: Payload, *, guild: Guild | None = None, intent: str = ""
    ) -> None:
        """An event to every session that wants it; kept for those that are not connected now.
        Servers without the bot tell it nothing."""
        if guild is not None and self.world.bot.id not in guild.members:
            return
        for session in [one for one in self.sessions.values() if one.wants(intent)]:
            seen = payload
            if "content" in payload and not session.wants("message_content"):
                seen = payloads.without_content(payload, self.world.bot)
            await session.send(event, seen)

    async def interaction(self, payload: Payload) -> None:
        """An interaction, which comes whatever the intents, and to one session alone."""
        await list(self.sessions.values())[-1].send("INTERACTION_CREATE", payload)

    async def close(self, code: int) -> None:
        """Closes every connection."""
        for session in self.connected:
            socket, session.socket = session.socket, None
            assert socket is not None
            self._ending.add(socket)
            await socket.close(code=code)

    async def heard_all(self) -> None:
        """Waits until every connected client has read all that was sent: its answer to a heartbeat
        asked for tells how far it has read."""
        waiting = []
        for session in self.connected:
            barrier: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            session.barriers.append((session.number, barrier))
            waiting.append(barrier)
            assert session.socket is not None
            await _frame(session.socket, 1)
        if waiting:
            await asyncio.wait_for(asyncio.gather(*waiting), PATIENCE)


async def _frame(socket: web.WebSocketResponse, op: int, data: object = None) -> None:
    await socket.send_str(json.dumps({"op": op, "d": data, "s": None, "t": None}))
