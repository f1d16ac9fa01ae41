"""A small SQLite database with versioned upgrades: its files, its transactions, its errors."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
import uuid
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

from halubot.errors import StateError, explain

_COMPANIONS = ("-wal", "-shm", "-journal")
"""What SQLite puts beside a base."""


VARIABLE = "HALUBOT_STATE"
"""The environment variable that names another folder."""


def state_folder() -> Path:
    """Return the usual folder of bases: what HALUBOT_STATE names, else
    ``state`` in the platform's folder for data. It need not exist."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("halubot", appauthor=False) / "state"


def sound(text: str) -> str:
    """Text as UTF-8 has it; half a surrogate pair becomes "?"."""
    return text.encode("utf-8", "replace").decode()


def prepare(path: Path) -> None:
    """Makes the folder (0700) and an empty file (0600) if there is none, and takes from others
    the access to a file that is there, and to the folder if it is the one for state.

    Raises StateError if that cannot be, and if the path is no plain file. An existing file
    is never opened: closing it would drop the locks that SQLite holds on it.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            # Made before SQLite would make it: by its umask, the file would be readable for others
            # for a moment.
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
    """Return a mark that a file put in this one's place does not have; None without a file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def set_aside(path: Path) -> Path:
    """Moves a base and what belongs to it to a new name beside it, and returns that name; the
    next to open the base begins a fresh one. Raises StateError if it cannot be moved."""
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


class DamagedStateError(StateError):
    """A file that is broken, or no base of this kind; ``path`` is the place at which it lies."""

    def __init__(self, path: Path, holds: str) -> None:
        self.path = path
        super().__init__(
            f"the file of {holds} {path} is damaged, or is not one: set it aside under another"
            " name, and a fresh one is begun"
        )


class NewerStateError(StateError):
    """A base of version ``found``, if this halubot knows up to ``known``."""

    def __init__(self, path: Path, holds: str, found: int, known: int) -> None:
        super().__init__(
            f"the file of {holds} {path} was written by a newer halubot (version {found}, known up"
            f" to {known}): update halubot"
        )


