"""ZIM files, written by libzim itself: found, read, cited; and every kind of file that is none."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from halubot.errors import KnowledgeError, MissingExtraError
from halubot.evidence.knowledge.zim import Zim
from halubot.evidence.retrieval import Passage

libzim = pytest.importorskip("libzim")

LOVELACE = """<!DOCTYPE html><html><head><title>Ada Lovelace - a wiki</title></head><body>
<nav>Jump to search</nav><h1>Ada Lovelace</h1>
<p>Ada Lovelace was an English mathematician and writer.</p>
<h2>Early <i>life</i></h2><p>She was born in London on 10 December 1815.</p>
<table><tr><th>Spouse</th><td>William King</td></tr></table>
<h3>Work</h3><p>Her notes on the Analytical Engine hold the first program.</p></body></html>"""
BERLIN = "<html><body><p>Berlin is the capital of Germany and lies on the Spree.</p></body></html>"
FILLERS = {
    f"filler{n}": (
        f"Filler {n}",
        f"<html><body><p>Filler {n} was born as stone{n}.</p></body></html>",
    )
    for n in range(30)
}
PAGES = {
    "A/Ada_Lovelace": ("Ada Lovelace", LOVELACE),
    "A/Berlin (city)": ("Berlin", BERLIN),
    **FILLERS,
}


def written(
    path: Path,
    *,
    pages: Mapping[str, tuple[str, str]] = PAGES,
    indexed: bool = True,
    date: str | None = "2024-05-17",
    others: Iterable[tuple[str, str, bytes]] = (),
) -> Path:
    """A ZIM file with these pages, by path their title and their HTML."""
    from libzim.writer import Creator, Hint, Item, StringProvider

    class Entry(Item):  # type: ignore[misc]
        def __init__(self, path: str, title: str, kind: str, data: bytes) -> None:
            super().__init__()
            self.path, self.title, self.kind, self.data = path, title, kind, data

        def get_path(self) -> str:
            return self.path

        def get_title(self) -> str:
            return self.title

        def get_mimetype(self) -> str:
            return self.kind

        def get_contentprovider(self) -> Any:
            return StringProvider(self.data)

        def get_hints(self) -> dict[Any, Any]:
            return {Hint.FRONT_ARTICLE: True}

    with Creator(path).config_indexing(indexed, "eng") as creator:
        for place, (title, page) in pages.items():
            creator.add_item(Entry(place, title, "text/html", page.encode()))
        for place, kind, data in others:
            creator.add_item(Entry(place, place, kind, data))
        if "A/Ada_Lovelace" in pages:
            to = "A/Ada_Lovelace"
            creator.add_redirection("Byron", "Augusta Byron", to, {Hint.FRONT_ARTICLE: True})
        if date is not None:
            creator.add_metadata("Date", date)
    return path


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("zim") / "small.zim")


@pytest.fixture(scope="module")
def titles_only(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("zim") / "titles.zim", indexed=False)


def found(path: Path, query: str, k: int = 3) -> tuple[Passage, ...]:
    base = Zim(path)
    try:
        return asyncio.run(base.search(query, k))
    finally:
        base.close()


def test_a_passage_says_page_file_section_and_date(file: Path) -> None:
    best = found(file, "When was Ada Lovelace born in London?", 1)[0]
    assert best.text == "She was born in London on 10 December 1815.\n\nSpouse | William King"
    assert best.source.text == best.text
    assert (best.start, best.end) == (0, len(best.text))
    assert best.source.kind == "knowledge"
    assert best.source.id == ""
    assert best.source.title == "Ada Lovelace"
    assert best.source.place == "section Early life"
    assert best.source.date == "2024-05-17"
    assert best.source.location == f"{file}#A/Ada_Lovelace"


@pytest.mark.parametrize(
    "query",
    [
        "Ada Lovelace was born in Zanzibar.",
        "she wrote notes on an analytical engine in paris",
        "Ada Lovelace's notes",
        "Augusta Byron, also Ada Lovelace",
    ],
)
def test_a_query_with_words_of_no_page_finds_the_page_of_the_others(file: Path, query: str) -> None:
    assert found(file, query, 1)[0].source.title == "Ada Lovelace"


def test_without_a_full_text_index_titles_are_searched(titles_only: Path) -> None:
    best = found(titles_only, "When was Ada Lovelace born?", 1)[0]
    assert best.source.location == f"{titles_only}#A/Ada_Lovelace"
    assert found(titles_only, "analytical engine") == ()


def test_the_syntax_of_a_search_is_plain_words(file: Path) -> None:
    for query in ("Berlin AND -capital", 'title:"Berlin" *', "Berlin NOT capital (", "+Berlin~"):
        assert found(file, query, 1)[0].source.title == "Berlin"


def test_what_is_no_page_or_too_large_a_one_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = {"big": ("Big", f"<p>{'big stone ' * 500}</p>"), "small": ("Small", "<p>big stone</p>")}
    others = [("notes", "text/plain", b"big stone"), ("empty", "text/html", b"")]
    path = written(tmp_path / "mixed.zim", pages=pages, others=others)
    monkeypatch.setattr("halubot.evidence.knowledge.zim.LARGEST", 1000)
    assert [passage.source.title for passage in found(path, "big stone notes empty", 9)] == [
        "Small"
    ]


@pytest.mark.parametrize("share", [0.0001, 0.002, 0.01, 0.25, 0.5, 0.75, 0.999])
def test_a_file_cut_off_is_told(file: Path, tmp_path: Path, share: float) -> None:
    data = file.read_bytes()
    cut = tmp_path / "cut.zim"
    cut.write_bytes(data[: max(4, int(len(data) * share))])
    with pytest.raises(KnowledgeError, match=r"cut\.zim is damaged or cut off: fetch it again"):
        Zim(cut)


@pytest.mark.parametrize("data", [b"", b"ZI", b"hello" * 999, b"PK\x03\x04" + b"\0" * 999])
def test_a_file_that_is_no_zim_is_told(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "other.zim"
    path.write_bytes(data)
    with pytest.raises(KnowledgeError, match="is not a ZIM file: fetch one from"):
        Zim(path)


@pytest.mark.parametrize("part", range(16))
def test_a_file_with_a_hole_is_told(file: Path, tmp_path: Path, part: int) -> None:
    """As a download leaves it that fetched only parts: the size is right, one part is
    not the file's own."""
    data = file.read_bytes()
    start, end = len(data) * part // 16, len(data) * (part + 1) // 16
    path = tmp_path / "hole.zim"
    path.write_bytes(data[:start] + b"\xaa" * (end - start) + data[end:])
    with pytest.raises(KnowledgeError, match=r"hole\.zim is (not a ZIM|damaged)"):
        Zim(path)


def test_a_missing_file_and_a_folder_are_told(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match="there is no such file"):
        Zim(tmp_path / "missing.zim")
    folder = tmp_path / "folder.zim"
    folder.mkdir()
    with pytest.raises(KnowledgeError, match="it is a folder"):
        Zim(folder)
    with pytest.raises(KnowledgeError):
        Zim("a\0b.zim")


def test_without_libzim_the_extra_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "libzim.reader", None)
    with pytest.raises(MissingExtraError, match=r"halubot\[zim\]"):
        Zim(file)
