"""A knowledge base of files on this machine: one SQLite file that holds the passages, finds them
by their words, and knows the files that they came from.

Each file that is read is one transaction: a base that is killed at any moment opens as it was after
the last file.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, Final, Self

from halubot.concurrency import aside
from halubot.errors import KnowledgeError, explain
from halubot.evidence.knowledge.bases import Home, homes
from halubot.evidence.retrieval import (
    MOST,
    NEAREST,
    WORDS_TABLE,
    Passage,
    fts_query,
    split_words,
    terms,
)
from halubot.report import Source

FORMAT: Final = 2
"""Grows if older programs cannot read a base any more, or this one older bases."""

PATIENCE_SECONDS: Final = 60.0
"""How long another process that writes to the base is waited for."""

PLACES: Final = 20_000
"""Occurrences of its words that a query is looked up by at most, which bounds the time it takes
however large the base."""

_TABLES: Final = (
    "CREATE TABLE root (path TEXT PRIMARY KEY)",
    """CREATE TABLE file (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        size INTEGER NOT NULL,
        changed INTEGER NOT NULL,
        sha256 TEXT NOT NULL,
        passages INTEGER NOT NULL)""",
    """CREATE TABLE passage (
        id INTEGER PRIMARY KEY,
        file INTEGER NOT NULL,
        text TEXT NOT NULL,
        title TEXT NOT NULL,
        location TEXT NOT NULL,
        place TEXT NOT NULL,
        date TEXT)""",
    "CREATE INDEX passage_file ON passage (file)",
    WORDS_TABLE,
    f"PRAGMA user_version = {FORMAT}",
)
_SEARCH: Final = (
    f"SELECT text, title, location, place, date, score FROM ({NEAREST})"  # noqa: S608 - ours
    " JOIN passage ON passage.id = found ORDER BY score DESC, found"
)
_KNOW: Final = (
    "INSERT INTO file (path, size, changed, sha256, passages) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (path) DO UPDATE SET size = excluded.size, changed = excluded.changed,"
    " sha256 = excluded.sha256, passages = excluded.passages RETURNING id"
)
_PUT: Final = (
    "INSERT INTO passage (file, text, title, location, place, date) VALUES (?, ?, ?, ?, ?, ?)"
)
_REMEDIES: Final = {
    sqlite3.SQLITE_FULL: "cannot be written: the disk is full; make room, and run the same command"
    " again",
    **dict.fromkeys(
        (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN),
        "cannot be used: permission denied; its files must be yours to read and write",
    ),
    **dict.fromkeys(
        (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED),
        "cannot be used: another program writes to it; wait until it is done",
    ),
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage as it is kept."""

    text: str
    title: str
    location: str
    place: str = ""
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """The record of a file that was read: its size in bytes, when it was changed (nanoseconds), its
    SHA-256, and how many passages came of it."""

    path: str
    size: int
    changed: int
    sha256: str
    passages: int


