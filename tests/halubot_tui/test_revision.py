"""A correction is decided on edit by edit; what is kept of it is read back as it was."""

from __future__ import annotations

import json
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import halubot
from halubot import Report
from halubot_tui.correction_record import bare, whole
from halubot_tui.handwork import begin_by_hand, take_by_hand
from halubot_tui.revision import Revision
from halubot_tui.turns import list_entries

TEXT = "Ada Hill was born in 1816. She knew Ben Moore. She died in 1890. She disliked tea."
RIGHT = "Ada Hill was born in 1815. She knew Ben Moore. She died in 1852. She liked tea."
LONG = "She wrote letters to Ben Moore from Paris. She met Carl Weber in Vienna in 1840."


@pytest.fixture(scope="module")
def proposed() -> Report:
    report = halubot.correct(TEXT, samples=[RIGHT] * 4)
    assert report.correction is not None
    assert len(report.correction.edits) == 3
    return report


def test_edits_are_open_until_they_are_decided_on(proposed: Report) -> None:
    revision = Revision(proposed)
    assert len(revision.open) == 3
    assert revision.tally() == "3 changes: 3 open"
    revision.decisions.update({0: True, 1: False, 2: "loved"})
    assert [revision.state(index) for index in range(3)] == ["made", "left", "by hand"]
    assert not revision.open
    assert revision.tally() == "3 changes: 1 accepted, 1 rejected, 1 edited"
    assert revision.decided_text.text == (
        "Ada Hill was born in 1815. She knew Ben Moore. She died in 1890. She loved tea."
    )


def test_accepting_all_leaves_what_is_decided(proposed: Report) -> None:
    revision = Revision(proposed, {1: False})
    assert revision.accepting() == {0: True, 2: True}


def test_a_person_begins_with_the_words_that_are_proposed(proposed: Report) -> None:
    revision = Revision(proposed)
    assert revision.words_of(0) == ("1816", "1815")
    revision.decisions[0] = "1814"
    assert revision.words_of(0) == ("1816", "1814")


def test_where_a_sentence_is_taken_out_a_person_begins_with_it() -> None:
    report = halubot.correct(
        f"{RIGHT} {LONG} She never liked tea.", references=[f"{RIGHT} {LONG}"], on_doubt="remove"
    )
    revision = Revision(report)
    assert [edit.action for edit in revision.edits] == ["removed"]
    assert revision.words_of(0) == ("She never liked tea.", "She never liked tea.")


def test_of_words_that_stay_there_is_nothing_to_decide() -> None:
    """They are in doubt, and the sources give nothing in their place."""
    report = halubot.correct(TEXT.replace("disliked", "never liked"), references=[RIGHT])
    revision = Revision(report)
    assert [revision.state(index) for index in range(3)] == ["open", "open", "kept"]
    assert revision.edits[2].reason
    assert revision.accepting() == {0: True, 1: True}
    assert revision.tally() == "2 changes: 2 open; 1 doubted place stays as written"
    assert not revision.is_settled
    revision.decisions.update(revision.accepting())
    assert revision.decided_text.text == RIGHT.replace("liked", "never liked")
    assert [piece.state for piece in revision.pieces() if piece.edit == 2] == ["kept"]


def test_where_all_stays_all_is_settled_until_a_person_writes() -> None:
    report = halubot.correct("She never liked tea.", references=["She liked tea."])
    revision = Revision(report)
    assert revision.is_settled
    assert not revision.open
    assert revision.decided_text.text == "She never liked tea."
    revision.decisions[0] = "liked"
    assert not revision.is_settled
    assert revision.decided_text.text == "She liked tea."
    untouched = Revision(halubot.correct(RIGHT, references=[RIGHT]))
    assert untouched.is_settled
    untouched.decisions[0] = "Ada Hill was born in May 1815."
    assert not untouched.is_settled


OPEN = "She had eleven cats."


