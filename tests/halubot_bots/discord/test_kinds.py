"""Channels of every kind, and what servers keep a bot from: AutoMod and slow mode."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from halubot_bots.settings import Style
from tests.discord_peer import Channel, Message, kinds
from tests.halubot_bots.discord.scene import RIGHT, WRONG, Scene, run, scene

FILES = {"ada.txt": RIGHT.encode()}
VAULT = "The vault opens in 1815 with the code quokkawombat, says Ada Lovelace."


def run_with(folder: Path, kind: int, work: Callable[[Scene, Channel], Awaitable[None]]) -> None:
    """Does some work in a server with one more channel, which is watched."""
    made: list[Channel] = []

    async def with_channel(here: Scene) -> None:
        made.append(here.peer.channel(here.guild, "other", kind))

    async def whole() -> None:
        async with scene(folder, before=with_channel) as here:
            await here.watch(channels=[made[0].id])
            await work(here, made[0])

    asyncio.run(whole())


async def annotated(here: Scene, channel: Channel, message: Message) -> Message:
    """The annotation of a message."""
    await here.quiet()
    (card,) = here.peer.said(channel)
    assert card.reply_to is message
    assert "1815" in card.text
    return card


@pytest.mark.parametrize("kind", [kinds.ANNOUNCEMENT, kinds.VOICE])
def test_announcements_and_the_chat_of_a_voice_channel_are_annotated(
    tmp_path: Path, kind: int
) -> None:
    async def work(here: Scene, channel: Channel) -> None:
        message = await here.peer.says(here.other, channel, WRONG, files=FILES)
        await annotated(here, channel, message)
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: "1815" in use.text, "the same by the menu")

    run_with(tmp_path, kind, work)


@pytest.mark.parametrize("style", ["thread", "reaction"])
@pytest.mark.parametrize("kind", [kinds.ANNOUNCEMENT, kinds.VOICE])
def test_every_style_finds_its_place(tmp_path: Path, kind: int, style: Style) -> None:
    async def work(here: Scene, channel: Channel) -> None:
        await here.watch(channels=[channel.id], style=style)
        message = await here.peer.says(here.other, channel, WRONG, files=FILES)
        await here.quiet()
        if style == "reaction":
            assert list(message.reactions) == ["❌"]
        elif kind == kinds.VOICE:  # it has no threads
            assert [one.reply_to for one in here.peer.said(channel)] == [message]
        else:
            (thread,) = channel.threads
            assert thread.kind == kinds.ANNOUNCEMENT_THREAD
            assert "1815" in here.peer.said(thread)[0].text

    run_with(tmp_path, kind, work)


def test_in_a_forum_the_first_message_is_the_question(tmp_path: Path) -> None:
    async def work(here: Scene, forum: Channel) -> None:
        second = here.peer.member(here.guild, here.peer.user("Second", bot=True))
        post = await here.peer.opens_thread(here.ben, forum, "Who was Ada?")
        asked = await here.peer.says(here.ben, post, "Who was Ada Lovelace, and when was she born?")
        # On Discord the first message of a post has the post's id.
        post.messages[post.id] = post.messages.pop(asked.id)
        asked.id = post.id
        message = await here.peer.says(here.other, post, WRONG)
        await here.peer.says(second, post, RIGHT)
        card = await annotated(here, post, message)
        assert f"<@{second.id}>" in card.text
        assert f"<@{here.ben.id}>" in card.text
        kept = here.desk.memory.report(message.id)
        assert kept is not None
        assert kept.report.question is not None
        assert kept.report.question.text == asked.content
        assert [one.text for one in kept.report.sources] == [RIGHT]

    run_with(tmp_path, kinds.FORUM, work)


def test_a_private_thread_is_annotated_where_the_bot_was_let_in(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        thread = await here.peer.opens_thread(here.ada, here.channel, "quiet", private=True)
        await here.peer.says(here.other, thread, WRONG, files=FILES)
        await here.quiet()
        assert here.peer.said(thread) == []
        await here.peer.lets_in(here.peer.bot, thread)
        message = await here.peer.says(here.other, thread, WRONG, files=FILES)
        await annotated(here, thread, message)

    run(tmp_path, work)


def test_what_stands_in_a_private_thread_is_shown_to_nobody_outside(tmp_path: Path) -> None:
    """Neither in public nor to a member who links to it, though the bot can read it."""

    async def work(here: Scene) -> None:
        await here.watch()
        thread = await here.peer.opens_thread(here.ada, here.channel, "quiet", private=True)
        await here.peer.lets_in(here.peer.bot, thread)
        secret = await here.peer.says(here.ada, thread, VAULT)
        link = f"https://discord.com/channels/{here.guild.id}/{thread.id}/{secret.id}"
        linked = await here.peer.says(here.other, here.channel, f"{WRONG} {link}", files=FILES)
        await here.quiet()
        mallory = here.peer.member(here.guild, "Mallory")
        use = await here.peer.uses_menu(mallory, linked, "Check facts")
        await here.peer.until(lambda: "1815" in use.text, "the card")
        assert use.response is not None
        seen = await here.peer.clicks(mallory, use.response, "Evidence")
        public = "".join(one.text for one in here.peer.said(here.channel))
        assert "quokkawombat" not in seen.text + use.text + public
        kept = here.desk.memory.report(linked.id)
        assert kept is not None
        assert all("quokkawombat" not in (one.text or "") for one in kept.report.sources)

    run(tmp_path, work)


def test_what_automod_blocks_is_said_without_quotes(tmp_path: Path) -> None:
    async def work() -> None:
        async with scene(tmp_path) as here:
            here.guild.blocked.add("1816")
            await here.watch()
            message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
            await here.quiet()
            (card,) = here.peer.said(here.channel)
            assert card.reply_to is message
            assert "contradicted" in card.text
            assert "1816" not in card.text
            seen = await here.peer.clicks(here.ben, card, "All facts")  # for who asks alone
            assert "1816" in seen.text
            assert [one.code for one in here.peer.refused] == [200000]
            here.peer.refused.clear()

    asyncio.run(work())


def test_what_automod_blocks_altogether_is_told_to_the_owner_once(tmp_path: Path) -> None:
    async def work() -> None:
        async with scene(tmp_path) as here:
            here.guild.blocked.add("consensus")  # a word of the small print
            await here.watch()
            for at in range(2):
                await here.peer.says(here.other, here.channel, f"{WRONG} {at}", files=FILES)
                await here.quiet()
            assert here.peer.said(here.channel) == []
            (told,) = here.peer.said(here.peer.dm(here.guild.owner))
            assert "AutoMod" in told.text
            assert not here.desk.memory.in_work()
            here.peer.refused.clear()

    asyncio.run(work())


def test_slow_mode_that_lasts_is_told_to_the_owner(tmp_path: Path) -> None:
    async def slow(here: Scene) -> None:
        here.channel.slow = 3600

    async def work() -> None:
        async with scene(tmp_path, before=slow) as here:
            await here.watch()
            for at in range(2):
                await here.peer.says(here.other, here.channel, f"{WRONG} {at}", files=FILES)
                await here.quiet()
            assert len(here.peer.said(here.channel)) == 1
            (told,) = here.peer.said(here.peer.dm(here.guild.owner))
            assert "Slow mode" in told.text
            here.peer.refused.clear()

    asyncio.run(work())


def test_annotations_are_in_the_language_of_the_server(tmp_path: Path) -> None:
    async def german(here: Scene) -> None:
        here.guild.locale = "de"

    async def work() -> None:
        async with scene(tmp_path, before=german) as here:
            await here.watch()
            await here.peer.says(here.other, here.channel, WRONG, files=FILES)
            await here.quiet()
            (card,) = here.peer.said(here.channel)
            assert "steht im Widerspruch" in card.text
            seen = await here.peer.clicks(here.ben, card, "Alle Aussagen")
            assert "All facts" in seen.text  # Ben reads English
            await here.watch(language="en")
            await here.peer.says(here.other, here.channel, f"{WRONG} So.", files=FILES)
            await here.quiet()
            assert "contradicted" in here.peer.said(here.channel)[-1].text

    asyncio.run(work())


def test_commands_are_named_in_german_too(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        found = {one["name"]: one for one in here.peer.commands}
        assert found["check"]["name_localizations"] == {"de": "prüfen"}
        assert found["Check facts"]["name_localizations"] == {"de": "Fakten prüfen"}
        text = found["check"]["options"][0]
        assert text["description_localizations"] == {"de": "Der Text, der geprüft wird"}
        here.ben.locale = "de"
        use = await here.peer.uses_command(here.ben, here.channel, "help")
        assert "Übereinstimmung ist nicht Wahrheit" in use.text
        use = await here.peer.uses_command(
            here.ben, here.channel, "check", text=WRONG, others=f"{RIGHT}\n---\n{RIGHT} Ja."
        )
        await here.peer.until(lambda: "Widerspruch" in use.text, "the card")
        use = await here.peer.uses_command(here.ben, here.channel, "ask", question="Wer?")
        await here.peer.until(lambda: "kein Modell eingerichtet" in use.text, "the refusal")

    run(tmp_path, work)