class LocalBase:
    """A `Knowledge` of passages that were read from files: one SQLite file, opened to search in it,
    or with ``write`` to change it too; then it is made if there is none. May be used from any
    thread.

    Every method raises KnowledgeError, with what to do about it, if the file is damaged, of another
    version, or cannot be used; opening one that holds nothing yet to search does too.
    """

    online = False

    def __init__(self, home: Home, *, write: bool = False) -> None:
        self.name = home.name
        self._lock = threading.RLock()
        empty = f"the base {self.name!r} holds nothing yet: halubot knowledge add {self.name} PATH"
        if not write and not home.file.exists():
            raise KnowledgeError(empty)
        with self._explained():
            if write:
                home.folder.mkdir(0o700, parents=True, exist_ok=True)  # it holds what the files say
            # In a folder that is only read, SQLite could not put files of its own beside it.
            mode = "mode=rwc" if write or os.access(home.folder, os.W_OK) else "immutable=1"
            self._table = sqlite3.connect(
                f"{home.file.absolute().as_uri()}?{mode}",
                uri=True,
                timeout=PATIENCE_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
        try:
            if write:
                self._make_tables()
            with self._reading() as table:
                (found,) = table.execute("PRAGMA user_version").fetchone()
            if not found:
                raise KnowledgeError(empty)
            if found != FORMAT:
                raise KnowledgeError(
                    f"the base {self.name!r} was made by another version of halubot; use that, or"
                    f" build it again: halubot knowledge remove {self.name}, then add it"
                )
        except BaseException:
            self._table.close()
            raise

    def _make_tables(self) -> None:
        with self._reading() as table:
            # A search goes on beside a long transaction, and sees what was there before it.
            table.execute("PRAGMA journal_mode = WAL")
            table.execute("PRAGMA synchronous = NORMAL")
        with self.changing() as table:
            made = table.execute("PRAGMA user_version").fetchone()[0]
            for statement in () if made else _TABLES:
                table.execute(statement)

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """The ``k`` passages (at least 1) nearest to a query, nearest first; fewer or none if no
        more share a word with it. Their ``score`` is their BM25."""
        return await aside(lambda: self._search(query, k))

    def _search(self, query: str, k: int) -> tuple[Passage, ...]:
        words = terms(query)
        with self._reading() as table:
            telling = _telling(table, words)
            rows = _nearest(table, telling, k)
            # The rarest words may stand in fewer passages than were asked for.
            if len(rows) < k and len(telling) < len(words):
                rows = _nearest(table, words, k)
        return tuple(_passage(Piece(*row[:-1]), row[-1]) for row in rows)

    def records(self) -> dict[str, Record]:
        """The files that were read, by their paths."""
        query = "SELECT path, size, changed, sha256, passages FROM file ORDER BY path"
        with self._reading() as table:
            return {row[0]: Record(*row) for row in table.execute(query)}

    def roots(self) -> tuple[str, ...]:
        """The paths that it was made from, in the order in which they were named."""
        with self._reading() as table:
            return tuple(row[0] for row in table.execute("SELECT path FROM root ORDER BY rowid"))

    def add_roots(self, paths: Iterable[str]) -> None:
        with self.changing() as table:
            table.executemany("INSERT OR IGNORE INTO root VALUES (?)", zip(paths))

    def put(self, record: Record, pieces: Sequence[Piece] | None = None) -> None:
        """Keep what is known of a file in place of what was known of it, and its passages in place
        of those that it had; without ``pieces`` these stay."""
        with self.changing() as table:
            if pieces is not None:
                _drop(table, record.path)
            (file,) = table.execute(_KNOW, astuple(record)).fetchone()
            for piece in pieces or ():
                number = table.execute(_PUT, (file, *astuple(piece))).lastrowid
                said = split_words(f"{piece.title}\n{piece.text}")
                table.execute("INSERT INTO words (rowid, said) VALUES (?, ?)", (number, said))

    def drop(self, path: str) -> None:
        """Drop all passages of a file, and what is known of it."""
        with self.changing() as table:
            _drop(table, path)

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """The tables, for changes that are made in whole, and on the disk at the end, or not at
        all."""
        with self._reading() as table:
            table.execute("BEGIN IMMEDIATE")
            try:
                yield table
                table.execute("COMMIT")
            finally:
                if table.in_transaction:
                    table.execute("ROLLBACK")

    def close(self) -> None:
        """Let go of the file; may be called more than once."""
        with self._lock:
            self._table.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._explained():
            yield self._table

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what SQLite says into what to do with the base."""
        try:
            yield
        except OSError as error:
            why = explain(error)
            raise KnowledgeError(f"the base {self.name!r} cannot be written: {why}") from error
        except sqlite3.Error as error:
            # Extended codes carry their detail in the higher bits.
            code = int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
            again = f"halubot knowledge remove {self.name}, then halubot knowledge add {self.name}"
            damaged = f"is damaged or cut off; build it again: {again} PATH"
            told = _REMEDIES.get(code, damaged)
            raise KnowledgeError(f"the base {self.name!r} {told}") from error


def _nearest(table: sqlite3.Connection, words: Sequence[str], k: int) -> list[Any]:
    return table.execute(_SEARCH, (fts_query(words), min(k, MOST))).fetchall() if words else []


def _telling(table: sqlite3.Connection, words: Sequence[str]) -> list[str]:
    """The rarest of the words, so many that at most `PLACES` are looked at, and one at least: the
    commonest say least of where to look, and cost most."""
    query = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
    counted = sorted(
        (table.execute(query, (fts_query([word]), PLACES + 1)).fetchone()[0], word)
        for word in words
    )
    sums = accumulate(count for count, _ in counted)
    within = [word for (_, word), so_far in zip(counted, sums, strict=True) if so_far <= PLACES]
    return within or [word for _, word in counted[:1]]


def _drop(table: sqlite3.Connection, path: str) -> None:
    query = "SELECT passage.id, title, text FROM passage JOIN file ON file.id = file WHERE path = ?"
    held = table.execute(query, (path,)).fetchall()
    # Of the words only the index is kept, which has to be told what to take out.
    table.executemany(
        "INSERT INTO words (words, rowid, said) VALUES ('delete', ?, ?)",
        ((number, split_words(f"{title}\n{text}")) for number, title, text in held),
    )
    table.executemany("DELETE FROM passage WHERE id = ?", ((one[0],) for one in held))
    table.execute("DELETE FROM file WHERE path = ?", (path,))


def _passage(piece: Piece, score: float) -> Passage:
    digest = hashlib.sha256(piece.text.encode()).hexdigest()[:16]
    source = Source(id="", kind="knowledge", hash=digest, **asdict(piece))
    return Passage(source, 0, len(piece.text), piece.text, score)


@dataclass(frozen=True, slots=True)
class Holding:
    """The contents of a base: passages, files they came from, bytes on disk, and the paths it was
    made from. ``problem`` says why these are not known of a damaged one."""

    name: str
    folder: str
    passages: int | None
    files: int | None
    bytes: int
    paths: tuple[str, ...] = ()
    problem: str | None = None


def holdings(folder: Path | None = None) -> list[Holding]:
    """Return the contents of each base, sorted by name; ``folder`` is the place at which they lie.
    Raises KnowledgeError if that cannot be read."""
    found = []
    for there in homes(folder):
        held = Holding(there.name, str(there.folder), None, None, there.size())
        try:
            with LocalBase(there) as base:
                records, paths = base.records().values(), base.roots()
            count = sum(record.passages for record in records)
            held = replace(held, passages=count, files=len(records), paths=paths)
        except KnowledgeError as error:
            held = replace(held, problem=str(error))
        found.append(held)
    return found
