"""A server of the loopback Discord with halubot in it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from halubot_bots.checks import Checks
from halubot_bots.desk import Desk
from halubot_bots.discord.bot import HalubotClient
from halubot_bots.settings import OwnerLimits, ServerSettings
from halubot_bots.store import Memory
from tests.discord_peer import Channel, Guild, Interaction, Peer, User

RIGHT = "Ada Lovelace was born in 1815. She died in London in 1852."
WRONG = "Ada Lovelace was born in 1816. She died in London in 1852."


@dataclass(slots=True)
class Scene:
    """``ada`` manages the server, ``ben`` is a member, ``other`` another bot."""

    peer: Peer
    client: HalubotClient
    desk: Desk
    guild: Guild
    channel: Channel
    ada: User
    ben: User
    other: User

    async def set(self, **settings: object) -> None:
        """Sets the server."""
        server = ServerSettings.model_validate(settings)
        await self.desk.set(self.guild.id, server)

    async def watch(self, **settings: object) -> None:
        """Has the other bot watched in the channel."""
        watched = {"on": True, "channels": [self.channel.id], "authors": [self.other.id]}
        await self.set(**{**watched, **settings})

    async def quiet(self) -> None:
        """Returns once the client has done all that follows from what it was told."""
        await self.peer.heard()
        await self.peer.until(lambda: not any(self._under_way()), "the end of the work")

    def _under_way(self) -> Iterator[object]:
        yield from self.client.annotator.busy
        yield from self.client.answerer.busy
        handlers = "discord.py: on_"
        yield from (one for one in asyncio.all_tasks() if one.get_name().startswith(handlers))


@asynccontextmanager
async def scene(
    folder: Path,
    owner: OwnerLimits | None = None,
    *,
    before: Callable[[Scene], Awaitable[None]] | None = None,
) -> AsyncIterator[Scene]:
    """halubot connected, in a server with one channel. ``before`` is done before it connects."""
    limits = owner or OwnerLimits()
    memory, checks = Memory.open(folder), Checks(limits.at_once, store=folder / "store")
    desk = Desk.opened(limits, memory, checks)
    try:
        async with Peer.open() as peer:
            guild = peer.guild("server", channels=("general",))
            channel = guild.channel("general")
            people = (
                peer.member(guild, "Ada", "manage_guild"),
                peer.member(guild, "Ben"),
                peer.member(guild, peer.user("Other", bot=True)),
            )
            client = HalubotClient(
                desk,
                settled=0.0,
                pace=0.01,
                connector=peer.connector(),
                guild_ready_timeout=0.05,
            )
            here = Scene(peer, client, desk, guild, channel, *people)
            if before is not None:
                await before(here)
            async with peer.running(client):
                yield here
            assert not peer.refused, peer.refused
    finally:
        await asyncio.to_thread(checks.close)
        memory.close()


def has_card(use: Interaction) -> bool:
    """Return True if the first card of a report is shown: a bar leads its line of verdicts."""
    return re.search(r"`[█▓░·]+`", use.text) is not None


def run(folder: Path, work: Callable[[Scene], Awaitable[None]], **owner: object) -> None:
    """Does some work in a scene of its own, with the limits that an owner sets."""

    async def whole() -> None:
        async with scene(folder, OwnerLimits.model_validate(owner)) as here:
            await work(here)

    asyncio.run(whole())
