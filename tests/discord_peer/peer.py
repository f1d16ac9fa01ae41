"""The driver: what people do on the loopback Discord, and what a test looks at."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Protocol

from tests.discord_peer import connecting
from tests.discord_peer.acting import Acting
from tests.discord_peer.clock import Clock
from tests.discord_peer.faults import Fault, Request
from tests.discord_peer.permissions import bits
from tests.discord_peer.service import Service
from tests.discord_peer.using import Using
from tests.discord_peer.world import Channel, Guild, Message, Payload, User

if TYPE_CHECKING:
    import aiohttp

PATIENCE: Final = 25.0
"""Seconds after which a wait is a failure of the test."""

LOOK_AGAIN: Final = 0.005
"""Seconds after which a condition is looked at again though nothing changed here: it may depend on
the client alone."""


class Client(Protocol):
    """What is run against the peer: a `discord.Client`."""

    async def start(self, token: str) -> None:
        """Logs in and stays."""

    async def close(self) -> None:
        """Ends."""


class Peer(Acting, Using):
    """A Discord on this machine; see the package for how it is used."""

    def __init__(self, service: Service, clock: Clock) -> None:
        self.service = service
        self.clock = clock
        self.world = service.world
        self.gateway = service.gateway
        self.bot = service.world.bot
        self._running: list[asyncio.Task[None]] = []

    @classmethod
    @asynccontextmanager
    async def open(cls, *, running_clock: bool = False) -> AsyncIterator[Peer]:
        """A Discord of its own, until the end of the block."""
        clock = Clock(running=running_clock)
        service = Service(clock)
        await service.open()
        try:
            yield cls(service, clock)
            service.sound()
        finally:
            await service.shut()

    # how a client comes here

    @property
    def token(self) -> str:
        """The token of the bot."""
        return self.service.token

    @property
    def port(self) -> int:
        """Where it listens on this machine."""
        return self.service.port

    @property
    def certificate(self) -> bytes:
        """What a client of another process must trust (PEM), for `connecting.connector`."""
        return connecting.authority().cert_pem.bytes()

    def connector(self) -> aiohttp.TCPConnector:
        """A new connector for a client (one each); with it nothing leaves the machine."""
        return connecting.connector(self.port, self.certificate)

    @asynccontextmanager
    async def running(
        self, client: Client, token: str | None = None
    ) -> AsyncIterator[asyncio.Task[None]]:
        """Runs a client until the end of the block, from when it has read READY and its servers;
        the task is that of `Client.start`. Raises what ended it before. (`on_ready` comes only
        `guild_ready_timeout` seconds later: 2 unless the client was told otherwise.)"""
        before = set(self.gateway.sessions)
        task = asyncio.create_task(client.start(token or self.token))
        self._running.append(task)
        try:
            await self.until(lambda: self._begun(before), "a client logs in")
            await self.heard()
            yield task
        finally:
            self._running.remove(task)
            await client.close()
            with suppress(asyncio.CancelledError, Exception):
                await asyncio.wait_for(task, PATIENCE)

    def _begun(self, before: set[str]) -> bool:
        """Whether a new client has its session."""
        return bool(self.gateway.sessions.keys() - before)

    # waiting

    async def until(
        self, holds: Callable[[], Any], what: str = "", patience: float = PATIENCE
    ) -> Any:
        """Waits until ``holds()`` is true, looking again at each change; its value. Raises what
        ended the running client, and TimeoutError saying what was waited for."""
        end = time.monotonic() + patience
        while not (found := holds()):
            change = self.service.next_change()
            left = end - time.monotonic()
            done, _ = await asyncio.wait(
                [change, *self._running],
                timeout=max(0.0, min(left, LOOK_AGAIN)),
                return_when=asyncio.FIRST_COMPLETED,
            )
            for task in self._running:
                if task in done and not holds():
                    task.result()
                    raise AssertionError(f"the client ended before {what or 'what is waited for'}")
            self.service.sound()
            if not done and left <= 0:
                raise TimeoutError(f"waited in vain for {what or 'a condition'}: {self.last()}")
        return found

    def last(self, count: int = 8) -> str:
        """The last requests, in words."""
        return "; ".join(
            f"{one.method} {one.path} -> {one.status} {one.message}"
            for one in self.requests[-count:]
        )

    async def heard(self) -> None:
        """Waits until the client has read all events so far (its handlers may still work)."""
        await self.gateway.heard_all()

    # what there is

    def user(self, name: str, *, bot: bool = False, installed: bool = False) -> User:
        """A new person, or another bot; ``installed``: has the tested bot for themselves."""
        return self.world.user(name, bot=bot, installed=installed)

    def webhook(self, name: str) -> User:
        """A new author of messages that is a webhook."""
        return self.world.user(name, webhook=True)

    def guild(
        self, name: str, *, channels: Sequence[str] = ("general",), with_bot: bool = True
    ) -> Guild:
        """A new server; call it before the client runs. What everybody may do is
        ``guild.everyone.permissions``."""
        owner = self.world.user(f"owner of {name}")
        return self.world.guild(name, owner, tuple(channels), with_bot=with_bot)

    def member(self, guild: Guild, user: User | str, *permissions: str) -> User:
        """Makes a user (a new one of this name) a member, with permissions beyond everybody's."""
        one = self.world.user(user) if isinstance(user, str) else user
        self.world.join(guild, one, *permissions)
        return one

    def dm(self, user: User) -> Channel:
        """The direct message of a user with the bot."""
        return self.world.dm(user)

    @property
    def commands(self) -> list[Payload]:
        """The global commands the bot registered."""
        return self.service.commands

    @property
    def requests(self) -> list[Request]:
        """All requests that came, in order."""
        return self.service.requests

    @property
    def refused(self) -> list[Request]:
        """Those that Discord's own rules refused."""
        return self.service.refused

    def messages(self, channel: Channel, author: User | None = None) -> list[Message]:
        """What everybody reads in a channel, in order; of one author, if given."""
        found = sorted(channel.messages.values(), key=lambda one: one.id)
        return [one for one in found if author is None or one.author is author]

    def said(self, channel: Channel) -> list[Message]:
        """The bot's messages in a channel that everybody reads."""
        return self.messages(channel, self.bot)

    # what goes wrong

    def fault(self, path: str = "", method: str = "", **how: Any) -> Fault:
        """The next requests go wrong as `Fault` says; tell it to stop by ``times = 0``."""
        made = Fault(path, method, **how)
        self.service.faults.append(made)
        return made

    async def forbids(self, channel: Channel, *permissions: str) -> None:
        """Takes permissions from the bot in a channel."""
        await self._overwrite(channel, 0, bits(*permissions))

    async def allows(self, channel: Channel, *permissions: str) -> None:
        """Gives permissions to the bot there."""
        await self._overwrite(channel, bits(*permissions), 0)

    async def _overwrite(self, channel: Channel, allow: int, deny: int) -> None:
        before = channel.overwrites.get(self.bot.id, (0, 0))
        now = ((before[0] & ~deny) | allow, (before[1] & ~allow) | deny)
        channel.overwrites[self.bot.id] = now
        await self.service.tell_channel("UPDATE", channel)

    async def disconnects(self) -> None:
        """Closes the gateway's connections; clients then resume."""
        await self.gateway.close(4000)

    def grants(self, *intents: str) -> None:
        """Switches these privileged intents on, and all others off: "members", "presences",
        "message_content"."""
        self.gateway.granted = set(intents)
