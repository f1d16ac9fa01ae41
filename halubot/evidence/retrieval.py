"""Passages of references, and those nearest to a query, ranked by BM25 in memory."""

from __future__ import annotations

import re
import threading
import unicodedata
import weakref
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from halubot.errors import HalubotError
from halubot.report import Source
from halubot.text import Document, Span, read

if TYPE_CHECKING:
    import sqlite3

# A word; a pair of characters where words are not parted by spaces; a long run of anything.
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{1,2}|[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{1,30}"
    r"|[^\w\s]{30}"
)


WORDS: Final = 120
"""Words of a passage at most."""


def passages(document: Document, words: int = WORDS) -> tuple[Span, ...]:
    """The document as windows of whole sentences, each of at most ``words`` words (at least 1),
    in order, disjoint, never blank. A longer sentence is cut between words. No sentences, no
    passages."""
    found: list[Span] = []
    start = end = length = 0
    for sentence in document.sentences:
        for piece_start, piece_end, count in _pieces(document.plain, sentence, words):
            if length and length + count > words:
                found.append((start, end))
                length = 0
            if not length:
                start = piece_start
            end = piece_end
            length += count
    return (*found, (start, end)) if length else tuple(found)


def word_starts(plain: str, span: Span) -> list[int]:
    """Return the beginnings of the words of ``plain`` inside a span, as passages count them: of
    scripts that do not part words, a pair of characters is one."""
    return [match.start() for match in _WORD.finditer(plain, *span)]


def _pieces(plain: str, sentence: Span, words: int) -> Iterator[tuple[int, int, int]]:
    """A sentence in pieces of at most ``words`` words, with their number of words."""
    starts = word_starts(plain, sentence)
    if len(starts) <= words:
        yield *sentence, max(1, len(starts))
        return
    cuts = [sentence[0], *starts[words::words], sentence[1]]
    for number, (start, end) in enumerate(pairwise(cuts)):
        length = len(plain[start:end].rstrip())
        yield start, start + max(1, length), min(words, len(starts) - number * words)


TERMS: Final = 256
"""Different words of a query that count: its first ones."""


_UNPARTED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)


_ACCENTS: Final = re.compile("[\u0300-\u036f]+")


def split_words(text: str, *, single: bool = True) -> str:
    """The text in one form of each word, and with the pairs of characters of scripts that do not
    part words; with ``single`` every such character too, so that one alone is found."""
    if text.isascii():
        return text.lower()

    def pairs(found: re.Match[str]) -> str:
        run = found[0]
        terms = [run[at : at + 2] for at in range(max(1, len(run) - 1))]
        return f" {' '.join([*terms, *run] if single else terms)} "

    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    # What is left of compatibility forms may have a case of its own.
    return _UNPARTED.sub(pairs, unicodedata.normalize("NFC", bare).casefold())


def terms(query: str) -> list[str]:
    """The words of a query that count, each once: letters, digits and marks only, so that nothing
    in them is taken for the syntax of a search."""
    kept = (letter if unicodedata.category(letter)[0] in "LNM" else " " for letter in query)
    words = split_words("".join(kept), single=False).split()
    return list(dict.fromkeys(words))[:TERMS]


WORDS_TABLE: Final = (
    "CREATE VIRTUAL TABLE words USING fts5(said, content='',"
    " tokenize=\"porter unicode61 remove_diacritics 2 categories 'L* N* M*'\")"
)
"""The SQL of a table of the words of passages. Contentless: the passages stand elsewhere, under the
same number."""

NEAREST: Final = (
    "SELECT rowid AS found, -rank AS score FROM words WHERE words MATCH ?"
    " ORDER BY rank, rowid LIMIT ?"
)
"""The SQL of a search in it: numbers and BM25 of the nearest, for a `fts_query` and how many."""

MOST: Final = 1_000_000
"""The most passages of a search; SQLite refuses numbers beyond its own."""


def fts_query(words: Sequence[str]) -> str:
    """A query for any of these `terms`, as FTS5 reads it; "" for none."""
    # In quotation marks, so that AND, OR and NOT are words like any others.
    return " OR ".join(f'"{word}"' for word in words)


class Passage(NamedTuple):
    """A piece of a source: ``text`` is ``source.text[start:end]``. ``score`` is its BM25, above 0,
    the larger the nearer; it means something only beside others of the same query."""

    source: Source
    start: int
    end: int
    text: str
    score: float


class Index:
    """The passages of some sources, of at most ``words`` words each, found by their words. Without
    ``words`` each source is one passage, which is taken as it stands, without looking for markup.

    Building reads all of them, some seconds for 10 MB: do it off the loop. ``search`` may be called
    from any thread. A source without text has no passages. Raises
    HalubotError if this Python's SQLite has no FTS5.
    """

    def __init__(self, sources: Sequence[Source], words: int | None = WORDS) -> None:
        self._places: list[tuple[Source, int, int]] = []
        self._lock = threading.Lock()
        self._table = _table()
        # From Python 3.13 on a connection that is dropped without being closed warns.
        weakref.finalize(self, self._table.close)
        with self._table:
            self._table.executemany(
                "INSERT INTO words(rowid, said) VALUES (?, ?)", self._rows(sources, words)
            )

    def __len__(self) -> int:
        return len(self._places)

    def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """The ``k`` passages nearest to the query (at least 1), nearest first; among equals in the
        order of the sources. Any text will do as a query. Fewer than ``k``, or none, if no more
        passages share a word with it."""
        wanted = fts_query(terms(query))
        if not wanted:
            return ()
        with self._lock:
            rows = self._table.execute(NEAREST, (wanted, min(k, MOST))).fetchall()
        found = ((*self._places[row], score) for row, score in rows)
        return tuple(
            Passage(source, start, end, (source.text or "")[start:end], score)
            for source, start, end, score in found
        )

    def _rows(self, sources: Sequence[Source], words: int | None) -> Iterator[tuple[int, str]]:
        for source in sources:
            plain = text = source.text or ""
            spans: Sequence[Span] = [(0, len(text))] if text.strip() else []
            if words is not None:
                document = read(text)
                plain, spans = document.plain, passages(document, words)
            for start, end in spans:
                yield len(self._places), split_words(plain[start:end])
                self._places.append((source, start, end))


def _table() -> sqlite3.Connection:
    lacks, owner = "sqlite3", "Python"
    try:
        import sqlite3

        lacks, owner = "FTS5", f"SQLite {sqlite3.sqlite_version}"
        # Made on one thread and searched on others, one at a time (`Index.search` holds a lock).
        table = sqlite3.connect(":memory:", check_same_thread=False)
        table.execute(WORDS_TABLE)
    except Exception as error:
        raise HalubotError(
            f"passages cannot be searched: this {owner} was built without {lacks}; use a Python"
            " whose sqlite3 has FTS5, as those of python.org and uv do"
        ) from error
    return table
