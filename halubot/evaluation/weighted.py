"""Metrics of many resamplings at once: every resampling is a row of weights, one a unit.

Each function takes ``weights`` of shape (resamplings, units) and returns one value a resampling,
NaN where it is not defined there (a class is missing). With all weights 1 they agree with
scikit-learn's functions of the same name.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def average_precision(wrong: Flags, scores: Floats, weights: Floats) -> Floats:
    """Area under precision and recall as steps, of finding what is wrong by high scores; 0 to 1."""
    order, ends = _tie_ends(-scores)
    heavy = weights[:, order]
    found = np.cumsum(heavy * wrong[order], axis=1)[:, ends]
    taken = np.cumsum(heavy, axis=1)[:, ends]
    gained = np.diff(found, axis=1, prepend=0.0)
    precision = found / np.where(taken > 0, taken, 1.0)
    return quotient((gained * precision).sum(axis=1), found[:, -1])


def auroc(wrong: Flags, scores: Floats, weights: Floats) -> Floats:
    """How often a wrong unit scores above a right one, ties counted half; 0 to 1."""
    order, ends = _tie_ends(scores)
    heavy = weights[:, order]
    bad = np.cumsum(heavy * wrong[order], axis=1)[:, ends]
    good = np.cumsum(heavy * ~wrong[order], axis=1)[:, ends]
    bad_here = np.diff(bad, axis=1, prepend=0.0)
    good_here = np.diff(good, axis=1, prepend=0.0)
    below = (bad_here * (good - good_here / 2)).sum(axis=1)
    return quotient(below, bad[:, -1] * good[:, -1])


def mean(values: Floats, weights: Floats) -> Floats:
    """The weighted mean."""
    return quotient(weights @ values, weights.sum(axis=1))


def ratio(above: Floats, below: Floats, weights: Floats) -> Floats:
    """The weighted sum of ``above`` over that of ``below``."""
    return quotient(weights @ above, weights @ below)


def pearson(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Pearson's correlation, with what is below 0 counted as 0."""
    mean_x, mean_y = mean(x, weights)[:, None], mean(y, weights)[:, None]
    away_x, away_y = x - mean_x, y - mean_y
    shared = (weights * away_x * away_y).sum(axis=1)
    spread = (weights * away_x**2).sum(axis=1) * (weights * away_y**2).sum(axis=1)
    least = 1e-24  # a spread below this is rounding, the values are all the same
    return np.clip(quotient(shared, np.sqrt(np.where(spread > least, spread, 0.0))), 0.0, 1.0)


def quotient(above: Floats, below: Floats) -> Floats:
    """One over the other, NaN where that is 0 or less."""
    divided = np.full(above.shape, np.nan)
    np.divide(above, below, out=divided, where=below > 0)
    return divided


def _tie_ends(keys: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The ascending order of the keys, and where in it each run of equal keys ends."""
    order = np.argsort(keys, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(keys[order])), len(keys) - 1)
    return order, ends
