"""The store: completions of models found again by request, and the record of a run as JSON
lines."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Self

from halubot_cache import disk
from halubot_cache import folder as folders
from halubot_cache.disk import Stats, as_text
from halubot_cache.errors import Problem, RecordError, StoreError, UnstorableError
from halubot_cache.record import as_line, why
from halubot_cache.request import Key, Request, name, within, without_secrets
from halubot_cache.vault import Vault


class Store:
    """Completions in one namespace of a folder; made by `Store.open`.

    A completion is a JSON object, kept as the model gave it (text, finish reason, usage,
    log-probabilities, whatever else), less keys and headers. Namespaces share nothing: what was
    drawn for one person is never shown to another. Names are words between colons, from the wide
    to the narrow.

    A disk that fails costs completions, not the work: `get` finds nothing, `put` keeps nothing,
    and ``problems`` says why, once. Everything else raises `StoreError` then, and anything does
    after `close`. Threads and processes may share a folder.
    """

    def __init__(self, vault: Vault, namespace: str) -> None:
        self._vault = vault
        self.namespace = namespace

    @classmethod
    def open(
        cls,
        folder: str | Path,
        *,
        namespace: str = "default",
        warn: Callable[[Problem], None] | None = None,
    ) -> Self:
        """The store in ``folder``, made if there is none; ``warn`` hears of each problem.

        Raises `FolderError` for a folder of another user or with other things in it,
        `NewerStoreError` for a newer format, `UnstorableError` for a bad name. A damaged database
        is moved aside.
        """
        name(namespace)  # before the folder is made
        return cls(Vault(Path(folder).absolute(), warn), namespace)

    @property
    def folder(self) -> Path:
        """Return its path."""
        return self._vault.folder

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems since it was opened, each once; empty if there were none."""
        return self._vault.problems

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
        if it is not JSON.
        """
        key = self._key(request, index)
        try:
            kept = without_secrets(completion, answer=True)
            entry = {"key": key, "request": request.record, "completion": kept}
            # Tried here, so that what is no JSON is the caller's error and not taken for trouble
            # with the disk.
            as_text(entry)
        except (TypeError, ValueError, RecursionError) as error:
            raise UnstorableError(f"a completion is a JSON object: {error}") from error
        return self._vault.write(key, entry)

    def stats(self) -> Stats:
        """Return the numbers and sizes of what all namespaces hold."""
        return self._vault.tend(lambda table: disk.stats(table, folders.size(self.folder)))

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
        self._vault.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _key(self, request: Request, index: int) -> str:
        # Twice: a namespace had an owner of another name once.
        return Key(self.namespace, self.namespace, request.model, request.digest, index).text

    def _remove(self, chosen: Callable[[Key, float], bool], *, asides: bool) -> int:
        """Delete rows and, with ``asides``, what was set aside; how many completions."""
        count = self._vault.tend(lambda table: disk.remove(table, chosen))
        # Deleted rows are overwritten in the database, but their text stands in SQLite's
        # write-ahead log until that is emptied.
        if not self._vault.tend(disk.empty_log):
            why = "deleted text stays in its log until the other processes that use it are done"
            self._vault.tell(Problem(f"the store in {self.folder}", why))
        if asides:
            try:
                folders.drop_asides(self.folder)
            except OSError as error:
                raise StoreError(f"{error.filename} cannot be deleted: {error.strerror}") from error
        return count
