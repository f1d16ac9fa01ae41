"""The metrics of each data set, from rows that came back scored.

All lie in [0, 1]; None where one is not defined (a class is missing among the rows). What has no
score counts 0.5, as in the papers that are followed. A metric knows its value on the rows as
they are, and on resamplings of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from halubot.bench import weighted
from halubot.bench.checked import Scored, overlap
from halubot.bench.weighted import Flags, Floats
from halubot.bench.youden import best_cut

UNSCORED: Final = 0.5
FOLDS: Final = 5


@dataclass(frozen=True, slots=True)
class Metric:
    """A value on all rows, and the same on resamplings: ``resampled`` takes weights of shape
    (resamplings, rows) and returns one value each, NaN where it is not defined."""

    value: float | None
    resampled: Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class Units:
    """What is ordered or decided, a sentence or a message each: its row, whether it is wrong, its
    score."""

    row: tuple[int, ...]
    wrong: Flags
    scores: Floats


Metrics = Mapping[str, Metric]


def wikibio(rows: Sequence[Scored]) -> Metrics:
    """Sentences, pooled by rank and by score; pairs inside a passage; passages."""
    by_rank, by_score = _sentences(rows, "rank"), _sentences(rows, "score")
    return {
        "sentence_hallucination_auc_pr": _average_precision(by_rank),
        "sentence_factual_auc_pr": _average_precision(_reversed(by_rank)),
        "sentence_hallucination_auc_pr_score": _average_precision(by_score),
        "sentence_factual_auc_pr_score": _average_precision(_reversed(by_score)),
        "within_passage_auroc": _within_passages(rows),
        "passage_pearson": _passages(rows),
    }


def halueval(rows: Sequence[Scored], threshold: float) -> Metrics:
    """Messages, ordered by score, and decided at a threshold that was found elsewhere."""
    units = _messages(rows)
    doubted = units.scores >= threshold
    caught, passed = _share(units, doubted, units.wrong), _share(units, ~doubted, ~units.wrong)
    return {
        "auroc": _auroc(units),
        "balanced_accuracy": _plain(lambda w: (caught(w) + passed(w)) / 2, len(rows)),
        "tpr": _plain(caught, len(rows)),
        "tnr": _plain(passed, len(rows)),
        "threshold": Metric(threshold, lambda w: np.full(len(w), threshold)),
    }


def faithbench(rows: Sequence[Scored]) -> Metrics:
    """Messages whose worst label is Unwanted against Consistent ones, by score; the sentences of
    all messages by score, wrong where they overlap an Unwanted span."""
    where: list[int] = []
    wrong: list[bool] = []
    scores: list[float] = []
    for index, scored in enumerate(rows):
        for sentence in scored.sentences:
            where.append(index)
            wrong.append(any(overlap(sentence.span, span) for span in scored.row.wrong_spans))
            scores.append(counted(sentence.score))
    sentences = Units(tuple(where), np.array(wrong, dtype=bool), np.array(scores, dtype=float))
    return {"auroc": _auroc(_messages(rows)), "sentence_auroc": _auroc(sentences)}


def phd(rows: Sequence[Scored], threshold: float | None) -> Metrics:
    """Messages, ordered by score and decided at ``threshold``; with None each fifth of the rows
    at the threshold found on the others."""
    units = _messages(rows)
    doubted = _by_folds(units) if threshold is None else units.scores >= threshold
    if doubted is None:
        undefined = Metric(None, lambda w: np.full(len(w), np.nan))
        return {"auroc": _auroc(units), "f1": undefined, "accuracy": undefined}
    right = (doubted == units.wrong).astype(float)
    twice = (doubted & units.wrong) * np.float64(2)
    spoken = doubted.astype(float) + units.wrong.astype(float)
    return {
        "auroc": _auroc(units),
        "f1": _plain(lambda w: weighted.ratio(twice, spoken, _spread(w, units)), len(rows)),
        "accuracy": _plain(lambda w: weighted.mean(right, _spread(w, units)), len(rows)),
    }


def refchecker(rows: Sequence[Scored]) -> Metrics:
    """Triples over all rows: the share of those found that pair with a given one, the share of
    those given that were found, and their harmonic mean."""
    paired = np.array([sum(scored.paired) for scored in rows], dtype=float)
    found = np.array([len(scored.triples or ()) for scored in rows], dtype=float)
    given = np.array([len(scored.row.triples) for scored in rows], dtype=float)
    return {
        "triplet_precision": _plain(lambda w: weighted.ratio(paired, found, w), len(rows)),
        "triplet_recall": _plain(lambda w: weighted.ratio(paired, given, w), len(rows)),
        "triplet_f1": _plain(lambda w: weighted.ratio(2 * paired, found + given, w), len(rows)),
    }


def best_threshold(rows: Sequence[Scored]) -> float | None:
    """The score from which on to doubt that parts wrong from right best (the largest true
    positive less false positive rate, the highest such score); None where a class is missing."""
    units = _messages(rows)
    cut = best_cut(units.wrong, units.scores)
    return None if cut is None else cut.threshold


def unscored(rows: Sequence[Scored]) -> int:
    """How many units the metrics count as 0.5 because they have no score."""
    return sum(
        sum(sentence.score is None for sentence in scored.sentences)
        if scored.row.sentences is not None
        else scored.score is None
        for scored in rows
    )


def counted(value: float | None) -> float:
    """The score that a metric counts: 0.5 where there is none."""
    return UNSCORED if value is None else value


def _sentences(rows: Sequence[Scored], by: str) -> Units:
    return Units(
        tuple(index for index, scored in enumerate(rows) for _ in scored.row.gold),
        np.array([gold > 0 for scored in rows for gold in scored.row.gold], dtype=bool),
        np.array(
            [counted(getattr(s, by)) for scored in rows for s in scored.sentences], dtype=float
        ),
    )


def _messages(rows: Sequence[Scored]) -> Units:
    labelled = [(i, scored) for i, scored in enumerate(rows) if scored.row.gold]
    return Units(
        tuple(i for i, _ in labelled),
        np.array([scored.row.gold[0] > 0 for _, scored in labelled], dtype=bool),
        np.array([counted(scored.score) for _, scored in labelled], dtype=float),
    )


def _reversed(units: Units) -> Units:
    return Units(units.row, ~units.wrong, -units.scores)


def _spread(weights: Floats, units: Units) -> Floats:
    return weights[:, units.row]


def _average_precision(units: Units) -> Metric:
    return Metric(
        float(average_precision_score(units.wrong, units.scores)) if units.wrong.any() else None,
        lambda w: weighted.average_precision(units.wrong, units.scores, _spread(w, units)),
    )


def _auroc(units: Units) -> Metric:
    both = units.wrong.any() and not units.wrong.all()
    return Metric(
        float(roc_auc_score(units.wrong, units.scores)) if both else None,
        lambda w: weighted.auroc(units.wrong, units.scores, _spread(w, units)),
    )


def _plain(resampled: Callable[[Floats], Floats], rows: int) -> Metric:
    """A metric whose value is that of the resampling that takes every row once."""
    value = float(resampled(np.ones((1, rows)))[0])
    return Metric(None if np.isnan(value) else value, resampled)


def _share(units: Units, said: Flags, of: Flags) -> Callable[[Floats], Floats]:
    hits, all_of = (said & of).astype(float), of.astype(float)
    return lambda w: weighted.ratio(hits, all_of, _spread(w, units))


def _within_passages(rows: Sequence[Scored]) -> Metric:
    mixed: list[int] = []
    areas: list[float] = []
    for index, scored in enumerate(rows):
        units = _sentences([scored], "score")
        if units.wrong.any() and not units.wrong.all():
            mixed.append(index)
            areas.append(float(roc_auc_score(units.wrong, units.scores)))
    return _plain(lambda w: weighted.mean(np.array(areas), w[:, mixed]), len(rows))


def _passages(rows: Sequence[Scored]) -> Metric:
    said = np.array([np.mean([counted(s.score) for s in scored.sentences]) for scored in rows])
    gold = np.array([np.mean(scored.row.gold) for scored in rows])
    return _plain(lambda w: weighted.pearson(said, gold, w), len(rows))


def _by_folds(units: Units) -> Flags | None:
    """Decisions for each fold at the threshold of the others; rows of each class are dealt to
    the folds in turn. None where a fold's others lack a class."""
    fold = np.zeros(len(units.wrong), dtype=int)
    for kind in (units.wrong, ~units.wrong):
        fold[kind] = np.arange(kind.sum()) % FOLDS
    doubted = np.zeros(len(units.wrong), dtype=bool)
    for held in range(FOLDS):
        here = fold == held
        cut = best_cut(units.wrong[~here], units.scores[~here])
        if cut is None:
            return None
        doubted[here] = units.scores[here] >= cut.threshold
    return doubted
