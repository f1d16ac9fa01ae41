"""Corrections by a model, with each kind of hints, judged by a reference."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.runner import Plan, Result, run
from halubot.models.panel import Panel
from halubot.testing import ScriptedModel
from tests.judge import Judge

RIGHT = ["Ada Weir was born in 1828.", "She wrote songs.", "She lived and died in Bern."]
WRONG = ["Ada Weir was born in 1829.", "She wrote songs.", "She lived and died in Ulm."]
ROW = {
    "id": "a",
    "concept": "Ada Weir",
    "passage": " ".join(WRONG),
    "sentences": WRONG,
    "labels": ["major_inaccurate", "accurate", "minor_inaccurate"],
    "samples": [" ".join(RIGHT)] * 3,
    "reference": " ".join(RIGHT),
}


def rewrite(sentence: str, hints: Sequence[str]) -> tuple[str, str]:
    """Told what is wrong, the model puts the year right and refuses the place."""
    if not hints:
        return "kept", ""
    if "1829" in sentence:
        return "changed", sentence.replace("1829", "1828")
    return "refused", "nobody knows"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "wikibio.jsonl"
    path.write_text(json.dumps(ROW), encoding="utf-8")
    return path


def measured(data: Path, judge: Judge, method: str = "consensus", **options: Any) -> Result:
    model = ScriptedModel(judge, name="the judge")
    plan = Plan("wikibio", data, method, correct=True, **options)
    return run(plan, panel=Panel(answer=model, judge=model))


def judged(sentence: str, source: str) -> str:
    return "yes" if sentence in source else "no"


@pytest.mark.parametrize("as_published", [False, True])
def test_each_kind_of_hints_is_judged_by_the_reference(data: Path, as_published: bool) -> None:
    judge = Judge(supported=judged, rewrite=rewrite)
    options = {"method": "selfcheck-prompt"} if as_published else {}
    result = measured(data, judge, as_published=as_published, **options)
    figures = result.metrics
    assert figures["factual: before"] == pytest.approx(1 / 3)
    shares = {
        name: [figures[f"{fate}: hints {name}"] for fate in ("factual", "non_factual", "refused")]
        for name in ("none", "sentences")
    }
    assert shares == {
        "none": pytest.approx([1 / 3, 2 / 3, 0]),
        "sentences": pytest.approx([2 / 3, 0, 1 / 3]),
    }
    assert (figures["judge_sensitivity"], figures["judge_specificity"]) == (1, 1)
    asked = [one.prompt for one in judge.asked]
    rewriting = "correct-published" if as_published else "correct"
    assert asked.count(rewriting) == 3
    told = next(one for one in judge.asked if one.prompt == rewriting).fields["question"]
    assert told == "This is a Wikipedia passage about Ada Weir:"  # the prompt of the data set
    one_by_one = [one for one in judge.asked if one.prompt == "verify-sentence"]
    of_reference = [one for one in one_by_one if one.fields["source"] == ROW["reference"]]
    assert bool(of_reference) == as_published
    assert result.usage.calls == len(judge.asked)