class NameTakenError(StateError):
    """Another session has that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is a session {name!r} already: choose another name")


Upgrade = Sequence[str]
"""The statements of SQL that lead from one version to the next, in one transaction."""

PATIENCE_SECONDS: Final = 30.0
"""How long another process that writes is waited for."""

_SETTINGS: Final = (
    # Off by default, for each connection. secure_delete overwrites what is deleted; trusted_schema
    # keeps functions out of a schema that somebody planted; a mapped file would end the program
    # with SIGBUS if the disk fails; FULL waits for the disk, so that a change that was confirmed
    # survives a power cut.
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA mmap_size = 0",
    "PRAGMA synchronous = FULL",
)
_DAMAGE: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_REMEDIES: Final = {
    sqlite3.SQLITE_FULL: "the disk is full: free some space; what was saved before is safe",
    sqlite3.SQLITE_READONLY: "it may only be read: give yourself the right to write there",
    sqlite3.SQLITE_PERM: "permission denied: give yourself the right to write there",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: look whether you may write in its folder",
    sqlite3.SQLITE_BUSY: "another halubot is busy with it: try again in a moment",
    sqlite3.SQLITE_LOCKED: "another halubot is busy with it: try again in a moment",
    sqlite3.SQLITE_IOERR: "the disk does not let it work: look whether it is full or failing",
}


class Base:
    """One base, opened; its version is the number of upgrades that made it.

    ``upgrades`` are all upgrades there ever were, oldest first: those that the file lacks are done
    at once, each in one transaction, by whichever process comes first. A released upgrade is never
    changed. ``holds`` is what the base keeps, in a word for errors; a file that keeps something
    else is refused.

    May be used from any thread, one at a time; not after a fork. Raises StateError if the file
    cannot be used, DamagedStateError if it is broken, NewerStateError if a newer halubot
    wrote it; it is never changed then.
    """

    def __init__(self, path: Path, upgrades: Sequence[Upgrade], *, holds: str = "state") -> None:
        self.path = path
        self.holds = holds
        self.version = len(upgrades)
        # Reentrant: a change may hold another one, which is then a part of it.
        self._lock = threading.RLock()
        self._changing = False
        prepare(path)
        with self._explain_errors():
            self._connection = sqlite3.connect(
                # No transactions of Python's own: it would begin one before some statements and not
                # before others.
                path,
                timeout=PATIENCE_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
        try:
            with self._explain_errors():
                self._open(upgrades)
        except BaseException:
            self._connection.close()
            raise
        self._identity = identity(path)

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """The base as it is now, for as many queries as belong together. Raises StateError."""
        with self._lock, self._explain_errors():
            if self._connection.in_transaction:
                yield self._connection
                return
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                self._undo()

    @contextmanager
    def change(self) -> Iterator[sqlite3.Connection]:
        """A change that is made in whole, and on the disk once the block is left, or not at all.

        Within another change it is part of that one. Raises StateError, also if the file was
        moved away or upgraded by a newer halubot since it was opened; what the block raises, such
        as sqlite3.IntegrityError, undoes the change and is raised. RuntimeError within a `read`.
        """
        with self._lock, self._explain_errors():
            if self._connection.in_transaction:
                if not self._changing:
                    raise RuntimeError("a change within a read would be undone with it")
                yield self._connection
                return
            # IMMEDIATE takes the lock for writing at once: two changes that both read first could
            # not both go on to write, and SQLite would end one without waiting.
            self._connection.execute("BEGIN IMMEDIATE")
            self._changing = True
            try:
                self._require_same()
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                self._undo()
                raise
            finally:
                self._changing = False

    def scrub(self) -> None:
        """Leaves nothing on the disk of what was deleted. Raises StateError."""
        with self._lock, self._explain_errors():
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Lets go of the file; may be called more than once."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self, upgrades: Sequence[Upgrade]) -> None:
        for setting in _SETTINGS:
            self._connection.execute(setting)
        # An SQLite file of another program would otherwise be upgraded into a base of ours.
        query = "SELECT EXISTS (SELECT 1 FROM sqlite_master)"
        (used,) = self._connection.execute(query).fetchone()
        if used and self._pragma("application_id") != self._mark:
            raise DamagedStateError(self.path, self.holds)
        if self._read_version() < self.version:
            self._write_ahead()
            for version, upgrade in enumerate(upgrades, start=1):
                self._upgrade(version, upgrade)

    @property
    def _mark(self) -> int:
        """Return the number in the file's header that tells bases of different kinds apart."""
        return zlib.crc32(f"halubot {self.holds}".encode()) & 0x7FFFFFFF

    def _write_ahead(self) -> None:
        """Lets readers go on beside a writer; SQLite itself does not wait for others here."""
        until = time.monotonic() + PATIENCE_SECONDS
        while self._connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.02)

    def _upgrade(self, version: int, upgrade: Upgrade) -> None:
        """Makes one version of the one before it, unless another process was quicker."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            # Asked again under the lock: another process may have made this version meanwhile.
            if self._read_version() < version:
                for statement in upgrade:
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version = {version:d}")
                self._connection.execute(f"PRAGMA application_id = {self._mark:d}")
            self._connection.execute("COMMIT")
        except BaseException:
            self._undo()
            raise

    def _read_version(self) -> int:
        """The file's version. Raises NewerStateError if it is beyond ours."""
        found = self._pragma("user_version")
        if found > self.version:
            raise NewerStateError(self.path, self.holds, found, self.version)
        return found

    def _pragma(self, name: str) -> int:
        found: int = self._connection.execute(f"PRAGMA {name}").fetchone()[0]
        return found

    def _require_same(self) -> None:
        """Raise if the file was moved away: anything written to it would be lost."""
        if identity(self.path) != self._identity:
            raise StateError(
                f"the file of {self.holds} {self.path} was moved or deleted while it was in use:"
                " open it again"
            )
        self._read_version()

    def _undo(self) -> None:
        with suppress(sqlite3.Error):  # the first failure is the one to tell
            self._connection.execute("ROLLBACK")

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        """Turns what SQLite says into words with a remedy."""
        try:
            yield
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def _failure(self, error: sqlite3.Error) -> StateError:
        code = _code(error)
        # A missing table or column has no error code of its own; in a base of this version it means
        # damage.
        if code in _DAMAGE or str(error).startswith("no such "):
            return DamagedStateError(self.path, self.holds)
        why = _REMEDIES.get(code, str(error))
        return StateError(f"cannot use the file of {self.holds} {self.path}: {why}")


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary error code; 0 if Python alone complained."""
    # Extended codes carry their detail in the higher bits.
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
