"""The store: completions of models found again by request, and the record of a run as JSON
lines."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Self, TypeVar

from diskcache import Cache, Timeout

from halubot_cache import database, disk
from halubot_cache import folder as folders
from halubot_cache.disk import DamagedRowError, Stats, as_text
from halubot_cache.errors import Problem, RecordError, StoreError, UnstorableError
from halubot_cache.record import as_line, why
from halubot_cache.request import Key, Request, name, within

T = TypeVar("T")
Entry = dict[str, object]

_TROUBLE = (sqlite3.Error, Timeout, OSError)


class Store:
    """Completions in one namespace of a folder; made by `Store.open`.

    A completion is a JSON object, kept as the model gave it (text, finish reason, usage,
    log-probabilities); whoever puts it there leaves keys and headers out. Namespaces share
    nothing: what was drawn for one person is never shown to another. Names are words between
    colons, from the wide to the narrow.

    A disk that fails costs completions, not the work: `get` finds nothing, `put` keeps nothing,
    and ``problems`` says why, once. Everything else raises `StoreError` then, and anything does
    after `close`. Threads and processes may share a folder.
    """

    def __init__(self, folder: Path, namespace: str) -> None:
        self.folder = folder
        self.namespace = namespace
        self._problems: list[Problem] = []
        self._guard = threading.RLock()
        self._writer = threading.Lock()  # SQLite makes writers that meet sleep, up to 0.1 s
        self._cache: Cache | None = None
        self._identity: tuple[int, int] | None = None
        self._writing = True
        self._replaced = False
        self._closed = False
        self._open()

    @classmethod
    def open(cls, folder: str | Path, *, namespace: str = "default") -> Self:
        """The store in ``folder``, made if there is none.

        Raises `StoreError` for a folder of another user or with other things in it, for a newer
        format, and for a bad name. A damaged database is moved aside.
        """
        return cls(Path(folder).absolute(), name(namespace))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems since it was opened, each once; empty if there were none."""
        return tuple(self._problems)

    def get(self, request: Request, index: int) -> dict[str, object] | None:
        """The completion at ``index`` (from 0), or None."""
        key = self._key(request, index)
        match self._attempt(lambda cache: self._entry(cache, key)):
            case {"completion": dict(completion)}:
                return completion
        return None

    def put(self, request: Request, index: int, completion: Mapping[str, object]) -> bool:
        """Keep a completion at ``index``; whether the store has one there now.

        One that is there stays: what was seen once is seen again. Raises `UnstorableError`
        if it is not JSON.
        """
        key = self._key(request, index)
        try:
            entry: Entry = {"key": key, "request": request.record, "completion": dict(completion)}
            # Tried here, so that what is no JSON is the caller's error and not taken for trouble
            # with the disk.
            as_text(entry)
        except (TypeError, ValueError, RecursionError) as error:
            raise UnstorableError(f"a completion is a JSON object: {error}") from error

        def keep(cache: Cache) -> bool:
            # In the place of a damaged one too, but of no other.
            return (
                cache.add(key, entry)
                or self._entry(cache, key) is not None
                or cache.set(key, entry)
            )

        if not self._writing:
            return False
        with self._writer:
            return bool(self._attempt(keep, writing=True))

    def stats(self) -> Stats:
        """Return the numbers and sizes of what all namespaces hold."""
        return self._tend(lambda table: disk.stats(table, folders.size(self.folder)))

    def clear(
        self,
        *,
        namespace: str | None = None,
        model: str | None = None,
        older_than: timedelta | None = None,
    ) -> int:
        """Delete what all given conditions fit, everything if none is given; how many completions.

        ``namespace`` means all beneath it too; ``older_than`` counts from when they were stored
        here. Without conditions, what was set aside as damaged is deleted as well.
        """
        if namespace is not None:
            name(namespace)
        limit = None if older_than is None else time.time() - older_than.total_seconds()

        def is_chosen(key: Key, stored: float) -> bool:
            return (
                (namespace is None or within(key.namespace, namespace))
                and (model is None or key.model == model)
                and (limit is None or stored <= limit)
            )

        everything = namespace is None and model is None and limit is None
        return self._remove(is_chosen, asides=everything)

    def forget(self, namespace: str) -> int:
        """Delete all of ``namespace`` and of those beneath; how many completions.

        What was set aside as damaged is deleted too, for nobody can tell whose it is.
        """
        name(namespace)
        return self._remove(lambda key, _: within(key.owner, namespace), asides=True)

    def record(self, path: str | Path, used: Iterable[tuple[Request, int]]) -> int:
        """Write these completions of this namespace as JSON lines, in the order given, for their
        owner's eyes only; how many. What is not there is skipped. The file is written whole or not
        at all. Raises `RecordError` if it cannot be.
        """
        path, count = Path(path), 0
        try:
            # It is made with mode 0600.
            handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            try:
                with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                    for request, index in dict.fromkeys(used):
                        completion = self.get(request, index)
                        if completion is not None:
                            file.write(f"{as_line(request, index, completion)}\n")
                            count += 1
                os.replace(draft, path)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(draft)
                raise
        except OSError as error:
            raise RecordError(path, None, f"it cannot be written: {why(error)}") from error
        return count

    def close(self) -> None:
        """Close it; a second time does nothing."""
        with self._guard:
            self._closed = True
            if self._cache is not None:
                self._cache.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _key(self, request: Request, index: int) -> str:
        # Twice: a namespace had an owner of another name once.
        return Key(self.namespace, self.namespace, request.model, request.digest, index).text

    def _remove(self, chosen: Callable[[Key, float], bool], *, asides: bool) -> int:
        """Delete rows and, with ``asides``, what was set aside; how many completions."""
        count = self._tend(lambda table: disk.remove(table, chosen))
        # Deleted rows are overwritten in the database, but their text stands in SQLite's
        # write-ahead log until that is emptied.
        if not self._tend(disk.empty_log):
            why = "deleted text stays in its log until the other processes that use it are done"
            self._tell(why)
        if asides:
            try:
                folders.drop_asides(self.folder)
            except OSError as error:
                raise StoreError(f"{error.filename} cannot be deleted: {error.strerror}") from error
        return count

    def _tend(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """The result of ``work``, never None, on the database as plain SQLite. Raises `StoreError`
        if the disk does not let it."""

        def tend(_: Cache) -> T:
            with database.connect(self.folder) as connection:
                return work(connection)

        result = self._attempt(tend)
        if result is None:
            why = self._problems[-1].why if self._problems else "it cannot be opened"
            raise StoreError(f"the store in {self.folder} cannot be used: {why}")
        return result

    def _tell(self, why: str) -> None:
        problem = Problem(f"the store in {self.folder}", why)
        with self._guard:
            if problem not in self._problems:
                self._problems.append(problem)

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
        self._tell("entries were damaged; they do not count")
        return None

    def _attempt(self, work: Callable[[Cache], T], *, writing: bool = False) -> T | None:
        """The result of ``work``, again if a damaged database was replaced; None in trouble."""
        for replaced in (False, True):
            cache = self._current()
            if cache is None:
                break
            try:
                return work(cache)
            except _TROUBLE as error:
                if replaced or not database.is_damage(error):
                    self._give_up(error, writing=writing)
                    break
                self._replace(cache)
        return None

    def _current(self) -> Cache | None:
        """The table, opened anew if the file was replaced or deleted, by others too."""
        with self._guard:
            if self._closed:
                raise StoreError(f"the store in {self.folder} is closed")
            # What is written to a file that was moved aside would be lost.
            if self._cache is not None and folders.identity(self.folder) != self._identity:
                self._cache.close()
                self._cache = None
                try:
                    self._open()
                except StoreError as error:  # which must not end the work
                    self._give_up(error)
            return self._cache

    def _open(self) -> None:
        try:
            if loose := folders.prepare(self.folder):
                self._tell(loose)
            self._cache, damage = database.open_table(self.folder)
            self._identity = folders.identity(self.folder)
            if damage:
                self._tell(damage)
        except _TROUBLE as error:
            self._give_up(error)

    def _replace(self, cache: Cache) -> None:
        """Move a damaged database aside, unless another thread or process was quicker."""
        with self._guard, contextlib.suppress(*_TROUBLE):
            # Once: a disk that damages every file would otherwise fill with what was set aside.
            if self._cache is not cache or self._replaced:
                return
            self._replaced = True
            cache.close()
            with folders.lock_folder(self.folder):
                if folders.identity(self.folder) == self._identity:
                    self._tell(database.move_aside(self.folder))

    def _give_up(self, error: BaseException, *, writing: bool = False) -> None:
        """Go on without the store, or with what it holds if only writing fails."""
        with self._guard:
            if writing:
                self._writing = False
            else:
                self._cache = None
        # diskcache's own error says nothing, the one before it does.
        if isinstance(error, Timeout) and error.__context__ is not None:
            error = error.__context__
        reason = why(error) if isinstance(error, OSError) else str(error) or type(error).__name__
        self._tell(f"{'nothing more is kept' if writing else 'going on without it'}: {reason}")
