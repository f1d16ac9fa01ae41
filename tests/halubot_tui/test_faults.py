"""What goes wrong while the app runs: nothing typed or heard is lost, and nothing but quitting
closes the app."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from textual.events import Paste

from halubot.errors import HalubotError, StateError
from halubot.events import Answered, AnswerToken, Note, Progress, Started
from halubot.jobs import News
from halubot.report import Threshold
from halubot.text import read
from halubot_tui.app import HalubotApp
from halubot_tui.correction_fields import ByHand
from halubot_tui.forms import CheckForm
from halubot_tui.help import HelpScreen
from halubot_tui.messages import Heard, Selected
from halubot_tui.preferences import Preferences
from halubot_tui.text_area import Editor
from halubot_tui.turns import Inputs, Turn
from tests.halubot_tui.driving import PATIENCE, driven, notices, settled
from tests.halubot_tui.scenes import show
from tests.halubot_tui.states import BRIDGE, stopped
from tests.judge import Judge
from tests.loopback import Loopback, Reply, loopback

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from halubot.events import Emit
    from halubot.jobs import Work

QUESTION = "Who was Ada?"
ANSWER = "Ada Lovelace was born in 1815 in London."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with loopback() as one:
        yield one


def asking(folder: Path, server: Loopback, **settings: Any) -> HalubotApp:
    """An app whose model is the server."""
    preferences = Preferences(
        model="openai/tiny", api_base=server.url, store=folder / "store", n_samples=2, **settings
    )
    return HalubotApp(folder=folder, session="faults", preferences=preferences)


def only(app: HalubotApp) -> Turn:
    (turn,) = app._turns.values()
    return turn


def ended(app: HalubotApp) -> bool:
    return not any(turn.running for turn in app._turns.values())


def drawn(app: HalubotApp) -> str:
    """The whole screen as words."""
    strips = app.screen._compositor.render_strips(app.screen.size)
    return "\n".join(strip.text.rstrip() for strip in strips)


async def asked(app: HalubotApp, pilot: Pilot[None]) -> Turn:
    """A question typed and sent, once work on it has ended."""
    await pilot.press(*QUESTION, "enter")
    await settled(pilot, lambda: app._turns and not only(app).running)
    return only(app)


async def quit_by_key(app: HalubotApp, pilot: Pilot[None]) -> None:
    await pilot.press("ctrl+q")
    await settled(pilot, lambda: app._exit)


def dying(server: Loopback, after: int, gate: threading.Event | None = None) -> None:
    """The model hangs up after so many words of an answer, which begins once the gate is open; it
    goes on to judge."""
    judge = Judge(answer=ANSWER, samples=(ANSWER,))
    dies = Reply(texts=(ANSWER,), cut=after, gate=gate)
    server.answer(lambda body: dies if body.get("stream") else judge.reply(body))


@pytest.mark.slow
@driven
async def test_a_model_that_dies_in_mid_answer(tmp_path: Path, server: Loopback) -> None:
    dying(server, after=3)
    app = asking(tmp_path, server)
    async with app.run_test(size=(120, 30)) as pilot:
        turn = await asked(app, pilot)
        assert turn.answer == "Ada Lovelace was"
        assert turn.broken_off
        assert app._main.composer.text == QUESTION
        await settled(pilot, lambda: "broken off here" in drawn(app))
        assert "Ada Lovelace was" in drawn(app)
        assert "the answer broke off" in drawn(app)
        await quit_by_key(app, pilot)
    calls = len(server.received)
    again = asking(tmp_path, server)
    async with again.run_test(size=(120, 30)) as pilot:
        await settled(pilot, lambda: "broken off here" in drawn(again))
        assert only(again).answer == "Ada Lovelace was"
        await settled(pilot, lambda: again._main.composer.text == QUESTION)
    assert len(server.received) == calls


@pytest.mark.slow
@driven
async def test_what_is_typed_by_then_stays_and_the_question_is_among_those_sent(
    tmp_path: Path, server: Loopback
) -> None:
    typed = threading.Event()
    dying(server, after=1, gate=typed)
    app = asking(tmp_path, server)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press(*QUESTION, "enter", *"and Ben")
        await settled(pilot, lambda: app._main.composer.text == "and Ben")
        typed.set()
        await settled(pilot, lambda: app._turns and not only(app).running)
        assert only(app).broken_off
        assert app._main.composer.text == "and Ben"
        await pilot.press("up")
        assert app._main.composer.text == QUESTION
        await pilot.press("down")
        assert app._main.composer.text == "and Ben"


@pytest.mark.slow
@driven
async def test_a_check_that_could_not_begin_is_made_again_with_all_that_was_given(
    tmp_path: Path,
) -> None:
    page = tmp_path / "page.txt"
    app = HalubotApp(folder=tmp_path, session="faults")
    async with app.run_test(size=(100, 30)) as pilot:
        inputs = Inputs(kind="check", text=ANSWER, question=QUESTION, files=(str(page),))
        turn = await app.begin(inputs)
        await settled(pilot, lambda: not turn.running)
        assert turn.failure
        assert "page.txt" in turn.failure
        assert turn.report is None
        page.write_text(ANSWER)
        await pilot.press("f5")
        await settled(pilot, lambda: len(app._turns) == 2)
        again = list(app._turns.values())[1]
        await settled(pilot, lambda: not again.running)
        assert again.inputs == inputs
        assert again.failure is None
        assert {entry.verdict for entry in again.entries} == {"supported"}


@pytest.mark.slow
@driven
async def test_an_answer_that_was_stopped_is_asked_for_again_and_its_beginning_not_checked(
    tmp_path: Path,
) -> None:
    app = HalubotApp(folder=tmp_path, session="faults")
    async with app.run_test(size=(100, 30)) as pilot:
        await app.opened.wait()
        await show(app, pilot, stopped())
        app._main.conversation.focus()
        await pilot.press("f5")
        await settled(pilot, lambda: len(app._turns) == 2)
        again = list(app._turns.values())[1]
        assert again.inputs == Inputs(kind="ask", text=BRIDGE)


@pytest.mark.slow
@driven
async def test_a_correction_whose_check_fails_keeps_what_was_written_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dies(*given: Any, **options: Any) -> None:
        raise ConnectionResetError("it hung up [/b]")

    monkeypatch.setattr("halubot.correction_api.arecheck", dies)
    app = HalubotApp(folder=tmp_path, session="faults")
    async with app.run_test(size=(120, 30)) as pilot:
        inputs = Inputs(kind="check", text="Ada was born in 1816.", references=(ANSWER,))
        turn = await app.begin(inputs)
        await settled(pilot, lambda: not turn.running)
        await pilot.press("f4")
        await settled(pilot, lambda: turn.revision is not None and app.focused)
        await pilot.press("e")
        await settled(pilot, lambda: isinstance(app.focused, ByHand))
        await pilot.press(*"Ada?", "enter")
        await settled(pilot, lambda: turn.decisions)
        await pilot.press("f10")
        await settled(pilot, lambda: "it hung up [/b]" in drawn(app))
        assert turn.decisions == {0: "Ada?"}
        await app.workers.wait_for_complete([one for one in app.workers if one.group == "noting"])
        await quit_by_key(app, pilot)
    again = HalubotApp(folder=tmp_path, session="faults")
    async with again.run_test(size=(120, 30)) as pilot:
        await settled(pilot, lambda: again._turns and only(again).report)
        assert only(again).decisions == {0: "Ada?"}


def started() -> Started:
    threshold = Threshold(value=0.5)
    return Started(text="", sentences=(), method="consensus", engine="x", threshold=threshold)


async def at_work(app: HalubotApp, work: Work) -> Turn:
    """A message of which this work tells."""
    await app.opened.wait()
    turn = Turn(f"m{len(app._turns)}", Inputs(kind="ask", text=QUESTION), state="working")
    app._turns[turn.id] = turn
    await app._main.conversation.add(turn)
    app._jobs.start(turn.id, work)
    return turn


@pytest.mark.slow
@driven
async def test_of_20_000_events_at_once_none_is_lost_and_keys_still_work(tmp_path: Path) -> None:
    words = [f"word{number} " for number in range(10_000)]
    app = HalubotApp(folder=tmp_path, session="faults")

    async def work(emit: Emit) -> None:
        emit(started())
        for number, word in enumerate(words):
            emit(AnswerToken(text=word))
            emit(Progress(what="judging", done=number, of=len(words)))
        emit(Answered(text="".join(words), sentences=read("".join(words)).sentences))

    async with app.run_test(size=(100, 30)) as pilot:
        turn = await at_work(app, work)
        await pilot.press(*"and Ben?")
        await settled(pilot, lambda: not turn.running and not turn.late)
        assert app._main.composer.text == "and Ben?"
        assert turn.failure is None
        assert turn.answer == "".join(words)
        assert sum(isinstance(event, Progress) for event in turn.log) == len(words)
        await settled(pilot, lambda: not app._main.conversation.waits)
        assert "word9999" in drawn(app)
        await pilot.press("f1")
        await settled(pilot, lambda: isinstance(app.screen, HelpScreen))


@pytest.mark.slow
@driven
async def test_100_000_characters_on_one_line(tmp_path: Path) -> None:
    text = f"{'x' * 100_000}. Ada was born in 1816."
    app = HalubotApp(folder=tmp_path, session="faults")
    async with app.run_test(size=(100, 30)) as pilot:
        inputs = Inputs(kind="check", text=text, question=text, references=(ANSWER,))
        turn = await app.begin(inputs)
        await settled(pilot, lambda: not turn.running)
        assert turn.failure is None
        assert turn.answer == text
        app._main.conversation.focus()
        await settled(pilot, lambda: turn.entries and app.focused is app._main.conversation)
        await pilot.press("n")
        until = time.monotonic() + PATIENCE
        while "1816✗" not in drawn(app) and time.monotonic() < until:
            await pilot.press("end")  # the line is laid out by then, or with the next key
        assert "1816✗" in drawn(app)
        for key in ("f3", "3", "f3"):
            await pilot.press(key)
        app._main.composer.focus()
        app._main.composer.editor.post_message(Paste(text))
        await settled(pilot, lambda: isinstance(app.screen, CheckForm))
        await settled(pilot, lambda: app.screen.query_one("#text", Editor).whole == text)


EVIL = "[@click=app.quit]x[/] [/b] [ \x1b[31m \x9b2J \x07 \u202e 日本\u200b"


@pytest.mark.slow
@driven
async def test_nothing_but_quitting_closes_the_app(tmp_path: Path) -> None:
    faults = (
        HalubotError(EVIL),
        ValueError(EVIL),
        RecursionError(EVIL),
        MemoryError(),
        OSError(28, EVIL),
        StopAsyncIteration(EVIL),
        ExceptionGroup(EVIL, [KeyError(EVIL)]),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, EVIL),
        asyncio.CancelledError(EVIL),
    )
    file = tmp_path / "[@click=app.quit]x[b] [ \x1b[31m.md"
    file.write_bytes(b"\0\1\2" * 100)
    app = HalubotApp(folder=tmp_path, session="faults")
    async with app.run_test(size=(100, 30)) as pilot:
        for fault in faults:

            async def work(emit: Emit, fault: BaseException = fault) -> None:
                emit(started())
                emit(AnswerToken(text=EVIL))
                emit(Note(what=EVIL, why=EVIL))
                raise fault

            await at_work(app, work)
        await settled(pilot, lambda: ended(app))
        *failed, stopped = app._turns.values()
        assert {turn.state for turn in failed} == {"failed"}
        assert stopped.state == "stopped"
        assert {turn.answer for turn in app._turns.values()} == {EVIL}
        assert app._main.composer.text == QUESTION
        for turn in failed:
            app.post_message(Selected(turn.id))
        app._main.composer.take()
        app._main.composer.restore("", [str(file)])
        await pilot.press("enter")
        await settled(pilot, lambda: notices(app))
        app._warn(StateError(EVIL))
        await settled(pilot, lambda: len(notices(app)) == 2)
        app._main.composer.take()
        inputs = Inputs(
            kind="check",
            text=f"Ada was born in 1816. {EVIL}",
            question=EVIL,
            references=(ANSWER,),
            files=(str(file),),
        )
        await app.begin(inputs)
        await settled(pilot, lambda: ended(app))
        await pilot.press(*"/[/b]", "enter")
        await settled(pilot, lambda: ended(app))
        for y in (2, 5, 8, 11):
            await pilot.click(offset=(6, y))
        assert "[@click=app.quit]x[/] [/b] [ " in drawn(app)
        assert not {"\x1b", "\x9b", "\x07", "\u202e"} & set(drawn(app))
        assert app.is_running
        assert not app._exit
        await quit_by_key(app, pilot)


@pytest.mark.slow
@driven
async def test_news_that_come_while_the_app_ends_are_no_fault(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path, session="faults")

    async def work(emit: Emit) -> None:
        emit(started())

    async with app.run_test(size=(100, 30)) as pilot:
        turn = await at_work(app, work)
        await settled(pilot, lambda: not turn.running)
        await app._main.remove_children()
        news = News(turn.id, (AnswerToken(text="late"),), ended=True, failure="too late")
        app.on_heard(Heard(news))
        app.on_selected(Selected(turn.id, 1))
        assert "late" not in turn.answer
