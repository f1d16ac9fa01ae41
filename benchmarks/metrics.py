"""The metrics of each kind of data set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

import numpy as np

from benchmarks import marks, rewrites
from benchmarks import statistics as stats
from benchmarks.outcomes import Outcome
from benchmarks.rows import Dataset
from benchmarks.statistics import Flags, Metric, Metrics, Units

CARE: Final = 0.67
"""The weight of a caught error in the weighted form of Youden's J, as for medicine."""
HALVES: Final = 2

Outcomes = Sequence[Outcome]


def measure(dataset: Dataset, outcomes: Outcomes, threshold: float | None) -> Metrics:
    """Return the metrics of a data set. Scores are doubted from ``threshold`` on; with None each
    fold is decided by the threshold that is best on the others."""
    match dataset.kind:
        case "extraction":
            return _extraction(outcomes)
        case "marks":
            return marks.everyday(outcomes)
        case "verdicts":
            return marks.pairs(outcomes)
        case "wikibio":
            found = _wikibio(outcomes, threshold)
        case "faithbench":
            found = {**_order(labelled(outcomes)), **_spans(outcomes), **_in_sample(outcomes)}
        case "halueval":
            found = _halueval(outcomes, threshold)
        case "summaries":
            found = _summaries(outcomes, threshold)
        case "factscore":
            found = {**_decided_units(outcomes, threshold), **_factscore(outcomes, threshold)}
        case "spans":
            found = {**_decided_units(outcomes, threshold), **_spans(outcomes)}
        case _:
            found = _decided_units(outcomes, threshold)
    return found


def labelled(outcomes: Outcomes, by: Literal["score", "rank"] = "score") -> Units:
    return Units.gather([(row, unit) for row, one in enumerate(outcomes) for unit in one.units(by)])


def find_threshold(outcomes: Outcomes, dataset: Dataset) -> float | None:
    """Return the threshold that parts wrong from right best on rows held out for it; None if a
    class is missing."""
    units = labelled(outcomes)
    scored = units.scored if dataset.kind == "halueval" else None
    return stats.best_threshold(units.wrong, units.scores, scored=scored)


def _order(units: Units) -> Metrics:
    return {
        "auroc": stats.auroc(units),
        "average_precision": stats.average_precision(units),
        "auc_pr": stats.auc_pr(units),
        **_abstained(units),
    }


def _abstained(units: Units) -> Metrics:
    return {
        "abstained_wrong": stats.share(units, ~units.scored, units.wrong),
        "abstained_right": stats.share(units, ~units.scored, ~units.wrong),
    }


def _decided_units(outcomes: Outcomes, threshold: float | None) -> Metrics:
    decided = _decision(outcomes, threshold)
    return {**_order(labelled(outcomes)), **decided, **_in_sample(outcomes)}


def _decision(
    outcomes: Outcomes, threshold: float | None, *, abstaining: bool = False
) -> dict[str, Metric]:
    """Measure a decision. With ``abstaining`` a missing score is right for neither class, else it
    counts as 0.5."""
    units = labelled(outcomes)
    doubted = _doubted(outcomes, units, threshold)
    names = ("balanced_accuracy", "sensitivity", "specificity", "youden", "youden_weighted")
    if doubted is None:
        return dict.fromkeys((*names, "f1", "accuracy"), stats.undefined)
    passed = ~doubted
    if abstaining:
        doubted, passed = doubted & units.scored, passed & units.scored
    every = np.ones(len(units.row), dtype=bool)
    caught, left = (
        stats.share(units, doubted, units.wrong),
        stats.share(units, passed, ~units.wrong),
    )
    right = stats.share(units, np.where(units.wrong, doubted, passed), every)
    twice = (doubted & units.wrong) * 2.0
    spoken = doubted.astype(float) + units.wrong.astype(float)
    found: dict[str, Metric] = {
        "balanced_accuracy": lambda w: (caught(w) + left(w)) / 2,
        "sensitivity": caught,
        "specificity": left,
        "youden": lambda w: caught(w) + left(w) - 1,
        "youden_weighted": lambda w: 2 * (CARE * caught(w) + (1 - CARE) * left(w)) - 1,
        "f1": lambda w: stats.quotient(w[:, units.row] @ twice, w[:, units.row] @ spoken),
        "accuracy": right,
    }
    if threshold is not None:
        found["threshold"] = lambda w: np.full(len(w), threshold)
    return found


