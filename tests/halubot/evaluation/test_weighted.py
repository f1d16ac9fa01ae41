"""The metrics over weights agree with scikit-learn, whatever the ties and the weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from halubot.evaluation import weighted

UNIT = st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 3), st.integers(0, 3))
UNITS = st.lists(UNIT, min_size=1, max_size=20)


@given(UNITS)
def test_agrees_with_scikit_learn(units: list[tuple[bool, int, int, int]]) -> None:
    wrong = np.array([unit[0] for unit in units])
    scores = np.array([unit[1] / 5 for unit in units])
    weights = np.array([[unit[2] for unit in units], [unit[3] for unit in units]], dtype=float)
    precisions = weighted.average_precision(wrong, scores, weights)
    areas = weighted.auroc(wrong, scores, weights)
    for heavy, precision, area in zip(weights, precisions, areas, strict=True):
        bad, good = heavy[wrong].sum() > 0, heavy[~wrong].sum() > 0
        if bad:
            expected = average_precision_score(wrong, scores, sample_weight=heavy)
            assert precision == pytest.approx(expected)
        else:
            assert np.isnan(precision)
        if bad and good:
            assert area == pytest.approx(roc_auc_score(wrong, scores, sample_weight=heavy))
        else:
            assert np.isnan(area)


def test_average_precision_by_hand() -> None:
    wrong = np.array([True, False, True])
    scores = np.array([0.9, 0.8, 0.7])
    # Half of what is wrong at precision 1, the other half at precision 2/3.
    assert weighted.average_precision(wrong, scores, np.ones((1, 3))) == pytest.approx(5 / 6)


def test_ties_count_half() -> None:
    wrong = np.array([True, False])
    assert weighted.auroc(wrong, np.array([0.4, 0.4]), np.ones((1, 2))) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("y", "expected"),
    [([0.0, 0.5, 1.0], 1.0), ([1.0, 0.5, 0.0], 0.0), ([0.0, 1.0, 0.0], 0.0)],
)
def test_correlation_lies_between_0_and_1(y: list[float], expected: float) -> None:
    x = np.array([0.1, 0.2, 0.3])
    assert weighted.pearson(x, np.array(y), np.ones((1, 3))) == pytest.approx(expected)


def test_no_correlation_with_what_is_all_the_same() -> None:
    same = np.array([0.3, 0.3, 0.3])
    assert np.isnan(weighted.pearson(np.array([0.1, 0.2, 0.3]), same, np.ones((1, 3)))).all()


def test_weights_stand_for_repeated_rows() -> None:
    x, y = np.array([0.1, 0.5, 0.9, 0.2]), np.array([0.0, 0.6, 0.7, 0.4])
    weights = np.array([[2.0, 1.0, 0.0, 3.0]])
    repeated = np.repeat(np.arange(4), [2, 1, 0, 3])
    expected = np.corrcoef(x[repeated], y[repeated])[0, 1]
    assert weighted.pearson(x, y, weights) == pytest.approx(expected)
    assert weighted.mean(x, weights) == pytest.approx(x[repeated].mean())
    assert weighted.ratio(x, y, weights) == pytest.approx(x[repeated].sum() / y[repeated].sum())
