"""Tools for assistants over the Model Context Protocol: check and correct.

An assistant gives texts, never names of files: what it may compare with lies in the texts it has
and in what the person who starts the server names. Answers are short, since they fill the
assistant's context: the doubted facts with their quotes, not the whole report.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, Final, get_args

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import (
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    ToolAnnotations,
    jsonrpc_message_adapter,
)
from pydantic import Field, ValidationError

from halubot.api import acheck, share_options
from halubot.correction_api import acorrect
from halubot.errors import HalubotError
from halubot.inputs import Options
from halubot.render.captions import MEANINGS
from halubot.report import Fact, Report
from halubot.service.wire import CheckRequest, CorrectRequest, describe_problem
from halubot.verdicts import SEVERITY, Verdict
from halubot.version import __version__

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream

QUOTES: Final = 3
"""Quotes of one fact."""

INSTRUCTIONS: Final = (
    "Checks a text fact by fact against references and against other answers to the same question."
    f" Verdicts: {'; '.join(f'`{one}`: {MEANINGS[one]}' for one in SEVERITY)}."
    " Not checked is no approval; supported means that a quoted source says so, not that it is so."
)

CHECKS: Final = (
    "Check a text fact by fact; return the facts in doubt with quotes, and what was not checked."
)
CORRECTS: Final = (
    "Check a text and replace what the sources give another value for; the rest of the text stays"
    " as it is. Return the corrected text, its edits, and what else is in doubt."
)

Text = Annotated[str, Field(description="The text to check.")]
Question = Annotated[str | None, Field(description="The question that the text answers.")]
References = Annotated[
    list[str] | None, Field(description="Texts to be taken at their word, whole, not file names.")
]
Samples = Annotated[
    list[str] | None,
    Field(description="Other, independent answers to the same question; three or more help."),
]


def serve_tools(common: Options) -> None:
    """Serve the tools over standard input and output until that is closed."""
    asyncio.run(_serve(common))


async def _serve(common: Options) -> None:
    async with share_options(common) as held:
        server = build_server(held)._lowlevel_server
        options = server.create_initialization_options()
        async with stdio_server() as (read, write), asyncio.TaskGroup() as group:
            sending, receiving = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            group.create_task(_pass_on(read, sending, write))
            await server.run(receiving, write, options)


async def _pass_on(
    read: ReadStream[SessionMessage | Exception],
    sending: WriteStream[SessionMessage | Exception],
    write: WriteStream[SessionMessage],
) -> None:
    """Pass messages on. The SDK drops what it cannot read: mend it, or answer with an error."""
    async with sending:
        async for message in read:
            if not isinstance(message, Exception):
                await sending.send(message)
                continue
            try:
                await sending.send(SessionMessage(mended(message)))
            except ValueError as error:
                problem = ErrorData(code=PARSE_ERROR, message=f"this is no message: {error}"[:200])
                refused = JSONRPCError(jsonrpc="2.0", id=None, error=problem)
                await write.send(SessionMessage(refused))


def mended(error: Exception) -> JSONRPCMessage:
    """Return the message that the SDK refused, with U+FFFD for lone surrogates. Raises ValueError
    for what is no message."""
    if not isinstance(error, ValidationError):
        raise ValueError("it cannot be read")
    first = error.errors()[0]
    if first["type"] != "json_invalid":
        raise ValueError("it is not JSON-RPC")
    try:
        found = json.loads(first["input"])
        # Pairs that stand for one character are one in `found`: only halves are replaced.
        text = json.dumps(found, ensure_ascii=False).encode("utf-16", "surrogatepass")
        return jsonrpc_message_adapter.validate_json(
            text.decode("utf-16", "replace"), by_name=False
        )
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def build_server(common: Options) -> MCPServer:
    """The server with its tools; ``common`` holds for every check."""
    server = MCPServer("halubot", version=__version__, instructions=INSTRUCTIONS)
    # Assistants may ask their person before a tool that changes something or talks to others: only
    # a model makes it talk to others.
    reads = ToolAnnotations(read_only_hint=True, open_world_hint="model" in common)

    for name, kind, description in (
        ("check", CheckRequest, CHECKS),
        ("correct", CorrectRequest, CORRECTS),
    ):
        server.add_tool(
            _tool(kind, common),
            name=name,
            title=f"{name.capitalize()} a text",
            description=description,
            annotations=reads,
        )
    return server


def _tool(kind: type[CheckRequest], common: Options) -> Callable[..., Awaitable[dict[str, Any]]]:
    """Return the tool that answers requests of a kind. Errors are for the assistant to read."""

    async def tool(
        text: Text,
        question: Question = None,
        references: References = None,
        samples: Samples = None,
    ) -> dict[str, Any]:
        # None is what a tool gets for what an assistant leaves out.
        sources = {"references": references or (), "samples": samples or ()}
        try:
            body = kind.model_validate({"text": text, "question": question, **sources})
            options = body.options(common)
            if isinstance(body, CorrectRequest):
                report = await acorrect(text, on_doubt=body.on_doubt, hints=body.hints, **options)
            else:
                report = await acheck(text, **options)
        except ValidationError as error:
            raise ToolError(describe_problem(error.errors())) from error
        except HalubotError as error:
            raise ToolError(str(error)) from error
        if report.correction is None:
            return summed_up(report)
        edits = [
            {"before": edit.before, "after": edit.after}
            for edit in report.correction.edits
            if edit.before != edit.after
        ]
        return {"text": report.correction.text, "edits": edits, "checked": summed_up(report)}

    return tool


def summed_up(report: Report) -> dict[str, Any]:
    """Return the parts of a report that an assistant needs."""
    counts = {
        verdict: sum(fact.verdict == verdict for fact in report.facts)
        for verdict in get_args(Verdict)
    }
    return {
        "counts": counts,
        "in_doubt": [_describe_fact(fact, report) for fact in report.doubted()],
        "not_checked": [
            {"words": _words(fact, report), "reason": fact.reason} for fact in report.unchecked()
        ],
        "problems": [f"{one.what}: {one.why}" for one in report.problems],
    }


def _describe_fact(fact: Fact, report: Report) -> dict[str, Any]:
    quotes = [item for item in fact.evidence if item.quote]
    # What contradicts first, since only `QUOTES` are told.
    quotes.sort(key=lambda item: item.stance != "contradicts")
    return {
        "words": _words(fact, report),
        # From 1, as people count.
        "sentence": fact.sentences[0] + 1 if fact.sentences else None,
        "verdict": fact.verdict,
        "reason": fact.reason,
        "quotes": [
            {"source": report.source(one.source).title or one.source, "says": one.quote}
            for one in quotes[:QUOTES]
        ],
    }


def _words(fact: Fact, report: Report) -> str:
    return " … ".join(report.text[start:end] for start, end in fact.spans)
