"""Listening, and who may ask.

Without a token the service listens on this machine alone, and only what asks for it by this
machine's name, from its own pages, is answered: another site that a browser shows could reach it
too (DNS rebinding, forms). With a token each request of data must carry it.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import socket
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import h11
import uvicorn
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from uvicorn.protocols.http.h11_impl import H11Protocol

from halubot.errors import SettingError, UnreadableError, explain
from halubot.text.files.encodings import is_open_pipe, read_bytes

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

SHORTEST_TOKEN: Final = 16
"""Characters of a token; shorter ones can be guessed."""

LONGEST_TOKEN: Final = 4096
"""Bytes of a file with a token; a longer one does not fit into the head of a request."""

OPEN: Final = frozenset({"/", "/page.js", "/page.css", "/openapi.json", "/healthz"})
"""The addresses that are answered without the token: nothing of these holds anybody's data."""

LAST_SECONDS: Final = 1
"""How long requests under way may go on once the service is stopped."""

HEAD_SECONDS: Final = 10.0
"""How long the head of a request may take to arrive, and a connection may stay without one."""

UNREAD_SECONDS: Final = 60
"""How long a client may leave an answer unread."""

CONNECTIONS: Final = 1024
"""Connections at the same time, of all clients; more are answered with 503."""

CONNECTIONS_OF_ONE: Final = 256
"""Connections of one address at the same time; more are answered with 429. A proxy is one address,
and so is this machine."""

HEAD_BYTES: Final = 16 * 1024
"""The largest head of a request, about: h11 holds incomplete heads to this, and no others."""

SLOW_SECONDS: Final = 1.0
"""How long a head may be on its way before its connection gives way to a new one."""

BODY_SLOW_SECONDS: Final = 3.0
"""How long less than `BODY_PROGRESS` bytes of a body may arrive before its connection gives way to
a new one."""

BODY_PROGRESS: Final = 1000
"""Bytes of a body; a client that sends fewer in `BODY_SLOW_SECONDS` is slow."""

BODY_LAST_SECONDS: Final = 40.0
"""How long a body may be on its way, also if the request was answered before its end."""

REFUSED_SECONDS: Final = 2.0
"""How long a client that was refused may take to read why."""

