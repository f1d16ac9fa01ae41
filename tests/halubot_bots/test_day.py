"""A day of a server, replayed: 30 channels, 200 members, 4 bots, 500 questions, other chatter.

The bot runs in a process of its own, as it is installed. The clock of the day jumps from question
to question, and what is measured does not depend on what else the machine does: the processor time
until a card is there, to which the wait for a settled answer is added. The decision was fitted on
all texts of ``data``: figures of texts that it did not learn from stand in ``decision.json``.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from halubot_bots.budgets import Budgets
from halubot_bots.discord.watcher import SETTLED_SECONDS
from halubot_bots.settings import ServerSettings
from halubot_bots.store import Store
from tests.discord_peer import Channel, Guild, Message, Peer, User
from tests.halubot_bots.apart import Apart, apart
from tests.judge import Judge
from tests.loopback import loopback

pytestmark = pytest.mark.slow

DATA = Path(__file__).parent / "data"
CHANNELS, MEMBERS, QUESTIONS = 30, 200, 500
TOGETHER = (1, 1, 1, 2, 2, 5)
"""How many channels ask in the same moment, in turn by chance."""
HOURS = 16.0
SECONDS = 15.0
"""Seconds in which a disagreement gets its card."""
SETTLED = 0.05
"""What the bot waits for a settled answer here, in place of `SETTLED_SECONDS`."""


class Exchange(NamedTuple):
    """A question and its answers; ``differ`` is None for one that is not labelled."""

    differ: bool | None
    question: str
    answers: tuple[str, ...]


def exchanges(name: str) -> list[Exchange]:
    """40 that differ, 200 that agree, and as many more with one answer as a day has."""
    found: list[Exchange] = []
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        kind, question, *answers = line.split("\t")
        if kind == "differ":
            found.append(Exchange(True, question, tuple(answers)))
        else:
            pairs = list(itertools.combinations(answers, 2))[:2]
            found += [Exchange(False, question, pair) for pair in pairs]
    rest = QUESTIONS - len(found)
    found += [
        Exchange(None, f"{one.question} ({at})", one.answers[:1])
        for at, one in enumerate(itertools.islice(itertools.cycle(found), rest))
    ]
    random.Random(7).shuffle(found)  # noqa: S311 - seeded, not secret
    return found


@dataclass
class Day:
    """A server at work. ``asked`` are the questions, ``waits`` the processor seconds from the last
    answers of each moment to the end of the work, by question, ``slowest`` the longest of those
    times by the machine's clock."""

    peer: Peer
    guild: Guild
    channels: list[Channel]
    members: list[User]
    bots: list[User]
    dj: User
    asked: list[tuple[Message, Exchange]] = field(default_factory=list)
    waits: dict[int, float] = field(default_factory=dict)
    slowest: float = 0.0

    async def run(self, plan: list[Exchange], bot: Apart) -> None:
        """The questions come in moments, each in another channel, spread over the day."""
        chance = random.Random(1)  # noqa: S311 - seeded, not secret
        await bot.quiet()
        left = iter(plan)
        while moment := list(itertools.islice(left, chance.choice(TOGETHER))):
            self.peer.clock.advance(HOURS * 3600 * len(moment) / len(plan))
            places = chance.sample(self.channels, len(moment))
            questions = [
                await self._talk(channel, one, chance)
                for channel, one in zip(places, moment, strict=True)
            ]
            before, work = time.monotonic(), bot.work()
            await bot.quiet()
            self.waits |= dict.fromkeys(questions, bot.work() - work)
            self.slowest = max(self.slowest, time.monotonic() - before)

    async def _talk(self, channel: Channel, one: Exchange, chance: random.Random) -> int:
        question = await self.peer.says(chance.choice(self.members), channel, one.question)
        for _ in range(2):
            song = f"Now playing: {chance.randint(1950, 2020)} (album {chance.randint(1, 99)})"
            await self.peer.says(self.dj, channel, song)
        for author, text in zip(
            chance.sample(self.bots, len(one.answers)), one.answers, strict=True
        ):
            written = await self.peer.says(author, channel, "…", reply_to=question)
            await self.peer.edits(written, text)  # bots stream their answers
        await self.peer.says(chance.choice(self.members), channel, "thanks!")
        self.asked.append((question, one))
        return question.id

    def cards(self) -> dict[int, list[Message]]:
        """The cards by the question that they are replies to."""
        found: dict[int, list[Message]] = {}
        for channel in self.channels:
            for card in self.peer.said(channel):
                assert card.reply_to is not None
                found.setdefault(card.reply_to.id, []).append(card)
        return found

    def wait(self, question: Message) -> float:
        """The seconds until the card of a question was there, on a machine with nothing else to
        do: at least as many as that, for those of its moment are worked on together."""
        return SETTLED_SECONDS - SETTLED + self.waits[question.id]


