"""Checks in a process of their own: the same reports, and the app outlives the process."""

from __future__ import annotations

import asyncio
import contextvars
import os
import signal
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from halubot import check
from halubot.errors import HalubotError
from halubot.events import Progress, fold
from halubot.state.sessions import Sessions
from halubot_tui import checker
from halubot_tui.app import HalubotApp
from halubot_tui.checker import Apart, CheckerGoneError
from halubot_tui.orders import Check
from halubot_tui.preferences import Preferences
from halubot_tui.text_check import Inputs, TextCheck, WorkProgress
from tests.halubot_tui.canned import events_of
from tests.halubot_tui.driving import PATIENCE, driven, settled
from tests.loopback import Reply, loopback

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halubot.events import Event
    from halubot.report import Report

TEXT = "Ada was born in 1816. She died in London."
REFERENCE = "Ada was born in 1815."
GIVEN = Inputs(kind="check", text=TEXT, references=(REFERENCE,))

pytestmark = pytest.mark.slow


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[Apart]:
    warned: list[str] = []
    made = Apart(warned.append, tmp_path)
    yield made
    made.close()
    assert made.process is None
    assert not warned


def group_priority(process: int) -> str | None:
    """How nice the session of a process is; None if this system does not tell."""
    told = Path(f"/proc/{process}/autogroup")
    return told.read_text(encoding="ascii").split()[-1] if told.exists() else None


class Stuck:
    """An order that begins, and never ends by itself."""

    async def __call__(self, emit: Any) -> None:
        emit(events_of(TEXT, ())[0])
        await asyncio.Event().wait()


class Exiting:
    """An order that ends the process that carries it out."""

    async def __call__(self, emit: Any) -> None:
        os._exit(3)


def without_time(report: Report) -> Report:
    usage = report.usage.model_copy(update={"seconds": 0.0})
    return report.model_copy(update={"usage": usage})


@driven
async def test_events_come_in_order_and_fold_into_the_report_of_a_check_here(apart: Apart) -> None:
    heard: list[Event] = []
    order = Check("check", TEXT, {"references": [REFERENCE]})
    await apart.carry_out(order, heard.append)
    here = check(TEXT, references=[REFERENCE])
    assert without_time(fold(heard)) == without_time(here)


@driven
async def test_events_are_heard_in_the_context_of_who_asked(apart: Apart) -> None:
    """Textual's timers look for their app there: without it nothing was drawn until the end."""
    asked: contextvars.ContextVar[str] = contextvars.ContextVar("asked")
    asked.set("here")
    heard: list[str] = []
    order = Check("check", TEXT, {"references": [REFERENCE]})
    await apart.carry_out(order, lambda _: heard.append(asked.get("nowhere")))
    assert set(heard) == {"here"}


@driven
async def test_it_gives_way_to_the_app_that_draws(apart: Apart) -> None:
    await apart.carry_out(Check("check", TEXT, {"references": [REFERENCE]}), lambda _: None)
    process = apart.process
    assert process is not None
    if not hasattr(os, "getpriority"):
        pytest.skip("this system has no priorities")
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, process.pid) == min(own + 5, 19)
    assert group_priority(process.pid) in (None, "5")


@driven
async def test_an_error_for_people_is_one_here_too(apart: Apart) -> None:
    with pytest.raises(HalubotError, match="there is no method 'none'"):
        await apart.carry_out(Check("check", TEXT, {"method": "none"}), lambda _: None)


@pytest.mark.parametrize("begun", [True, False])
@driven
async def test_what_is_cancelled_stops_and_the_process_stays(
    apart: Apart, monkeypatch: pytest.MonkeyPatch, begun: bool
) -> None:
    """Once it has begun, and while it is on its way to the process."""
    monkeypatch.setattr(checker, "PATIENCE", PATIENCE)
    await asyncio.to_thread(apart.warm_up)
    first, hearing = apart.process, asyncio.Event()
    task = asyncio.ensure_future(apart.carry_out(Stuck(), lambda _: hearing.set()))
    await (hearing.wait() if begun else asyncio.sleep(0))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    heard: list[Event] = []
    await apart.carry_out(Check("check", TEXT, {"references": [REFERENCE]}), heard.append)
    assert fold(heard).facts
    assert apart.process is first


@driven
async def test_a_process_that_dies_is_reported_and_another_takes_its_place(apart: Apart) -> None:
    with pytest.raises(CheckerGoneError, match=r"ended unexpectedly \(status 3\)"):
        await apart.carry_out(Exiting(), lambda _: None)
    heard: list[Event] = []
    await apart.carry_out(Check("check", TEXT, {"references": [REFERENCE]}), heard.append)
    assert fold(heard).facts


def _has_ended(turn: TextCheck) -> bool:
    return not turn.running


@driven
async def test_a_check_apart_is_kept(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path, session="Ada")
    async with app.run_test(size=(100, 30)) as pilot:
        turn = await app.checks.begin(GIVEN)
        await settled(pilot, partial(_has_ended, turn))
        assert turn.failure is None
        assert next(entry.verdict for entry in turn.entries) == "contradicted"
        known, run = turn.found, turn.run
    assert run is not None
    assert known is not None
    with Sessions.open(tmp_path) as sessions:
        report = sessions.report(run)
    assert report is not None
    assert without_time(report) == without_time(known)


@driven
async def test_a_model_is_asked_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with loopback() as server:
        server.answer(lambda _: Reply(("Ada Lovelace was born in 1815.",)))
        preferences = Preferences(
            model="openai/small", api_base=server.url, method="consensus", n_samples=2
        )
        app = HalubotApp(folder=tmp_path, preferences=preferences)
        async with app.run_test(size=(120, 40)) as pilot:
            turn = await app.checks.begin(Inputs(kind="ask", text="When was Ada born?"))
            await settled(pilot, lambda: not turn.running)
            assert turn.failure is None
            assert turn.text == "Ada Lovelace was born in 1815."


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@driven
async def test_a_check_whose_process_is_killed_is_told_and_can_be_made_again(
    tmp_path: Path,
) -> None:
    app = HalubotApp(folder=tmp_path, session="Ada")
    async with app.run_test(size=(100, 30)) as pilot:
        await app.opened.wait()
        turn = await stuck(app)
        await settled(pilot, lambda: turn.log)  # the process has the order
        process = app.checker.process  # type: ignore[attr-defined]
        process.send_signal(signal.SIGKILL)
        await settled(pilot, lambda: not turn.running)
        assert turn.failure is not None
        assert "ended unexpectedly (by SIGKILL)" in turn.failure
        again = await app.checks.begin(GIVEN)
        await settled(pilot, lambda: not again.running)
        assert again.failure is None
        assert len(again.entries) == 2


async def stuck(app: HalubotApp) -> TextCheck:
    """A check that does not end."""
    return await app.checks.begin(GIVEN, order=Stuck())


def test_the_time_left_does_not_grow_while_nothing_is_heard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    progress = WorkProgress()
    now = time.monotonic()
    monkeypatch.setattr("time.monotonic", lambda: now)
    progress.hear(Progress(what="comparing sentences", done=0, of=10))
    now += 4
    progress.hear(Progress(what="comparing sentences", done=2, of=10))
    assert progress.words() == "comparing sentences 2/10, 16 s left"
    now += 10
    assert progress.words() == "comparing sentences 2/10, 6 s left"
    now += 10  # it took longer than it had seemed
    assert progress.words() == "comparing sentences 2/10, 24 s"
