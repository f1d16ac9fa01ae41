"""The metrics of each data set, from rows that came back scored."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

import numpy as np
from sklearn.metrics import roc_auc_score

from halubot.evaluation import everyday, pairs, rewrites, statistics, summaries, weighted
from halubot.evaluation.checked import Scored
from halubot.evaluation.statistics import (
    Metric,
    Metrics,
    Units,
    counted_score,
    labelled_units,
    plain,
    share,
)
from halubot.evaluation.weighted import EVEN, Flags, Floats, best_cut


def wikibio(rows: Sequence[Scored], threshold: float | None = None) -> Metrics:
    """Sentences, pooled by rank and by score; pairs inside a passage; passages, decided at
    ``threshold`` or by folds."""
    by_rank, by_score = labelled_units(rows, "rank"), labelled_units(rows)
    return {
        # By rank, since passages are pooled: a score knows nothing of the rest of its message.
        "sentence_hallucination_auc_pr": statistics.average_precision(by_rank),
        "sentence_factual_auc_pr": statistics.average_precision(statistics.reverse(by_rank)),
        "sentence_hallucination_auc_pr_score": statistics.average_precision(by_score),
        "sentence_factual_auc_pr_score": statistics.average_precision(statistics.reverse(by_score)),
        "within_passage_auroc": _within_passages(rows, by_score),
        "passage_pearson": _passages(rows),
        **in_sample(rows),
        **_decided_passages(rows, threshold),
    }


def halueval(rows: Sequence[Scored], threshold: float | None) -> Metrics:
    """Messages, ordered by score, and decided; in the words of KnowHalu (section 4.1), if an
    abstention is right for neither class. Beside it the reading in which it counts 0.5, and the
    rates of abstention on wrong and on right messages (ARP, ARN)."""
    # With a missing score counted as 0.5 every abstention on a wrong answer would be a
    # hallucination that was caught.
    found = measure_order(rows) | measure_decision(rows, threshold, abstaining=True)
    names = {"sensitivity": "tpr", "specificity": "tnr"}
    renamed = {names.get(name, name): metric for name, metric in found.items()}
    renamed |= {"arp": found["abstained_wrong"], "arn": found["abstained_right"]}
    at_half = measure_decision(rows, threshold)
    for name in ("balanced_accuracy", *names):
        renamed[f"{names.get(name, name)}_unscored_as_half"] = at_half[name]
    first = ("auroc", "balanced_accuracy", "tpr", "tnr", "threshold", "arp", "arn")
    return {name: renamed[name] for name in first if name in renamed} | renamed


def faithbench(rows: Sequence[Scored]) -> Metrics:
    """Messages whose worst label is Unwanted against Consistent ones, by score; the sentences of
    all messages by score, wrong if they overlap an Unwanted span."""
    return {
        "auroc": statistics.auroc(labelled_units(rows)),
        **spans(rows),
        **measure_order(rows),
        **in_sample(rows),
    }


def phd(rows: Sequence[Scored], threshold: float | None) -> Metrics:
    """Messages, ordered by score and decided."""
    found = measure_order(rows) | measure_decision(rows, threshold)
    first = ("auroc", "f1", "accuracy")
    return {name: found[name] for name in first} | found


def factscore(rows: Sequence[Scored], threshold: float | None) -> Metrics:
    """Claims, and how far the mean share of an answer's claims that are not doubted lies from
    that of those that people found supported (FActScore's error rate)."""
    found = labelled_units(rows)
    metrics = measure_order(rows) | measure_decision(rows, threshold)
    doubted = _doubted_entries(rows, found, threshold)
    if doubted is None:
        return {**metrics, "factscore_error": statistics.undefined_metric()}
    off = np.zeros(len(rows))
    np.add.at(off, found.row, found.wrong.astype(float) - doubted.astype(float))
    # A mean over answers, as FActScore has it: an answer with many claims weighs no more than a
    # short one.
    off /= np.maximum(np.bincount(found.row, minlength=len(rows)), 1)
    return {**metrics, "factscore_error": plain(lambda w: np.abs(weighted.mean(off, w)), len(rows))}


def ragtruth(rows: Sequence[Scored], threshold: float | None) -> Metrics:
    """Messages, ordered and decided; sentences, wrong if they overlap an annotated span."""
    return measure_order(rows) | measure_decision(rows, threshold) | spans(rows)


def units(rows: Sequence[Scored], threshold: float | None) -> Metrics:
    """Return the labelled units (facts, sentences or messages), ordered by score and decided."""
    return measure_order(rows) | measure_decision(rows, threshold)


def refchecker(rows: Sequence[Scored]) -> Metrics:
    """Triples over all rows: the share of those found that pair with a given one, the share of
    those given that were found, and their harmonic mean."""
    paired = np.array([sum(scored.paired) for scored in rows], dtype=float)
    found = np.array([len(scored.triples or ()) for scored in rows], dtype=float)
    given = np.array([len(scored.row.triples) for scored in rows], dtype=float)
    return {
        "triplet_precision": plain(lambda w: weighted.ratio(paired, found, w), len(rows)),
        "triplet_recall": plain(lambda w: weighted.ratio(paired, given, w), len(rows)),
        "triplet_f1": plain(lambda w: weighted.ratio(2 * paired, found + given, w), len(rows)),
    }


def measure_order(rows: Sequence[Scored]) -> dict[str, Metric]:
    """Measure how well scores separate wrong from right units, and the units without a score."""
    found = labelled_units(rows)
    return {
        "auroc": statistics.auroc(found),
        "auc_pr": statistics.average_precision(found),
        "abstained_wrong": plain(share(found, ~found.scored, found.wrong), len(rows)),
        "abstained_right": plain(share(found, ~found.scored, ~found.wrong), len(rows)),
    }


def measure_decision(
    rows: Sequence[Scored], threshold: float | None, *, abstaining: bool = False
) -> dict[str, Metric]:
    """Measure how well a decision parts them: at ``threshold``, or with None each fifth of the
    groups at the threshold found on the others. What has no score counts 0.5; with ``abstaining``
    it is neither doubted nor passed, and so never right."""
    found = labelled_units(rows)
    doubted = _doubted_entries(rows, found, threshold)
    if doubted is None:
        return {name: statistics.undefined_metric() for name in DECIDED} | in_sample(rows)
    passed_over = ~doubted
    if abstaining:
        doubted, passed_over = doubted & found.scored, passed_over & found.scored
    right = np.where(found.wrong, doubted, passed_over).astype(float)
    twice = (doubted & found.wrong) * np.float64(2)
    spoken = doubted.astype(float) + found.wrong.astype(float)
    caught, passed = share(found, doubted, found.wrong), share(found, passed_over, ~found.wrong)
    named: dict[str, Callable[[Floats], Floats]] = {
        "balanced_accuracy": lambda w: (caught(w) + passed(w)) / 2,
        "sensitivity": caught,
        "specificity": passed,
        "youden": lambda w: caught(w) + passed(w) - 1,
        "youden_weighted": _weighted_j(caught, passed, CARE),
        "f1": lambda w: weighted.ratio(twice, spoken, statistics.spread_weights(w, found)),
        "accuracy": lambda w: weighted.mean(right, statistics.spread_weights(w, found)),
    }
    metrics = {name: plain(resampled, len(rows)) for name, resampled in named.items()}
    metrics |= in_sample(rows)
    if threshold is not None:
        # A given threshold is the same on all resamplings: its interval is a point.
        metrics["threshold"] = Metric(threshold, lambda w: np.full(len(w), threshold))
    return metrics


DECIDED: Final = (
    *("balanced_accuracy", "sensitivity", "specificity"),
    *("youden", "youden_weighted", "f1", "accuracy"),
)
"""The metrics of a decision."""

ABSTAINING: Final = frozenset({"halueval_qa", "halueval_sum"})
"""The data sets on which an abstention is right for neither class."""

CARE: Final = 0.67
"""The weight of what is caught in the weighted form of Youden's J, as for medicine."""


def in_sample(rows: Sequence[Scored]) -> dict[str, Metric]:
    """The best that any threshold reaches on these very rows, as papers report it: no figure of
    other data. The threshold stays the same on resamplings."""
    found = labelled_units(rows)
    metrics: dict[str, Metric] = {}
    for name, weight in (("youden", EVEN), ("youden_weighted", CARE)):
        cut = best_cut(found.wrong, found.scores, weight)
        if cut is None:
            metrics[f"in_sample_{name}"] = statistics.undefined_metric()
            continue
        doubted = found.scores >= cut.threshold
        caught = share(found, doubted, found.wrong)
        passed = share(found, ~doubted, ~found.wrong)
        metrics[f"in_sample_{name}"] = plain(_weighted_j(caught, passed, weight), len(rows))
    # J = TPR + TNR - 1, so the best balanced accuracy lies at the threshold of the best J.
    even = metrics["in_sample_youden"]
    halved = None if even.value is None else (even.value + 1) / 2
    accuracy = Metric(halved, lambda w: (even.resampled(w) + 1) / 2)
    return {"in_sample_balanced_accuracy": accuracy, **metrics}


def _weighted_j(
    caught: Callable[[Floats], Floats], passed: Callable[[Floats], Floats], weight: float
) -> Callable[[Floats], Floats]:
    return lambda w: 2 * (weight * caught(w) + (1 - weight) * passed(w)) - 1


def probabilities(rows: Sequence[Scored]) -> Metrics:
    """Return the figures of calibration of the probabilities; empty if no unit has one."""
    found = labelled_units(rows)
    if np.isnan(found.probability).all():
        return {}
    return {
        "brier": statistics.brier(found, len(rows)),
        "calibration_error": statistics.calibration_error(found, len(rows)),
    }


def spans(rows: Sequence[Scored]) -> dict[str, Metric]:
    """The sentences of all messages by score, wrong if they overlap a wrong span."""
    return {"sentence_auroc": statistics.auroc(statistics.sentences(rows))}


def best_threshold(rows: Sequence[Scored], *, abstaining: bool = False) -> float | None:
    """The score from which on to doubt that parts wrong from right best (the largest true positive
    less false positive rate, the highest such score), by the reading of `measure_decision`; None if
    a class is missing."""
    found = labelled_units(rows)
    cut = best_cut(found.wrong, found.scores, scored=found.scored if abstaining else None)
    return None if cut is None else cut.threshold


def count_unscored(rows: Sequence[Scored]) -> int:
    """Return the number of units that metrics count as 0.5 because they have no score."""
    blank = labelled_units(rows)
    none_labelled = sum(
        not scored.row.gold and not scored.row.labelled and scored.score is None for scored in rows
    )
    return int((~blank.scored).sum()) + none_labelled


def _doubted_entries(rows: Sequence[Scored], found: Units, threshold: float | None) -> Flags | None:
    if threshold is not None:
        return found.scores >= threshold
    return statistics.by_folds(found, [scored.row.group for scored in rows])


def _within_passages(rows: Sequence[Scored], found: Units) -> Metric:
    mixed: list[int] = []
    areas: list[float] = []
    for index in range(len(rows)):
        here = found.row == index
        wrong = found.wrong[here]
        # Within one class there is no pair to order.
        if wrong.any() and not wrong.all():
            mixed.append(index)
            areas.append(float(roc_auc_score(wrong, found.scores[here])))
    return plain(lambda w: weighted.mean(np.array(areas), w[:, mixed]), len(rows))


def _passages(rows: Sequence[Scored]) -> Metric:
    said = np.array(
        [np.mean([counted_score(s.score) for s in scored.sentences]) for scored in rows]
    )
    gold = np.array([np.mean(scored.row.gold) for scored in rows])
    return plain(lambda w: weighted.pearson(said, gold, w), len(rows))


def _decided_passages(rows: Sequence[Scored], threshold: float | None) -> Metrics:
    """Passages by the score of the message; one is wrong if any of its sentences is. The best F1
    and accuracy of any threshold on these very rows stand beside those of the decision."""
    whole = [
        Scored(
            replace(one.row, gold=(float(any(one.row.gold)),), sentences=None, labelled=()),
            score=one.score,
        )
        for one in rows
    ]
    found = labelled_units(whole)
    metrics = {"auroc": statistics.auroc(found), **measure_decision(whole, threshold)}
    names = ("auroc", "f1", "accuracy", "balanced_accuracy")
    best = {
        f"in_sample_passage_{name}": statistics.undefined_metric()
        if (limit := _best_limit(found, name)) is None
        else measure_decision(whole, limit)[name]
        for name in ("f1", "accuracy")
    }
    return {**{f"passage_{name}": metrics[name] for name in names}, **best}


def _best_limit(found: Units, name: Literal["f1", "accuracy"]) -> float | None:
    """The score from which on to doubt that has the best F1 or accuracy; above all scores if
    nothing is best doubted. None of no units."""
    # Infinity stands for doubting nothing, which has the best accuracy if nearly all is right.
    limits = [*sorted(set(found.scores.tolist())), math.inf]
    values = []
    for limit in limits:
        doubted = found.scores >= limit
        caught = int((doubted & found.wrong).sum())
        spoken = int(doubted.sum() + found.wrong.sum())
        right = float((doubted == found.wrong).sum())
        values.append(right if name == "accuracy" else 2 * caught / spoken if spoken else 0.0)
    return limits[int(np.argmax(values))] if len(found.scores) else None


def of_dataset(name: str, rows: Sequence[Scored], threshold: float | None) -> Metrics:
    """The metrics of a data set, by its name; ``threshold`` None if each fold finds its own,
    or none is needed."""
    alone = {"refchecker": refchecker, "everyday": everyday.measure, "pairs": pairs.measure}
    if name in alone:
        return alone[name](rows)
    if name == "wikibio":
        figures = {**wikibio(rows, threshold), **_share_abstained(rows), **probabilities(rows)}
        return {**figures, **rewrites.measure(rows)}
    if name == "faithbench":
        return {**faithbench(rows), **_share_abstained(rows), **probabilities(rows)}
    if name == "made" and threshold is not None:
        apart = pairs.by_kind(rows, threshold)
        return {**units(rows, threshold), **apart, **probabilities(rows)}
    deciding: Mapping[str, Callable[[Sequence[Scored], float | None], Metrics]] = {
        "halueval_qa": halueval,
        "halueval_sum": halueval,
        "phd": phd,
        "factscore": factscore,
        "ragtruth": ragtruth,
        "qags": summaries.measure,
        "summedits": summaries.measure,
    }
    return {**deciding.get(name, units)(rows, threshold), **probabilities(rows)}


def _share_abstained(rows: Sequence[Scored]) -> Metrics:
    return {name: one for name, one in measure_order(rows).items() if name.startswith("abstained")}
