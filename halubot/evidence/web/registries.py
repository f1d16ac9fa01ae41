"""Registries of works: does a cited work exist, and do title, authors and year agree?

Nothing is called existing without an answer of a registry, and nothing missing unless one that
would know it says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

from halubot.errors import HalubotError, UnreadableError
from halubot.evidence.json_api import dicts, require_name
from halubot.evidence.kept import KeptAnswers
from halubot.evidence.web.citations import Citation
from halubot.evidence.web.pages import PageReader, ReadPage
from halubot.values.names import fold

SECONDS: Final = 6.0
_LARGEST: Final = 2 << 20
_LONGEST: Final = 20_000

_TITLES_ALIKE: Final = 0.8
"""How alike two titles are, in [0, 1], from which they are the same one's."""

_TAG = re.compile(r"<[^>]{0,200}>")


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the registries are asked."""

    crossref: str = "https://api.crossref.org/works"
    openalex: str = "https://api.openalex.org/works"
    doi: str = "https://doi.org/api/handles"
    arxiv: str = "https://export.arxiv.org/api/query"
    openlibrary: str = "https://openlibrary.org/api/books"
    pubmed: str = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/esummary.fcgi"


@dataclass(frozen=True, slots=True)
class Work:
    """A work as a registry records it. ``years`` are those of its versions, the first first."""

    registry: str
    location: str
    title: str = ""
    authors: tuple[str, ...] = ()
    years: tuple[int, ...] = ()
    journal: str = ""
    abstract: str = ""

    def text(self) -> str:
        """Return the record as a text that can be quoted."""
        year = ", ".join(map(str, self.years[:1]))
        parts = (self.title, ", ".join(self.authors), self.journal, year)
        head = ". ".join(part.rstrip(".") for part in parts if part)
        return f"{head}.\n\n{self.abstract}".strip()


@dataclass(frozen=True, slots=True)
class Found:
    """What the registries say of a citation: ``work`` if it exists; else ``missing`` are those
    that say there is none; ``failures`` say why others did not answer. ``differs`` is what the
    record says otherwise, in words, and ``value`` the words of the record."""

    work: Work | None = None
    missing: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    differs: str | None = None
    value: str = ""


class _NoAnswerError(HalubotError):
    """A registry did not answer."""


class Registries:
    """Asks registries about works. Its methods block, and may be called from any thread."""

    def __init__(
        self, reader: PageReader, kept: KeptAnswers, addresses: Addresses | None = None
    ) -> None:
        self._reader = reader
        self._kept = kept
        self._at = addresses or Addresses()

    async def require_network(self) -> None:
        """Raise SearchError, in a moment, if names of other machines are not found."""
        if self._reader.connect is None:
            await require_name(urlsplit(self._at.crossref).hostname or "", "Crossref")

    def look_up(self, citation: Citation) -> Found:
        """Return what the registries say of a citation. Never raises for a server."""
        asks: Mapping[str, Callable[[Citation], Work | None]] = {
            "doi": {
                "Crossref": self._crossref,
                "OpenAlex": self._openalex,
                "doi.org": self._handle,
            },
            "arxiv": {"arXiv": self._arxiv},
            "pubmed": {"PubMed": self._pubmed},
            "isbn": {"Open Library": self._openlibrary},
            "link": {"its site": self._page},
            "prose": {"Crossref": self._search_crossref, "OpenAlex": self._search_openalex},
        }[citation.kind]
        if citation.kind == "prose" and not (citation.title or citation.journal):
            return Found(failures=("authors and a year do not tell which work is meant",))
        missing: list[str] = []
        failures: list[str] = []
        for name, ask in asks.items():
            try:
                work = ask(citation)
            except HalubotError as error:
                failures.append(str(error))
                continue
            if work is not None:
                differs, value = compare(citation, work)
                return Found(work, differs=differs, value=value)
            missing.append(name)
        # Crossref has only some of the DOIs: that there is none, doi.org alone knows.
        if citation.kind == "doi" and "doi.org" not in missing:
            missing = []
        return Found(missing=tuple(missing), failures=tuple(failures))

    def _get(self, name: str, address: str) -> str | None:
        """The body that a registry answers; None for a 404."""
        match self._kept.get(address, {"registry": name}):
            case {"body": str() | None as body}:
                return body
        try:
            page = self._reader.fetch(address, seconds=SECONDS, largest=_LARGEST, any_status=True)
        except UnreadableError as error:
            raise _NoAnswerError(f"{name} did not answer: {error.why}") from error
        if page.status not in (200, 404, 410):
            raise _NoAnswerError(f"{name} answered with status {page.status}")
        body = page.data.decode("utf-8", "replace") if page.status == 200 else None
        self._kept.put(address, {"registry": name}, {"body": body})
        return body

    def _json(self, name: str, address: str) -> dict[str, Any] | None:
        body = self._get(name, address)
        if body is None:
            return None
        try:
            found = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise _NoAnswerError(f"{name} answered with something that is not JSON") from error
        if not isinstance(found, dict):
            raise _NoAnswerError(f"{name} answered with something that is no record")
        return found

    def _crossref(self, citation: Citation) -> Work | None:
        found = self._json("Crossref", f"{self._at.crossref}/{quote(citation.id, safe='')}")
        return None if found is None else _of_crossref(found.get("message"))

    def _openalex(self, citation: Citation) -> Work | None:
        found = self._json("OpenAlex", f"{self._at.openalex}/doi:{quote(citation.id, safe='/')}")
        return None if found is None else _of_openalex(found)

    def _handle(self, citation: Citation) -> Work | None:
        found = self._json("doi.org", f"{self._at.doi}/{quote(citation.id, safe='/')}")
        if found is None or found.get("responseCode") == 100:
            return None
        if found.get("responseCode") != 1:
            raise _NoAnswerError("doi.org answered with something that is no record")
        return Work("doi.org", f"https://doi.org/{citation.id}")

    def _arxiv(self, citation: Citation) -> Work | None:
        body = self._get("arXiv", f"{self._at.arxiv}?{urlencode({'id_list': citation.id})}")
        entry = re.search(r"<entry>(.*?)</entry>", body or "", re.S)
        if entry is None and "<feed" not in (body or ""):
            raise _NoAnswerError("arXiv answered with something that is no record")
        title = _element(entry[1], "title") if entry else ""
        if entry is None or title in ("", "Error"):
            return None
        return Work(
            "arXiv",
            f"https://arxiv.org/abs/{citation.id}",
            title,
            tuple(_plain(name) for name in re.findall(r"<name>(.*?)</name>", entry[1], re.S)),
            _years(_element(entry[1], "published")[:4], _element(entry[1], "updated")[:4]),
            "arXiv",
            _element(entry[1], "summary")[:_LONGEST],
        )

    def _pubmed(self, citation: Citation) -> Work | None:
        asked = urlencode({"db": "pubmed", "id": citation.id, "retmode": "json"})
        found = self._json("PubMed", f"{self._at.pubmed}?{asked}") or {}
        record = _at(found, "result", citation.id)
        if not record and not found.get("result") and "error" not in found:
            raise _NoAnswerError("PubMed answered with something that is no record")
        if not _at(record, "title"):
            return None
        return Work(
            "PubMed",
            f"https://pubmed.ncbi.nlm.nih.gov/{citation.id}/",
            _text(record.get("title")),
            tuple(_text(one.get("name")) for one in dicts(record.get("authors"))),
            _years(record.get("pubdate"), record.get("epubdate")),
            _text(record.get("fulljournalname")),
        )

    def _openlibrary(self, citation: Citation) -> Work | None:
        key = f"ISBN:{citation.id}"
        asked = urlencode({"bibkeys": key, "format": "json", "jscmd": "data"})
        found = self._json("Open Library", f"{self._at.openlibrary}?{asked}")
        record = _at(found, key)
        if not record or not isinstance(record, dict):
            return None
        return Work(
            "Open Library",
            _text(record.get("url")) or f"https://openlibrary.org/isbn/{citation.id}",
            _text(record.get("title")),
            tuple(_text(one.get("name")) for one in dicts(record.get("authors"))),
            _years(record.get("publish_date")),
        )

    def _page(self, citation: Citation) -> Work | None:
        # A HEAD first: many pages are large, and one that is not there has no body to read.
        try:
            head = self._reader.fetch(citation.id, seconds=SECONDS, any_status=True, method="HEAD")
        except UnreadableError as error:
            raise _NoAnswerError(f"{citation.id} cannot be reached: {error.why}") from error
        if head.status in (404, 410):
            return None
        if head.status not in (200, 405, 501):
            raise _NoAnswerError(f"{citation.id} answered with status {head.status}")
        page = self._reader.read_one(citation.id)
        if isinstance(page, ReadPage):
            years = _years(page.date)
            return Work("its site", page.address, page.title, (), years, "", page.text[:_LONGEST])
        if head.status == 200:
            return Work("its site", citation.id)
        raise _NoAnswerError(str(page))

    def _search_crossref(self, citation: Citation) -> Work | None:
        asked = urlencode({"query.bibliographic": _words_of(citation), "rows": "10"})
        found = self._json("Crossref", f"{self._at.crossref}?{asked}")
        items = dicts(_at(found, "message", "items"))
        return _best(citation, [_of_crossref(one) for one in items])

    def _search_openalex(self, citation: Citation) -> Work | None:
        asked = urlencode({"search": _words_of(citation), "per-page": "10"})
        found = self._json("OpenAlex", f"{self._at.openalex}?{asked}")
        return _best(citation, [_of_openalex(one) for one in dicts(_at(found, "results"))])


def compare(citation: Citation, work: Work) -> tuple[str | None, str]:
    """Return what a record says otherwise than the citation, in words, and the record's own words
    for it; None and "" if they agree as far as both say anything."""
    if citation.title and work.title and likeness(citation.title, work.title) < _TITLES_ALIKE:
        return f"its title is “{work.title}”", work.title
    if citation.authors and work.authors and not _all_among(citation.authors, work.authors):
        return f"is by {_listed(work.authors)}", work.authors[0]
    if citation.year and work.years and citation.year not in work.years:
        return f"says {work.years[0]}", str(work.years[0])
    return None, ""


def likeness(one: str, other: str) -> float:
    """Return how alike two titles are, in [0, 1]; a title without its subtitle is the same."""
    from rapidfuzz import fuzz

    a, b = fold(one), fold(other)
    without = fold(one.partition(":")[0]), fold(other.partition(":")[0])
    if without[0] == without[1] and len(without[0].split()) >= 3:
        return 1.0
    return fuzz.ratio(a, b) / 100


def _best(citation: Citation, works: list[Work]) -> Work | None:
    """The work that a reference in prose means: one of these authors and, of those, the title, or
    else the year and the journal. A work of the same title and authors of another year is found
    too: that it differs is told."""
    fits = [work for work in works if _all_among(citation.authors, work.authors)]
    if citation.title:
        named = [work for work in works if likeness(citation.title, work.title) >= _TITLES_ALIKE]
        both = [work for work in named if work in fits]
        return next(iter(both or named), None)
    dated = [work for work in fits if citation.year in work.years]
    if citation.journal:
        dated = [work for work in dated if _same_journal(citation.journal, work.journal)]
    return next(iter(dated), None)


def _same_journal(one: str, other: str) -> bool:
    a, b = fold(one).removeprefix("the "), fold(other).removeprefix("the ")
    short = "".join(word[0] for word in b.split() if word not in ("of", "the", "and"))
    return a in (b, short) or (len(a.split()) > 1 and (a in b or b in a))


def _all_among(surnames: tuple[str, ...], authors: tuple[str, ...]) -> bool:
    names = {word for author in authors for word in fold(author).split()}
    return all(set(fold(one).split()) <= names for one in surnames)


def _listed(authors: tuple[str, ...]) -> str:
    if len(authors) > 3:
        return f"{authors[0]} and {len(authors) - 1} others"
    return " and ".join(authors)


def _words_of(citation: Citation) -> str:
    parts = (*citation.authors, str(citation.year or ""), citation.title, citation.journal)
    return " ".join(part for part in parts if part)


def _of_crossref(found: object) -> Work:
    dates = ("issued", "published-print", "published-online")
    years = [_at(found, date, "date-parts", 0, 0) for date in dates]
    doi = _text(_at(found, "DOI"))
    return Work(
        "Crossref",
        f"https://doi.org/{doi}",
        _text(_at(found, "title", 0)),
        tuple(
            " ".join(filter(None, (_text(one.get("given")), _text(one.get("family")))))
            for one in dicts(_at(found, "author"))
        ),
        tuple(dict.fromkeys(year for year in years if isinstance(year, int))),
        _text(_at(found, "container-title", 0)),
        _text(_at(found, "abstract"))[:_LONGEST],
    )


def _of_openalex(found: object) -> Work:
    year = _at(found, "publication_year")
    return Work(
        "OpenAlex",
        _text(_at(found, "doi")) or _text(_at(found, "id")),
        _text(_at(found, "title") or _at(found, "display_name")),
        tuple(
            _text(_at(one, "author", "display_name")) for one in dicts(_at(found, "authorships"))
        ),
        (year,) if isinstance(year, int) else (),
        _text(_at(found, "primary_location", "source", "display_name")),
        _inverted(_at(found, "abstract_inverted_index")),
    )


def _inverted(index: object) -> str:
    """An abstract that OpenAlex writes as the places of each word."""
    if not isinstance(index, dict):
        return ""
    placed = [
        (at, word)
        for word, places in index.items()
        if isinstance(places, list)
        for at in places
        if isinstance(at, int)
    ]
    return " ".join(word for _, word in sorted(placed))[:_LONGEST]


def _years(*written: object) -> tuple[int, ...]:
    found = [re.search(r"\b(1[5-9]\d\d|20\d\d)\b", _text(one)) for one in written]
    return tuple(dict.fromkeys(int(one[1]) for one in found if one))


def _element(xml: str, name: str) -> str:
    found = re.search(rf"<{name}\b[^>]*>(.*?)</{name}>", xml, re.S)
    return _plain(found[1]) if found else ""


def _plain(markup: str) -> str:
    return " ".join(unescape(_TAG.sub(" ", markup)).split())


def _text(value: object) -> str:
    return _plain(value) if isinstance(value, str) else ""


def _at(record: Any, *path: str | int) -> Any:
    """Return what stands at a path in a record; None if the record is not of that form."""
    for key in path:
        try:
            record = record[key]
        except (KeyError, IndexError, TypeError):
            return None
    return record