def _doubted(outcomes: Outcomes, units: Units, threshold: float | None) -> Flags | None:
    if threshold is not None:
        return units.scores >= threshold
    return stats.decide_by_folds(units, [one.row.group for one in outcomes])


def _in_sample(outcomes: Outcomes) -> Metrics:
    """The best that any threshold reaches on these very rows, as papers often report it."""
    units = labelled(outcomes)
    found: dict[str, Metric] = {}
    for name, weight in (("youden", 0.5), ("youden_weighted", CARE)):
        best = stats.best_threshold(units.wrong, units.scores, weight)
        decided = {} if best is None else _decision(outcomes, best)
        found[f"in_sample_{name}"] = decided.get(name, stats.undefined)
    even = found["in_sample_youden"]
    return {"in_sample_balanced_accuracy": lambda w: (even(w) + 1) / 2, **found}


def _halueval(outcomes: Outcomes, threshold: float | None) -> Metrics:
    """In the terms of KnowHalu (section 4.1): an abstention is right for neither class."""
    # Counted as 0.5, every abstention on a wrong answer would be a hallucination that was caught.
    found = _decision(outcomes, threshold, abstaining=True)
    found["tpr"], found["tnr"] = found.pop("sensitivity"), found.pop("specificity")
    order = _order(labelled(outcomes))
    rates = {"arp": order["abstained_wrong"], "arn": order["abstained_right"]}
    return {**order, **found, **rates, **_in_sample(outcomes)}


def _wikibio(outcomes: Outcomes, threshold: float | None) -> Metrics:
    """Sentences of all passages pooled, by rank and by score; sentences within a passage; passages,
    of which one is wrong if any of its sentences is."""
    found: dict[str, Metric] = {}
    for suffix, units in (
        ("", labelled(outcomes, "rank")),
        ("_score", labelled(outcomes, "score")),
    ):
        for kind, side in (("hallucination", units), ("factual", units.reversed())):
            found[f"sentence_{kind}_average_precision{suffix}"] = stats.average_precision(side)
            found[f"sentence_{kind}_auc_pr{suffix}"] = stats.auc_pr(side)
    by_score = labelled(outcomes)
    return {
        **found,
        "within_passage_auroc": _within_rows(by_score),
        "passage_pearson": _correlation(outcomes),
        **_in_sample(outcomes),
        **_passages(outcomes, threshold),
        **_abstained(by_score),
        **rewrites.measure(outcomes),
    }


def _within_rows(units: Units) -> Metric:
    """The mean AUROC of the rows that hold both classes."""
    mixed, areas = [], []
    for row in np.unique(units.row):
        here = units.only(units.row == row)
        area = stats.auroc(replace(here, row=here.row * 0))(np.ones((1, 1)))[0]
        if not np.isnan(area):
            mixed.append(int(row))
            areas.append(float(area))
    known = np.array(areas)
    return lambda w: stats.mean(known)(w[:, mixed]) if mixed else stats.undefined(w)


def _correlation(outcomes: Outcomes) -> Metric:
    said = [np.mean([stats.counted(one.score) for one in row.sentences]) for row in outcomes]
    gold = [np.mean(row.row.gold) for row in outcomes]
    return stats.pearson(np.array(said, dtype=float), np.array(gold, dtype=float))


