"""One message checked: what became of it, and the bytes that its line of the output holds."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from halubot.api import acheck
from halubot.batch._brief import brief
from halubot.errors import BrokenLineError, HalubotError
from halubot.report import Report

if TYPE_CHECKING:
    from halubot.batch.message import Message
    from halubot.inputs import Options
    from halubot.models.budget import Budget
    from halubot.models.errors import ModelError
    from halubot.models.panel import Panel

Detail = Literal["full", "brief"]
"""What a line holds of a report: all of it, or what a reader acts on in less than 1.5 KB."""

ERROR = b', "error": '

OF_STORES = ("the store in ", "the shared store")
"""How problems begin that say what is kept, not what was found. They are told as the batch runs."""


@dataclass(frozen=True, slots=True)
class Line:
    """What became of a message: a report, or an error. ``place`` counts the messages of the
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
    line = await _checked(place, message, common)
    failure = own.failure if own is not None else None
    return Checked(message, line, _body(line, detail), failure)


async def _checked(place: int, message: Message, common: Options) -> Line:
    try:
        text, options = message.request(common)
        return Line(place, message.id, report=await acheck(text, **options))
    except BrokenLineError as error:
        return Line(place, message.id, error=str(error))
    except HalubotError as error:
        return Line(place, message.id, error=str(message.broken(str(error))))
    except Exception as error:  # noqa: BLE001 - a fault in one message must not cost the others
        why = f"a fault of halubot's own: {type(error).__name__}: {error}"
        return Line(place, message.id, error=str(message.broken(why)))


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
