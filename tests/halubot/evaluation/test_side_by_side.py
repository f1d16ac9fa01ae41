"""Several methods on the same rows: what is theirs, what parts them, and what is asked of whom."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from halubot.errors import SettingError
from halubot.evaluation.plan import Plan
from halubot.evaluation.side_by_side import Comparison, compare
from halubot.evaluation.statistics import Metric, differences, resamplings
from halubot.models.panel import Panel
from halubot.testing import ScriptedModel
from tests.judge import Judge

QA = [
    {
        "id": f"q{number}",
        "pair": f"p{number // 2}",
        "question": "When was the pillar built?",
        "knowledge": f"The pillar was built in {1900 + number // 2}.",
        "answer": f"The pillar was built in {1900 + number // 2 + 50 * (number % 2)}.",
        "label": "hallucinated" if number % 2 else "right",
    }
    for number in range(12)
]
CLAIMS = [
    {
        "id": f"g{number}",
        "question": "When was the pillar built?",
        "answer": f"The pillar was built in {1900 + 50 * (number % 2)}.",
        "label": "hallucinated" if number % 2 else "right",
    }
    for number in range(10)
]


def plan(
    tmp_path: Path, dataset: str, records: Sequence[dict[str, Any]], method: str, **more: Any
) -> Plan:
    path = tmp_path / f"{dataset}.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return Plan(dataset, path, method, **more)


def judged(plans: Sequence[Plan], judge: Judge) -> Comparison:
    model = ScriptedModel(judge, name="the judge")
    return compare(plans, panel=Panel(answer=model, judge=model))


@pytest.mark.slow
def test_a_model_is_asked_by_the_method_that_asks_one(tmp_path: Path) -> None:
    one = plan(tmp_path, "halueval_qa", QA, "consensus", threshold=0.5)
    found = judged([one, replace(one, method="bcv")], Judge(hallucination=lambda *_: "no"))
    consensus, bcv = found.results
    assert (consensus.usage.calls, consensus.models) == (0, {})
    assert bcv.usage.calls > 0
    assert bcv.models["judge"] == "the judge"
    assert (consensus.metrics["auroc"], bcv.metrics["auroc"]) == (1, 0.5)
    (apart,) = found.differences
    assert (apart.method, apart.than) == ("bcv", "consensus")
    assert apart.metrics["auroc"] == -0.5
    assert "threshold" not in apart.metrics
    assert apart.intervals["auroc"] == pytest.approx((-0.5, -0.5))


def test_alone_a_method_that_asks_none_still_takes_no_model(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="leave --model out"):
        judged([plan(tmp_path, "halueval_qa", QA, "consensus")], Judge())


@pytest.mark.slow
def test_the_json_of_several(tmp_path: Path) -> None:
    one = plan(tmp_path, "halueval_qa", QA, "consensus", threshold=0.5)
    found = judged([one, replace(one, method="bcv")], Judge()).to_dict()
    assert {"dataset", "rows", "data_sha256", "engine", "seed", "versions"} <= set(found)
    assert [one["method"] for one in found["methods"]] == ["consensus", "bcv"]
    assert set(found["differences"][0]["metrics"]) == set(found["differences"][0]["intervals"])
    json.dumps(found, allow_nan=False)


def test_a_method_that_makes_no_sense_here_stops_all_before_any_work(tmp_path: Path) -> None:
    one = plan(tmp_path, "halueval_qa", QA, "consensus", resume=tmp_path / "work.jsonl")
    with pytest.raises(SettingError, match="selfcheck-ngram needs samples"):
        compare([one, replace(one, method="selfcheck-ngram")])
    assert not (tmp_path / "work.jsonl").exists()


def test_samples_are_drawn_where_the_data_hold_nothing(tmp_path: Path) -> None:
    class Knowing(Judge):
        def __call__(self, request: Any) -> str:
            said = super().__call__(request)
            return "The pillar was built in 1900." if self.asked[-1].drawn else said

    judge = Knowing()
    one = plan(tmp_path, "halueval_general", CLAIMS, "consensus", n_samples=2)
    result = judged([one], judge).results[0]
    assert sum(asked.drawn for asked in judge.asked) == 2 * len(CLAIMS)
    assert result.metrics["auroc"] == 1
    assert result.metrics["abstained_wrong"] == 0
    with pytest.raises(SettingError, match="holds nothing to compare with here: name a --model"):
        compare([one])


def test_differences_are_drawn_from_the_same_resamplings() -> None:
    random = np.random.default_rng(1)
    hard = random.random(40)
    means = [
        Metric(0.0, lambda w, shift=shift: w @ (hard + shift) / w.sum(axis=1))  # type: ignore[misc]
        for shift in (0.0, 0.1)
    ]
    groups = [f"g{i // 2}" for i in range(40)]
    found = differences({"m": means[1]}, {"m": means[0]}, groups)
    # what is hard for both cancels out: the difference is the same in every resampling
    assert found["m"] == pytest.approx((0.1, 0.1))
    weights = next(resamplings(groups))
    assert np.ptp(means[0].resampled(weights)) > 0.05


def test_a_difference_to_what_is_undefined_is_undefined() -> None:
    known = Metric(0.5, lambda w: np.full(len(w), 0.5))
    unknown = Metric(None, lambda w: np.full(len(w), np.nan))
    assert differences({"a": known, "b": known}, {"a": unknown}, ["", ""]) == {"a": None}
