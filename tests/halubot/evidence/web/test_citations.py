"""Works that a message cites: found in it, and looked up in registries on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.web_citations import CITATIONS, serve_registries
from benchmarks.web_server import WebOnLoopback, reply
from halubot import check
from halubot.claims import read_message
from halubot.evidence.web.citations import find_citations, without_citations
from halubot.evidence.web.lookup import Web
from halubot.evidence.web.providers import read_web
from halubot.evidence.web.registries import Addresses
from halubot.inputs import Options
from halubot.report import Report

FULL = (
    "Smith, J., & Doe, A. B. (2019). Effects of tea on colds. Journal of Tea, 12, 3-5."
    " https://doi.org/10.1000/xyz123"
)


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("See doi:10.1000/A(1)b, too.", "doi:10.1000/a(1)b", "doi:10.1000/A(1)b"),
        (
            "It says so (https://doi.org/10.1000/xyz).",
            "doi:10.1000/xyz",
            "https://doi.org/10.1000/xyz",
        ),
        ("It is arXiv:1706.03762v5.", "arXiv:1706.03762", "arXiv:1706.03762v5"),
        ("It is PMID: 123456.", "PMID 123456", "PMID: 123456"),
        ("Read ISBN 978-0-306-40615-7.", "ISBN 9780306406157", "ISBN 978-0-306-40615-7"),
        ("See https://a.example/b_(c).", "https://a.example/b_(c)", "https://a.example/b_(c)"),
        ("It is so (Smith et al., 2019, Nature).", "Smith 2019", "Smith et al., 2019, Nature"),
        ("It is so (Smith & Doe, 2019).", "Smith, Doe 2019", "Smith & Doe, 2019"),
        (f"Sources:\n\n{FULL}", "doi:10.1000/xyz123", FULL),
    ],
)
def test_a_citation_is_found(text: str, name: str, words: str) -> None:
    message = read_message(text)
    (found,) = find_citations(message)
    assert (found.name, text[slice(*found.span)]) == (name, words)


def test_a_pointer_claims_nothing() -> None:
    message = read_message("See https://a.example/x and doi:10.1000/x.\n\nSee how bees fly.")
    plain = without_citations(message, find_citations(message)).plain
    assert plain.strip() == "See how bees fly."


@pytest.mark.parametrize(
    "text", ["Tom and Anna met in 2019.", "Paris (1900) was lively.", "It cost 10.50/kg in 2019."]
)
def test_what_cites_nothing(text: str) -> None:
    assert not find_citations(read_message(text))


@given(st.text(alphabet="Smith et al., 2019 (10.1234/x) ISBN:978-0\n", max_size=200))
def test_offsets_hold_for_any_text(text: str) -> None:
    message = read_message(text)
    found = find_citations(message)
    for one in found:
        assert 0 <= one.span[0] < one.span[1] <= len(message.text)
        assert all(one.span[0] <= a <= b <= one.span[1] for a, b in one.parts)
    assert len(without_citations(message, found).plain) == len(message.plain)


def test_without_the_web_only_the_form_is_checked() -> None:
    text = "Ada was born in 1815 (doi:10.1000/xyz). The book is ISBN 0-306-40615-3."
    report = check(text, references=["Ada was born in 1815."])
    cites = {fact.triple.tail: fact for fact in report.facts if fact.triple.relation == "cites"}
    assert set(cites) == {"ISBN 0306406153", "doi:10.1000/xyz"}
    assert cites["ISBN 0306406153"].verdict == "doubtful"
    assert "check digit" in (cites["ISBN 0306406153"].reason or "")
    assert cites["doi:10.1000/xyz"].verdict == "not_checked"
    assert "--web" in (cites["doi:10.1000/xyz"].reason or "")
    # The words beside the number are checked as ever.
    assert [one.verdict for one in report.sentences] == ["supported", "doubtful"]


@pytest.fixture
def server() -> Iterator[WebOnLoopback]:
    with WebOnLoopback() as made:
        yield made


def look_up(
    text: str, server: WebOnLoopback, folder: Path, addresses: Addresses | None = None
) -> Report:
    settings = read_web(f"searxng:{server.searxng}")
    assert settings is not None
    registries = addresses or serve_registries(server)
    web = Web(settings, folder=folder, connect=server.connect, registries=registries)
    try:
        return check(text, **Options(web=web))
    finally:
        web.close()


@pytest.mark.slow
def test_all_citations_of_the_benchmark(server: WebOnLoopback, tmp_path: Path) -> None:
    for text, wanted in CITATIONS:
        report = look_up(text, server, tmp_path)
        (cites,) = (fact for fact in report.facts if fact.triple.relation == "cites")
        assert (text, cites.verdict) == (text, wanted)
        # No part of a citation is a claim of its own.
        own = [fact for fact in report.facts if fact.triple.relation != "cites"]
        assert not any(a < d and c < b for f in own for a, b in f.spans for c, d in cites.spans)


def test_what_a_work_says_decides_the_sentence(server: WebOnLoopback, tmp_path: Path) -> None:
    text = "Green tea shortened colds by one day in 420 adults (doi:10.5555/tea.2019.17)."
    report = look_up(text, server, tmp_path)
    *_, cites = report.facts
    claim = next(fact for fact in report.facts if fact.verdict == "contradicted")
    assert claim.verdict == "contradicted"
    assert (cites.verdict, cites.reason) == ("contradicted", "exists, but says otherwise")
    assert report.sentences[0].verdict == "contradicted"
    source = report.source(claim.evidence[0].source)
    assert source.location == "https://doi.org/10.5555/tea.2019.17"


@pytest.mark.parametrize("harm", ["closed", "nonsense", "busy"])
def test_nothing_exists_or_is_missing_without_an_answer(
    server: WebOnLoopback, tmp_path: Path, harm: str
) -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        status = 200 if harm == "nonsense" else 503
        reply(request, b'["no", "record"]', "application/json", status)

    host = "nowhere.example" if harm == "closed" else "harm.test"
    server.add("http://harm.test/x", answer)
    at = f"http://{host}/x?"
    addresses = Addresses(crossref=at, openalex=at, doi=at, arxiv=at, openlibrary=at, pubmed=at)
    for text in ("doi:10.1000/x", "arXiv:2101.01234", "ISBN 9780306406157", "PMID: 1"):
        report = look_up(f"See {text}.", server, tmp_path, addresses)
        cites = report.facts[-1]
        assert (text, cites.verdict) == (text, "not_checked")
        assert "answered" in (cites.reason or "") or "did not answer" in (cites.reason or "")


def test_a_link_into_this_network_is_not_followed(server: WebOnLoopback, tmp_path: Path) -> None:
    report = look_up(f"See {server.searxng}/secret and http://[::1]/.", server, tmp_path)
    assert {fact.verdict for fact in report.facts} == {"not_checked"}
    assert not any("secret" in one for one in server.asked if one.startswith("http"))
