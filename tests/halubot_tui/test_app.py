"""The app as a whole, as far as one writes, gives and chooses in it: without any model."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from textual.command import CommandPalette
from textual.events import Paste
from textual.widgets import Input, Select, Static
from textual.widgets._toast import Toast

from halubot import demo, options, settings
from halubot_tui import actions, terminal
from halubot_tui import keys as keymaps
from halubot_tui.app import EXAMPLE, NOBODY, HalubotApp
from halubot_tui.checker import Checker
from halubot_tui.forms import CheckForm
from halubot_tui.help import HelpScreen
from halubot_tui.keys import Keys
from halubot_tui.main import MainScreen
from halubot_tui.preferences import Preferences
from halubot_tui.settings import SettingsScreen
from halubot_tui.text_area import Editor
from halubot_tui.turns import Inputs, Turn
from halubot_tui.welcome import Welcome
from tests.halubot_tui.driving import driven, notices, settled

if TYPE_CHECKING:
    from textual.screen import Screen

TEXT = "Ada Lovelace was born in 1816 in London."
RIGHT = "Ada Lovelace was born in 1815 in London."
NOWHERE = "http://127.0.0.1:9/v1"


def turns(app: HalubotApp) -> list[Turn]:
    return list(app._turns.values())


def told(app: HalubotApp) -> list[str]:
    return [one.message for one in notices(app)]


def is_on(app: HalubotApp, screen: type[Screen[Any]]) -> bool:
    return isinstance(app.screen, screen)


def ended(app: HalubotApp) -> bool:
    found = turns(app)
    return bool(found) and not any(turn.running for turn in found)


@pytest.mark.slow
@driven
async def test_who_has_no_model_is_shown_a_form_that_works(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path, greet=True)
    async with app.run_test(size=(60, 20)) as pilot:
        await settled(pilot, partial(is_on, app, CheckForm))
        named = [key.label_shown for key in app.screen.query_one(Keys).shown_keys]
        assert named[:2] == ["F2 Check", "F3 Example"]
        assert app.focused is app.screen.query_one("#text", Editor)
        app.screen.query_one("#text", Editor).text = TEXT
        app.screen.query_one("#references Editor", Editor).text = RIGHT
        await pilot.press("f2")
        await settled(pilot, lambda: ended(app))
        (turn,) = turns(app)
        assert turn.inputs.references == (RIGHT,)
        assert any(entry.verdict == "contradicted" for entry in turn.entries)


@pytest.mark.slow
@driven
async def test_the_example_is_a_session_of_its_own_and_checked_once(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path, greet=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot, partial(is_on, app, CheckForm))
        app.screen.query_one("#text", Editor).text = TEXT
        await pilot.press("f3")
        await settled(pilot, lambda: ended(app))
        (turn,) = turns(app)
        assert turn.inputs.text == demo.load().text
        assert {"contradicted", "supported"} <= {entry.verdict for entry in turn.entries}
        assert app._main.composer.border_title == EXAMPLE
        await app.action_demo()
        await pilot.pause()
        assert turns(app) == [turn]
        assert [one.name for one in app._keeper.all() if one.messages] == [EXAMPLE]
        # what was typed in the form before stays with the session that it was typed in
        await pilot.press("ctrl+n")
        await settled(pilot, lambda: not turns(app))
        assert "Example" in app.resumable


@driven
async def test_with_a_model_the_first_screen_is_a_question(tmp_path: Path) -> None:
    preferences = Preferences(model="ollama_chat/x")
    app = HalubotApp(folder=tmp_path, greet=True, preferences=preferences)
    async with app.run_test() as pilot:
        welcome = app.screen.query_one(Welcome)
        await settled(pilot, lambda: "ollama_chat/x answers" in str(welcome.render()))
        assert isinstance(app.screen, MainScreen)
        assert not turns(app)
        assert "Ask a question" in str(app._main.composer.editor.placeholder)


@pytest.mark.slow
@driven
async def test_what_is_sent_without_a_model_is_a_text_to_check(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test() as pilot:
        assert "Paste or drop a text" in str(app._main.composer.editor.placeholder)
        app._main.composer.restore(TEXT)
        await pilot.press("enter")
        await settled(pilot, partial(is_on, app, CheckForm))
        assert app.screen.query_one("#text", Editor).text == TEXT
        await pilot.press("escape")
        await settled(pilot, partial(is_on, app, MainScreen))
        app._main.composer.restore("/no/such/file.txt")
        await pilot.press("enter")
        await settled(pilot, lambda: told(app))
        assert told(app) == ["There is no file /no/such/file.txt."]
        assert app._main.composer.text == "/no/such/file.txt"


@driven
async def test_it_shows_that_the_library_of_models_is_loading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading, done = asyncio.Event(), asyncio.Event()

    async def load(checker: Checker, model: str, api_base: str | None) -> None:
        loading.set()
        await done.wait()

    monkeypatch.setattr("halubot_tui.checker.load_library", load)
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await app.opened.wait()
        assert not loading.is_set()
        app.prefer(Preferences(model="ollama_chat/x"))
        await settled(
            pilot, lambda: "library is being loaded" in str(app._main.composer.border_subtitle)
        )
        assert loading.is_set()
        done.set()
        await settled(pilot, lambda: "library" not in str(app._main.composer.border_subtitle))


@pytest.mark.slow
@driven
async def test_a_text_is_checked_from_the_form_and_kept(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("A", "d", "a", "f2")
        await settled(pilot, lambda: isinstance(app.screen, CheckForm))
        text = app.screen.query_one("#text", Editor)
        assert text.text == "Ada"
        assert app._main.composer.text == ""
        text.text = TEXT
        app.screen.query_one("#samples Editor", Editor).text = RIGHT
        await pilot.press("f2")
        await settled(pilot, lambda: ended(app))
        (turn,) = turns(app)
        assert (turn.answer, turn.failure) == (TEXT, None)
        # a single sample never gives more than a doubt
        assert [entry.verdict for entry in turn.entries] == ["doubtful", "supported"]
        assert not app.screen.query_one(Welcome).display
        assert len(app._keeper.all()) == 1
        # the form is empty when it is opened again
        await pilot.press("f2")
        await settled(pilot, lambda: isinstance(app.screen, CheckForm))
        assert app.screen.query_one("#text", Editor).text == ""


@driven
async def test_a_question_without_a_model_stays_where_it_was_written(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test() as pilot:
        await pilot.press("W", "h", "o", "question_mark", "enter")
        await settled(pilot, lambda: told(app))
        assert told(app) == [NOBODY]
        assert app._main.composer.text == "Who?"
        assert not turns(app)


@driven
async def test_a_file_is_checked_at_once_where_it_can_be_compared(tmp_path: Path) -> None:
    file, right = tmp_path / "text.md", tmp_path / "right.md"
    file.write_text(TEXT)
    right.write_text(RIGHT)
    app = HalubotApp(folder=tmp_path, preferences=Preferences(reference=(right,)))
    async with app.run_test() as pilot:
        app._main.composer.editor.post_message(Paste(str(file)))
        await pilot.pause()
        await pilot.press("enter")
        await settled(pilot, lambda: ended(app))
        (turn,) = turns(app)
        assert turn.report is not None
        assert [source.kind for source in turn.report.sources] == ["reference"]
        assert any(entry.verdict == "contradicted" for entry in turn.entries)


@pytest.mark.slow
@driven
async def test_a_file_with_nothing_to_compare_opens_the_form(tmp_path: Path) -> None:
    file = tmp_path / "text.md"
    file.write_text(TEXT)
    app = HalubotApp(folder=tmp_path)
    async with app.run_test() as pilot:
        app._main.composer.restore(str(file))
        await pilot.press("enter")
        await settled(pilot, lambda: isinstance(app.screen, CheckForm))
        assert app.screen.query_one("#text", Editor).text == TEXT
        await pilot.press("escape")
        await settled(pilot, lambda: app.screen is app._main)
        app._main.composer.restore("", [str(tmp_path / "text.md")])
        file.write_bytes(b"\0\1\2" * 100)
        await pilot.press("enter")
        await settled(pilot, lambda: told(app))
        assert "text.md" in told(app)[0]
        assert str(file) in app._main.composer.text


@pytest.mark.slow
@driven
async def test_so_does_a_text_that_the_app_is_opened_with(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path, text=TEXT)
    async with app.run_test() as pilot:
        await settled(pilot, lambda: isinstance(app.screen, CheckForm))
        assert app.screen.query_one("#text", Editor).text == TEXT
    compared = HalubotApp(folder=tmp_path, text=TEXT, preferences=Preferences(knowledge=("x",)))
    async with compared.run_test() as pilot:
        await settled(pilot, lambda: ended(compared))
        assert turns(compared)[0].inputs.text == TEXT


@pytest.mark.slow
@driven
async def test_settings_hold_for_the_next_message(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path, preferences=Preferences(ascii=False))
    async with app.run_test() as pilot:
        await pilot.press("/", "s", "e", "t", "enter")
        await settled(pilot, lambda: isinstance(app.screen, SettingsScreen))
        app.screen.query_one("#threshold", Input).value = "0.9"
        app.screen.query_one("#ascii", Select).value = "true"
        app.screen.query_one("#keys", Input).value = "help=f12"
        await pilot.press("f8")
        await settled(pilot, lambda: app.preferences.threshold)
        assert app._signs.ascii
        assert app.has_class("-ascii")
        await pilot.press("f12")
        await settled(pilot, lambda: isinstance(app.screen, HelpScreen))
        shown = "\n".join(str(one.render()) for one in app.screen.query(Static))
        assert shown
        await pilot.press("escape")
        app._form.text, app._form.samples = TEXT, [RIGHT]
        await pilot.press("f2")
        await settled(pilot, lambda: isinstance(app.screen, CheckForm))
        await pilot.press("f2")
        await settled(pilot, lambda: ended(app))
        report = turns(app)[0].report
        assert report is not None
        assert report.threshold.value == 0.9


@driven
async def test_the_theme_is_changed_and_saved(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test() as pilot:
        await pilot.press("ctrl+t")
        await settled(pilot, lambda: settings.path().exists())
        assert app.theme == "halubot-light"
        assert settings.read(options.NAMES) == {"theme": "halubot-light"}


@pytest.mark.slow
@driven
async def test_the_palette_has_every_action_that_can_be_done_and_does_it(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(100, 60)) as pilot:
        await pilot.press("ctrl+p")
        await settled(pilot, lambda: isinstance(app.screen, CommandPalette))
        await pilot.press(*"settings")
        await app.workers.wait_for_complete()
        await pilot.pause()
        await pilot.press("enter")
        await settled(pilot, lambda: isinstance(app.screen, SettingsScreen))


@pytest.mark.slow
@pytest.mark.parametrize("place", ["composer", "conversation"])
def test_help_begins_with_where_one_is(place: str, tmp_path: Path) -> None:
    @driven
    async def test() -> None:
        app = HalubotApp(folder=tmp_path)
        async with app.run_test(size=(100, 40)) as pilot:
            app.screen.query_one(f"#{place}").focus()
            await pilot.press("f1")
            await settled(pilot, lambda: isinstance(app.screen, HelpScreen))
            help_ = app.screen
            assert isinstance(help_, HelpScreen)
            groups = dict(help_._groups())
            first = next(iter(groups.values()))
            assert {one.place for one in first} == {place}
            listed = [one for found in groups.values() for one in found]
            assert {one.id for one in listed} >= {one.id for one in actions.commands()}
            panel = help_.query_one("#panel")
            assert "more" in str(panel.border_subtitle)
            await pilot.press("end")
            await settled(pilot, lambda: not panel.border_subtitle)
            await pilot.press("home")
            await settled(pilot, lambda: panel.border_subtitle)
            await pilot.press("f1")
            await settled(pilot, lambda: app.screen is app._main)

    test()


@pytest.mark.slow
@driven
async def test_help_on_a_form_names_what_that_form_can_do(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test() as pilot:
        await pilot.press("f2")
        await settled(pilot, partial(is_on, app, CheckForm))
        await pilot.press("f1")
        await settled(pilot, partial(is_on, app, HelpScreen))
        assert isinstance(app.screen, HelpScreen)
        here = {one.id for one in dict(app.screen._groups())["This form"]}
        assert here == {"back", "add", "take-out", "check-now", "example"}


@driven
async def test_esc_goes_back_to_where_one_writes_whatever_is_under_way(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test() as pilot:
        await pilot.press("tab")
        assert app._main.conversation.has_focus
        turn = Turn("m0", Inputs(kind="check", text=TEXT), state="working")
        app._turns["m0"] = turn
        await pilot.press("escape")
        assert turn.running
        assert app._main.composer.has_focus_within


@pytest.mark.slow
@driven
async def test_every_form_and_the_help_close_by_escape_on_a_small_screen(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        for key, screen in (("f2", CheckForm), ("f8", SettingsScreen)):
            await pilot.press(key)
            await settled(pilot, partial(is_on, app, screen))
            await pilot.press("f1")
            await settled(pilot, partial(is_on, app, HelpScreen))
            await pilot.press("escape")
            await settled(pilot, partial(is_on, app, screen))
            await pilot.press("escape")
            await settled(pilot, partial(is_on, app, MainScreen))


def test_no_two_actions_of_one_place_share_a_key() -> None:
    for action in actions.ACTIONS:
        for other in actions.ACTIONS:
            if other is not action and other.place == action.place:
                taken = set(action.keys.split(",")) & set(other.keys.split(",")) - {""}
                forms = {"check-now", "save", "add", "take-out", "back"}
                forms |= {"same-sources", "compare-now"}
                alone = {action.id, other.id} <= forms
                assert not taken or alone, f"{action.id} and {other.id}"


SWALLOWED: Final = frozenset(
    {
        *("f1", "f10", "f11", "f12"),  # menus and help of terminals, Linux desktops, browsers
        *("shift+enter", "alt+enter"),  # Enter to most terminals; full screen on Windows
        *("ctrl+up", "ctrl+down", "ctrl+left", "ctrl+right"),  # desktops of macOS
        *("ctrl+a", "ctrl+b"),  # screen, tmux
        *("ctrl+c", "ctrl+z", "ctrl+s", "ctrl+q", "ctrl+j", "ctrl+o"),  # signals and flow control
        *("ctrl+p", "ctrl+n", "ctrl+t", "ctrl+w", "ctrl+r"),  # docker, editors, browsers
        *("delete",),  # not on every keyboard
    }
)
"""Keys that some terminal, multiplexer, editor or browser keeps for itself."""


def test_what_a_key_does_can_be_done_where_the_key_is_swallowed() -> None:
    named = {action.id for action in actions.commands()}
    otherwise = {
        "new-line": "a backslash before Enter",
        "command-palette": "/ lists the same",
    }
    for action in actions.ACTIONS:
        keys = set(action.keys.split(",")) - {""}
        heard = {key for key in keys if key not in SWALLOWED and not key.startswith("alt+")}
        assert heard or action.id in named or action.id in otherwise, action.id


@pytest.mark.slow
@driven
async def test_ctrl_c_says_how_to_leave(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path, preferences=Preferences(keys=("quit=ctrl+x",)))
    async with app.run_test() as pilot:
        await pilot.press("ctrl+c")
        await settled(pilot, lambda: notices(app))
        (said,) = [one.message for one in notices(app)]
        assert said == "Ctrl+X leaves halubot, and so does /quit where you write."
        await pilot.press(*"/quit", "enter")
        await settled(pilot, lambda: not app.is_running or app._exit)


def test_keys_are_said_as_people_call_them() -> None:
    assert keymaps.key_names("ctrl+up,left_square_bracket") == "Ctrl+Up or ["
    assert keymaps.key_names("f1,question_mark") == "F1 or ?"
    assert keymaps.key_names("shift+enter,alt+enter") == "Shift+Enter or Alt+Enter"
    assert keymaps.key_names("ctrl+p") == "Ctrl+P"
    assert keymaps.key_names("n") == "n"
    assert keymaps.key_names("") == ""


def test_chosen_keys_that_cannot_be_are_told() -> None:
    found, wrong = keymaps.keymap(["help=f12", "fly=x", "quit=", "theme=f2"])
    assert found == {"help": "f12"}
    assert len(wrong) == 3


@driven
async def test_a_budget_that_cannot_hold_is_refused_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    preferences = Preferences(model="openai/nobody-knows-me", api_base=NOWHERE, max_cost=1.0)
    app = HalubotApp(folder=tmp_path, preferences=preferences)
    async with app.run_test() as pilot:
        await pilot.press("W", "h", "o", "question_mark", "enter")
        await settled(pilot, lambda: ended(app))
        (turn,) = turns(app)
        assert turn.failure is not None
        assert "price of openai/nobody-knows-me is not known" in turn.failure
        assert app._main.composer.text == "Who?"


@pytest.mark.slow
@driven
async def test_a_text_takes_the_place_of_what_the_form_holds(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test() as pilot:
        for typed in ("one", "two"):
            await pilot.press(*typed, "f2")
            await settled(pilot, partial(is_on, app, CheckForm))
            await pilot.press("escape")
            await settled(pilot, partial(is_on, app, MainScreen))
        assert app._form.text == "two"


@pytest.mark.slow
@driven
async def test_a_model_is_chosen_from_within_the_form(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    app._form.text = TEXT
    async with app.run_test() as pilot:
        await pilot.press("f2")
        await settled(pilot, partial(is_on, app, CheckForm))
        form = app.screen
        assert isinstance(form, CheckForm)
        form.query_one("#question", Input).value = "Who?"
        await pilot.press("f8")
        await settled(pilot, partial(is_on, app, SettingsScreen))
        app.screen.query_one("#model", Input).value = "openai/x"
        app.screen.query_one("#api_base", Input).value = NOWHERE
        await pilot.press("f8")
        await settled(pilot, lambda: app.screen is form)
        assert form._preferences.model == app.preferences.model == "openai/x"
        assert form.query_one("#question", Input).value == "Who?"


@pytest.mark.slow
@driven
async def test_what_cannot_be_done_now_is_said(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test() as pilot:
        await pilot.press(*"/export", "enter")
        await settled(pilot, lambda: told(app))
        assert "Save" in told(app)[0]


@pytest.mark.slow
@driven
async def test_keys_go_from_message_to_message(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test() as pilot:
        first, second = [
            await app.begin(Inputs(kind="check", text=TEXT, samples=(TEXT,))) for _ in range(2)
        ]
        await settled(pilot, lambda: app._selected == (second.id, None) and not second.running)
        await pilot.press("ctrl+up")
        await settled(pilot, lambda: app._selected == (first.id, None))
        await pilot.press("ctrl+up")
        await settled(pilot, lambda: app._selected == (first.id, None))
        await pilot.press("ctrl+down")
        await settled(pilot, lambda: app._selected == (second.id, None))


@driven
async def test_what_is_wrong_is_named_beside_its_colour(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        app.notify("The disk is full.", severity="error", markup=False)
        app.notify("It is full soon.", title="Disk", severity="warning", markup=False)
        app.notify("Saved.", markup=False)
        await settled(pilot, lambda: len(notices(app)) == 3)
        assert [one.title for one in notices(app)] == ["Error", "Disk", ""]


@driven
async def test_where_there_are_few_rows_there_is_room_to_write(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(20, 8)) as pilot:
        await settled(pilot, app.opened.is_set)
        welcome, writing = app.screen.query_one(Welcome), app.screen.query_one(Editor)
        await settled(pilot, lambda: not welcome.display)
        assert app.screen.region.contains_region(writing.region)
        await pilot.resize_terminal(60, 20)
        await settled(pilot, lambda: welcome.display)


@pytest.mark.slow
@driven
async def test_sources_on_another_subject_are_called_so_and_the_text_is_taken_again(
    tmp_path: Path,
) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        given = Inputs(kind="check", text=TEXT, samples=("Bananas are yellow.", "Chess is old."))
        turn = await app.begin(given)
        await settled(pilot, lambda: not turn.running)
        told = "What you gave speaks of something else"
        await settled(pilot, lambda: told in "\n".join(app._main.conversation.lines()))
        await pilot.press("f2")
        await settled(pilot, lambda: isinstance(app.screen, CheckForm))
        assert app.screen.query_one("#text", Editor).text == TEXT
        assert not app._form.samples


@pytest.mark.slow
@driven
async def test_the_next_key_stands_beside_the_result(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        given = Inputs(kind="check", text=TEXT, references=(TEXT.replace("1816", "1815"),))
        turn = await app.begin(given)
        await settled(pilot, lambda: not turn.running)
        told = "F4 corrects it · F3 shows who says what"
        await settled(pilot, lambda: told in "\n".join(app._main.conversation.lines()))
        await pilot.press("f2")
        await settled(pilot, lambda: isinstance(app.screen, CheckForm))
        await pilot.press("f3")  # the example can be opened from here at any time
        await settled(pilot, lambda: app._keeper.session and app._keeper.session.name == EXAMPLE)


@pytest.mark.slow
@driven
async def test_what_is_said_in_passing_covers_nothing_and_goes_with_the_next_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "READ_SECONDS", 0)
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(60, 20), notifications=True) as pilot:
        cases: tuple[tuple[str, str], ...] = (("escape", "Composer"), ("f2", "#panel"))
        for key, what in cases:
            await pilot.press(key)
            await settled(pilot, partial(app.screen.query, what))
            app.notify("Something was said in passing.", markup=False)
            await settled(pilot, lambda: app.screen.query(Toast))
            await settled(pilot, lambda: app.screen.query_one(Toast).region.height)
            toast = app.screen.query_one(Toast).region
            assert toast.width == 60
            for other in (what, Keys):
                shown = app.screen.query_one(other).region
                assert shown.height
                assert not toast.overlaps(shown)
            await pilot.press("right")
            await settled(pilot, lambda: not app.screen.query(Toast))
            assert not app._notifications


@pytest.mark.slow
@driven
async def test_what_a_message_costs_is_told_before_the_first(tmp_path: Path) -> None:
    preferences = Preferences(model="openai/gpt-4o-mini")
    app = HalubotApp(folder=tmp_path, preferences=preferences)
    async with app.run_test(size=(140, 30)) as pilot:
        await settled(pilot, lambda: "a message" in str(app._main.composer.border_subtitle))
        said = str(app._main.composer.border_subtitle)
        assert "openai receives the text, about $0.00" in said
        app.prefer(Preferences())
        await pilot.pause()
        assert "a message" not in str(app._main.composer.border_subtitle)
