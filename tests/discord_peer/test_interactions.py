"""How a plain client answers commands, menus, buttons and modals at the loopback Discord."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine
from typing import Any

import discord
import pytest
from discord import app_commands

from tests.discord_peer import NotShown, Peer
from tests.discord_peer.bare import Bare, Scene, run, scene

Asked = discord.Interaction[Any]


class Counter(discord.ui.DynamicItem[discord.ui.Button[Any]], template=r"count:(?P<at>\d+)"):
    """A button that keeps its number in its custom_id."""

    def __init__(self, at: int) -> None:
        super().__init__(discord.ui.Button(label=f"at {at}", custom_id=f"count:{at}"))
        self.at = at

    @classmethod
    async def from_custom_id(
        cls, asked: Asked, item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Counter:
        """The button of a click."""
        return cls(int(match["at"]))

    async def callback(self, asked: Asked) -> None:
        """Counts."""
        view = discord.ui.View(timeout=None)
        view.add_item(Counter(self.at + 1))
        await asked.response.edit_message(view=view)


class Why(discord.ui.Modal, title="Why?"):
    """A modal of one text and one choice."""

    why: discord.ui.Label[Any] = discord.ui.Label(
        text="Reason", component=discord.ui.TextInput(custom_id="why", max_length=20)
    )
    how: discord.ui.Label[Any] = discord.ui.Label(
        text="How",
        component=discord.ui.Select(
            custom_id="how",
            options=[
                discord.SelectOption(label="Well", default=True, value="w"),
                discord.SelectOption(label="Badly", value="b"),
            ],
        ),
    )

    async def on_submit(self, asked: Asked, /) -> None:
        """Says what was filled in."""
        assert isinstance(self.why.component, discord.ui.TextInput)
        assert isinstance(self.how.component, discord.ui.Select)
        said = f"{self.why.component.value} {self.how.component.values}"
        await asked.response.send_message(said, ephemeral=True)


class Pick(discord.ui.Select[Any]):
    """A list whose message says what was picked."""

    async def callback(self, asked: Asked) -> None:
        """Says it."""
        await asked.response.edit_message(content=f"picked {self.values}")


class Where(discord.ui.ChannelSelect[Any]):
    """A list of channels that tells the one chosen."""

    async def callback(self, asked: Asked) -> None:
        """Tells it."""
        await asked.response.send_message(f"{self.values[0].name}", ephemeral=True)


def answering(answer: Callable[[Asked], Coroutine[Any, Any, object]]) -> Callable[[Bare], None]:
    """Prepares a client whose /go answers so."""

    def prepare(client: Bare) -> None:
        async def go(asked: Asked) -> None:
            await client.does(answer(asked))

        client.tree.add_command(app_commands.Command(name="go", description="x", callback=go))

    return prepare


async def goes(here: Scene, **how: Any) -> Any:
    """Ada uses /go."""
    return await here.peer.uses_command(here.ada, here.channel, "go", **how)


def test_an_answer_its_changes_and_what_follows() -> None:
    async def answer(asked: Asked) -> None:
        await asked.response.send_message("first")
        await asked.edit_original_response(content="second")
        more = await asked.followup.send("more", wait=True)
        await more.edit(content="more of it")
        await asked.followup.send("alone", ephemeral=True)
        await asked.delete_original_response()

    async def go() -> None:
        async with scene(answering(answer)) as here:
            asked = await goes(here)
            await here.peer.until(lambda: asked.response.deleted)
            assert [one["content"] for one in asked.response.versions] == ["first", "second"]
            assert [one.text for one in asked.followups] == ["more of it", "alone"]
            assert [one.ephemeral_to for one in asked.followups] == [None, here.ada]
            assert [one.text for one in here.peer.said(here.channel)] == ["more of it"]
            await here.peer.heard()
            assert "alone" not in [one.content for one in here.client.read]
            assert not here.peer.refused

    run(go)


def test_thinking_gives_way_to_the_first_follow_up() -> None:
    async def answer(asked: Asked) -> None:
        await asked.response.defer(ephemeral=True, thinking=True)
        await asked.followup.send("done")

    async def go() -> None:
        async with scene(answering(answer)) as here:
            asked = await goes(here)
            assert asked.answer == 5
            await here.peer.until(lambda: asked.text == "done")
            assert asked.ephemeral
            assert not asked.response.loading
            assert asked.followups == []
            assert here.peer.said(here.channel) == []

    run(go)


def test_a_second_answer_is_refused() -> None:
    async def answer(asked: Asked) -> None:
        await asked.response.send_message("first")
        asked.response._response_type = None
        await asked.response.send_message("again")

    async def go() -> None:
        async with scene(answering(answer)) as here:
            await goes(here)
            await here.peer.until(lambda: here.client.wrong)
            (wrong,) = here.client.wrong
            assert isinstance(wrong, discord.HTTPException)
            assert wrong.code == 40060

    run(go)


@pytest.mark.parametrize("way", ["it came late", "time went on"])
def test_after_three_seconds_an_interaction_is_unknown(way: str) -> None:
    late = asyncio.Event()

    async def answer(asked: Asked) -> None:
        await late.wait()
        await asked.response.send_message("late")

    async def go() -> None:
        async with scene(answering(answer)) as here:
            asked = await goes(here, wait=False, age=3.5 if way == "it came late" else 2.0)
            if way == "time went on":
                here.peer.clock.advance(1.5)
            late.set()
            await here.peer.until(lambda: here.client.wrong)
            (wrong,) = here.client.wrong
            assert isinstance(wrong, discord.NotFound)
            assert wrong.code == 10062
            assert not asked.answer
            assert here.peer.said(here.channel) == []

    run(go)


def test_after_fifteen_minutes_the_token_is_invalid() -> None:
    late = asyncio.Event()

    async def answer(asked: Asked) -> None:
        await asked.response.send_message("in time")
        await late.wait()
        await asked.edit_original_response(content="late")

    async def go() -> None:
        async with scene(answering(answer)) as here:
            asked = await goes(here)
            here.peer.clock.advance(15 * 60 + 1)
            late.set()
            await here.peer.until(lambda: here.client.wrong)
            assert [one.code for one in here.peer.refused] == [50027]
            assert asked.text == "in time"

    run(go)


def test_what_was_deleted_meanwhile_is_unknown() -> None:
    late = asyncio.Event()

    async def answer(asked: Asked) -> None:
        await asked.response.send_message("here")
        await late.wait()
        await asked.edit_original_response(content="gone")

    async def go() -> None:
        async with scene(answering(answer)) as here:
            asked = await goes(here)
            await here.peer.deletes(asked.response)
            late.set()
            await here.peer.until(lambda: here.client.wrong)
            assert [one.code for one in here.peer.refused] == [10008]

    run(go)


def test_a_modal_is_filled_in() -> None:
    async def answer(asked: Asked) -> None:
        await asked.response.send_modal(Why())

    async def go() -> None:
        async with scene(answering(answer)) as here:
            asked = await goes(here)
            with pytest.raises(NotShown, match="20 characters"):
                await here.peer.fills(asked, why="x" * 21)
            with pytest.raises(NotShown, match="no when"):
                await here.peer.fills(asked, why="x", when="y")
            assert (await here.peer.fills(asked, why="so")).text == "so ['w']"
            asked = await goes(here)
            assert (await here.peer.fills(asked, Reason="so", How="Badly")).text == "so ['b']"

    run(go)


def test_a_button_lives_on_after_a_restart() -> None:
    async def answer(asked: Asked) -> None:
        view = discord.ui.View(timeout=None)
        view.add_item(Counter(1))
        await asked.response.send_message("count", view=view)

    async def go() -> None:
        async with Peer.open() as peer:
            guild = peer.guild("server")
            ada = peer.member(guild, "Ada")
            for at in (1, 2):
                client = Bare(peer)
                answering(answer)(client)
                client.add_dynamic_items(Counter)
                async with peer.running(client):
                    if at == 1:
                        asked = await peer.uses_command(ada, guild.channel("general"), "go")
                    assert asked.response is not None
                    await peer.clicks(ada, asked.response, f"at {at}")
                    assert list(asked.response.buttons) == [f"at {at + 1}"]

    run(go)


def test_menus_of_choices_and_what_is_not_shown() -> None:
    async def answer(asked: Asked) -> None:
        view = discord.ui.View()
        options = [discord.SelectOption(label="One", value="1")]
        view.add_item(Pick(custom_id="pick", options=options))
        view.add_item(Where(custom_id="where"))
        view.add_item(discord.ui.Button(label="off", custom_id="off", disabled=True))
        await asked.response.send_message("pick", view=view, ephemeral=True)

    async def go() -> None:
        async with scene(answering(answer)) as here:
            asked = await goes(here)
            card = asked.response
            bob = here.peer.member(here.guild, "Bob")
            with pytest.raises(NotShown, match="does not see"):
                await here.peer.selects(bob, card, "pick", "One")
            with pytest.raises(NotShown, match="no 'Two'"):
                await here.peer.selects(here.ada, card, "pick", "Two")
            with pytest.raises(NotShown, match="no button"):
                await here.peer.clicks(here.ada, card, "off")
            placed = await here.peer.selects(here.ada, card, "where", here.channel)
            assert placed.text == "general"
            chosen = await here.peer.selects(here.ada, card, "pick", "One")
            assert (chosen.answer, card.content) == (7, "picked ['1']")

    run(go)
