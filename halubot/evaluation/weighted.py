"""Metrics of many resamplings at once, each a row of weights, one a unit; Youden's J among them."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halubot.errors import SettingError

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
    """Return the share of pairs in which a wrong unit scores above a right one; ties count half."""
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
    """One over the other, NaN if that is 0 or less."""
    divided = np.full(above.shape, np.nan)
    np.divide(above, below, out=divided, where=below > 0)
    return divided


def _tie_ends(keys: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The ascending order of the keys, and where in it each run of equal keys ends."""
    order = np.argsort(keys, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(keys[order])), len(keys) - 1)
    return order, ends


EVEN: Final = 0.5
"""The weight that makes the weighted form J itself."""


class Cut(NamedTuple):
    """A threshold, what it catches and what it lets pass, and the value of J there."""

    threshold: float
    tpr: float
    tnr: float
    value: float


def youden(tpr: float, tnr: float) -> float:
    """J = TPR + TNR - 1 (C.1): 1 parts the classes, 0 is chance, -1 parts them the wrong way."""
    return tpr + tnr - 1


def weighted_youden(tpr: float, tnr: float, w: float) -> float:
    """J_w = 2 [w TPR + (1 - w) TNR] - 1 (9.1), in [-1, 1]; w = 0.5 gives J, and 0.67, as for
    medicine, counts a hallucination that is missed twice. Raises SettingError for a weight outside
    of [0, 1]."""
    _require_weight(w)
    return 2 * (w * tpr + (1 - w) * tnr) - 1


def best_cut(
    wrong: Flags, scores: Floats, w: float = EVEN, scored: Flags | None = None
) -> Cut | None:
    """The score with the largest J_w if it and what is above it is doubted (C.2, 9.2), the
    highest of several; None if a class is missing. What is not ``scored`` is an abstention:
    right for neither class, whatever the threshold. Raises SettingError for a weight outside of
    [0, 1]."""
    _require_weight(w)
    bad, good = int(wrong.sum()), int((~wrong).sum())
    here = np.ones(len(wrong), dtype=bool) if scored is None else scored
    if not bad or not good or not here.any():
        return None
    known, said = wrong[here], scores[here]
    order = np.argsort(-said, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(said[order]) != 0, True))
    caught = np.cumsum(known[order])[ends]
    passed = int((~known).sum()) - np.cumsum(~known[order])[ends]
    # Times both counts, the even form is made of whole numbers, so that ties are ties.
    best = int(np.argmax(w * (caught * good) + (1 - w) * (passed * bad)))
    tpr, tnr = float(caught[best] / bad), float(passed[best] / good)
    return Cut(float(said[order][ends[best]]), tpr, tnr, weighted_youden(tpr, tnr, w))


def _require_weight(w: float) -> None:
    if not 0 <= w <= 1:
        raise SettingError(f"the weight of Youden's J is {w:g}, not between 0 and 1")
