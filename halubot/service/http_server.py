"""Listening, and who may ask.

Without a token the service listens on this machine alone, and only what asks for it by this
machine's name, from its own pages, is answered: another site that a browser shows could reach it
too (DNS rebinding, forms). With a token each request of data must carry it.
"""

from __future__ import annotations

import hmac
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import uvicorn
from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from halubot.errors import SettingError, UnreadableError, explain

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

SHORTEST_TOKEN: Final = 16
"""Characters of a token; shorter ones can be guessed."""

OPEN: Final = frozenset({"/", "/page.js", "/page.css", "/openapi.json", "/healthz"})
"""What is answered without the token: nothing of these holds anybody's data."""

LAST_SECONDS: Final = 1
"""How long requests under way may go on once the service is stopped."""


def read_token(path: Path | None) -> str | None:
    """The token in a file, without the blanks around it; None for no file. Raises UnreadableError
    and SettingError."""
    if path is None:
        return None
    try:
        token = path.expanduser().read_text(encoding="utf-8").strip()
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
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=LAST_SECONDS,
    )
    uvicorn.Server(config).run(sockets=[at])


class Guard:
    """An ASGI application that lets only those through who may ask."""

    def __init__(self, app: ASGIApp, *, token: str | None, host: str) -> None:
        self._app = app
        self._token = token
        self._names = {host.lower(), "localhost", "127.0.0.1", "::1"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "http":
            refused = self._refusal(scope["path"], Headers(scope=scope))
            if refused is not None:
                await refused(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _refusal(self, path: str, headers: Headers) -> JSONResponse | None:
        """The answer to who may not ask; None to all others."""
        asked = headers.get("host", "")
        if self._token is None and _hostname(asked) not in self._names:
            return refusal(403, "forbidden", f"this service is not called {asked[:100]!r}")
        origin = headers.get("origin")
        if origin is not None and origin != "null" and urlsplit(origin).netloc != asked:
            return refusal(403, "forbidden", "a page of another site asked for this")
        if origin == "null":
            return refusal(403, "forbidden", "a page without an address asked for this")
        if self._token is None or path in OPEN or self._knows_token(headers):
            return None
        answer = refusal(401, "unauthorized", "send the token as Authorization: Bearer TOKEN")
        answer.headers["WWW-Authenticate"] = "Bearer"
        return answer

    def _knows_token(self, headers: Headers) -> bool:
        """True if the request carries the token; takes the same time for any wrong one. LiteLLM's
        proxy sends its key as ``x-api-key``."""
        scheme, _, said = headers.get("authorization", "").partition(" ")
        given = said.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")
        return hmac.compare_digest(
            given.encode("utf-8", "replace"), (self._token or "").encode("ascii")
        )


def _hostname(asked: str) -> str | None:
    try:
        return urlsplit(f"//{asked}").hostname
    except ValueError:
        return None


def refusal(status: int, code: str, message: str) -> JSONResponse:
    """An answer that is an error."""
    return JSONResponse({"error": {"code": code, "message": message}}, status_code=status)
