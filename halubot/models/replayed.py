"""A run again from its record, with no model."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from halubot.models.model import Capabilities, Completion, Listed, Request, Settings
from halubot.models.model_errors import NotRecordedError
from halubot.models.stored import asked_for, find_stored, in_thread
from halubot_cache import RecordError, Store


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose completions a record holds, and whether some of them are bound to a schema, and some
    not."""

    endpoint: str
    model: str
    bound: bool
    free: bool


class ReplayedModel:
    """Answers from a record alone, whichever of the record's models gave the answer.

    ``name`` is that of the model that wrote freely: the answer, and samples; `judge` is the same
    record under the name of the one whose answers have a fixed shape. No call is made. What the
    record does not hold is a NotRecordedError. Made by `open`; `close` deletes its copy.
    """

    def __init__(
        self,
        store: Store,
        path: Path,
        origins: Sequence[Origin],
        name: str,
        settings: Settings = (),
    ) -> None:
        self._settings = settings
        self._store = store
        self._path = path
        self._origins = sorted(origins, key=lambda one: one.model != name)
        self._name = name
        self._cached = 0
        self.names = tuple(dict.fromkeys(one.model for one in origins))
        """The models of the record, in its order."""

    @classmethod
    def open(cls, path: str | Path, settings: Settings = ()) -> Self:
        """The record in a file of JSON lines, of requests with these settings.

        Raises RecordError if it cannot be read, names the line that is wrong, or holds
        nothing; UnavailableError if there is no room for a copy.
        """
        path = Path(path)
        store = Store.temporary()
        try:
            store.import_(path)
            origins = _origins(path)
        except BaseException:
            store.close()
            raise
        # A record names no roles: who wrote without a schema answered, who wrote with one judged.
        name = next((one.model for one in origins if one.free), origins[0].model)
        return cls(store, path, origins, name, settings)

    @property
    def judge(self) -> ReplayedModel:
        """The record under the name of the model whose answers have a fixed shape; itself if
        that is the same one."""
        name = next((one.model for one in self._origins if one.bound), self._name)
        if name == self._name:
            return self
        return ReplayedModel(self._store, self._path, self._origins, name, self._settings)

    @property
    def name(self) -> str:
        """The model of the record whose place this takes."""
        return self._name

    @property
    def endpoint(self) -> str:
        """The record's file: nobody receives the text."""
        return str(self._path)

    @property
    def capabilities(self) -> Capabilities:
        """Nothing is learnt from a record."""
        return Capabilities()

    @property
    def cached(self) -> int:
        """The number of answers that the record gave so far."""
        return self._cached

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """The completions from ``request.first`` up to the first that is not recorded, at most
        ``request.n``. Raises NotRecordedError if that is the first of all."""
        found = await in_thread(lambda: self._look(request))
        if not found:
            raise self._nothing()
        self._cached += len(found)
        return tuple(found)

    async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        """The answer in one piece, then the whole. Raises NotRecordedError."""
        whole = (await self.complete(request))[0]
        yield whole.text
        yield whole

    async def listed(self) -> Listed:
        """Nothing: no call is paid for."""
        return Listed()

    def close(self) -> None:
        """Deletes the copy of the record; a second time does nothing."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _look(self, request: Request) -> list[Completion]:
        request = replace(request, settings=self._settings)
        places = [
            asked_for(request, model=one.model, endpoint=one.endpoint) for one in self._origins
        ]
        found: list[Completion] = []
        for index in range(request.first, request.first + request.n):
            here = (find_stored(self._store, (asked, index)) for asked in places)
            completion = next(filter(None, here), None)
            # Only up to the first gap: a caller counts samples by their index, and asks for the
            # rest.
            if completion is None:
                break
            found.append(completion)
        return found

    def _nothing(self) -> NotRecordedError:
        return NotRecordedError(
            "the record holds no answer to this",
            "record it again with the same options",
            model=self._name,
            endpoint=self.endpoint,
        )


def _origins(path: Path) -> tuple[Origin, ...]:
    """Whose completions the lines of a record are, in order. The lines were read before."""
    found: dict[tuple[str, str], set[bool]] = {}
    # -sig: an editor may have put a byte order mark at the beginning.
    with path.open(encoding="utf-8-sig") as lines:
        for line in filter(str.strip, lines):
            record = json.loads(line)
            kinds = found.setdefault((record["endpoint"], record["model"]), set())
            kinds.add("schema" in record["parameters"])
    if not found:
        raise RecordError(path, None, "it holds no completion")
    return tuple(Origin(*whose, True in kinds, False in kinds) for whose, kinds in found.items())
