"""The metrics over weights agree with scikit-learn, whatever the ties and the weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from halubot.errors import SettingError
from halubot.evaluation import weighted
from halubot.evaluation.weighted import Cut, best_cut, weighted_youden, youden

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


MEDICAL = 0.67


def cut(wrong: Sequence[bool], scores: Sequence[float], w: float = 0.5) -> Cut | None:
    return best_cut(np.array(wrong, dtype=bool), np.array(scores, dtype=float), w)


def test_j_by_hand() -> None:
    assert youden(1, 1) == 1
    assert youden(0.5, 0.5) == 0
    assert youden(0, 0) == -1
    # The paper's best row of EHRTest, BCV-CoT as an expert.
    assert youden(0.979, 0.846) == pytest.approx(0.825)


def test_the_weighted_form_by_hand() -> None:
    assert weighted_youden(0.9, 0.6, 0.5) == pytest.approx(youden(0.9, 0.6))
    assert weighted_youden(0.9, 0.6, MEDICAL) == pytest.approx(2 * (0.603 + 0.198) - 1)
    assert weighted_youden(1, 0, 1) == 1
    assert weighted_youden(1, 0, 0) == -1


def test_the_best_threshold_by_hand() -> None:
    # At 0.8: 2 of 4 caught, 2 of 2 pass, J = 1/2. At 0.2: 4 of 4 and 1 of 2, the same.
    wrong = [True, True, False, True, True, False]
    scores = [0.9, 0.8, 0.6, 0.4, 0.2, 0.1]
    assert cut(wrong, scores) == Cut(0.8, 0.5, 1.0, 0.5)
    # J_w: 2 (0.67 / 2 + 0.33) - 1 = 0.33 at 0.8, 2 (0.67 + 0.33 / 2) - 1 = 0.67 at 0.2.
    best = cut(wrong, scores, MEDICAL)
    assert best is not None
    assert best[:3] == (0.2, 1.0, 0.5)
    assert best.value == pytest.approx(0.67)
    assert cut(wrong, scores, 0) == Cut(0.9, 0.25, 1.0, 1.0)


def test_equal_scores_are_doubted_together() -> None:
    assert cut([True, False, False], [0.6, 0.6, 0.2]) == Cut(0.6, 1.0, 0.5, 0.5)


@pytest.mark.parametrize("wrong", [[True, True], [False, False], []])
def test_one_class_alone_has_no_threshold(wrong: list[bool]) -> None:
    assert cut(wrong, [0.5] * len(wrong)) is None


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan")])
def test_a_weight_out_of_range_is_refused(weight: float) -> None:
    with pytest.raises(SettingError, match="not between 0 and 1"):
        weighted_youden(1, 1, weight)
    with pytest.raises(SettingError, match="not between 0 and 1"):
        cut([True, False], [1, 0], weight)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=1, max_size=40))
def test_it_agrees_with_the_roc_curve(pairs: list[tuple[bool, int]]) -> None:
    wrong, scores = [pair[0] for pair in pairs], [pair[1] / 5 for pair in pairs]
    best = cut(wrong, scores)
    if len(set(wrong)) < 2:
        assert best is None
        return
    assert best is not None
    false, true, thresholds = roc_curve(wrong, scores, drop_intermediate=False)
    js = [youden(t, 1 - f) for f, t in zip(false[1:], true[1:], strict=True)]
    assert best.value == pytest.approx(max(js))
    known = zip(thresholds[1:], js, strict=True)
    assert best.threshold == max(t for t, j in known if j == pytest.approx(max(js)))


def test_what_is_not_scored_is_right_for_neither_class() -> None:
    wrong = np.array([True, True, True, False, False])
    scores = np.array([0.9, 0.5, 0.5, 0.5, 0.2])
    scored = np.array([True, False, True, False, True])
    cut = best_cut(wrong, scores, scored=scored)
    assert cut is not None
    assert [cut.threshold, cut.tpr, cut.tnr] == pytest.approx([0.5, 2 / 3, 0.5])
    assert cut.value == pytest.approx(2 / 3 + 1 / 2 - 1)
    assert best_cut(wrong, scores, scored=~np.ones(5, dtype=bool)) is None
