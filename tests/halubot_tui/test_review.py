"""Facts are gone through, corrected in place, undone and checked again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from halubot.render.captions import MEANINGS, VERDICTS, WORDS
from halubot_tui.corrections import entry_key
from halubot_tui.preferences import Preferences
from tests.halubot_tui.canned import ANSWER, TEXT, CannedChecker, propose
from tests.halubot_tui.driving import (
    check_text,
    driven,
    ended,
    opened,
    settled,
    shown,
)

if TYPE_CHECKING:
    from pathlib import Path

TAKEN = TEXT.replace("1816", "1815")


@driven
async def test_a_fact_is_gone_to_corrected_kept_and_undone(tmp_path: Path) -> None:
    """Each row: a key, what stands on the screen then, what does not, and the corrected text."""
    kept = f"1 {VERDICTS['supported']}"
    steps = [
        ("", ["4 in doubt", kept, "“Ada Lovelace was born in 1815"], ["1✗ "], TEXT),
        ("enter", ["3 in doubt", "1 done", "1815 (was 1816)", "Why 2"], [], TAKEN),
        ("n", [f"Why 3 {WORDS['contradicted'].one}"], [], TAKEN),
        ("k", ["= 3", "2 in doubt"], [], TAKEN),
        ("u", ["3 in doubt", "✗ 3"], ["= 3"], TAKEN),
        ("u", ["4 in doubt", "✗ 1"], ["was 1816"], TEXT),
        ("p", ["Why 4 is", "Round to the last one."], [], TEXT),
        ("n", ["Why 1 is", "Round to the first one."], [], TEXT),
        ("down", ["Why 2 is"], [], TEXT),
        ("end", [f"{kept}: {MEANINGS['supported']}.", "⏎ unfold"], ["Why 2", "e edit"], TEXT),
        ("p", [f"Why 4 {WORDS['doubtful'].one}"], [], TEXT),
    ]
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        check = await check_text(pilot)
        for key, there, gone, text in steps:
            if key:
                await pilot.press(key)
            await settled(pilot, lambda t=there: all(one in shown(app) for one in t))  # type: ignore[misc]
            assert not [one for one in gone if one in shown(app)]
            assert check.corrected == text


@pytest.mark.slow
@driven
async def test_a_sentence_is_edited_beside_the_quotes(tmp_path: Path) -> None:
    """The words in doubt are selected; Tab takes those of the sources; Esc changes nothing."""
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        check = await check_text(pilot)
        await pilot.press("e")
        await settled(pilot, lambda: "Esc cancel" in shown(app))
        assert "“Ada Lovelace was born in 1815" in shown(app)
        await pilot.press("x", "escape")
        await settled(pilot, lambda: "Esc again drops what you wrote" in shown(app))
        assert "Esc cancel" in shown(app)
        await pilot.press("escape")
        assert check.corrected == TEXT
        for keys, year in (
            ((*"1817",), "1817"),
            (("tab",), "1815"),
            (("tab", "tab"), "1816"),
        ):
            await pilot.press("e", *keys, "enter")
            await settled(pilot, lambda: "Esc cancel" not in shown(app))
            assert check.corrected == TEXT.replace("1816", year)
            await pilot.press("u")
            await settled(pilot, lambda: "Why 1 is" in shown(app))
        await pilot.press("e", "end", "left", *" of all places", "enter")
        await settled(pilot, lambda: check.corrections.changes)
        assert check.corrected == TEXT.replace("London", "London of all places")
        await settled(pilot, lambda: "London of all places" in shown(app))
        assert "3 in doubt" in shown(app)  # its sentence is to be checked again


@pytest.mark.slow
@driven
async def test_the_corrected_text_is_checked_again_and_undo_goes_back(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        first = await check_text(pilot)
        await pilot.press("enter", "enter", "enter", "k", "c")
        await settled(pilot, lambda: app.open_checks.shown is not first)
        second = await ended(pilot)
        assert "1815" in second.text
        assert "1816" not in second.text
        await settled(pilot, lambda: "0 in doubt (4)" in shown(app))
        assert "Nothing is left to look at" in shown(app)
        await pilot.press("u")
        await settled(pilot, lambda: app.open_checks.shown is first)
        assert "was 1816" in shown(app)


@pytest.mark.slow
@driven
async def test_changes_outlive_the_app(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await check_text(pilot)
        session = app.session_id
        await pilot.press("enter", "n", "k")
        await app.workers.wait_for_complete([one for one in app.workers if one.group == "storing"])
    again = opened(tmp_path)
    async with again.run_test(size=(120, 40)) as pilot:
        await again.opened.wait()
        assert session is not None
        await again.open_session(session)
        check = await ended(pilot)
        assert check.corrected == TAKEN
        await settled(pilot, lambda: "1815 (was 1816)" in shown(again))
        assert "= 3" in shown(again)


@driven
async def test_a_model_is_asked_where_no_source_gives_a_value(tmp_path: Path) -> None:
    checker = CannedChecker()
    app = opened(tmp_path, checker, preferences=Preferences(model="ollama_chat/x"))
    async with app.run_test(size=(120, 40)) as pilot:
        check = await check_text(pilot)
        doubtful = next(one for one in check.entries if one.verdict == "doubtful")
        app.main.select(entry_key(doubtful))
        await settled(pilot, lambda: "ask the model for a correction" in shown(app))
        report = check.report
        assert report is not None
        (edit, *_) = propose(report)
        assert doubtful.fact is not None
        at = TEXT.index("Paris")
        checker.edits = [
            edit.model_copy(
                update={
                    "start": at,
                    "end": at + 5,
                    "before": "Paris",
                    "after": "London",
                    "facts": (doubtful.fact.index,),
                }
            )
        ]
        await pilot.press("enter")
        await settled(pilot, lambda: "use London" in shown(app))
        await pilot.press("enter")
        assert "died in London" in check.corrected


@pytest.mark.slow
@driven
async def test_work_is_stopped_and_quitting_is_asked(tmp_path: Path) -> None:
    app = opened(tmp_path, CannedChecker(asyncio.Event()))
    async with app.run_test(size=(120, 40)) as pilot:
        await app.opened.wait()
        task = asyncio.ensure_future(check_text(pilot))
        await settled(pilot, lambda: "5 being checked" in shown(app))
        await pilot.press("ctrl+c")
        await task
        await settled(pilot, lambda: "Stopped. c checks it again." in shown(app))
        app._interrupted = float("-inf")
        await pilot.press("ctrl+c")
        assert "Ctrl+C again quits." in shown(app)
        await pilot.press("ctrl+c")
        await settled(pilot, lambda: "Quit halubot?" in shown(app))
        await pilot.press("escape")
        await settled(pilot, lambda: "Quit halubot?" not in shown(app))


@driven
async def test_notes_are_one_line_until_they_are_opened(tmp_path: Path) -> None:
    checker = CannedChecker()
    checker.notes = [("a sample was left out", "it was empty"), ("it was slow", "the server")]
    app = opened(tmp_path, checker)
    async with app.run_test(size=(80, 24)) as pilot:
        await check_text(pilot)
        await settled(pilot, lambda: "⚠ 2 notes" in shown(app))
        assert "left out" not in shown(app)
        await pilot.click("#notes CollapsibleTitle")
        await settled(pilot, lambda: "a sample was left out" in shown(app))


@driven
async def test_what_decides_is_in_sight_at_every_size(tmp_path: Path) -> None:
    app = opened(tmp_path)
    words = ("use 1815", "1816✗¹", "4 in doubt", "✗ 1", "2✗", "Why 1", "2 answers", "? help", "×2")
    async with app.run_test(size=(60, 20)) as pilot:
        await check_text(pilot, samples=(ANSWER, ANSWER))
        for size in ((60, 20), (80, 24), (120, 40), (200, 60)):
            await pilot.resize_terminal(*size)
            await settled(pilot, lambda: all(one in shown(app) for one in words))
            assert app.size == size
