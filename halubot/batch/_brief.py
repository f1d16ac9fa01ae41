"""A report in few words, for batches whose full reports would fill a disk."""

from __future__ import annotations

import json
from typing import Any, Final

from halubot.facts import Fact, Report

LARGEST: Final = 1400
"""Bytes of a brief report; with its id and its key a line stays below 1.5 KB."""

_REASON: Final = 160
"""Characters of a reason; longer ones end with an ellipsis."""

_PROBLEMS: Final = 2


def brief(report: Report) -> str:
    """Return the brief report as one line of JSON: ``label``, ``score``, how many ``facts`` there
    are and how many are ``not_checked``, the ``doubted`` facts with their verdicts, spans and
    reasons, how many of them are ``left_out``, and the first ``problems``.

    If not all doubted facts fit, those of the highest rank are there. Lists are empty, never absent.
    """
    problems = [_cut(f"{one.what}: {one.why}") for one in report.problems[:_PROBLEMS]]
    if len(report.problems) > _PROBLEMS:
        problems.append(f"and {len(report.problems) - _PROBLEMS} more")
    found: dict[str, Any] = {
        "label": report.label and _cut(report.label),
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
        told = _told(fact)
        room -= len(_json(told)) + 1
        if room < 0:
            break
        shown.append((fact.index, told))
    shown.sort(key=lambda one: one[0])
    found["doubted"] = [told for _, told in shown]
    found["left_out"] -= len(shown)
    return _json(found).decode()


def _urgency(fact: Fact) -> tuple[bool, float, int]:
    """The order in which facts are shown while there is room."""
    return fact.verdict != "contradicted", -(fact.rank or 0.0), fact.index


def _told(fact: Fact) -> dict[str, Any]:
    """A doubted fact: the reason is that of the report, else what contradicts it."""
    reason = fact.reason
    if reason is None:
        values = (one.value for one in fact.evidence if one.stance == "contradicts" and one.value)
        if (value := next(values, None)) is not None:
            reason = f"a source says {value}"
    return {
        "verdict": fact.verdict,
        "spans": fact.spans,
        "reason": reason and _cut(reason),
    }


def _cut(text: str) -> str:
    return text if len(text) <= _REASON else f"{text[: _REASON - 1]}…"


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
