"""The form that saves a file, by keys alone and on a small screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input, Static, Tabs

from halubot_tui.app import HalubotApp
from halubot_tui.correction import CorrectionScreen
from halubot_tui.export_screen import ExportForm
from halubot_tui.forms import CheckForm
from halubot_tui.help import HelpScreen
from halubot_tui.keys import Keys
from halubot_tui.main import MainScreen
from halubot_tui.sessions import SessionsScreen
from halubot_tui.settings import SettingsScreen
from tests.halubot_tui.driving import driven, notices, settled
from tests.halubot_tui.test_review import TEXT, checked, corrected, opened, read, read_files, shown


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("tabs", [0, 1, 2])
@driven
async def test_enter_saves_from_every_field(tabs: int, tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await checked(app, pilot)
        await pilot.press("f9")
        await settled(pilot, lambda: isinstance(app.screen, ExportForm))
        await pilot.press(*["tab"] * tabs, "enter")
        await settled(pilot, lambda: isinstance(app.screen, MainScreen))
        assert len(read_files(tmp_path, "*.md")) == 1


@pytest.mark.slow
@driven
async def test_enter_on_back_saves_nothing(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await checked(app, pilot)
        await pilot.press("f9")
        await settled(pilot, lambda: isinstance(app.screen, ExportForm))
        app.screen.query_one("#back").focus()
        await pilot.press("enter")
        await settled(pilot, lambda: isinstance(app.screen, MainScreen))
        assert not read_files(tmp_path, "*.md")


@pytest.mark.slow
@driven
async def test_the_file_and_its_whole_path_are_in_sight_on_a_small_screen(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        await checked(app, pilot)
        await pilot.press("f9")
        await settled(pilot, lambda: isinstance(app.screen, ExportForm))
        field, fields = app.screen.query_one("#path", Input), app.screen.query_one("#fields")
        await settled(pilot, lambda: fields.region.contains_region(field.region))
        assert str(tmp_path / field.value) in shown(app, "#whole-path")
        field.value = "sub/mine.md"
        await settled(pilot, lambda: str(tmp_path / "sub/mine.md") in shown(app, "#whole-path"))


@pytest.mark.slow
@driven
async def test_accept_all_is_offered_while_a_change_is_open(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        await corrected(app, pilot)
        footer = app.screen.query_one(Keys)
        assert isinstance(app.screen, CorrectionScreen)
        assert "a accepts (A all)" in shown(app, "#state")  # the line of keys has no room for it
        await pilot.press("A")
        await settled(
            pilot, lambda: not {"accept", "reject"} & {one.action for one in footer.shown_keys}
        )


@pytest.mark.slow
@driven
async def test_the_result_of_a_long_text_is_in_sight_after_the_check(tmp_path: Path) -> None:
    text = "\n\n".join(
        f"Ada Hill met {n} men in {1800 + n}. She was born in 1816." for n in range(20)
    )
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await checked(app, pilot, text)
        await settled(pilot, lambda: "of 60 facts are" in read(app))
        assert "compared with 1 reference" in read(app)


@pytest.mark.slow
@driven
async def test_a_correction_that_was_begun_is_told_of_after_a_restart(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await corrected(app, pilot)
        await pilot.press("a")
        await settled(pilot, lambda: turn.decisions)
        await app.workers.wait_for_complete([one for one in app.workers if one.group == "noting"])
    again = opened(tmp_path)
    async with again.run_test(size=(120, 40)) as pilot:
        told = "corrected, not checked again: 1 of 3 changes made, 2 not decided"
        await settled(pilot, lambda: told in read(again))
        assert TEXT.replace("1816", "1815") in read(again)


@driven
async def test_a_page_is_turned_from_where_one_writes(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        await checked(app, pilot, " ".join(f"Ada Hill met {n} men." for n in range(80)))
        reading = app._main.conversation
        before = reading.scroll_offset.y
        await pilot.press("pagedown")
        await settled(pilot, lambda: reading.scroll_offset.y > before)
        below = reading.scroll_offset.y
        await pilot.press("pageup")
        await settled(pilot, lambda: reading.scroll_offset.y < below)


@pytest.mark.slow
@driven
async def test_another_screen_is_not_covered_by_the_first_form(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path / "state", greet=True)
    async with app.run_test(size=(100, 30)) as pilot:
        app.action_sessions()
        await app.opened.wait()
        await pilot.pause()
        await settled(pilot, lambda: isinstance(app.screen, SessionsScreen))
        assert not any(isinstance(screen, CheckForm) for screen in app.screen_stack)


@pytest.mark.slow
@driven
async def test_a_field_below_a_long_text_is_shown_with_its_frame(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        app._form.text = "\n".join(f"Line {n} of the text." for n in range(10))
        await pilot.press("f2")
        await settled(pilot, lambda: isinstance(app.screen, CheckForm))
        await pilot.press("tab")
        fields = app.screen.query_one("#fields")
        around = app.screen.query_one("#samples")
        await settled(pilot, lambda: fields.region.contains_region(around.region))


@driven
async def test_the_theme_that_was_set_is_named(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        await app.opened.wait()
        await pilot.press("ctrl+t")
        said = f"Theme: {app.theme}"
        await settled(pilot, lambda: said in [one.message for one in notices(app)])


@pytest.mark.slow
@driven
async def test_another_tab_of_the_settings_begins_at_its_top(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        await app.opened.wait()
        await pilot.press("f8")
        await settled(pilot, lambda: isinstance(app.screen, SettingsScreen))
        fields = app.screen.query_one("#fields")
        fields.scroll_to(y=6, animate=False)
        await settled(pilot, lambda: fields.scroll_offset.y > 0)
        app.screen.query_one(Tabs).action_next_tab()
        await settled(pilot, lambda: fields.scroll_offset.y == 0)


@driven
async def test_the_help_begins_with_the_way_and_how_to_leave(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        await app.opened.wait()
        await pilot.press("f1")
        await settled(pilot, lambda: isinstance(app.screen, HelpScreen))
        first = app.screen.query("#fields Static").first(Static)
        assert "Ctrl+Q leaves" in str(first.content)


@pytest.mark.slow
@driven
async def test_nothing_of_the_screen_below_stands_beside_a_form(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await checked(app, pilot)
        await pilot.press("f2")
        await settled(pilot, lambda: isinstance(app.screen, CheckForm))
        lines = ["".join(one.text for one in row) for row in app.screen._compositor.render_strips()]
        left = app.screen.query_one("#panel").region.x
        assert left > 2
        assert not "".join(line[:left] for line in lines[:-1]).strip()
