"""The addresses of the service, and what each answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Any, Final, Literal, TypeVar

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
from halubot.inputs import Options
from halubot.render.captions import GLYPHS, MEANINGS, SEVERITY, VERDICTS
from halubot.report import Report
from halubot.service.checks import BusyError, Check, Checks, Watch, Work
from halubot.service.guardrail import GuardrailAnswer, GuardrailRequest, make_answer
from halubot.service.http_server import Guard, refusal
from halubot.service.wire import (
    Accepted,
    CheckRequest,
    Compared,
    CorrectRequest,
    ErrorAnswer,
    Shown,
    describe_common,
    describe_problem,
)
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

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Limits:
    """The limits of one service: checks at once, checks that wait, and bytes of a request."""

    at_once: int = 4
    waiting: int = 32
    body: int = 1 << 20


class _RefusedError(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, code: str, message: str) -> None:
        self.answer = refusal(status, code, message)
        if status == 408:
            # What comes later of the body is no request.
            self.answer.headers["Connection"] = "close"
        super().__init__(message)


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
        """Open models, and knowledge for checks in this process, once for all checks; at the end
        cancel what is under way."""
        given = self._given.copy()
        # A base is open in one process: each of the others opens it by its name.
        knowledge = given.pop("knowledge", ()) if self._workers else ()
        web = given.pop("web", ()) if self._workers else ()
        async with share_options(given) as self._common:
            if knowledge:
                self._common["knowledge"] = knowledge
            if web:
                self._common["web"] = web
            if self._workers is not None:
                await self._workers.warm_up()
            try:
                yield
            finally:
                await self.checks.close()
                if self._workers is not None:
                    await self._workers.close()

    def app(self) -> Starlette:
        """The pages, without the guard."""
        routes = [
            Route("/v1/check", self.check, methods=["POST"]),
            Route("/v1/correct", self.correct, methods=["POST"]),
            Route("/v1/sources", self.sources, methods=["GET"]),
            Route("/v1/checks/{id}", self.show, methods=["GET"]),
            Route("/v1/checks/{id}", self.cancel, methods=["DELETE"]),
            Route("/v1/checks/{id}/events", self.events, methods=["GET"]),
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
            _RefusedError: _answer_refusal,
            ClientDisconnect: _answer_nobody,
        }
        return Starlette(routes=routes, exception_handlers=handlers, lifespan=self.opened)

    async def check(self, request: Request) -> Response:
        """Check a text: answer with its report, or with where to find it (``?wait=false``)."""
        body = await self._read(request, CheckRequest)
        return await self._begin(request, self._work("check", body))

    async def correct(self, request: Request) -> Response:
        """Check a text, correct it, and check it again."""
        body = await self._read(request, CorrectRequest)
        return await self._begin(request, self._work("correct", body))

    async def sources(self, request: Request) -> Response:
        """Name what every text is compared with."""
        return JSONResponse(describe_common(self._given).model_dump())

    async def show(self, request: Request) -> Response:
        """Return the report of a check as it is known now."""
        check = self._find(request)
        self.checks.expect_viewer(check)
        report = check.report
        # The report is JSON already: insert it as text instead of parsing and writing it again.
        found = report.to_json(indent=None) if report is not None else "null"
        head = json.dumps({"id": check.id, "state": check.state, "problem": check.problem})
        return _json(f'{head[:-1]}, "report": {found}}}')

    async def cancel(self, request: Request) -> Response:
        """Stop a check."""
        check = self._find(request)
        check.cancel()
        await check.wait()
        return await self.show(request)

    async def events(self, request: Request) -> Response:
        """The events of a check as server-sent events; ``Last-Event-ID`` says from where on."""
        check = self._find(request)
        last = request.headers.get("last-event-id", "")
        # `int` refuses more than 4,300 digits, with a ValueError.
        after = int(last) if last.isdecimal() and len(last) < 10 else 0
        # nginx gathers an answer before it passes it on unless X-Accel-Buffering says no.
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(
            self._stream_events(check, after), media_type="text/event-stream", headers=headers
        )

    async def guardrail(self, request: Request) -> Response:
        """Check the answers that LiteLLM's proxy posts; see `halubot.service.guardrail`."""
        body = await self._read(request, GuardrailRequest)
        try:
            todo = body.to_check()
        except ValidationError as error:
            raise _RefusedError(422, "invalid", describe_problem(error.errors())) from error
        found: dict[int, Report | str] = {}
        begun: dict[int, Check] = {}
        try:
            for place, one in todo:
                begun[place] = self.checks.begin(self._work("check", one), keep=False)
        except BusyError as error:
            # Checks that began are still used; the other texts get a note that they were not
            # checked.
            found = {place: str(error) for place, _ in todo if place not in begun}
        try:
            await _while_connected(request, *(check.wait() for check in begun.values()))
        finally:
            for check in begun.values():
                check.cancel()
        for place, check in begun.items():
            found[place] = check.final or check.problem or "the check was stopped"
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

        async def work(watch: Watch) -> Report:
            if self._workers is not None:
                return await self._workers.run(kind, body.text, options, watch)
            run = acheck if kind == "check" else acorrect
            return await run(body.text, **options, watch=watch)

        return work

    def _find(self, request: Request) -> Check:
        try:
            return self.checks.get(request.path_params["id"])
        except KeyError:
            message = "there is no such check; one that ended is kept for ten minutes"
            raise _RefusedError(404, "unknown", message) from None

    async def _begin(self, request: Request, work: Work) -> Response:
        """Begin a check and answer with its report, or at once if it shall not be waited for."""
        wait = request.query_params.get("wait", "true").lower() not in ("false", "0", "no")
        check = self.checks.begin(work, keep=not wait)
        if not wait:
            self.checks.expect_viewer(check)
            at = f"/v1/checks/{check.id}"
            told = Accepted(id=check.id, events=f"{at}/events", report=at)
            return JSONResponse(told.model_dump(), status_code=202, headers={"Location": at})
        try:
            await _while_connected(request, check.wait())
        finally:
            check.cancel()
        # As it was raised: the handlers of errors choose the status.
        if check.error is not None:
            raise check.error
        if check.final is None:
            raise _RefusedError(503, "stopped", "the check was stopped")
        return _json(check.final.to_json(indent=None))

    async def _stream_events(self, check: Check, after: int) -> AsyncIterator[str]:
        self.checks.watch(check)
        try:
            place = after
            coming = check.events(after)
            waiting = asyncio.ensure_future(anext(coming, None))
            try:
                while True:
                    # Not wait_for: it would cancel the generator at each silence, and the generator
                    # would be over.
                    done, _ = await asyncio.wait([waiting], timeout=PING_SECONDS)
                    if not done:
                        yield ": still here\n\n"
                        continue
                    found = waiting.result()
                    if found is None:
                        break
                    place, event = found
                    yield _format_event(place, event.kind, event.model_dump_json())
                    waiting = asyncio.ensure_future(anext(coming, None))
            finally:
                waiting.cancel()
            yield _last(check, max(place, len(check.log)) + 1)
        finally:
            self.checks.leave(check)

    def _too_large(self) -> _RefusedError:
        return _RefusedError(413, "too_large", f"a request may have {self._limits.body:,} bytes")

    async def _read(self, request: Request, kind: type[M]) -> M:
        """The body of a request. Raises _RefusedError for what is too large, slow, or wrong."""
        # A form of another site can post texts of other types without a preflight, but not JSON.
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise _RefusedError(415, "not_json", "send JSON, with Content-Type: application/json")
        declared = request.headers.get("content-length", "")
        if declared.isdecimal() and int(declared[:20]) > self._limits.body:
            raise self._too_large()
        data = bytearray()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                # Counted as it comes: Content-Length may be missing, or lie.
                async for piece in request.stream():
                    data += piece
                    if len(data) > self._limits.body:
                        raise self._too_large()
        except TimeoutError:
            raise _RefusedError(408, "too_slow", "the request took too long to arrive") from None
        try:
            return kind.model_validate_json(bytes(data))
        except ValidationError as error:
            # Without the input: an error repeated a name of 900 kB.
            problems = error.errors(include_url=False, include_context=False, include_input=False)
            raise _RefusedError(422, "invalid", describe_problem(problems)) from error


