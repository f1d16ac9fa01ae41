"""All rows of the table, seen as plain SQLite: counting them, reading them out, deleting them."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from halubot_cache.disk import RAW, DamagedRowError, from_text
from halubot_cache.request import Key


@dataclass(frozen=True)
class Stats:
    """What a store holds.

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
    columns = "key, raw, mode, filename, typeof(value)"
    for text, raw, mode, filename, kind in connection.execute(f"SELECT {columns} FROM Cache"):  # noqa: S608
        key = Key.read(text) if (raw, mode, filename, kind) == (1, RAW, None, "text") else None
        if key is None:
            damaged += 1
        else:
            namespaces[key.namespace] += 1
            models[key.model] += 1
    return Stats(namespaces.total(), damaged, size, dict(namespaces), dict(models))


def entries(connection: sqlite3.Connection) -> Iterator[tuple[Key, dict[str, object]]]:
    """Every entry that can be read, in the order of their keys."""
    rows = connection.execute(
        "SELECT key, value FROM Cache"
        " WHERE raw = 1 AND mode = ? AND filename IS NULL AND typeof(value) = 'text' ORDER BY key",
        (RAW,),
    )
    for text, value in rows:
        try:
            entry = from_text(value)
        except DamagedRowError:
            continue
        key = Key.read(text)
        if key is not None and entry.get("key") == text:
            yield key, entry


def remove(connection: sqlite3.Connection, chosen: Callable[[Key, float], bool]) -> int:
    """Delete the rows whose key and time of storing (seconds of the epoch) are ``chosen``.

    Rows whose key nobody can read go as well, uncounted: nobody could tell whose they are. What
    is deleted is overwritten, in the database and in its log.
    """
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
    """Write the log into the database and empty it; False where other processes hold it."""
    ((busy, _, _),) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return not busy
