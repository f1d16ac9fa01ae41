"""A check under way for the command line: progress where a person watches, and ctrl+C
that keeps what is known."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from halubot.cli import INTERRUPTED, printing, tell
from halubot.events import Event, FactJudged, FactsExtracted, Started, fold
from halubot.events import Progress as Step
from halubot.facts import DOUBTED, Report

PATIENCE_SECONDS = 0.7
"""How long work may last before its progress is shown."""

NOTHING_DOUBTED, DOUBT, UNCHECKED = 0, 1, 3

Watch = Callable[[Event], None]


def status(report: Report) -> int:
    """The exit status of a check: 1 where something is doubted or contradicted, else 3 where
    something, or all, was not checked, else 0."""
    verdicts = {fact.verdict for fact in report.facts}
    verdicts |= {sentence.verdict for sentence in report.sentences}
    if verdicts & DOUBTED:
        return DOUBT
    return UNCHECKED if not verdicts or "not_checked" in verdicts else NOTHING_DOUBTED


def ended(report: Report, interrupted: bool) -> int:
    """The exit status, with a word on standard error for a check that was interrupted."""
    if interrupted:
        tell("interrupted: this is what was known by then")
        return INTERRUPTED
    return status(report)


def bar() -> Progress:
    """A progress bar on standard error, unseen where that is not a terminal."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=printing.console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


def run(work: Callable[[Watch], Coroutine[Any, Any, Report]]) -> tuple[Report, bool]:
    """Does the work, which reports its events, and returns its report, and whether it was
    interrupted: then the report holds what was known of the first check by then.

    Raises KeyboardInterrupt where it was interrupted before anything was known.
    """
    checks: list[list[Event]] = []
    progress = bar()
    task = progress.add_task("reading", total=None)

    def watch(event: Event) -> None:
        match event:
            case Started():
                checks.append([])
                progress.update(task, description="extracting facts")
            case FactsExtracted():
                progress.update(
                    task, description="judging facts", total=len(event.facts), completed=0
                )
            case FactJudged():
                progress.advance(task)
            case Step():
                progress.update(task, description=event.what, total=event.of, completed=event.done)
            case _:
                pass
        checks[-1].append(event)

    outcome: list[tuple[Report, bool]] = []

    async def whole() -> None:
        # Nothing is returned: asyncio spells out in full what a task returns.
        asyncio.get_running_loop().call_later(PATIENCE_SECONDS, progress.start)
        try:
            outcome.append((await work(watch), False))
        except asyncio.CancelledError:
            if not checks:
                raise
            outcome.append((fold(checks[0]), True))

    try:
        asyncio.run(whole())
    finally:
        progress.stop()
    return outcome[0]
