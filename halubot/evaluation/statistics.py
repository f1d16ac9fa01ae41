"""What metrics are made of: units with their scores, and figures that can be drawn again.

What has no score counts 0.5, as in the papers that are followed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from halubot.evaluation import weighted
from halubot.evaluation.checked import Scored, Unit, overlap, units
from halubot.evaluation.folds import FOLDS, dealt
from halubot.evaluation.weighted import Flags, Floats
from halubot.evaluation.youden import best_cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNSCORED: Final = 0.5
BINS: Final = 10
"""Parts of equal size by which a probability is compared with how often it is right."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A value on all rows, and the same on resamplings: ``resampled`` takes weights of shape
    (resamplings, rows) and returns one value each, NaN where it is not defined."""

    value: float | None
    resampled: Callable[[Floats], Floats]


Metrics = Mapping[str, Metric]


@dataclass(frozen=True, slots=True)
class Units:
    """What is ordered or decided: for each its row, whether it is wrong, its score (0.5 for those
    that have none), whether it has one, and its probability, NaN where it has none."""

    row: NDArray[np.intp]
    wrong: Flags
    scores: Floats
    scored: Flags
    probability: Floats

    @property
    def mixed(self) -> bool:
        """Whether there is something wrong and something right."""
        return bool(self.wrong.any() and not self.wrong.all())


def counted_score(value: float | None) -> float:
    """The score that a metric counts: 0.5 where there is none."""
    return UNSCORED if value is None else value


def labelled_units(rows: Sequence[Scored], by: Literal["score", "rank"] = "score") -> Units:
    """The units that people labelled: facts, sentences or messages."""
    return gather_units([(i, unit) for i, one in enumerate(rows) for unit in units(one)], by)


def sentences(rows: Sequence[Scored], by: Literal["score", "rank"] = "score") -> Units:
    """The sentences of all messages, wrong where they overlap a wrong span."""
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
    return Units(found.row, ~found.wrong, -found.scores, found.scored, found.probability)


def auroc(found: Units) -> Metric:
    """How often something wrong scores above something right, ties counted half."""
    return Metric(
        float(roc_auc_score(found.wrong, found.scores)) if found.mixed else None,
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
    row's group. None where a fold's others lack a class."""
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
    """How far the mean probability of a part lies from the share of it that is wrong, on average
    over the ``given`` parts, else over parts of equal size by probability (the expected calibration
    error)."""
    known, off = _against(found)
    if given is None:
        order = np.argsort(found.probability, kind="stable")[: int(known.sum())]
        given = np.array_split(order, BINS)
    parts = [part for part in given if len(part)]

    def resampled(weights: Floats) -> Floats:
        heavy = spread_weights(weights, found)
        apart = [np.abs(heavy[:, part] @ off[part]) for part in parts]
        total = heavy @ known
        return weighted.quotient(np.sum(apart, axis=0), total) if parts else total * np.nan

    return plain(resampled, rows)


def _against(found: Units) -> tuple[Floats, Floats]:
    """Which units have a probability, as 1 and 0, and how far it is from what came true."""
    known = ~np.isnan(found.probability)
    off = np.where(known, np.nan_to_num(found.probability) - found.wrong, 0.0)
    return known.astype(float), off
