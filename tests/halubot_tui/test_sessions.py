"""Sessions in the app: listed, searched, renamed, deleted, reopened; two apps on one session; what
is typed; a store that cannot be used."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from textual.widgets import Input, OptionList, Static

from halubot import api
from halubot.events import AnswerToken, Done, Event, Started
from halubot.feedback import Word
from halubot.report import Fact, Threshold, Triple
from halubot.state.sessions import FILE, Sessions
from halubot_tui.app import HalubotApp
from halubot_tui.finding import FindScreen
from halubot_tui.follower import SILENCE, Following
from halubot_tui.form import Question
from halubot_tui.forms import CheckForm
from halubot_tui.session_keeper import Keeper, Unsent
from halubot_tui.sessions import NONE, SessionsScreen, when
from halubot_tui.text_area import Editor
from halubot_tui.turns import Inputs, Turn
from tests.halubot_tui.driving import PATIENCE, driven, notices, settled

if TYPE_CHECKING:
    from textual.pilot import Pilot

TEXT = "Ada Lovelace was born in 1816 in London."
RIGHT = "Ada Lovelace was born in 1815 in London."
GIVEN = Inputs(kind="check", text=TEXT, samples=(RIGHT, RIGHT))
STARTED = Started(
    text="",
    sentences=(),
    method="consensus",
    engine="test",
    threshold=Threshold(value=0.5, fitted_on="a test"),
)


def turns(app: HalubotApp) -> list[Turn]:
    return list(app._turns.values())


def told(app: HalubotApp) -> list[str]:
    return [one.message for one in notices(app)]


def ended(app: HalubotApp) -> bool:
    return bool(turns(app)) and not any(turn.running for turn in turns(app))


def listed(app: HalubotApp) -> list[str]:
    options = app.screen.query_one("#kept", OptionList).options
    return [str(option.prompt) for option in options]


def finds(app: HalubotApp, words: str) -> bool:
    return words in "".join(found(app)[1:]).casefold()


def shows(app: HalubotApp, count: int) -> bool:
    return len(listed(app)) == count


def unsent(folder: Path) -> str:
    with Sessions.open(folder) as sessions:
        return sessions.draft(1)


Go = Callable[[], object]


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> list[Go]:
    """Checks do not begin before what stands here, one a check, is called."""
    goes: list[Go] = []

    def start(text: str, **options: Any) -> Any:
        loop, gate = asyncio.get_running_loop(), asyncio.Event()
        goes.append(partial(loop.call_soon_threadsafe, gate.set))

        async def wait() -> None:
            await gate.wait()
            await checking_start(text, **options).wait()

        return SimpleNamespace(wait=wait)

    checking_start = api.start
    monkeypatch.setattr(api, "start", start)
    return goes


async def at_work(app: HalubotApp, pilot: Pilot[None], held: list[Go]) -> Turn:
    """A message whose check does not begin yet."""
    turn = await app.begin(GIVEN)
    await settled(pilot, lambda: held and turn.place)
    return turn


def kept(folder: Path) -> list[tuple[str, int]]:
    with Sessions.open(folder) as sessions:
        return [(one.name, one.messages) for one in sessions.all()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where two sessions are kept: "Ada" with a message, and one without a name."""
    with Sessions.open(tmp_path) as sessions:
        for name, text in (("Ada", TEXT), ("", "The tower is 330 m high.")):
            made = sessions.new(name)
            given = Inputs(kind="check", text=text).model_dump(mode="json")
            sessions.append(made.id, "message", given, words=text)
    return tmp_path


