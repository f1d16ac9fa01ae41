"""Thirty citations of invented works, and registries on this machine that know half of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from benchmarks.rows import read_records
from benchmarks.web_server import WebOnLoopback, reply
from halubot.evidence.web.registries import Addresses


class Record(NamedTuple):
    """A work that the registries know, under one number."""

    id: str
    title: str
    authors: Sequence[str]
    year: int
    journal: str
    abstract: str = ""


WORKS: Final = [
    (fields.pop("registry"), Record(**fields))
    for _, fields in read_records(Path(__file__).with_name("web_works.jsonl"))
]
"""Each with the registry that knows it: crossref (and OpenAlex), arxiv, openlibrary, pubmed."""

PAGE: Final = "http://city.test/history"

CITATIONS: Final[tuple[tuple[str, str], ...]] = tuple(
    (row["text"], row["verdict"]) for _, row in read_records(Path(__file__).with_suffix(".jsonl"))
)
"""Half of them cite works as they are; the others are altered or made up."""


def of(registry: str) -> list[Record]:
    return [record for known, record in WORKS if known == registry]


def serve_registries(web: WebOnLoopback) -> Addresses:
    """Put the registries on a server, and return where they are asked."""
    web.add(
        PAGE, "<title>History of the city</title><main><p>The city was founded in 1311.</p></main>"
    )
    kind = "application/json"
    for record in of("crossref"):
        body = json.dumps({"message": _crossref(record)})
        web.add(f"http://crossref.test/works/{record.id}", body, kind)
        web.add(f"http://handles.test/{record.id}", '{"responseCode": 1}', kind)
    web.add("http://crossref.test/works", _search_crossref)
    web.add("http://openalex.test/works", _search_openalex)
    web.add("http://arxiv.test/query", _arxiv)
    web.add("http://books.test/books", _books)
    web.add("http://pubmed.test/summary", _pubmed)
    return Addresses(
        crossref="http://crossref.test/works",
        openalex="http://openalex.test/works",
        doi="http://handles.test",
        arxiv="http://arxiv.test/query",
        openlibrary="http://books.test/books",
        pubmed="http://pubmed.test/summary",
    )


def _crossref(record: Record) -> dict[str, Any]:
    names = (name.rpartition(" ") for name in record.authors)
    return {
        "DOI": record.id,
        "title": [record.title],
        "author": [{"given": given, "family": family} for given, _, family in names],
        "issued": {"date-parts": [[record.year, 1]]},
        "container-title": [record.journal],
        "abstract": f"<jats:p>{record.abstract}</jats:p>",
    }


def _asked(request: BaseHTTPRequestHandler) -> Mapping[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(request.path).query).items()}


def _nearest(words: str) -> list[Record]:
    """The works that share most words with a query."""
    wanted = set(words.casefold().split())

    def shared(record: Record) -> int:
        text = " ".join((record.title, *record.authors, record.journal, str(record.year)))
        return len(wanted & set(text.casefold().split()))

    return sorted(filter(shared, of("crossref")), key=shared, reverse=True)


def _search_crossref(request: BaseHTTPRequestHandler) -> None:
    found = [_crossref(record) for record in _nearest(_asked(request)["query.bibliographic"])]
    reply(request, json.dumps({"message": {"items": found}}).encode(), "application/json")


def _search_openalex(request: BaseHTTPRequestHandler) -> None:
    if "search" not in _asked(request):
        reply(request, b"", status=404)
        return
    found = [
        {
            "id": f"https://openalex.org/{record.id}",
            "title": record.title,
            "publication_year": record.year,
            "authorships": [{"author": {"display_name": name}} for name in record.authors],
            "primary_location": {"source": {"display_name": record.journal}},
            "abstract_inverted_index": {
                word: [at] for at, word in enumerate(record.abstract.split())
            },
        }
        for record in _nearest(_asked(request)["search"])
    ]
    reply(request, json.dumps({"results": found}).encode(), "application/json")


def _arxiv(request: BaseHTTPRequestHandler) -> None:
    number = _asked(request)["id_list"]
    entries = "".join(
        f"<entry><title>{record.title}</title><published>{record.year}-01-05T00:00:00Z</published>"
        + "".join(f"<author><name>{name}</name></author>" for name in record.authors)
        + f"<summary>{record.abstract}</summary></entry>"
        for record in of("arxiv")
        if record.id == number
    )
    reply(request, f"<feed>{entries}</feed>".encode(), "application/atom+xml")


def _books(request: BaseHTTPRequestHandler) -> None:
    key = _asked(request)["bibkeys"]
    found = {
        f"ISBN:{record.id}": {
            "title": record.title,
            "authors": [{"name": name} for name in record.authors],
            "publish_date": str(record.year),
            "url": f"https://openlibrary.org/isbn/{record.id}",
        }
        for record in of("openlibrary")
    }
    chosen = {key: found[key]} if key in found else {}
    reply(request, json.dumps(chosen).encode(), "application/json")


def _pubmed(request: BaseHTTPRequestHandler) -> None:
    number = unquote(_asked(request)["id"])
    result: dict[str, Any] = {number: {"uid": number, "error": "cannot get document summary"}}
    for record in of("pubmed"):
        if record.id == number:
            result[number] = {
                "title": record.title,
                "authors": [{"name": name} for name in record.authors],
                "pubdate": f"{record.year} Mar",
                "fulljournalname": record.journal,
            }
    reply(request, json.dumps({"result": result}).encode(), "application/json")