def _passages(outcomes: Outcomes, threshold: float | None) -> Metrics:
    whole = [
        replace(one, row=replace(one.row, gold=(float(any(one.row.gold)),), sentences=None))
        for one in outcomes
    ]
    decided = _decision(whole, threshold)
    return {
        "passage_auroc": stats.auroc(labelled(whole)),
        **{f"passage_{name}": decided[name] for name in ("f1", "accuracy", "balanced_accuracy")},
        **{
            f"in_sample_passage_{name}": _decision(whole, _best_limit(whole, name))[name]
            for name in ("f1", "accuracy")
        },
    }


def _best_limit(outcomes: Outcomes, name: str) -> float:
    """Return the score from which on to doubt for the best F1 or accuracy on these rows; infinity
    doubts nothing."""
    limits: list[float] = [*sorted(set(labelled(outcomes).scores.tolist())), math.inf]
    once = np.ones((1, len(outcomes)))
    reached = [np.nan_to_num(_decision(outcomes, limit)[name](once)[0]) for limit in limits]
    return limits[int(np.argmax(reached))]


def _spans(outcomes: Outcomes) -> Metrics:
    found = [(row, unit) for row, one in enumerate(outcomes) for unit in one.overlapping()]
    return {"sentence_auroc": stats.auroc(Units.gather(found))}


def _factscore(outcomes: Outcomes, threshold: float | None) -> Metrics:
    """How far the mean share of an answer's claims that are not doubted lies from that of those
    that people found supported (FActScore's error rate)."""
    units = labelled(outcomes)
    doubted = _doubted(outcomes, units, threshold)
    if doubted is None:
        return {"factscore_error": stats.undefined}
    off = np.zeros(len(outcomes))
    np.add.at(off, units.row, units.wrong.astype(float) - doubted.astype(float))
    # A mean over answers: one with many claims weighs no more than a short one.
    off /= np.maximum(np.bincount(units.row, minlength=len(outcomes)), 1)
    return {"factscore_error": lambda w: np.abs(stats.mean(off)(w))}


def _extraction(outcomes: Outcomes) -> Metrics:
    """Triples over all rows: the share of those extracted that the row has, the share of those of
    the row that were extracted, and the harmonic mean."""
    paired = np.array([sum(one.paired or ()) for one in outcomes], dtype=float)
    found = np.array([len(one.paired or ()) for one in outcomes], dtype=float)
    given = np.array([len(one.row.triples) for one in outcomes], dtype=float)
    return {
        "triplet_precision": stats.ratio(paired, found),
        "triplet_recall": stats.ratio(paired, given),
        "triplet_f1": stats.ratio(2 * paired, found + given),
    }


def _summaries(outcomes: Outcomes, threshold: float | None) -> Metrics:
    """Messages by rank and by score, in all and by domain, and their worst marks. Ranks are always
    decided in halves: each by the threshold that is best on the other."""
    groups = [one.row.group for one in outcomes]
    parts = sorted({part for one in outcomes for part in one.row.parts})
    found: dict[str, Metric] = {}
    by: Mapping[str, tuple[Units, float | None]] = {
        "": (labelled(outcomes, "rank"), None),
        "_score": (labelled(outcomes, "score"), threshold),
    }
    for suffix, (units, limit) in by.items():
        decided = stats.decide_by_folds(units, groups, HALVES) if limit is None else None
        doubted = units.scores >= limit if limit is not None else decided
        for part in ("", *parts):
            here = np.array([not part or part in outcomes[row].row.parts for row in units.row])
            name = f"{suffix}: {part}" if part else suffix
            some = units.only(here)
            found[f"auroc{name}"] = stats.auroc(some)
            found[f"average_precision{name}"] = stats.average_precision(some)
            found[f"auc_pr{name}"] = stats.auc_pr(some)
            found[f"balanced_accuracy{name}"] = _balance(units, doubted, here)
    return {**found, **marks.worst_marks(outcomes)}


def _balance(units: Units, doubted: Flags | None, here: Flags) -> Metric:
    if doubted is None:
        return stats.undefined
    caught = stats.share(units, doubted, units.wrong & here)
    left = stats.share(units, ~doubted, ~units.wrong & here)
    return lambda w: (caught(w) + left(w)) / 2
