"""Wikipedia online: articles found by its search, cut into passages.

A search asks for the articles that hold all words of the query, then, if there are too few,
for those that hold any of its names and words: a statement that is wrong has words that stand in
no article on it. (Articles found by the names of a claim: Hanselowski et al. 2018, "UKP-Athene",
section 3.1.) Each article is asked for by itself, since the API gives whole texts of one page at a
time (https://www.mediawiki.org/wiki/Extension:TextExtracts), and is kept for other queries.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode, urlsplit

from halubot.concurrency import aside
from halubot.errors import KnowledgeError, SettingError
from halubot.evidence.json_api import BusyServerError, SearchError, get_json, open_client
from halubot.evidence.kept import KeptAnswers
from halubot.evidence.knowledge.articles import Article, Section, nearest, terms
from halubot.evidence.retrieval import Passage

if TYPE_CHECKING:
    import httpx

CONTACT_VARIABLE: Final = "HALUBOT_WIKIPEDIA_CONTACT"
"""How the person who runs halubot can be reached: an e-mail address, or that of a page."""

LONGEST_SEARCH: Final = 300
"""Characters of a search that Wikipedia takes."""

ATTEMPTS: Final = 3
"""Requests that are made for one answer, at most."""

LONGEST_WAIT: Final = 30.0
"""Seconds: a server that asks for a longer pause is left alone."""

_ALWAYS: Final = {"action": "query", "format": "json", "formatversion": "2", "maxlag": "5"}

# What MediaWiki says where it is busy, and may not be a moment later.
_BUSY: Final = ("maxlag", "ratelimited", "readonly", "internal_api_error", "cirrussearch-")

_TURN: Final = asyncio.Lock()
"""Held on halubot's own loop while a request is under way: one at a time for all wikis, as
Wikimedia asks (https://www.mediawiki.org/wiki/API:Etiquette)."""

_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]+)*|simple")
_CONTACT: Final = re.compile(r"[\x20-\x7e]{1,200}")
_OPERATOR: Final = re.compile(r"\b(?:AND|OR|NOT)\b")
_HEADING: Final = re.compile(r"^(={2,6})[ \t]*(\S.*?)[ \t]*\1[ \t]*$", re.MULTILINE)


