"""Looking a message up on the web: queries, pages, and the passages of them that say something."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from halubot.concurrency import aside
from halubot.errors import HalubotError
from halubot.evidence import text_source
from halubot.evidence.download import Connect, host_of
from halubot.evidence.kept import KeptAnswers
from halubot.evidence.knowledge.named_bases import InMemory
from halubot.evidence.retrieval import passages
from halubot.evidence.web.pages import PageReader, ReadPage
from halubot.evidence.web.providers import Named, WebSettings, covers, is_allowed
from halubot.evidence.web.registries import Addresses, Registries
from halubot.evidence.web.search import Answer, Hit, Query, find_kept, search
from halubot.models.budget import Budget
from halubot.report import Source
from halubot.text import clean, read

KEPT: Final = timedelta(days=1)
"""How long results and pages are kept."""

MOST_PAGES: Final = 24
"""Pages of one message that are fetched."""

READING_SECONDS: Final = 15.0
"""How long the fetching of all pages may take."""

_PREFERRED: Final = (
    *("gov", "mil", "edu", "int", "europa.eu", "gov.uk", "ac.uk", "nih.gov"),
    *("wikipedia.org", "britannica.com", "larousse.fr", "treccani.it", "snl.no"),
    *("nature.com", "science.org", "sciencedirect.com", "springer.com", "wiley.com", "plos.org"),
    *("oup.com", "cambridge.org", "jstor.org", "thelancet.com", "nejm.org", "bmj.com", "acm.org"),
    *("ieee.org", "arxiv.org", "pnas.org", "who.int"),
)
PREFERENCE: Final = "of results that fit equally, .gov, encyclopaedias and journals come first"


@dataclass(slots=True)
class Looked:
    """What a message found on the web. ``base`` holds the passages, None if there are none;
    ``failures`` say why a provider did not answer; ``left_out`` counts what was left out by its
    reason; ``queries`` are those that were asked, each with who received it."""

    base: InMemory | None = None
    queries: list[tuple[str, str]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    cost_usd: float = 0.0
    pages: int = 0

    def details(self) -> dict[str, Any]:
        return {
            "queries": [{"receiver": who, "query": query} for who, query in self.queries],
            "pages": self.pages,
            "left_out": dict(sorted(self.left_out.items())),
            "preference": PREFERENCE,
            "cost_usd": self.cost_usd,
        }


class Web:
    """The web as some settings allow it, for one check or several. ``folder`` keeps what was
    answered; ``connect`` is that of `PageReader`; ``registries`` are asked at other addresses."""

    def __init__(
        self,
        settings: WebSettings,
        *,
        folder: Path | None = None,
        connect: Connect | None = None,
        registries: Addresses | None = None,
    ) -> None:
        self.settings = settings
        self.kept = KeptAnswers("web", KEPT, folder)
        self.reader = PageReader(self.kept, connect)
        self.registries = Registries(self.reader, self.kept, registries)
        self.budget = Budget(max_cost=settings.max_cost)

    def close(self) -> None:
        """Close what is kept; a second time does nothing."""
        self.kept.close()

    def find_kept(self, named: Named, query: str) -> Answer | None:
        """Return what a provider answered lately; None if nothing is kept."""
        return find_kept(named, query, self.kept)

    async def search(self, named: Named, query: str) -> Answer:
        """Ask a provider. Raises HalubotError if it fails."""
        return await search(named, query, self.kept)

    async def look_up(
        self,
        message: str,
        queries: Sequence[Query],
        *,
        budget: Budget | None = None,
        progress: Callable[[int, int], object] = lambda done, of: None,
    ) -> Looked:
        """Ask the providers, read the pages found, and return their passages, without copies of
        each other and of the message. ``budget`` pays for the queries; it is the web's own if
        None. Never raises for a server."""
        looked = Looked()
        left_out = looked.left_out
        answers = await self._ask(looked, queries, budget or self.budget, progress)
        echoes = Echoes(message, [query.text for query in queries])
        for answer in answers:
            left_out["results beyond the first ten of a query"] += answer.left_out
        hits = self._choose(answers, left_out)
        pages = await self.reader.read([hit.address for hit in hits], READING_SECONDS)
        sources = [source for answer in answers for source in answer.passages]
        sources += filter(None, (self._source(hit, pages, echoes, left_out) for hit in hits))
        kept = await aside(lambda: self._passages(sources, echoes, left_out))
        looked.base = await aside(lambda: InMemory("the web", kept)) if kept else None
        looked.left_out = +left_out
        looked.cost_usd = round(looked.cost_usd, 6)
        looked.pages = sum(isinstance(page, ReadPage) for page in pages.values())
        return looked

    async def _ask(
        self,
        looked: Looked,
        queries: Sequence[Query],
        budget: Budget,
        progress: Callable[[int, int], object],
    ) -> list[Answer]:
        answers: list[Answer] = []

        async def of(named: Named) -> None:
            price = named.provider.cost_usd or 0.0
            # One after the other: a provider that fails is asked nothing more.
            for text in dict.fromkeys(query.for_provider(named) for query in queries):
                answer = self.find_kept(named, text)
                if answer is None:
                    if not budget.charge(price):
                        why = f"{named.receiver} was not asked: the budget is spent"
                        looked.failures.append(why)
                        return
                    looked.cost_usd += price
                    looked.queries.append((named.receiver, text))
                    try:
                        answer = await self.search(named, text)
                    except HalubotError as error:
                        looked.failures.append(str(error))
                        return
                answers.append(answer)
                progress(len(answers), len(queries) * len(self.settings.named))

        await asyncio.gather(*map(of, self.settings.named))
        return answers

    def _choose(self, answers: Sequence[Answer], left_out: Counter[str]) -> list[Hit]:
        """The results whose pages are fetched: the first of each query, then the second of each;
        preferred sites first among equals."""
        chosen: dict[str, Hit] = {}
        for turn in zip_longest(*(answer.hits for answer in answers)):
            equal = [hit for hit in turn if hit is not None]
            for hit in sorted(equal, key=lambda one: not is_preferred(one.address)):
                key = hit.address.partition("#")[0]
                if key in chosen:
                    continue
                if (why := self._refusal(hit.address)) is not None:
                    left_out[why] += 1
                elif len(chosen) >= MOST_PAGES:
                    left_out["pages beyond the first 24"] += 1
                else:
                    chosen[key] = hit
        return list(chosen.values())

    def _refusal(self, address: str) -> str | None:
        """Why a result is not used; None if it is."""
        host = host_of(address)
        web = address.lower().startswith(("http://", "https://"))
        if not web or not host or "@" in urlsplit(address).netloc:
            return "results without a web address"
        if not is_allowed(host, self.settings.allow, self.settings.deny):
            return "sites that the settings leave out"
        return None

    def _source(
        self,
        hit: Hit,
        pages: dict[str, ReadPage | HalubotError],
        echoes: Echoes,
        left_out: Counter[str],
    ) -> Source | None:
        """A result as a source: its page, else what the provider shows of it."""
        page = pages.get(hit.address)
        if isinstance(page, ReadPage):
            # A page may redirect to a site that the settings leave out.
            if (why := self._refusal(page.address)) is not None:
                left_out[why] += 1
                return None
            if echoes.repeats(page.text):
                left_out["pages that repeat the message or a query"] += 1
                return None
            return _make_source(page.text, page.title or hit.title, page.address, page.date, "")
        why = "they did not come in time" if page is None else getattr(page, "why", str(page))
        left_out[f"pages that could not be read: {' '.join(why.split())[:100]}"] += 1
        if not hit.snippet:
            return None
        if echoes.repeats(hit.snippet):
            left_out["excerpts that repeat the message or a query"] += 1
            return None
        place = f"an excerpt shown by {hit.receiver}; the page was not read"
        return _make_source(hit.snippet, hit.title, hit.address, hit.date, place)

    def _passages(
        self, sources: Sequence[Source], echoes: Echoes, left_out: Counter[str]
    ) -> list[Source]:
        """The passages of the sources, each of which says something that no earlier one says;
        those of preferred sites come first."""
        ordered = sorted(sources, key=lambda one: not is_preferred(one.location))
        cut: list[Source] = []
        for source in ordered:
            document = read(source.text or "")
            for start, end in passages(document):
                text = document.text[start:end]
                if echoes.repeats(text):
                    left_out["passages that repeat the message or a query"] += 1
                else:
                    cut.append(source.model_copy(update={"text": text}))
        kept = distinct([one.text or "" for one in cut])
        left_out["passages that stand on another page too"] += len(cut) - len(kept)
        return [cut[place] for place in kept]


def _make_source(text: str, title: str, address: str, date: str | None, place: str) -> Source:
    made = text_source(text, "knowledge", 1, title=title or address, location=address)
    return made.model_copy(update={"date": date, "place": clean(place)[0]})


def is_preferred(address: str) -> bool:
    """Return True for a page of a government, a university, an encyclopaedia or a journal."""
    host = host_of(address)
    return covers(_PREFERRED, host) or bool({"gov", "edu"} & set(host.split(".")[-2:]))


_WORD: Final = re.compile(r"\w+")

_RUN: Final = 5
"""Words that follow one another, of which two texts share many if one is a copy."""

ECHO: Final = 0.8
"""The share of a text's runs that stand in the message, from which it is an echo of it; and the
share of the message's runs that stand in a text. What says the same with another value has less."""

