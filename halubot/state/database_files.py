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


VARIABLE = "HALUBOT_STATE"
"""The environment variable that names another folder."""


def state_folder() -> Path:
    """Where bases are kept unless a person says otherwise: what HALUBOT_STATE names, else
    ``state`` in the platform's folder for data. It need not exist."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("halubot", appauthor=False) / "state"


def prepare(path: Path) -> None:
    """Makes the folder (0700) and an empty file (0600) where there is none, and takes from others
    the access to a file that is there, and to the folder if it is the one for state.

    Raises StateError where that cannot be, and where the path is no plain file. An existing file
    is never opened: closing it would drop the locks that SQLite holds on it.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        plain = stat.S_ISREG(path.stat().st_mode)
        _tighten(path)
    except (OSError, ValueError) as error:
        raise StateError(
            f"cannot keep anything in {path}: {explain(error)}; HALUBOT_STATE or --state names"
            " another folder"
        ) from error
    if not plain:
        raise StateError(f"{path} is no plain file: move it away, or choose another folder")


def _tighten(path: Path) -> None:
    """Leave only the owner access to what a base is: a backup that was unpacked, or a loose
    umask, may have given it to others. A folder somebody named may hold other things."""
    if os.name == "nt":
        return
    kept = [path, *(Path(f"{path}{companion}") for companion in _COMPANIONS)]
    for one in [*kept, *([path.parent] if path.parent == state_folder() else [])]:
        with suppress(FileNotFoundError):
            found = one.lstat()
            loose = stat.S_IMODE(found.st_mode) & 0o077
            # What belongs to another user is theirs to change.
            if loose and not stat.S_ISLNK(found.st_mode) and found.st_uid == os.geteuid():
                one.chmod(stat.S_IMODE(found.st_mode) & 0o700)


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
