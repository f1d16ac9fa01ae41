"""Every method that asks a model: a run from its record is the run that was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from halubot import check, correct
from halubot.methods import get
from halubot.methods.registry import method_names
from halubot.report import Report, Usage
from halubot.testing import ScriptedModel
from tests.judge import Judge

MESSAGE = (
    "Ada Lovelace was born in 1816 in London. She wrote notes on the Analytical Engine."
    " She never met Charles Babbage."
)
SAMPLES = [
    "Ada Lovelace was born in 1815 in London. She wrote notes on the Analytical Engine.",
    "Ada Lovelace was born in London in 1815. She met Charles Babbage in 1833.",
    "She wrote notes on the Analytical Engine.",
]
REFERENCE = "Ada Lovelace was born in London in 1815. In 1833 she met Charles Babbage."

METHODS = [name for name in method_names() if "model" in get(name).needs]


def given(method: str) -> dict[str, Any]:
    """What a method compares with; samples are drawn."""
    if "references" in get(method).needs:
        return {"references": [REFERENCE], "question": "Who was Ada Lovelace?"}
    return {"n_samples": 3, "question": "Who was Ada Lovelace?"}


def without_usage(report: Report) -> Report:
    correction = report.correction
    if correction is not None and correction.report is not None:
        again = without_usage(correction.report)
        correction = correction.model_copy(update={"report": again})
    return report.model_copy(update={"usage": Usage(), "correction": correction})


@pytest.mark.parametrize("as_published", [False, True], ids=["merged", "published"])
@pytest.mark.parametrize("method", METHODS)
def test_a_replay_is_the_same_run(method: str, as_published: bool, tmp_path: Path) -> None:
    if as_published and method in ("cascade", "ensemble"):
        pytest.skip("halubot's own")
    options = {**given(method), "method": method, "as_published": as_published}
    model = ScriptedModel(Judge(samples=SAMPLES))
    record = tmp_path / "run.jsonl"
    first = check(MESSAGE, model=model, store=tmp_path / "store", record=record, **options)
    assert model.calls > 0
    again = check(MESSAGE, replay=record, **options)
    assert without_usage(again) == without_usage(first)
    assert again.usage.calls == 0
    assert again.usage.cached_calls > 0
    drawn = again.details.get("sample_origins", {}).get("drawn", 0)
    assert (first.usage.stored_samples, again.usage.stored_samples) == (0, drawn)


@pytest.mark.parametrize("method", ["consensus", "fsc-text"])
def test_drawn_samples_are_not_called_given(method: str) -> None:
    model = ScriptedModel(Judge(samples=SAMPLES))
    report = check(MESSAGE, model=model, method=method, n_samples=3, question="Who was she?")
    assert report.details["sample_origins"] == {"drawn": 3}
    report = check(MESSAGE, model=model, method=method, samples=SAMPLES)
    assert report.details["sample_origins"] == {"given": 3}


def test_a_correction_replays_too(tmp_path: Path) -> None:
    judge = Judge(rewrite=lambda sentence, hints: ("changed", sentence.replace("1816", "1815")))
    record = tmp_path / "run.jsonl"
    options: dict[str, Any] = {"samples": SAMPLES}
    first = correct(
        MESSAGE, model=ScriptedModel(judge), store=tmp_path / "store", record=record, **options
    )
    again = correct(MESSAGE, replay=record, **options)
    assert first.correction is not None
    assert "1815" in first.correction.text
    assert without_usage(again) == without_usage(first)
