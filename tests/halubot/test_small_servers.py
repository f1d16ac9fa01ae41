"""Small servers of one's own, over HTTP: few slots, a small context, a model that does not end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import halubot
from halubot.models import limits
from halubot.models.limits import HERE, LONGEST_HERE, Limits, Retry
from halubot.models.model import Completion, Message, Request
from halubot.models.model_errors import SlowModelError
from halubot.models.panel import Panel
from halubot.models.server_model import ServerModel
from halubot.report import Report
from halubot.testing import ScriptedModel
from halubot_cache import Store
from tests.judge import Judge
from tests.loopback import Body, Loopback, Reply, loopback
from tests.slots import Slots

QUESTION = "Who was Ada Lovelace?"
ANSWER = (
    "Ada Lovelace was born in 1815 in London. Her father was Lord Byron, a poet. Her mother was"
    " Annabella Milbanke. She married William King in 1835. She had three children. She met"
    " Charles Babbage in 1833. She wrote notes on the Analytical Engine in 1843. The notes held"
    " a method for Bernoulli numbers. She corresponded with Michael Faraday. She died in London"
    " in 1852. She was buried in Hucknall."
)
"""Eleven sentences."""


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as server:
        yield server


def panel_of(server: Loopback, folder: Path, *, system: str = "") -> Panel:
    """A panel with patience, whose waits between attempts are none."""

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(0)

    door = ServerModel("openai/tiny", server.url)
    waits = Limits(call_seconds=90, retry=Retry(attempts=2), sleep=sleep)
    return Panel(door, door, limits=waits, store=Store.open(folder / "store"), system=system)


def said(report: Report) -> str:
    """All that the report says went wrong."""
    return "\n".join(f"{problem.what}: {problem.why}" for problem in report.problems)


def test_no_answer_is_lost_at_a_server_of_one_slot(server: Loopback, tmp_path: Path) -> None:
    slots = Slots(Judge(answer=ANSWER, samples=(ANSWER,)).reply)
    server.answer(slots.reply)
    with panel_of(server, tmp_path) as panel:
        report = halubot.check(
            ANSWER, question=QUESTION, n_samples=20, method="consensus", panel=panel
        )
    assert len(report.sources) == 20
    assert said(report) == ""
    assert slots.most_at_once <= HERE
    assert report.usage.calls == 21  # n is refused once


@pytest.mark.parametrize("local", [True, False])
def test_as_many_calls_are_under_way_as_somebody_asked_for(local: bool) -> None:
    shared = limits.Provider(local=local)
    assert shared.pace.at_once == (8 if local else 64)
    shared.pace.allow(100)
    assert shared.pace.at_once == 100


def test_who_waits_has_time_anew_with_each_answer_that_another_gets() -> None:
    class Slow(ScriptedModel):
        async def complete(self, request: Request) -> tuple[Completion, ...]:
            await asyncio.sleep(0.1)
            return await super().complete(request)

    def ask(answered_at: float) -> None:
        shared = limits.Provider(local=True)
        shared.answered_at = answered_at
        model = limits.LimitedModel(Slow(["yes"]), limits=Limits(call_seconds=0.01), shared=shared)
        asyncio.run(model.complete(Request((Message("user", "?"),))))

    ask(time.monotonic() + 100)
    with pytest.raises(SlowModelError):
        ask(0.0)


@pytest.mark.parametrize("method", ["fsc-text", "cascade", "ensemble"])
def test_eleven_sentences_fit_a_context_of_2048_tokens(
    server: Loopback, tmp_path: Path, method: str
) -> None:
    slots = Slots(Judge(answer=ANSWER, samples=(ANSWER,)).reply, context=2_048)
    server.answer(slots.reply)
    with panel_of(server, tmp_path) as panel:
        report = halubot.check(
            ANSWER, question=QUESTION, samples=[ANSWER] * 3, method=method, panel=panel
        )
    assert len(report.sentences) == 11
    assert {fact.verdict for fact in report.facts} == {"supported"}
    assert said(report) == ""
    assert report.usage.calls <= 12


def test_an_answer_that_is_cut_is_asked_for_in_halves(server: Loopback, tmp_path: Path) -> None:
    judge = Judge(answer=ANSWER, samples=(ANSWER,))

    def reply(body: Body) -> Reply:
        answer = judge.reply(body)
        wanted = judge.asked[-1].numbers
        if judge.asked[-1].prompt == "extract" and len(wanted) > 4:
            text = answer.texts[0]
            return Reply(texts=(text[: text.index('"4":')],), finish="length")
        return answer

    server.answer(reply)
    with panel_of(server, tmp_path) as panel:
        report = halubot.check(ANSWER, question=QUESTION, samples=[ANSWER], panel=panel)
    asked = [one.numbers for one in judge.asked if one.prompt == "extract"]
    assert asked[0] == [str(number) for number in range(11)]
    assert sorted(asked[1:]) == [["3", "4", "5", "6"], ["7", "8", "9", "10"]]
    assert "read by rules" not in said(report)


def test_an_answer_of_a_server_on_this_machine_has_a_length(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer(Judge(answer=ANSWER, samples=(ANSWER,)).reply)
    with panel_of(server, tmp_path) as panel:
        halubot.check(ANSWER, question=QUESTION, n_samples=2, method="fsc-text", panel=panel)
    plain = [body for body in server.bodies if "response_format" not in body]
    bound = [body for body in server.bodies if "response_format" in body]
    assert {one["max_tokens"] for one in (*plain, *bound)} == {LONGEST_HERE}
