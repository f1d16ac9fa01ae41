"""The gateway: connections over WebSockets, with heartbeats, intents, shards, RESUME, codes."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from aiohttp import WSMsgType, web

from tests.discord_peer import payloads
from tests.discord_peer.sessions import INTENTS, PRIVILEGED, Session
from tests.discord_peer.world import Guild, Payload, World

RESUME_HOST: Final = "gateway-us-east1-b.discord.gg"
PATIENCE: Final = 90.0


class Gateway:
    """All sessions. ``granted`` are the privileged intents switched on for the application,
    ``interval`` the seconds between heartbeats, ``shards`` as
    many as Discord recommends (a client with fewer is refused where ``shards_required``);
    ``refuse_resume`` lets no session be resumed; ``session_starts`` is what Discord says of how
    many more may begin today; who begins more loses the token (4004). ``heard`` are the frames
    that came, ``identified`` counts new sessions, and ``closed`` are the codes with which clients
    were turned away."""

    def __init__(self, world: World, token: Callable[[], str], changed: Callable[[], None]) -> None:
        self.world = world
        self.granted: set[str] = set(PRIVILEGED)
        self.interval = 41.25
        self.shards = 1
        self.shards_required = False
        self.refuse_resume = False
        self.session_starts = {
            "total": 1000,
            "remaining": 1000,
            "reset_after": 0,
            "max_concurrency": 16,
        }
        self.sessions: dict[str, Session] = {}
        self.identified = 0
        self.heard: list[Payload] = []
        self.closed: list[int] = []
        self._token = token
        self._changed = changed
        self._sockets: dict[web.WebSocketResponse, web.Request] = {}
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
        self._sockets[socket] = request
        session: Session | None = None
        recent: deque[float] = deque(maxlen=120)
        try:
            hello = {"heartbeat_interval": int(self.interval * 1000), "_trace": []}
            await _frame(socket, 10, hello)
            async for frame in socket:
                if len(recent) == 120 and time.monotonic() - recent[0] < 60:
                    await self._turn_away(socket, 4008)
                    break
                recent.append(time.monotonic())
                try:
                    asked = json.loads(frame.data) if frame.type is WSMsgType.TEXT else {}
                    session = await self._take(socket, session, asked["op"], asked.get("d"))
                except (ValueError, KeyError, TypeError):
                    await self._turn_away(socket, 4002)
                if socket.closed:
                    break
                self._changed()
        except ConnectionError:
            pass
        finally:
            del self._sockets[socket]
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
        self.heard.append({"op": op, "d": data})
        if op == 1:
            if session:
                session.beat(data)
            await _frame(socket, 11)
        elif op == 2:
            if session is None:
                return await self._identify(socket, data)
            await self._turn_away(socket, 4005)
        elif op == 6:
            return await self._resume(socket, data)
        elif session is None:
            await self._turn_away(socket, 4003)
        elif op not in {3, 4, 8}:
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
        elif self.session_starts["remaining"] <= 0:
            # https://docs.discord.com/developers/events/gateway#session-start-limit-object
            await self._turn_away(socket, 4004)
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
        """A new session; it is among the others as soon as it was told of its servers."""
        self.identified += 1
        self.session_starts["remaining"] -= 1
        session = Session(f"session-{self.identified}", intents, shard, socket)
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
        await session.send("READY", ready)
        for guild in mine:
            known = session.wants("members")
            whole = payloads.of_guild(guild, bot, with_members=known)
            await session.send("GUILD_CREATE", whole)
        self.sessions[session.id] = session
        return session

    async def _resume(self, socket: web.WebSocketResponse, data: Payload) -> Session | None:
        session = self.sessions.get(data["session_id"])
        if data["token"] != self._token():
            await self._turn_away(socket, 4004)
        elif session is None or self.refuse_resume:
            self.sessions.pop(data["session_id"], None)
            await _frame(socket, 9, False)
        elif data["seq"] is None or data["seq"] > session.number:
            await self._turn_away(socket, 4007)
        else:
            await session.replay(socket, data["seq"])
            return session
        return None

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
            await session.send(event, seen)

    async def interaction(self, payload: Payload, guild: Guild | None) -> None:
        """An interaction, which comes whatever the intents, and to one session alone."""
        for session in reversed(self.sessions.values()):
            if session.holds(guild):
                await session.send("INTERACTION_CREATE", payload)
                return

    async def close(self, code: int) -> None:
        """Closes every connection; 1006 breaks them without a word."""
        for session in self.connected:
            session.socket = None
        for socket, request in list(self._sockets.items()):
            self._ending.add(socket)
            if code == 1006:
                assert request.transport is not None
                request.transport.abort()
            else:
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
