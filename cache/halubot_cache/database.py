"""Opening the database: its version, its settings, what is wrong with it."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import weakref
from collections.abc import Iterator
from pathlib import Path

from diskcache import Cache, Timeout

from halubot_cache import folder as folders
from halubot_cache.disk import TextDisk, entries
from halubot_cache.errors import StoreError

VERSION = 1
TIMEOUT = 30.0  # seconds to wait for other processes that write

# Nothing is evicted or expires; what is deleted is overwritten; a file that another process
# cuts short must not end this one, as it would through a memory map.
SETTINGS: dict[str, str | int] = {
    "statistics": 0,
    "tag_index": 0,
    "eviction_policy": "none",
    "size_limit": 2**62,
    "cull_limit": 0,
    "sqlite_auto_vacuum": 1,
    "sqlite_cache_size": 2**13,
    "sqlite_journal_mode": "wal",
    "sqlite_mmap_size": 0,
    "sqlite_secure_delete": 1,
    "sqlite_synchronous": 1,
    "sqlite_trusted_schema": 0,
    "sqlite_user_version": VERSION,
    "disk_min_file_size": 0,
    "disk_pickle_protocol": 0,
}
# SQLite's error codes for a file that is broken, and for trouble that leaves it whole.
_DAMAGE = frozenset(
    {
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_ERROR,
        sqlite3.SQLITE_CONSTRAINT,
        sqlite3.SQLITE_SCHEMA,
    }
)


class Table(Cache):
    """diskcache's table, which gives each thread a connection: closed when that thread ends, or
    the table goes."""

    @property
    def _con(self) -> sqlite3.Connection:
        own = self._local
        if getattr(own, "pid", None) != os.getpid():  # a fork has no part in its parent's
            self.close()
            own.pid = os.getpid()
        connection: sqlite3.Connection | None = getattr(own, "con", None)
        if connection is None:
            connection = own.con = sqlite3.connect(
                Path(self.directory, folders.DATABASE),
                timeout=self.timeout,
                isolation_level=None,
                check_same_thread=False,  # where the table goes first, another thread closes it
            )
            own.ending = _Ending()
            weakref.finalize(own.ending, connection.close)
            for name, value in SETTINGS.items():
                if name.startswith("sqlite_"):
                    self.reset(name, value, update=False)
        return connection


class _Ending:
    """Goes with the thread in whose local state it lies, or with the table."""


def open_table(folder: Path) -> tuple[Cache, str | None]:
    """The store's table in a folder that `folders.prepare` approved, made if there is none.

    A damaged database is moved aside and a fresh one begun, with what to say of that. Raises
    `StoreError` for a newer store and another program's database, and whatever SQLite and the
    operating system raise if the disk does not let it work.
    """
    with folders.lock_folder(folder):
        try:
            return _open(folder), None
        except sqlite3.Error as error:
            if not is_damage(error):
                raise
        said = move_aside(folder)
        return _open(folder), said


def move_aside(folder: Path) -> str:
    """Move the damaged database aside, begin a fresh one with what SQLite can read of it; what
    to say about it. OSError if it cannot be moved."""
    aside = folders.set_aside(folder)
    saved = 0
    # The fresh one works without what cannot be saved, as on a disk that is full.
    with contextlib.suppress(sqlite3.Error, Timeout, OSError):
        saved = _save(aside, folder)
    return (
        f"its database was damaged and is now in {aside.name}; a fresh one was begun, with the"
        f" {saved} answers that could be read (.recover of the program sqlite3 may read more)"
    )


def _save(aside: Path, folder: Path) -> int:
    """Copy what can be read of a damaged database into a fresh one; how many entries."""
    found: dict[str, dict[str, object]] = {}
    with connect(aside) as connection:
        # From both ends: SQLite stops at the first page that it cannot read.
        for order in ("ASC", "DESC"):
            with contextlib.suppress(sqlite3.Error):
                for key, entry in entries(connection, f"rowid {order}"):
                    found[key.text] = entry
    with contextlib.closing(_open(folder)) as cache, cache.transact():
        return sum(cache.add(key, entry) for key, entry in found.items())


def examine(folder: Path) -> str | None:
    """Say what is wrong with the database in a folder, None if nothing is; it is only read.

    Reads all of it. Raises sqlite3.Error if it cannot be opened.
    """
    if not (folder / folders.DATABASE).exists():
        return None
    try:
        with connect(folder) as connection:
            connection.execute("PRAGMA query_only = ON")
            _check(folder, connection)
            found = [line for (line,) in connection.execute("PRAGMA integrity_check(1)")]
            rows = sum(1 for _ in entries(connection))
            ((whole,),) = connection.execute("SELECT count(*) FROM Cache").fetchall()
    except StoreError as error:
        return str(error)
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        return "its database is damaged"
    if found != ["ok"]:
        return "its database is damaged"
    return f"{whole - rows} of {whole} answers in it are damaged" if rows < whole else None


def is_damage(error: BaseException) -> bool:
    """Return True if an error says that the file is broken, rather than full, locked or out of
    reach."""
    codes: set[int] = set()
    link: BaseException | None = error
    while link is not None:
        if (code := getattr(link, "sqlite_errorcode", None)) is not None:
            codes.add(code & 0xFF)
        # A failed write ends its transaction, and undoing it fails then: the first error counts.
        link = link.__context__
    return bool(codes) and codes <= _DAMAGE


@contextlib.contextmanager
def connect(folder: Path) -> Iterator[sqlite3.Connection]:
    """The database as plain SQLite, to look at all rows, whatever they claim to be."""
    address = f"{(folder / folders.DATABASE).absolute().as_uri()}?mode=rw"
    with contextlib.closing(
        sqlite3.connect(address, uri=True, timeout=TIMEOUT, isolation_level=None)
    ) as connection:
        connection.text_factory = lambda raw: raw.decode(errors="replace")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA secure_delete = ON")
        yield connection


def _open(folder: Path) -> Cache:
    folders.private_file(folder / folders.DATABASE)
    with connect(folder) as connection:
        _check(folder, connection)
        # With this connection still open, diskcache's own closing and opening again is cheap.
        return Table(str(folder), timeout=TIMEOUT, disk=TextDisk, **SETTINGS)


def _check(folder: Path, connection: sqlite3.Connection) -> None:
    """Look at the version before diskcache works with the tables."""
    ((version,),) = connection.execute("PRAGMA user_version").fetchall()
    if version > VERSION:
        raise StoreError(
            f"the store in {folder} was written by a newer halubot (format {version}, known up to"
            f" {VERSION}): update halubot, or choose another folder"
        )
    # diskcache sets the version before it makes the first table.
    if version != VERSION and connection.execute("SELECT 1 FROM sqlite_master").fetchall():
        raise StoreError(f"the database in {folder} is not halubot's: choose another folder")
