"""A threshold and a probability fitted in folds, by an objective, and measured on the other
rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np

from halubot.errors import InputError, SettingError
from halubot.evaluation import weighted
from halubot.evaluation.fit import platt
from halubot.evaluation.fit.platt import Example, Line
from halubot.evaluation.statistics import (
    BINS,
    FOLDS,
    SEED,
    Metric,
    Units,
    auroc,
    brier,
    calibration_error,
    dealt,
    intervals,
    plain,
)
from halubot.evaluation.weighted import EVEN, Flags, Floats, best_cut

Kind = Literal["youden", "weighted", "f1", "balanced"]


HELP: Final = "youden, weighted:W (W from 0 to 1), f1 or balanced"


@dataclass(frozen=True, slots=True)
class Objective:
    """An objective by its kind, and the weight of what is caught."""

    kind: Kind
    weight: float = EVEN

    def __str__(self) -> str:
        return f"weighted:{self.weight:g}" if self.kind == "weighted" else self.kind

    @property
    def words(self) -> str:
        """The objective for people."""
        match self.kind:
            case "youden":
                return "Youden's J"
            case "weighted":
                return f"Youden's J, weighted {self.weight:g}"
            case "balanced":
                return "balanced accuracy"
            case _:
                return "F1"

    def threshold(self, wrong: Flags, scores: Floats) -> float | None:
        """The score from which on to doubt, the highest of several that are best, half way to the
        next lower score; None if a class is missing."""
        if self.kind == "f1":
            best = best_f1(wrong, scores)
        else:
            cut = best_cut(wrong, scores, self.weight)
            best = None if cut is None else cut.threshold
        if best is None:
            return None
        below = float(scores[scores < best].max(initial=-np.inf))
        # Half way, so that a new score just under the best one falls on its nearer side.
        middle = (best + below) / 2
        # Two neighbouring floats have no number between them.
        return middle if middle > below else best


_PLAIN: Final = {
    "youden": Objective("youden"),
    "f1": Objective("f1"),
    "balanced": Objective("balanced"),
}


def parse(text: str) -> Objective:
    """The objective of these words. Raises SettingError for words that are none."""
    name, _, weight = text.partition(":")
    if name == "weighted" and weight:
        try:
            value = float(weight)
        except ValueError:
            value = -1.0
        if 0 <= value <= 1:
            return Objective("weighted", value)
    elif text in _PLAIN:
        return _PLAIN[text]
    raise SettingError(f"there is no objective {text!r}: write {HELP}")


def best_f1(wrong: Flags, scores: Floats) -> float | None:
    """The score with the largest F1 if it and what is above it is doubted, the highest of
    several; None if a class is missing."""
    if wrong.all() or not wrong.any():
        return None
    order = np.argsort(-scores, kind="stable")
    # A threshold cannot part equal scores: only the last of each run is a possible cut.
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
    caught = np.cumsum(wrong[order])[ends]
    f1 = 2 * caught / (ends + 1 + wrong.sum())
    return float(scores[order][ends[int(np.argmax(f1))]])


class Bin(NamedTuple):
    """Examples of like probability: how many there are, the mean of what was said, and the share
    of them that is wrong."""

    examples: int
    said: float
    wrong: float


def bins(probability: Floats, wrong: Flags) -> tuple[Bin, ...]:
    """Bins of equally many examples each (to one), the least likely wrong first; the same as those
    of the expected calibration error. Fewer if there are fewer examples."""
    parts = np.array_split(np.argsort(probability, kind="stable"), BINS)
    return tuple(
        Bin(len(held), float(probability[held].mean()), float(wrong[held].mean()))
        for held in parts
        if len(held)
    )


REPEATS: Final = 10
"""How often the groups are dealt to folds anew."""

Dealt = tuple[int, ...]
"""The fold of each example."""

Fit = Callable[[Sequence[Example]], Line]
Find = Callable[[Sequence[Example]], float]


@dataclass(frozen=True, slots=True)
class OutOfFold:
    """The measurements on the folds left out: figures with their 95 % intervals, and the bins of
    the reliability diagram. ``folds`` is how many there were each time."""

    figures: dict[str, float | None]
    intervals: dict[str, tuple[float, float] | None]
    bins: tuple[Bin, ...]
    folds: int


def dealt_out(examples: Sequence[Example], what: str) -> tuple[Dealt, ...]:
    """The examples dealt to five folds, several times; to fewer if else what is left for fitting
    would be all right or all wrong. Raises InputError, naming ``what``, if none are possible."""
    for kind in (True, False):
        if not any(example.wrong is kind for example in examples):
            raise InputError(
                f"{what}: nothing that was scored is labelled {'wrong' if kind else 'right'}, and"
                " calibration compares the two: add rows of that kind"
            )
    random = np.random.default_rng(SEED)
    # Several deals, because with few rows the figures of one hang on its luck.
    orders = [random.permutation(len(examples)).tolist() for _ in range(REPEATS)]
    # With few groups some folds would be empty, or the rest all of one kind: fewer and larger folds
    # are tried next.
    for folds in range(FOLDS, 1, -1):
        every = [_dealt(examples, order, folds) for order in orders]
        usable = tuple(fold for fold in every if _can_be_fitted(examples, fold, folds))
        if usable:
            return usable
    raise InputError(
        f"{what}: too few rows, or groups of them, are of either kind to measure anything on what"
        " it was not fitted on: add some"
    )


def _dealt(examples: Sequence[Example], order: Sequence[int], folds: int) -> Dealt:
    """The fold of each example if their groups are dealt in this order."""
    shuffled = [examples[index] for index in order]
    fold = dealt([e.group for e in shuffled], [e.wrong for e in shuffled], folds)
    return tuple(of for _, of in sorted(zip(order, fold, strict=True)))


def _can_be_fitted(examples: Sequence[Example], fold: Dealt, folds: int) -> bool:
    """Return True if no fold is empty, and the others of each hold something of both kinds."""
    kinds = list(zip((example.wrong for example in examples), fold, strict=True))
    return len(set(fold)) == folds and all(
        len({wrong for wrong, of in kinds if of != held}) == 2 for held in range(folds)
    )


def left_out(
    examples: Sequence[Example], fold: Dealt, fit: Fit, find: Find
) -> tuple[Floats, Floats]:
    """For each example its probability, and whether it is doubted (1 or 0), by what was fitted on
    the folds that it is not in."""
    probability, doubted = np.zeros(len(examples)), np.zeros(len(examples))
    for held in sorted(set(fold)):
        others = [e for e, of in zip(examples, fold, strict=True) if of != held]
        here = [index for index, of in enumerate(fold) if of == held]
        those = [examples[index] for index in here]
        probability[here] = platt.probabilities(fit(others), those)
        doubted[here] = np.array([e.decisive for e in those]) >= find(others)
    return probability, doubted


def cross_validate(
    examples: Sequence[Example], objective: Objective, every: Sequence[Dealt]
) -> OutOfFold:
    """The figures of fitting in these folds, each time anew.

    Brier score (and that of always saying the share that is wrong), expected calibration error and
    AUROC of the probability; TPR, TNR, balanced accuracy, F1 and J of what is doubted.
    """
    find = finder(objective)
    said = [left_out(examples, fold, platt.fit, find) for fold in every]
    probability = np.mean([chances for chances, _ in said], axis=0)
    doubted = np.mean([doubts for _, doubts in said], axis=0)
    wrong = np.array([example.wrong for example in examples], dtype=bool)
    metrics = _metrics(probability, doubted, wrong, objective)
    return OutOfFold(
        figures={name: metric.value for name, metric in metrics.items()},
        intervals=intervals(metrics, [example.group for example in examples]),
        bins=bins(probability, wrong),
        folds=len(set(every[0])),
    )


def finder(objective: Objective) -> Find:
    """Finds the threshold for examples of both kinds; raises ValueError for others."""

    def find(examples: Sequence[Example]) -> float:
        found = objective.threshold(
            np.array([example.wrong for example in examples], dtype=bool),
            np.array([example.decisive for example in examples], dtype=float),
        )
        if found is None:
            raise ValueError("a threshold needs examples of both kinds")
        return found

    return find


def _metrics(
    probability: Floats, doubted: Floats, wrong: Flags, objective: Objective
) -> dict[str, Metric]:
    bad, good = wrong.astype(float), (~wrong).astype(float)
    hits, passes = doubted * bad, (1 - doubted) * good
    count = len(wrong)
    units = Units(np.arange(count), wrong, probability, np.ones(count, dtype=bool), probability)

    def tpr(weights: Floats) -> Floats:
        return weighted.ratio(hits, bad, weights)

    def tnr(weights: Floats) -> Floats:
        return weighted.ratio(passes, good, weights)

    def base(weights: Floats) -> Floats:
        share = weighted.mean(bad, weights)
        return share * (1 - share)

    decided: dict[str, Callable[[Floats], Floats]] = {
        "tpr": tpr,
        "tnr": tnr,
        "balanced_accuracy": lambda w: (tpr(w) + tnr(w)) / 2,
        "f1": lambda w: weighted.ratio(2 * hits, doubted + bad, w),
        "youden": lambda w: tpr(w) + tnr(w) - 1,
    }
    if objective.kind == "weighted":
        weight = objective.weight
        decided["weighted_youden"] = lambda w: 2 * (weight * tpr(w) + (1 - weight) * tnr(w)) - 1
    return {
        "brier": brier(units, count),
        "brier_of_base_rate": plain(base, count),
        "ece": calibration_error(units, count),
        "auroc": auroc(units),
    } | {name: plain(of, count) for name, of in decided.items()}