class TestTheList:
    """F7."""

    @driven
    async def test_says_what_to_do_where_nothing_is_kept(self, tmp_path: Path) -> None:
        app = HalubotApp(folder=tmp_path)
        async with app.run_test(size=(60, 20)) as pilot:
            await pilot.press("f7")
            await settled(pilot, lambda: app.screen.has_class("-none"))
            assert NONE in str(app.screen.query_one("#none", Static).render())
            await pilot.press("escape")
            await settled(pilot, lambda: not isinstance(app.screen, SessionsScreen))

    @pytest.mark.slow
    @driven
    async def test_opens_what_is_searched_for(self, folder: Path) -> None:
        app = HalubotApp(folder=folder)
        async with app.run_test(size=(100, 30)) as pilot:
            await pilot.press("f7")
            await settled(pilot, lambda: len(listed(app)) == 2)
            assert "The tower is 330 m high." in listed(app)[0]
            await pilot.press(*"LOVELACE")
            await settled(pilot, lambda: len(listed(app)) == 1)
            assert app.screen.query_one("#search", Input).value == "LOVELACE"
            await pilot.press("enter")
            await settled(pilot, lambda: turns(app))
            assert [turn.inputs.text for turn in turns(app)] == [TEXT]

    @pytest.mark.slow
    @driven
    async def test_renames_and_says_which_name_is_taken(self, folder: Path) -> None:
        app = HalubotApp(folder=folder)
        async with app.run_test(size=(100, 30)) as pilot:
            await pilot.press("f7")
            await settled(pilot, lambda: len(listed(app)) == 2)
            await pilot.press("f2", *"Ada", "enter")
            wrong = app.screen.query_one("#wrong-session", Static)
            await settled(pilot, lambda: "choose another name" in str(wrong.render()))
            await pilot.press("1", "enter")
            await settled(pilot, lambda: not app.screen.has_class("-renaming"))
            assert not wrong.has_class("-shown")
        assert sorted(kept(folder)) == [("Ada", 1), ("Ada1", 1)]

    @pytest.mark.slow
    @driven
    async def test_what_is_deleted_can_be_taken_back_until_the_list_is_left(
        self, folder: Path
    ) -> None:
        app = HalubotApp(folder=folder)
        async with app.run_test(size=(60, 20)) as pilot:
            await pilot.press("f7")
            await settled(pilot, partial(shows, app, 2))
            await pilot.press("down", "delete")
            await settled(pilot, partial(shows, app, 1))
            assert "F5 takes it back" in str(app.screen.query_one("#deleted", Static).render())
            assert len(kept(folder)) == 2
            await pilot.press("f5")
            await settled(pilot, partial(shows, app, 2))
            assert not app.screen.query_one("#deleted").display
            await pilot.press("delete")
            await settled(pilot, partial(shows, app, 1))
            await pilot.press("escape")
            await settled(pilot, lambda: not isinstance(app.screen, SessionsScreen))
            assert len(kept(folder)) == 1

    @driven
    async def test_what_is_deleted_is_gone_when_the_app_is_left(self, folder: Path) -> None:
        app = HalubotApp(folder=folder)
        async with app.run_test(size=(60, 20)) as pilot:
            await pilot.press("f7")
            await settled(pilot, partial(shows, app, 2))
            await pilot.press("delete")
            await settled(pilot, partial(shows, app, 1))
        assert len(kept(folder)) == 1

    @pytest.mark.slow
    @driven
    async def test_the_open_one_deleted_leaves_an_empty_one(self, folder: Path) -> None:
        app = HalubotApp(folder=folder, session="Ada")
        async with app.run_test(size=(100, 30)) as pilot:
            await settled(pilot, lambda: turns(app))
            await pilot.press("f7")
            await settled(pilot, lambda: len(listed(app)) == 2)
            await pilot.press(*"Ada")
            await settled(pilot, lambda: len(listed(app)) == 1)
            await pilot.press("down", "delete")
            await settled(pilot, lambda: not listed(app))
            await pilot.press("escape")
            await settled(pilot, lambda: not turns(app))
            await app.begin(GIVEN)
            await settled(pilot, lambda: ended(app))
        assert kept(folder) == [("", 1), ("", 1)]


def found(app: HalubotApp) -> list[str]:
    """What was found."""
    return [str(option.prompt) for option in app.screen.query_one("#hits", OptionList).options]


