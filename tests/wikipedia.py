"""A small Wikipedia on this machine, for tests: the part of MediaWiki's API that halubot asks, over
real sockets, with Wikimedia's manners enforced.

A request without a User-Agent of its own, or without maxlag, is refused; so is one that comes while
another is under way. `faults` are answers given in turn instead of the right one. Nothing sleeps.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

PATIENCE = 90.0
"""Seconds after which a wait is a failure of the test."""

Body = dict[str, Any]


@dataclass(frozen=True)
class Page:
    """An article: ``extract`` is its text with headings ``== so ==``. One without a ``revision``
    was deleted, but is still found."""

    title: str
    extract: str
    revision: int | None = 1
    timestamp: str = "2026-01-02T03:04:05Z"
    disambiguation: bool = False


@dataclass(frozen=True)
class Fault:
    """What is answered instead: a status, headers and a body; ``gate`` is waited for before, and
    ``hang`` never answers."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)
    gate: threading.Event | None = None
    hang: bool = False


class Wiki:
    """The server: ``api`` is the address of its API, ``asked`` what came, ``refused`` why not."""

    def __init__(self, *pages: Page) -> None:
        self.pages = dict(enumerate(pages, 1))
        self.asked: list[Mapping[str, str]] = []
        self.agents: list[str] = []
        self.refused: list[str] = []
        self.faults: list[Fault] = []
        self.arrived = threading.Semaphore(0)
        self._turn = threading.Lock()
        self._ending = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), name="wikipedia", daemon=True
        )
        self._thread.start()

    @property
    def api(self) -> str:
        """The address of the API."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/w/api.php"

    @property
    def searches(self) -> list[str]:
        """What was searched for, in the order it came."""
        return [asked["srsearch"] for asked in self.asked if "srsearch" in asked]

    @property
    def read(self) -> list[str]:
        """The titles of the articles that were asked for, in the order they were."""
        ids = [int(asked["pageids"]) for asked in self.asked if "pageids" in asked]
        return [self.pages[page].title for page in ids]

    def close(self) -> None:
        """Stops it."""
        self._ending.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, query: Mapping[str, str], agent: str) -> Fault:
        """What one request gets."""
        if not self._turn.acquire(blocking=False):
            self.refused.append("two requests at once")
            return Fault(429)
        try:
            self.asked.append(query)
            self.agents.append(agent)
            self.arrived.release()
            if not agent or agent.startswith(("python-httpx", "Python-urllib")):
                self.refused.append("no User-Agent")
                return Fault(403, b"Please set a user-agent")
            if "maxlag" not in query:
                self.refused.append("no maxlag")
                return Fault(400)
            if self.faults:
                fault = self.faults.pop(0)
                if fault.gate is not None:
                    assert fault.gate.wait(PATIENCE)
                if fault.hang:
                    assert self._ending.wait(PATIENCE)
                return fault
            found = self._search(query) if query.get("list") == "search" else self._page(query)
            return Fault(body=json.dumps({"batchcomplete": True, "query": found}).encode())
        finally:
            self._turn.release()

    def _search(self, query: Mapping[str, str]) -> Body:
        """All words in one page; or with OR any word or phrase, most of them first."""
        if query.get("srnamespace") != "0":
            return {"search": []}  # the pages of another space are no articles
        wanted, limit = query["srsearch"], int(query["srlimit"])
        any_of = [part.strip('"').casefold() for part in wanted.split(" OR ")]
        all_of = [word.casefold() for word in wanted.split()]
        scores = {}
        for page, article in self.pages.items():
            text = f"{article.title} {article.extract}".casefold()
            words = re.findall(r"\w+", text)
            if len(any_of) > 1:
                phrases = [part for part in any_of if " " in part and part in text]
                scores[page] = len(phrases) + len({*any_of} & {*words})
            else:
                scores[page] = int(all(word in words for word in all_of))
        best = sorted((page for page in scores if scores[page]), key=lambda page: -scores[page])
        return {"search": [{"ns": 0, "pageid": page} for page in best[:limit]]}

    def _page(self, query: Mapping[str, str]) -> Body:
        number = int(query["pageids"])
        article = self.pages[number]
        if article.revision is None:
            return {"pages": [{"pageid": number, "missing": True}]}
        page: Body = {
            "pageid": number,
            "ns": 0,
            "title": article.title,
            "extract": article.extract if "explaintext" in query else f"<p>{article.extract}</p>",
            "revisions": [{"revid": article.revision, "timestamp": article.timestamp}],
        }
        if article.disambiguation:
            page["pageprops"] = {"disambiguation": ""}
        return {"pages": [page]}


@contextmanager
def wikipedia(*pages: Page) -> Iterator[Wiki]:
    """A Wikipedia for the length of a ``with``; afterwards no request may have been refused."""
    wiki = Wiki(*pages)
    try:
        yield wiki
    finally:
        wiki.close()
    assert not wiki.refused, wiki.refused


class _Server(ThreadingHTTPServer):
    daemon_threads = True


def _handler(wiki: Wiki) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def handle(self) -> None:
            with suppress(ConnectionError):
                super().handle()

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            answer = wiki.answer(query, self.headers.get("user-agent", ""))
            self.send_response(answer.status)
            headers = {"content-type": "application/json", "content-length": len(answer.body)}
            for name, value in (headers | dict(answer.headers)).items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(answer.body)
            self.close_connection = "content-length" in answer.headers

    return Handler
