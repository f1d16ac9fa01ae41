"""A text is corrected where its sources agree on better, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot import checking, correct, demo
from halubot.correcting import OnDoubt
from halubot.correcting.accepting import applied
from halubot.facts import DOUBTED, Correction, Report


def correction(report: Report) -> Correction:
    assert report.correction is not None
    return report.correction


WRONG = "Ada Lovelace was born in London in 1816. She wrote the first program."
RIGHT = "Ada Lovelace was born in London in 1815. She wrote the first program."


def test_a_value_gives_way_to_the_one_most_samples_have() -> None:
    made = correction(correct(WRONG, samples=[RIGHT] * 4 + [WRONG]))
    assert made.text == RIGHT
    (edit,) = made.edits
    assert (edit.before, edit.after, edit.action) == ("1816", "1815", "changed")
    assert edit.sentence == 0
    assert made.report is not None
    assert not made.report.doubted()


def test_a_reference_decides_against_the_samples() -> None:
    made = correction(correct(WRONG, samples=[WRONG] * 5, references=[RIGHT]))
    assert made.text == RIGHT


def test_a_negation_is_turned() -> None:
    wrong = "The bridge was not built in 1901."
    made = correction(correct(wrong, references=["The bridge was built in 1901."]))
    assert made.text == "The bridge was built in 1901."


def test_nothing_doubted_nothing_changed() -> None:
    report = correct(RIGHT, samples=[RIGHT] * 3)
    assert correction(report) == Correction(text=RIGHT, edits=())


def test_nothing_to_compare_with_nothing_changed() -> None:
    report = correct(RIGHT)
    assert correction(report).text == RIGHT
    assert {fact.verdict for fact in report.facts} == {"not_checked"}


def test_a_report_made_before_is_corrected_with_its_own_sources() -> None:
    report = checking.check(WRONG, samples=[RIGHT] * 4, threshold=0.4)
    corrected = correct(report)
    assert correction(corrected).text == RIGHT
    again = correction(corrected).report
    assert again is not None
    assert again.sources == report.sources
    assert again.threshold == report.threshold


INVENTED = "Ada Lovelace was born in London, and she kept eleven parrots in Norway."


@pytest.mark.parametrize(
    ("on_doubt", "text", "action"),
    [
        ("remove", "Ada Lovelace was born in London.", "removed"),
        (
            "hedge",
            "Ada Lovelace was born in London, and she kept eleven parrots in Norway (unconfirmed).",
            "hedged",
        ),
        (
            "mark",
            "Ada Lovelace was born in London, and she kept eleven parrots in Norway [doubtful].",
            "kept",
        ),
    ],
)
def test_what_has_no_other_value_is_removed_hedged_or_marked(
    on_doubt: OnDoubt, text: str, action: str
) -> None:
    samples = ["Ada Lovelace was born in London. She wrote a program for a machine."] * 5
    made = correction(correct(INVENTED, samples=samples, on_doubt=on_doubt))
    assert made.text == text
    assert {edit.action for edit in made.edits} == {action}


def test_the_demo_is_corrected_where_the_samples_decide_and_nowhere_else() -> None:
    shown = demo.load()
    report = correct(
        shown.text,
        question=shown.question,
        samples=shown.samples,
        references=shown.references,
    )
    made = correction(report)
    expected = shown.text
    for planted in shown.planted:
        if planted.right is not None:
            assert planted.wrong in expected
            expected = expected.replace(planted.wrong, planted.right)
    invented = [planted.wrong for planted in shown.planted if planted.right is None]
    for clause in invented:
        assert clause not in made.text
        expected = expected.replace(f", and {clause}", "")
    assert made.text == expected
    assert len(made.edits) == len(shown.planted)
    assert made.report is not None
    assert not made.report.doubted()


@given(st.data())
def test_sentences_without_a_doubted_fact_stay_byte_for_byte(data: st.DataObject) -> None:
    years = data.draw(st.lists(st.integers(1800, 1999), min_size=1, max_size=5))
    told = data.draw(st.lists(st.sampled_from([0, 1]), min_size=len(years), max_size=len(years)))
    names = ["Ada", "Ben", "Cora", "Dan", "Eve"]
    right = [f"{name} Hill was born in {year}." for name, year in zip(names, years, strict=False)]
    wrong = [
        f"{name} Hill was born in {year + shift}."
        for name, year, shift in zip(names, years, told, strict=False)
    ]
    report = correct("  ".join(wrong), samples=[" ".join(right)] * 3)
    made = correction(report)
    assert made.text == applied(report.text, made.edits)
    doubted = {i for fact in report.facts if fact.verdict in DOUBTED for i in fact.sentences}
    for edit in made.edits:
        assert edit.sentence in doubted
        assert report.text[edit.start : edit.end] == edit.before
    for sentence in report.sentences:
        if sentence.index not in doubted:
            assert report.text[sentence.start : sentence.end] in made.text
