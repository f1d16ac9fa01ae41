"""A model whose completions are kept as they came, and not asked for again."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import Future
from contextlib import aclosing, suppress
from dataclasses import asdict, replace
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from halubot.models.model import (
    Completion,
    LanguageModel,
    Request,
    Settings,
    Wrapper,
)
from halubot_cache import Lease, Store, StoreError
from halubot_cache import Request as Asked

T = TypeVar("T")

WAIT = 0.2
"""Seconds between two looks at what another process is asking for."""

Pair = tuple[Asked, int]
"""What was asked, and the index of the sample: if a store keeps one completion."""

_COMPLETION = TypeAdapter(Completion)


class StoredModel(Wrapper):
    """A model with a store before it: what is stored takes no call.

    Completions are stored as they came, those cut off too; failures are not. Trouble with the
    store costs no answer: its ``problems`` say what is not kept, and why. With ``store`` None
    nothing is kept. Models that share ``used`` have one record. ``settings`` go with each request.
    What another run or process is asking for at the moment is waited for until ``deadline`` (a
    moment of `time.monotonic`), and not paid for twice.
    """

    def __init__(
        self,
        model: LanguageModel,
        store: Store | None,
        *,
        used: dict[Pair, None] | None = None,
        settings: Settings = (),
        deadline: float | None = None,
    ) -> None:
        super().__init__(model)
        self._settings = settings
        self._deadline = deadline
        self._store = store
        self._used = {} if used is None else used
        self._cached = 0

    @property
    def cached(self) -> int:
        """The number of answers that came from the store so far."""
        return self._cached

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The completions used so far, each once; `Store.export` makes a record of them."""
        return tuple(self._used)

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """Between 1 and ``request.n`` completions, from ``request.first`` on: those that are
        stored, up to the first that is not; or, if that is the first of all, what one call
        brings for those missing up to the next that is stored. Raises a ModelError.
        """
        store = self._store
        request = replace(request, settings=self._settings)
        if store is None:
            return await self._model.complete(request)
        pairs, found, turn = await self._stored_or_leased(store, request)
        try:
            if stored := tuple(filter(None, found)):
                self._note(pairs, cached=len(stored))
                return stored
            # Only as many as are missing before the next stored one: a stored answer must keep its
            # index.
            fresh = await self._model.complete(replace(request, n=len(found)))
            kept = await in_thread(lambda: _keep(store, pairs, fresh[: len(found)]))
        finally:
            turn.release()
        self._note(pairs[: len(kept)])
        return kept

    async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        """The pieces of an answer, then the whole, which is stored first; a stored one comes in
        one piece. Raises a ModelError."""
        store = self._store
        request = replace(request, settings=self._settings)
        if store is None:
            async with aclosing(self._model.stream(request)) as pieces:
                async for piece in pieces:
                    yield piece
            return
        pairs, found, turn = await self._stored_or_leased(store, replace(request, n=1))
        try:
            for completion in filter(None, found):
                self._note(pairs, cached=1)
                yield completion.text
                yield completion
                return
            async with aclosing(self._model.stream(request)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Completion):
                        whole = (piece,)
                        # Before it is shown: a program that ends now has paid for it.
                        await in_thread(lambda: _keep(store, pairs, whole))  # noqa: B023 - awaited
                        self._note(pairs)
                    yield piece
        finally:
            turn.release()

    async def _stored_or_leased(
        self, store: Store, request: Request
    ) -> tuple[list[Pair], list[Completion | None], _Turn]:
        """Return the stored completions, or else the turn to ask for them. While another run or
        process asks for the same, this one waits, for as long as the deadline lets it."""
        while True:
            loop = asyncio.get_running_loop()
            work = loop.run_in_executor(None, self._look_and_lease, store, request)
            try:
                pairs, found, turn = await asyncio.shield(work)
            except asyncio.CancelledError:
                # The thread goes on after a cancel and may come back with a lease, which nobody
                # else would release.
                work.add_done_callback(_release)
                raise
            late = self._deadline is not None and time.monotonic() >= self._deadline
            if isinstance(turn, _Turn) or late:
                return pairs, found, turn if isinstance(turn, _Turn) else _Turn()
            await self._wait_for(turn)

    async def _wait_for(self, other: Future[None] | None) -> None:
        """Wait until another run of this process is done, at most until the deadline; or a moment,
        if it is another process that asks."""
        if other is None:
            await asyncio.sleep(WAIT)
            return
        left = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
        with suppress(TimeoutError):
            async with asyncio.timeout(left):
                # Shielded: others wait for the same.
                await asyncio.shield(asyncio.wrap_future(other))

    def _look_and_lease(
        self, store: Store, request: Request
    ) -> tuple[list[Pair], list[Completion | None], _Turn | Future[None] | None]:
        """Return what is stored, and the turn; or the end of another run that asks, or None if
        another process does."""
        pairs = self._pairs(request)
        if not pairs:
            return [], [None] * request.n, _Turn()
        # One turn stands for all samples of the request: the others are missing as well, and are
        # drawn in the same call.
        key = (str(store.folder), store.namespace, pairs[0])
        with _GUARD:
            # A lease can be had again within a process. Runs that ask at the same moment share one
            # call (`Flights`), but one may come when the answer has just arrived and is not kept.
            other = _ASKED.get(key)
            if other is None:
                _ASKED[key] = Future()
        lease = None if other is not None else store.lease(*pairs[0])
        turn = None if lease is None else _Turn(key, lease)
        if turn is None and other is None:
            _Turn(key).release()
        # Looked up after the lease was had: before it, whoever had it may have kept an answer.
        pairs, found = self._look(store, request, pairs)
        if not pairs or any(found):
            if turn is not None:
                turn.release()
            return pairs, found, _Turn()
        return pairs, found, turn if turn is not None else other

    def _pairs(self, request: Request) -> list[Pair]:
        """Return where the samples asked for are stored; nothing if the store cannot say."""
        try:
            asked = asked_for(request, model=self.name, endpoint=self.endpoint)
        except StoreError:
            return []
        return [(asked, request.first + number) for number in range(request.n)]

    def _look(
        self, store: Store, request: Request, pairs: list[Pair]
    ) -> tuple[list[Pair], list[Completion | None]]:
        """The first of the samples asked for and those after it that are stored like it, or
        missing like it; no pairs if the store cannot say."""
        found: list[Completion | None] = []
        try:
            for pair in pairs:
                completion = find_stored(store, pair)
                if found and (found[0] is None) != (completion is None):
                    break
                found.append(completion)
        except StoreError:
            return [], [None] * request.n
        return pairs[: len(found)], found

    def _note(self, pairs: Sequence[Pair], *, cached: int = 0) -> None:
        self._used.update(dict.fromkeys(pairs))
        self._cached += cached


