"""What a run would take, for `--dry-run`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from halubot.cli import output as printing
from halubot.money import dollars
from halubot.render.captions import number

if TYPE_CHECKING:
    from halubot.dry_run import Plan
    from halubot.dry_run.play import Work

_WORKS: Mapping[Work, str] = {
    "check": "A check{by}",
    "ask": "An answer and its check{by}",
    "correct": "A check{by}, the correction and its check",
}


def together(plans: Sequence[Plan], most: int | None, most_cost: float | None) -> Plan:
    """The plan of several messages, which share so many calls and dollars, None for any number;
    that of nothing where there are none."""
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
    as_json = format == "json"
    text = json.dumps(plan.to_dict(), indent=2) if as_json else _table(plan, work, messages)
    printing.deliver(text, "json" if as_json else "text", output)
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
    return "\n".join(
        [
            f"{_WORKS[work].format(by=of + by)}; nothing was called.",
            printing.table(("", "usually", "at most"), rows),
            *(f"! {note}" for note in plan.notes),
        ]
    )
