"""What is deleted is gone: heard, missed, refused, or on a full disk; only what is one's own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from halubot.errors import StateError
from halubot_bots.budgets import Amount
from halubot_bots.discord import deletions
from halubot_bots.settings import Quota
from tests.discord_peer import Interaction, Message
from tests.halubot_bots.scene import AGREES, QUESTION, RIGHT, WRONG, Scene, in_scene, run

ALPHA, BETA, GAMMA = range(3)


def words(here: Scene) -> str:
    """All that the store holds, as it lies in its file."""
    here.store.base.scrub()
    return here.store.base.path.read_bytes().decode("utf-8", "replace")


def answer(here: Scene, bot: int) -> Message:
    return here.peer.messages(here.channel, here.bots[bot])[-1]


def _is_answered(use: Interaction) -> bool:
    return bool(use.text)


async def resume(here: Scene) -> None:
    """The connection breaks and is resumed; returns once what is gone was looked for."""
    gateway = here.peer.gateway
    before = sum(one.resumed for one in gateway.sessions.values())
    await here.peer.disconnects()
    resumed = lambda: sum(one.resumed for one in gateway.sessions.values()) > before  # noqa: E731
    await here.peer.until(resumed, "the session is resumed")
    await here.quiet()


@in_scene()
async def test_an_answer_that_is_deleted_leaves_the_card(here: Scene) -> None:
    asked = await here.answers(RIGHT, WRONG, AGREES)
    await here.peer.deletes(answer(here, GAMMA))
    await here.quiet()
    assert here.bots[GAMMA].mention not in here.cards[0].text
    await here.peer.deletes(answer(here, BETA))
    await here.quiet()
    assert here.cards == []
    assert " 1816" not in words(here)
    # Another answer brings it back, for nobody but its author took it away.
    await here.peer.says(here.bots[BETA], here.channel, WRONG, reply_to=asked)
    await here.quiet()
    assert len(here.cards) == 1


@in_scene()
async def test_a_question_that_is_deleted_takes_only_its_own_words(here: Scene) -> None:
    asked = await here.answers(RIGHT, WRONG, asked=f"Dear bots: {QUESTION}")
    await here.peer.deletes(asked)
    await here.quiet()
    assert "1816" in here.cards[0].text
    assert "Dear bots" not in words(here)


@in_scene()
async def test_what_its_author_changed_is_gone_too(here: Scene) -> None:
    asked = await here.answers(RIGHT, WRONG, asked=f"Dear bots: {QUESTION}")
    await here.peer.edits(asked, f"Bots: {QUESTION}")
    await here.quiet()
    assert "Dear bots" not in words(here)
    await here.peer.edits(answer(here, BETA), AGREES)
    await here.quiet()
    assert here.cards[0].text.startswith("✓")
    assert not any(one in words(here) for one in ("1815", "1816", "Bots: "))


async def _message(here: Scene) -> None:
    here.peer.vanish(answer(here, BETA))
    await resume(here)


async def _refused_resume(here: Scene) -> None:
    async def at_once(shard_id: int | None, *, initial: bool = False) -> None: ...

    here.client.before_identify_hook = at_once  # type: ignore[method-assign]
    here.peer.gateway.refuse_resume = True
    here.peer.vanish(answer(here, BETA))
    before = here.peer.gateway.identified
    await here.peer.disconnects()
    await here.peer.until(lambda: here.peer.gateway.identified > before, "a new session")
    await here.peer.until(lambda: not here.cards, "the end of the card")


async def _channel(here: Scene) -> None:
    here.peer.world.remove(here.channel)
    await resume(here)


async def _out_of_sight(here: Scene) -> None:
    await here.peer.forbids(here.channel, "view_channel")
    here.peer.vanish(answer(here, BETA))
    await here.peer.allows(here.channel, "view_channel")
    await here.client._look_for_deleted()


async def _told_channel(here: Scene) -> None:
    await here.peer.deletes_channel(here.channel)


async def _server(here: Scene) -> None:
    await here.peer.kicks(here.guild)


async def _on_a_full_disk(here: Scene) -> None:
    store, real = here.store, here.store.forget_messages
    tries = []

    def full(messages: Any) -> None:
        tries.append(messages)
        raise StateError("the disk is full")

    store.forget_messages = full  # type: ignore[method-assign]
    await here.peer.deletes(answer(here, BETA))
    await here.peer.until(lambda: tries)
    store.forget_messages = real  # type: ignore[method-assign]
    here.client.cards.sending.soon()


async def _person(here: Scene) -> None:
    here.guild.members.pop(here.bots[BETA].id)
    await here.client.deletions.sweep_people()


@pytest.mark.parametrize(
    "goes",
    [
        *(_message, _refused_resume, _out_of_sight),
        *(_channel, _told_channel, _server, _on_a_full_disk, _person),
    ],
)
def test_what_is_gone_is_deleted(
    tmp_path: Path, goes: Callable[[Scene], Awaitable[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletions, "PEOPLE_PAUSE", 0.0)

    async def work(here: Scene) -> None:
        await here.answers(RIGHT, WRONG)
        assert "1816" in words(here)
        await goes(here)
        await here.quiet()
        assert " 1816" not in words(here)
        assert here.cards == [] or goes in (_channel, _told_channel, _server)

    run(tmp_path, work)


def test_a_server_that_removed_the_bot_while_it_was_down_leaves_nothing(tmp_path: Path) -> None:
    async def before(here: Scene) -> None:
        await here.answers(RIGHT, WRONG)
        assert here.guild.id in here.store.servers()

    async def after(here: Scene) -> None:
        # Another server, on another Discord.
        await here.peer.until(lambda: here.store.servers() == {here.guild.id})
        assert " 1816" not in words(here)

    run(tmp_path, before)
    run(tmp_path, after)


@in_scene()
async def test_a_deletion_that_discord_refuses_is_tried_again(here: Scene) -> None:
    await here.answers(RIGHT, WRONG)
    now = [1e9]
    here.store._clock = lambda: now[0]
    here.peer.fault(r"/messages/\d+$", "DELETE", status=403, code=50013, times=2)
    await here.peer.deletes(answer(here, BETA))
    for _ in range(3):
        await here.quiet()
        now[0] += 3_600
        here.client.cards.sending.soon()
    await here.quiet()
    assert here.cards == []
    assert here.store.errands() == ()


@in_scene()
async def test_forget_me_removes_what_one_person_wrote_and_only_that(here: Scene) -> None:
    asked = f"My name is Ben. {QUESTION}"
    await here.answers(RIGHT, WRONG, asked=asked)
    about = await here.peer.says(here.ada, here.channel, "It was 1817, surely.")
    for user in (here.ada, here.ben):
        use = await here.peer.uses_menu(user, about, "Check facts")
        await here.peer.until(partial(_is_answered, use))
    use = await here.peer.uses_command(here.ben, here.channel, "forget-me")
    await here.peer.until(lambda: "Forgotten" in use.text)
    await here.quiet()
    left = words(here)
    assert "My name is Ben" not in left
    assert "surely" in left
    assert "1816" in here.cards[0].text  # the asker's wish does not take others' words
    assert here.store.kept_people(here.guild.id) == {
        here.ada.id,
        here.bots[ALPHA].id,
        here.bots[BETA].id,
    }
    use = await here.peer.uses_command(here.ada, here.channel, "forget-me")
    await here.peer.until(lambda: "Forgotten" in use.text)
    assert "surely" not in words(here)  # digits may stand in an id by chance


@in_scene()
async def test_what_is_asked_and_written_after_forget_me_is_new(here: Scene) -> None:
    commands: Any = (("check", {"text": WRONG}), ("forget-me", {}), ("check", {"text": WRONG}))
    for name, options in commands:
        use = await here.peer.uses_command(here.ben, here.channel, name, **options)
        await here.peer.until(partial(_is_answered, use))
    assert "fact" in use.text
    asked = await here.answers(RIGHT, WRONG)
    use = await here.peer.clicks(here.ben, here.cards[0], "Details")
    await here.peer.until(lambda: QUESTION in use.text)
    use = await here.peer.uses_menu(here.ada, asked, "Check facts")
    await here.peer.until(lambda: "fact" in use.text)


@in_scene()
async def test_a_server_that_invites_the_bot_again_is_new(here: Scene) -> None:
    settings, whose = here.store.settings(here.guild.id), f"server:{here.guild.id}"
    here.client.budgets.reserve({whose: Quota()}, Amount())
    await here.peer.kicks(here.guild)
    await here.quiet()
    await here.peer.invites(here.guild)
    await here.quiet()
    here.store.set_settings(here.guild.id, settings)
    await here.answers(RIGHT, WRONG)
    assert len(here.cards) == 1
    assert here.client.budgets.used(whose).checks == 1  # but it has no new share of the day


@in_scene()
async def test_a_card_that_a_moderator_deleted_stays_away(here: Scene) -> None:
    asked = await here.answers(RIGHT, WRONG)
    await here.peer.deletes(here.cards[0])
    await here.quiet()
    await here.peer.says(here.bots[GAMMA], here.channel, AGREES, reply_to=asked)
    await here.quiet()
    assert here.cards == []
    assert " 1816" not in words(here)


@in_scene()
async def test_what_is_deleted_while_it_is_compared_is_not_kept(here: Scene) -> None:
    asked = await here.peer.says(here.ben, here.channel, QUESTION)
    for bot, text in zip(here.bots, (RIGHT, WRONG), strict=False):
        await here.peer.says(bot, here.channel, text, reply_to=asked)
    gone = answer(here, BETA)
    real = here.store.keep_card

    def keep(*given: Any, **more: Any) -> None:
        real(*given, **more)
        asyncio.run_coroutine_threadsafe(
            here.client.deletions.messages(here.channel.id, gone.id), here.client.loop
        ).result()

    here.store.keep_card = keep  # type: ignore[method-assign]
    await here.quiet()
    assert here.cards == []
    assert " 1816" not in words(here)


@in_scene()
async def test_texts_expire(here: Scene) -> None:
    await here.answers(RIGHT, WRONG)
    here.store._clock = lambda: 4e9
    assert here.store.expire(30) == 1
    assert " 1816" not in words(here)
    use = await here.peer.clicks(here.ben, here.cards[0], "Details")
    await here.peer.until(lambda: "no longer kept" in use.text)
