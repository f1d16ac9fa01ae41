"""The folder of a store: private to its owner, opened by one process at a time."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import uuid
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock

from halubot_cache.errors import StoreError

DATABASE = "cache.db"  # diskcache's name for it
LOCK = "halubot.lock"
LOCK_SECONDS = 30.0
_COMPANIONS = ("", "-wal", "-shm", "-journal")
_ASIDE = "damaged-"


def prepare(folder: Path) -> str | None:
    """Make ``folder``, open to its owner alone (0700); what to say if others had access.

    Raises `StoreError` if it belongs to another user, if it holds files and no store, or
    if diskcache would read its name as another's; OSError if it cannot be made.
    """
    path = str(folder)
    # diskcache expands variables in the name of its folder, and would write somewhere else.
    if os.path.expandvars(path) != path:
        raise StoreError(f"the store cannot lie in {path}: a $ in its name names a variable")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        raise StoreError(
            f"the folder {folder} belongs to another user (id {found.st_uid}): "
            "choose a folder of your own for the store"
        )
    with os.scandir(folder) as entries:
        names = {entry.name for entry in entries}
    # A folder with other things, such as a home folder named by mistake, would be closed to others
    # and cleared with the store.
    if names and not names & {LOCK, DATABASE}:
        raise StoreError(f"the folder {folder} holds other things: give the store one of its own")
    if os.name == "nt":
        return None
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o077:
        folder.chmod(mode & 0o700)
        return f"others had access to it (mode {mode:o}), no more"
    return None


@contextlib.contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold the folder against other processes and threads that open or repair its store.

    Raises OSError if it cannot be had within `LOCK_SECONDS`.
    """
    private_file(folder / LOCK)
    with FileLock(folder / LOCK, timeout=LOCK_SECONDS, mode=0o600):
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
    found = 0
    for suffix in _COMPANIONS:
        with contextlib.suppress(FileNotFoundError):  # other processes close them
            found += (folder / f"{DATABASE}{suffix}").stat().st_size
    return found