def _release(
    work: asyncio.Future[tuple[list[Pair], list[Completion | None], _Turn | Future[None] | None]],
) -> None:
    """Give back the turn that nobody waits for any more."""
    if work.cancelled() or work.exception() is not None:
        return
    *_, turn = work.result()
    if isinstance(turn, _Turn):
        turn.release()


_Key = tuple[str, str, Pair]

_GUARD = threading.Lock()
_ASKED: dict[_Key, Future[None]] = {}
"""What runs of this process are asking for."""


class _Turn:
    """The right to ask for one completion, among runs and processes; one without a key holds nobody
    off."""

    def __init__(self, key: _Key | None = None, lease: Lease | None = None) -> None:
        self._key = key
        self._lease = lease

    def release(self) -> None:
        """Give it back, once."""
        if self._lease is not None:
            self._lease.release()
        if self._key is not None:
            with _GUARD:
                done = _ASKED.pop(self._key, None)
            if done is not None:
                done.set_result(None)


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


def find_stored(store: Store, pair: Pair) -> Completion | None:
    """The completion kept there, if there is one that can be read."""
    try:
        completion = _COMPLETION.validate_python(store.get(*pair))
    except ValidationError:
        return None
    return replace(completion, cached=True)


def _keep(
    store: Store, pairs: Sequence[Pair], fresh: tuple[Completion, ...]
) -> tuple[Completion, ...]:
    """The completions as the store has them now. If another process was first, its completion
    counts, so that the same is seen again."""
    kept: list[Completion] = []
    with suppress(StoreError):
        for pair, one in zip(pairs, fresh, strict=False):
            value = asdict(one)
            del value["cached"]
            store.put(*pair, value)
            first = find_stored(store, pair) or one
            kept.append(replace(first, usage=one.usage, cost=one.cost, cached=False))
    return (*kept, *fresh[len(kept) :])