class Wikipedia:
    """The Wikipedia of a language as a knowledge base: ``en``, ``de``, ``simple``...

    ``contact`` goes to Wikimedia with each request; None reads HALUBOT_WIKIPEDIA_CONTACT. Answers
    are kept in ``folder``, by default ``wikipedia`` in the platform's folder for caches, for the
    time ``kept``. ``articles`` are read for a query, at most. ``api`` is the address of another
    MediaWiki with its search and TextExtracts, which has ``timeout`` seconds for an answer;
    ``pause`` seconds lie between the first attempt and the second, twice as many before the third.

    Raises SettingError for a language or a contact that cannot be one.
    """

    online = True

    def __init__(
        self,
        language: str = "en",
        *,
        contact: str | None = None,
        folder: Path | None = None,
        kept: timedelta = timedelta(days=7),
        articles: int = 3,
        api: str | None = None,
        timeout: float = 15.0,
        pause: float = 1.0,
    ) -> None:
        if not _LANGUAGE.fullmatch(language):
            raise SettingError(
                f"{language!r} is no language of Wikipedia: write its code, as in wikipedia:de"
            )
        self.name = "wikipedia" if language == "en" else f"wikipedia:{language}"
        self._articles = articles
        self._api = api or f"https://{language}.wikipedia.org/w/api.php"
        self._host = urlsplit(self._api).hostname or self._api
        contact = os.environ.get(CONTACT_VARIABLE, "") if contact is None else contact
        self._agent = _agent(contact)
        self._kept = KeptAnswers("wikipedia", kept, folder)
        self._timeout = timeout
        self._pause = pause

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """The ``k`` passages (at least 1) nearest to the query, of the articles that Wikipedia
        finds for it; no request for a query without a word. Cancelled, it sends no more requests.

        ``location`` is the address of the revision that was read, ``date`` when it was made,
        ``place`` the section. Raises KnowledgeError if Wikipedia cannot be asked or answers
        with something else.
        """
        from halubot.models import loop

        try:
            articles = await loop.aside(self._articles_on(query))
        except SearchError as error:
            raise KnowledgeError(str(error)) from error
        return await aside(lambda: nearest(articles, query, k))

    def close(self) -> None:
        """Closes the store of answers; may be called more than once."""
        self._kept.close()

    async def _articles_on(self, query: str) -> list[Article]:
        """The articles found for a query, best first."""
        async with open_client(self._agent) as client:
            found = [await self._article(client, page) for page in await self._pages(client, query)]
        return [article for article in found if article is not None]

    async def _query(self, client: httpx.AsyncClient, **parameters: str) -> Mapping[str, Any]:
        """Return the part "query" of an answer: kept, or asked for now. Raises SearchError."""
        async with _TURN:
            # On a thread: the loop is that of all calls to models, and a disk may be slow.
            found = await asyncio.to_thread(self._kept.get, self._api, parameters)
            if (trouble := self._kept.trouble) is not None:
                raise SearchError(f"what Wikipedia answered cannot be kept: {trouble}")
            if found is None:
                found = await self._ask(client, parameters)
                await asyncio.to_thread(self._kept.put, self._api, parameters, found)
        return found

    async def _ask(
        self, client: httpx.AsyncClient, parameters: Mapping[str, str]
    ) -> dict[str, Any]:
        """The answer to a new request, after as many attempts as it takes and may take."""
        asked = {**_ALWAYS, **parameters}
        refused = f"say in {CONTACT_VARIABLE} how you can be reached"
        for failed in count():
            try:
                body = await get_json(
                    client, self._api, asked, self._host, seconds=self._timeout, refused=refused
                )
                match body:
                    case {"error": {"code": str(code)}} if code.startswith(_BUSY):
                        raise BusyServerError(f"{self._host} is busy: try again later")
                    case {"error": {"code": str(code), **more}}:
                        info = " ".join(str(more.get("info", "")).split())[:200]
                        raise SearchError(f"{self._host} refused the search ({code}: {info})")
                    case {"query": dict(found)}:
                        return found
                    case {"batchcomplete": _}:
                        return {}
                break
            except BusyServerError as error:
                wait = self._pause * 2**failed if error.wait is None else error.wait
                if failed + 1 == ATTEMPTS or wait > LONGEST_WAIT:
                    raise
                await asyncio.sleep(wait)
        raise _strange()

    async def _pages(self, client: httpx.AsyncClient, query: str) -> list[int]:
        """The ids of the articles found for a query, best first."""
        found: dict[int, None] = {}
        for wanted in _searches(query):
            answer = await self._query(
                client,
                list="search",
                srsearch=wanted,
                srnamespace="0",
                srlimit=str(self._articles),
                srinfo="",
                srprop="",
            )
            results = answer.get("search", [])
            if not isinstance(results, list):
                raise _strange()
            for result in results:
                match result:
                    case {"pageid": int(number)}:
                        found[number] = None
                    case _:
                        raise _strange()
            # Each search is a request, so the looser one is made only if the strict one found too
            # little.
            if len(found) >= self._articles:
                break
        return list(found)[: self._articles]

    async def _article(self, client: httpx.AsyncClient, page: int) -> Article | None:
        """An article as it is now; None for a page that only tells meanings of a word apart, has
        no text, or was deleted meanwhile."""
        answer = await self._query(
            client,
            pageids=str(page),
            prop="extracts|revisions|pageprops",
            explaintext="1",
            exlimit="1",
            rvprop="ids|timestamp",
            ppprop="disambiguation",
        )
        match answer:
            case {"pages": [{"missing": True}]} | {"pages": [{"pageprops": {"disambiguation": _}}]}:
                return None
            case {
                "pages": [
                    {
                        "title": str(title),
                        "revisions": [{"revid": int(revision), "timestamp": str(date)}],
                        **more,
                    }
                ]
            }:
                text = more.get("extract", "")
                # Whatever answers may be a proxy's login page and not Wikipedia.
                if not isinstance(text, str):
                    raise _strange()
                # The revision that was read: the article may say something else tomorrow.
                revised = urlencode({"title": title.replace(" ", "_"), "oldid": revision})
                address = f"{self._api.removesuffix('api.php')}index.php?{revised}"
                sections = tuple(_sections(text))
                return Article(title, address, date, sections) if sections else None
        raise _strange()


def _searches(query: str) -> Iterator[str]:
    """The searches for a query, the strictest first: all of its words, then any of them."""
    words, names = terms(query)
    if not words:
        return
    yield _fitting(words, " ")
    phrases = [f'"{name}"' for name in names if " " in name]
    # A name of several words stands there as a phrase: its words alone would find other articles.
    parts = {part for name in names if " " in name for part in name.split()}
    any_of = [*phrases, *(word for word in words if word not in parts)]
    if len(words) > 1:
        yield _fitting(any_of, " OR ")


def _fitting(parts: Sequence[str], between: str) -> str:
    """As many of the parts as a search may hold. No part is an operator, whatever its case."""
    search = ""
    for part in parts:
        word = _OPERATOR.sub(lambda found: found[0].lower(), part)
        longer = f"{search}{between}{word}" if search else word
        if len(longer) <= LONGEST_SEARCH:
            search = longer
    return search or parts[0][:LONGEST_SEARCH]


def _sections(text: str) -> Iterator[Section]:
    """The sections of an extract, whose headings are written ``== so ==`` and whose paragraphs end
    with the line."""
    pieces = _HEADING.split(text)
    headings = ["", *pieces[2::3]]
    for heading, body in zip(headings, pieces[::3], strict=True):
        if body.strip():
            # TextExtracts ends a paragraph with its line; a line break alone parts no sentences.
            yield Section(heading, re.sub(r"\n+", "\n\n", body.strip()))


def _strange() -> KnowledgeError:
    return KnowledgeError(
        "Wikipedia answered with something that is no answer of its API: try again later, and look"
        " whether the network shows pages of its own"
    )


def _agent(contact: str) -> str:
    """The User-Agent: name and version, the contact, the library."""
    import httpx

    from halubot.version import __version__

    if contact and not _CONTACT.fullmatch(contact):
        raise SettingError(
            f"{contact!r} is no contact for Wikipedia: {CONTACT_VARIABLE} is an e-mail address or"
            " the address of a page, in plain letters"
        )
    own = f"halubot/{__version__}"
    return f"{own}{f' ({contact})' if contact else ''} python-httpx/{httpx.__version__}"
