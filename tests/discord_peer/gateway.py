"""The gateway: sessions over WebSockets, with heartbeats, intents, shards, RESUME, codes."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import WSMsgType, web

from tests.discord_peer import payloads
from tests.discord_peer.world import Guild, Payload, World

INTENTS: Final = {
    "guilds": 1 << 0,
    "members": 1 << 1,
    "presences": 1 << 8,
    "guild_messages": 1 << 9,
    "guild_reactions": 1 << 10,
    "dm_messages": 1 << 12,
    "dm_reactions": 1 << 13,
    "message_content": 1 << 15,
}
PRIVILEGED: Final = ("members", "presences", "message_content")
RESUME_HOST: Final = "gateway-us-east1-b.discord.gg"


@dataclass(eq=False)
class Session:
    """A session of a bot: ``sent`` are all its events with their numbers, so that it can be
    resumed. ``beats`` are the moments of `time.monotonic` of heartbeats."""

    id: str
    intents: int
    shard: tuple[int, int]
    socket: web.WebSocketResponse | None = None
    number: int = 0
    sent: list[tuple[int, Payload]] = field(default_factory=list)
    beats: list[float] = field(default_factory=list)
    resumed: int = 0

    def holds(self, guild: Guild | None) -> bool:
        """Whether events of a server (or of a direct message) come to this shard."""
        mine, all_ = self.shard
        return mine == 0 if guild is None else (guild.id >> 22) % all_ == mine

    def wants(self, intent: str) -> bool:
        """Whether it asked for this kind of events."""
        return not intent or bool(self.intents & INTENTS[intent])


class Gateway:
    """All sessions. ``granted`` are the privileged intents switched on for the application,
    ``interval`` the seconds between heartbeats, ``shards`` as many as Discord recommends (a client
    with fewer is refused where ``shards_required``). ``heard`` are the frames that came, and
    ``closed`` the codes with which clients were turned away."""

    def __init__(self, world: World, token: Callable[[], str], changed: Callable[[], None]) -> None:
        self.world = world
        self.granted: set[str] = set(PRIVILEGED)
        self.interval = 41.25
        self.shards = 1
        self.shards_required = False
        self.sessions: dict[str, Session] = {}
        self.identified = 0
        self.heard: list[Payload] = []
        self.closed: list[int] = []
        self.refuse_resume = False
        self._token = token
        self._changed = changed
        self._barriers: dict[str, list[asyncio.Future[None]]] = {}
        self._sockets: set[web.WebSocketResponse] = set()

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
        socket = web.WebSocketResponse(max_msg_size=4096 * 4, autoping=True)
        await socket.prepare(request)
        self._sockets.add(socket)
        session: Session | None = None
        try:
            hello = {"heartbeat_interval": int(self.interval * 1000), "_trace": []}
            await socket.send_json({"op": 10, "d": hello, "s": None, "t": None})
            async for frame in socket:
                if frame.type is not WSMsgType.TEXT:
                    return await self._turn_away(socket, 4002)
                try:
                    asked = json.loads(frame.data)
                    session = await self._take(socket, session, asked["op"], asked.get("d"))
                except (ValueError, KeyError, TypeError):
                    return await self._turn_away(socket, 4002)
                if socket.closed:
                    break
                self._changed()
        finally:
            self._sockets.discard(socket)
            if session and session.socket is socket:
                session.socket = None
            self._changed()
        return socket

    async def _turn_away(self, socket: web.WebSocketResponse, code: int) -> web.WebSocketResponse:
        self.closed.append(code)
        await socket.close(code=code)
        return socket

    async def _take(
        self, socket: web.WebSocketResponse, session: Session | None, op: int, data: Any
    ) -> Session | None:
        """One frame of the client; the session it has from now on."""
        self.heard.append({"op": op, "d": data})
        if op == 1:
            await socket.send_json({"op": 11, "d": None, "s": None, "t": None})
            if session:
                session.beats.append(time.monotonic())
                for barrier in self._barriers.pop(session.id, []):
                    if not barrier.done():
                        barrier.set_result(None)
        elif op == 2:
            if session:
                await self._turn_away(socket, 4005)
            else:
                return await self._identify(socket, data)
        elif op == 6:
            return await self._resume(socket, data)
        elif session is None:
            await self._turn_away(socket, 4003)
        elif op == 8:
            await self._members(session, data)
        elif op not in {3, 4}:
            await self._turn_away(socket, 4001)
        return session

    async def _identify(self, socket: web.WebSocketResponse, data: Payload) -> Session | None:
        intents, (mine, all_) = int(data["intents"]), data.get("shard") or (0, 1)
        refused = [name for name in PRIVILEGED if name not in self.granted]
        if data["token"] != self._token():
            await self._turn_away(socket, 4004)
        elif mine >= all_:
            await self._turn_away(socket, 4010)
        elif self.shards_required and all_ < self.shards:
            await self._turn_away(socket, 4011)
        elif intents >> 26:
            await self._turn_away(socket, 4013)
        elif any(intents & INTENTS[name] for name in refused):
            await self._turn_away(socket, 4014)
        else:
            return await self._begin(socket, intents, (mine, all_))
        return None

    async def _begin(
        self, socket: web.WebSocketResponse, intents: int, shard: tuple[int, int]
    ) -> Session:
        self.identified += 1
        session = Session(f"session-{self.identified}", intents, shard, socket)
        self.sessions[session.id] = session
        bot = self.world.bot
        guilds = [one for one in self.world.guilds.values() if bot.id in one.members]
        mine = [one for one in guilds if session.holds(one)]
        ready = {
            "v": 10,
            "user": payloads.of_user(bot) | {"verified": True, "mfa_enabled": True, "email": None},
            "guilds": [{"id": str(one.id), "unavailable": True} for one in mine],
            "private_channels": [],
            "relationships": [],
            "session_id": session.id,
            "session_type": "normal",
            "resume_gateway_url": f"wss://{RESUME_HOST}",
            "application": {"id": str(bot.id), "flags": self.flags},
            "shard": list(shard),
        }
        await self._send(session, "READY", ready)
        for guild in mine:
            known = session.wants("members")
            await self._send(
                session, "GUILD_CREATE", payloads.of_guild(guild, bot, with_members=known)
            )
        return session

    async def _resume(self, socket: web.WebSocketResponse, data: Payload) -> Session | None:
        session = self.sessions.get(data["session_id"])
        if data["token"] != self._token():
            await self._turn_away(socket, 4004)
            return None
        if session is None or self.refuse_resume:
            self.sessions.pop(data["session_id"], None)
            await socket.send_json({"op": 9, "d": False, "s": None, "t": None})
            return None
        if data["seq"] is None or data["seq"] > session.number:
            await self._turn_away(socket, 4007)
            return None
        session.socket, session.resumed = socket, session.resumed + 1
        for number, event in session.sent:
            if number > data["seq"]:
                await socket.send_str(json.dumps(event))
        await self._send(session, "RESUMED", {"_trace": []})
        return session

    async def _members(self, session: Session, data: Payload) -> None:
        guild = self.world.guilds[int(data["guild_id"])]
        wanted = {int(one) for one in data.get("user_ids") or ()}
        begin = (data.get("query") or "").lower()
        found = [
            member
            for member in guild.members.values()
            if (member.user.id in wanted if wanted else member.user.name.lower().startswith(begin))
        ]
        chunk = {
            "guild_id": str(guild.id),
            "members": [payloads.of_member(member) for member in found],
            "chunk_index": 0,
            "chunk_count": 1,
            "not_found": [],
        }
        if data.get("nonce"):
            chunk["nonce"] = data["nonce"]
        await self._send(session, "GUILD_MEMBERS_CHUNK", chunk)

    async def dispatch(
        self, event: str, payload: Payload, *, guild: Guild | None = None, intent: str = ""
    ) -> None:
        """An event to every session whose it is: by shard and by intent; kept for those that are
        not connected now. Servers without the bot tell it nothing."""
        if guild is not None and self.world.bot.id not in guild.members:
            return
        for session in list(self.sessions.values()):
            if not session.holds(guild) or not session.wants(intent):
                continue
            seen = payload
            if "content" in payload and not session.wants("message_content"):
                seen = payloads.without_content(payload, self.world.bot)
            await self._send(session, event, seen)

    async def interaction(self, payload: Payload, guild: Guild | None) -> None:
        """An interaction, which comes whatever the intents, and to one session alone."""
        for session in reversed(self.sessions.values()):
            if session.holds(guild):
                return await self._send(session, "INTERACTION_CREATE", payload)
        return None

    async def _send(self, session: Session, event: str, payload: Payload) -> None:
        session.number += 1
        frame = {"op": 0, "t": event, "s": session.number, "d": payload}
        session.sent.append((session.number, json.loads(json.dumps(frame))))
        if session.socket is not None and not session.socket.closed:
            try:
                await session.socket.send_str(json.dumps(frame))
            except ConnectionError:
                session.socket = None

    async def raw(self, text: str) -> None:
        """A frame as it is, to every connected client."""
        for session in self.connected:
            assert session.socket is not None
            await session.socket.send_str(text)

    async def order(self, op: int, data: object = None) -> None:
        """A frame without an event: 7 asks to reconnect, 9 invalidates the session (``data`` tells
        whether it can be resumed)."""
        for session in self.connected:
            assert session.socket is not None
            if op == 9 and not data:
                self.sessions.pop(session.id, None)
            await session.socket.send_json({"op": op, "d": data, "s": None, "t": None})

    async def close(self, code: int) -> None:
        """Closes every connection; 1006 breaks them without a word."""
        for socket in list(self._sockets):
            if code == 1006:
                if socket._req is not None and socket._req.transport is not None:
                    socket._req.transport.abort()
            else:
                await socket.close(code=code)

    async def heard_all(self) -> None:
        """Waits until every connected client has read all that was sent: a heartbeat is asked for,
        and clients read in order."""
        waiting = []
        for session in self.connected:
            barrier = asyncio.get_running_loop().create_future()
            self._barriers.setdefault(session.id, []).append(barrier)
            waiting.append(barrier)
            assert session.socket is not None
            await session.socket.send_json({"op": 1, "d": None, "s": None, "t": None})
        if waiting:
            await asyncio.wait_for(asyncio.gather(*waiting), 30)
