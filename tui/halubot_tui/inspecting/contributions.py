"""What each member of an ensemble, or each term of a score, contributed to a fact, as bars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.content import Content

from halubot.render.inert import one_line
from halubot_tui.inspecting.drawing import QUIET, hung

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halubot.report import Fact, Report
    from halubot_tui.looks import Signs

_CELLS: Final = 6
_FULL: Final = 6.0
"""Log-odds at which a bar is full."""


def weigh_witnesses(report: Report, fact: Fact, width: int, signs: Signs) -> Iterator[Content]:
    """A line for each witness: how far it moved the score, for doubt or against. Nothing where the
    method does not tell."""
    parts = list(_parts(report, fact))
    if not parts:
        return
    yield from hung(Content("log-odds; right of the middle for doubt").stylize(QUIET), width)
    names = max(cell_len(name) for name, _, _ in parts)
    members = report.details.get("members")
    for name, odds, weight in parts:
        moved = odds * weight
        lead = Content(f"{name}{' ' * (names - cell_len(name))} ") + _bar(moved, signs)
        line = lead + f" {_with_sign(moved, signs)}"
        remarks: list[str] = []
        if not weight:
            remarks.append("overruled by a reference")
        elif weight != 1:
            remarks.append(f"{_with_sign(odds, signs)} counted {weight:g}")
        said = members.get(name) if isinstance(members, Mapping) else None
        if isinstance(said, Mapping) and said.get("calibrated_on", "") is None:
            remarks.append("not calibrated")
        remark = ", ".join(remarks)
        if line.cell_length + 2 + cell_len(remark) <= width:
            yield line + (f", {remark}" if remark else "")
        else:
            yield line
            yield from hung(Content(remark).stylize(QUIET), width, "  ")


def _parts(report: Report, fact: Fact) -> Iterator[tuple[str, float, float]]:
    """Name, log-odds and weight of each witness of a fact that is as an ensemble writes it."""
    rows = report.details.get("contributions")
    row = rows[fact.index] if isinstance(rows, list) and fact.index < len(rows) else None
    if not isinstance(row, Mapping):
        return
    for name, part in row.items():
        if isinstance(part, Mapping):
            odds, weight = part.get("odds"), part.get("weight")
            if isinstance(odds, int | float) and isinstance(weight, int | float):
                yield one_line(str(name)), float(odds), float(weight)


def _bar(moved: float, signs: Signs) -> Content:
    """A bar to the right for doubt, to the left against it."""
    filled = min(_CELLS, round(abs(moved) / _FULL * _CELLS)) or (1 if abs(moved) >= 0.05 else 0)
    full, empty = ("#", ".") if signs.ascii else ("▰", "▱")
    middle = "|" if signs.ascii else "│"
    left, right = (filled, 0) if moved < 0 else (0, filled)
    return Content.assemble(
        (empty * (_CELLS - left), QUIET),
        (full * left, "$supported"),
        (middle, QUIET),
        (full * right, "bold $contradicted"),
        (empty * (_CELLS - right), QUIET),
    )


def _with_sign(odds: float, signs: Signs) -> str:
    rounded = f"{abs(odds):.1f}"
    less = "-" if signs.ascii else "−"
    return rounded if rounded == "0.0" else f"{'+' if odds > 0 else less}{rounded}"
