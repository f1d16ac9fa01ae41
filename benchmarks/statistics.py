"""Metrics of weighted rows, and their intervals over resampled rows.

A metric is a function of weights of shape (resamplings, rows) that returns one value for each
resampling, NaN if it is undefined there. Its value is that of the weights that count each row once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Metric = Callable[[Floats], Floats]
Metrics = Mapping[str, Metric]

UNSCORED: Final = 0.5
"""What a missing score counts as: neither right nor wrong."""
FOLDS: Final = 5
REPLICATES: Final = 1000
SEED: Final = 0
_AT_ONCE: Final = 100


class Unit(NamedTuple):
    """A sentence or message that people called right or wrong, with what a method said of it."""

    wrong: bool
    score: float | None


@dataclass(frozen=True, slots=True)
class Units:
    """Units by column; ``row`` is the number of the row that each belongs to. A missing score is
    `UNSCORED`."""

    row: NDArray[np.intp]
    wrong: Flags
    scores: Floats
    scored: Flags

    @classmethod
    def gather(cls, found: Sequence[tuple[int, Unit]]) -> Units:
        """Return these units, each given with the number of its row."""
        return cls(
            row=np.array([row for row, _ in found], dtype=np.intp),
            wrong=np.array([unit.wrong for _, unit in found], dtype=bool),
            scores=np.array([counted(unit.score) for _, unit in found], dtype=float),
            scored=np.array([unit.score is not None for _, unit in found], dtype=bool),
        )

    def only(self, chosen: Flags) -> Units:
        return Units(
            self.row[chosen],
            self.wrong[chosen],
            self.scores[chosen],
            self.scored[chosen],
        )

    def reversed(self) -> Units:
        """Return the task of finding what is right by low scores."""
        return Units(self.row, ~self.wrong, -self.scores, self.scored)


def counted(score: float | None) -> float:
    return UNSCORED if score is None else score


def auroc(units: Units) -> Metric:
    """The share of pairs in which the wrong unit scores above the right one; ties count half."""
    order, ends = _runs(units.scores)

    def metric(weights: Floats) -> Floats:
        heavy = weights[:, units.row[order]]
        bad = np.cumsum(heavy * units.wrong[order], axis=1)[:, ends]
        good = np.cumsum(heavy * ~units.wrong[order], axis=1)[:, ends]
        bad_here = np.diff(bad, axis=1, prepend=0.0)
        good_here = np.diff(good, axis=1, prepend=0.0)
        below = (bad_here * (good - good_here / 2)).sum(axis=1)
        return quotient(below, bad[:, -1] * good[:, -1])

    return metric if len(order) else undefined


def average_precision(units: Units) -> Metric:
    """The mean precision over the wrong units, as scikit-learn defines it: steps, no trapezoids."""
    return _precision_recall(units, lambda precision, before: precision)


def auc_pr(units: Units) -> Metric:
    """The area under the line through the points of precision and recall, by trapezoids, as
    SelfCheckGPT and FactSelfCheck publish it. It is higher than `average_precision`: a constant
    score has (1 + p) / 2, if a share p of the units is wrong."""
    return _precision_recall(units, lambda precision, before: (precision + before) / 2)


def _precision_recall(units: Units, height: Callable[[Floats, Floats], Floats]) -> Metric:
    order, ends = _runs(-units.scores)

    def metric(weights: Floats) -> Floats:
        heavy = weights[:, units.row[order]]
        found = np.cumsum(heavy * units.wrong[order], axis=1)[:, ends]
        taken = np.cumsum(heavy, axis=1)[:, ends]
        precision = np.divide(found, taken, out=np.ones_like(found), where=taken > 0)
        # The line begins at a recall of 0 and a precision of 1.
        before = np.concatenate([np.ones((len(found), 1)), precision[:, :-1]], axis=1)
        gained = np.diff(found, axis=1, prepend=0.0)
        return quotient((gained * height(precision, before)).sum(axis=1), found[:, -1])

    return metric if len(order) else undefined


def _runs(keys: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the ascending order of the keys, and where in it each run of equal keys ends."""
    order = np.argsort(keys, kind="stable")
    return order, np.append(np.flatnonzero(np.diff(keys[order])), len(keys) - 1)


def share(units: Units, said: Flags, of: Flags) -> Metric:
    """The share of the units ``of`` for which ``said`` is set."""
    above, below = (said & of).astype(float), of.astype(float)
    return lambda w: quotient(w[:, units.row] @ above, w[:, units.row] @ below)


def mean(values: Floats) -> Metric:
    """The mean of one value a row."""
    return lambda w: quotient(w @ values, w.sum(axis=1))


def ratio(above: Floats, below: Floats) -> Metric:
    """The sum of one value a row over that of another."""
    return lambda w: quotient(w @ above, w @ below)


def pearson(x: Floats, y: Floats) -> Metric:
    """The correlation of two values a row; below 0 it counts as 0."""

    def metric(w: Floats) -> Floats:
        away_x, away_y = x - mean(x)(w)[:, None], y - mean(y)(w)[:, None]
        shared = (w * away_x * away_y).sum(axis=1)
        spread = (w * away_x**2).sum(axis=1) * (w * away_y**2).sum(axis=1)
        # A smaller spread is rounding: the values are all the same.
        return np.clip(quotient(shared, np.sqrt(np.where(spread > 1e-24, spread, 0.0))), 0.0, 1.0)

    return metric


