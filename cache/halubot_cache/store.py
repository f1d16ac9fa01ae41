"""The store: completions of models as they came, found again by what was asked."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from halubot_cache import folder as folders
from halubot_cache import records, rows
from halubot_cache.disk import as_text
from halubot_cache.errors import Problem, StoreError, UnstorableError
from halubot_cache.folder import Lease, take_lease
from halubot_cache.request import Key, Request, name, within
from halubot_cache.rows import Stats
from halubot_cache.vault import Vault


class Store:
    """Completions in one namespace of a folder; made by `Store.open` or `Store.temporary`.

    A completion is a JSON object, kept as the model gave it (text, finish reason, usage,
    log-probabilities, whatever else), less keys and headers. Namespaces share nothing: what was
    drawn for one person is never shown to another. Names are words between colons, from the wide
    to the narrow.

    A disk that fails costs completions, not the work: `get` finds nothing, `put` keeps nothing,
    and ``problems`` says why, once. Everything else raises `StoreError` then, and anything does
    after `close`. Threads and processes may share a folder.
    """

    def __init__(self, vault: Vault, namespace: str, owner: str | None) -> None:
        """A view of ``vault``; use `open`, `temporary` or `within`."""
        self._vault = vault
        self.namespace = name(namespace)
        self.owner = self.namespace if owner is None else name(owner)
        self._closing = contextlib.ExitStack()

    @classmethod
    def open(
        cls,
        folder: str | Path,
        *,
        namespace: str = "default",
        owner: str | None = None,
        warn: Callable[[Problem], None] | None = None,
    ) -> Self:
        """The store in ``folder``, made where there is none; ``warn`` hears of each problem.

        ``owner`` is who can have the namespace forgotten; None makes it its own owner. Raises
        `FolderError` for a folder of another user or with other things in it, `NewerStoreError`
        for a newer format, `UnstorableError` for a bad name. A damaged database is moved aside.
        """
        name(namespace)
        return cls(Vault(Path(folder).absolute(), warn), namespace, owner)

    @classmethod
    def temporary(cls, *, warn: Callable[[Problem], None] | None = None) -> Self:
        """A store that is deleted when it closes, as for a replay."""
        with contextlib.ExitStack() as stack:
            away = stack.enter_context(tempfile.TemporaryDirectory(prefix="halubot-"))
            store = cls.open(away, warn=warn)
            store._closing = stack.pop_all()
        return store

    def within(self, namespace: str, owner: str | None = None) -> Store:
        """The same folder seen from another namespace; closing either closes both."""
        view = Store(self._vault, namespace, owner)
        view._closing = self._closing
        return view

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return self._vault.folder

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What went wrong since it was opened, each once; empty if nothing did."""
        return self._vault.problems

    @property
    def available(self) -> bool:
        """Whether completions can be looked up: False after trouble with the disk."""
        return self._vault.available

    def get(self, request: Request, index: int) -> dict[str, object] | None:
        """The completion at ``index`` (from 0), or None."""
        entry = self._vault.read(self._key(request, index))
        match entry:
            case {"completion": dict(completion)}:
                return completion
            case _:
                return None

    def put(self, request: Request, index: int, completion: Mapping[str, object]) -> bool:
        """Keep a completion at ``index``; whether the store has one there now.

        One that is there stays: what was seen once is seen again. Raises `UnstorableError`
        where it is not JSON.
        """
        try:
            key, entry = records.key_and_entry(
                request, index, completion, namespace=self.namespace, owner=self.owner
            )
            as_text(entry)
        except (TypeError, ValueError, RecursionError) as error:
            raise UnstorableError(f"a completion is a JSON object: {error}") from error
        return self._vault.write(key, entry)

    def lease(self, request: Request, index: int) -> Lease | None:
        """The right to ask a model for the completion at ``index``; None while another process has
        it, and will store that completion soon. A disk that fails holds nobody off."""
        return take_lease(self.folder, self._key(request, index))

    def take(self, request: Request, most: int) -> list[dict[str, object]]:
        """The completions at 0, 1, 2, ... up to the first that is missing, at most ``most``."""
        found: list[dict[str, object]] = []
        while len(found) < most:
            completion = self.get(request, len(found))
            if completion is None:
                break
            found.append(completion)
        return found

    def stored(self, request: Request) -> int:
        """How many `take` would find: asked for 20 where this is 12, draw 8."""
        count = 0
        while self.get(request, count) is not None:
            count += 1
        return count

    def stats(self) -> Stats:
        """What all namespaces hold."""
        return self._vault.tend(lambda table: rows.stats(table, folders.size(self.folder)))

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

        def chosen(key: Key, stored: float) -> bool:
            return (
                (namespace is None or within(key.namespace, namespace))
                and (model is None or key.model == model)
                and (limit is None or stored <= limit)
            )

        everything = namespace is None and model is None and limit is None
        return self._remove(chosen, asides=everything)

    def forget(self, owner: str) -> int:
        """Delete all that belongs to ``owner`` and to owners beneath; how many completions.

        What was set aside as damaged is deleted too, for nobody can tell whose it is. A shared
        store is gone through first: UnavailableError if that fails, and nothing is deleted.
        """
        name(owner)
        self._vault.forget_far(owner)
        return self._remove(lambda key, _: within(key.owner, owner), asides=True)

    def export(self, path: str | Path, *, only: Iterable[tuple[Request, int]] | None = None) -> int:
        """Write completions as JSON lines, for their owner's eyes only; how many.

        All namespaces with their names; or, with ``only``, those of this namespace without its
        name, in the order given (a record of one run), skipping what is not there. Raises
        `RecordError` where ``path`` cannot be written.
        """
        if only is not None:
            keys = [self._key(request, index) for request, index in only]
            lines = (
                records.record(key, entry, scoped=False)
                for text in dict.fromkeys(keys)
                if (entry := self._vault.read(text)) and (key := Key.read(text))
            )
            return records.write(Path(path), filter(None, lines))
        return self._vault.tend(
            lambda table: records.write(
                Path(path),
                filter(None, (records.record(*row, scoped=True) for row in rows.entries(table))),
            )
        )

    def import_(self, path: str | Path) -> int:
        """Add the completions of a file that `export` wrote; how many were new.

        Lines that name no namespace come into this one. All are added, or none: `RecordError`
        names the line that is wrong.
        """
        return self._vault.write_all(
            lambda: records.read(Path(path), namespace=self.namespace, owner=self.owner)
        )

    def close(self) -> None:
        """Close it; a second time does nothing."""
        self._vault.close()
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _key(self, request: Request, index: int) -> str:
        return Key(self.namespace, self.owner, request.model, request.digest, index).text

    def _remove(self, chosen: Callable[[Key, float], bool], *, asides: bool) -> int:
        """Delete rows and, with ``asides``, what was set aside; how many completions."""
        count = self._vault.tend(lambda table: rows.remove(table, chosen))
        if not self._vault.tend(rows.empty_log):
            why = "deleted text stays in its log until the other processes that use it are done"
            self._vault.tell(Problem(f"the store in {self.folder}", why))
        if asides:
            try:
                folders.drop_asides(self.folder)
            except OSError as error:
                raise StoreError(f"{error.filename} cannot be deleted: {error.strerror}") from error
        return count
