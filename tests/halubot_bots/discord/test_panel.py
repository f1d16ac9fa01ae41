"""The settings panel: found, used, refused, and remembered."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from halubot_bots.discord import panel
from halubot_bots.settings import ChannelSettings, Quota, ServerSettings
from tests.discord_peer import Interaction, Message, NotShown, User
from tests.halubot_bots.discord.scene import RIGHT, WRONG, Scene, run, scene

OTHERS = f"{RIGHT}\n---\n{RIGHT} Indeed."


async def opened(here: Scene, user: User | None = None) -> Message:
    """The panel, as it is shown to who manages the server."""
    use = await here.peer.uses_command(user or here.ada, here.channel, "settings")
    assert use.ephemeral
    assert use.response is not None
    return use.response


async def press(here: Scene, shown: Message, button: str) -> Interaction:
    return await here.peer.clicks(here.ada, shown, button)


def control(what: str, place: int = 0) -> str:
    return f"halubot-settings:{what}:{place}"


def now(here: Scene) -> ServerSettings:
    return here.desk.memory.server(here.guild.id)


async def said(here: Scene, command: str, words: str, user: User, **options: Any) -> None:
    use = await here.peer.uses_command(user, here.channel, command, **options)
    await here.peer.until(lambda: words in use.text, f"{words!r}; it says {use.text!r}", 30)


def test_a_server_is_set_up_in_the_panel(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        second = here.peer.member(here.guild, here.peer.user("Second", bot=True))
        shown = await opened(here)
        assert "**Annotation** off" in shown.text
        refused = await press(here, shown, "Annotate: off")
        assert "nothing to compare a reply with" in refused.text
        assert not now(here).on
        await here.peer.selects(here.ada, shown, control("channels"), here.channel)
        assert "it still needs" in shown.text
        await here.peer.selects(here.ada, shown, control("authors"), here.other, second)
        await press(here, shown, "Annotate: off")
        assert "**Annotation** on, by a reply" in shown.text
        assert f"<#{here.channel.id}>" in shown.text
        assert "Annotate: on" in shown.buttons
        await press(here, shown, "Commands: on")
        await press(here, shown, "Answers: off")
        assert now(here) == ServerSettings(
            on=True,
            commands=False,
            answers=True,
            channels=frozenset({here.channel.id}),
            authors=frozenset({here.other.id, second.id}),
        )
        await here.peer.selects(here.ada, shown, control("authors"), here.other)
        await here.peer.selects(here.ada, shown, control("language"), "de")
        assert now(here).authors == {here.other.id}
        assert now(here).language == "de"

    run(tmp_path, work)


def test_what_is_switched_on_is_annotated(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        here.peer.member(here.guild, here.peer.user("Second", bot=True))
        second = here.peer.member(here.guild, here.peer.user("Third", bot=True))
        shown = await opened(here)
        await here.peer.selects(here.ada, shown, control("channels"), here.channel)
        await here.peer.selects(here.ada, shown, control("authors"), here.other, second)
        await press(here, shown, "Annotate: off")
        asked = await here.peer.says(here.ben, here.channel, "Who was Ada Lovelace?")
        await here.peer.says(here.other, here.channel, WRONG, reply_to=asked)
        await here.peer.says(second, here.channel, RIGHT, reply_to=asked)
        await here.quiet()
        cards = here.peer.said(here.channel)
        assert any("**1816**" in one.text and "1815" in one.text for one in cards)

    run(tmp_path, work)


def test_a_channel_is_set_apart(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        shown = await opened(here)
        await press(here, shown, "Checks")
        form = await press(here, shown, "Change…")
        await here.peer.fills(
            form, style="thread", model="1", knowledge="0", threshold="0,7", settled="12"
        )
        server = now(here)
        assert (server.style, server.model, server.knowledge) == ("thread", "big/model", "lives")
        assert (server.threshold, server.settled) == (0.7, 12)
        await here.peer.selects(here.ada, shown, control("scope"), here.channel)
        assert "Settings of <#" in shown.text
        assert "big/model" in shown.text
        form = await press(here, shown, "Change…")
        await here.peer.fills(form, style="reaction", model="0", threshold="")
        apart = {here.channel.id: ChannelSettings(style="reaction", model="small/model")}
        assert now(here).apart == apart
        there = now(here).in_channel(here.channel.id)
        assert (there.style, there.model, there.threshold) == ("reaction", "small/model", 0.7)
        assert now(here).in_channel(1, here.channel.id).style == "reaction"  # a thread of it
        form = await press(here, shown, "Change…")
        await here.peer.fills(form, style="-", model="-")
        assert now(here).apart == {}

    run(tmp_path, work, models=["small/model", "big/model"], knowledge=["lives"])


def test_method_quotas_pause_and_webhooks(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        shown = await opened(here)
        form = await press(here, shown, "Watch a webhook…")
        refused = await here.peer.fills(form, webhook_id="12")
        assert "12 is not the id of a webhook" in refused.text
        form = await press(here, shown, "Watch a webhook…")
        await here.peer.fills(form, webhook_id="123456789012345678")
        assert now(here).webhooks == {123456789012345678}
        await press(here, shown, "Checks")
        form = await press(here, shown, "Method and samples…")
        refused = await here.peer.fills(form, method="nosuch")
        assert "consensus" in refused.text
        form = await press(here, shown, "Method and samples…")
        await here.peer.fills(form, method="consensus", samples="5")
        assert (now(here).method, now(here).samples) == ("consensus", 5)
        await press(here, shown, "Limits")
        for wrong in ("-1", "many", "1e99", "nan"):
            form = await press(here, shown, "Quota: each user…")
            refused = await here.peer.fills(form, quota_dollars=wrong)
            assert "is not a number from 0 to" in refused.text
        form = await press(here, shown, "Quota: each user…")
        await here.peer.fills(form, quota_checks="3", quota_calls="", quota_dollars="0.5")
        assert now(here).of_user == Quota(checks=3, dollars=0.5)
        form = await press(here, shown, "Pause…")
        await here.peer.fills(form, cooldown="30")
        assert now(here).cooldown == 30
        await press(here, shown, "Changes")
        assert f"<@{here.ada.id}>: pause = 30 s" in shown.text
        await here.desk.forget(here.ada.id)
        await press(here, shown, "Changes")
        assert "somebody: pause = 30 s" in shown.text

    run(tmp_path, work)


def test_roles_may_use_what_they_were_given(tmp_path: Path) -> None:
    async def with_role(here: Scene) -> None:
        here.peer.world.join(here.guild, here.other, "add_reactions")

    async def work() -> None:
        async with scene(tmp_path, before=with_role) as here:
            role = here.guild.roles[-1].id
            await here.set(checkers=[role], correctors=[role])
            check = partial(said, here, "check", text=WRONG, others=OTHERS)
            await check(words="Only some roles", user=here.ben)
            await check(words="contradicted", user=here.ada)  # she manages the server
            await said(here, "ask", "No model is set up", here.ben, question="Who?")
            message = await here.peer.says(here.ben, here.channel, WRONG)
            use = await here.peer.uses_menu(here.ben, message, "Check facts")
            await here.peer.until(lambda: "Only some roles" in use.text, "the refusal")
            here.guild.members[here.ben.id].roles.append(here.guild.roles[-1])
            await check(words="contradicted", user=here.ben)
            await here.set(correctors=[role + 1])
            await check(words="contradicted", user=here.ben)
            await said(here, "correct", "Only some roles", here.ben, text=WRONG, others=OTHERS)

    asyncio.run(work())


def test_roles_are_chosen_in_the_panel(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        shown = await opened(here)
        await press(here, shown, "People")
        assert "**May check** everybody" in shown.text
        menus = [one["custom_id"] for one in shown.parts if one["type"] == 6]
        assert menus == [control(name) for name in panel.ROLES]

    run(tmp_path, work)


@pytest.mark.slow
def test_who_asks_too_quickly_is_told_to_wait(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.set(cooldown=3600)
        for _ in range(10):
            await said(here, "check", "contradicted", here.ben, text=WRONG, others=OTHERS)
        await said(here, "check", "a little quick", here.ben, text=WRONG, others=OTHERS)
        await said(here, "check", "contradicted", here.ada, text=WRONG, others=OTHERS)
        await here.set(cooldown=0)
        await said(here, "check", "contradicted", here.ben, text=WRONG, others=OTHERS)

    run(tmp_path, work)


def test_the_owner_decides_on_direct_messages_and_installs(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.peer.says(here.ben, here.peer.dm(here.ben), "hello")
        use = await here.peer.uses_command(
            here.ben, here.peer.dm(here.ben), "check", text=WRONG, others=OTHERS
        )
        await here.peer.until(lambda: "checks in direct messages" in use.text, "the refusal")
        elsewhere = here.peer.guild("elsewhere", with_bot=False)
        cara = here.peer.user("Cara", installed=True)
        here.peer.member(elsewhere, cara)
        place = elsewhere.channel("general")
        use = await here.peer.uses_command(cara, place, "check", text=WRONG, others=OTHERS)
        await here.peer.until(lambda: "installed it only for themselves" in use.text, "the refusal")

    run(tmp_path, work, direct=False, installs=False)


def test_only_who_manages_the_server_uses_the_panel(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        with pytest.raises(NotShown):
            await opened(here, here.ben)
        shown = await opened(here)
        here.guild.members[here.ada.id].roles.clear()  # she manages it no more
        for use in (
            partial(press, here, shown, "Commands: on"),
            partial(press, here, shown, "Watch a webhook…"),
        ):
            refused = await use()
            assert "right to manage the server" in refused.text
        assert now(here) == ServerSettings()

    run(tmp_path, work)


def test_a_panel_is_in_the_language_of_who_opens_it(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        here.ada.locale = "de"
        shown = await opened(here)
        assert "Einstellungen dieses Servers" in shown.text
        await press(here, shown, "Grenzen")
        assert "Kontingente am Tag" in shown.text
        assert "20 Prüfungen" in shown.text

    run(tmp_path, work)
