"""Intervals hold the value, are the same every time, and draw groups together."""

from __future__ import annotations

import numpy as np
import pytest

from halubot.evaluation import weighted
from halubot.evaluation.intervals import REPLICATES, intervals, resamplings
from halubot.evaluation.statistics import Metric
from halubot.evaluation.weighted import Floats


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
