"""Thirty citations of invented works, and registries on this machine that know half of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from benchmarks.web_server import WebOnLoopback, reply
from halubot.evidence.web.registries import Addresses


class Record(NamedTuple):
    """A work that the registries know, under one number."""

    id: str
    title: str
    authors: tuple[str, ...]
    year: int
    journal: str
    abstract: str = ""


DOIS: Final = (
    Record(
        "10.5555/tea.2019.17",
        "Green tea and the length of colds",
        ("Nora Albers", "Ivan Petrov"),
        2019,
        "Journal of Common Ailments",
        "Green tea shortened colds by one day in 240 adults.",
    ),
    Record(
        "10.5555/lakes.1955",
        "On the depth of the warm layer of lakes",
        ("Ugo Hexal",),
        1955,
        "Annals of Limnology",
        "The depth grows with the square root of the length of the lake.",
    ),
    Record(
        "10.5555/bees.88",
        "Bees count to four",
        ("Lina Moss", "Karl Dorn", "Eva Rau"),
        2016,
        "Animal Minds",
        "Honey bees were trained to fly past four landmarks. They can count to four.",
    ),
    Record(
        "10.5555/iron.32",
        "A disorder of the storage of iron",
        ("Anna Ferro",),
        1932,
        "Clinical Notes",
    ),
    Record(
        "10.5555/sleep.7",
        "Short sleep and memory in schoolchildren",
        ("Omar Haddad", "Jane Whitlock"),
        2021,
        "Sleep and Learning",
        "Children who slept less than eight hours remembered fewer words.",
    ),
)
ARXIV: Final = (
    Record("2101.01234", "Sparse Nets Forget Less", ("Mei Tan", "Oskar Lund"), 2021, "arXiv"),
    Record("1907.04321", "Counting Words by Hashing", ("Priya Nair",), 2019, "arXiv"),
)
ISBNS: Final = (
    Record("9780306406157", "The Salt War", ("Miriam Odell",), 1998, ""),
    Record("0306406152", "Ketto for Beginners", ("Aldo Rey",), 1950, ""),
)
PUBMED: Final = (
    Record(
        "10000001", "Blood letting in Ferro disease", ("Sato K", "Brown L"), 2008, "Blood Today"
    ),
)
PAGE: Final = "http://city.test/history"

CITATIONS: Final[tuple[tuple[str, str], ...]] = (
    # They exist, and are cited as they are.
    ("Green tea shortened colds by one day in 240 adults (doi:10.5555/tea.2019.17).", "supported"),
    (
        "Hexal, U. (1955). On the depth of the warm layer of lakes. Annals of Limnology."
        " https://doi.org/10.5555/lakes.1955",
        "supported",
    ),
    ("Honey bees can count to four (Moss et al., 2016, doi:10.5555/bees.88).", "supported"),
    ("It was first described in 1932 (https://doi.org/10.5555/iron.32).", "supported"),
    (
        "Children who sleep less remember fewer words"
        " (Haddad & Whitlock, 2021, Sleep and Learning).",
        "supported",
    ),
    ('Bees were trained for it: "Bees count to four" (Moss et al., 2016).', "supported"),
    ('The method is from "Sparse Nets Forget Less" (arXiv:2101.01234).', "supported"),
    ("Words can be counted by hashing (Nair et al., 2019, arXiv:1907.04321v2).", "supported"),
    ("See https://arxiv.org/abs/2101.01234 for the proof.", "supported"),
    ("The war is told in The Salt War, ISBN 978-0-306-40615-7.", "supported"),
    ("Beginners read Ketto for Beginners (ISBN 0-306-40615-2).", "supported"),
    ("Blood letting helps in Ferro disease (PMID: 10000001).", "supported"),
    (f"The city was founded in 1311 ({PAGE}).", "supported"),
    (
        "Albers, N., & Petrov, I. (2019). Green tea and the length of colds. Journal of Common"
        " Ailments.",
        "supported",
    ),
    (
        "Children who slept less than eight hours remembered fewer words (doi:10.5555/sleep.7).",
        "supported",
    ),
    # Altered: the work exists, and is another.
    ("Bees count (Moss et al., 2014, doi:10.5555/bees.88).", "contradicted"),
    (
        '"Sparse Nets Forget Nothing at Scale" (arXiv:2101.01234) shows the opposite.',
        "contradicted",
    ),
    (
        "Hexal, U. (1965). On the depth of the warm layer of lakes. Annals of Limnology."
        " https://doi.org/10.5555/lakes.1955",
        "contradicted",
    ),
    ("Words can be counted (Kumar et al., 2019, arXiv:1907.04321).", "contradicted"),
    (
        "Albers, N., & Petrov, I. (2015). Green tea and the length of colds. Journal of Common"
        " Ailments.",
        "contradicted",
    ),
    # Made up: no such work.
    ("Coffee cures colds (doi:10.5555/coffee.2020.3).", "doubtful"),
    ("Cats can count to nine (Tiller et al., 2018, Animal Minds).", "doubtful"),
    ('Dogs dream in colour: "Colours in the dreams of dogs" (Wald et al., 2017).', "doubtful"),
    ("See arXiv:2203.99999 for the proof.", "doubtful"),
    ("The book on it has the ISBN 978-1-86197-876-9.", "doubtful"),
    ("It is told in The Second Salt War, ISBN 978-1-86197-271-2.", "doubtful"),
    ("The treatment failed in men (PMID: 99999998).", "doubtful"),
    ("The mayor resigned (http://city.test/news/mayor-resigns).", "doubtful"),
    (
        "Stone, M. (2003). Lakes that boil in winter. Annals of Limnology. doi:10.5555/boil.2003",
        "doubtful",
    ),
    ("Sleep makes children taller (Haddad & Stone, 2021, Sleep and Learning).", "doubtful"),
)


def serve_registries(web: WebOnLoopback) -> Addresses:
    """Put the registries on a server, and return where they are asked."""
    web.add(
        PAGE, "<title>History of the city</title><main><p>The city was founded in 1311.</p></main>"
    )
    kind = "application/json"
    for record in DOIS:
        web.add(f"http://crossref.test/works/{record.id}", _body(record), kind)
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


def _body(record: Record) -> str:
    return json.dumps({"message": _crossref(record)})


def _asked(request: BaseHTTPRequestHandler) -> Mapping[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(request.path).query).items()}


def _nearest(words: str) -> list[Record]:
    """The works that share most words with a query."""
    wanted = set(words.casefold().split())

    def shared(record: Record) -> int:
        text = " ".join((record.title, *record.authors, record.journal, str(record.year)))
        return len(wanted & set(text.casefold().split()))

    return sorted(filter(shared, DOIS), key=shared, reverse=True)


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
        for record in ARXIV
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
        for record in ISBNS
    }
    chosen = {key: found[key]} if key in found else {}
    reply(request, json.dumps(chosen).encode(), "application/json")


def _pubmed(request: BaseHTTPRequestHandler) -> None:
    number = unquote(_asked(request)["id"])
    result: dict[str, Any] = {number: {"uid": number, "error": "cannot get document summary"}}
    for record in PUBMED:
        if record.id == number:
            result[number] = {
                "title": record.title,
                "authors": [{"name": name} for name in record.authors],
                "pubdate": f"{record.year} Mar",
                "fulljournalname": record.journal,
            }
    reply(request, json.dumps({"result": result}).encode(), "application/json")