_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""The headers of every answer: no page of another site may load it as a script or an image, and it
is kept nowhere."""

_HOST: Final = re.compile(r"(\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::\d{1,5})?", re.ASCII)


def read_token(path: Path | None) -> str | None:
    """The token in a file, without the blanks around it; None for no file. Raises UnreadableError
    and SettingError."""
    if path is None:
        return None
    try:
        file = path.expanduser()
        if file.exists() and not file.is_file() and not is_open_pipe(file):
            raise UnreadableError(path, "it is not a regular file")
        data = read_bytes(file)
        if len(data) > LONGEST_TOKEN:
            raise UnreadableError(path, f"it is larger than {LONGEST_TOKEN:,} bytes")
        token = data.decode("utf-8").strip()
    except (OSError, ValueError) as error:
        raise UnreadableError(path, explain(error)) from error
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        raise SettingError(
            f"the token in {path} must be at least {SHORTEST_TOKEN} letters, digits or signs on"
            " one line: make one with  openssl rand -hex 32"
        )
    return token


def serve(app: ASGIApp, at: socket.socket) -> None:
    """Answer what comes to the socket until SIGINT or SIGTERM."""
    make_server(app, at).run(sockets=[at])


def make_server(app: ASGIApp, at: socket.socket) -> uvicorn.Server:
    """A server that answers what comes to the socket, within limits of time and size."""
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux; connections take it from the socket
        at.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_SECONDS * 1000)
    config = uvicorn.Config(
        app,
        http=_Impatient,
        log_level="error",  # each malformed request would write a line
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=LAST_SECONDS,
    )
    return uvicorn.Server(config)


class _Impatient(H11Protocol):
    """Refuses connections that are too many, and closes those that send no request in time; h11
    limits the size of heads, which other parsers do not."""

    _waiting: asyncio.TimerHandle | None = None
    _awaited: tuple[object, object] | None = None
    _since = 0.0
    _came = 0
    _address = ""
    _refusal: bytes | None = None
    _ending: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the head of a request."""
        address = _address(transport)
        mine = [one for one in self._others() if one._address == address]
        full = len(self.connections) >= CONNECTIONS
        if full or len(mine) >= CONNECTIONS_OF_ONE:
            slow = self._slowest(self._others() if full else mine)
            if slow is None:
                self._refuse(transport, 503 if full else 429)
                return
            # Heads and bodies that never end would keep all others out.
            slow.transport.abort()
            slow.connections.discard(slow)
        self._address = address
        super().connection_made(transport)
        self._watch()

    def _others(self) -> list[_Impatient]:
        return [one for one in self.connections if isinstance(one, _Impatient)]

    def _slowest(self, among: list[_Impatient]) -> _Impatient | None:
        """Return the connection that has waited longest for a head or a body, if any is slow."""
        now = self.loop.time()
        late = [one for one in among if one._waiting is not None and one._is_slow(now)]
        return min(late, key=lambda one: one._since, default=None)

    def _is_slow(self, now: float) -> bool:
        in_body = self.conn.their_state is h11.SEND_BODY
        return now - self._since > (BODY_SLOW_SECONDS if in_body else SLOW_SECONDS)

    def _refuse(self, transport: asyncio.Transport, status: int) -> None:
        """Answer the first bytes with a refusal. What comes is read: closing a connection with
        bytes unread resets it, and the client would not see the answer."""
        self.transport = transport
        answer = refusal(status, "busy", "there are too many connections: try again in 1 s")
        head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nRetry-After: 1\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(answer.body)}\r\n"
        self._refusal = f"{head}Connection: close\r\n\r\n".encode() + bytes(answer.body)
        self._ending = self.loop.call_later(REFUSED_SECONDS, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        if self._ending is not None:
            self._ending.cancel()
            return
        self._stop_waiting()
        super().connection_lost(exc)

    def eof_received(self) -> None:
        """Close a connection whose client sends no more."""
        if self._ending is None:
            super().eof_received()

    def data_received(self, data: bytes) -> None:
        """Read what came; a head that is not whole by then has its time from its first byte."""
        if self._ending is not None:
            if self._refusal is not None:
                self.transport.write(self._refusal)
                self.transport.write_eof()
                self._refusal = None
            return
        super().data_received(data)
        self._came += len(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request: what came of it with the last one gives no further event."""
        super().on_response_complete()
        self._watch()

    def _watch(self) -> None:
        """Limit the time for what is awaited: a head, or the body of a request."""
        state = self.conn.their_state
        awaited = (state, self.cycle)
        if awaited != self._awaited:
            self._awaited = awaited
            self._stop_waiting()
            if state in (h11.IDLE, h11.SEND_BODY):
                seconds = HEAD_SECONDS if state is h11.IDLE else BODY_LAST_SECONDS
                self._begin_count()
                self._waiting = self.loop.call_later(seconds, self.transport.abort)
        elif state is h11.SEND_BODY and self._came >= BODY_PROGRESS:
            self._begin_count()

    def _begin_count(self) -> None:
        self._since = self.loop.time()
        self._came = 0

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def _address(transport: asyncio.BaseTransport) -> str:
    """Return the address of a client, "" if it is gone."""
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if peer else ""


class Guard:
    """An ASGI application that lets only those through who may ask."""

    def __init__(self, app: ASGIApp, *, token: str | None, host: str) -> None:
        self._app = app
        self._token = token
        self._names = {host.lower(), "localhost", "127.0.0.1", "::1"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        app = (
            _refuse_large(scope) or self._refusal(scope["path"], Headers(scope=scope)) or self._app
        )
        await app(scope, receive, send_guarded)

    def _refusal(self, path: str, headers: Headers) -> JSONResponse | None:
        """The answer to who may not ask; None to all others."""
        # RFC 9112 (section 6.1): a proxy may have read the one and pass on what the other hides.
        if "transfer-encoding" in headers and "content-length" in headers:
            answer = refusal(400, "ambiguous", "send Content-Length or Transfer-Encoding, not both")
            answer.headers["Connection"] = "close"
            return answer
        asked = headers.get("host", "")
        if self._token is None and _hostname(asked) not in self._names:
            return refusal(403, "forbidden", f"this service is not called {asked[:100]!r}")
        # A browser sends Origin with every request that another site's script or form makes.
        origins = headers.getlist("origin")
        # A sandboxed frame or a file: pages that anybody can make.
        if "null" in origins:
            return refusal(403, "forbidden", "a page without an address asked for this")
        if any(_netloc(origin) != asked for origin in origins):
            return refusal(403, "forbidden", "a page of another site asked for this")
        if self._token is None or path in OPEN or self._knows_token(headers):
            return None
        answer = refusal(401, "unauthorized", "send the token as Authorization: Bearer TOKEN")
        answer.headers["WWW-Authenticate"] = "Bearer"
        return answer

    def _knows_token(self, headers: Headers) -> bool:
        """True if the request carries the token; takes the same time for any wrong one. LiteLLM's
        proxy sends its key as ``x-api-key``."""
        # compare_digest, because == returns earlier the sooner a character differs, which can be
        # measured.
        scheme, _, said = headers.get("authorization", "").partition(" ")
        given = said.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")
        return hmac.compare_digest(
            # Bytes: compare_digest refuses strings that are not ASCII.
            given.encode("utf-8", "replace"),
            (self._token or "").encode("ascii"),
        )


def _refuse_large(scope: Scope) -> JSONResponse | None:
    """The answer to a head that is too large; None to all others."""
    lines = sum(len(name) + len(value) + len(": \r\n") for name, value in scope["headers"])
    # The path as it was sent is optional in ASGI.
    path = scope.get("raw_path") or scope["path"].encode("utf-8", "surrogateescape")
    if lines + len(path) + len(scope.get("query_string", b"")) <= HEAD_BYTES:
        return None
    answer = refusal(400, "too_large", f"the head of a request may have {HEAD_BYTES:,} bytes")
    answer.headers["Connection"] = "close"
    return answer


def _hostname(asked: str) -> str | None:
    """The name in a Host header; None for one that holds anything but a name and a port."""
    found = _HOST.fullmatch(asked)
    return found[1].strip("[]").lower() if found else None


def _netloc(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def refusal(status: int, code: str, message: str) -> JSONResponse:
    """An answer that is an error."""
    return JSONResponse({"error": {"code": code, "message": message}}, status_code=status)
