"""What the loopback Discord refuses and does as Discord does: without this, the bot's tests prove
little."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
import pytest
from discord import ui

from tests.discord_peer import Peer
from tests.discord_peer.bare import Bare, Scene, refused, run, scene


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
    async def work() -> None:
        async with scene() as here:
            await refused(here, code, **message)

    run(work)


def test_permissions_are_asked_for() -> None:
    async def work() -> None:
        async with scene() as here:
            await here.peer.forbids(here.channel, "send_messages")
            await refused(here, 50013, content="a")
            await here.peer.forbids(here.channel, "view_channel")
            await refused(here, 50001, content="a")

    run(work)


def test_a_nonce_makes_one_message_of_two() -> None:
    async def work() -> None:
        async with scene() as here:
            sent = [await here.place.send("a", nonce=7) for _ in range(2)]
            assert sent[0].id == sent[1].id
            assert len(here.peer.said(here.channel)) == 1

    run(work)


def _answers(client: Bare, *answers: Any) -> None:
    @client.tree.command()
    async def hello(interaction: discord.Interaction) -> None:
        """Says hello."""
        for answer in answers:
            await client.does(answer(interaction))


def test_an_interaction_is_answered_once_and_in_time() -> None:
    def prepare(client: Bare) -> None:
        def answer(interaction: discord.Interaction) -> Any:
            # A response of its own: the library refuses a second one itself.
            return discord.InteractionResponse(interaction).send_message("hello", ephemeral=True)

        _answers(client, answer, answer)

    async def work() -> None:
        async with scene(prepare) as here:
            use = await here.peer.uses_command(here.ada, here.channel, "hello")
            await here.peer.until(lambda: here.client.wrong)
            assert (use.text, use.ephemeral) == ("hello", True)
            assert here.peer.messages(here.channel) == []
            await here.peer.uses_command(here.ada, here.channel, "hello", wait=False, age=4)
            await here.peer.until(lambda: len(here.client.wrong) == 3)
            codes = [getattr(error, "code", 0) for error in here.client.wrong]
            assert codes == [40060, 10062, 10062]

    run(work)


def test_a_session_is_resumed_with_what_was_missed() -> None:
    async def work() -> None:
        async with scene() as here:
            await here.peer.disconnects()
            await here.peer.says(here.ada, here.channel, "missed")
            await here.peer.until(lambda: here.client.read, "the message")
            assert here.peer.gateway.identified == 1
            assert here.client.read[0].content == "missed"

    run(work)


def test_what_vanishes_is_told_to_nobody() -> None:
    async def work() -> None:
        async with scene() as here:
            message = await here.peer.says(here.ada, here.channel, "a")
            await here.peer.heard()
            here.peer.vanish(message)
            await here.peer.heard()
            assert "raw_message_delete" not in here.client.heard
            with pytest.raises(discord.NotFound):
                await here.place.fetch_message(message.id)

    run(work)


def test_an_intent_that_is_not_switched_on_is_refused() -> None:
    async def work() -> None:
        async with Peer.open() as peer:
            peer.grants()
            client = Bare(peer)
            with pytest.raises(discord.PrivilegedIntentsRequired):
                await client.start(peer.token)
            await client.close()
            assert peer.gateway.closed == [4014]

    run(work)


def test_without_the_intent_others_have_no_words() -> None:
    async def work() -> None:
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = True
        async with scene(intents=intents) as here:
            await here.peer.says(here.ada, here.channel, "secret")
            await here.peer.until(lambda: here.client.read)
            assert here.client.read[0].content == ""

    run(work)


async def _limited(here: Scene) -> None:
    here.peer.fault("/messages$", "POST", status=429, retry_after=0.01)
    await here.place.send("a")


async def _broken(here: Scene) -> None:
    here.peer.fault("/messages$", "POST", status=403, code=50013)
    with pytest.raises(discord.Forbidden):
        await here.place.send("a")
    await here.place.send("a")


@pytest.mark.parametrize("goes", [_limited, _broken])
def test_faults_happen_as_often_as_they_are_wanted(goes: Any) -> None:
    async def work() -> None:
        async with scene() as here:
            await goes(here)
            assert len(here.peer.said(here.channel)) == 1
            await asyncio.sleep(0)

    run(work)
