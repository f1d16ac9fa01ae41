"""The table of diskcache: keys and values as text, and all its rows as plain SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn

from diskcache import Disk

from halubot_cache.errors import UnstorableError
from halubot_cache.request import Key, Request

RAW = 1  # diskcache's mode of values that lie in the row as they are


class DamagedRowError(Exception):
    """A row that the store did not write."""


class TextDisk(Disk):
    """Text keys, JSON objects as text in the row; no pickle and no file."""

    def put(self, key: object) -> tuple[object, bool]:
        """A key for the table; TypeError if it is not text."""
        if not isinstance(key, str):
            raise TypeError(f"a key is text, not {type(key).__name__}")
        return key, True

    def get(self, key: object, raw: bool) -> object:
        """A key from the table; `DamagedRowError` if it is not plain text."""
        if raw != 1 or not isinstance(key, str):
            raise DamagedRowError
        return key

    def store(
        self, value: object, read: bool, key: object = None
    ) -> tuple[int, int, str | None, object]:
        """A JSON object for the table: (size in bytes, mode, no file, text)."""
        if read or not isinstance(value, dict):
            raise TypeError("a value is a JSON object")
        text = as_text(value)
        return len(text.encode()), RAW, None, text

    def fetch(self, mode: int, filename: str | None, value: object, read: bool) -> object:
        """The JSON object of a row; `DamagedRowError` if the row says it is anything else."""
        if read or mode != RAW or filename is not None:
            raise DamagedRowError
        return from_text(value)

    def filename(self, key: object = None, value: object = None) -> NoReturn:
        """No value has a file."""
        raise TypeError("values lie in their rows, not in files")

    def remove(self, file_path: str) -> None:
        """Nothing: a file that a row names is none of ours, wherever it lies."""


def as_text(value: dict[str, object]) -> str:
    """A JSON object on one line, readable if it can be; ValueError or TypeError if it is none.

    Infinities, which some servers give as log-probabilities, are written as Python does.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair can only be spelled out
        return json.dumps(value, separators=(",", ":"))
    return text


def from_text(text: object) -> dict[str, object]:
    """The object that `as_text` wrote; `DamagedRowError` for anything else."""
    if not isinstance(text, str):
        raise DamagedRowError
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedRowError from error
    if not isinstance(value, dict):
        raise DamagedRowError
    return value


@dataclass(frozen=True)
class Stats:
    """The contents of a store in numbers.

    completions  how many can be read
    damaged      rows that cannot
    bytes        the size of the database on disk
    namespaces   completions by namespace
    models       completions by model
    """

    completions: int
    damaged: int
    bytes: int
    namespaces: Mapping[str, int]
    models: Mapping[str, int]


def stats(connection: sqlite3.Connection, size: int) -> Stats:
    """Count the rows of a database of ``size`` bytes; their values are not parsed."""
    damaged = 0
    namespaces: Counter[str] = Counter()
    models: Counter[str] = Counter()
    # Without the values: they may be gigabytes, and the numbers are in the keys.
    columns = "key, raw, mode, filename, typeof(value)"
    for text, raw, mode, filename, kind in connection.execute(f"SELECT {columns} FROM Cache"):  # noqa: S608
        key = Key.read(text) if (raw, mode, filename, kind) == (1, RAW, None, "text") else None
        if key is None:
            damaged += 1
        else:
            namespaces[key.namespace] += 1
            models[key.model] += 1
    return Stats(namespaces.total(), damaged, size, dict(namespaces), dict(models))


def entries(
    connection: sqlite3.Connection, order: str = "key"
) -> Iterator[tuple[Key, dict[str, object]]]:
    """Every entry that can be read, by their keys or in another ``order``; its request names its
    key, so a request with a wrong byte has another one."""
    rows = connection.execute(
        "SELECT key, value FROM Cache"  # noqa: S608 - the order is one of our own
        " WHERE raw = 1 AND mode = ? AND filename IS NULL AND typeof(value) = 'text'"
        f" ORDER BY {order}",
        (RAW,),
    )
    for text, value in rows:
        key = Key.read(text)
        try:
            match from_text(value):
                case {"key": named, "request": dict(request), "completion": dict()} as entry:
                    asked = Request.from_record(request)
                case _:
                    continue
        except (DamagedRowError, UnstorableError):
            continue
        if key is not None and (named, asked.digest) == (text, key.digest):
            yield key, entry


def remove(connection: sqlite3.Connection, chosen: Callable[[Key, float], bool]) -> int:
    """Delete the rows whose key and time of storing (seconds of the epoch) are ``chosen``.

    Rows whose key nobody can read go as well, uncounted: nobody could tell whose they are. What
    is deleted is overwritten, in the database and in its log.
    """
    # The lock for writing first: rows that come between choosing and deleting would be missed.
    connection.execute("BEGIN IMMEDIATE")
    try:
        doomed = []
        count = 0
        for rowid, text, raw, stored in connection.execute(
            "SELECT rowid, key, raw, store_time FROM Cache"
        ):
            key = Key.read(text) if raw == 1 and isinstance(stored, float) else None
            if key is None or chosen(key, stored):
                doomed.append((rowid,))
                count += key is not None
        connection.executemany("DELETE FROM Cache WHERE rowid = ?", doomed)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return count


def empty_log(connection: sqlite3.Connection) -> bool:
    """Write the log into the database and empty it; False if other processes hold it."""
    ((busy, _, _),) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return not busy
