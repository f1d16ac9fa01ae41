"""The addresses of the service, and what each answers."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Any, Final, Literal, TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic.json_schema import models_json_schema
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from halubot.api import acheck, share_options
from halubot.correction_api import acorrect
from halubot.errors import HalubotError, InputError, SettingError
from halubot.events import Emit, Event
from halubot.inputs import Options
from halubot.render.captions import GLYPHS, MEANINGS, VERDICTS
from halubot.report import Report
from halubot.service.checks import BusyError, Checks, Work
from halubot.service.guardrail import GuardrailAnswer, GuardrailRequest, make_answer
from halubot.service.http_server import Guard, refusal
from halubot.service.wire import (
    CheckRequest,
    Compared,
    CorrectRequest,
    ErrorAnswer,
    describe_common,
    describe_problem,
)
from halubot.verdicts import SEVERITY
from halubot.version import __version__
from halubot.workers import Workers

BODY_SECONDS: Final = 30.0
"""How long the body of a request may take to arrive."""

PING_SECONDS: Final = 15.0
"""Of a silent stream, after how long a comment keeps its connection open."""

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The sources from which the page may load: its own script and style, nothing from other
machines."""

_TYPES: Final = {"page.html": "text/html", "page.js": "text/javascript", "page.css": "text/css"}

OWN_FAULT: Final = "a fault of halubot's own; its log says which"

_LOG = logging.getLogger(__name__)

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")


def _nobody(event: Event) -> None:
    """Watch nothing."""


@dataclass(frozen=True)
class Limits:
    """The limits of one service: checks at once, checks that wait, and bytes of a request."""

    at_once: int = 4
    waiting: int = 32
    body: int = 1 << 20


_CODES: Final = {
    404: "unknown",
    405: "method",
    408: "too_slow",
    413: "too_large",
    415: "not_json",
    422: "invalid",
}
"""The codes of errors, by their status."""


