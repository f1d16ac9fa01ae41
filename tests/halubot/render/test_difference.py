import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.render.difference import correction_stretches, difference
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


def test_a_correction_in_stretches_leads_from_the_text_to_its_correction(report: Report) -> None:
    assert report.correction is not None
    found = correction_stretches(report)
    assert "".join(one.before for one in found) == report.text
    assert "".join(one.after for one in found) == report.correction.text