class TestFinding:
    """Ctrl+F."""

    @pytest.mark.slow
    @driven
    async def test_messages_of_this_session_come_first_and_each_can_be_gone_to(
        self, folder: Path
    ) -> None:
        with Sessions.open(folder) as sessions:
            for text in ("Ada wrote letters.", "The [b]tower[/b] was built by Ada."):
                given = Inputs(kind="check", text=text).model_dump(mode="json")
                sessions.append(1, "message", given, words=text)
        app = HalubotApp(folder=folder, session="Ada")
        async with app.run_test(size=(100, 30)) as pilot:
            await settled(pilot, lambda: len(turns(app)) == 3)
            await pilot.press("ctrl+f", *"tower")
            hits = app.screen.query_one("#hits", OptionList)
            await settled(pilot, lambda: hits.option_count == 4)
            said = [str(option.prompt) for option in hits.options]
            assert said[0] == "In this session"
            assert "The [b]tower[/b] was built" in said[1]
            assert said[2] == "In other sessions"
            assert "330 m" in said[3]
            await pilot.press("enter")
            await settled(pilot, lambda: app._selected is not None)
            await settled(pilot, lambda: app._selected == (turns(app)[2].id, None))
            await pilot.press("ctrl+f", *"330", "enter")
            await settled(pilot, lambda: len(turns(app)) == 1)
            assert "330 m" in turns(app)[0].inputs.text

    @driven
    async def test_what_stands_on_the_screen_is_found(self, folder: Path) -> None:
        app = HalubotApp(folder=folder)
        async with app.run_test(size=(100, 30)) as pilot:
            inputs = Inputs(
                kind="check",
                text="The outflow of Lake Baikal is the Lena.",
                samples=("The outflow of Lake Baikal is the Angara.",),
                references=("The lake has one outflow, says the survey.",),
            )
            turn = await app.begin(inputs)
            await settled(pilot, lambda: not turn.running)
            outcome = {"text": "The outflow of Lake Baikal is the Selenga.", "edits": []}
            app._keeper.note(turn, "correction", {"outcome": outcome})
            for words in ("angara", "survey", "selenga", "lena"):
                await pilot.press("ctrl+f", *words)
                # what was found for the first letters stands there until then
                await settled(pilot, partial(finds, app, words))
                assert len(found(app)) == 2
                assert found(app)[1].startswith(("  today ", "  yesterday "))
                await pilot.press("escape")

    @pytest.mark.slow
    @driven
    async def test_nothing_found_is_said(self, folder: Path) -> None:
        app = HalubotApp(folder=folder)
        async with app.run_test(size=(60, 20)) as pilot:
            await app.opened.wait()
            await pilot.press("ctrl+f", *"zebra")
            none = app.screen.query_one("#none", Static)
            await settled(pilot, lambda: "No message contains “zebra”." in str(none.render()))
            await pilot.press("enter", "escape")
            await settled(pilot, lambda: not isinstance(app.screen, FindScreen))


def test_moments_are_told_as_people_do() -> None:
    now = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
    said = [when(now - timedelta(days=days, hours=1), now) for days in (0, 1, 20, 400)]
    assert said == ["today 08:30", "yesterday 08:30", "10 Feb", "26 Jan 2025"]


