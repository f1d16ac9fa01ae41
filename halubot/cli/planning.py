"""What a run would take, for `--dry-run`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from halubot.cli import printing
from halubot.render.words import number

if TYPE_CHECKING:
    from halubot.rehearsal import Plan


def together(plans: Sequence[Plan], most: int | None) -> Plan:
    """The plan of several messages, which share ``most`` calls, None for any number; that of
    nothing where there are none."""
    from halubot.rehearsal import Plan

    whole = reduce(Plan.__add__, plans) if plans else Plan(method="")
    if most is None or whole.most_calls <= most:
        return whole
    return replace(whole, calls=min(whole.calls, most), most_calls=most)


def show(plan: Plan, *, format: str, output: Path | None = None, messages: int = 1) -> int:
    """Prints a plan as JSON, or else as a table, and returns the exit status: all is well."""
    as_json = format == "json"
    text = json.dumps(plan.to_dict(), indent=2) if as_json else _table(plan, messages)
    printing.deliver(text, "json" if as_json else "text", output)
    return 0


def _table(plan: Plan, messages: int) -> str:
    cost = "not known" if plan.cost_usd is None else f"${plan.cost_usd:.4f}"
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
            f"A check{of}{by}; nothing was called.",
            printing.table(("", "usually", "at most"), rows),
        ]
    )
