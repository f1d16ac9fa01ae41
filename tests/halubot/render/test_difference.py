import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.render.difference import Stretch, correction_stretches, difference, in_context
from halubot.report import Report

TEXTS = st.lists(
    st.sampled_from(["was", "not", "1,828", " ", "\n", ",", "é", "東京", "👩‍👧", "."])
).map("".join)


@given(TEXTS, TEXTS)
def test_nothing_is_lost(before: str, after: str) -> None:
    found = difference(before, after)
    assert "".join(one.before for one in found) == before
    assert "".join(one.after for one in found) == after
    assert all(one.before or one.after for one in found)


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("weighs 9,500 tonnes", "weighs 7,300 tonnes", [("9,500", "7,300")]),
        ("Charles Garnier", "Stephen Sauvestre", [("Charles Garnier", "Stephen Sauvestre")]),
        ("was not planned", "was planned", [("not ", "")]),
        ("gone", "", [("gone", "")]),
        ("same", "same", []),
    ],
)
def test_changes_are_whole_words(before: str, after: str, changes: list[tuple[str, str]]) -> None:
    found = [(one.before, one.after) for one in difference(before, after) if one.is_changed]
    assert found == changes


def test_spaces_stand_outside_a_shown_change() -> None:
    assert Stretch("not ", "").trim() == ("", "not", "", " ")
    assert Stretch(" a", " b").trim() == (" ", "a", "b", "")


def test_a_correction_in_stretches_leads_from_the_text_to_its_correction(report: Report) -> None:
    assert report.correction is not None
    found = correction_stretches(report)
    assert "".join(one.before for one in found) == report.text
    assert "".join(one.after for one in found) == report.correction.text
    edits = [one.edit for one in found if one.edit is not None]
    assert sorted(set(edits)) == list(range(len(report.correction.edits)))


def test_edits_that_do_not_fit_still_give_the_corrected_text(report: Report) -> None:
    assert report.correction is not None
    odd = report.correction.model_copy(update={"edits": report.correction.edits[:1]})
    found = correction_stretches(report.model_copy(update={"correction": odd}))
    assert "".join(one.after for one in found) == odd.text
    assert "".join(one.before for one in found) == report.text


def test_an_edit_is_shown_among_the_words_around_it(report: Report) -> None:
    assert report.correction is not None
    found = [in_context(report, edit) for edit in report.correction.edits]
    assert "".join(one.before for one in found[3]) == "The tower was not planned as a temporary …"
    assert [(one.before, one.after) for one in found[3] if one.is_changed] == [("not ", "")]
    for edit, stretches in zip(report.correction.edits, found, strict=True):
        assert edit.before in "".join(one.before for one in stretches)
        assert edit.after in "".join(one.after for one in stretches)
