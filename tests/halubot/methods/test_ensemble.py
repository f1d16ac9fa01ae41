"""What `ensemble` says of itself, and facts that come with a case."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from halubot import check
from halubot.events import Event
from halubot.methods import Method, get, registry
from halubot.methods.consensus.log_odds import logistic
from halubot.methods.driver import by_rules
from halubot.methods.registry import Case
from halubot.report import Fact, Stance
from halubot.testing import ScriptedModel
from halubot.text import read
from tests.judge import Judge

MESSAGE = "Ada Lovelace was born in 1816 in London. She wrote notes on the Analytical Engine."
RIGHT = "Ada Lovelace was born in 1815 in London. She wrote notes on the Analytical Engine."
OTHERS = [f"Answer {n}. {RIGHT}" for n in range(3)]


@pytest.mark.slow
def test_contributions_add_up_to_the_score(tmp_path: Path) -> None:
    def stance(fact: str, source: str) -> Stance:
        return "contradicts" if "1816" in fact else "supports"

    for references in ([], [RIGHT]):
        report = check(
            MESSAGE,
            method="ensemble",
            model=ScriptedModel(Judge(stance=stance)),
            store=tmp_path / f"store{len(references)}",
            samples=[RIGHT] * 5,
            references=references,
        )
        for fact in report.facts:
            parts = report.details["contributions"][fact.index]
            assert list(parts) == ["samples", *["references"] * len(references), "model"]
            odds = math.fsum(one["odds"] * one["weight"] for one in parts.values())
            assert fact.score == pytest.approx(logistic(odds), abs=1e-3)


class Before:
    """A method, of the same case with facts that were extracted before."""

    def __init__(self, method: str, facts: tuple[Fact, ...]) -> None:
        self._method, self._facts = get(method), facts
        self.name, self.needs_all = "before", False
        self.needs, self.default_threshold = self._method.needs, self._method.default_threshold

    def judge(self, case: Case) -> Iterator[Event] | AsyncIterator[Event]:
        return self._method.judge(replace(case, facts=self._facts))


@pytest.mark.parametrize(
    "method",
    [
        *("consensus", "cascade", "ensemble", "fsc-frequency", "fsc-kg", "fsc-text"),
        *("gca", "knowhalu", "triplet-check"),
    ],
)
def test_facts_that_come_with_a_case_are_not_extracted_again(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = by_rules(Case(read(MESSAGE))).facts[:2]
    monkeypatch.setitem(registry._registered, "before", cast("Method", Before(method, facts)))
    judge = Judge()
    report = check(
        MESSAGE,
        method="before",
        model=ScriptedModel(judge),
        store=tmp_path / "store",
        samples=OTHERS,
        references=[RIGHT],
    )
    texts = [one.fields["text"] for one in judge.asked if one.prompt == "extract"]
    assert MESSAGE not in texts
    assert [fact.triple for fact in report.facts] == [fact.triple for fact in facts]
    assert report.details["extraction"] == "extracted before"