class TestWhatIsTyped:
    """What is typed and not sent is there again."""

    @pytest.mark.slow
    @driven
    async def test_in_composer_and_form(self, tmp_path: Path) -> None:
        app = HalubotApp(folder=tmp_path, session="Ada")
        async with app.run_test(size=(100, 40)) as pilot:
            await pilot.press("f2")
            await settled(pilot, lambda: isinstance(app.screen, CheckForm))
            app.screen.query_one("#text", Editor).text = TEXT
            await pilot.press("escape", *"half")
            file = tmp_path / "notes.md"
            file.write_text(RIGHT)
            app._main.composer.editor.attach(file)
            await app._keep_unsent()  # what happens once a second: the app is killed after it
            with Sessions.open(tmp_path) as sessions:
                assert "half" in sessions.draft(1)
        again = HalubotApp(folder=tmp_path, session="Ada")
        async with again.run_test() as pilot:
            await settled(pilot, lambda: again._main.composer.text)
            written = again._main.composer.editor.content_written
            assert (written.text, written.files) == ("half", (file,))
            assert again._form.text == TEXT

    @pytest.mark.slow
    @pytest.mark.parametrize("messages", [0, 1])
    @driven
    async def test_is_on_the_first_screen_once(self, messages: int, tmp_path: Path) -> None:
        """Also if it was typed in a session that has messages."""
        folder = tmp_path
        app = HalubotApp(folder=folder, greet=True)
        async with app.run_test(size=(100, 40)) as pilot:
            await settled(pilot, lambda: isinstance(app.screen, CheckForm))
            if messages:
                await pilot.press("escape")
                turn = await app.begin(Inputs(kind="check", text=TEXT, samples=(RIGHT,)))
                await settled(pilot, lambda: not turn.running)
                await pilot.press("f2")
                await settled(pilot, lambda: isinstance(app.screen, CheckForm))
            app.screen.query_one("#text", Editor).text = TEXT
            app.screen.query_one("#samples Editor", Editor).text = RIGHT
            await pilot.press("ctrl+q")
        again = HalubotApp(folder=folder, greet=True)
        async with again.run_test(size=(100, 40)) as pilot:
            await settled(pilot, lambda: isinstance(again.screen, CheckForm))
            assert again.screen.query_one("#text", Editor).text == TEXT
            assert again._form.samples == [RIGHT]
            assert bool(again.resumable) == bool(messages)
            if messages:
                await pilot.press("ctrl+r")
                await settled(pilot, lambda: turns(again))
                assert again._form.text == TEXT
            await pilot.press("ctrl+q")
        with Sessions.open(folder) as sessions:
            drafts = [sessions.draft(one.id) for one in sessions.all()]
        assert sum(map(bool, drafts)) == 1

    def test_of_an_app_that_is_open_is_left_to_it(self, tmp_path: Path) -> None:
        with Sessions.open(tmp_path) as sessions:
            typed = {"checked": TEXT, "writer": os.getppid()}
            sessions.keep_draft(sessions.new().id, json.dumps(typed))
        keeper = Keeper(lambda error: pytest.fail(str(error)), tmp_path)
        assert keeper.open() is None
        assert not keeper.unsent()
        keeper.close()

    @driven
    async def test_is_left_as_it_was_kept_while_its_fields_come_or_go(self, tmp_path: Path) -> None:
        app = HalubotApp(folder=tmp_path, session="Ada")
        async with app.run_test(size=(100, 40)) as pilot:
            await pilot.press("f2")
            await settled(pilot, lambda: isinstance(app.screen, CheckForm))
            app.screen.query_one("#text", Editor).text = TEXT
            await app._keep_unsent()  # following does nothing while it is under way
            with app.batch_update():  # a field that is being removed is not drawn
                await app.screen.query_one("#panel").remove()  # as when the app ends
                app._keep_up()
                await app._follow()
            with Sessions.open(tmp_path) as sessions:
                assert TEXT in sessions.draft(1)

    @pytest.mark.slow
    @driven
    async def test_belongs_to_its_session(self, folder: Path) -> None:
        app = HalubotApp(folder=folder, session="Ada")
        async with app.run_test(size=(100, 30)) as pilot:
            await settled(pilot, lambda: turns(app))
            await pilot.press(*"half", "ctrl+n")
            await settled(pilot, lambda: not turns(app))
            assert app._main.composer.text == ""
            await pilot.press("f7")
            await settled(pilot, lambda: len(listed(app)) == 2)
            await pilot.press("down", "enter")
            await settled(pilot, lambda: turns(app))
            await settled(pilot, lambda: app._main.composer.text == "half")

    @pytest.mark.slow
    @driven
    async def test_is_kept_at_once(self, tmp_path: Path) -> None:
        app = HalubotApp(folder=tmp_path, session="Ada")
        async with app.run_test(size=(100, 40)) as pilot:
            app._following.busy = True  # what happens once a second does not
            await pilot.press(*"half")
            await settled(pilot, lambda: '"half"' in unsent(tmp_path))
            await pilot.press("f2")
            await settled(pilot, lambda: isinstance(app.screen, CheckForm))
            await pilot.press("tab", *"Who?")
            await settled(pilot, lambda: '"Who?"' in unsent(tmp_path))

    @pytest.mark.slow
    @driven
    async def test_waits_while_another_session_is_read(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with Sessions.open(folder) as sessions:
            sessions.keep_draft(2, "what stood there")
        gate, read = threading.Event(), Keeper.unsent
        app = HalubotApp(folder=folder, session="Ada")
        async with app.run_test(size=(100, 30)) as pilot:
            await settled(pilot, lambda: turns(app))

            def late(keeper: Keeper) -> Unsent:
                gate.wait(PATIENCE)
                return read(keeper)

            monkeypatch.setattr(Keeper, "unsent", late)
            going = asyncio.create_task(app._go_over(2))
            await settled(pilot, lambda: not app.opened.is_set())
            keeping = asyncio.create_task(app._keep_unsent())
            await pilot.pause()
            gate.set()
            await asyncio.gather(going, keeping)
            assert app._main.composer.text == "what stood there"
        with Sessions.open(folder) as sessions:
            assert "what stood there" in sessions.draft(2)

    @driven
    async def test_nothing_typed_leaves_no_session(self, tmp_path: Path) -> None:
        app = HalubotApp(folder=tmp_path)
        async with app.run_test() as pilot:
            await pilot.press("x")
            await app._follow()
            await pilot.press("backspace", "ctrl+q")
        assert kept(tmp_path) == []


class TestLeaving:
    """A session that is left while work on it is under way."""

    @pytest.mark.slow
    @driven
    async def test_work_goes_on_and_is_there_when_one_comes_back(
        self, folder: Path, held: list[Go]
    ) -> None:
        app = HalubotApp(folder=folder, session="Ada")
        async with app.run_test(size=(100, 30)) as pilot:
            turn = await at_work(app, pilot, held)
            await pilot.press("ctrl+n")
            await settled(pilot, lambda: not turns(app))
            held[0]()
            await settled(pilot, lambda: turn.state == "done")
            assert app._main.composer.text == ""
            assert not app.check_action("stop", ())
        with Sessions.open(folder) as sessions:
            (run,) = (entry for entry in sessions.entries(1) if entry.kind == "run")
            assert run.done

    @pytest.mark.slow
    @driven
    async def test_who_comes_back_sees_and_stops_it(self, folder: Path, held: list[Go]) -> None:
        app = HalubotApp(folder=folder, session="Ada")
        async with app.run_test(size=(100, 30)) as pilot:
            turn = await at_work(app, pilot, held)
            await pilot.press("ctrl+n")
            await settled(pilot, lambda: not turns(app))
            await app._go_over(1)
            assert turns(app)[-1] is turn
            assert [one.inputs.text for one in turns(app)] == [TEXT, GIVEN.text]
            await settled(pilot, lambda: app._selected == (turn.id, None))
            await pilot.press("ctrl+g")
            await settled(pilot, lambda: turn.state == "stopped")

    @pytest.mark.slow
    @driven
    async def test_no_key_stops_what_is_under_way_elsewhere(
        self, folder: Path, held: list[Go]
    ) -> None:
        app = HalubotApp(folder=folder, session="Ada")
        async with app.run_test(size=(100, 30)) as pilot:
            turn = await at_work(app, pilot, held)
            await pilot.press("ctrl+n")
            await settled(pilot, lambda: not turns(app))
            assert not app.check_action("stop", ())
            await pilot.press("escape", "ctrl+g")
            await pilot.pause()
            assert turn.running
            held[0]()
            await settled(pilot, lambda: turn.state == "done")

    @driven
    async def test_what_is_noted_of_it_is_kept_where_it_belongs(self, folder: Path) -> None:
        app = HalubotApp(folder=folder, session="Ada")
        async with app.run_test(size=(100, 30)) as pilot:
            turn = await app.begin(GIVEN)
            await settled(pilot, lambda: ended(app))
            await app._go_over(2)
            app._keeper.note(turn, "note", {"compared": "here"})
        with Sessions.open(folder) as sessions:
            (noted,) = (entry for entry in sessions.entries(1) if entry.kind == "note")
            assert noted.data == {"compared": "here"}


class TestTwoApps:
    """Two apps on one session."""

    @pytest.mark.slow
    @driven
    async def test_each_shows_what_the_other_does(self, tmp_path: Path) -> None:
        one = HalubotApp(folder=tmp_path, session="Ada")
        other = HalubotApp(folder=tmp_path, session="Ada")
        async with one.run_test() as pilot, other.run_test() as another:
            await one.begin(GIVEN)
            await other.begin(GIVEN.model_copy(update={"text": RIGHT}))
            await settled(pilot, lambda: ended(one))
            await settled(another, lambda: ended(other))
            one._keeper._need().flush()
            other._keeper._need().flush()
            for app, at in ((one, pilot), (other, another)):
                await app._follow()
                await settled(at, partial(ended, app))
                assert len(turns(app)) == 2
                assert {turn.inputs.text for turn in turns(app)} == {TEXT, RIGHT}
                assert {turn.answer for turn in turns(app)} == {TEXT, RIGHT}
            await one._follow()
            assert len(turns(one)) == 2
        assert kept(tmp_path) == [("Ada", 2)]

    @driven
    async def test_an_answer_is_followed_until_it_ends_or_falls_silent(
        self, tmp_path: Path
    ) -> None:
        clock = [0.0]
        app = HalubotApp(folder=tmp_path, session="Ada")
        app._following = Following(app._keeper, lambda: clock[0])
        async with app.run_test() as pilot:
            await app.opened.wait()
            with Sessions.open(tmp_path) as sessions:
                given = Inputs(kind="ask", text="Who was Ada?").model_dump(mode="json")
                message = sessions.append(1, "message", given)
                recording = sessions.begin(1, message, {})
                recording.hear(STARTED)
                recording.hear(AnswerToken(text="Ada was"))
                recording.flush()
                await app._follow()
                (turn,) = turns(app)
                assert (turn.answer, turn.state) == ("Ada was", "working")
                clock[0] += SILENCE + 1
                await app._follow()
                assert turn.state == "stopped"
                recording.hear(AnswerToken(text=" a countess."))
                recording.flush()
                await app._follow()
                assert (turn.answer, turn.state) == ("Ada was a countess.", "working")
                recording.hear(Done(outcome="failed", why="the model is gone"))
                recording.flush()
                await app._follow()
                assert (turn.state, turn.failure) == ("failed", "the model is gone")
            await pilot.pause()

    def test_an_answer_is_followed_where_a_word_on_a_fact_is_heeded(self) -> None:
        fact = Fact(index=0, triple=Triple("Ada", "was", "born"), sentences=(0,), spans=((0, 3),))
        word = Word(id=1, at=datetime.now(UTC), says="right", text=TEXT, fact=fact, method="x")
        turn = Turn("m1", Inputs(kind="ask", text="Who was Ada?"))
        turn.heed([word])
        events: list[Event] = [STARTED]
        events += (AnswerToken(text="Ada was"), AnswerToken(text=" a countess."))
        turn.follow(1, events[:2])
        assert turn.answer == "Ada was"
        turn.follow(1, events)
        assert turn.answer == "Ada was a countess."

    @pytest.mark.slow
    @driven
    async def test_a_session_that_the_other_deleted_is_begun_anew(self, folder: Path) -> None:
        app = HalubotApp(folder=folder, session="Ada")
        async with app.run_test() as pilot:
            await settled(pilot, lambda: turns(app))
            with Sessions.open(folder) as sessions:
                found = sessions.find_named("Ada")
                assert found is not None
                sessions.delete(found.id)
            await app.begin(GIVEN)
            await settled(pilot, lambda: ended(app))
            assert not told(app)
        assert sorted(kept(folder)) == [("", 1), ("", 1)]


class TestAStoreThatCannotBeUsed:
    """The app goes on."""

    @pytest.mark.slow
    @driven
    async def test_damaged_it_is_set_aside_when_asked(self, tmp_path: Path) -> None:
        (tmp_path / FILE).write_bytes(b"no base at all" * 100)
        app = HalubotApp(folder=tmp_path, session="Ada")
        async with app.run_test(size=(60, 20)) as pilot:
            await settled(pilot, lambda: isinstance(app.screen, Question))
            await pilot.press("right", "enter")
            await settled(pilot, lambda: any("sessions-damaged-" in one for one in told(app)))
            await app.begin(GIVEN)
            await settled(pilot, lambda: ended(app))
        assert kept(tmp_path) == [("", 1)]
        (aside,) = set(os.listdir(tmp_path)) - {FILE, f"{FILE}-wal", f"{FILE}-shm"}
        assert (tmp_path / aside).read_bytes().startswith(b"no base")

    @driven
    async def test_left_as_it_is_the_app_goes_on_and_asks_once(self, tmp_path: Path) -> None:
        (tmp_path / FILE).write_bytes(b"no base at all" * 100)
        app = HalubotApp(folder=tmp_path)
        async with app.run_test() as pilot:
            await settled(pilot, lambda: isinstance(app.screen, Question))
            await pilot.press("enter", "x")
            await app._follow()
            await app.begin(GIVEN)
            await settled(pilot, lambda: ended(app))
            await app._follow()
            assert not isinstance(app.screen, Question)
            assert turns(app)[0].report is not None
        assert (tmp_path / FILE).read_bytes().startswith(b"no base")

    @driven
    async def test_where_nothing_can_be_written_it_says_so_once(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("no folder")
        app = HalubotApp(folder=tmp_path / "file", session="Ada")
        async with app.run_test() as pilot:
            await app.begin(GIVEN)
            await settled(pilot, lambda: ended(app))
            await app._follow()
            await settled(pilot, lambda: told(app))
            assert len(told(app)) == 1
            assert "cannot keep anything" in told(app)[0]


@pytest.mark.slow
def test_five_hundred_messages_are_read_in_order(tmp_path: Path) -> None:
    with Sessions.open(tmp_path) as sessions:
        made = sessions.new("long")
        given = GIVEN.model_dump(mode="json")
        for number in range(500):
            message = sessions.append(made.id, "message", {**given, "question": f"{number}"})
            sessions.begin(made.id, message, {})
    keeper = Keeper(lambda error: pytest.fail(str(error)), tmp_path)
    keeper.open("long")
    found = keeper.turns()
    assert [turn.inputs.question for turn in found] == [f"{number}" for number in range(500)]
    assert not keeper.since().turns
    keeper.close()
