"""A report in few words: what it has, and that it stays small."""

from __future__ import annotations

import json
from typing import Any

import pytest

from halubot import Report, check
from halubot.batch.message import brief
from halubot.report import Fact, Problem, Triple

TEXT = "Ada Lovelace was born in 1816. She lived in London. It was a pleasant morning."
REFERENCE = "Ada Lovelace was born in 1815. She lived in London."


def shortened(report: Report) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(brief(report))
    return found


def test_it_has_the_doubted_facts_with_their_places_and_reasons() -> None:
    report = check(TEXT, references=[REFERENCE])
    (doubted,) = report.doubted()
    found = shortened(report)
    (told,) = found["doubted"]
    assert told["verdict"] == doubted.verdict == "contradicted"
    assert [tuple(span) for span in told["spans"]] == list(doubted.spans)
    assert "1815" in told["reason"]
    assert found["facts"] == len(report.facts)
    assert found["not_checked"] == len(report.unchecked()) > 0
    assert (found["left_out"], found["problems"]) == (0, [])
    assert found["score"] == report.score


@pytest.mark.parametrize(
    "reason", ["because " * 90, "因为书上说的不是这样" * 90, '"\\' * 900, "\x01" * 900]
)
def test_it_stays_small_and_counts_what_it_leaves_out(reason: str) -> None:
    report = check(TEXT, references=[REFERENCE])
    facts = tuple(
        Fact(
            index=index,
            triple=Triple("a", "b", "c"),
            sentences=(0,),
            spans=((0, 5), (6, 9)) * (500 if index == 8 else 1),
            verdict="contradicted" if index == 30 else "doubtful",
            rank=index / 100,
            reason=reason,
        )
        for index in range(40)
    )
    problems = tuple(Problem(what=reason, why=reason) for _ in range(9))
    large = report.model_copy(update={"facts": facts, "problems": problems, "label": reason})
    assert len(brief(large).encode()) <= 1400
    found = shortened(large)
    assert found["doubted"]
    assert len(found["doubted"]) + found["left_out"] == 40
    assert "contradicted" in {told["verdict"] for told in found["doubted"]}
    assert found["problems"][-1] == "and 7 more"