COPY: Final = 0.8
"""The share of the runs of the shorter of two passages that stand in the other."""

_LONG: Final = 25
"""Words of a message that nobody else writes by chance."""


def runs(text: str) -> frozenset[tuple[str, ...]]:
    """Return the runs of words of a text; of a shorter text all of it as one."""
    words = [word.casefold() for word in _WORD.findall(text)]
    if not words:
        return frozenset()
    length = min(_RUN, len(words))
    return frozenset(tuple(words[at : at + length]) for at in range(len(words) - length + 1))


class Echoes:
    """Tells if a text repeats the message, or one of the queries."""

    def __init__(self, message: str, queries: Iterable[str] = ()) -> None:
        self._message = runs(message)
        self._long = len(_WORD.findall(message)) >= _LONG
        self._queries = [_words(query) for query in queries]

    def repeats(self, text: str) -> bool:
        """Return True if most of the text is the message's, if most of the message stands in it, or
        if it holds little but the words of a query."""
        own = runs(text)
        if not own:
            return True
        shared = len(own & self._message)
        if shared / len(own) >= ECHO or (
            self._long and self._message and shared / len(self._message) >= ECHO
        ):
            return True
        words = _words(text)
        return any(len(words - query) <= len(words) * 0.2 for query in self._queries)


def distinct(texts: Sequence[str]) -> list[int]:
    """Return the places of the texts that are no copies of an earlier one."""
    kept: dict[int, frozenset[tuple[str, ...]]] = {}
    for place, text in enumerate(texts):
        own = runs(text)
        copies = (len(own & other) >= COPY * min(len(own), len(other)) for other in kept.values())
        if own and not any(copies):
            kept[place] = own
    return list(kept)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))
