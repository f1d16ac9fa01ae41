"""Probabilities and decisions, beside the same written plainly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.evaluation import measures, statistics, weighted
from halubot.evaluation.checked import Scored, ScoredFact, ScoredSentence, Unit
from halubot.evaluation.rows import LabelledFact, Row
from halubot.evaluation.statistics import (
    BINS,
    FOLDS,
    REPLICATES,
    Metric,
    by_folds,
    dealt,
    gather_units,
    intervals,
    resamplings,
)
from halubot.evaluation.weighted import Floats, best_cut
from halubot.report import Triple

CHANCE = st.one_of(st.none(), st.floats(0, 1, allow_subnormal=False))
UNITS = st.lists(st.tuples(st.integers(0, 4), st.booleans(), CHANCE), min_size=1, max_size=40)


def message(
    gold: float, score: float | None, chance: float | None = None, group: str = ""
) -> Scored:
    return Scored(Row(id="m", text="x", gold=(gold,), group=group), score, probability=chance)


@given(UNITS)
def test_brier_score_and_calibration_error(units: list[tuple[int, bool, float | None]]) -> None:
    found = gather_units([(row, Unit(wrong, 0.5, None, chance)) for row, wrong, chance in units])
    known = [(chance, wrong) for _, wrong, chance in units if chance is not None]
    brier = statistics.brier(found, 5).value
    error = statistics.calibration_error(found, 5).value
    if not known:
        assert brier is None
        assert error is None
        return
    assert brier == pytest.approx(np.mean([(chance - wrong) ** 2 for chance, wrong in known]))
    ordered = sorted(known, key=lambda one: one[0])
    parts = [part for part in np.array_split(np.arange(len(known)), BINS) if len(part)]
    plain = 0.0
    for part in parts:
        here = [ordered[i] for i in part]
        said, came = np.mean([one[0] for one in here]), np.mean([one[1] for one in here])
        plain += abs(float(said - came)) * len(here) / len(known)
    assert error == pytest.approx(plain, abs=1e-9)


@given(UNITS)
def test_a_decision_is_never_made_at_a_threshold_found_with_its_group(
    units: list[tuple[int, bool, float | None]],
) -> None:
    found = gather_units([(row, Unit(wrong, score)) for row, wrong, score in units])
    groups = ["g", "g", "h", "i", ""]
    said = by_folds(found, groups)
    names = [groups[row] or f"\0{row}" for row, _, _ in units]
    fold = np.array(dealt(names, found.wrong.tolist()))
    cuts = [best_cut(found.wrong[fold != i], found.scores[fold != i]) for i in range(FOLDS)]
    if said is None:
        assert None in cuts
        return
    for i, cut in enumerate(cuts):
        assert cut is not None
        assert (said[fold == i] == (found.scores[fold == i] >= cut.threshold)).all()


def test_metrics_of_single_facts() -> None:
    fact = LabelledFact(Triple("a", "b", "c"), ((0, 1),), wrong=True)
    right = LabelledFact(Triple("a", "b", "d"), ((0, 1),), wrong=False)
    row = Row(id="1", text="x", labelled=(fact, right, right))
    facts = (ScoredFact(True, 0.8), ScoredFact(True, 0.3), ScoredFact(found=False))
    figures = {
        n: m.value for n, m in measures.of_dataset("own", [Scored(row, facts=facts)], 0.5).items()
    }
    assert figures["auroc"] == 1
    assert (figures["sensitivity"], figures["specificity"]) == (1, 0.5)
    assert (figures["youden"], figures["balanced_accuracy"]) == (0.5, 0.75)
    assert (figures["abstained_wrong"], figures["abstained_right"]) == (0, 0.5)
    assert "brier" not in figures


def test_probabilities_are_measured_where_there_are_some() -> None:
    rows = [message(1, 0.9, 0.8), message(0, 0.1, 0.4), message(0, None)]
    figures = {name: one.value for name, one in measures.of_dataset("own", rows, 0.5).items()}
    assert figures["brier"] == pytest.approx((0.2**2 + 0.4**2) / 2)
    assert figures["calibration_error"] == pytest.approx((0.2 + 0.4) / 2)


def test_factscore_compares_shares_of_answers() -> None:
    def answer(gold: tuple[float, ...], *scores: float) -> Scored:
        said = tuple(ScoredSentence((i, i + 1), score, score) for i, score in enumerate(scores))
        return Scored(Row("1", "x", gold, sentences=("x",) * len(gold)), sentences=said)

    rows = [answer((1, 0), 0.9, 0.8), answer((1, 1, 0, 0), 0.1, 0.2, 0.1, 0.9)]
    # doubted: 2 of 2 and 1 of 4; wrong: 1 of 2 and 2 of 4
    figure = measures.of_dataset("factscore", rows, 0.5)["factscore_error"]
    assert figure.value == pytest.approx(abs((1 - 0.5) + (0.25 - 0.5)) / 2)


def test_every_metric_has_the_value_of_weights_of_one() -> None:
    rows = [message(i % 2, (i * 7 % 10) / 10, (i * 3 % 10) / 10, f"g{i // 2}") for i in range(20)]
    for threshold in (None, 0.5):
        for name, metric in measures.of_dataset("own", rows, threshold).items():
            again = metric.resampled(np.ones((2, 20)))
            assert again == pytest.approx([metric.value] * 2), name


def mean_of(values: Floats) -> Metric:
    return Metric(float(values.mean()), lambda w: weighted.mean(values, w))


def test_the_same_every_time_and_about_as_wide_as_theory_says() -> None:
    values = np.random.default_rng(7).normal(size=400)
    first = intervals({"mean": mean_of(values)}, [""] * 400)
    assert first == intervals({"mean": mean_of(values)}, [""] * 400)
    between = first["mean"]
    assert between is not None
    low, high = between
    assert low < values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 / 400**0.5, rel=0.15)


def test_groups_are_drawn_together() -> None:
    blocks = list(resamplings(["a", "b", "a", ""]))
    weights = np.concatenate(blocks)
    assert weights.shape == (REPLICATES, 4)
    assert (weights[:, 0] == weights[:, 2]).all()
    assert (weights[:, [0, 1, 3]].sum(axis=1) == 3).all()
    assert (weights[:, 0] != weights[:, 1]).any()


def test_undefined_metrics_have_no_interval() -> None:
    undefined = Metric(None, lambda w: np.full(len(w), np.nan))
    never_again = Metric(0.5, lambda w: np.full(len(w), np.nan))
    assert intervals({"a": undefined, "b": never_again}, ["", ""]) == {"a": None, "b": None}


def test_resamplings_without_a_class_are_left_out() -> None:
    wrong, scores = np.array([True, False]), np.array([0.9, 0.1])
    area = Metric(1.0, lambda w: weighted.auroc(wrong, scores, w))
    assert intervals({"auroc": area}, ["", ""]) == {"auroc": (1.0, 1.0)}