def build(
    common: Options, limits: Limits, *, token: str | None, host: str, apart: bool = False
) -> Guard:
    """The service as an ASGI application. ``common`` holds for every check; requests add their own
    texts to it. With ``apart`` checks run in processes of their own, and ``common`` names bases of
    knowledge and no open ones."""
    return Guard(Service(common, limits, apart=apart).app(), token=token, host=host)


async def _while_connected(request: Request, *work: Awaitable[None]) -> None:
    """Wait for the work, unless who asked for it leaves before. Raises ClientDisconnect then."""

    async def wait_for_disconnect() -> None:
        # Starlette tells that a client left only to who receives, and the body has been read.
        while (await request.receive())["type"] != "http.disconnect":
            pass

    async def all_done() -> None:
        for one in work:
            await one

    whole, leaving = asyncio.create_task(all_done()), asyncio.create_task(wait_for_disconnect())
    try:
        await asyncio.wait([whole, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not whole.done():
            raise ClientDisconnect
    finally:
        for task in (whole, leaving):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def _last(check: Check, place: int) -> str:
    """The last event of a stream: the report, or why there is none."""
    if check.final is not None:
        return _format_event(place, "report", check.final.to_json(indent=None))
    why = check.problem or "the check was stopped"
    return _format_event(place, "problem", json.dumps({"state": check.state, "message": why}))


def _format_event(place: int, kind: str, data: str) -> str:
    return f"id: {place}\nevent: {kind}\ndata: {data}\n\n"


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
    code = {404: "unknown", 405: "method"}.get(error.status_code, "error")
    answer = refusal(error.status_code, code, f"{error.detail}: see /openapi.json")
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


async def _answer_refusal(request: Request, error: _RefusedError) -> Response:
    return error.answer


async def _answer_nobody(request: Request, error: ClientDisconnect) -> Response:
    """Nobody reads this: who asked is gone."""
    # nginx's number, for logs; nobody reads it.
    return refusal(499, "left", "the connection was closed")


_ADDRESSES: Final[tuple[tuple[str, str, str, type[BaseModel] | None, dict[str, Any]], ...]] = (
    ("/v1/check", "post", "Check a text", CheckRequest, {"200": Report, "202": Accepted}),
    ("/v1/correct", "post", "Check and correct", CorrectRequest, {"200": Report, "202": Accepted}),
    ("/v1/sources", "get", "What every text is compared with", None, {"200": Compared}),
    ("/v1/checks/{id}", "get", "A check now", None, {"200": Shown}),
    ("/v1/checks/{id}", "delete", "Stop a check", None, {"200": Shown}),
    ("/v1/checks/{id}/events", "get", "Its events, as server-sent events", None, {"200": None}),
    (
        "/beta/litellm_basic_guardrail_api",
        "post",
        "Check answers on their way through LiteLLM's proxy",
        GuardrailRequest,
        {"200": GuardrailAnswer},
    ),
)
"""Address, method, what it does, the body of the request, and that of each answer."""

_WAIT: Final = {
    "name": "wait",
    "in": "query",
    "schema": {"type": "boolean", "default": True},
    "description": "false: answer at once with where events and report will be.",
}
_ID: Final = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}


def description() -> dict[str, Any]:
    """The OpenAPI description, with the schema of the report in it."""
    used = {kind for *_, body, answers in _ADDRESSES for kind in (body, *answers.values()) if kind}
    kinds = sorted({*used, ErrorAnswer}, key=lambda kind: kind.__name__)
    _, schemas = models_json_schema(
        [(one, "serialization" if one in (Report, Shown) else "validation") for one in kinds],
        ref_template="#/components/schemas/{model}",
    )
    paths: dict[str, dict[str, Any]] = {}
    for address, method, what, body, answers in _ADDRESSES:
        responses = {status: _content(kind, "It is done.") for status, kind in answers.items()}
        responses["default"] = _content(ErrorAnswer, "It failed. 429 comes with Retry-After.")
        parameters = [_ID] * ("{id}" in address) + [_WAIT] * ("202" in answers)
        operation: dict[str, Any] = {
            "summary": what,
            "parameters": parameters,
            "responses": responses,
        }
        if body is not None:
            operation["requestBody"] = {"required": True, **_content(body)}
        paths.setdefault(address, {})[method] = operation
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


def _content(kind: type[BaseModel] | None, what: str = "") -> dict[str, Any]:
    """A body of that kind; without one a stream of events."""
    told = {"description": what} if what else {}
    if kind is None:
        return told | {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
    reference = {"$ref": f"#/components/schemas/{kind.__name__}"}
    return told | {"content": {"application/json": {"schema": reference}}}