def test_every_sentence_can_be_written_by_hand() -> None:
    report = halubot.correct(f"{TEXT} {OPEN}", references=[RIGHT])
    revision = Revision(report, {0: True})
    first, last = 3, 3 + 4
    assert revision.list_places() == [0, 1, 2, last]
    assert revision.list_places(whole=True) == [0, 4, 1, 2, last]  # a sentence stands once
    assert revision.state(last) == "none"
    assert [entry.verdict for entry in revision.causes()[last]] == ["not_checked"]
    assert revision.words_of(last) == (OPEN, OPEN)
    revision.decisions[last] = "She had two cats."
    assert revision.state(last) == "by hand"
    assert revision.tally() == "4 changes: 2 open, 1 accepted, 1 edited"
    assert revision.decided_text.text == (f"{TEXT.replace('1816', '1815')} She had two cats.")
    assert [piece.after for piece in revision.pieces() if piece.edit == last] == [
        "She had two cats."
    ]
    assert revision.words_of(first) == (
        "Ada Hill was born in 1816.",
        "Ada Hill was born in 1815.",
    )


def test_a_sentence_that_a_person_writes_overrules_the_changes_in_it() -> None:
    report = halubot.correct(TEXT, references=[RIGHT])
    revision = Revision(report, {0: True, 3: "Ada Hill came from Bath."})
    assert revision.state(0) == "over"
    assert revision.open == (1, 2)
    assert revision.decided_text.text == TEXT.replace(
        "Ada Hill was born in 1816.", "Ada Hill came from Bath."
    )
    assert "".join(piece.before for piece in revision.pieces()) == TEXT
    kept = json.loads(json.dumps(revision.to_record()))
    again = Revision.read(report, kept, dict(revision.decisions))
    assert again.decided_text == revision.decided_text
    del revision.decisions[3]
    assert revision.state(0) == "made"


def test_a_sentence_without_words_is_taken_out() -> None:
    report = halubot.correct(f"{TEXT} {OPEN}", references=[RIGHT])
    revision = Revision(report, {7: ""})
    assert revision.decided_text.text == TEXT


def test_what_is_listed_leads_to_its_place() -> None:
    report = halubot.correct(f"{TEXT} {OPEN}", references=[RIGHT])
    revision = Revision(report)
    places = [revision.place_of(entry) for entry in list_entries(report)]
    assert places == [0, 4, 1, 2, 7]


TWO = "Ada Hill was born in 1815 in Kent. She knew Ben Moore."


def test_a_sentence_is_begun_with_what_all_sources_give_in_its_place() -> None:
    """Two answers settle nothing, so no change is offered; a person may take what they say."""
    report = halubot.correct(
        "Ada Hill was born in 1816 in Kent. She knew Ben Moore.", samples=[TWO, TWO]
    )
    revision = Revision(report)
    assert [revision.state(index) for index in revision.list_places()] == ["kept"]
    assert revision.in_doubt == (0,)
    assert revision.standing == "1 fact still contradicted"
    begun = begin_by_hand(revision, 0)
    assert begun == ("Ada Hill was born in ", "1815", " in Kent.", True)
    taken = take_by_hand(revision, 0, begun, begun.text)
    assert taken == {0: "1815"}
    revision.decisions[0] = "1815"
    assert revision.decided_text.text == TWO
    assert not revision.in_doubt
    assert revision.standing == "1 of 1 change made"
    assert begin_by_hand(revision, 0).words == "1815"


def test_what_a_person_writes_is_the_words_of_a_change_or_else_the_sentence() -> None:
    revision = Revision(halubot.correct(TEXT, references=[RIGHT]))
    begun = begin_by_hand(revision, 0)
    assert begun == ("Ada Hill was born in ", "1815", ".", False)
    for text, decided in (
        (begun.text, {0: True}),
        ("Ada Hill was born in 1816.", {0: False}),
        ("Ada Hill was born in May 1815.", {0: "May 1815"}),
        ("Ada came in 1815.", {3: "Ada came in 1815."}),
        ("", {3: ""}),
    ):
        assert take_by_hand(revision, 0, begun, f" {text} ") == decided, text
    sentence = begin_by_hand(revision, 3)
    assert take_by_hand(revision, 3, sentence, "Ada Hill was born in 1816.") == {}
    revision.decisions[3] = "Ada came."
    assert take_by_hand(revision, 3, sentence, "Ada Hill was born in 1816.") == {3: None}
    assert revision.list_places() == [3, 1, 2]


