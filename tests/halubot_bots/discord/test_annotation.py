"""Replies annotated by themselves."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from halubot_bots.discord.resumption import resume
from halubot_bots.entries import Work
from halubot_bots.policy import Pace
from halubot_bots.store import Memory
from tests.discord_peer import Message
from tests.halubot_bots.discord.scene import RIGHT, WRONG, Scene, has_card, run, scene

FILES = {"ada.txt": RIGHT.encode()}


async def shown(here: Scene) -> list[Message]:
    await here.quiet()
    return here.peer.said(here.channel)


def test_what_a_watched_bot_writes_is_annotated_by_a_reply(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        (card,) = await shown(here)
        assert "1815" in card.text
        assert not card.pinged
        assert list(card.buttons) == ["All facts", "Evidence", "Correct", "Dismiss"]
        assert here.desk.memory.report(message.id) == here.desk.memory.report(card.id)
        assert here.desk.memory.in_work() == ()

    run(tmp_path, work)


def test_nothing_is_annotated_until_it_is_switched_on(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        await here.quiet()
        await here.watch(on=False)
        await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        await here.quiet()
        await here.watch()
        await here.peer.says(here.ben, here.channel, WRONG, files=FILES)
        assert await shown(here) == []

    run(tmp_path, work)


def test_a_reaction_leaves_the_report_for_the_menu(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch(style="reaction")
        message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        assert await shown(here) == []
        assert message.reactions
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: has_card(use), "the stored report")
        assert here.desk.quotas.use_of("all").checks == 1

    run(tmp_path, work)


def test_a_card_in_a_thread(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch(style="thread")
        await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        assert await shown(here) == []
        (thread,) = here.channel.threads
        (card,) = here.peer.said(thread)
        assert "1815" in card.text

    run(tmp_path, work)


def test_a_bot_that_streams_by_editing_is_annotated_once_and_at_the_end(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        here.client.annotator.settled = 0.3
        await here.watch()
        message = await here.peer.says(here.other, here.channel, WRONG[:25], files=FILES)
        for end in (30, 40, len(WRONG)):
            await here.peer.edits(message, WRONG[:end])
        (card,) = await shown(here)
        assert "1815" in card.text
        kept = here.desk.memory.report(message.id)
        assert kept is not None
        assert kept.report.text == WRONG

    run(tmp_path, work)


def test_what_a_watched_webhook_writes_is_annotated_and_no_other(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        hook, stranger = here.peer.webhook("news"), here.peer.webhook("weather")
        await here.watch(authors=[hook.id])
        await here.peer.says(stranger, here.channel, WRONG, files=FILES)
        message = await here.peer.says(hook, here.channel, WRONG, files=FILES)
        (card,) = await shown(here)
        assert "1815" in card.text
        assert card.reply_to is message

    run(tmp_path, work)


def test_own_messages_and_annotations_of_others_are_left_alone(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch(authors=[here.other.id, here.peer.bot.id])
        await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        (card,) = await shown(here)
        button = {"type": 2, "style": 2, "label": "Facts", "custom_id": "halubot:facts:1:1"}
        row = {"type": 1, "components": [button]}
        text = {"type": 10, "content": WRONG}
        await here.peer.says(here.other, here.channel, "", components=[text, row])
        await here.peer.says(here.other, here.channel, f"But {WRONG}", reply_to=card)
        assert await shown(here) == [card]

    run(tmp_path, work)


def test_a_deleted_message_is_forgotten(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        await shown(here)
        await here.peer.deletes(message)
        await here.peer.heard()
        await here.peer.until(
            lambda: here.desk.memory.report(message.id) is None, "that it is forgotten"
        )

    run(tmp_path, work)


@pytest.mark.slow
def test_the_pace_of_a_channel_is_bounded(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        here.client.annotator.pace = Pace(2, minute=0.3)
        for at in range(5):
            await here.peer.says(here.other, here.channel, f"{WRONG} {at}", files=FILES)
        assert len(await shown(here)) == 5  # what comes too fast waits, and nothing is lost

    run(tmp_path, work)


def test_what_is_far_too_much_is_told_to_who_owns_the_server(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        here.client.annotator.pace = Pace(2, longest=0.0)
        for at in range(5):
            await here.peer.says(here.other, here.channel, f"{WRONG} {at}", files=FILES)
        assert len(await shown(here)) == 2
        told = [one.text for one in here.peer.said(here.peer.dm(here.guild.owner))]
        assert len(told) == 1
        assert "2 messages a minute" in told[0]

    run(tmp_path, work, per_minute=2)


def test_who_opted_out_is_not_annotated(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        here.desk.memory.opt_out(here.other.id)
        await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        assert await shown(here) == []

    run(tmp_path, work)


def test_a_missing_permission_is_said_once(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        await here.peer.forbids(here.channel, "send_messages")
        for at in range(2):
            await here.peer.says(here.other, here.channel, f"{WRONG} {at}", files=FILES)
            await here.quiet()
        assert here.peer.said(here.channel) == []
        refused = [request for request in here.peer.refused if request.code == 50013]
        assert len(refused) == 2
        here.peer.refused.clear()

    run(tmp_path, work)


@pytest.mark.parametrize(
    ("whose", "change"),
    [("of_channel", "changed in `/settings`"), ("owner", "Only the bot's owner")],
)
def test_a_quota_that_is_used_up_is_told_once_a_day(
    tmp_path: Path, whose: str, change: str
) -> None:
    async def work(here: Scene) -> None:
        now = time.time()
        here.desk.memory = Memory(here.desk.memory.base, clock=lambda: now)
        await here.watch(**({"of_channel": {"checks": 1}} if whose == "of_channel" else {}))
        told = here.peer.dm(here.guild.owner)
        for at in range(3):
            await here.peer.says(here.other, here.channel, f"{WRONG} {at}", files=FILES)
            await here.quiet()
        assert len(here.peer.said(here.channel)) == 1
        (message,) = here.peer.said(told)
        assert "quota of 1 check a day is used up" in message.content
        assert change in message.content
        now += 86_400
        await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        await here.quiet()
        assert len(here.peer.said(told)) == 2

    run(tmp_path, work, **({"of_server": {"checks": 1}} if whose == "owner" else {}))


@pytest.mark.parametrize("label", ["Dismiss"])
def test_who_wrote_it_may_dismiss_and_others_may_not(tmp_path: Path, label: str) -> None:
    async def work(here: Scene) -> None:
        await here.watch(authors=[here.ben.id])
        await here.peer.says(here.ben, here.channel, WRONG, files=FILES)
        (card,) = await shown(here)
        refused = await here.peer.clicks(here.ada, card, label)
        await here.peer.until(lambda: "Not dismissed" in refused.text, "that it is refused")
        await here.peer.clicks(here.ben, card, label)
        await here.peer.until(lambda: card.deleted, "that it is gone")

    run(tmp_path, work)


def test_after_a_restart_what_was_begun_is_annotated_once(tmp_path: Path) -> None:
    async def broken_off(here: Scene) -> None:
        await here.watch()
        message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        begun = Work(message.id, here.channel.id, here.guild.id, here.other.id, None)
        assert here.desk.memory.begin(begun)

    async def work() -> None:
        async with scene(tmp_path, before=broken_off) as here:
            await here.client.wait_until_ready()
            await here.peer.until(lambda: bool(here.peer.said(here.channel)), "the card")
            (card,) = await shown(here)
            assert "1815" in card.text
            await resume(here.client)
            assert await shown(here) == [card]
            assert here.desk.memory.in_work() == ()

    asyncio.run(work())


def test_what_was_sent_before_a_crash_is_edited_not_sent_again(tmp_path: Path) -> None:
    async def broken_off(here: Scene) -> None:
        await here.watch()
        message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        card = [{"type": 10, "content": "checking"}]
        sent = await here.peer.says(here.peer.bot, here.channel, "", components=card)
        begun = Work(message.id, here.channel.id, here.guild.id, here.other.id, sent.id)
        assert here.desk.memory.begin(begun)

    async def work() -> None:
        async with scene(tmp_path, before=broken_off) as here:
            (sent,) = here.peer.said(here.channel)
            await here.peer.until(lambda: "1815" in sent.text, "the card")
            assert await shown(here) == [sent]

    asyncio.run(work())
