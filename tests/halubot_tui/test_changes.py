"""Changes of a text as they are drawn: tables are set in columns, and no mark of Markdown shows."""

from __future__ import annotations

import pytest

from halubot.correction.corrector import DOUBT_ONLY
from halubot_tui import changes
from halubot_tui.looks import Signs
from halubot_tui.turns import Inputs, Turn
from tests.halubot_tui.scenes import checked


@pytest.mark.parametrize("ascii", [False, True])
def test_a_table_stands_in_columns(*, ascii: bool) -> None:
    revision = checked().revision
    assert revision is not None
    place = next(i for i, edit in enumerate(revision.edits) if edit.before == "1844")

    text, at = changes.whole(revision, place, Signs(ascii))

    rows = text.plain.split("Somerville.", 1)[1].replace("!]", "").split("\n")
    table = [
        line for line in rows if "work" in line or "Notes" in line or "-+-" in line or "┼" in line
    ]
    bar, arrow = ("|", "->") if ascii else ("│", "→")
    assert table == [
        f"work  {bar} year",
        f"-----{'-+-'}{'-' * 14}" if ascii else f"─────{'─┼─'}{'─' * 13}",
        f"Notes {bar} [1844 {arrow} 1843]",
    ]
    assert text.plain[at:].startswith(("[1844", "1844"))


def test_a_table_that_is_too_wide_is_not_set_in_columns() -> None:
    revision = checked().revision
    assert revision is not None

    text, _ = changes.whole(revision, None, Signs(), width=12)

    assert "\nwork │ year\n" in text.plain
    assert "| ---" not in text.plain


def test_a_change_in_a_table_shows_no_marks_of_markdown() -> None:
    revision = checked().revision
    assert revision is not None
    place = next(i for i, edit in enumerate(revision.edits) if edit.before == "1844")

    shown = changes.change(revision, place, Signs()).plain

    assert "|" not in shown
    assert "---" not in shown
    assert shown.endswith("│ Notes │ [1844 → 1843]")


def test_words_written_by_hand_stand_in_their_sentence() -> None:
    revision = checked().revision
    assert revision is not None
    place = next(i for i, edit in enumerate(revision.edits) if "1816" in edit.before)
    revision.decisions[place] = "1817"

    shown = changes.change(revision, place, Signs()).plain

    assert "[1816 → 1817]" in shown
    assert "born in" in shown


@pytest.mark.parametrize("words", ["1842 and 1843", "Notes of 1843"])
def test_words_written_by_hand_in_a_table_show_no_marks_of_markdown(words: str) -> None:
    revision = checked().revision
    assert revision is not None
    place = next(i for i, edit in enumerate(revision.edits) if edit.before == "1844")
    revision.decisions[place] = words

    shown = changes.change(revision, place, Signs()).plain

    assert "|" not in shown
    assert "---" not in shown
    assert shown.endswith(f"│ Notes │ [1844 → {words}]")


def test_a_sentence_of_a_table_shows_no_marks_of_markdown() -> None:
    turn = checked()
    revision = turn.revision
    assert revision is not None
    places = revision.list_places(whole=True)
    shown = "\n".join(changes.row(revision, at, Signs(), 80, chosen=False).plain for at in places)
    assert "Notes" in shown
    assert "|" not in shown
    assert "---" not in shown


def test_a_title_has_no_marks_of_markdown() -> None:
    text = "# A walk\n\nThe **mill** was built in 1746."
    assert Turn("t", Inputs(kind="check", text=text)).title == "A walk The mill was built in 1746."


def test_a_source_against_a_fact_is_counted_where_it_is_not_contradicted() -> None:
    revision = checked().revision
    assert revision is not None
    edit = revision.edits[1].model_copy(update={"after": "1844", "action": "kept"})
    assert changes._count_against(edit, revision.causes()[1]) == ""
    edit = edit.model_copy(update={"reason": DOUBT_ONLY})
    said = changes._count_against(edit, revision.causes()[1])
    assert said == "1 source says otherwise, too few to call it contradicted"