def test_a_sentence_is_listed_once() -> None:
    """A part of it is in doubt, and no source speaks of another part."""
    text = "Ada Hill was born in 1816. She has lived in Kent with eleven cats since 1840."
    report = halubot.correct(text, references=["Ada Hill was born in 1815. She lived in Bath."])
    revision = Revision(report)
    sentences = [revision.places[index].sentence for index in revision.list_places()]
    assert len(sentences) == len(set(sentences))
    for entry in list_entries(report):
        if entry.verdict != "supported":
            assert revision.place_of(entry) in revision.list_places()


def test_it_goes_on_with_what_is_open_and_then_with_what_is_in_doubt() -> None:
    text = TEXT.replace("disliked", "never liked")
    revision = Revision(halubot.correct(text, references=[RIGHT]))
    assert revision.next_undecided(0) == 1
    revision.decisions[1] = True
    assert revision.next_undecided(1) == 0
    revision.decisions[0] = False
    assert revision.next_undecided(0) == 2
    assert revision.standing == "1 of 2 changes made, 2 facts still contradicted"
    revision.decisions[2] = "liked"
    assert revision.next_undecided(2) is None


DECISIONS = st.dictionaries(
    st.integers(0, 6), st.booleans() | st.text("ab .", max_size=6), max_size=4
)


@settings(max_examples=60, deadline=None)
@given(decisions=DECISIONS)
def test_the_preview_is_the_text_and_what_becomes_of_it(
    proposed: Report, decisions: dict[int, bool | str]
) -> None:
    revision = Revision(proposed, decisions)
    pieces = list(revision.pieces())
    assert "".join(piece.before for piece in pieces) == TEXT
    written = {i: text.strip() for i, text in decisions.items() if isinstance(text, str)}
    if all(written.values()):
        assert revision.tally()
        kept = "".join(
            piece.after if piece.state in ("made", "by hand") else piece.before for piece in pieces
        )
        assert kept.split() == revision.decided_text.text.split()


def test_both_results_stand_side_by_side(proposed: Report) -> None:
    revision = Revision(proposed, {0: True, 1: True, 2: True})
    assert revision.figures() == ()
    assert not revision.current
    revision.outcome = proposed
    assert revision.current
    figures = {what: (before, after) for what, before, after in revision.figures()}
    assert figures["contradicted"] == ("3", "0")
    assert figures["facts in doubt"] == ("3", "0")
    revision.decisions[0] = False
    assert not revision.current


def test_what_is_kept_is_read_back(proposed: Report) -> None:
    decisions: dict[int, bool | str] = {0: True, 1: "in Rome"}
    revision = Revision(proposed, decisions, outcome=proposed)
    kept = json.loads(json.dumps(revision.to_record()))
    assert kept["outcome"]["report"]["sources"] is None
    found = Revision.read(proposed.model_copy(update={"correction": None}), kept, decisions)
    assert found.edits == revision.edits
    assert found.decided_text == revision.decided_text
    assert found.outcome == revision.outcome


@pytest.mark.parametrize("kept", [{}, {"proposed": {"text": 3}}, {"proposed": None}])
def test_what_cannot_be_read_is_refused(proposed: Report, kept: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Revision.read(proposed, kept, {})


def test_a_correction_of_another_text_is_refused(proposed: Report) -> None:
    kept = Revision(proposed).to_record()
    other = halubot.check("Something else entirely.", samples=[RIGHT])
    with pytest.raises(ValueError, match="another text"):
        Revision.read(other, kept, {})


def test_a_report_is_kept_without_the_sources_it_shares(proposed: Report) -> None:
    data = cast("dict[str, object]", json.loads(json.dumps(bare(proposed, proposed.sources))))
    assert data["sources"] is None
    assert whole(data, proposed.sources) == proposed
    assert bare(proposed, ())["sources"]
    assert whole(bare(proposed, ()), ()) == proposed
