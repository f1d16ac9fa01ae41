"""One open database and its troubles: what is damaged is replaced, what fails is done without."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from diskcache import Cache, Timeout

from halubot_cache import folder as folders
from halubot_cache.database import connect, is_damage, move_aside, open_table
from halubot_cache.disk import DamagedRowError
from halubot_cache.errors import Problem, StoreError, UnavailableError

T = TypeVar("T")
Entry = dict[str, object]

_TROUBLE = (sqlite3.Error, Timeout, OSError)


class Vault:
    """Entries by key in ``folder``; ``warn`` is called for each problem, in the thread that met it.

    Threads may share it: diskcache gives each a connection of its own, which ends with it.
    """

    def __init__(self, folder: Path, warn: Callable[[Problem], None] | None = None) -> None:
        """Open it; raises as `folders.prepare` and `open_table` do, but for trouble with the
        disk."""
        self.folder = folder
        self._warn = warn
        self._problems: list[Problem] = []
        self._guard = threading.RLock()
        self._writer = threading.Lock()  # SQLite makes writers that meet sleep, up to 0.1 s
        self._cache: Cache | None = None
        self._identity: tuple[int, int] | None = None
        self._writing = True
        self._recovered = False
        self._closed = False
        self._open()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems met so far, each once."""
        return tuple(self._problems)

    def read(self, key: str) -> Entry | None:
        """The entry under ``key``; None if there is none, or none that can be read."""
        return self._attempt(lambda cache: self._entry(cache, key))

    def write(self, key: str, entry: Entry) -> bool:
        """Keep ``entry`` unless a readable one is there; whether one is there now."""
        if not self._writing:
            return False
        with self._writer:
            return bool(
                self._attempt(lambda cache: self._keep_entry(cache, key, entry), writing=True)
            )

    def tend(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """The result of ``work`` on the database as plain SQLite; it is never None.

        Raises `UnavailableError` if the disk does not let it.
        """

        def tend(cache: Cache) -> T:
            with connect(self.folder) as connection:
                return work(connection)

        return self._demand(self._attempt(tend))

    def tell(self, problem: Problem) -> None:
        """Note a problem, once."""
        with self._guard:
            if problem in self._problems:
                return
            self._problems.append(problem)
        if self._warn is not None:
            self._warn(problem)

    def close(self) -> None:
        """Close it; a second time does nothing."""
        with self._guard:
            self._closed = True
            if self._cache is not None:
                self._cache.close()

    def _entry(self, cache: Cache, key: str) -> Entry | None:
        """The entry under ``key``, if its row is one that the store wrote for this key."""
        try:
            entry = cache.get(key)
        except DamagedRowError:
            entry = {}
        except sqlite3.OperationalError as error:
            if hasattr(error, "sqlite_errorcode"):
                raise
            entry = {}  # the row's text is not UTF-8
        if entry is None:
            return None
        if isinstance(entry, dict) and entry.get("key") == key:
            return entry
        self.tell(Problem(f"the store in {self.folder}", "entries were damaged; they do not count"))
        return None

    def _keep_entry(self, cache: Cache, key: str, entry: Entry) -> bool:
        """Keep ``entry``, in the place of a damaged one too, but of no other."""
        return cache.add(key, entry) or self._entry(cache, key) is not None or cache.set(key, entry)

    def _attempt(self, work: Callable[[Cache], T], *, writing: bool = False) -> T | None:
        """The result of ``work``, again if a damaged database was replaced; None in trouble."""
        # Twice: once as it is, and once after a damaged database was moved aside.
        for _ in range(2):
            cache = self._current()
            if cache is None:
                return None
            try:
                return work(cache)
            except _TROUBLE as error:
                if is_damage(error) and self._recover(cache):
                    continue
                self._give_up(error, writing=writing)
                return None
        return None

    def _demand(self, result: T | None) -> T:
        if result is None:
            why = self._problems[-1].why if self._problems else "it cannot be opened"
            raise UnavailableError(f"the store in {self.folder} cannot be used: {why}")
        return result

    def _current(self) -> Cache | None:
        """The table, opened anew if the file was replaced or deleted by others."""
        with self._guard:
            if self._closed:
                raise UnavailableError(f"the store in {self.folder} is closed")
            # Another process may have moved a damaged file aside: what is written to the old one
            # would be lost.
            if self._cache is not None and folders.identity(self.folder) != self._identity:
                self._reopen(self._cache)
            return self._cache

    def _open(self) -> None:
        try:
            if loose := folders.prepare(self.folder):
                self.tell(loose)
            self._cache, problem = open_table(self.folder)
            self._identity = folders.identity(self.folder)
            if problem:
                self.tell(problem)
        except _TROUBLE as error:
            self._give_up(error)

    def _reopen(self, cache: Cache) -> None:
        """Open again in the middle of work, which a refusal must not end."""
        self._cache = None
        cache.close()
        try:
            self._open()
        except StoreError as error:
            self._give_up(error)

    def _recover(self, cache: Cache) -> bool:
        """Replace a damaged database, once; whether there is a table to go on with."""
        with self._guard:
            # Another thread found the damage too, and was quicker.
            if self._cache is not cache:
                return self._cache is not None
            # Once: a disk that damages every file would otherwise fill with what was set aside.
            if self._recovered:
                return False
            self._recovered = True
            cache.close()
            problem = None
            with contextlib.suppress(*_TROUBLE), folders.lock_folder(self.folder):
                # Another process may have replaced it already.
                if folders.identity(self.folder) == self._identity:
                    problem = move_aside(self.folder)
            if problem:
                self.tell(problem)
            self._reopen(cache)
            return self._cache is not None

    def _give_up(self, error: BaseException, *, writing: bool = False) -> None:
        """Go on without the store, or with what it holds if only writing fails."""
        with self._guard:
            if writing:
                self._writing = False
            else:
                self._cache = None
        what = "nothing more is kept" if writing else "going on without it"
        self.tell(Problem(f"the store in {self.folder}", f"{what}: {_reason(error)}"))


def _reason(error: BaseException) -> str:
    """An error in plain words; diskcache's own says nothing, the one before it does."""
    if isinstance(error, Timeout) and error.__context__ is not None:
        error = error.__context__
    match error:
        case OSError(strerror=str(reason)):
            return reason.lower()
        case _:
            return str(error) or type(error).__name__