def undefined(weights: Floats) -> Floats:
    return np.full(len(weights), np.nan, dtype=np.float64)


def quotient(above: Floats, below: Floats) -> Floats:
    """Return one over the other, NaN where that is 0 or less."""
    divided: Floats = np.full(above.shape, np.nan)
    np.divide(above, below, out=divided, where=below > 0)
    return divided


def best_threshold(
    wrong: Flags, scores: Floats, weight: float = 0.5, scored: Flags | None = None
) -> float | None:
    """Return the score from which on to doubt so that ``weight`` times the true positive rate and
    1 - ``weight`` times the true negative rate add up to most, the highest of several; None if a
    class is missing. Units that are not ``scored`` are right for neither class."""
    bad, good = int(wrong.sum()), int((~wrong).sum())
    here = np.ones(len(wrong), dtype=bool) if scored is None else scored
    if not bad or not good or not here.any():
        return None
    order = np.argsort(-scores[here], kind="stable")
    known, said = wrong[here][order], scores[here][order]
    ends = np.flatnonzero(np.append(np.diff(said) != 0, True))
    caught = np.cumsum(known)[ends]
    passed = int((~known).sum()) - np.cumsum(~known)[ends]
    # Times both counts, the even form is made of whole numbers, so that ties are ties.
    best = int(np.argmax(weight * (caught * good) + (1 - weight) * (passed * bad)))
    return float(said[ends[best]])


def decide_by_folds(units: Units, groups: Sequence[str], folds: int = FOLDS) -> Flags | None:
    """Return which units are doubted, each fold by the threshold that is best on the others;
    None if the others lack a class. ``groups`` names the group of each row, which no fold parts."""
    names = [groups[row] or f"\0{row}" for row in units.row]
    kinds: dict[str, bool] = {}
    for name, wrong in zip(names, units.wrong.tolist(), strict=True):
        kinds[name] = kinds.get(name, False) or wrong
    # Groups with and without something wrong are dealt apart, so that every fold has both.
    fold_of: dict[str, int] = {}
    for kind in (True, False):
        alike = [name for name, wrong in kinds.items() if wrong == kind]
        fold_of.update((name, place % folds) for place, name in enumerate(alike))
    fold = np.array([fold_of[name] for name in names], dtype=int)
    doubted = np.zeros(len(fold), dtype=bool)
    for held in range(folds):
        here = fold == held
        threshold = best_threshold(units.wrong[~here], units.scores[~here])
        if threshold is None:
            return None
        doubted[here] = units.scores[here] >= threshold
    return doubted


class Tally(Counter[str]):
    """The counts of one row."""

    def add(self, name: str, count: int, *parts: str) -> None:
        """Add to a count, and to the same count of each of these parts of the data set."""
        self[name] += count
        for part in parts:
            self[f"{name}: {part}"] += count


def ratios(tallies: Sequence[Tally], names: Mapping[str, tuple[str, str]]) -> Metrics:
    """Return each named figure, one count over another, then the same of each part of the data
    set. A figure with nothing to divide by is left out."""
    known = {name for tally in tallies for name in tally}
    whole = {
        name: ratio(counts(tallies, above), counts(tallies, below))
        for name, (above, below) in names.items()
        if any(tally[below] for tally in tallies)
    }
    parts = {
        name + part: ratio(counts(tallies, above + part), counts(tallies, below + part))
        for name, (above, below) in names.items()
        for key in sorted(known)
        if key.startswith(f"{below}: ") and above + (part := key.removeprefix(below)) in known
    }
    return whole | parts


def counts(tallies: Sequence[Tally], name: str) -> Floats:
    return np.array([tally[name] for tally in tallies], dtype=float)


def values(metrics: Metrics, rows: int) -> dict[str, float | None]:
    """Return the value of each metric; None if it is undefined."""
    once = np.ones((1, rows))
    found = {name: float(metric(once)[0]) for name, metric in metrics.items()}
    return {name: None if np.isnan(value) else value for name, value in found.items()}


def intervals(metrics: Metrics, groups: Sequence[str]) -> dict[str, tuple[float, float] | None]:
    """Return the 2.5th and the 97.5th percentile of each metric over `REPLICATES` resamplings;
    None if the metric is undefined.

    Whole groups are drawn: answers to one question are alike, and intervals of answers drawn one
    by one would be too narrow. An empty name is a group of its own.
    """
    names = [group or f"\0{index}" for index, group in enumerate(groups)]
    member = np.unique(names, return_inverse=True)[1]
    count = int(member.max()) + 1
    random = np.random.default_rng(SEED)
    drawn: dict[str, list[Floats]] = {name: [] for name in metrics}
    for _ in range(REPLICATES // _AT_ONCE):
        picks = random.integers(count, size=(_AT_ONCE, count))
        times = np.stack([np.bincount(pick, minlength=count) for pick in picks])
        for name, metric in metrics.items():
            drawn[name].append(metric(times[:, member].astype(np.float64)))
    whole = values(metrics, len(groups))
    return {
        name: None if whole[name] is None else _middle(np.concatenate(drawn[name]))
        for name in metrics
    }


def _middle(found: Floats) -> tuple[float, float] | None:
    defined = found[~np.isnan(found)]
    if not len(defined):
        return None
    low, high = np.percentile(defined, [2.5, 97.5])
    return float(low), float(high)
