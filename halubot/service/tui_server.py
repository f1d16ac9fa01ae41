"""The app in a browser: each page that is opened is an app of its own, run by textual-serve.

Whoever opens the app can do what its owner can, and every user of this machine reaches its ports.
So the address that is printed holds a token that lets one browser in, once; from then on a cookie
does. A page of another site that the same browser shows could reach the server too: only what asks
for it by its own address, from its own pages, is answered.
"""

from __future__ import annotations

import hmac
import logging
import secrets
import socket
from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web
from textual_serve.server import Server

from halubot.listener import listen

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

POLICY: Final = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; font-src 'self'; connect-src 'self' ws: wss:; frame-ancestors 'none'"
)
"""What a page may load: nothing from other machines."""


TOKEN: Final = "token"  # noqa: S105 - the name of it
COOKIE: Final = "halubot"

_CLOSED: Final = "open the address that halubot tui --browser printed: it lets one browser in, once"


def serve(command: str, host: str, port: int) -> int:
    """Serves the app that a command line of the shell starts until it is stopped; returns 0.

    Port 0 is any that is free. Raises HalubotError if it cannot listen there.
    """
    with listen(host, port) as at:
        Pages(command, host, at.getsockname()[1]).serve_at(at)
    return 0


class Pages(Server):
    """The pages of the app at one address."""

    def __init__(self, command: str, host: str, port: int) -> None:
        self._any = host in ("0.0.0.0", "::")  # noqa: S104 - compared, not listened at
        name = socket.gethostname() if self._any else host
        spelled = f"[{name}]" if ":" in name else name
        super().__init__(
            command, host=host, port=port, title="halubot", public_url=f"http://{spelled}:{port}"
        )
        self._token = secrets.token_urlsafe(32)
        self._let_in: list[str] = []

    @property
    def address(self) -> str:
        """The address that lets the next browser in."""
        return f"{self.public_url}/?{TOKEN}={self._token}"

    def serve_at(self, at: socket.socket) -> None:
        """Answers what comes to a socket that listens, until SIGINT or SIGTERM."""
        self.initialize_logging()
        web.run_app(self._make_app(), sock=at, print=None)

    def initialize_logging(self) -> None:
        """Says what goes wrong, and nothing else."""
        logging.basicConfig(level=logging.WARNING)

    async def on_startup(self, app: web.Application) -> None:
        """Says where it can be opened."""
        self.console.print(
            f"halubot is at {self.address} (once, for one browser; ctrl+C ends it)",
            highlight=False,
            soft_wrap=True,
        )

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._guard)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuses what does not ask for this server from a page of it, or was not let in."""
        if urlsplit(f"//{request.host}").hostname not in self._names(request):
            raise web.HTTPForbidden(text=_CLOSED)
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            raise web.HTTPForbidden(text="a page of another site asked for this")
        if TOKEN in request.query:
            raise self._answer_token(request.query[TOKEN])
        if not _is_one_of(request.cookies.get(COOKIE, ""), self._let_in):
            raise web.HTTPForbidden(text=_CLOSED)
        self.public_url = f"http://{request.host}"  # the page names it
        answer = await handler(request)
        if not answer.prepared:
            answer.headers["Content-Security-Policy"] = POLICY
            answer.headers["Referrer-Policy"] = "no-referrer"
        return answer

    def _answer_token(self, token: str) -> web.HTTPException:
        """Return the answer to a token: the cookie of a browser, or a refusal."""
        if not _is_one_of(token, [self._token]):
            return web.HTTPForbidden(text=_CLOSED)
        self._token = secrets.token_urlsafe(32)
        self.console.print(
            f"a browser was let in; for another one: {self.address}",
            highlight=False,
            soft_wrap=True,
        )
        self._let_in.append(secrets.token_urlsafe(32))
        # The address without the token is what the browser shows and remembers.
        answer = web.HTTPSeeOther("/")
        answer.set_cookie(COOKIE, self._let_in[-1], httponly=True, samesite="Strict", path="/")
        return answer

    def _names(self, request: web.Request) -> set[str]:
        """Return the names under which this server may be asked for."""
        if not self._any:
            own = {"localhost", "127.0.0.1", "::1"}
            return {self.host.lower()} | (own if self.host in own else set())
        # A name that another site made mean this machine is none of these.
        names = {"localhost", socket.gethostname().lower(), f"{socket.gethostname().lower()}.local"}
        at = request.transport and request.transport.get_extra_info("sockname")
        return names | ({str(at[0]).removeprefix("::ffff:")} if at else set())


def _is_one_of(said: str, secrets_known: list[str]) -> bool:
    """Return whether what was said is one of the secrets, in a time that tells nothing of them."""
    known = [
        hmac.compare_digest(said.encode("utf-8", "replace"), secret.encode())
        for secret in secrets_known
    ]
    return any(known)
