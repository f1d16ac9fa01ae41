"""A day of a server, replayed: 30 channels, 200 members, 4 bots, 500 questions, other chatter.

The bot runs in a process of its own, as it is installed. The texts of ``data/day_measure.tsv`` were
written once and not used to build the comparison; ``data/day_develop.tsv`` was.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest

from halubot_bots.budgets import Budgets
from halubot_bots.settings import ServerSettings
from halubot_bots.store import Store
from tests.discord_peer import Channel, Guild, Message, Peer, User
from tests.halubot_bots.apart import Apart, apart
from tests.judge import Judge
from tests.loopback import loopback

pytestmark = pytest.mark.slow

DATA = Path(__file__).parent / "data"
CHANNELS, MEMBERS, QUESTIONS = 30, 200, 500
PAUSE = 4.0
"""Seconds between two questions in a channel."""
SECONDS = 15.0
"""Seconds in which a disagreement gets its card."""


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
    """A server at work. ``asked`` are the questions with the moments of their last answers."""

    peer: Peer
    guild: Guild
    channels: list[Channel]
    members: list[User]
    bots: list[User]
    dj: User
    asked: list[tuple[Message, Exchange, float]] = field(default_factory=list)

    async def run(self, plan: list[Exchange]) -> None:
        """Each channel goes through its part of the plan; the slowest ends the day."""
        parts = [plan[at :: len(self.channels)] for at in range(len(self.channels))]
        await asyncio.gather(*map(self._talk, self.channels, parts, range(len(parts))))

    async def _talk(self, channel: Channel, plan: list[Exchange], at: int) -> None:
        chance = random.Random(at)  # noqa: S311 - seeded, not secret
        await asyncio.sleep(at * 0.2)
        for one in plan:
            asker = chance.choice(self.members)
            question = await self.peer.says(asker, channel, one.question)
            for _ in range(2):
                song = f"Now playing: {chance.randint(1950, 2020)} (album {chance.randint(1, 99)})"
                await self.peer.says(self.dj, channel, song)
            for bot, text in zip(
                chance.sample(self.bots, len(one.answers)), one.answers, strict=True
            ):
                written = await self.peer.says(bot, channel, "…", reply_to=question)
                await asyncio.sleep(0.05)
                await self.peer.edits(written, text)  # bots stream their answers
            self.asked.append((question, one, time.monotonic()))
            await self.peer.says(chance.choice(self.members), channel, "thanks!")
            # A slow machine has a longer day: nobody asks before the bot has read all so far.
            await self.peer.heard()
            await asyncio.sleep(PAUSE)

    def cards(self) -> dict[int, list[Message]]:
        """The cards by the question that they are replies to."""
        found: dict[int, list[Message]] = {}
        for channel in self.channels:
            for card in self.peer.said(channel):
                assert card.reply_to is not None
                found.setdefault(card.reply_to.id, []).append(card)
        return found


def sent_at(peer: Peer) -> Iterator[tuple[int, float]]:
    """When the card of each question was sent."""
    for request in peer.requests:
        reference = request.body.get("message_reference")
        if request.method == "POST" and reference:
            yield int(reference["message_id"]), request.at


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


@pytest.mark.parametrize("texts", ["day_measure.tsv"])
def test_a_day_of_a_server(texts: str, tmp_path: Path) -> None:
    async def whole() -> None:
        async with Peer.open(running_clock=True) as peer:
            day = await prepare(peer, tmp_path)
            async with apart(peer, tmp_path) as bot:
                await day.run(exchanges(texts))
                await asyncio.sleep(SECONDS)
                report(day, bot)
            assert not [one for one in peer.refused if one.method != "GET"]

    asyncio.run(whole())


def report(day: Day, bot: Apart) -> None:
    """Asserts what a day must bring, and prints the figures."""
    cards, sent = day.cards(), dict(sent_at(day.peer))
    differ = [(question, end) for question, one, end in day.asked if one.differ]
    agree = [question for question, one, _ in day.asked if one.differ is False]
    alone = [question for question, one, _ in day.asked if one.differ is None]
    useful = [q for q, end in differ if sent.get(q.id, 1e9) - end <= SECONDS]
    noise = [q for q in agree if q.id in cards]
    waits = sorted(sent[q.id] - end for q, end in differ if q.id in sent)
    figures = {
        "questions": len(day.asked),
        "differ": len(differ),
        "cards": len(waits),
        "cards in time": len(useful),
        "agree": len(agree),
        "cards there": len(noise),
        "slowest": round(waits[-1], 1),
        "median": round(waits[len(waits) // 2], 1),
        "requests": len(day.peer.requests),
        "MB": round(bot.memory()),
    }
    print(json.dumps(figures))
    assert len(day.asked) == QUESTIONS
    assert len(useful) >= 0.8 * len(differ)
    assert len(noise) <= 0.05 * len(agree)
    assert not [q for q in alone if q.id in cards]
    assert all(len(found) == 1 for found in cards.values())
    assert "Traceback" not in bot.log()


def test_the_budget_of_a_day_holds_to_the_cent_and_nothing_goes_dark(tmp_path: Path) -> None:
    """With a model that costs, the budget is soon used up; differences get cards all the same."""
    cents = 0.05

    async def whole() -> None:
        with loopback() as server:
            server.answer(Judge().reply)
            owner = {
                "models": ["openai/gpt-4o-mini"],
                "api_base": f"{server.url}",
                "day": {"dollars": cents},
                "server_share": 1.0,
                "dollars_a_check": 0.01,
            }
            async with Peer.open(running_clock=True) as peer:
                day = await prepare(peer, tmp_path, model="openai/gpt-4o-mini")
                async with apart(peer, tmp_path, **owner):
                    plan = [one for one in exchanges("day_develop.tsv") if one.differ][:30]
                    await day.run(plan)
                    await asyncio.sleep(SECONDS * 2)
                    store = Store.open(tmp_path)
                    spent = Budgets(store.base).used("all")
                    store.close()
                    print(spent, len(day.cards()), len(server.bodies))
                    assert 0 < spent.dollars <= cents + 1e-9
                    assert len(day.cards()) >= 0.8 * len(plan)

    asyncio.run(whole())
