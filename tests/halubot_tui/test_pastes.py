"""A second text in the same session: pasted wherever the focus is, it is the next one to check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from textual.events import Paste

from halubot_tui.app import HalubotApp
from halubot_tui.correction import CorrectionScreen
from halubot_tui.forms import CheckForm
from halubot_tui.inspector import Inspector, InspectorScreen
from halubot_tui.pastes import IN_A_DIALOG
from halubot_tui.preferences import Preferences
from halubot_tui.sessions import SessionsScreen, title
from halubot_tui.text_area import Editor
from tests.halubot_tui.driving import driven, notices, settled
from tests.halubot_tui.test_review import TEXT, checked, corrected, opened

if TYPE_CHECKING:
    from textual.pilot import Pilot

SECOND = "Bruno Kell founded the mill of Arden in 1771. It burned down in 1802."
THIRD = "The canal of Dorn is 12 kilometres long."


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


async def stands_in_form(app: HalubotApp, pilot: Pilot[None], text: str) -> None:
    await settled(pilot, lambda: isinstance(app.screen, CheckForm))
    await settled(pilot, lambda: app.screen.query_one("#text", Editor).whole == text)


@driven
async def test_a_paste_where_one_writes_opens_the_form(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await checked(app, pilot)
        app._main.composer.editor.post_message(Paste(SECOND))
        await stands_in_form(app, pilot, SECOND)
        await pilot.press("escape")  # the text is left, and the next one takes its place
        await settled(pilot, lambda: app.screen is app._main)
        app._main.composer.editor.post_message(Paste(THIRD))
        await stands_in_form(app, pilot, THIRD)


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, 100])
@driven
async def test_a_paste_where_one_reads_opens_the_form(width: int, tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(width, 30)) as pilot:
        await checked(app, pilot)
        await pilot.press("f3")
        await settled(pilot, lambda: app.focused is not None and app.focused.id == "facts")
        assert isinstance(app.screen, InspectorScreen) is (width == 60)
        app.post_message(Paste(SECOND))
        await stands_in_form(app, pilot, SECOND)


@pytest.mark.slow
@driven
async def test_a_paste_into_a_dialog_is_refused_with_a_word(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await corrected(app, pilot)
        app.post_message(Paste(SECOND))
        await settled(pilot, lambda: IN_A_DIALOG in [one.message for one in notices(app)])
        assert isinstance(app.screen, CorrectionScreen)


@driven
async def test_with_a_model_a_paste_may_be_a_question_and_the_keys_are_named(
    tmp_path: Path,
) -> None:
    app = opened(tmp_path, model="openai/small", api_base="http://127.0.0.1:9/v1")
    async with app.run_test(size=(120, 30)) as pilot:
        await app.opened.wait()
        composer = app._main.composer
        composer.editor.post_message(Paste(SECOND))
        await settled(pilot, lambda: "F2 checks it as a text" in str(composer.border_subtitle))
        assert composer.text == SECOND


@driven
async def test_what_is_typed_without_a_model_names_the_next_key(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await app.opened.wait()
        await pilot.press("A", "d", "a")
        composer = app._main.composer
        await settled(pilot, lambda: str(composer.border_subtitle) == "Enter checks this text")


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, 100])
@driven
async def test_a_digit_shows_a_view_and_gets_into_no_text(width: int, tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(width, 30)) as pilot:
        await checked(app, pilot)
        assert app._main.composer.editor.has_focus
        await pilot.press("3")
        if width < 100:
            await settled(pilot, lambda: isinstance(app.screen, InspectorScreen))
        await settled(pilot, lambda: app.screen.query_one(Inspector).view == "sources")
        assert app._main.composer.text == ""


@pytest.mark.slow
@driven
async def test_a_session_is_known_by_its_latest_text_too(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path / "state", preferences=Preferences())
    async with app.run_test(size=(100, 30)) as pilot:
        await app.opened.wait()
        for text in (TEXT, SECOND):
            await checked(app, pilot, text)
        await pilot.press("f7")
        await settled(pilot, lambda: isinstance(app.screen, SessionsScreen))
        await pilot.press(*"mill of")
        screen = app.screen
        assert isinstance(screen, SessionsScreen)
        await settled(pilot, lambda: len(screen._found) == 1 and screen._choice)
        (found,) = screen._found
        begun, _, latest = title(found, 60).partition("; then ")
        assert begun.startswith("Who? Ada Hill")
        assert latest.startswith("Who? Bruno Kell")
