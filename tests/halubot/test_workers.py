"""Checks in processes of their own: their results, their models, and what becomes of one that
hangs. A process that is stopped by SIGSTOP stands for one that is held up by a library in C."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from halubot.errors import InputError, UnknownMethodError
from halubot.events import Event, Started
from halubot.models.model import Completion, Request
from halubot.models.panel import open_panel
from halubot.testing import ScriptedModel
from halubot.workers import WorkerGoneError, Workers

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it stops processes by signals")

TEXT = "Ada was born in 1816."
OPTIONS: dict[str, Any] = {"references": ["Ada was born in 1815."]}


Work = Callable[[Workers], Coroutine[Any, Any, None]]
Run = Callable[[Work], None]


def run(work: Work) -> None:
    """Do the work with processes that end with it."""

    async def whole() -> None:
        workers = Workers()
        try:
            await work(workers)
        finally:
            await workers.close()

    asyncio.run(whole())


@pytest.fixture(scope="module")
def calm_run() -> Iterator[Run]:
    """The same for work that needs no process of its own: they are started once."""
    with asyncio.Runner() as runner:
        workers = Workers()
        yield lambda work: runner.run(work(workers))
        runner.run(workers.close())


def stop(workers: Workers) -> None:
    for pid in workers.pids:
        os.kill(pid, signal.SIGSTOP)


def ignore(_: Event) -> None:
    """Hear of nothing."""


def test_a_report_its_events_and_errors_are_those_of_this_process(calm_run: Run) -> None:
    async def work(workers: Workers) -> None:
        events: list[Event] = []
        report = await workers.run("check", TEXT, OPTIONS, events.append)
        assert report.facts[0].verdict == "contradicted"
        assert isinstance(events[0], Started)
        assert events[-1].kind == "done"
        corrected = await workers.run("correct", TEXT, OPTIONS, ignore)
        assert corrected.correction is not None
        assert corrected.correction.text == "Ada was born in 1815."
        # Its errors are those of this process too, and cost it nothing.
        with pytest.raises(InputError, match="empty"):
            await workers.run("check", " ", OPTIONS, ignore)
        with pytest.raises(UnknownMethodError) as caught:
            await workers.run("check", TEXT, {**OPTIONS, "method": "consensu"}, ignore)
        assert caught.value.name == "consensu"
        assert len(workers.pids) == 1

    calm_run(work)


@pytest.mark.slow
def test_a_check_that_hangs_is_killed_at_its_deadline_and_says_so() -> None:
    async def work(workers: Workers) -> None:
        await workers.warm_up()
        before = workers.pids
        stop(workers)
        hangs = asyncio.create_task(
            workers.run("check", TEXT, {**OPTIONS, "deadline": 1.0}, ignore)
        )
        await asyncio.sleep(0)
        # Another one is begun meanwhile, and has a process of its own.
        other = await workers.run("check", TEXT, OPTIONS, ignore)
        assert other.facts[0].verdict == "contradicted"
        report = await hangs
        assert report.text == TEXT
        assert not report.facts
        assert [one.what for one in report.problems] == ["nothing was checked"]
        assert "deadline of 1 s" in report.problems[0].why
        assert not set(before) & set(workers.pids)

    run(work)


@pytest.mark.slow
def test_a_correction_that_hangs_changes_nothing_and_says_so() -> None:
    async def work(workers: Workers) -> None:
        await workers.warm_up()
        stop(workers)
        report = await workers.run("correct", TEXT, {**OPTIONS, "deadline": 0.1}, ignore)
        assert report.correction is not None
        assert report.correction.text == TEXT
        assert "the text was not corrected" in [one.what for one in report.problems]

    run(work)


@pytest.mark.slow
def test_a_process_that_ends_is_told_and_replaced() -> None:
    async def work(workers: Workers) -> None:
        await workers.warm_up()
        stop(workers)
        dies = asyncio.create_task(workers.run("check", TEXT, OPTIONS, ignore))
        await asyncio.sleep(0)
        os.kill(workers.pids[0], signal.SIGKILL)
        with pytest.raises(WorkerGoneError, match="ended unexpectedly"):
            await dies
        report = await workers.run("check", TEXT, OPTIONS, ignore)
        assert report.facts[0].verdict == "contradicted"

    run(work)


def test_models_are_called_from_here_within_one_budget(calm_run: Run, tmp_path: Path) -> None:
    asked: list[int] = []

    def answer(request: Request) -> Completion:
        asked.append(os.getpid())
        return Completion("Ada was born in 1815.")

    async def work(workers: Workers) -> None:
        model = ScriptedModel(answer)
        with open_panel(model, max_calls=1, store=tmp_path) as panel:
            options = {"panel": panel, "question": "When?", "n_samples": 3, "method": "consensus"}
            report = await workers.run("check", TEXT, options, ignore)
            assert report.usage.calls == panel.budget.usage.calls == 1
            again = await workers.run("check", TEXT, options, ignore)
            assert again.usage.calls == 0
            assert again.usage.cached_calls > 0
            other = await workers.run("check", TEXT, {**options, "question": "Who?"}, ignore)
            assert panel.budget.usage.calls == 1
            assert other.usage.calls == 0
        assert set(asked) == {os.getpid()}

    calm_run(work)


# The last one: the process that the others share is gone afterwards.
def test_a_check_that_is_cancelled_ends_though_it_hangs(calm_run: Run) -> None:
    async def work(workers: Workers) -> None:
        await workers.warm_up()
        stop(workers)
        hangs = asyncio.create_task(workers.run("check", TEXT, OPTIONS, ignore))
        await asyncio.sleep(0)
        hangs.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hangs
        assert workers.pids == ()

    calm_run(work)
