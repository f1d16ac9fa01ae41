"""The calibrations that come with halubot, and which of them a check finds."""

from __future__ import annotations

import pytest

from halubot import calibration, check
from halubot.calibration import SHIPPED, Calibrations, load_shipped

LIFE = "Ada Weir was born in 1815. She studied music. In 1840 she moved to Bath. She died in 1852."
FILES = frozenset(one.data_sha256 for one in load_shipped())


@pytest.fixture(autouse=True)
def judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more calibration, of a method with a judge."""
    own = load_shipped()
    judged = own[0].model_copy(update={"method": "cascade", "model": "gemma-31b, qwen-9b"})
    monkeypatch.setattr(calibration, "load_shipped", lambda: (*own, judged))


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
    method = "selfcheck-ngram"
    assert check(LIFE, samples=samples, method=method).calibration is not None
    unseen = Calibrations(FILES)
    assert check(LIFE, samples=samples, method=method, calibrations=unseen).calibration is None


def test_scores_of_which_nobody_measured_the_worth_have_no_probability() -> None:
    assert check(LIFE, samples=[LIFE] * 20).calibration is None
