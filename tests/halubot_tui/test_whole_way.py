"""The whole way, by keys alone: ask, watch facts light up, inspect, correct, check again, export,
quit, and find it all when the session is opened again; with a model, and without any."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from textual.events import Paste
from textual.widgets import Input, Static

from halubot.report import Report
from halubot_tui.app import HalubotApp
from halubot_tui.correction import CorrectionScreen
from halubot_tui.export_screen import ExportForm
from halubot_tui.forms import CheckForm
from halubot_tui.inspector import Inspector
from halubot_tui.main import MainScreen
from halubot_tui.materials import Materials
from halubot_tui.preferences import Preferences
from halubot_tui.text_area import Editor
from halubot_tui.turns import Turn
from tests.halubot_tui.driving import driven, settled
from tests.judge import Judge
from tests.loopback import Body, Loopback, Reply, loopback

if TYPE_CHECKING:
    from textual.pilot import Pilot

pytestmark = pytest.mark.slow

QUESTION = "Who was Ada Hill?"
TEXT = "Ada Hill was born in 1816. She knew Ben Moore. She died in 1890."
RIGHT = "Ada Hill was born in 1815. She knew Ben Moore. She died in 1852."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with loopback() as one:
        yield one


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def opened(folder: Path, **settings: Any) -> HalubotApp:
    return HalubotApp(
        folder=folder / "state", session="the whole way", preferences=Preferences(**settings)
    )


def lines(app: HalubotApp) -> str:
    return "\n".join(app._main.conversation.lines())


def shown(app: HalubotApp, what: str) -> str:
    return str(app.screen.query_one(what, Static).content)


def only(app: HalubotApp) -> Turn:
    (turn,) = app._turns.values()
    return turn


async def inspected(app: HalubotApp, pilot: Pilot[None]) -> None:
    """Goes from fact to fact by keys, looks at each view, and comes back."""
    app._main.conversation.focus()
    await pilot.press("n")
    await settled(pilot, lambda: app._selected and app._selected[1] is not None)
    turn, number = app._selected or ("", None)
    inspector = app.screen.query_one(Inspector)
    await pilot.press("f3")
    await settled(pilot, lambda: inspector.has_focus_within)
    assert inspector.entry is not None
    assert inspector.entry.number == number
    for key in ("2", "3", "4", "5", "1"):
        before = inspector.view
        await pilot.press(key)
        await settled(pilot, lambda before=before: inspector.view != before)  # type: ignore[misc]
    assert (turn, number) == app._selected
    await pilot.press("f3")
    await settled(pilot, lambda: app._main.conversation.has_focus)


async def corrected(app: HalubotApp, pilot: Pilot[None]) -> None:
    """Accepts the first change, rejects the second, and checks again."""
    turn = only(app)
    await pilot.press("f4")
    await settled(pilot, lambda: isinstance(app.screen, CorrectionScreen))
    await settled(pilot, lambda: "2 changes: 2 open" in shown(app, "#state"))
    await pilot.press("home", "a", "r")  # it begins with the fact that was selected
    await settled(pilot, lambda: len(turn.decisions) == 2)
    assert turn.decisions == {0: True, 1: False}
    await pilot.press("f10")
    await settled(pilot, lambda: turn.revision and turn.revision.outcome)
    await settled(pilot, lambda: "after" in shown(app, "#figures"))
    assert "before" in shown(app, "#figures")
    await app.workers.wait_for_complete([one for one in app.workers if one.group == "noting"])
    await pilot.press("escape")
    await settled(pilot, lambda: isinstance(app.screen, MainScreen))


async def exported(app: HalubotApp, pilot: Pilot[None]) -> Report:
    """Saves the report as JSON, and reads that."""
    await pilot.press("f9")
    await settled(pilot, lambda: isinstance(app.screen, ExportForm))
    await pilot.press("down", "tab", "tab", "down", "down")  # the report, not the corrected text
    await settled(pilot, lambda: app.screen.query_one("#path", Input).value.endswith(".json"))
    file = Path(app.screen.query_one("#path", Input).value)
    await pilot.press("f9")
    await settled(pilot, lambda: isinstance(app.screen, MainScreen))
    return read(file)


def read(file: Path) -> Report:
    return Report.model_validate(json.loads(file.read_text(encoding="utf-8")))


async def quit_by_key(app: HalubotApp, pilot: Pilot[None]) -> None:
    await pilot.press("ctrl+q")
    await settled(pilot, lambda: app._exit)


def is_partly_right(text: str) -> bool:
    """Whether one change was made and the other was not."""
    return "1815" in text and "1816" not in text and "1890" in text and "1852" not in text


async def found_again(app: HalubotApp, pilot: Pilot[None], report: Report) -> None:
    """All of it is there: the message, its marks, the inspector, what was decided, both results."""
    await settled(pilot, lambda: app._turns and only(app).report)
    turn = only(app)
    assert turn.answer == TEXT
    await settled(pilot, lambda: "1816✗" in lines(app))
    await inspected(app, pilot)
    assert turn.report is not None
    assert turn.report.facts == report.facts
    assert turn.report.sources == report.sources
    await pilot.press("f4")
    await settled(pilot, lambda: turn.revision and turn.revision.outcome)
    assert turn.decisions == {0: True, 1: False}
    assert turn.revision is not None
    assert turn.revision.outcome is not None
    assert turn.revision.outcome.correction == report.correction
    await settled(pilot, lambda: "after" in shown(app, "#figures"))


@driven
async def test_with_a_model(tmp_path: Path, server: Loopback) -> None:
    judge = Judge(
        answer=TEXT,
        samples=(RIGHT,),
        question=QUESTION,
        stance=lambda fact, source: (
            "contradicts" if "1816" in fact or "1890" in fact else "supports"
        ),
        rewrite=lambda sentence, _: (
            "changed",
            sentence.replace("1816", "1815").replace("1890", "1852"),
        ),
    )
    asked_to_judge, go_on = threading.Event(), threading.Event()

    def reply(body: Body) -> Reply:
        answer = judge.reply(body)
        if judge.asked[-1].fields.keys() & {"facts", "fact"} and not go_on.is_set():
            asked_to_judge.set()
            return replace(answer, gate=go_on)
        return answer

    server.answer(reply)
    settings = {
        "model": "openai/tiny",
        "api_base": server.url,
        "store": tmp_path / "store",
        "n_samples": 3,
    }
    app = opened(tmp_path, **settings)
    async with app.run_test(size=(140, 40)) as pilot:
        app._main.composer.editor.post_message(Paste(QUESTION))
        await settled(pilot, lambda: app._main.composer.text == QUESTION)
        await pilot.press("enter")
        await settled(pilot, lambda: app._turns and asked_to_judge.is_set())
        turn = only(app)
        await settled(pilot, lambda: "1816" in lines(app))
        assert turn.running
        assert "✗" not in lines(app)
        go_on.set()
        await settled(pilot, lambda: not turn.running)
        assert turn.failure is None
        await settled(pilot, lambda: "1816✗" in lines(app) and "1890✗" in lines(app))
        await settled(pilot, lambda: "model call" in lines(app))
        assert QUESTION in lines(app)
        await inspected(app, pilot)
        await corrected(app, pilot)
        report = await exported(app, pilot)
        assert report.question is not None
        assert report.question.text == QUESTION
        assert report.correction is not None
        assert is_partly_right(report.correction.text)
        await quit_by_key(app, pilot)
    calls = len(server.received)
    again = opened(tmp_path, **settings)
    async with again.run_test(size=(140, 40)) as pilot:
        await found_again(again, pilot, report)
    assert len(server.received) == calls


@driven
async def test_without_any_model(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(140, 40)) as pilot:
        await pilot.press("f2")
        await settled(pilot, lambda: isinstance(app.screen, CheckForm))
        app.screen.query_one("#text", Editor).post_message(Paste(TEXT))
        samples = app.screen.query_one("#samples", Materials)
        editor = samples.query_one(Editor)
        editor.focus()
        for count in (1, 2, 3):
            editor.post_message(Paste(f"{RIGHT} This is answer {count}."))
            await settled(pilot, lambda count=count: len(samples.given) == count)  # type: ignore[misc]
        await pilot.press("f2")
        await settled(pilot, lambda: app._turns and not only(app).running)
        assert only(app).failure is None
        await settled(pilot, lambda: "1816✗" in lines(app) and "2 of " in lines(app))
        await inspected(app, pilot)
        await corrected(app, pilot)
        report = await exported(app, pilot)
        assert report.usage.calls == 0
        assert report.correction is not None
        assert is_partly_right(report.correction.text)
        await quit_by_key(app, pilot)
    again = opened(tmp_path)
    async with again.run_test(size=(140, 40)) as pilot:
        await found_again(again, pilot, report)
