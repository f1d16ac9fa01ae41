"""The store: completions of models found again by request, and carried to other stores as JSON
lines."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Self

from halubot_cache import disk
from halubot_cache import folder as folders
from halubot_cache.disk import DamagedRowError, Stats, as_text, from_text
from halubot_cache.errors import Problem, RecordError, StoreError, UnstorableError
from halubot_cache.request import Key, Request, name, within, without_secrets
from halubot_cache.vault import Vault

SCHEMA = 1


Record = dict[str, object]


def key_and_entry(
    request: Request, index: int, completion: Mapping[str, object], *, namespace: str, owner: str
) -> tuple[str, Record]:
    """The key and the entry under which the store keeps a completion.

    Raises `UnstorableError` for an index that is not 0 or more.
    """
    if isinstance(index, bool) or not isinstance(index, int) or index < 0:
        raise UnstorableError(f"the index of a sample is 0 or more, not {index!r}")
    key = Key(namespace, owner, request.model, request.digest, index).text
    kept = without_secrets(completion, answer=True)
    return key, {"key": key, "request": request.record, "completion": kept}


def record(key: Key, entry: Mapping[str, object], *, scoped: bool) -> Record | None:
    """The line of an entry, with its namespace and owner if ``scoped``; None if it is damaged."""
    found = entry.get("request")
    if not isinstance(found, dict) or not isinstance(entry.get("completion"), dict):
        return None
    whose = {"namespace": key.namespace, "owner": key.owner} if scoped else {}
    return {
        "schema": SCHEMA,
        **whose,
        **found,
        "index": key.place,
        "completion": entry["completion"],
    }


def write(path: Path, records: Iterable[Record]) -> int:
    """Write ``path`` whole or not at all, for its owner's eyes only; how many lines.

    Raises `RecordError` if the operating system does not let it.
    """
    count = 0
    try:
        # It is made with mode 0600.
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                for line in records:
                    file.write(f"{as_text(line)}\n")
                    count += 1
            os.replace(draft, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(draft)
            raise
    except OSError as error:
        raise RecordError(path, None, f"it cannot be written: {_why(error)}") from error
    return count


def read(path: Path, *, namespace: str, owner: str) -> Iterator[tuple[str, Record]]:
    """Keys and entries of the lines of ``path``; lines without a namespace get the given one.

    Raises `RecordError` with the number of the line that is not what it should be.
    """
    number = 0
    try:
        with path.open("rb") as file:
            for raw in file:
                number += 1
                # Decoded line by line: an error then has the number of its line, and a file of any
                # size fits.
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                if line.strip():
                    yield _entry(line, namespace, owner)
    except (DamagedRowError, UnicodeDecodeError) as error:
        raise RecordError(path, number, "not a JSON object in UTF-8") from error
    except UnstorableError as error:
        raise RecordError(path, number, str(error)) from error
    except OSError as error:
        raise RecordError(path, None, f"it cannot be read: {_why(error)}") from error


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _entry(line: str, namespace: str, owner: str) -> tuple[str, Record]:
    match from_text(line):
        # Before all else is looked at: what a newer version writes may lack what this one asks for.
        case {"schema": int(schema)} if schema > SCHEMA:
            raise UnstorableError("it was written by a newer halubot: update halubot")
        case {"schema": 1, "index": int(index), "completion": dict(completion), **rest}:
            whose = rest.get("namespace", namespace), rest.get("owner", owner)
            match whose:
                # One alone could put a completion where its owner's request to forget does not find
                # it.
                case str(), str() if ("namespace" in rest) == ("owner" in rest):
                    spaces = {"namespace": name(whose[0]), "owner": name(whose[1])}
                case _:
                    raise UnstorableError("namespace and owner are two names, or both are missing")
            return key_and_entry(Request.from_record(rest), index, completion, **spaces)
        case _:
            raise UnstorableError("schema, index or completion is missing or wrong")


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
        """The store in ``folder``, made if there is none; ``warn`` hears of each problem.

        ``owner`` is who can have the namespace forgotten; None makes it its own owner. Raises
        `FolderError` for a folder of another user or with other things in it, `NewerStoreError`
        for a newer format, `UnstorableError` for a bad name. A damaged database is moved aside.
        """
        name(namespace)
        return cls(Vault(Path(folder).absolute(), warn), namespace, owner)

    @classmethod
    def temporary(cls) -> Self:
        """A store that is deleted when it closes, as for a replay."""
        with contextlib.ExitStack() as stack:
            away = stack.enter_context(tempfile.TemporaryDirectory(prefix="halubot-"))
            store = cls.open(away)
            store._closing = stack.pop_all()
        return store

    def within(self, namespace: str, owner: str | None = None) -> Store:
        """The same folder seen from another namespace; closing either closes both."""
        view = Store(self._vault, namespace, owner)
        view._closing = self._closing
        return view

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
        try:
            key, entry = key_and_entry(
                request, index, completion, namespace=self.namespace, owner=self.owner
            )
            # Tried here, so that what is no JSON is the caller's error and not taken for trouble
            # with the disk.
            as_text(entry)
        except (TypeError, ValueError, RecursionError) as error:
            raise UnstorableError(f"a completion is a JSON object: {error}") from error
        return self._vault.write(key, entry)

    def take(self, request: Request, most: int) -> list[dict[str, object]]:
        """The completions at 0, 1, 2, ... up to the first that is missing, at most ``most``."""
        found: list[dict[str, object]] = []
        while len(found) < most:
            completion = self.get(request, len(found))
            if completion is None:
                break
            found.append(completion)
        return found

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

    def forget(self, owner: str) -> int:
        """Delete all that belongs to ``owner`` and to owners beneath; how many completions.

        What was set aside as damaged is deleted too, for nobody can tell whose it is.
        """
        name(owner)
        return self._remove(lambda key, _: within(key.owner, owner), asides=True)

    def export(self, path: str | Path, *, only: Iterable[tuple[Request, int]] | None = None) -> int:
        """Write completions as JSON lines, for their owner's eyes only; how many.

        All namespaces with their names; or, with ``only``, those of this namespace without its
        name, in the order given (a record of one run), skipping what is not there. Raises
        `RecordError` if ``path`` cannot be written.
        """
        if only is not None:
            keys = [self._key(request, index) for request, index in only]
            lines = (
                record(key, entry, scoped=False)
                # A run may have used the same completion twice.
                for text in dict.fromkeys(keys)
                if (entry := self._vault.read(text)) and (key := Key.read(text))
            )
            return write(Path(path), filter(None, lines))
        return self._vault.tend(
            lambda table: write(
                Path(path),
                filter(None, (record(*row, scoped=True) for row in disk.entries(table))),
            )
        )

    def import_(self, path: str | Path) -> int:
        """Add the completions of a file that `export` wrote; how many were new.

        Lines that name no namespace come into this one. All are added, or none: `RecordError`
        names the line that is wrong.
        """
        return self._vault.write_all(
            lambda: read(Path(path), namespace=self.namespace, owner=self.owner)
        )

    def close(self) -> None:
        """Close it; a second time does nothing."""
        self._vault.close()
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _key(self, request: Request, index: int) -> str:
        return Key(self.namespace, self.owner, request.model, request.digest, index).text

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
