"""A check under way for the command line: how it ends, and what is kept of one that was stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from halubot.cli import USAGE, hosted, tell
from halubot.cli.options import FailOn
from halubot.cli.screen import Screen
from halubot.errors import NO_KEY, NO_PROVIDER, NOBODY, HalubotError
from halubot.events import (
    Answered,
    Event,
    FactJudged,
    Note,
    SentenceJudged,
    Spent,
    Started,
)
from halubot.fold import amend_report, fold
from halubot.interrupt import INTERRUPTED
from halubot.report import DOUBTED, Report

if TYPE_CHECKING:
    from halubot.cli.output import Live

PATIENCE_SECONDS = 0.7
"""How long work may last before its progress is shown."""

NOTHING_DOUBTED, DOUBT, UNCHECKED = 0, 1, 3

KEPT = (Answered, FactJudged, SentenceJudged)
"""After one of these there is something to show although the rest failed."""

Watch = Callable[[Event], None]


def status(report: Report, fail_on: FailOn = "not-checked") -> int:
    """Return the exit status of a check: 1 if something is doubted or contradicted, else 3 if
    something, or all, was not checked, no fact was found to check, or a model failed, else 0.
    Findings milder than ``fail_on`` give 0."""
    verdicts = {fact.verdict for fact in report.facts}
    verdicts |= {sentence.verdict for sentence in report.sentences}
    if verdicts & ({"contradicted"} if fail_on == "contradicted" else DOUBTED):
        return DOUBT
    unchecked = not verdicts or "not_checked" in verdicts or report.factless
    unchecked = unchecked or bool(_failures(report))
    return UNCHECKED if unchecked and fail_on == "not-checked" else NOTHING_DOUBTED


def _failures(report: Report) -> list[str]:
    """The failures of calls of models: such a problem has the name and the address of one."""
    names = [f"{name} at " for _, name in report.models if name]
    whys = [problem.why for problem in report.problems]
    return [why for why in whys if any(name in why for name in names)]


def _is_unreached(report: Report) -> bool:
    """Whether nothing came from a model: it has no key or provider, or nobody answers."""
    came = report.usage.completion_tokens or report.usage.cached_calls
    reasons = (f": {NO_KEY};", f": {NOBODY};", f": {NO_PROVIDER} ")
    return not came and any(reason in why for why in _failures(report) for reason in reasons)


def exit_status(report: Report, interrupted: bool, fail_on: FailOn = "not-checked") -> int:
    """The exit status, with a word on standard error for a check that was interrupted; 2 if the
    model was not reached by any call."""
    if interrupted:
        tell("interrupted: this is what was known by then")
        return INTERRUPTED
    return USAGE if _is_unreached(report) else status(report, fail_on)


def run(
    work: Callable[[Watch], Coroutine[Any, Any, Report]], *, live: Live | None = None
) -> tuple[Report, bool]:
    """Does the work, which reports its events, and returns its report, and whether it was
    interrupted: then the report holds what was known of the first check by then, as it does where
    the work failed once there was something to show. ``live`` shows an answer while it is written.

    Raises KeyboardInterrupt where it was interrupted before anything was known, and HalubotError
    where it failed before.
    """
    checks: list[list[Event]] = []
    outcome: list[tuple[Report, bool]] = []

    async def whole() -> None:
        # Nothing is returned: asyncio spells out in full what a task returns.
        shown = asyncio.get_running_loop().call_later(PATIENCE_SECONDS, screen.show)
        try:
            outcome.append((await work(watch), False))
        except asyncio.CancelledError:
            if not checks:
                raise
            outcome.append((fold(checks[0]), True))
        except HalubotError as error:
            if not checks or not any(isinstance(event, KEPT) for event in checks[0]):
                raise
            failed = Note(what="the check was cut short", why=str(error))
            outcome.append((amend_report(fold(checks[0]), [failed]), False))
        finally:
            shown.cancel()

    with Screen(live) as screen:

        def watch(event: Event) -> None:
            if isinstance(event, Started):
                checks.append([])
            checks[-1].append(event)
            if isinstance(event, Spent) and event.usage.completion_tokens:
                hosted.text_left()
            screen.hear(event)

        asyncio.run(whole())
    return outcome[0]
