"""A message of a batch checked, the line of the output that it becomes, and the totals."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Any, Final, Literal

from halubot.api import acheck
from halubot.errors import BrokenLineError, HalubotError
from halubot.render.captions import counts
from halubot.render.inert import one_line
from halubot.report import Fact, Report

if TYPE_CHECKING:
    from halubot.batch.message import Message
    from halubot.inputs import Options
    from halubot.models.budget import Budget
    from halubot.models.model_errors import ModelError
    from halubot.models.panel import Panel

Detail = Literal["full", "brief"]
"""What a line holds of a report: all of it, or what a reader acts on in less than 1.5 KB."""

ERROR = b', "error": '

LARGEST: Final = 1400
"""Bytes of a brief report; with its id and its key a line stays below 1.5 KB."""

_LONGEST: Final = 160
"""Bytes of a reason, of a label and of a problem; longer ones end with an ellipsis."""

_PROBLEMS: Final = 2

OF_STORES = ("the store in ", "the shared store")
"""How problems begin that say what is kept, not what was found. They are told as the batch runs."""


@dataclass(frozen=True, slots=True)
class Line:
    """The result of a message: a report, or an error. ``place`` counts the messages of the
    file from 1."""

    place: int
    id: str | int | float
    report: Report | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """A message that was checked. ``body`` is its line of the output behind the head, without the
    line feed; ``failure`` that of a model after which no further call would succeed."""

    message: Message
    line: Line
    body: bytes
    failure: ModelError | None = None


async def check_message(
    place: int,
    message: Message,
    common: Options,
    *,
    panel: Panel | None,
    budget: Budget | None,
    detail: Detail,
) -> Checked:
    """Check a message; ``budget`` is that of all messages. Never raises but when cancelled."""
    own = None
    if panel is not None and budget is not None:
        # A budget of its own says whether this message was touched by a failure.
        own = budget.part()
        common = common.copy()
        common["panel"] = replace(panel, budget=own)
    line = await _check_message(place, message, common)
    failure = own.failure if own is not None else None
    return Checked(message, line, _body(line, detail), failure)


async def _check_message(place: int, message: Message, common: Options) -> Line:
    try:
        text, options = message.request(common)
        return Line(place, message.id, report=await acheck(text, **options))
    except BrokenLineError as error:
        return Line(place, message.id, error=str(error))
    except HalubotError as error:
        return Line(place, message.id, error=str(message.make_error(str(error))))
    except Exception as error:  # noqa: BLE001 - a fault in one message must not cost the others
        why = f"a fault of halubot's own: {type(error).__name__}: {error}"
        return Line(place, message.id, error=str(message.make_error(why)))


def _body(line: Line, detail: Detail) -> bytes:
    if line.report is None:
        return ERROR + json.dumps(line.error).encode() + b"}"
    # A usage of null and no trouble of a store: what a report took differs from run to run.
    problems = tuple(one for one in line.report.problems if not one.what.startswith(OF_STORES))
    report = line.report.model_copy(update={"problems": problems})
    if detail == "brief":
        return b', "brief": ' + brief(report).encode() + b"}"
    rest = report.model_dump_json(by_alias=True, exclude={"usage"})
    return f', "report": {rest[:-1]},"usage":null}}}}'.encode()


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
