"""What is selected is what keys act on; and work is stopped by its own key alone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from textual.widgets import OptionList

from halubot.events import Started
from halubot.report import Threshold
from halubot.state.sessions import Sessions
from halubot_tui.app import HalubotApp
from halubot_tui.correction import CorrectionScreen
from halubot_tui.inspecting.facts import FactList
from halubot_tui.inspector import Inspector
from halubot_tui.preferences import Preferences
from halubot_tui.sessions import SessionsScreen
from halubot_tui.turns import Inputs, Turn
from tests.halubot_tui.driving import driven, notices, settled

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

    from halubot.events import Emit

WRONG = "Ada Lovelace was born in 1816. She died in 1853."
RIGHT = "Ada Lovelace was born in 1815. She died in 1852."


def told(app: HalubotApp) -> list[str]:
    return [one.message for one in notices(app)]


async def checked(app: HalubotApp, pilot: Pilot[None], text: str, *given: str) -> Turn:
    """A message that was checked, against these references or else the right text."""
    turn = await app.begin(Inputs(kind="check", text=text, references=given or (RIGHT,)))
    await settled(pilot, lambda: not turn.running)
    return turn


def all_of(app: HalubotApp) -> list[Turn]:
    return list(app._turns.values())


async def at_work(app: HalubotApp, pilot: Pilot[None], text: str) -> Turn:
    """A message of which the check never ends by itself."""
    turn = Turn(text, Inputs(kind="check", text=text), state="working")

    async def work(emit: Emit) -> None:
        threshold = Threshold(value=0.5)
        emit(Started(text=text, sentences=(), method="m", engine="x", threshold=threshold))
        await asyncio.Event().wait()

    app._turns[turn.id] = turn
    await app._main.conversation.add(turn)
    app._jobs.start(turn.id, work)
    await settled(pilot, lambda: turn.log)
    return turn


@pytest.mark.slow
@driven
async def test_esc_only_navigates_and_x_stops_the_selected_message_alone(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await app.opened.wait()
        first = await at_work(app, pilot, "the first")
        second = await at_work(app, pilot, "the second")
        app._main.conversation.focus()
        for _ in range(3):
            await pilot.press("escape")
        await pilot.pause()
        assert first.running
        assert second.running
        assert app.focused is app._main.composer.editor
        await pilot.press("x")  # where one writes it is a letter
        assert app._main.composer.text == "x"
        app._main.conversation.focus()
        await pilot.press("left_square_bracket", "left_square_bracket")
        await settled(pilot, lambda: app._selected == (first.id, None))
        await pilot.press("x")
        await settled(pilot, lambda: not first.running)
        assert first.state == "stopped"
        assert second.running
        assert told(app) == ["the first: F5 checks it again."]
        await pilot.press("right_square_bracket")
        await settled(pilot, lambda: app._selected == (second.id, None))
        app._main.composer.focus()
        await pilot.press("ctrl+g")
        await settled(pilot, lambda: not second.running)


@pytest.mark.slow
@driven
async def test_next_fact_and_what_is_done_then_are_of_the_selected_message(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        turns = [await checked(app, pilot, f"{WRONG} It is text {n}.") for n in range(3)]
        app._main.conversation.focus()
        await pilot.press("left_square_bracket")
        await settled(pilot, lambda: app._selected == (turns[1].id, None))
        await pilot.press("n")
        await settled(pilot, lambda: app._selected == (turns[1].id, turns[1].first_doubted))
        await pilot.press("y")
        await settled(pilot, lambda: told(app))
        assert app.clipboard == turns[1].answer
        assert turns[1].title in [one.title for one in notices(app)]
        await pilot.press("f4")
        await settled(pilot, lambda: isinstance(app.screen, CorrectionScreen))
        assert isinstance(app.screen, CorrectionScreen)
        assert app.screen.turn is turns[1]


@pytest.mark.slow
@driven
async def test_copying_a_text_that_is_half_decided_says_so(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        turn = await checked(app, pilot, WRONG)
        app._main.conversation.focus()
        await pilot.press("y")
        await settled(pilot, lambda: told(app))
        assert "The text as it was checked" in told(app)[-1]
        await pilot.press("f4")
        await settled(pilot, lambda: turn.revision is not None and app.focused)
        assert turn.revision is not None
        assert len(turn.revision.open) == 2
        await pilot.press("escape")
        await settled(pilot, lambda: app.focused is app._main.conversation)
        await pilot.press("y")
        await settled(pilot, lambda: len(told(app)) == 2)
        assert "without any change (0 of 2 changes made, 2 not decided)" in told(app)[-1]
        assert app.clipboard == WRONG
        await pilot.press("f4")
        await settled(pilot, lambda: isinstance(app.focused, OptionList))
        await pilot.press("a", "escape")
        await settled(pilot, lambda: app.focused is app._main.conversation)
        await pilot.press("y")
        await settled(pilot, lambda: len(told(app)) == 3)
        assert "corrected in part (1 of 2 changes made, 1 not decided)" in told(app)[-1]
        assert app.clipboard == WRONG.replace("1816", "1815")
        await pilot.press("f4")
        await settled(pilot, lambda: isinstance(app.focused, OptionList))
        await pilot.press("a", "escape")
        await settled(pilot, lambda: app.focused is app._main.conversation)
        await pilot.press("y")
        await settled(pilot, lambda: len(told(app)) == 4)
        assert told(app)[-1].startswith("The corrected text (all 2 changes made) was offered")
        assert app.clipboard == RIGHT


@pytest.mark.slow
@driven
async def test_a_session_that_is_opened_again_shows_its_newest_message(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path, session="ada")
    async with app.run_test(size=(120, 40)) as pilot:
        await checked(app, pilot, "Ada Lovelace died in 1852.")
        await checked(app, pilot, WRONG)
    again = HalubotApp(folder=tmp_path, session="ada")
    async with again.run_test(size=(120, 40)) as pilot:
        await settled(pilot, lambda: again._selected)
        newest = list(again._turns.values())[-1]
        assert again._selected == (newest.id, None)
        inspector = again.screen.query_one(Inspector)
        await settled(pilot, lambda: inspector.query_one(FactList).numbers)
        assert inspector.turn is newest
        assert again._main.composer.border_title == "ada"


@pytest.mark.slow
@pytest.mark.parametrize("sentences", [9, 10, 11, 14])
@driven
async def test_a_text_that_is_opened_again_begins_with_its_result(
    sentences: int, tmp_path: Path
) -> None:
    """Also if all of it was in sight before its result was read, and no more is then."""
    text = "\n\n".join([WRONG] * sentences)
    app = HalubotApp(folder=tmp_path, session="Ada")
    async with app.run_test(size=(100, 40)) as pilot:
        await app.opened.wait()
        await checked(app, pilot, text)
    again = HalubotApp(folder=tmp_path, session="Ada")
    async with again.run_test(size=(100, 40)) as pilot:
        await again.opened.wait()
        conversation = again._main.conversation
        await settled(pilot, lambda: again._turns and not any(t.half_read for t in all_of(again)))
        await settled(pilot, lambda: not conversation.waits)
        shown = [*conversation.lines()]
        assert any("facts are contradicted" in line for line in shown[:3]), shown


@pytest.mark.slow
@driven
async def test_after_a_crash_it_goes_on_where_one_stopped(tmp_path: Path) -> None:
    with Sessions.open(tmp_path) as kept:
        session = kept.new("")
        data = {"kind": "check", "text": WRONG}
        kept.append(session.id, "message", data, words=WRONG)
    app = HalubotApp(folder=tmp_path, preferences=Preferences(model="ollama_chat/x"), greet=True)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot, lambda: app.resumable)
        assert "continues where you stopped: Ada Lovelace was born" in str(
            app.screen.query_one("#welcome").render()
        )
        await pilot.press("ctrl+r")
        await settled(pilot, lambda: app._turns)
        assert [turn.inputs.text for turn in app._turns.values()] == [WRONG]
        assert not app.resumable


@pytest.mark.slow
@driven
async def test_the_first_doubted_fact_is_selected_when_a_check_ends(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await checked(app, pilot, f"She died in 1852. {WRONG}")
        await settled(pilot, lambda: app._selected and app._selected[1])
        assert turn.first_doubted is not None
        assert app._selected == (turn.id, turn.first_doubted)
        entry = turn.entry(turn.first_doubted)
        assert entry is not None
        assert "1816" in entry.reading
        assert [one.number for one in turn.entries] == [1, 2, 3]
        years = ["1852", "1816", "1853"]
        assert all(year in one.reading for year, one in zip(years, turn.entries, strict=True))


@driven
async def test_the_arrows_go_through_the_facts_while_nothing_is_written(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        turn = await checked(app, pilot, f"She died in 1852. {WRONG}")
        await settled(pilot, lambda: app._selected == (turn.id, 2))
        assert app.focused is app._main.composer.editor
        await pilot.press("down")
        await settled(pilot, lambda: app._selected == (turn.id, 3))
        await pilot.press("up", "up")
        await settled(pilot, lambda: app._selected == (turn.id, 1))
        await pilot.press("a", "up", "down")  # in what is written the cursor moves
        await pilot.pause()
        assert app._selected == (turn.id, 1)
        await pilot.press("backspace")
        assert not app._main.composer.text
        await pilot.resize_terminal(80, 24)  # the list is not in sight: from mark to mark
        await pilot.press("down")
        await settled(pilot, lambda: app._selected == (turn.id, 2))
        app._main.conversation.focus()
        await pilot.resize_terminal(120, 40)
        await pilot.press("3")  # the views have their digits where one reads, too
        await settled(pilot, lambda: app._main._inspector.view == "sources")


@pytest.mark.slow
@driven
async def test_work_of_a_deleted_session_stops(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path, session="gone")
    async with app.run_test(size=(100, 30)) as pilot:
        await app.opened.wait()
        turn = await at_work(app, pilot, "endless")
        session = app._keeper.session
        assert session is not None
        turn.place = (session.id, 1)
        await pilot.press("f7")
        await settled(pilot, lambda: isinstance(app.screen, SessionsScreen))
        await settled(pilot, lambda: app.screen.query_one("#kept", OptionList).option_count)
        await pilot.press("delete")
        await settled(pilot, lambda: not app.screen.query_one("#kept", OptionList).option_count)
        assert turn.running  # it can still be taken back
        await pilot.press("escape")
        await settled(pilot, lambda: not turn.running)
        assert turn.state == "stopped"
