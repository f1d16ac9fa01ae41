"""A report in few words, for batches whose full reports would fill a disk."""

from __future__ import annotations

import json
from itertools import accumulate, takewhile
from typing import Any, Final

from halubot.render.captions import counts
from halubot.render.inert import one_line
from halubot.report import Fact, Report

LARGEST: Final = 1400
"""Bytes of a brief report; with its id and its key a line stays below 1.5 KB."""

_LONGEST: Final = 160
"""Bytes of a reason, of a label and of a problem; longer ones end with an ellipsis."""

_PROBLEMS: Final = 2


def brief(report: Report) -> str:
    """Return the brief report as one line of JSON: ``label``, ``score``, how many ``facts`` there
    are and how many are ``not_checked``, the ``doubted`` facts with their verdicts, spans and
    reasons, how many of them are ``left_out``, and the first ``problems``.

    If not all doubted facts fit, the contradicted and those of the highest rank are there. Lists
    are empty, never absent.
    """
    problems = [_cut_text(f"{one.what}: {one.why}") for one in report.problems[:_PROBLEMS]]
    if len(report.problems) > _PROBLEMS:
        problems.append(f"and {len(report.problems) - _PROBLEMS} more")
    found: dict[str, Any] = {
        "label": report.label and _cut_text(report.label),
        "score": report.score,
        "facts": len(report.facts),
        "not_checked": len(report.unchecked()),
        "doubted": [],
        "left_out": len(report.doubted()),
        "problems": problems,
    }
    shown: list[tuple[int, dict[str, Any]]] = []
    room = LARGEST - len(_json(found))
    for fact in sorted(report.doubted(), key=_urgency):
        told = _describe(fact, report)
        size = len(_json(told)) + 1
        if size <= room:
            room -= size
            shown.append((fact.index, told))
    shown.sort(key=lambda one: one[0])
    found["doubted"] = [told for _, told in shown]
    found["left_out"] -= len(shown)
    return _json(found).decode()


def _urgency(fact: Fact) -> tuple[bool, float, int]:
    """The order in which facts are shown while there is room."""
    return fact.verdict != "contradicted", -(fact.rank or 0.0), fact.index


def _describe(fact: Fact, report: Report) -> dict[str, Any]:
    """A doubted fact; without a reason of its own, who says what of it."""
    reason = fact.reason or counts(fact, report)
    return {"verdict": fact.verdict, "spans": fact.spans, "reason": _cut_text(reason)}


def _cut_text(text: str) -> str:
    """The text on one line, cut to so many bytes as JSON writes them: a character has up to six."""
    line = one_line(text)
    sizes = accumulate(len(_json(character)) - 2 for character in line)
    kept = sum(1 for _ in takewhile(lambda size: size <= _LONGEST - 3, sizes))
    return line if kept == len(line) else f"{line[:kept]}…"


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
