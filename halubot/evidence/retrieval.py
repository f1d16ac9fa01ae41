"""The passages of references that are nearest to a query, ranked by BM25 in memory.

The ranking is that of SQLite's FTS5. Words count without case and accents, English ones by their
stem. Scripts that do not part their words, such as Chinese and Thai, are searched by pairs of
characters.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from halubot.errors import HalubotError
from halubot.evidence.passages import passages
from halubot.evidence.wordforms import split_words, terms
from halubot.report import Source
from halubot.text import Span, read

if TYPE_CHECKING:
    import sqlite3

# Contentless: only the words are kept, for the passages stand in their sources.
_TABLE: Final = (
    "CREATE VIRTUAL TABLE passages USING fts5(words, content='',"
    " tokenize=\"porter unicode61 remove_diacritics 2 categories 'L* N* M*'\")"
)
_NEAREST: Final = (
    "SELECT rowid, -rank FROM passages WHERE passages MATCH ? ORDER BY rank, rowid LIMIT ?"
)


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
    from any thread. A source without text has no passages. Raises ValueError where ``words`` is
    below 1, HalubotError where this Python's SQLite has no FTS5.
    """

    def __init__(self, sources: Sequence[Source], words: int | None = 120) -> None:
        self._places: list[tuple[Source, int, int]] = []
        self._lock = threading.Lock()
        self._table = _table()
        weakref.finalize(self, self._table.close)
        with self._table:
            self._table.executemany(
                "INSERT INTO passages(rowid, words) VALUES (?, ?)", self._rows(sources, words)
            )

    def __len__(self) -> int:
        """How many passages there are."""
        return len(self._places)

    def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """The ``k`` passages nearest to the query (at least 1), nearest first; among equals in the
        order of the sources. Any text will do as a query. Fewer than ``k``, or none, where no more
        passages share a word with it. Raises ValueError where ``k`` is below 1."""
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        wanted = " OR ".join(f'"{term}"' for term in terms(query))
        if not wanted or not self._places:
            return ()
        with self._lock:
            rows = self._table.execute(_NEAREST, (wanted, min(k, len(self)))).fetchall()
        return tuple(self._passage(row, score) for row, score in rows)

    def _rows(self, sources: Sequence[Source], words: int | None) -> Iterator[tuple[int, str]]:
        for source in sources:
            plain, spans = _cut_text(source.text or "", words)
            for start, end in spans:
                yield len(self._places), split_words(plain[start:end])
                self._places.append((source, start, end))

    def _passage(self, row: int, score: float) -> Passage:
        source, start, end = self._places[row]
        return Passage(source, start, end, (source.text or "")[start:end], score)


def _cut_text(text: str, words: int | None) -> tuple[str, Sequence[Span]]:
    """What is searched of a text, in which every place stands as in the text, and its passages."""
    if words is None:
        return text, [(0, len(text))] if text.strip() else []
    document = read(text)
    return document.plain, passages(document, words)


def _table() -> sqlite3.Connection:
    """A new table in memory."""
    try:
        import sqlite3
    except ImportError as error:
        raise _lacking("Python", "sqlite3") from error
    table = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        table.execute(_TABLE)
    except sqlite3.Error as error:
        table.close()
        raise _lacking(f"SQLite {sqlite3.sqlite_version}", "FTS5") from error
    return table


def _lacking(owner: str, part: str) -> HalubotError:
    return HalubotError(
        f"passages cannot be searched: this {owner} was built without {part}; use a Python whose"
        " sqlite3 has FTS5, as those of python.org and uv do"
    )
