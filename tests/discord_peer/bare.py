"""A plain client of discord.py, with which the loopback Discord itself is tested."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import discord
import pytest
from discord import app_commands

from tests.discord_peer import Channel, Guild, Peer, User


class Bare(discord.Client):
    """Keeps what it hears, and does nothing by itself; its tree is synchronised at the start."""

    def __init__(self, peer: Peer, intents: discord.Intents | None = None, **options: Any) -> None:
        super().__init__(
            intents=intents or discord.Intents.all(), connector=peer.connector(), **options
        )
        self.tree = app_commands.CommandTree(self)
        self.read: list[discord.Message] = []
        self.heard: list[str] = []
        self.wrong: list[BaseException] = []

    async def setup_hook(self) -> None:
        """Registers the commands."""
        await self.tree.sync()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Begins a new session at once: the library waits 5 s before."""

    async def on_message(self, message: discord.Message) -> None:
        """Keeps messages."""
        self.read.append(message)

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        """Keeps the names of events."""
        self.heard.append(event)
        super().dispatch(event, *args, **kwargs)

    async def does(self, answer: Coroutine[Any, Any, object]) -> None:
        """Answers, keeping what Discord refused."""
        try:
            await answer
        except discord.HTTPException as error:
            self.wrong.append(error)

    def place(self, channel: Channel) -> discord.PartialMessageable:
        """A channel to write to."""
        return self.get_partial_messageable(
            channel.id, guild_id=channel.guild.id if channel.guild else None
        )


class Scene:
    """A server with one channel, a member, and a client that runs there."""

    def __init__(self, peer: Peer, client: Bare, guild: Guild, ada: User) -> None:
        self.peer = peer
        self.client = client
        self.guild = guild
        self.channel = guild.channel("general")
        self.ada = ada

    @property
    def place(self) -> discord.PartialMessageable:
        """The channel, as the client writes to it."""
        return self.client.place(self.channel)


@asynccontextmanager
async def scene(
    prepare: Callable[[Bare], object] = lambda client: None,
    intents: discord.Intents | None = None,
) -> AsyncIterator[Scene]:
    """A scene with a client that was prepared."""
    async with Peer.open() as peer:
        guild = peer.guild("server")
        ada = peer.member(guild, "Ada")
        client = Bare(peer, intents)
        prepare(client)
        async with peer.running(client):
            yield Scene(peer, client, guild, ada)


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Runs a test to its end."""
    asyncio.run(work())


async def refused(here: Scene, code: int, **message: Any) -> None:
    """Sends a message, which is refused with this code."""
    with pytest.raises(discord.HTTPException) as refusal:
        await here.place.send(**message)
    assert refusal.value.code == code
    assert here.peer.refused[-1].code == code
