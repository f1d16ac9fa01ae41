"""The app in a browser: each page that is opened is an app of its own, run by textual-serve.

A page of another site that the same browser shows could reach a server on this machine: only what
asks for it by its own address, from its own pages, is answered.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web
from textual_serve.server import Server

from halubot.errors import HalubotError, explain

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

POLICY: Final = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; font-src 'self'; connect-src 'self' ws: wss:; frame-ancestors 'none'"
)
"""What a page may load: nothing from other machines."""


def serve(command: str, host: str, port: int) -> int:
    """Serves the app that a command line of the shell starts until it is stopped; returns 0.

    Port 0 is any that is free. Raises HalubotError where it cannot listen there.
    """
    with listening(host, port) as at:
        Pages(command, host, at.getsockname()[1]).serve_at(at)
    return 0


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there; raises HalubotError where none can."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=128)
    except (OSError, UnicodeError) as error:
        why = explain(error).partition(" (")[0]  # create_server adds the address again
        raise HalubotError(
            f"cannot listen at {host}, port {port}: {why}; --host and --port name another place"
        ) from error


class Pages(Server):
    """The pages of the app at one address."""

    def __init__(self, command: str, host: str, port: int) -> None:
        spelled = f"[{host}]" if ":" in host else host
        super().__init__(
            command, host=host, port=port, title="halubot", public_url=f"http://{spelled}:{port}"
        )
        self._any = host in ("0.0.0.0", "::")  # noqa: S104 - compared, not listened at

    def serve_at(self, at: socket.socket) -> None:
        """Answers what comes to a socket that listens, until SIGINT or SIGTERM."""
        self.initialize_logging()
        web.run_app(self._make_app(), sock=at, print=None)

    def initialize_logging(self) -> None:
        """Says what goes wrong, and nothing else."""
        logging.basicConfig(level=logging.WARNING)

    async def on_startup(self, app: web.Application) -> None:
        """Says where it can be opened."""
        self.console.print(f"halubot is at {self.public_url} (ctrl+C ends it)", highlight=False)

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._guarded)
        return app

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuses what does not ask for this server from a page of it."""
        if not self._any and urlsplit(f"//{request.host}").hostname not in self._names:
            raise web.HTTPForbidden(text=f"open {self.public_url}")
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            raise web.HTTPForbidden(text="a page of another site asked for this")
        self.public_url = f"http://{request.host}"  # the page names it
        answer = await handler(request)
        if not answer.prepared:
            answer.headers["Content-Security-Policy"] = POLICY
        return answer

    @property
    def _names(self) -> set[str]:
        own = {"localhost", "127.0.0.1", "::1"}
        return {self.host} | (own if self.host in own else set())