class Service:
    """The application: its limits, what all its checks share, and its pages."""

    def __init__(self, common: Options, limits: Limits, *, apart: bool = False) -> None:
        self._given = common
        self._workers = Workers() if apart else None
        self._limits = limits
        self._common: Options = common
        self.checks = Checks(at_once=limits.at_once, waiting=limits.waiting)

    @asynccontextmanager
    async def opened(self, app: Starlette) -> AsyncIterator[None]:
        """Open models, and knowledge for checks in this process, once for all checks."""
        given: dict[str, Any] = {**self._given}
        named = {}
        if self._workers is not None:
            # A base is open in one process: each of the others opens it by its name.
            named = {name: given.pop(name) for name in ("knowledge", "web") if name in given}
        async with share_options(cast("Options", given)) as held:
            self._common = cast("Options", {**held, **named})
            if self._workers is not None:
                await self._workers.warm_up()
            try:
                yield
            finally:
                if self._workers is not None:
                    await self._workers.close()

    def app(self) -> Starlette:
        """The pages, without the guard."""
        routes = [
            Route("/v1/check", self.check, methods=["POST"]),
            Route("/v1/correct", self.correct, methods=["POST"]),
            Route("/v1/sources", self.sources, methods=["GET"]),
            Route("/beta/litellm_basic_guardrail_api", self.guardrail, methods=["POST"]),
            Route("/healthz", self.health),
            Route("/openapi.json", self.openapi),
            Route("/", partial(_file, "page.html")),
            Route("/page.js", partial(_file, "page.js")),
            Route("/page.css", partial(_file, "page.css")),
        ]
        handlers: dict[Any, Any] = {
            HTTPException: _http_error,
            HalubotError: _own_error,
            ClientDisconnect: _answer_nobody,
        }
        return Starlette(routes=routes, exception_handlers=handlers, lifespan=self.opened)

    async def check(self, request: Request) -> Response:
        """Check a text: answer with its report, or with its events (``?stream=true``)."""
        body = await self._read(request, CheckRequest)
        return await self._answer(request, self._work("check", body))

    async def correct(self, request: Request) -> Response:
        """Check a text, correct it, and check it again."""
        body = await self._read(request, CorrectRequest)
        return await self._answer(request, self._work("correct", body))

    async def sources(self, request: Request) -> Response:
        """Name what every text is compared with."""
        return JSONResponse(describe_common(self._given).model_dump())

    async def guardrail(self, request: Request) -> Response:
        """Check the answers that LiteLLM's proxy posts; see `halubot.service.guardrail`."""
        body = await self._read(request, GuardrailRequest)
        try:
            todo = body.to_check()
        except ValidationError as error:
            raise HTTPException(422, describe_problem(error.errors())) from error
        told = [self._tell(self._work("check", one)) for _, one in todo]
        reports = await _while_connected(request, asyncio.gather(*told))
        found = dict(zip((place for place, _ in todo), reports, strict=True))
        answer: GuardrailAnswer = make_answer(body, found)
        return _json(answer.model_dump_json(exclude_none=True))

    async def health(self, request: Request) -> Response:
        """That the service answers, and how busy it is."""
        busy = {"running": self.checks.running, "waiting": self.checks.waiting}
        return JSONResponse({"status": "ok", "version": __version__, **busy})

    async def openapi(self, request: Request) -> Response:
        """The description of all this for programs."""
        return JSONResponse(description())

    def _work(self, kind: Literal["check", "correct"], body: CheckRequest) -> Work:
        """Return the work of a check or a correction, in a process of its own if they are apart."""
        options: dict[str, Any] = {**body.options(self._common)}
        if isinstance(body, CorrectRequest):
            options |= {"on_doubt": body.on_doubt, "hints": body.hints}

        async def work(watch: Emit) -> Report:
            if self._workers is not None:
                return await self._workers.run(kind, body.text, options, watch)
            run = acheck if kind == "check" else acorrect
            return await run(body.text, **options, watch=watch)

        return work

    async def _answer(self, request: Request, work: Work) -> Response:
        """Answer with the report of a check, or with its events as they come."""
        turn = self.checks.enter()
        if request.query_params.get("stream", "false").lower() in ("true", "1", "yes"):
            # nginx gathers an answer before it passes it on unless X-Accel-Buffering says no.
            headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
            events = self._stream(turn, work)
            return StreamingResponse(events, media_type="text/event-stream", headers=headers)

        async def whole() -> Report:
            async with turn:
                return await work(_nobody)

        report = await _while_connected(request, whole())
        return _json(report.to_json(indent=None))

    async def _tell(
        self,
        work: Work,
        turn: AbstractAsyncContextManager[None] | None = None,
        watch: Emit = _nobody,
    ) -> Report | str:
        """The report of a check, or why there is none, in words for those who asked for it."""
        try:
            async with turn or self.checks.enter():
                return await work(watch)
        except HalubotError as error:
            return str(error)
        except Exception:  # noqa: BLE001 - told to whoever asked, and written to the log
            _LOG.exception("a check failed")
            return OWN_FAULT

    def _stream(self, turn: AbstractAsyncContextManager[None], work: Work) -> AsyncIterator[str]:
        """The events of a check, and last its report, or why there is none. Closed before, it
        stops the check."""
        coming: asyncio.Queue[str | None] = asyncio.Queue()

        def watch(event: Event) -> None:
            coming.put_nowait(_format_event(event.kind, event.model_dump_json()))

        async def whole() -> None:
            found = await self._tell(work, turn, watch)
            if isinstance(found, Report):
                coming.put_nowait(_format_event("report", found.to_json(indent=None)))
            else:
                coming.put_nowait(_format_event("problem", json.dumps({"message": found})))
            coming.put_nowait(None)

        async def told(task: asyncio.Task[None]) -> AsyncIterator[str]:
            try:
                while True:
                    try:
                        event = await asyncio.wait_for(coming.get(), PING_SECONDS)
                    except TimeoutError:
                        event = ": still here\n\n"
                    if event is None:
                        return
                    yield event
            finally:
                task.cancel()

        # Begun at once, so that the place in the queue is never held by a stream nobody reads.
        return told(asyncio.create_task(whole()))

    async def _read(self, request: Request, kind: type[M]) -> M:
        """The body of a request. Raises HTTPException for what is too large, slow, or wrong."""
        too_large = HTTPException(413, f"a request may have {self._limits.body:,} bytes")
        # A form of another site can post texts of other types without a preflight, but not JSON.
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise HTTPException(415, "send JSON, with Content-Type: application/json")
        declared = request.headers.get("content-length", "")
        if declared.isdecimal() and int(declared[:20]) > self._limits.body:
            raise too_large
        data = bytearray()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                # Counted as it comes: Content-Length may be missing, or lie.
                async for piece in request.stream():
                    data += piece
                    if len(data) > self._limits.body:
                        raise too_large
        except TimeoutError:
            # What comes later of the body is no request.
            close = {"Connection": "close"}
            raise HTTPException(408, "the request took too long to arrive", close) from None
        try:
            return kind.model_validate_json(bytes(data))
        except ValidationError as error:
            # Without the input: an error repeated a name of 900 kB.
            problems = error.errors(include_url=False, include_context=False, include_input=False)
            raise HTTPException(422, describe_problem(problems)) from error


def build(
    common: Options, limits: Limits, *, token: str | None, host: str, apart: bool = False
) -> Guard:
    """The service as an ASGI application. ``common`` holds for every check; requests add their own
    texts to it. With ``apart`` checks run in processes of their own, and ``common`` names bases of
    knowledge and no open ones."""
    return Guard(Service(common, limits, apart=apart).app(), token=token, host=host)


