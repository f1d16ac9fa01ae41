"""Edits are accepted one by one, in any order, and each stands by itself."""

from __future__ import annotations

from itertools import combinations

import pytest

import halubot
from halubot import InputError, Report
from halubot.correction.corrector import make_correction
from halubot.edits import apply_decisions, own_words
from halubot.report import Action, Correction, Edit

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


LISTED = "Ada Hill:\n\n- She was born in 1816.\n- She died in 1890. She knew Ben Moore.\n"


def of_edits(text: str, *edits: tuple[str, str, Action]) -> Report:
    """A report whose correction has these edits, each of the sentence that holds it."""
    made = []
    report = halubot.check(text, references=["Nothing of it."])
    for before, after, action in edits:
        start = text.index(before)
        sentence = next(
            sentence.index
            for sentence in report.sentences
            if sentence.start < start + len(before) and start < sentence.end
        )
        made.append(
            Edit(
                sentence=sentence,
                start=start,
                end=start + len(before),
                before=before,
                after=after,
                facts=(),
                action=action,
            )
        )
    return report.model_copy(update={"correction": Correction(text=text, edits=tuple(made))})


def test_decisions_make_the_text_that_was_decided_on(report: Report) -> None:
    assert apply_decisions(report, {}).text == TEXT
    assert apply_decisions(report, {}).edits == ()
    assert apply_decisions(report, {0: True, 1: True}).text == RIGHT
    assert apply_decisions(report, {0: False, 1: True}).text == TEXT.replace("1890", "1852")
    mixed = apply_decisions(report, {0: " in May 1815 ", 1: False})
    assert mixed.text == TEXT.replace("1816", "in May 1815")
    assert [edit.after for edit in mixed.edits] == ["in May 1815"]
    assert report.correction is not None
    assert mixed.edits[0].facts == report.correction.edits[0].facts


def test_edits_made_by_hand_point_into_the_text(report: Report) -> None:
    for words in ("1817", "", "   ", "1816"):
        made = apply_decisions(report, {0: words, 1: "on a Sunday"})
        for edit in made.edits:
            assert TEXT[edit.start : edit.end] == edit.before
        assert made.text.endswith("She died in on a Sunday.")
    assert apply_decisions(report, {0: ""}).text == TEXT.replace(" 1816", "")
    assert apply_decisions(report, {0: "1816"}).edits == ()


def test_what_was_to_be_taken_out_is_rewritten_in_its_place() -> None:
    gone = of_edits(LISTED, ("- She was born in 1816.\n", "", "removed"))
    assert gone.correction is not None
    assert apply_decisions(gone, {0: True}).text == LISTED.replace("- She was born in 1816.\n", "")
    assert apply_decisions(gone, {0: ""}).text == apply_decisions(gone, {0: True}).text
    assert apply_decisions(gone, {0: "She was born late."}).text == LISTED.replace(
        "She was born in 1816.", "She was born late."
    )
    start, end = own_words(gone, gone.correction.edits[0])
    assert LISTED[start:end] == "She was born in 1816."


def test_what_was_to_be_put_in_is_written_by_hand() -> None:
    text = "She died in 1890. She knew Ben."
    report = of_edits(text, ("She died in 1890", "She died in 1890", "kept"))
    assert report.correction is not None
    edit = report.correction.edits[0]
    put = edit.model_copy(
        update={"start": 16, "before": "", "after": " (unconfirmed)", "action": "hedged"}
    )
    report = report.model_copy(update={"correction": Correction(text=text, edits=(put,))})
    assert (
        apply_decisions(report, {0: "(or 1852)"}).text
        == "She died in 1890 (or 1852). She knew Ben."
    )
    assert apply_decisions(report, {0: ""}).text == text


def test_a_sentence_that_was_refused_can_be_written_by_hand() -> None:
    text = "She died in 1890. She knew Ben."
    report = of_edits(text, ("She died in 1890.", "She died in 1890.", "refused"))
    assert [edit.action for edit in apply_decisions(report, {}).edits] == ["refused"]
    written = apply_decisions(report, {0: "She died in 1852."})
    assert written.text == "She died in 1852. She knew Ben."
    assert [edit.action for edit in written.edits] == ["changed"]


def test_there_is_nothing_to_decide_without_a_correction() -> None:
    with pytest.raises(InputError, match="no correction"):
        apply_decisions(halubot.check(TEXT, samples=[RIGHT]), {})
