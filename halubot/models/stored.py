"""A model whose completions are kept as they came, and not asked for again; and one that answers
from a record of them, with no call."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from concurrent.futures import Future
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from halubot.models.model import (
    Capabilities,
    Completion,
    LanguageModel,
    Listed,
    Request,
    Settings,
    Wrapper,
)
from halubot.models.model_errors import NotRecordedError
from halubot_cache import Record, Store, StoreError
from halubot_cache import Request as Asked

T = TypeVar("T")

Pair = tuple[Asked, int]
"""What was asked, and the index of the sample: if a store keeps one completion."""

_COMPLETION = TypeAdapter(Completion)


class StoredModel(Wrapper):
    """A model with a store before it: what is stored takes no call.

    Completions are stored as they came, those cut off too; failures are not. Trouble with the
    store costs no answer: its ``problems`` say what is not kept, and why. With ``store`` None
    nothing is kept. Models that share ``used`` have one record: the places of the completions that
    were used, each once. ``settings`` go with each request. ``cached`` counts the answers that came
    from the store. What another run of this process is asking for is waited for, and not paid for
    twice.
    """

    def __init__(
        self,
        model: LanguageModel,
        store: Store | None,
        *,
        used: dict[Pair, None] | None = None,
        settings: Settings = (),
    ) -> None:
        super().__init__(model)
        self._settings = settings
        self._store = store
        self.used = {} if used is None else used
        self.cached = 0

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """Between 1 and ``request.n`` completions, from ``request.first`` on: those that are
        stored, up to the first that is not; or, if that is the first of all, what one call
        brings for those missing up to the next that is stored. Raises a ModelError.
        """
        request = replace(request, settings=self._settings)
        async with self._looking_up(request) as (pairs, found):
            if stored := tuple(filter(None, found)):
                self.cached += len(stored)
                self.used.update(dict.fromkeys(pairs))
                return stored
            # Only as many as are missing before the next stored one: a stored answer must keep its
            # index.
            fresh = await self._model.complete(replace(request, n=len(found)))
            return await self._keep(pairs, fresh[: len(found)])

    async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        """The pieces of an answer, then the whole, which is stored first; a stored one comes in
        one piece. Raises a ModelError."""
        request = replace(request, settings=self._settings)
        async with self._looking_up(replace(request, n=1)) as (pairs, (stored,)):
            if stored is not None:
                self.cached += 1
                self.used.update(dict.fromkeys(pairs))
                yield stored.text
                yield stored
                return
            async with aclosing(self._model.stream(request)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Completion):
                        # Before it is shown: a program that ends now has paid for it.
                        await self._keep(pairs, (piece,))
                    yield piece

    @asynccontextmanager
    async def _looking_up(
        self, request: Request
    ) -> AsyncIterator[tuple[list[Pair], list[Completion | None]]]:
        """The first of the samples asked for and those after it that are stored like it, or missing
        like it, with their places; no places without a store, and if it cannot say. Runs of this
        process that ask for the same, on other event loops too, wait until the end. The first
        completion stands for all of a request: the others are drawn in the same call."""
        store, pairs = self._store, list[Pair]()
        missing: list[Completion | None] = [None] * request.n
        if store is not None:
            with suppress(StoreError):
                asked = asked_for(request, model=self.name, endpoint=self.endpoint)
                pairs = [(asked, request.first + number) for number in range(request.n)]
        if store is None or not pairs:
            yield [], missing
            return
        key = (str(store.folder), store.namespace, pairs[0])
        while True:
            with _GUARD:
                other = _ASKED.get(key)
                if other is None:
                    own = _ASKED[key] = Future[None]()
                    break
            # Shielded: others wait for the same.
            await asyncio.shield(asyncio.wrap_future(other))
        try:
            try:
                found = await in_thread(lambda: _find_first(store, pairs))
            except StoreError:
                pairs, found = [], missing
            yield pairs[: len(found)], found
        finally:
            with _GUARD:
                del _ASKED[key]
            own.set_result(None)

    async def _keep(
        self, pairs: Sequence[Pair], fresh: tuple[Completion, ...]
    ) -> tuple[Completion, ...]:
        """The completions as the store has them now. If another process was first, its completion
        counts, so that the same is seen again."""
        store = self._store
        if store is None:
            return fresh

        def put() -> tuple[Completion, ...]:
            kept: list[Completion] = []
            with suppress(StoreError):
                for pair, one in zip(pairs, fresh, strict=False):
                    value = asdict(one)
                    del value["cached"]
                    store.put(*pair, value)
                    first = find_stored(store, pair) or one
                    kept.append(replace(first, usage=one.usage, cost=one.cost, cached=False))
            return (*kept, *fresh[len(kept) :])

        kept = await in_thread(put)
        self.used.update(dict.fromkeys(pairs[: len(kept)]))
        return kept


_GUARD = threading.Lock()
_ASKED: dict[tuple[str, str, Pair], Future[None]] = {}
"""What runs of this process are asking for."""


async def in_thread(work: Callable[[], T]) -> T:
    """The result of work that waits for a disk. It is done to its end also if nobody waits for
    it any more: what was paid for is kept."""
    return await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, work))


def asked_for(request: Request, *, model: str, endpoint: str) -> Asked:
    """Return the key of a request in the store. Raises UnstorableError for what is not JSON."""
    return Asked.of(
        endpoint=endpoint,
        model=model,
        messages=[{"role": one.role, "content": one.content} for one in request.messages],
        parameters={
            "temperature": request.temperature,
            "seed": request.seed,
            "max_tokens": request.max_tokens,
            # None is left out of a key, so that a parameter that is added later changes no key of
            # before.
            "logprobs": request.logprobs or None,
            "schema": request.schema and request.schema.json,
            **{f"set {name}": value for name, value in request.settings},
        },
    )


def find_stored(store: Store | Record, pair: Pair) -> Completion | None:
    """The completion kept there, if there is one that can be read."""
    try:
        completion = _COMPLETION.validate_python(store.get(*pair))
    except ValidationError:
        return None
    return replace(completion, cached=True)


def _find_first(store: Store, pairs: Sequence[Pair]) -> list[Completion | None]:
    """What is stored at these places, up to where stored ones and missing ones meet."""
    found: list[Completion | None] = []
    for pair in pairs:
        completion = find_stored(store, pair)
        if found and (found[0] is None) != (completion is None):
            break
        found.append(completion)
    return found


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