async def _while_connected(request: Request, work: Awaitable[T]) -> T:
    """The result of the work, which is stopped if who asked for it leaves before. Raises
    ClientDisconnect then."""

    async def wait_for_disconnect() -> None:
        # Starlette tells that a client left only to who receives, and the body has been read.
        while (await request.receive())["type"] != "http.disconnect":
            pass

    whole = asyncio.ensure_future(work)
    leaving = asyncio.create_task(wait_for_disconnect())
    try:
        await asyncio.wait([whole, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not whole.done():
            raise ClientDisconnect
        return whole.result()
    finally:
        for task in (whole, leaving):
            task.cancel()
        await asyncio.wait([whole, leaving])


def _format_event(kind: str, data: str) -> str:
    return f"event: {kind}\ndata: {data}\n\n"


def _json(text: str) -> Response:
    return Response(text, media_type="application/json")


async def _file(name: str, request: Request) -> Response:
    """A file of the page."""
    data = files("halubot.service").joinpath(name).read_bytes()
    if name == "page.html":
        data = data.replace(b"$legend", _legend().encode())
    headers = {
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-cache",
    }
    return Response(data, media_type=_TYPES[name], headers=headers)


def _legend() -> str:
    """The legend of the page, in the words and signs that all front ends have."""
    return "\n".join(
        f'<li><span class="glyph">{GLYPHS[one]}</span>'
        f' <mark class="{one}">{VERDICTS[one]}</mark> {MEANINGS[one]}</li>'
        for one in SEVERITY
    )


async def _http_error(request: Request, error: HTTPException) -> Response:
    status = error.status_code
    more = ": see /openapi.json" if status in (404, 405) else ""
    answer = refusal(status, _CODES.get(status, "error"), f"{error.detail}{more}")
    answer.headers.update(error.headers or {})
    return answer


async def _own_error(request: Request, error: HalubotError) -> Response:
    if isinstance(error, BusyError):
        answer = refusal(429, "busy", str(error))
        answer.headers["Retry-After"] = str(error.seconds)
        return answer
    # The request's own fault; everything else went wrong behind the service, as 502 says.
    status = 422 if isinstance(error, (InputError, SettingError)) else 502
    return refusal(status, "invalid" if status == 422 else "failed", str(error))


async def _answer_nobody(request: Request, error: ClientDisconnect) -> Response:
    """Nobody reads this: who asked is gone."""
    # nginx's number, for logs; nobody reads it.
    return refusal(499, "left", "the connection was closed")


_ADDRESSES: Final[tuple[tuple[str, str, str, type[BaseModel] | None, type[BaseModel]], ...]] = (
    ("/v1/check", "post", "Check a text", CheckRequest, Report),
    ("/v1/correct", "post", "Check and correct", CorrectRequest, Report),
    ("/v1/sources", "get", "What every text is compared with", None, Compared),
    (
        "/beta/litellm_basic_guardrail_api",
        "post",
        "Check answers on their way through LiteLLM's proxy",
        GuardrailRequest,
        GuardrailAnswer,
    ),
)
"""Address, method, what it does, the body of the request, and that of the answer."""

_STREAM: Final = {
    "name": "stream",
    "in": "query",
    "schema": {"type": "boolean", "default": False},
    "description": "true: answer with server-sent events, one a step, then `report` or `problem`.",
}


def description() -> dict[str, Any]:
    """The OpenAPI description, with the schema of the report in it."""
    used: set[type[BaseModel]] = {ErrorAnswer}
    for *_, body, answer in _ADDRESSES:
        used |= {answer} if body is None else {body, answer}
    kinds = sorted(used, key=lambda kind: kind.__name__)
    _, schemas = models_json_schema(
        [(one, "serialization" if one is Report else "validation") for one in kinds],
        ref_template="#/components/schemas/{model}",
    )
    paths = {}
    for address, method, what, body, answer in _ADDRESSES:
        operation: dict[str, Any] = {
            "summary": what,
            "parameters": [_STREAM] * (answer is Report),
            "responses": {
                "200": _content(answer, "It is done."),
                "default": _content(ErrorAnswer, "It failed. 429 comes with Retry-After."),
            },
        }
        if body is not None:
            operation["requestBody"] = {"required": True, **_content(body)}
        paths[address] = {method: operation}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "halubot",
            "version": __version__,
            "summary": "Checks a text fact by fact, marks what to doubt and why, and corrects it.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _content(kind: type[BaseModel], what: str = "") -> dict[str, Any]:
    """A body of that kind."""
    told = {"description": what} if what else {}
    reference = {"$ref": f"#/components/schemas/{kind.__name__}"}
    return told | {"content": {"application/json": {"schema": reference}}}
