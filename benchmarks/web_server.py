"""A small web on this machine: a SearXNG, sites with pages, registries of works, over real sockets.

`WebOnLoopback.connect` leads every host that ends in ``.test`` to it, and no other host anywhere.
A page is bytes, or a function that answers the request itself, for servers that mean harm.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from halubot.errors import UnreadableError
from halubot.evidence.retrieval import Index
from halubot.report import Source

Reply = Callable[[BaseHTTPRequestHandler], None]

_TAG = re.compile(r"<[^>]*>")


class WebOnLoopback(ThreadingHTTPServer):
    """The server. ``pages`` are by address ("http://site.test/path"); ``asked`` are the addresses
    and queries of all requests, in order; ``results`` replaces what the search finds."""

    daemon_threads = True

    def __init__(self) -> None:
        self.pages: dict[str, bytes | Reply] = {}
        self.types: dict[str, str] = {}
        self.asked: list[str] = []
        self.results: Callable[[str], list[dict[str, Any]]] = self._search
        self._index: Index | None = None
        answer = self._answer

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with suppress(OSError):  # the client may have gone
                    answer(self)

            def do_HEAD(self) -> None:
                self.do_GET()

            def log_message(self, *_: Any) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.searxng = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def __exit__(self, *error: Any) -> None:
        self.shutdown()
        super().__exit__(*error)

    def add(self, address: str, body: str | bytes | Reply, kind: str = "text/html") -> None:
        self.pages[address] = body.encode() if isinstance(body, str) else body
        self.types[address] = kind
        self._index = None

    def connect(self, host: str, port: int) -> tuple[str, int]:
        """Lead hosts of ``.test`` here. Raises UnreadableError for any other."""
        if host.endswith(".test"):
            return "127.0.0.1", self.server_port
        raise UnreadableError(host, f"{host} is in a private network")

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        host = request.headers.get("Host", "").partition(":")[0]
        parts = urlsplit(request.path)
        if host == "127.0.0.1" and parts.path == "/search":
            query = parse_qs(parts.query).get("q", [""])[0]
            self.asked.append(f"search: {query}")
            body = json.dumps({"results": self.results(query)}).encode()
            reply(request, body, "application/json")
            return
        address = f"http://{host}{unquote(request.path)}"
        self.asked.append(address)
        found = self.pages.get(address, self.pages.get(address.partition("?")[0]))
        if callable(found):
            found(request)
        elif found is None:
            reply(request, b"no such page", "text/plain", 404)
        else:
            kind = self.types.get(address, self.types.get(address.partition("?")[0], "text/html"))
            reply(request, found, kind)

    def _search(self, query: str) -> list[dict[str, Any]]:
        """The ten pages nearest to a query, as SearXNG answers them."""
        if self._index is None:
            pages = [
                Source(id="", kind="knowledge", location=address, text=_text(body))
                for address, body in self.pages.items()
                if isinstance(body, bytes) and self.types[address] == "text/html"
            ]
            self._index = Index(pages, None)
        return [
            {"title": one.text[:60], "url": one.source.location, "content": one.text[60:260]}
            for one in self._index.search(query, 10)
        ]


def reply(
    request: BaseHTTPRequestHandler,
    body: bytes,
    kind: str = "text/html",
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> None:
    request.send_response(status)
    request.send_header("Content-Type", kind)
    request.send_header("Content-Length", str(len(body)))
    for name, value in (headers or {}).items():
        request.send_header(name, value)
    request.end_headers()
    if request.command != "HEAD":
        request.wfile.write(body)


def _text(page: bytes) -> str:
    return " ".join(_TAG.sub(" ", page.decode("utf-8", "replace")).split())
