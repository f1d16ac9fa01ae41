"""Units with their scores: counts, folds, and figures with 95 % bootstrap intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from halubot.evaluation import weighted
from halubot.evaluation.checked import Scored, Unit, overlap, units
from halubot.evaluation.rows import Row
from halubot.evaluation.weighted import Flags, Floats, best_cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDS: Final = 5


def dealt(groups: Sequence[str], wrong: Sequence[bool], folds: int = FOLDS) -> tuple[int, ...]:
    """The fold of each unit, from 0. Units of one group are never parted; groups that hold
    something wrong, and those that do not, are each dealt in turn, so that every fold has its
    share of both."""
    kinds: dict[str, bool] = {}
    for group, bad in zip(groups, wrong, strict=True):
        kinds[group] = kinds.get(group, False) or bool(bad)
    fold: dict[str, int] = {}
    for kind in (True, False):
        alike = [group for group, bad in kinds.items() if bad == kind]
        fold.update((group, place % folds) for place, group in enumerate(alike))
    return tuple(fold[group] for group in groups)


# Half way: a unit without a score is ordered as neither right nor wrong. How many there are is
# always said.
UNSCORED: Final = 0.5
BINS: Final = 10
"""Parts of equal size by which a probability is compared with how often it is right."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A value on all rows, and the same on resamplings: ``resampled`` takes weights of shape
    (resamplings, rows) and returns one value each, NaN if it is not defined."""

    value: float | None
    resampled: Callable[[Floats], Floats]


Metrics = Mapping[str, Metric]


@dataclass(frozen=True, slots=True)
class Units:
    """The units that are ordered or decided: for each its row, whether it is wrong, its score (0.5
    for those that have none), whether it has one, and its probability, NaN if it has none."""

    row: NDArray[np.intp]
    wrong: Flags
    scores: Floats
    scored: Flags
    probability: Floats

    @property
    def is_mixed(self) -> bool:
        """Return True if there is something wrong and something right."""
        return bool(self.wrong.any() and not self.wrong.all())


def counted_score(value: float | None) -> float:
    """The score that a metric counts: 0.5 if there is none."""
    return UNSCORED if value is None else value


def labelled_units(rows: Sequence[Scored], by: Literal["score", "rank"] = "score") -> Units:
    """The units that people labelled: facts, sentences or messages."""
    return gather_units([(i, unit) for i, one in enumerate(rows) for unit in units(one)], by)


def sentences(rows: Sequence[Scored], by: Literal["score", "rank"] = "score") -> Units:
    """The sentences of all messages, wrong if they overlap a wrong span."""
    found: list[tuple[int, Unit]] = []
    for index, scored in enumerate(rows):
        for one in scored.sentences:
            wrong = any(overlap(one.span, bad) for bad in scored.row.wrong_spans)
            found.append((index, Unit(wrong, one.score, one.rank)))
    return gather_units(found, by)


def gather_units(
    found: Sequence[tuple[int, Unit]], by: Literal["score", "rank"] = "score"
) -> Units:
    """Units with the rows they belong to."""
    values = [unit.score if by == "score" else unit.rank for _, unit in found]
    chances = [np.nan if unit.probability is None else unit.probability for _, unit in found]
    return Units(
        row=np.array([row for row, _ in found], dtype=np.intp),
        wrong=np.array([unit.wrong for _, unit in found], dtype=bool),
        scores=np.array([counted_score(value) for value in values], dtype=float),
        scored=np.array([value is not None for value in values], dtype=bool),
        probability=np.array(chances, dtype=float),
    )


def spread_weights(weights: Floats, found: Units) -> Floats:
    """The weights of rows as those of their units."""
    return weights[:, found.row]


def average_precision(found: Units) -> Metric:
    """Area under precision and recall of finding what is wrong by high scores."""
    return Metric(
        float(average_precision_score(found.wrong, found.scores)) if found.wrong.any() else None,
        lambda w: weighted.average_precision(found.wrong, found.scores, spread_weights(w, found)),
    )


def reverse(found: Units) -> Units:
    """The same as finding what is right by low scores."""
    # AUC-PR of the right is no function of that of the wrong: both are reported (SelfCheckGPT).
    return Units(found.row, ~found.wrong, -found.scores, found.scored, found.probability)


def auroc(found: Units) -> Metric:
    """Return the share of pairs in which a wrong unit scores above a right one; ties count half."""
    return Metric(
        float(roc_auc_score(found.wrong, found.scores)) if found.is_mixed else None,
        lambda w: weighted.auroc(found.wrong, found.scores, spread_weights(w, found)),
    )


def plain(resampled: Callable[[Floats], Floats], rows: int) -> Metric:
    """A metric whose value is that of the resampling that takes every row once."""
    value = float(resampled(np.ones((1, rows)))[0])
    return Metric(None if np.isnan(value) else value, resampled)


def undefined_metric() -> Metric:
    """A metric that has no value here."""
    return Metric(None, lambda w: np.full(len(w), np.nan))


def share(found: Units, said: Flags, of: Flags) -> Callable[[Floats], Floats]:
    """The share of these units that are those as well."""
    hits, all_of = (said & of).astype(float), of.astype(float)
    return lambda w: weighted.ratio(hits, all_of, spread_weights(w, found))


def by_folds(found: Units, groups: Sequence[str], folds: int = FOLDS) -> Flags | None:
    """Decisions for each fold at the threshold that is best on the others; ``groups`` names each
    row's group. None if a fold's others lack a class."""
    names = [groups[row] or f"\0{row}" for row in found.row]
    fold = np.array(dealt(names, found.wrong.tolist(), folds), dtype=int)
    doubted = np.zeros(len(fold), dtype=bool)
    for held in range(folds):
        here = fold == held
        cut = best_cut(found.wrong[~here], found.scores[~here])
        if cut is None:
            return None
        doubted[here] = found.scores[here] >= cut.threshold
    return doubted


def brier(found: Units, rows: int) -> Metric:
    """The mean square of the probability less what came true, of units that have one."""
    known, off = _against(found)
    return plain(lambda w: weighted.ratio(off**2, known, spread_weights(w, found)), rows)


def calibration_error(
    found: Units, rows: int, given: Sequence[NDArray[np.intp]] | None = None
) -> Metric:
    """Measure how far the mean probability of a part lies from the share of it that is wrong, on
    average over the ``given`` parts, else over parts of equal size by probability (the expected
    calibration error)."""
    known, off = _against(found)
    if given is None:
        # NaN sorts to the end, so the first ones are those that have a probability.
        order = np.argsort(found.probability, kind="stable")[: int(known.sum())]
        given = np.array_split(order, BINS)
    parts = [part for part in given if len(part)]

    def resample(weights: Floats) -> Floats:
        heavy = spread_weights(weights, found)
        apart = [np.abs(heavy[:, part] @ off[part]) for part in parts]
        total = heavy @ known
        return weighted.quotient(np.sum(apart, axis=0), total) if parts else total * np.nan

    return plain(resample, rows)


def _against(found: Units) -> tuple[Floats, Floats]:
    """Which units have a probability, as 1 and 0, and how far it is from what came true."""
    known = ~np.isnan(found.probability)
    off = np.where(known, np.nan_to_num(found.probability) - found.wrong, 0.0)
    return known.astype(float), off


REPLICATES: Final = 1000


SEED: Final = 0


_AT_ONCE: Final = 100  # resamplings held in memory together


def intervals(
    metrics: Mapping[str, Metric], groups: Sequence[str]
) -> dict[str, tuple[float, float] | None]:
    """The 2.5th and 97.5th percentile of each metric over resamplings of the rows.

    ``groups`` names each row's group; an empty name is a group of its own. None if the metric
    has no value. Resamplings that leave a metric undefined are left out.
    """
    # Whole groups are drawn: answers to one question are alike, and drawing them one by one would
    # make the intervals too narrow.
    drawn: dict[str, list[Floats]] = {name: [] for name in metrics}
    for weights in resamplings(groups):
        for name, metric in metrics.items():
            drawn[name].append(metric.resampled(weights))
    return {
        name: None if metric.value is None else _middle(np.concatenate(drawn[name]))
        for name, metric in metrics.items()
    }


def differences(
    metrics: Mapping[str, Metric], than: Mapping[str, Metric], groups: Sequence[str]
) -> dict[str, tuple[float, float] | None]:
    """The same of each metric less that of the same name in ``than``, on the same resamplings;
    of those that both have. None if one of them has no value."""
    return intervals(
        {name: _pair(metric, than[name]) for name, metric in metrics.items() if name in than},
        groups,
    )


def _pair(one: Metric, other: Metric) -> Metric:
    known = one.value is not None and other.value is not None
    return Metric(0.0 if known else None, lambda w: one.resampled(w) - other.resampled(w))


def resamplings(groups: Sequence[str]) -> Iterator[Floats]:
    """Yield how often each row is drawn, in blocks of shape (some resamplings, rows)."""
    member = np.unique(
        # "\0" begins no name of a group, so a row without a group is one by itself.
        [group or f"\0{index}" for index, group in enumerate(groups)],
        return_inverse=True,
    )[1]
    count = int(member.max()) + 1
    # A fixed seed: the same rows must give the same intervals, and two methods the same
    # resamplings.
    random = np.random.default_rng(SEED)
    for _ in range(REPLICATES // _AT_ONCE):
        picks = random.integers(count, size=(_AT_ONCE, count))
        times = np.stack([np.bincount(pick, minlength=count) for pick in picks])
        yield times[:, member].astype(np.float64)


def _middle(values: Floats) -> tuple[float, float] | None:
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None
    low, high = np.percentile(defined, [2.5, 97.5])
    return float(low), float(high)


APART: Final = ": "
"""Stands between the name of a figure and the part of the data set that it is limited to."""


class Tally(Counter[str]):
    """The counts of one row."""

    def add(self, name: str, count: int, *parts: str) -> None:
        """Add to a count, and to the same count of each of these parts of the data set."""
        self[name] += count
        for part in parts:
            self[f"{name}{APART}{part}"] += count


def parts_of(row: Row) -> tuple[str, ...]:
    """Return the parts of the data set that a row belongs to, such as "style news"."""
    return tuple(f"{dimension} {value}" for dimension, value in row.strata.items())


def ratio(tallies: Sequence[Tally], above: str, below: str) -> Metric:
    """Return the sum of one count over the sum of another."""
    upper, lower = counts(tallies, above), counts(tallies, below)
    return plain(lambda w: weighted.ratio(upper, lower, w), len(tallies))


def total(tallies: Sequence[Tally], name: str) -> Metric:
    """Return the sum of a count."""
    found = counts(tallies, name)
    return plain(lambda w: w @ found, len(tallies))


def counts(tallies: Sequence[Tally], name: str) -> Floats:
    """Return a count of each row."""
    return np.array([tally[name] for tally in tallies], dtype=float)


def ratios(tallies: Sequence[Tally], names: Mapping[str, tuple[str, str]]) -> Metrics:
    """Return each named figure, one count over another; a figure with nothing to divide by is left
    out."""
    return {
        name: ratio(tallies, above, below)
        for name, (above, below) in names.items()
        if any(tally[below] for tally in tallies)
    }


def ratios_apart(tallies: Sequence[Tally], names: Mapping[str, tuple[str, str]]) -> Metrics:
    """Return each named figure of each part of the data set for which both counts were added."""
    known = {key for tally in tallies for key in tally}
    return {
        name + (part := key.removeprefix(below)): ratio(tallies, above + part, below + part)
        for name, (above, below) in names.items()
        for key in sorted(known)
        if key.startswith(below + APART) and above + key.removeprefix(below) in known
    }
