"""Listening, and who may ask.

Without a token the service listens on this machine alone, and only what asks for it by this
machine's name, from its own pages, is answered: another site that a browser shows could reach it
too (DNS rebinding, forms). With a token each request of data must carry it.
"""

from __future__ import annotations

import hmac
import re
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import uvicorn
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

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

UNREAD_SECONDS: Final = 60
"""How long a client may leave an answer unread."""

CONNECTIONS: Final = 1024
"""Connections at the same time; more are answered with 503."""

HEAD_BYTES: Final = 16 * 1024
"""The largest head of a request that is not whole yet."""

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


def make_server(app: ASGIApp, at: socket.socket) -> uvicorn.Server:
    """A server that answers what comes to the socket, within limits of time and size. Against
    clients that are slow on purpose, a proxy stands before it (docs/service.md)."""
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux; connections take it from the socket
        at.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_SECONDS * 1000)
    config = uvicorn.Config(
        app,
        # Other parsers do not limit the size of heads.
        http="h11",
        h11_max_incomplete_event_size=HEAD_BYTES,
        limit_concurrency=CONNECTIONS,
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

        app = self._refusal(scope["path"], Headers(scope=scope)) or self._app
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