async def prepare(peer: Peer, folder: Path, **settings: object) -> Day:
    """A server with its people and bots, set up in the store of a bot that does not run yet."""
    names = tuple(f"channel-{at}" for at in range(CHANNELS))
    guild = peer.guild("server", channels=names)
    members = [peer.member(guild, f"member {at}") for at in range(MEMBERS)]
    bots = [peer.member(guild, peer.user(name, bot=True)) for name in ("a", "b", "c", "d")]
    dj = peer.member(guild, peer.user("dj", bot=True))
    channels = [guild.channel(name) for name in names]
    store = Store.open(folder)
    watched = {"channels": [one.id for one in channels], "bots": [one.id for one in bots]}
    chosen = ServerSettings.model_validate({"on": True, **watched, **settings})
    store.set_settings(guild.id, chosen)
    store.close()
    return Day(peer, guild, channels, members, bots, dj)


async def replay(
    folder: Path, plan: list[Exchange], settings: dict[str, Any], owner: dict[str, Any]
) -> Day:
    """A day with these questions, from the start of the bot to its stop."""
    async with Peer.open(running_clock=True) as peer:
        day = await prepare(peer, folder, **settings)
        async with apart(peer, folder, client={"settled": SETTLED}, **owner) as bot:
            await day.run(plan, bot)
            assert "Traceback" not in bot.log()
        assert not [one for one in peer.refused if one.method != "GET"]
        return day


def test_a_day_of_a_server(tmp_path: Path) -> None:
    day = asyncio.run(replay(tmp_path, exchanges("day_measure.tsv"), {}, {}))
    cards = day.cards()
    differ = [question for question, one in day.asked if one.differ]
    agree = [question for question, one in day.asked if one.differ is False]
    waits = sorted(day.wait(q) for q in differ)
    late = differ[-len(differ) // 4 :]
    figures = {
        "questions": len(day.asked),
        "differ": len(differ),
        "cards": sum(q.id in cards for q in differ),
        "cards in time": sum(q.id in cards and day.wait(q) <= SECONDS for q in differ),
        "cards of the last hours": sum(q.id in cards for q in late),
        "agree": len(agree),
        "cards there": sum(q.id in cards for q in agree),
        "slowest": round(waits[-1], 1),
        "median": round(waits[len(waits) // 2], 1),
        "slowest by the clock": round(day.slowest, 1),
    }
    print(json.dumps(figures))
    assert len(day.asked) == QUESTIONS
    assert figures["cards in time"] >= 0.8 * len(differ)
    assert figures["cards there"] <= 0.05 * len(agree)
    # The last hours are like the first: nothing is used up.
    assert figures["cards of the last hours"] >= 0.6 * len(late)
    assert not any(q.id in cards for q, one in day.asked if one.differ is None)
    assert all(len(found) == 1 for found in cards.values())


def test_the_budget_of_a_day_holds_to_the_cent_and_nothing_goes_dark(tmp_path: Path) -> None:
    """What the bot may use unasked, half, is soon used up; differences get cards all the same."""
    most = 0.012
    with loopback() as server:
        server.answer(Judge().reply)
        owner = {
            "models": ["openai/gpt-4o-mini"],
            "api_base": server.url,
            "day": {"dollars": most},
            "server_share": 1.0,
            "dollars_a_check": 0.003,
        }
        plan = [one for one in exchanges("day_develop.tsv") if one.differ]
        settings = {"model": "openai/gpt-4o-mini"}
        day = asyncio.run(replay(tmp_path, plan, settings, owner))
        asked = len(server.bodies)
    store = Store.open(tmp_path)
    spent = Budgets(store.base).used("all")
    store.close()
    print(spent, len(day.cards()), asked)
    assert 0.25 * most < spent.dollars <= 0.5 * most
    assert len(day.cards()) >= 0.8 * len(plan)
