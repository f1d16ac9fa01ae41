"""Figures of benchmarks, beside scikit-learn and beside figures counted by hand."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import correlation

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import metrics
from benchmarks import statistics as stats
from benchmarks.datasets import DATASETS
from benchmarks.outcomes import Outcome, Sentence
from benchmarks.rows import PlantedError, Row
from benchmarks.statistics import Unit, Units, values
from benchmarks.triples import DEVELOPMENT, TESTS, Labelled, frequencies, precision_and_recall
from halubot.report import Triple

SCORES = st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0])
MIXED = st.lists(st.tuples(st.booleans(), SCORES, st.integers(0, 3)), min_size=2).filter(
    lambda found: {wrong for wrong, _, weight in found if weight} == {True, False}
)


@pytest.mark.slow  # scikit-learn takes seconds to load
@given(MIXED)
def test_figures_of_an_order_are_those_of_scikit_learn(
    found: list[tuple[bool, float, int]],
) -> None:
    from sklearn import metrics as theirs

    wrong, scores, times = (np.array(column) for column in zip(*found, strict=True))
    units = Units.gather([(row, Unit(bool(w), s)) for row, (w, s, _) in enumerate(found)])
    weights = times[None].astype(float)
    # A row that is drawn three times is in the data three times.
    wrong, scores = np.repeat(wrong, times), np.repeat(scores, times)
    precision, recall, _ = theirs.precision_recall_curve(wrong, scores)
    assert stats.auroc(units)(weights)[0] == pytest.approx(theirs.roc_auc_score(wrong, scores))
    assert stats.auc_pr(units)(weights)[0] == pytest.approx(theirs.auc(recall, precision))
    assert stats.average_precision(units)(weights)[0] == pytest.approx(
        theirs.average_precision_score(wrong, scores)
    )


def test_figures_of_four_rows() -> None:
    said = [(True, 0.9), (False, 0.6), (True, 0.4), (False, 0.1)]
    units = Units.gather([(row, Unit(*one)) for row, one in enumerate(said)])
    once = np.ones((1, 4))
    assert stats.auroc(units)(once)[0] == pytest.approx(3 / 4)
    assert stats.average_precision(units)(once)[0] == pytest.approx((1 + 2 / 3) / 2)


def test_a_constant_score_has_a_higher_area_by_trapezoids() -> None:
    units = Units.gather([(row, Unit(row < 7, 0.5)) for row in range(10)])
    once = np.ones((1, 10))
    assert stats.average_precision(units)(once)[0] == pytest.approx(0.7)
    assert stats.auc_pr(units)(once)[0] == pytest.approx(0.85)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3))
def test_the_correlation_is_that_of_the_standard_library(pairs: list[tuple[int, int]]) -> None:
    x, y = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    found = stats.pearson(x, y)(np.ones((1, len(x))))[0]
    if len(set(x)) > 1 and len(set(y)) > 1:
        assert found == pytest.approx(max(0.0, correlation(list(x), list(y))), abs=1e-9)
    else:
        assert np.isnan(found)


def messages(*units: tuple[bool, float | None], groups: tuple[str, ...] = ()) -> list[Outcome]:
    return [
        Outcome(Row(str(n), "x", (float(wrong),), groups[n] if groups else ""), score, score)
        for n, (wrong, score) in enumerate(units)
    ]


def figures(
    dataset: str, rows: list[Outcome], threshold: float | None = None
) -> dict[str, float | None]:
    return values(metrics.measure(DATASETS[dataset], rows, threshold), len(rows))


def test_an_abstention_on_halueval_is_right_for_neither_class() -> None:
    rows = messages((True, 0.9), (True, None), (False, None), (False, 0.1))
    found = figures("halueval_qa", rows, 0.5)
    assert (found["tpr"], found["tnr"], found["balanced_accuracy"]) == (0.5, 0.5, 0.5)
    assert (found["arp"], found["arn"]) == (0.5, 0.5)


def test_no_row_is_decided_by_a_threshold_found_on_its_group() -> None:
    # Each group alone would be told apart by a threshold of its own.
    rows = messages(*[(True, 0.9), (False, 0.8)] * 10, groups=tuple("aabbccddeeffgghhiijj"))
    assert figures("phd", rows)["balanced_accuracy"] == 1
    alone = messages((True, 0.9), (False, 0.8), groups=("a", "a"))
    assert figures("phd", alone)["balanced_accuracy"] is None


def test_intervals_draw_whole_groups_and_are_the_same_each_time() -> None:
    rows = messages(*[(n % 2 == 0, n / 20) for n in range(20)])
    found = metrics.measure(DATASETS["own"], rows, 0.5)
    apart = stats.intervals(found, [""] * 20)
    assert apart == stats.intervals(found, [""] * 20)
    low, high = apart["auroc"] or (1, 0)
    assert low < (values(found, 20)["auroc"] or 0) < high
    assert apart["threshold"] == (0.5, 0.5)
    assert stats.intervals(found, ["one"] * 20)["auroc"] == (values(found, 20)["auroc"],) * 2


def test_a_mark_over_a_whole_sentence_does_not_find_an_error() -> None:
    text = "Ada was born in 1816 in London."
    row = Row("a", text, errors=(PlantedError((16, 20), "1816", "1815", "date"),))
    sentence = Sentence((0, len(text)), 0.9, 0.9, verdict="contradicted")

    def of(mark: tuple[int, int]) -> dict[str, float | None]:
        return figures("everyday", [Outcome(row, sentences=(sentence,), marks=((mark,),))])

    tight, wide = of((16, 20)), of((0, len(text)))
    assert (tight["found"], tight["found_loose"], tight["precision"]) == (1, 1, 1)
    assert (wide["found"], wide["found_loose"], wide["found: kind date"]) == (0, 1, 0)


def test_pairs_count_marks_and_verdicts() -> None:
    def pair(wrong: bool, verdict: str, mark: bool) -> Outcome:
        sentence = Sentence((0, 1), 0.5, 0.5, verdict=verdict)  # type: ignore[arg-type]
        row = Row("a", "x", (float(wrong),), parts=("kind date",))
        said = frozenset({verdict})
        return Outcome(row, 0.5, sentences=(sentence,), marks=(((0, 1),),) * mark, verdicts=said)  # type: ignore[arg-type]

    rows = [
        pair(True, "contradicted", True),
        pair(True, "supported", False),
        pair(False, "supported", False),
    ]
    found = figures("pairs", rows)
    assert (found["flagged"], found["left_alone"], found["contradicted"]) == (0.5, 1, 0.5)
    assert (found["called_supported"], found["right_supported"]) == (0.5, 1)
    assert found["flagged: kind date"] == 0.5


def test_frequencies_rank_what_other_answers_hold() -> None:
    held = Labelled(Triple("The bridge", "was opened in", "1931"), True)
    alone = Labelled(Triple("The bridge", "was designed by", "Bo Lind"), False)
    for way in ("exact", "fuzzy", None):
        units = list(frequencies([[[held, alone], [held], [held]]], way))
        assert [unit.wrong for unit in units] == [False, True, False, False]
        scores = [unit.score or 0.0 for unit in units]
        assert scores[0] < 0.01
        assert scores[1] > 0.3


def test_pairs_are_counted(tmp_path: Path) -> None:
    same, other = ["Ada", "was born in", "Ulm"], ["Ada", "was born in", "Bern"]
    path = tmp_path / "pairs.jsonl"
    pairs = [{"same": True, "a": same, "b": same}, {"same": True, "a": same, "b": other}]
    path.write_text("".join(json.dumps(one) + "\n" for one in pairs))
    assert precision_and_recall(path, "exact") == (1.0, 0.5)
    assert all(path.is_file() for path in (*DEVELOPMENT.values(), *TESTS.values()))
