"""A run again from its record, with no model."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

from halubot.models.model import Capabilities, Completion, Listed, Request, Settings
from halubot.models.model_errors import NotRecordedError
from halubot.models.stored import asked_for, find_stored, in_thread
from halubot_cache import Record


class ReplayedModel:
    """Answers from a record alone, whichever of the record's models gave the answer.

    ``name`` is that of the model whose part this takes, ``endpoint`` the record's file: nobody
    receives the text. ``cached`` counts the answers so far, and nothing is learnt from a record
    (``capabilities``). No call is made. What the record does not hold is a NotRecordedError.
    """

    capabilities = Capabilities()

    def __init__(self, record: Record, path: Path, name: str, settings: Settings = ()) -> None:
        self._settings = settings
        self._record = record
        self.name = name
        self.endpoint = str(path)
        self.cached = 0
        whose = {(one.endpoint, one.model): None for one in record.requests.values()}
        self._origins = sorted(whose, key=lambda one: one[1] != name)

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """The completions from ``request.first`` up to the first that is not recorded, at most
        ``request.n``. Raises NotRecordedError if that is the first of all."""
        found = await in_thread(lambda: self._look(request))
        if not found:
            raise NotRecordedError(
                "the record holds no answer to this",
                "record it again with the same options",
                model=self.name,
                endpoint=self.endpoint,
            )
        self.cached += len(found)
        return tuple(found)

    async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        """The answer in one piece, then the whole. Raises NotRecordedError."""
        whole = (await self.complete(request))[0]
        yield whole.text
        yield whole

    async def listed(self) -> Listed:
        """Nothing: no call is paid for."""
        return Listed()

    def _look(self, request: Request) -> list[Completion]:
        request = replace(request, settings=self._settings)
        places = [asked_for(request, model=one, endpoint=at) for at, one in self._origins]
        found: list[Completion] = []
        for index in range(request.first, request.first + request.n):
            here = (find_stored(self._record, (asked, index)) for asked in places)
            completion = next(filter(None, here), None)
            # Only up to the first gap: a caller counts samples by their index, and asks for the
            # rest.
            if completion is None:
                break
            found.append(completion)
        return found


def open_replay(path: Path, settings: Settings = ()) -> tuple[Record, ReplayedModel, ReplayedModel]:
    """A record, which whoever asks for it closes, and its models: the one that wrote freely (the
    answer, and samples), and the one whose answers have a fixed shape; both may be the same.
    Raises RecordError if the file cannot be read, or is no record."""
    record = Record(path)
    asked = record.requests.values()
    models = list(dict.fromkeys(one.model for one in asked))
    # A record names no roles: who wrote without a schema answered, who wrote with one judged.
    free = {one.model for one in asked if "schema" not in one.parameter_names}
    bound = {one.model for one in asked if "schema" in one.parameter_names}
    name = next(filter(free.__contains__, models), models[0])
    answer = judge = ReplayedModel(record, path, name, settings)
    if bound and name not in bound:
        other = next(filter(bound.__contains__, models))
        judge = ReplayedModel(record, path, other, settings)
    return record, answer, judge
