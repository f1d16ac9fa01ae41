"""What is pasted, typed and dropped into the composer, and the sources that go with it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from textual import events

from halubot.state.sessions import Sessions
from halubot_tui.preferences import Preferences
from halubot_tui.screens.sources_screen import SourcesScreen, complete_path
from halubot_tui.sources import Given, as_inputs, describe, of_inputs, refusal
from halubot_tui.text_check import Inputs
from tests.halubot_tui.canned import ANSWER, TEXT
from tests.halubot_tui.driving import driven, ended, notices, opened, settled, shown

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

    from halubot_tui.app import HalubotApp

LONG = " ".join([TEXT] * 12)


async def paste(pilot: Pilot[Any], text: str) -> None:
    assert pilot.app.focused is not None
    pilot.app.focused.post_message(events.Paste(text))
    await pilot.pause()
    await pilot.pause()


async def pasted(pilot: Pilot[Any], app: HalubotApp, *texts: str) -> None:
    await app.opened.wait()
    for text in texts:
        before = app.main.composer.draft
        await paste(pilot, text)
        await settled(pilot, lambda one=before: app.main.composer.draft != one)  # type: ignore[misc]


@driven
async def test_two_pastes_and_enter_check_a_text(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await pasted(pilot, app, LONG, ANSWER)
        assert "+ sources: 1 answer" in shown(app)
        await pilot.press("enter")
        check = await ended(pilot)
        assert (check.inputs.kind, check.inputs.text) == ("check", LONG)
        assert check.inputs.samples == (ANSWER,)
        assert app.main.composer.is_empty
        assert "compared with: 1 answer" in shown(app)


@pytest.mark.slow
@driven
async def test_the_first_paste_after_the_example_begins_a_session_of_its_own(
    tmp_path: Path,
) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await app.opened.wait()
        await app.open_example()
        await ended(pilot)
        example = app.session_id
        assert app.main.status.session_title == "Example"
        await paste(pilot, TEXT)  # the focus is on the facts
        await settled(pilot, lambda: app.main.composer.prompt.text == TEXT)
        await pasted(pilot, app, ANSWER)
        await pilot.press("enter")
        await settled(pilot, lambda: app.session_id != example)
        check = await ended(pilot)
        assert check.inputs.text == TEXT
        assert app.main.status.session_title == check.inputs.title
        assert len(await asyncio.to_thread(app.store.find)) == 2
    with Sessions.open(tmp_path) as sessions:  # no draft is left behind for the next start
        assert [sessions.draft(one.id) for one in sessions.all()] == ["", ""]


@pytest.mark.slow
@driven
async def test_without_anything_to_compare_with_the_sources_are_asked_for(tmp_path: Path) -> None:
    """`refz` is no path and no answer; a removed text stands in the field again; Esc keeps it."""
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await pasted(pilot, app, TEXT)
        await pilot.press("enter")
        await settled(pilot, lambda: isinstance(app.screen, SourcesScreen))
        assert "Nothing to compare with yet" in shown(app)
        await pilot.press(*"refz", "enter")
        await settled(pilot, lambda: "“refz” is not a file here" in shown(app))
        await pilot.press(*["backspace"] * 4)
        await paste(pilot, ANSWER)
        await settled(pilot, lambda: "Ada Lovelace was born in 1815" in shown(app))
        await pilot.press("enter")
        await settled(pilot, lambda: "Compared with 1 answer" in shown(app))
        await pilot.press("shift+tab", "shift+tab", "delete")
        await settled(pilot, lambda: "Nothing to compare with yet" in shown(app))
        await pilot.press("enter")
        await settled(pilot, lambda: "Compared with 1 answer" in shown(app))
        await pilot.press("escape")
        await settled(pilot, lambda: app.screen is app.main)
        assert app.main.composer.prompt.text == TEXT
        await pilot.press("enter")
        check = await ended(pilot)
        assert check.inputs.samples == (ANSWER,)


@driven
async def test_a_question_without_a_model_says_what_is_missing(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await app.opened.wait()
        await pilot.press(*"Who?", "enter")
        await settled(pilot, lambda: any("No model" in one.message for one in notices(app)))
        assert app.main.composer.prompt.text == "Who?"


@driven
async def test_a_file_is_a_source_beside_a_text_and_a_text_alone(tmp_path: Path) -> None:
    file, other = tmp_path / "draft.md", tmp_path / "known.txt"
    file.write_text(TEXT, encoding="utf-8")
    other.write_text(ANSWER, encoding="utf-8")
    app = opened(tmp_path / "state")
    async with app.run_test(size=(100, 30)) as pilot:
        await pasted(pilot, app, str(file), str(other))
        assert "[file 1: draft.md]" in shown(app)
        assert "+ sources: 1 document" in shown(app)
        await pilot.press("enter")
        check = await ended(pilot)
        assert (check.inputs.text, check.inputs.file) == (TEXT, str(file))
        assert check.inputs.files == (str(other),)
        assert "4 in doubt" in shown(app)


@pytest.mark.parametrize(
    ("typed", "pasting", "kind"),
    [
        ("Who was Ada?", False, "ask"),
        ("Tell me about Ada Lovelace.", False, "ask"),
        (TEXT, True, "check"),
        ("Who was Ada?", True, "ask"),
        (LONG, True, "check"),
    ],
)
@driven
async def test_with_a_model_questions_are_asked_and_texts_checked(
    tmp_path: Path, typed: str, *, pasting: bool, kind: str
) -> None:
    app = opened(tmp_path, preferences=Preferences(model="ollama_chat/x"))
    async with app.run_test(size=(100, 30)) as pilot:
        await app.opened.wait()
        if pasting:
            await pasted(pilot, app, typed)
        else:
            app.main.composer.prompt.insert(typed)
            await pilot.pause()
        assert app.main.composer.kind == kind
        await settled(pilot, lambda: ("Ask ›" if kind == "ask" else "Check ›") in shown(app))
        app.main.composer.switch_kind()
        assert app.main.composer.kind != kind


@driven
async def test_a_question_is_answered_and_checked_and_another_goes_on(tmp_path: Path) -> None:
    app = opened(tmp_path, preferences=Preferences(model="ollama_chat/x"))
    async with app.run_test(size=(120, 40)) as pilot:
        await app.opened.wait()
        await pilot.press(*"Who?", "enter")
        await settled(pilot, lambda: app.open_checks.shown is not None)
        first = await ended(pilot)
        assert first.text == TEXT
        await settled(pilot, lambda: "4 in doubt" in shown(app))
        session = app.session_id
        await pilot.press("escape", *"When?", "enter")
        await settled(pilot, lambda: app.open_checks.shown is not first)
        await ended(pilot)
        assert app.session_id == session
        assert len(app.open_checks.checks) == 2
        await app.run_action("app.show_neighbour(-1)")
        await settled(pilot, lambda: app.open_checks.shown is first)


@pytest.mark.slow
@driven
async def test_a_draft_stays_in_its_session_and_is_told_of(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await pasted(pilot, app, TEXT, ANSWER)
        await app.action_quit()
    again = opened(tmp_path)
    async with again.run_test(size=(100, 30)) as pilot:
        await again.opened.wait()
        assert again.main.composer.is_empty
        assert not again.main.composer.sources
        await settled(pilot, lambda: "Not sent yet: Ada Lovelace" in shown(again))
        await pilot.press("ctrl+r")
        await settled(pilot, lambda: "draft" in shown(again))
        await pilot.press("enter")
        await settled(pilot, lambda: again.main.composer.prompt.text == TEXT)
        assert again.main.composer.sources == (Given("answer", ANSWER),)


@driven
async def test_question_mark_is_a_command_only_while_nothing_is_written_and_slash_begins_a_path(
    tmp_path: Path,
) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await app.opened.wait()
        await pilot.press("question_mark")
        await settled(pilot, lambda: "the next fact" in shown(app))
        await pilot.press("escape", "slash", "a", "question_mark")
        assert app.main.composer.prompt.text == "/a?"
        assert "Search for commands" not in shown(app)
        await pilot.press("ctrl+p")
        await settled(pilot, lambda: "Search for commands" in shown(app))
        assert not notices(app)


def test_sources_are_described_and_turned_into_inputs() -> None:
    given = (
        Given("answer", "One answer here.", "a.txt"),
        Given("answer", "Another answer."),
        Given("document", "A document."),
        Given("file", "/x/known.pdf"),
        Given("file", "/x/folder"),
        Given("knowledge", "wikipedia"),
        Given("web", "searxng"),
    )
    said = "2 answers, 1 document, 1 PDF, 1 folder, wikipedia, web (searxng)"
    assert describe(given) == said
    inputs = Inputs(kind="check", text="x", **as_inputs(given))
    assert of_inputs(inputs) == given
    assert all(Given.read(one.record()) == one for one in given)


@pytest.mark.parametrize(
    ("text", "taken"),
    [("refz", False), ("", False), ("two words", False), ("Ada was born.", True), ("日本語", True)],
)
def test_a_word_alone_is_no_source(text: str, *, taken: bool) -> None:
    assert (refusal(text) is None) is taken


def test_a_path_is_completed_as_far_as_it_is_certain(tmp_path: Path) -> None:
    (tmp_path / "notes-1.txt").write_text("x", encoding="utf-8")
    (tmp_path / "notes-2.txt").write_text("x", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    assert complete_path(f"{tmp_path}/no") == f"{tmp_path}/notes-"
    assert complete_path(f"{tmp_path}/fo") == f"{tmp_path}/folder/"
    assert complete_path(f"{tmp_path}/zz") == f"{tmp_path}/zz"
