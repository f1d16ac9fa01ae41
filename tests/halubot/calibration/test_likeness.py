"""Which texts get a probability from what comes with halubot: lives, with enough samples."""

from __future__ import annotations

import pytest

from halubot import check

LIFE = "Ada Weir was born in 1815. She studied music. In 1840 she moved to Bath. She died in 1852."
ADVICE = "Take the tablets with water. Do not take more than two a day. Ask a doctor about doubts."


@pytest.mark.parametrize("samples", [10, 20])
def test_a_life_with_enough_samples_gets_probabilities(samples: int) -> None:
    report = check(LIFE, samples=[LIFE] * samples, method="selfcheck-ngram")
    assert all(fact.probability is not None for fact in report.facts)


@pytest.mark.parametrize(
    ("text", "samples", "references"),
    [(LIFE, 9, 0), (LIFE, 0, 1), (ADVICE, 20, 0), (ADVICE, 0, 1)],
)
def test_other_material_gets_none(text: str, samples: int, references: int) -> None:
    report = check(
        text, samples=[text] * samples, method="selfcheck-ngram", references=[text] * references
    )
    assert report.calibration is None
    assert all(fact.probability is None for fact in report.facts)
