"""Scores as probabilities: Platt scaling on log-odds, also of labels on whole messages.

The log-odds that a statement is wrong are ``intercept + slope`` times those of its score, with a
slope of 0 or more, so that probability and verdict never disagree. A message is right where all its
statements are; which of them is at fault the label does not say, and expectation maximisation
finds the line under which the labels are likeliest. With one statement a label that is Platt
scaling as published, its smoothed targets too.

Sources: Platt, "Probabilistic outputs for support vector machines" (1999); Dempster, Laird, Rubin,
"Maximum likelihood from incomplete data via the EM algorithm" (1977).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from halubot.evaluation.fit.examples import Example
from halubot.evaluation.weighted import Flags, Floats
from halubot.fold import log_odds

_MOST_STEPS: Final = 500
_STILL: Final = 1e-6
_LOOSE: Final = 1e6
"""How little the slope is held back: just enough for scores that are nearly all the same."""


class Line(NamedTuple):
    """How log-odds of a score become those of being wrong."""

    intercept: float
    slope: float


def fit(examples: Sequence[Example]) -> Line:
    """The line for these examples. Its slope is 0 where higher scores are not wrong more often.
    Raises ValueError where all are right or all are wrong."""
    wrong = np.array([example.wrong for example in examples], dtype=bool)
    if wrong.all() or not wrong.any():
        raise ValueError("a probability needs examples of both kinds")
    odds, of = _parts(examples)
    line = _likeliest(odds, of, wrong)
    return line if line.slope > 0 else _likeliest(np.zeros_like(odds), of, wrong)._replace(slope=0)


def probabilities(line: Line, examples: Sequence[Example]) -> Floats:
    """How likely each example is wrong: of a message, that any of its sentences is."""
    odds, of = _parts(examples)
    return _any(_logistic(line.intercept + line.slope * odds), of, len(examples))


def _likeliest(odds: Floats, of: Floats, wrong: Flags) -> Line:
    bad, good = int(wrong.sum()), int((~wrong).sum())
    target = np.where(wrong, (bad + 1) / (bad + 2), 1 / (good + 2))[of.astype(int)]
    if len(odds) == len(wrong):
        return _regression(odds, target)  # whichever part is at fault, there is no other
    line = Line(0.0, 1.0)
    for _ in range(_MOST_STEPS):
        at_fault = _logistic(line.intercept + line.slope * odds)
        share = target * at_fault / _any(at_fault, of, len(wrong))[of.astype(int)]
        better = _regression(odds, np.clip(share, 0.0, 1.0))
        if max(abs(a - b) for a, b in zip(line, better, strict=True)) < _STILL:
            return better
        line = better
    return line


def _regression(odds: Floats, share: Floats) -> Line:
    """Logistic regression on targets between 0 and 1: each statement counts as wrong by its share,
    and as right by the rest."""
    if np.ptp(odds) < _STILL:
        return Line(math.log(share.mean() / (1 - share.mean())), 0.0)
    middle = odds.mean()
    model = LogisticRegression(C=_LOOSE, solver="newton-cholesky", tol=_STILL)
    model.fit(
        np.concatenate([odds, odds])[:, None] - middle,
        np.repeat([1, 0], len(odds)),
        sample_weight=np.concatenate([share, 1 - share]),
    )
    slope = float(model.coef_[0, 0])
    return Line(float(model.intercept_[0] - slope * middle), slope)


def _parts(examples: Sequence[Example]) -> tuple[Floats, Floats]:
    """The log-odds of all parts, and which example each belongs to."""
    odds = [log_odds(score) for example in examples for score in example.parts]
    of = [index for index, example in enumerate(examples) for _ in example.parts]
    return np.array(odds, dtype=float), np.array(of, dtype=float)


def _any(probability: Floats, of: Floats, count: int) -> Floats:
    """The probability that any part of each example is wrong."""
    none = np.bincount(of.astype(int), np.log1p(-np.minimum(probability, 1 - 1e-12)), count)
    return -np.expm1(none)


def _logistic(odds: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(odds, -50, 50)))
