"""The card in the channel: one for one disagreement, none where all is clear, and what it says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import Any

import pytest

from halubot.errors import HalubotError
from halubot.report import Report
from halubot_bots.budgets import Amount
from halubot_bots.check_queue import Request
from halubot_bots.corrections import corrections
from halubot_bots.differences import Difference, Said, find_differences
from halubot_bots.disagreement_cards import channel_card, chooser
from halubot_bots.discord import watcher
from halubot_bots.questions import POSTS
from halubot_bots.records import Answer, Disagreement, Place
from tests.discord_peer import Interaction, Message
from tests.halubot_bots.scene import (
    AGREES,
    QUESTION,
    RIGHT,
    WRONG,
    Scene,
    in_scene,
    scene,
    try_again_at_once,
)

ALPHA, BETA, GAMMA = range(3)


@in_scene()
async def test_two_that_differ_get_one_card(here: Scene) -> None:
    asked = await here.answers(RIGHT, WRONG)
    (card,) = here.cards
    alpha, beta, _ = (bot.mention for bot in here.bots)
    said = _seen(card.text).replace("\u00a0", " ")
    assert said == f"≠ “… in **1815** in …” {alpha} ↗ · “… in **1816**.” {beta} ↗"
    assert card.text.count("https://discord.com/channels/") == 2
    assert card.reply_to is asked
    assert card.pinged == set()
    assert list(card.buttons) == ["Details", "Choose…"]


@in_scene()
async def test_nothing_is_posted_where_all_is_clear_or_nothing_is_compared(here: Scene) -> None:
    await here.answers(RIGHT, AGREES)
    await here.answers(RIGHT, asked="When was Lord Byron born?")  # one answer alone
    await here.answers("Hello Ben!", "Hi there.", asked="Good morning")
    await here.answers(WRONG, WRONG, asked="In what year was she born?")
    assert here.cards == []
    assert not any("/typing" in one.path for one in here.peer.requests)


@in_scene()
async def test_a_third_answer_changes_the_card_and_makes_a_correction_possible(here: Scene) -> None:
    asked = await here.answers(RIGHT, WRONG)
    await here.peer.says(here.bots[GAMMA], here.channel, AGREES, reply_to=asked)
    await here.quiet()
    (card,) = here.cards
    alpha, beta, gamma = (bot.mention for bot in here.bots)
    assert f"**1815** in\u00a0…” {alpha} and {gamma} ↗ · “" in _seen(card.text)
    await here.peer.clicks(here.ben, card, "Correct")
    await here.peer.until(lambda: "Corrected" in card.text)
    assert (
        f"**Corrected** {beta} by what {alpha} and {gamma} say:"
        " Ada Lovelace was born in ~~1816~~ **1815**." in card.text
    )
    assert list(card.buttons) == ["Details", "Choose…"]
    assert len(here.cards) == 1


def _differing(asked: str, texts: list[str]) -> Disagreement:
    said = tuple(Answer(message=at, author=at, text=text) for at, text in enumerate(texts))
    return Disagreement(asked=asked, answers=said, differences=find_differences(texts, asked))


OPEN = "The library is open on Sundays."


@pytest.mark.parametrize(
    ("asked", "answers", "shown"),
    [
        (QUESTION, [RIGHT, WRONG, "It was 1817."], ["**1815**", "**1816**", "**1817**"]),
        ("Is the library open?", [OPEN, OPEN.replace("is", "is not")], ["**open on", "**not open"]),
    ],
)
def test_a_small_phone_shows_three_lines(asked: str, answers: list[str], shown: list[str]) -> None:
    text = channel_card(_differing(asked, answers), Place(1, 2)).headline
    assert all(one in text for one in shown)
    # 27 letters stand on a line of 320 pixels beside the picture, and a name has eight.
    plain = re.sub(r"<@\d+>", "@member7", _seen(text)).replace("**", "")
    assert len(wrap(plain, 27)) <= 3


def test_of_sentences_the_card_shows_the_words_that_differ() -> None:
    texts = "The system has eight planets.", "Our system consists of nine planets."
    said = [Said(answer=at, text="", quote=text, span=(0, 0)) for at, text in enumerate(texts)]
    place = Difference(kind="wording", groups=tuple((one,) for one in said))
    answers = tuple(Answer(message=at, author=at, text=text) for at, text in enumerate(texts))
    what = Disagreement(answers=answers, differences=(place,))
    headline = channel_card(what, Place(1, 2)).headline
    assert "**eight**" in headline
    assert "nine**" in headline
    assert chooser(what).choices[1].label == "“… consists of nine\u00a0…”"


@in_scene()
async def test_who_asks_much_keeps_nobody_else_waiting(here: Scene) -> None:
    cooldown: Any = here.client.watcher._paces._cooldown
    cooldown.rate = 3  # a slow machine may compare the first answer alone, too
    for asker in (*[here.ada] * 4, here.ben):
        asked = await here.peer.says(asker, here.channel, QUESTION)
        for bot, text in zip(here.bots, (RIGHT, WRONG), strict=False):
            await here.peer.says(bot, here.channel, text, reply_to=asked)
    await here.peer.until(lambda: any(card.reply_to is asked for card in here.cards))


def _seen(text: str) -> str:
    """What a reader sees of a card: links are arrows."""
    return re.sub(r"\[↗\]\(\S+\)", "↗", text)


@in_scene()
async def test_what_is_edited_away_and_back_moves_one_card(here: Scene) -> None:
    asked = await here.answers(RIGHT, WRONG)
    wrong = here.peer.messages(here.channel, here.bots[BETA])[0]
    for text in (RIGHT, WRONG) * 3:
        await here.peer.edits(wrong, text)
        await here.quiet()
    (card,) = here.cards
    assert "1816" in card.text
    assert card.reply_to is asked
    await here.peer.edits(wrong, AGREES)
    await here.quiet()
    assert card.text == "✓ The answers no longer differ."
    assert len(here.cards) == 1
    log = here.store.base.path.with_name("discord.db-wal")
    assert b"1816" not in log.read_bytes()


@in_scene()
async def test_a_streamed_answer_is_compared_once_it_has_settled(here: Scene) -> None:
    here.client.watcher._settled = 3_600
    asked = await here.peer.says(here.ben, here.channel, QUESTION)
    await here.peer.says(here.bots[ALPHA], here.channel, RIGHT, reply_to=asked)
    streamed = await here.peer.says(here.bots[BETA], here.channel, "…", reply_to=asked)
    for end in (4, 20):
        await here.peer.edits(streamed, WRONG[:end])
    await here.peer.heard()
    here.client.watcher._settled = 0.05
    await here.peer.edits(streamed, WRONG)
    await here.peer.until(lambda: here.cards, "the card")
    await here.quiet()
    (card,) = here.cards
    assert len(card.versions) == 1


@in_scene()
async def test_endless_edits(here: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = await here.answers(RIGHT)
    wrong = await here.peer.says(here.bots[BETA], here.channel, WRONG, reply_to=asked)
    loop, kept = asyncio.get_running_loop(), list[bool]()

    async def edit() -> None:
        await here.peer.edits(wrong, f"{WRONG}{' ' * len(kept)}*")
        await here.peer.heard()

    def compare(*given: Any) -> tuple[Difference, ...]:
        kept.append(here.store.card(asked.id) is not None)
        if len(kept) < 5:  # while it is compared, it is edited
            asyncio.run_coroutine_threadsafe(edit(), loop).result()
        return find_differences(*given)

    monkeypatch.setattr(watcher, "find_differences", compare)
    await here.peer.until(lambda: here.cards, "the card")
    await here.quiet()
    assert kept[1]  # before they end


@in_scene()
async def test_old_answers_in_a_busy_channel(here: Scene) -> None:
    async def talk() -> None:
        for at in range(POSTS + 1):
            await here.peer.says(here.ada, here.channel, f"This is line {at}.")

    asked = await here.peer.says(here.ben, here.channel, QUESTION)
    await talk()
    for bot, text in zip(here.bots, (RIGHT, WRONG), strict=False):
        wrong = await here.peer.says(bot, here.channel, text, reply_to=asked)
    await here.quiet()
    (card,) = here.cards
    await talk()
    await here.peer.edits(wrong, WRONG.replace("1816", "1817"))
    await here.quiet()
    assert all(year in card.text for year in ("1815", "1817"))


async def _webhook(here: Scene, asked: Message) -> None:
    hook = here.peer.webhook("alpha")
    await here.peer.says(hook, here.channel, WRONG, reply_to=asked)


async def _stranger(here: Scene, asked: Message) -> None:
    bot = here.peer.member(here.guild, here.peer.user("delta", bot=True))
    await here.peer.says(bot, here.channel, WRONG, reply_to=asked)


async def _member(here: Scene, asked: Message) -> None:
    await here.peer.says(here.ben, here.channel, WRONG, reply_to=asked)


async def _installed(here: Scene, asked: Message) -> None:
    bot = here.bots[BETA]
    await here.peer.says(bot, here.channel, WRONG, reply_to=asked, asked_by=here.ben)


async def _chatter(here: Scene, asked: Message) -> None:
    await here.peer.says(here.bots[BETA], here.channel, "Now playing: 1999 (released in 1982)")


async def _other_channel(here: Scene, asked: Message) -> None:
    thread = await here.peer.opens_thread(here.ben, here.channel)
    await here.peer.says(here.bots[BETA], thread, WRONG)


@pytest.mark.parametrize(
    "writes", [_webhook, _stranger, _member, _installed, _chatter, _other_channel]
)
@in_scene()
async def test_only_answers_of_watched_bots_are_evidence(
    here: Scene, writes: Callable[[Scene, Message], Awaitable[None]]
) -> None:
    asked = await here.answers(RIGHT)
    await writes(here, asked)
    await here.quiet()
    assert here.cards == []


@in_scene()
async def test_chatter_costs_nothing_and_keeps_nothing_from_being_compared(here: Scene) -> None:
    dj = here.peer.member(here.guild, here.peer.user("dj", bot=True))
    for at in range(30):
        await here.peer.says(dj, here.channel, f"Now playing song {at}")
    await here.answers(RIGHT, WRONG)
    await here.answers(RIGHT, WRONG)
    assert len(here.cards) == 2
    reads = [one for one in here.peer.requests if one.method == "GET" and "messages" in one.path]
    assert len(reads) <= 1  # a busy machine may lose the connection, and then looks once


@in_scene()
async def test_embeds_and_text_displays_are_read_and_threads_follow_their_channel(
    here: Scene,
) -> None:
    asked = await here.peer.says(here.ben, here.channel, QUESTION)
    thread = await here.peer.opens_thread(here.ben, here.channel, at=asked)
    box = {"type": 17, "components": [{"type": 10, "content": RIGHT}]}
    await here.peer.says(here.bots[ALPHA], thread, components=[box])
    await here.peer.says(here.bots[BETA], thread, embeds=[{"description": WRONG}])
    await here.quiet()
    (card,) = here.peer.said(thread)
    assert "**1816**" in card.text


HOSTILE = "Ada was born in 1816. @everyone <@&5> [x](https://evil.example) discord.gg/abc ## big"


@in_scene()
async def test_words_of_others_are_inert(here: Scene) -> None:
    await here.answers(RIGHT, HOSTILE.replace("1816. ", "1816 "))
    (card,) = here.cards
    use = await here.peer.clicks(here.ben, card, "Details")
    await here.peer.until(lambda: use.text)
    for text in (card.text, use.text):
        assert "@everyone" not in text
        assert "](https://evil" not in text
        assert "discord.gg/" not in text
    assert card.pinged == set()


@pytest.mark.parametrize(
    ("fault", "cards"),
    [
        ({"status": 500, "times": 6}, 1),
        ({"drop": True, "times": 2}, 1),
        ({"status": 503, "done": True}, 1),  # it was sent, and the answer lost
        ({"status": 403, "code": 50013}, 1),  # the permission came back
        ({"status": 400, "code": 50035, "times": 3}, 1),
        ({"status": 429, "code": 20016, "times": 4}, 1),  # slow mode
        ({"status": 400, "code": 200000}, 0),  # AutoMod
    ],
)
@in_scene()
async def test_what_discord_refuses(
    here: Scene, fault: dict[str, int], cards: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    try_again_at_once(monkeypatch)
    made = here.peer.fault(r"/channels/\d+/messages$", "POST", **fault)
    await here.answers(RIGHT, WRONG)
    for _ in range(4):
        here.client.cards.sending.soon()
        await here.quiet()
    assert made.met == made.times
    assert len(here.cards) == cards


@in_scene(models=["openai/gpt-4o-mini"], person_checks=2, channel_checks=8)
async def test_a_model_that_does_not_answer_keeps_no_card_away(here: Scene) -> None:
    await here.set(model="openai/gpt-4o-mini")
    asked: list[int] = []

    async def fails(request: Request) -> Report:
        held = here.client.budgets.reserve(request.budgets, Amount(1, 1))
        here.client.budgets.settle(held, Amount(1, 1))
        asked.append(request.person)
        raise HalubotError("the key is refused")

    here.client.queue._run_paid = fails  # type: ignore[method-assign]
    me = here.ben
    for here.ben in (me, me, *(here.peer.member(here.guild, f"m{at}") for at in range(4))):
        await here.answers(RIGHT, WRONG)
    assert len(here.cards) == 6
    assert len(asked) == 4  # by who asks, and in a channel half: it is not they who wanted it
    for _ in range(2):
        use = await here.peer.uses_command(me, here.channel, "check", text=WRONG, others=RIGHT)
        await here.peer.until(partial(_has_text, use))
    assert asked[4:] == [me.id] * 2


@pytest.mark.parametrize(
    ("asked", "answers", "shown"),
    [
        (
            "When was Marie Curie born?",
            ["She was born in 1867 in Warsaw.", "She was born in 1876 in Paris.", "In 1867."],
            r"She was born in ~~1876~~ **1867** in Paris \[?\].",
        ),
        (
            "How many moons does Mars have?",
            ["It has 2 moons.", "It has 3 moons. 3 probes saw both. Answer: 3.", "2 moons."],
            r"It has ~~3~~ **2** moons. 3 \[?\] probes saw both. Answer: ~~3~~ **2**.",
        ),
        (
            "What is the capital?",
            ["It is Canberra.", "It is Sydney, the largest city.", "Canberra, since 1913."],
            r"It is ~~Sydney~~ **Canberra**, the largest city \[?\].",
        ),
    ],
)
def test_a_correction_claims_nothing_that_the_others_do_not_say(
    asked: str, answers: list[str], shown: str
) -> None:
    (made,) = corrections(_differing(asked, answers))
    assert made.marked == shown


@in_scene()
async def test_a_card_waits_for_the_permission_to_write(here: Scene) -> None:
    await here.peer.forbids(here.channel, "send_messages")
    await here.peer.heard()
    await here.answers(RIGHT, WRONG)
    assert here.cards == []
    await here.peer.allows(here.channel, "send_messages")
    await here.peer.heard()
    here.client.cards.sending.soon()
    await here.quiet()
    assert len(here.cards) == 1


@in_scene()
async def test_what_was_written_meanwhile_is_compared_after_a_reconnection(here: Scene) -> None:
    await here.peer.until(here.client.is_ready)
    await here.answers(RIGHT, AGREES, asked="Hello?")
    here.peer.gateway.refuse_resume = True
    gateway = here.peer.gateway
    here.client.before_identify_hook = _at_once  # type: ignore[method-assign]
    before = gateway.identified
    await here.peer.disconnects()
    asked = await here.peer.says(here.ben, here.channel, QUESTION)
    for bot, text in zip(here.bots, (RIGHT, WRONG), strict=False):
        await here.peer.says(bot, here.channel, text, reply_to=asked)
    await here.peer.until(lambda: gateway.identified > before and gateway.connected)
    await here.peer.until(lambda: here.cards, "the card")
    await here.quiet()
    assert len(here.cards) == 1


@pytest.mark.parametrize(
    ("frame", "sessions"),
    [
        ("{not json", 2),
        ("[]", 2),
        ('{"op": 0, "s": null, "t": "MESSAGE_CREATE", "d": {"id": "1"}}', 1),
        ('{"op": 0, "s": null, "t": "GUILD_CREATE", "d": {}}', 1),
    ],
)
def test_a_broken_frame_does_not_end_the_bot(tmp_path: Path, frame: str, sessions: int) -> None:
    async def whole() -> None:
        async with scene(tmp_path, served=True) as here:
            await here.answers(RIGHT, WRONG)
            gateway = here.peer.gateway
            socket = gateway.connected[0].socket
            assert socket is not None
            here.peer.clock.advance(3_600)
            await here.peer.says(here.ben, here.channel, "Hello")
            await here.quiet()
            await socket.send_str(frame)
            await here.peer.until(lambda: gateway.identified == sessions and gateway.connected)
            # What was compared before is compared with what is edited now.
            (wrong,) = here.peer.messages(here.channel, here.bots[BETA])
            await here.peer.edits(wrong, WRONG.replace("1816", "1817"))
            await here.peer.until(lambda: "1817" in here.cards[0].text, "the card")
            assert "1815" in here.cards[0].text

    asyncio.run(whole())


def _has_text(use: Interaction) -> bool:
    return bool(use.text)


@pytest.mark.parametrize(
    ("answers", "cards"),
    [
        (("||Ada Lovelace was born in 1815.||", "||She was born in 1816.||"), 0),
        (("Ada Lovelace was born in ||1815||.", WRONG), 0),
        (("||Spoiler: her\nfather|| Ada Lovelace was born in 1815.", WRONG), 1),
    ],
)
@in_scene()
async def test_spoilers_stay_hidden(here: Scene, answers: tuple[str, str], cards: int) -> None:
    await here.answers(*answers, asked=f"||It is about a countess.|| {QUESTION}")
    assert len(here.cards) == cards
    for card in here.cards:
        use = await here.peer.clicks(here.ben, card, "Details")
        await here.peer.until(partial(_has_text, use))
        assert "1816" in use.text
        assert not any(word in use.text + card.text for word in ("countess", "father"))


def test_what_waited_when_the_bot_was_killed_is_compared_after_the_start(tmp_path: Path) -> None:
    async def before(here: Scene) -> None:
        asked = await here.peer.says(here.ben, here.channel, QUESTION)
        for bot, text in zip(here.bots, (RIGHT, WRONG), strict=False):
            last = await here.peer.says(bot, here.channel, text, reply_to=asked)
        here.store.hear(here.channel.id, here.guild.id, last.id)  # but it was not compared

    async def whole() -> None:
        async with scene(tmp_path, before=before) as here:
            await here.peer.until(lambda: here.cards, "the card")

    asyncio.run(whole())


async def _at_once(shard_id: int | None, *, initial: bool = False) -> None:
    """Identifies without the library's pause of 5 s."""
