"""Edits are accepted one by one, in any order, and each stands by itself."""

from __future__ import annotations

from itertools import combinations

import pytest

import halubot
from halubot import InputError, Report
from halubot.correction.corrector import make_correction

TEXT = "Ada Hill was born in 1816. She knew Ben Moore. She died in 1890."
RIGHT = "Ada Hill was born in 1815. She knew Ben Moore. She died in 1852."


@pytest.fixture(scope="module")
def report() -> Report:
    return halubot.correct(TEXT, samples=[RIGHT] * 4)


def test_all_edits_make_the_corrected_text(report: Report) -> None:
    assert report.correction is not None
    assert halubot.accept(report) == report.correction.text == RIGHT
    assert halubot.accept(report, [1, 0]) == RIGHT
    assert halubot.accept(report, iter([0, 1, 1])) == RIGHT


def test_some_edits_leave_the_rest_as_it_was(report: Report) -> None:
    assert halubot.accept(report, []) == TEXT
    assert halubot.accept(report, [0]) == TEXT.replace("1816", "1815")
    assert halubot.accept(report, [1]) == TEXT.replace("1890", "1852")


@pytest.mark.parametrize("index", [2, -1, True, "0", 1.0])
def test_an_edit_that_is_not_there_is_named(report: Report, index: int) -> None:
    with pytest.raises(InputError, match=f"there is no edit {index!r}: they go from 0 to 1"):
        halubot.accept(report, [index])


def test_without_a_correction_there_is_nothing_to_accept(report: Report) -> None:
    with pytest.raises(InputError, match="holds no correction"):
        halubot.accept(report.model_copy(update={"correction": None}))
    clean = halubot.correct(RIGHT, samples=[RIGHT] * 3)
    assert halubot.accept(clean) == RIGHT
    with pytest.raises(InputError, match="the correction has none"):
        halubot.accept(clean, [0])


OTHERS = [
    f"Ada Hill was born in London. She kept {n} cats. She met {name} in {1840 + n}."
    for n, name in enumerate(("Moore", "Holt", "Lamb", "Fox"), start=2)
]
FILLING = " ".join(["Ada Hill was born in London."] * 12)


def test_sentences_taken_out_side_by_side_are_two_edits() -> None:
    text = f"{FILLING} She kept 90 cats. She kept 80 cats."
    report = halubot.check(text, samples=OTHERS)
    made = make_correction(report, on_doubt="remove")
    assert [edit.action for edit in made.edits] == ["removed", "removed"]
    assert made.text == FILLING
    whole = report.model_copy(update={"correction": made})
    assert halubot.accept(whole, [0]) == f"{FILLING} She kept 80 cats."
    assert halubot.accept(whole, [1]) == f"{FILLING} She kept 90 cats."


def test_each_part_of_an_embedded_correction_can_be_made() -> None:
    text = (
        f"- Ada Hill was born in Paris. She kept 90 cats.\n- She kept 80 cats.\n\n{FILLING}\n"
        "She met Stone in 1850. She kept 70 cats."
    )
    report = halubot.correct(text, samples=OTHERS, on_doubt="remove")
    assert report.correction is not None
    edits = report.correction.edits
    assert len(edits) > 1
    for size in range(len(edits) + 1):
        for some in combinations(range(len(edits)), size):
            made = halubot.accept(report, some)
            assert made == halubot.accept(report, reversed(some))
            for index, edit in enumerate(edits):
                if index not in some and edit.before.strip():
                    assert edit.before.strip() in made
    assert "\n\n\n" not in report.correction.text
    assert "- \n" not in report.correction.text
