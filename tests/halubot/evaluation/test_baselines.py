"""Plain baselines: which values, words and bigrams no source has."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace

import pytest

from halubot.evaluation import everyday, measures
from halubot.evaluation.baselines import HALF, NAMES, baselines, unseen_values
from halubot.evaluation.checked import Scored, ScoredSentence
from halubot.evaluation.rows import LabelledFact, PlantedError, Row
from halubot.report import Span, Triple

TEXT = "Tower Bridge opened in 1,894. It spans the Seine."
FIRST, SECOND = (0, 29), (30, 49)
YEAR, RIVER = (23, 28), (43, 48)
SOURCES = ("The Tower BRIDGE opened in 1895.", "Ships pass.")


def message(*errors: Span, gold: tuple[float, ...] = ()) -> Scored:
    row = Row(
        "1",
        TEXT,
        gold,
        references=SOURCES,
        errors=tuple(PlantedError(span, TEXT[slice(*span)], "x", "date") for span in errors),
        wrong_spans=errors,
        strata={"style": "ency"},
    )
    return Scored(
        row, 0.1, 0.2, sentences=(ScoredSentence(FIRST, 0, 0), ScoredSentence(SECOND, 0, 0))
    )


def figures(name: str, *rows: Scored) -> dict[str, float | None]:
    found = everyday.measure(baselines(rows)[name])
    return {metric: one.value for metric, one in found.items()}


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        (SOURCES, ["1,894", "Seine"]),
        (("Bridge 1894 seine",), []),
        (("Bridge 1894 Seiné",), []),
        ((), ["Bridge", "1,894", "Seine"]),
    ],
)
def test_numbers_and_capitalised_words_inside_of_sentences(
    sources: tuple[str, ...], found: list[str]
) -> None:
    places = unseen_values(TEXT, (FIRST, SECOND), sources)
    assert [TEXT[slice(*place)] for place in places] == found


def test_words_between_sentences_are_no_values() -> None:
    assert unseen_values(TEXT, (SECOND,), ()) == (RIVER,)


def test_each_unseen_value_is_a_mark() -> None:
    found = figures("unseen_values", message(YEAR))
    assert (found["found"], found["false_alarms"], found["precision"]) == (1, 1, 0.5)


def test_a_widened_mark_is_the_sentence() -> None:
    found = figures("unseen_values_wide", message(YEAR))
    assert (found["found"], found["found_loose"], found["precision"]) == (0, 1, 0.5)


@pytest.mark.parametrize("name", NAMES)
def test_a_baseline_gives_no_verdict_on_sentences(name: str) -> None:
    found = figures(name, message(YEAR))
    assert not {"called_supported", "right_supported", "not_checked"} & set(found)
    marking = ("unseen_values", "unseen_values_wide", "all_positive", "all_negative", "random")
    assert ("found" in found) == (name in marking)


def test_all_positive_and_all_negative_decide_all() -> None:
    rows = [message(gold=(1.0,)), message(gold=(0.0,)), message(gold=(1.0,))]
    made = baselines(rows)
    for name, caught, f1 in (("all_positive", 1.0, 2 * 2 / (2 + 3)), ("all_negative", 0.0, 0.0)):
        found = measures.of_dataset("phd", made[name], HALF)
        assert found["sensitivity"].value == caught
        assert found["specificity"].value == 1 - caught
        assert found["f1"].value == pytest.approx(f1)
        assert found["youden"].value == 0
        assert found["auroc"].value == 0.5
    assert figures("all_positive", message(YEAR))["false_alarms"] == 1
    assert figures("all_negative", message(YEAR))["found"] == 0


def test_the_coin_depends_on_the_row_alone() -> None:
    rows = [
        replace(message(gold=(1.0,)), row=replace(message(gold=(1.0,)).row, id=str(n)))
        for n in range(200)
    ]
    found = [one.score for one in baselines(rows)["random"]]
    assert found == [one.score for one in reversed(baselines(rows[::-1])["random"])]
    assert len(set(found)) == 200
    assert 80 < sum(score is not None and score >= HALF for score in found) < 120


def test_ngram_is_the_rarest_word_of_a_sentence() -> None:
    one = message()
    counts = Counter(re.findall(r"\w+(?:,\w+)?", " ".join([*SOURCES, TEXT]).casefold()))
    rarest = math.log(counts.total() / 1)  # "1,894" stands once
    (scored,) = baselines([one])["ngram"]
    assert [sentence.score for sentence in scored.sentences] == [pytest.approx(rarest)] * 2
    assert scored.score == pytest.approx(rarest)


def test_a_labelled_fact_has_the_score_of_its_place() -> None:
    labels = (LabelledFact(Triple("a", "b", "c"), (YEAR,), True),)
    one = message()
    made = baselines([replace(one, row=replace(one.row, labelled=labels), facts=())])
    assert [fact.score for fact in made["all_positive"][0].facts] == [1.0]
    assert [fact.score for fact in made["unseen_values"][0].facts] == [1.0]


def test_scores_are_shares() -> None:
    scored = {name: rows[0] for name, rows in baselines([message()]).items()}
    assert scored["unseen_values"].score == pytest.approx(2 / 3)
    assert [one.score for one in scored["unseen_values"].sentences] == [0.5, 1]
    assert [one.score for one in scored["unseen_values_wide"].sentences] == [1, 1]
    # Unseen: 1, 894, it, spans, seine; the source has "the".
    assert scored["unseen_words"].score == pytest.approx(5 / 10)
    assert scored["unseen_words"].rank == scored["unseen_words"].score
    assert scored["unseen_bigrams"].sentences[1].score == 1


def test_figures_of_other_data_sets_can_be_computed_of_them() -> None:
    rows = baselines([message(gold=(1.0,)), message(gold=(0.0,))])["unseen_bigrams"]
    assert measures.of_dataset("faithbench", rows, None)["auroc"].value == 0.5
