"""Pages of the web as sources: fetched within limits, as robots.txt allows, kept for a day."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import Final
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

from halubot.errors import HalubotError
from halubot.evidence.download import Connect, Page, fetch, source_of_page
from halubot.evidence.kept import KeptAnswers
from halubot.evidence.web.search import day_of

LARGEST: Final = 4 << 20
"""The most bytes of a page."""

LONGEST: Final = 300_000
"""Characters of a page that are read."""

SECONDS: Final = 6.0
"""How long a page may take."""

AT_ONCE: Final = 6

_ROBOTS_LARGEST: Final = 1 << 19
_ROBOTS_SECONDS: Final = 2.0

_DATE = re.compile(
    rb"(?:article:(?:published|modified)_time|datePublished|dateModified|dc\.date|citation_date)"
    rb"[\"']?\s*(?:content=|:)\s*[\"'](\d{4}-\d{2}-\d{2})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ReadPage:
    """The text of a page; ``address`` is where redirects led. ``date`` is what the page says."""

    title: str
    text: str
    address: str
    date: str | None = None


class PageReader:
    """Reads pages. ``connect`` says where to connect to, in place of the public address of a host:
    for tests."""

    def __init__(self, kept: KeptAnswers, connect: Connect | None = None) -> None:
        self._kept = kept
        self.connect = connect
        self.fetch = partial(fetch, connect=connect)
        self._rules = cache(self._fetch_rules)

    async def read(
        self, addresses: Sequence[str], seconds: float
    ) -> dict[str, ReadPage | HalubotError]:
        """Return each page, or why it could not be read, within ``seconds``; an address that did
        not come in time is missing."""
        loop = asyncio.get_running_loop()
        found: dict[str, ReadPage | HalubotError] = {}
        pool = ThreadPoolExecutor(AT_ONCE, "halubot reads pages")
        try:
            works = {loop.run_in_executor(pool, self.read_one, one): one for one in addresses}
            if works:
                done, _ = await asyncio.wait(works, timeout=seconds)
                found = {works[work]: work.result() for work in done}
        finally:
            # Nobody waits for the threads: each ends by the limit of its page.
            pool.shutdown(wait=False, cancel_futures=True)
        return found

    def read_one(self, address: str) -> ReadPage | HalubotError:
        """Return a page, or why it could not be read. Blocks; may be called from any thread."""
        asked = {"page": address}
        match self._kept.get(address, asked):
            case {"title": str(title), "text": str(text), "address": str(at), **more}:
                date = more.get("date")
                return ReadPage(title, text, at, date if isinstance(date, str) else None)
        try:
            if (why := self._refused(address)) is not None:
                return HalubotError(why)
            page = self.fetch(address, seconds=SECONDS, largest=LARGEST)
            source = source_of_page(page, address)
        except HalubotError as error:
            return error
        text = (source.text or "")[:LONGEST]
        title = "" if source.title == address else source.title
        found = ReadPage(title, text, page.address, _date(page))
        answer = {"title": title, "text": text, "address": page.address, "date": found.date}
        self._kept.put(address, asked, answer)
        return found

    def _refused(self, address: str) -> str | None:
        """Return why a page may not be fetched, by its site's robots.txt; None if it may."""
        parts = urlsplit(address)
        if self._rules(f"{parts.scheme}://{parts.netloc}").can_fetch("halubot", address):
            return None
        return f"{parts.netloc} lets no program read it (robots.txt)"

    def _fetch_rules(self, site: str) -> RobotFileParser:
        """Return the rules of a site (RFC 9309)."""
        rules, lines = RobotFileParser(), list[str]()
        # What keeps them from coming keeps the page from coming too.
        with suppress(HalubotError):
            page = self.fetch(
                f"{site}/robots.txt",
                seconds=_ROBOTS_SECONDS,
                largest=_ROBOTS_LARGEST,
                any_status=True,
            )
            if page.status >= 500:
                lines = ["User-agent: *", "Disallow: /"]
            elif page.status == 200:
                lines = page.data.decode("utf-8", "replace").splitlines()
        rules.parse(lines)
        return rules


def _date(page: Page) -> str | None:
    """Return the day that a page names as its own near its beginning; None if it names none."""
    found = _DATE.search(page.data[:200_000])
    return day_of(found[1].decode("ascii")) if found else None
