"""A check that the command line runs: its plan for `--dry-run`, its end, and its partial result."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halubot.cli import USAGE, tell
from halubot.cli import output as printing
from halubot.cli.screen import Screen
from halubot.errors import NO_KEY, NO_PROVIDER, NOBODY, HalubotError
from halubot.events import (
    Answered,
    Done,
    Emit,
    Event,
    FactJudged,
    Note,
    SentenceJudged,
    Started,
    amend_report,
    fold,
)
from halubot.interrupt import INTERRUPTED, tell_deadline
from halubot.money import dollars
from halubot.options import FailOn
from halubot.render.captions import number
from halubot.report import DOUBTED, Report

if TYPE_CHECKING:
    from halubot.cli.output import Live
    from halubot.dry_run import Plan, Work

PATIENCE_SECONDS = 0.7
"""How long work may last before its progress is shown."""

NOTHING_DOUBTED, DOUBT, UNCHECKED = 0, 1, 3

KEPT = (Answered, FactJudged, SentenceJudged)
"""After one of these there is something to show although the rest failed."""


def status(report: Report, fail_on: FailOn = "not-checked") -> int:
    """Return the exit status of a check: 1 if something is doubted or contradicted, else 3 if
    something, or all, was not checked, no fact was found to check, a model failed, or the deadline
    passed, else 0. Findings milder than ``fail_on`` give 0."""
    verdicts = {fact.verdict for fact in report.facts}
    verdicts |= {sentence.verdict for sentence in report.sentences}
    if verdicts & ({"contradicted"} if fail_on == "contradicted" else DOUBTED):
        return DOUBT
    unchecked = not verdicts or "not_checked" in verdicts or report.factless
    # Nothing is doubted, but nobody looked at all of it: a script must not take that for right, nor
    # a model that never answered for one that agrees.
    was_cut = any(one.what.startswith("the check was ") for one in report.problems)
    unchecked = unchecked or bool(_failures(report)) or was_cut
    return UNCHECKED if unchecked and fail_on == "not-checked" else NOTHING_DOUBTED


def _failures(report: Report) -> list[str]:
    """The failures of calls of models: such a problem has the name and the address of one."""
    # By the beginning of the message: a report keeps the words of an error, not its class.
    names = [f"{name} at " for _, name in report.models if name]
    whys = [problem.why for problem in report.problems]
    return [why for why in whys if any(name in why for name in names)]


def _is_unreached(report: Report) -> bool:
    """Return True if nothing came from a model: it has no key or provider, or nobody answers."""
    # One answer shows that the model can be reached: what failed then is no wrong usage.
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
    work: Callable[[Emit], Coroutine[Any, Any, Report]],
    *,
    once: bool = False,
    live: Live | None = None,
) -> tuple[Report, bool]:
    """Does the work, which reports its events, and returns its report, and whether it was
    interrupted: then the report holds what was known of the first check by then, as it does if
    the work failed once there was something to show. With ``once`` the work is one check, after
    which its deadline is over. ``live`` shows an answer while it is written.

    Raises KeyboardInterrupt if it was interrupted before anything was known, and HalubotError
    if it failed before.
    """
    checks: list[list[Event]] = []
    outcome: list[tuple[Report, bool]] = []

    async def whole() -> None:
        # Nothing is returned: asyncio spells out in full what a task returns.
        # Late, since most checks are done before, and a bar that flashes up is a nuisance.
        shown = asyncio.get_running_loop().call_later(PATIENCE_SECONDS, screen.show)
        try:
            outcome.append((await work(watch), False))
        except asyncio.CancelledError:
            if not checks:
                raise
            # The first check: that of a corrected text says nothing of the text that was given.
            outcome.append((fold(checks[0]), True))
        except HalubotError as error:
            # An error is clearer than a report in which nothing was judged.
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
            # It heard of its deadline, or ended before, and does not hang: what is left is to show
            # what it knows. The report of a long text takes seconds.
            if isinstance(event, Done) and (once or event.outcome == "cancelled"):
                tell_deadline(None)
            screen.hear(event)

        asyncio.run(whole())
    tell_deadline(None)  # what is left is to show it
    return outcome[0]


_WORKS: Mapping[Work, str] = {
    "check": "A check{by}",
    "ask": "An answer and its check{by}",
    "correct": "A check{by}, the correction and its check",
}


def together(plans: Sequence[Plan], most: int | None, most_cost: float | None) -> Plan:
    """The plan of several messages, which share so many calls and dollars, None for any number;
    that of nothing if there are none."""
    from halubot.dry_run import Plan, beyond

    whole = reduce(Plan.__add__, plans) if plans else Plan(method="")
    notes = dict.fromkeys(whole.notes + beyond(whole.calls, most, whole.cost_usd, most_cost))
    calls, most_calls = whole.calls, whole.most_calls
    if most is not None:
        calls, most_calls = min(calls, most), min(most_calls, most)
    return replace(whole, calls=calls, most_calls=most_calls, notes=tuple(notes))


def show(
    plan: Plan,
    *,
    work: Work = "check",
    format: str,
    output: Path | None = None,
    messages: int = 1,
) -> int:
    """Prints a plan as JSON, or else as a table, and returns the exit status: all is well."""
    if format == "json":
        printing.deliver(json.dumps(plan.to_dict(), indent=2), "json", output)
    else:
        printing.deliver(_table(plan, work, messages), "text", output)
    return 0


def _table(plan: Plan, work: Work, messages: int) -> str:
    cost = "not known" if plan.cost_usd is None else dollars(plan.cost_usd)
    rows = [
        ("model calls", f"{plan.calls:,}", f"{plan.most_calls:,}"),
        ("prompt tokens", f"{plan.prompt_tokens:,}", f"{plan.most_prompt_tokens:,}"),
        ("answer tokens", f"{plan.completion_tokens:,}", ""),
        ("samples drawn", f"{plan.samples:,}", ""),
        ("cost", cost, ""),
    ]
    of = "" if messages == 1 else f" of {number(messages, 'message')}"
    by = f" by {plan.method}" if plan.method else ""
    lines = [
        f"{_WORKS[work].format(by=of + by)}; nothing was called.",
        printing.table(("", "usually", "at most"), rows),
    ]
    if (web := plan.web) is not None:
        most = "not known" if web.cost_usd is None else f"at most {dollars(web.cost_usd)}"
        lines.append(f"On the web ({most}):")
        lines += (f"  {line}" for line in web.receives)
        lines += (f"  to {receiver}: {query}" for receiver, query in web.queries)
    return "\n".join([*lines, *(f"! {note}" for note in plan.notes)])
