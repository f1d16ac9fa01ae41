"""A benchmark that asks a model: what it is asked, and a judge that says nearly always the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from halubot.errors import SettingError
from halubot.evaluation.plan import Plan
from halubot.evaluation.result import Result
from halubot.evaluation.runner import run
from halubot.models.model import Request
from halubot.models.panel import Panel
from halubot.testing import ScriptedModel
from tests.judge import Judge


def rows(right: int, wrong: int) -> list[dict[str, Any]]:
    """Questions with right and wrong answers."""
    return [
        {
            "id": f"q{number}",
            "pair": f"p{number}",
            "question": f"When was pillar {number} built?",
            "knowledge": f"The pillar {number} was built in {1900 + number}.",
            "answer": f"The pillar {number} was built in {1900 + number + 50 * (number < wrong)}.",
            "label": "hallucinated" if number < wrong else "right",
        }
        for number in range(right + wrong)
    ]


@pytest.fixture
def bench(tmp_path: Path) -> Callable[..., Result]:
    def measured(
        judge: Judge, right: int = 6, wrong: int = 6, method: str = "bcv", **given: Any
    ) -> Result:
        path = tmp_path / "qa.jsonl"
        path.write_text("\n".join(map(json.dumps, rows(right, wrong))), encoding="utf-8")
        model = ScriptedModel(judge, name="the judge")
        plan = Plan("halueval_qa", path, method, **given)
        return run(plan, panel=Panel(answer=model, judge=model))

    return measured


def test_a_good_judge_parts_right_from_wrong(bench: Callable[..., Result]) -> None:
    judge = Judge()
    result = bench(judge, options={"role": "builder", "repeats": 3})
    assert result.metrics["auroc"] == 1
    assert (result.metrics["tpr"], result.metrics["tnr"]) == (1, 1)
    assert result.usage.calls == 12 * 3
    assert judge.asked[0].fields["question"] == "When was pillar 0 built?"
    assert "judged by the judge" in result.notes
    assert not any("biased" in note for note in result.notes)


@pytest.mark.parametrize(("word", "count"), [("yes", 60), ("no", 0)])
def test_a_judge_that_always_says_the_same_is_diagnosed(
    bench: Callable[..., Result], word: str, count: int
) -> None:
    result = bench(Judge(hallucination=lambda answer, context: word))
    assert result.metrics["auroc"] == 0.5
    assert (
        f"the judge may be biased: it found a hallucination in {count} of 60 verdicts, and 6 of 12"
        " labels are right"
    ) in result.notes


@pytest.mark.parametrize(
    ("word", "right", "wrong"), [("no", 12, 0), ("yes", 0, 12), ("yes", 1, 11), ("yes", 2, 1)]
)
def test_data_of_one_kind_or_too_few_rows_tell_nothing(
    bench: Callable[..., Result], word: str, right: int, wrong: int
) -> None:
    result = bench(Judge(hallucination=lambda answer, context: word), right, wrong)
    assert not any("biased" in note for note in result.notes)


def test_what_makes_no_sense_is_refused(bench: Callable[..., Result], tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="consensus asks no model here: leave --model out"):
        bench(Judge(), method="consensus")
    with pytest.raises(SettingError, match="leave --verdicts out"):
        bench(Judge(), verdicts=tmp_path / "verdicts.jsonl")
    with pytest.raises(SettingError, match="issc needs samples"):
        bench(Judge(), method="issc")


def test_as_published_a_lost_verdict_counts_half(bench: Callable[..., Result]) -> None:
    class Forgetful(Judge):
        def __call__(self, request: Request) -> str:
            lost = request.first < 3
            return "Hm." if lost else super().__call__(request)

    given = {"right": 0, "wrong": 1, "options": {"repeats": 2}}
    assert bench(Forgetful(), **given).scored[0].score == 1.0
    assert bench(Forgetful(), **given, as_published=True).scored[0].score == 0.75
