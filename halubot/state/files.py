"""The files of a base: private to their owner, and moved together."""

from __future__ import annotations

import os
import stat
import uuid
from contextlib import suppress
from pathlib import Path

from halubot.errors import StateError, explain

_COMPANIONS = ("-wal", "-shm", "-journal")
"""What SQLite puts beside a base."""


def prepare(path: Path) -> None:
    """Makes the folder (0700) and an empty file (0600) where there is none.

    Raises StateError where that cannot be, and where the path is no plain file. An existing file
    is never opened: closing it would drop the locks that SQLite holds on it.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        plain = stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError) as error:
        raise StateError(
            f"cannot keep anything in {path}: {explain(error)}; HALUBOT_STATE or --state names"
            " another folder"
        ) from error
    if not plain:
        raise StateError(f"{path} is no plain file: move it away, or choose another folder")


def identity(path: Path) -> tuple[int, int] | None:
    """What tells this file from one that takes its place; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def set_aside(path: Path) -> Path:
    """Moves a base and what belongs to it to a new name beside it, and returns that name; the
    next to open the base begins a fresh one. Raises StateError where it cannot be moved."""
    aside = path.with_name(f"{path.stem}-damaged-{uuid.uuid4().hex[:8]}{path.suffix}")
    try:
        path.stat()
        # The base goes last: a log that is left without it would be read into the fresh one.
        for companion in _COMPANIONS:
            with suppress(FileNotFoundError):
                Path(f"{path}{companion}").rename(f"{aside}{companion}")
        path.rename(aside)
    except OSError as error:
        raise StateError(f"cannot move {path}: {explain(error)}") from error
    return aside
