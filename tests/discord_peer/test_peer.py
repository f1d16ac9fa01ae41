"""What the loopback Discord refuses and does as Discord does, or the bot's tests prove little."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import discord
import pytest
from discord import app_commands, ui

from tests.discord_peer import Channel, Peer, User


class Bare(discord.Client):
    """A plain client that keeps what it hears."""

    def __init__(self, peer: Peer) -> None:
        super().__init__(intents=discord.Intents.all(), connector=peer.connector())
        self.tree = app_commands.CommandTree(self)
        self.read: list[discord.Message] = []

    async def setup_hook(self) -> None:
        await self.tree.sync()

    async def on_message(self, message: discord.Message) -> None:
        self.read.append(message)


class Here:
    """A server with one channel, a member, and a client that runs there."""

    def __init__(self, peer: Peer, client: Bare, channel: Channel, ada: User) -> None:
        self.peer, self.client, self.channel, self.ada = peer, client, channel, ada

    @property
    def place(self) -> discord.PartialMessageable:
        """The channel, as the client writes to it."""
        guild = self.channel.guild
        assert guild is not None
        return self.client.get_partial_messageable(self.channel.id, guild_id=guild.id)

    async def refused(self, code: int, **message: Any) -> None:
        """Sends a message, which is refused with this code."""
        with pytest.raises(discord.HTTPException) as refusal:
            await self.place.send(**message)
        assert refusal.value.code == code
        assert self.peer.refused[-1].code == code


def run(
    work: Callable[[Here], Awaitable[None]],
    prepare: Callable[[Bare], object] = lambda client: None,
) -> None:
    async def whole() -> None:
        async with Peer.open() as peer:
            guild = peer.guild("server")
            ada, client = peer.member(guild, "Ada"), Bare(peer)
            prepare(client)
            async with peer.running(client):
                await work(Here(peer, client, guild.channel("general"), ada))

    asyncio.run(whole())


def layout(*texts: str) -> ui.LayoutView:
    view = ui.LayoutView()
    for text in texts:
        view.add_item(ui.TextDisplay(text))
    return view


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (50006, {"content": " "}),
        (50035, {"content": "a" * 2_001}),
        (50035, {"content": "😀" * 1_001}),  # counted in UTF-16
        (50035, {"view": layout("a" * 3_000, "b" * 1_001)}),
    ],
)
def test_what_is_too_long_is_refused(code: int, message: dict[str, Any]) -> None:
    run(lambda here: here.refused(code, **message))


def test_an_interaction_is_answered_once_and_in_time() -> None:
    wrong: list[int] = []

    def prepare(client: Bare) -> None:
        @client.tree.command()
        async def hello(interaction: discord.Interaction) -> None:
            """Says hello."""
            for _ in range(2):
                # A response of its own: the library refuses a second one itself.
                response = discord.InteractionResponse(interaction)
                try:
                    await response.send_message("hello", ephemeral=True)
                except discord.HTTPException as error:
                    wrong.append(error.code)

    async def work(here: Here) -> None:
        use = await here.peer.uses_command(here.ada, here.channel, "hello")
        await here.peer.until(lambda: wrong)
        assert (use.text, use.ephemeral) == ("hello", True)
        assert here.peer.messages(here.channel) == []
        await here.peer.uses_command(here.ada, here.channel, "hello", wait=False, age=4)
        await here.peer.until(lambda: wrong == [40060, 10062, 10062])

    run(work, prepare)


def test_an_intent_that_is_not_switched_on_is_refused() -> None:
    async def whole() -> None:
        async with Peer.open() as peer:
            peer.grants()
            client = Bare(peer)
            with pytest.raises(discord.PrivilegedIntentsRequired):
                await client.start(peer.token)
            await client.close()
            assert peer.gateway.closed == [4014]

    asyncio.run(whole())
