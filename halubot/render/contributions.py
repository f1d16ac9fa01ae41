"""What each witness of an ensemble contributed to the score of a fact, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from halubot.render.inert import one_line
from halubot.report import Fact, Report

OF: Final = "For doubt and against, in log-odds"
"""What the numbers are."""


def describe_contributions(report: Report, fact: Fact | None) -> str | None:
    """Who moved the score of a fact how far, on one line: "For doubt and against, in log-odds:
    samples −2.1, references +6.0". What a member said that counts less than in full stands in
    brackets, and so does that it is not calibrated. None where nothing is known of that."""
    rows = report.details.get("contributions")
    if fact is None or not isinstance(rows, list) or not 0 <= fact.index < len(rows):
        return None
    row = rows[fact.index]
    members = report.details.get("members")
    said = [_phrase(name, part, members) for name, part in _parts(row)]
    return f"{OF}: {', '.join(said)}" if said else None


def _parts(row: object) -> list[tuple[str, Mapping[str, float]]]:
    """The parts of one fact that are as an ensemble writes them."""
    if not isinstance(row, Mapping):
        return []
    return [
        (one_line(str(name)), part)
        for name, part in row.items()
        if isinstance(part, Mapping)
        and all(isinstance(part.get(key), int | float) for key in ("odds", "weight"))
    ]


def _phrase(name: str, part: Mapping[str, float], members: Any) -> str:
    odds, weight = part["odds"], part["weight"]
    remarks = []
    if not weight:
        remarks.append(f"{_with_sign(odds)}, overruled by a reference")
    elif weight != 1:
        remarks.append(f"{_with_sign(odds)}, counted {weight:g}")
    member = members.get(name) if isinstance(members, Mapping) else None
    if isinstance(member, Mapping) and member.get("calibrated_on", "") is None:
        remarks.append("not calibrated")
    remark = f" ({'; '.join(remarks)})" if remarks else ""
    return f"{name} {_with_sign(odds * weight)}{remark}"


def _with_sign(odds: float) -> str:
    rounded = f"{abs(odds):.1f}"
    return rounded if rounded == "0.0" else f"{'+' if odds > 0 else '−'}{rounded}"
