"""Who asks a model for what: a completion that a process is about to pay for is its own to ask."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from hashlib import sha256
from pathlib import Path

FOLDER = "leases"

_held: dict[Path, int] = {}
_guard = threading.Lock()


class Lease:
    """The right to ask for one completion; `release` ends it, and so does the process, however it
    ends. Within a process it can be had again and again: runs there share their calls."""

    def __init__(self, path: Path | None, connection: sqlite3.Connection | None) -> None:
        """A lease of the file at ``path``; one without a file holds nothing off."""
        self._path = path
        self._connection = connection

    def release(self) -> None:
        """Give it back; a second time does nothing."""
        path, self._path = self._path, None
        if path is None:
            return
        with _guard:
            _held[path] -= 1
            if not _held[path]:
                del _held[path]
        if self._connection is not None:
            with contextlib.suppress(OSError):
                path.unlink()  # before the lock goes: whoever has it then sees that it is no more
            self._connection.close()


def take_lease(folder: Path, key: str) -> Lease | None:
    """Take the lease for a key in the store of that folder; None while another process has it.

    It is SQLite's own lock on an empty file, which every platform has and a killed process gives
    up. A disk that does not let it work holds nobody off.
    """
    path = folder / FOLDER / sha256(key.encode()).hexdigest()
    with _guard:
        if path in _held:
            _held[path] += 1
            return Lease(path, None)
        try:
            connection = _lock(path)
        except OSError:
            return Lease(None, None)
        if connection is None:
            return None
        _held[path] = 1
        return Lease(path, connection)


def _lock(path: Path) -> sqlite3.Connection | None:
    """The lock on a file; None if another process has it. Raises OSError."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    while True:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        connection: sqlite3.Connection | None = None
        try:
            before = path.stat().st_ino
            connection = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=rw",
                uri=True,
                timeout=0,
                isolation_level=None,
                check_same_thread=False,
            )
            connection.execute("BEGIN EXCLUSIVE")
            if path.stat().st_ino == before:
                return connection
        except FileNotFoundError:
            pass  # whoever had it gave it back just now
        except sqlite3.Error as error:
            if connection is not None:
                connection.close()
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
                return None
            if path.exists():
                raise OSError(str(error)) from error
            continue
        if connection is not None:
            connection.close()
