"""The folder of a store: private to its owner, opened by one process at a time; and the leases of
those that are about to pay for a completion."""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import shutil
import sqlite3
import stat
import sys
import threading
import uuid
from collections.abc import Iterator
from hashlib import sha256
from io import FileIO
from pathlib import Path

from halubot_cache.errors import FolderError, Problem

DATABASE = "cache.db"  # diskcache's name for it
LOCK = "halubot.lock"
LOCK_SECONDS = 30.0
_COMPANIONS = ("", "-wal", "-shm", "-journal")
_ASIDE = "damaged-"
_LEASES = "halubot.leases"
_TAKEN = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}

_held: dict[tuple[FileIO, int], int] = {}
_lease_files: dict[str, FileIO] = {}
_guard = threading.Lock()


@atexit.register
def _close_lease_files() -> None:
    for file in _lease_files.values():
        file.close()


def prepare(folder: Path) -> Problem | None:
    """Make ``folder``, open to its owner alone (0700); a `Problem` if others had access.

    Raises `FolderError` if it belongs to another user, if it holds files and no store, or
    if diskcache would read its name as another's; OSError if it cannot be made.
    """
    path = str(folder)
    # diskcache expands variables in the name of its folder, and would write somewhere else.
    if os.path.expandvars(path) != path:
        raise FolderError(f"the store cannot lie in {path}: a $ in its name names a variable")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        raise FolderError(
            f"the folder {folder} belongs to another user (id {found.st_uid}): "
            "choose a folder of your own for the store"
        )
    with os.scandir(folder) as entries:
        names = {entry.name for entry in entries}
    # A folder with other things, such as a home folder named by mistake, would be closed to others
    # and cleared with the store.
    if names and LOCK not in names:
        raise FolderError(f"the folder {folder} holds other things: give the store one of its own")
    if os.name == "nt":
        return None
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o077:
        folder.chmod(mode & 0o700)
        return Problem(
            f"the store in {folder}", f"others had access to it (mode {mode:o}), no more"
        )
    return None


@contextlib.contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold the folder against other processes and threads that open or repair its store.

    It is SQLite's own lock on an empty file, which every platform has and a killed process
    gives up. Raises sqlite3.OperationalError if it cannot be had within `LOCK_SECONDS`.
    """
    path = folder / LOCK
    # A link or a file with content was put there by somebody else, and SQLite would open it.
    if _strange(path):
        path.unlink()
    private_file(path)
    with contextlib.closing(
        sqlite3.connect(path, timeout=LOCK_SECONDS, isolation_level=None)
    ) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield


def private_file(path: Path) -> None:
    """Make ``path`` an empty file if there is none; either way only its owner may read it.

    An existing file is never opened: closing it would drop the locks that SQLite holds on it.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        if os.name != "nt" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            path.chmod(0o600)


def sound(folder: Path) -> bool:
    """Return True if what is called like the database and its companions are plain files, or
    missing."""
    return all(stat.S_ISREG(found.st_mode) for found in _find_files(folder))


def identity(folder: Path) -> tuple[int, int] | None:
    """Return a mark that a file put in this one's place does not have; None without a file."""
    try:
        found = os.stat(folder / DATABASE)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def set_aside(folder: Path) -> Path:
    """Move the database, with all that belongs to it, to a new folder beside it."""
    aside = folder / f"{_ASIDE}{uuid.uuid4().hex[:12]}"
    aside.mkdir(mode=0o700)
    for suffix in _COMPANIONS:
        with contextlib.suppress(FileNotFoundError):
            os.replace(folder / f"{DATABASE}{suffix}", aside / f"{DATABASE}{suffix}")
    return aside


def find_asides(folder: Path) -> list[Path]:
    """The folders of databases that were set aside."""
    return sorted(folder.glob(f"{_ASIDE}*"))


def drop_asides(folder: Path) -> None:
    """Delete every database that was set aside; OSError if one stays."""
    for aside in find_asides(folder):
        shutil.rmtree(aside)


def size(folder: Path) -> int:
    """Bytes that the database and its companions take."""
    return sum(found.st_size for found in _find_files(folder))


def _find_files(folder: Path) -> Iterator[os.stat_result]:
    """The database and its companions, which may vanish while other processes close them."""
    for suffix in _COMPANIONS:
        with contextlib.suppress(FileNotFoundError):
            yield (folder / f"{DATABASE}{suffix}").lstat()


def _strange(lock: Path) -> bool:
    """Return True if the lock is anything but the empty file that `lock_folder` made."""
    try:
        found = lock.lstat()
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(found.st_mode) or found.st_size > 0


class Lease:
    """The right to ask for one completion; `release` ends it, and so does the process, however it
    ends. Within a process it can be had again and again: runs there share their calls."""

    def __init__(self, file: FileIO | None, place: int) -> None:
        """The lock on a byte of a file; without a file it holds nobody off."""
        self._file = file
        self._place = place

    def release(self) -> None:
        """Give it back; a second time does nothing."""
        file, self._file = self._file, None
        if file is None:
            return
        with _guard:
            held = (file, self._place)
            # A fork has none of the locks of its parent.
            if held not in _held:
                return
            _held[held] -= 1
            if not _held[held]:
                del _held[held]
                with contextlib.suppress(OSError):
                    _unlock(file, self._place)


def take_lease(folder: Path, key: str) -> Lease | None:
    """Take the lease for a key in the store of that folder; None while another process has it.

    It is the operating system's lock on one byte of a file that is shared by all keys: a killed
    process gives it up. A disk that does not let it work holds nobody off.
    """
    place = int.from_bytes(sha256(key.encode()).digest()[:8], "big") >> 2
    with _guard:
        try:
            file = _lease_file(folder)
            if (file, place) not in _held:
                _lock(file, place)
        except OSError as error:
            return None if error.errno in _TAKEN else Lease(None, 0)
        _held[file, place] = _held.get((file, place), 0) + 1
        return Lease(file, place)


def _lease_file(folder: Path) -> FileIO:
    """The file of leases, opened once: to close it would drop all locks that the process has on
    it."""
    path = f"{folder}{os.sep}{_LEASES}"
    file = _lease_files.get(path)
    if file is not None:
        with contextlib.suppress(FileNotFoundError):
            # A folder that was deleted and made again has another file.
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                return file
    flags = os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    file = _lease_files[path] = FileIO(os.open(path, flags, 0o600), "r+")
    return file


if sys.platform == "win32":
    import msvcrt

    def _lock(file: FileIO, place: int) -> None:
        file.seek(place)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def _unlock(file: FileIO, place: int) -> None:
        file.seek(place)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(file: FileIO, place: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)

    def _unlock(file: FileIO, place: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_UN, 1, place)

    os.register_at_fork(after_in_child=_held.clear)
