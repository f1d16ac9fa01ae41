"""Every metric on cases small enough to work out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from halubot.evaluation import measures
from halubot.evaluation.checked import Scored, ScoredSentence
from halubot.evaluation.rows import Row
from halubot.evaluation.statistics import Metrics
from halubot.report import Span, Triple


def passage(gold: Sequence[float], scores: Sequence[float | None]) -> Scored:
    """A passage whose sentences rank in the reverse of their scores."""
    return Scored(
        Row(id="p", text="x", gold=tuple(gold), sentences=("x",) * len(gold)),
        sentences=tuple(
            ScoredSentence((i, i + 1), score, None if score is None else 1 - score)
            for i, score in enumerate(scores)
        ),
    )


def message(gold: float | None, score: float | None, id: str = "m") -> Scored:
    return Scored(Row(id=id, text="x", gold=() if gold is None else (gold,)), score=score)


def values(metrics: Metrics) -> dict[str, float | None]:
    return {name: metric.value for name, metric in metrics.items()}


def test_wikibio_orders_by_rank_and_by_score() -> None:
    figures = values(measures.wikibio([passage([1, 0, 0.5], [0.9, 0.8, 0.7])]))
    assert figures["sentence_hallucination_auc_pr_score"] == pytest.approx(5 / 6)
    # By rank the order is turned round: wrong, right, wrong again.
    assert figures["sentence_hallucination_auc_pr"] == pytest.approx(5 / 6)
    assert figures["sentence_factual_auc_pr"] == pytest.approx(1 / 2)
    assert figures["within_passage_auroc"] == pytest.approx(1 / 2)


def test_wikibio_minor_and_major_are_wrong() -> None:
    figures = values(measures.wikibio([passage([0.5, 1, 0], [0.8, 0.9, 0.1])]))
    assert figures["sentence_hallucination_auc_pr_score"] == 1
    assert figures["sentence_factual_auc_pr_score"] == 1


def test_within_passages_only_those_that_hold_both_kinds_count() -> None:
    rows = [
        passage([1, 0], [0.9, 0.1]),
        passage([1, 0], [0.2, 0.4]),
        passage([1, 1], [0.0, 0.0]),
    ]
    assert values(measures.wikibio(rows))["within_passage_auroc"] == pytest.approx(1 / 2)


def test_passages_correlate_mean_score_with_mean_label() -> None:
    rows = [
        passage([0, 0.5], [0.1, 0.3]),
        passage([1, 1], [0.8, 0.6]),
        passage([0.5, 0.5], [0.2, 0.9]),
    ]
    expected = np.corrcoef([0.2, 0.7, 0.55], [0.25, 1, 0.5])[0, 1]
    assert values(measures.wikibio(rows))["passage_pearson"] == pytest.approx(expected)


def test_a_sentence_without_score_counts_half() -> None:
    rows = [passage([1, 0, 0], [None, 0.4, 0.6])]
    assert values(measures.wikibio(rows))["within_passage_auroc"] == pytest.approx(1 / 2)
    assert measures.count_unscored(rows) == 1


def test_what_lacks_a_class_is_undefined() -> None:
    figures = values(measures.wikibio([passage([0, 0], [0.4, 0.6])]))
    assert figures["sentence_hallucination_auc_pr"] is None
    assert figures["within_passage_auroc"] is None
    assert figures["passage_pearson"] is None


def test_halueval_decides_at_the_threshold() -> None:
    rows = [message(1, 0.9), message(1, 0.2), message(0, 0.5), message(0, None), message(0, 0.1)]
    figures = values(measures.halueval(rows, 0.5))
    assert figures == {
        "auroc": pytest.approx(4 / 6),
        "balanced_accuracy": pytest.approx((1 / 2 + 1 / 3) / 2),
        "tpr": pytest.approx(1 / 2),
        "tnr": pytest.approx(1 / 3),
        "threshold": 0.5,
        "arp": 0,
        "arn": pytest.approx(1 / 3),
        "auc_pr": pytest.approx((1 + 2 / 4) / 2),
        "abstained_wrong": 0,
        "abstained_right": pytest.approx(1 / 3),
        "youden": pytest.approx(1 / 2 + 1 / 3 - 1),
        "youden_weighted": pytest.approx(2 * (0.67 / 2 + 0.33 / 3) - 1),
        "in_sample_youden": pytest.approx(1 / 2),  # from 0.9 on
        "in_sample_balanced_accuracy": pytest.approx(3 / 4),
        "in_sample_youden_weighted": pytest.approx(2 * (0.67 + 0.33 / 3) - 1),  # from 0.2 on
        "f1": pytest.approx(2 * 1 / (2 + 2)),
        "accuracy": pytest.approx(2 / 5),
        "balanced_accuracy_unscored_as_half": pytest.approx((1 / 2 + 1 / 3) / 2),
        "tpr_unscored_as_half": pytest.approx(1 / 2),
        "tnr_unscored_as_half": pytest.approx(1 / 3),
    }
    assert list(figures)[:5] == ["auroc", "balanced_accuracy", "tpr", "tnr", "threshold"]


def test_an_abstention_on_halueval_is_right_for_neither_class() -> None:
    rows = [message(1, 0.9), *[message(1, None)] * 3, message(0, 0.1), message(0, None)]
    figures = values(measures.halueval(rows, 0.5))
    assert (figures["tpr"], figures["tnr"]) == (1 / 4, 1 / 2)
    assert figures["balanced_accuracy"] == pytest.approx(3 / 8)
    assert figures["accuracy"] == pytest.approx(2 / 6)
    assert (figures["arp"], figures["arn"]) == (3 / 4, 1 / 2)
    assert (figures["tpr_unscored_as_half"], figures["tnr_unscored_as_half"]) == (1, 1 / 2)
    assert figures["balanced_accuracy_unscored_as_half"] == pytest.approx(3 / 4)


def test_the_threshold_is_fitted_by_the_reading_that_is_reported() -> None:
    # At 0.5 all abstentions would be caught: .5 is then the best cut, though it decides nothing.
    rows = [message(1, 0.9), *[message(1, None)] * 3, message(0, 0.4), message(0, 0.1)]
    assert measures.best_threshold(rows) == 0.5
    assert measures.best_threshold(rows, abstaining=True) == 0.9


def test_the_best_threshold_parts_the_classes() -> None:
    rows = [message(1, 0.8), message(1, 0.6), message(0, 0.4), message(0, 0.7), message(0, 0.1)]
    assert measures.best_threshold(rows) == pytest.approx(0.6)
    assert measures.best_threshold(rows[:2]) is None


def test_faithbench_leaves_other_labels_out_of_the_messages() -> None:
    rows = [message(1, 0.9), message(0, 0.3), message(None, 0.0)]
    assert values(measures.faithbench(rows))["auroc"] == 1


@pytest.mark.parametrize(("span", "expected"), [((4, 6), 1.0), ((0, 5), None), ((5, 5), None)])
def test_faithbench_sentences_are_wrong_where_a_span_overlaps(
    span: Span, expected: float | None
) -> None:
    sentences = (ScoredSentence((0, 5), 0.9, 0.2), ScoredSentence((6, 9), 0.1, 0.8))
    row = Row(id="f", text="x", gold=(1,), wrong_spans=(span,))
    figures = values(measures.faithbench([Scored(row, score=0.5, sentences=sentences)]))
    if span == (5, 5):
        assert figures["sentence_auroc"] is None
    else:
        assert figures["sentence_auroc"] == 1


def test_phd_finds_a_threshold_for_each_fold() -> None:
    rows = [message(1, 0.8 + i / 100) for i in range(5)] + [message(0, 0.1) for _ in range(5)]
    figures = values(measures.phd(rows, None))
    # Where the lowest wrong row is held back, the others' threshold lies above it.
    assert figures["auroc"] == 1
    assert figures["accuracy"] == pytest.approx(9 / 10)
    assert figures["f1"] == pytest.approx(2 * 4 / (4 + 5))


def test_phd_takes_a_given_threshold() -> None:
    rows = [message(1, 0.8), message(1, 0.3), message(0, 0.6), message(0, 0.1)]
    figures = values(measures.phd(rows, 0.2))
    assert figures["accuracy"] == pytest.approx(3 / 4)
    assert figures["f1"] == pytest.approx(2 * 2 / (3 + 2))


def test_phd_with_too_few_rows_of_a_class() -> None:
    figures = values(measures.phd([message(1, 0.8), message(0, 0.1)], None))
    assert figures["auroc"] == 1
    assert [figures[name] for name in measures.DECIDED] == [None] * 7


def test_refchecker_counts_over_all_rows() -> None:
    triple = Triple("a", "b", "c")
    rows = [
        Scored(
            Row(id="1", text="x", triples=(triple,) * 4),
            triples=(triple,) * 2,
            paired=(True, False),
        ),
        Scored(Row(id="2", text="x"), triples=(triple,), paired=(False,)),
    ]
    assert values(measures.refchecker(rows)) == {
        "triplet_precision": pytest.approx(1 / 3),
        "triplet_recall": pytest.approx(1 / 4),
        "triplet_f1": pytest.approx(2 / 7),
    }


def test_refchecker_with_nothing_found() -> None:
    row = Row(id="1", text="x", triples=(Triple("a", "b", "c"),))
    figures = values(measures.refchecker([Scored(row, triples=(), paired=())]))
    assert figures == {"triplet_precision": None, "triplet_recall": 0, "triplet_f1": 0}


def test_every_metric_of_all_rows_is_that_of_weights_of_one() -> None:
    rows = [passage([1, 0, 0.5], [0.9, 0.8, 0.7]), passage([0, 1, 1], [0.1, 0.6, 0.5])]
    for metric in measures.wikibio(rows).values():
        value = np.nan if metric.value is None else metric.value
        drawn = metric.resampled(np.ones((2, 2)))
        assert drawn == pytest.approx([value] * 2, nan_ok=True)


def test_a_passage_is_wrong_if_a_sentence_is() -> None:
    """Messages score .9, .2, .6 and .1; the third has one minor mistake."""
    golds: list[list[float]] = [[1, 0.5], [0, 0], [0, 0.5], [0, 0]]
    scores = [0.9, 0.2, 0.6, 0.1]
    rows = [
        replace(passage(gold, [score] * 2), score=score)
        for gold, score in zip(golds, scores, strict=True)
    ]
    half = values(measures.wikibio(rows, 0.5))
    assert [half[f"passage_{name}"] for name in ("auroc", "f1", "accuracy")] == [1, 1, 1]
    high = values(measures.wikibio(rows, 0.8))
    assert high["passage_f1"] == pytest.approx(2 / 3)
    assert high["passage_accuracy"] == high["passage_balanced_accuracy"] == 0.75
    assert (high["in_sample_passage_f1"], high["in_sample_passage_accuracy"]) == (1, 1)
    of_one_kind = values(measures.wikibio(rows[:1]))
    assert of_one_kind["passage_f1"] is None  # no fold finds a threshold
    assert of_one_kind["in_sample_passage_f1"] == 1
    doubted = values(measures.wikibio(rows[1:2], 0.9))
    assert doubted["in_sample_passage_accuracy"] == 1  # nothing is doubted
