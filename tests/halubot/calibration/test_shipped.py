"""The calibrations that come with halubot, and which of them a check finds."""

from __future__ import annotations

import pytest

from halubot import check
from halubot.calibration import SHIPPED, Calibrations, load_shipped

LIFE = "Ada Weir was born in 1815. She studied music. In 1840 she moved to Bath. She died in 1852."
FILES = frozenset(one.data_sha256 for one in load_shipped())


@pytest.mark.parametrize("model", ["gemma-31b", "qwen-9b", "hosted_vllm/gemma-31b"])
def test_a_judge_is_known_by_its_name_whoever_runs_it(model: str) -> None:
    assert SHIPPED.lookup("cascade", model, "samples") is not None


@pytest.mark.parametrize(
    ("method", "model", "material"),
    [
        ("cascade", "gemma-31", "samples"),
        ("cascade", None, "samples"),
        ("cascade", "gemma-31b", "references"),
        ("consensus", "gemma-31b", "samples"),
        ("fsc-text", "gemma-31b", "samples"),
    ],
)
def test_what_was_fitted_on_something_else_is_not_taken(
    method: str, model: str | None, material: str
) -> None:
    assert SHIPPED.lookup(method, model, material) is None  # type: ignore[arg-type]


def test_nothing_is_measured_on_what_it_was_fitted_on() -> None:
    samples = [LIFE] * 20
    assert check(LIFE, samples=samples).calibration is not None
    assert check(LIFE, samples=samples, calibrations=Calibrations(FILES)).calibration is None


def test_scores_of_other_settings_have_no_probability() -> None:
    report = check(LIFE, samples=[LIFE] * 20, options={"verifier": "none"})
    assert report.calibration is None
