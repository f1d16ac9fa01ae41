"""Wikipedia online, against a Wikipedia on this machine that enforces Wikimedia's manners."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from halubot.errors import KnowledgeError, SettingError
from halubot.evidence.knowledge.wikipedia import Wikipedia
from halubot.evidence.retrieval import Passage
from halubot.offline import network_refused
from tests.hostile import hostile, redirect
from tests.wikipedia import PATIENCE, Fault, Page, Wiki, wikipedia

CURIE = Page(
    "Marie Curie",
    "Marie Curie was a physicist and chemist who worked on radioactivity.\n"
    "She was the first woman to win a Nobel Prize.\n\n\n"
    "== Early life ==\nMaria Skłodowska was born in Warsaw on 7 November 1867.\n\n"
    "=== Studies ===\nIn Paris she studied physics at the Sorbonne.",
    revision=4711,
    timestamp="2026-03-04T05:06:07Z",
)
WARSAW = Page("Warsaw", "Warsaw is the capital of Poland. It lies on the Vistula.", revision=12)
FILLER = Page("Stone", "A stone is a piece of rock.", revision=13)
MEANINGS = Page("Curie", "Curie may refer to Marie Curie, or a unit.", disambiguation=True)
DELETED = Page("Marie Curie Street", "Marie Curie Street was in Warsaw.", revision=None)


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    with wikipedia(CURIE, WARSAW, FILLER) as server:
        yield server


class Opened:
    """Bases on one server with one folder, closed at the end."""

    def __init__(self, wiki: Wiki, folder: Path) -> None:
        self.wiki = wiki
        self.folder = folder
        self.bases: list[Wikipedia] = []

    def __call__(self, **more: Any) -> Wikipedia:
        settings: dict[str, Any] = {
            "api": self.wiki.api,
            "folder": self.folder,
            "pause": 0.0,
        } | more
        self.bases.append(Wikipedia(**settings))
        return self.bases[-1]


@pytest.fixture
def base(wiki: Wiki, tmp_path: Path) -> Iterator[Opened]:
    opened = Opened(wiki, tmp_path / "answers")
    yield opened
    for one in opened.bases:
        one.close()


def found(base: Wikipedia, query: str, k: int = 3) -> tuple[Passage, ...]:
    return asyncio.run(base.search(query, k))


def failure(base: Wikipedia, query: str = "Marie Curie") -> str:
    with pytest.raises(KnowledgeError) as caught:
        found(base, query)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_passage_says_article_revision_section_and_date(base: Opened, wiki: Wiki) -> None:
    best = found(base(), "Where was Marie Curie born?", 1)[0]
    assert best.text == "Maria Skłodowska was born in Warsaw on 7 November 1867."
    assert best.source.text == best.text
    assert (best.start, best.end) == (0, len(best.text))
    assert best.source.kind == "knowledge"
    assert best.source.id == ""
    assert best.source.title == "Marie Curie"
    assert best.source.place == "section Early life"
    assert best.source.date == "2026-03-04T05:06:07Z"
    expected = wiki.api.removesuffix("api.php") + "index.php?title=Marie_Curie&oldid=4711"
    assert best.source.location == expected


def test_a_statement_with_a_wrong_word_still_finds_the_article(base: Opened, wiki: Wiki) -> None:
    passages = found(base(), "Marie Curie was born in Zanzibar on 7 November 1867.", 1)
    assert [passage.source.title for passage in passages] == ["Marie Curie"]
    assert wiki.searches == [
        "Marie Curie born Zanzibar 7 November 1867",
        '"Marie Curie" OR born OR Zanzibar OR 7 OR November OR 1867',
    ]


def test_the_syntax_of_the_search_is_never_spoken_by_a_query(base: Opened, wiki: Wiki) -> None:
    found(base(), 'Curie -Warsaw insource:/a*/ "Marie ~User: AND OR NOT (x) hastemplate:y!')
    for search in wiki.searches:
        rest = search.replace(" OR ", " ").replace('"', "")
        assert not set(rest) & set("-:/*~()!\"'")
        assert not {"AND", "OR", "NOT"} & set(rest.split())


def test_pages_that_tell_meanings_apart_and_deleted_ones_are_left_out(tmp_path: Path) -> None:
    with wikipedia(MEANINGS, DELETED, CURIE, Page("Blank Curie Marie", " ")) as wiki:
        base = Wikipedia(api=wiki.api, folder=tmp_path, articles=4)
        titles = {passage.source.title for passage in found(base, "Marie Curie", 9)}
        base.close()
    assert titles == {"Marie Curie"}


class TestManners:
    def test_contact_and_version_are_said(
        self, base: Opened, wiki: Wiki, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        found(base(contact="me@example.org"), "Curie")
        assert set(wiki.agents) == {
            f"halubot/0.1.0 (me@example.org) python-httpx/{httpx.__version__}"
        }
        wiki.agents.clear()
        monkeypatch.setenv("HALUBOT_WIKIPEDIA_CONTACT", "https://example.org/bot")
        found(base(), "Vistula")
        assert wiki.agents[0].startswith("halubot/0.1.0 (https://example.org/bot) ")

    def test_requests_of_searches_at_once_go_out_one_by_one(self, base: Opened, wiki: Wiki) -> None:
        first, second = base(), base(folder=base.folder.with_name("other"))

        async def at_once() -> None:
            queries = ["Marie Curie", "Warsaw", "Vistula", "Sorbonne", "stone"]
            await asyncio.gather(
                *(one.search(query, 2) for one in (first, second) for query in queries)
            )

        asyncio.run(at_once())
        assert len(wiki.asked) > 10
        assert wiki.refused == []


class TestKept:
    def test_the_same_search_asks_nothing_in_another_process_either(
        self, base: Opened, wiki: Wiki
    ) -> None:
        first = found(base(), "Where was Marie Curie born?")
        asked = len(wiki.asked)
        again = base()
        assert found(again, "Where was Marie Curie born?") == first
        assert len(wiki.asked) == asked

    def test_an_old_answer_is_asked_for_again(self, base: Opened, wiki: Wiki) -> None:
        wikipedia = base(kept=timedelta(0))
        found(wikipedia, "Vistula", 1)
        wiki.pages[2] = Page("Warsaw", "Warsaw grew along the Vistula.", revision=99)
        best = found(wikipedia, "Vistula", 1)[0]
        assert best.text == "Warsaw grew along the Vistula."
        assert best.source.location.endswith("oldid=99")


class TestTrouble:
    @pytest.mark.parametrize(
        "fault",
        [
            Fault(429, headers={"Retry-After": "0"}),
            Fault(503),
            Fault(
                body=b'{"error": {"code": "maxlag", "info": "Waiting for db1: 7 seconds lagged"}}',
                headers={"Retry-After": "0"},
            ),
            Fault(body=b'{"error": {"code": "cirrussearch-too-busy-error", "info": "busy"}}'),
        ],
        ids=["429", "503", "maxlag", "busy"],
    )
    def test_a_passing_one_is_got_over(self, base: Opened, wiki: Wiki, fault: Fault) -> None:
        wiki.faults = [fault, fault]
        assert found(base(), "Vistula", 1)[0].source.title == "Warsaw"

    @pytest.mark.parametrize(
        ("fault", "attempts", "words"),
        [
            (Fault(429), 3, "is busy (status 429): try again later"),
            (Fault(503), 3, "is busy (status 503)"),
            (Fault(403), 1, "HALUBOT_WIKIPEDIA_CONTACT"),
            (Fault(404), 1, "status 404"),
            (Fault(302, headers={"Location": "https://example.org/"}), 1, "cannot be reached"),
            (Fault(body=b"<html>log in to the network</html>"), 1, "not JSON"),
            (Fault(body=b"[" * 100_000), 1, "too many parts"),
            (Fault(body=b"[]"), 1, "is no answer"),
            (Fault(body=b'{"query": []}'), 1, "is no answer"),
            (Fault(429, headers={"Retry-After": "600"}), 1, "is busy"),
            (Fault(429, headers={"Retry-After": "soon"}), 3, "is busy"),
            (Fault(body=b"\xff\xfe\x00\x00\xff"), 1, "not JSON"),
        ],
    )
    def test_one_that_lasts_is_told_with_a_remedy_after_few_attempts(
        self, base: Opened, wiki: Wiki, fault: Fault, attempts: int, words: str
    ) -> None:
        wiki.faults = [fault] * 9
        assert words in failure(base())
        assert len(wiki.asked) == attempts

    def test_nobody_there(self, tmp_path: Path) -> None:
        with wikipedia() as wiki:
            api = wiki.api
        base = Wikipedia(api=api, folder=tmp_path, pause=0.0)
        assert "127.0.0.1 cannot be reached" in failure(base)
        base.close()

    def test_a_server_that_never_answers(self, base: Opened, wiki: Wiki) -> None:
        wiki.faults = [Fault(hang=True)]
        wikipedia = base(timeout=0.05, pause=60.0)  # no second attempt: the pause is too long
        assert "did not answer within 0.05 s" in failure(wikipedia)

    def test_a_redirect_is_not_followed(self, tmp_path: Path, wiki: Wiki) -> None:
        with hostile(redirect(wiki.api)) as server:
            base = Wikipedia(api=server.root, folder=tmp_path)
            assert "cannot be reached" in failure(base)
            base.close()
        assert not wiki.asked

    def test_a_search_that_is_cancelled_sends_no_more_requests(
        self, base: Opened, wiki: Wiki
    ) -> None:
        gate = threading.Event()
        wiki.faults = [Fault(gate=gate, body=b'{"query": {"search": [{"pageid": 1}]}}')]
        wikipedia = base()

        async def cancelled() -> None:
            search = asyncio.create_task(wikipedia.search("Marie Curie", 2))
            arrived = asyncio.to_thread(wiki.arrived.acquire, timeout=PATIENCE)
            assert await arrived
            search.cancel()
            with pytest.raises(asyncio.CancelledError):
                await search

        asyncio.run(cancelled())
        gate.set()
        assert len(wiki.asked) == 1

    def test_with_the_network_refused_it_says_what_to_do(self, tmp_path: Path) -> None:
        base = Wikipedia(folder=tmp_path)
        with network_refused(), pytest.raises(KnowledgeError, match="with --offline"):
            found(base, "Vistula")
        base.close()


@pytest.mark.parametrize("language", ["", "EN", "en.evil.org/", "e", "../x", "english", "en "])
def test_what_is_no_language_is_refused(language: str) -> None:
    with pytest.raises(SettingError, match="wikipedia:de"):
        Wikipedia(language)
