"""A model within limits: the provider's pace, one policy for second attempts, time, and budget."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final, TypeVar

from halubot.concurrency import begin
from halubot.models.budget import ANSWER_TOKENS, Budget, Receipt, most_cost
from halubot.models.model import Completion, LanguageModel, Remote, Request, Wrapper
from halubot.models.model_errors import (
    ContextTooLongError,
    ModelError,
    RateLimitedError,
    RefusedParameterError,
    SlowModelError,
)
from halubot.models.pace import CONCURRENCY, Pace
from halubot.models.published import is_local

T = TypeVar("T")

HERE: Final = 8
"""Calls at once to a server on this machine if nobody says how many it answers: none tells, and one
that answers a single call loses nothing by the others waiting."""

LONGEST_HERE: Final = 4_096
"""The longest answer of a server on this machine, in tokens with its thoughts: those of a check
seldom take half of it, and one that does not end by itself holds up all other calls."""


@dataclass(frozen=True, slots=True)
class Retry:
    """When a call that failed is made again.

    ``attempts`` in all, at least 1; the waits between them double from ``first`` to ``longest``
    seconds, each shortened by up to a half by ``jitter`` (a number in [0, 1)). What the server
    asks for (retry-after) is waited for in full, and not at all if it is over ``longest``.
    """

    attempts: int = 3
    first: float = 0.5
    longest: float = 60.0
    jitter: Callable[[], float] = random.random

    def wait(self, failures: list[ModelError]) -> float | None:
        """Seconds before the next attempt after these failures of a call, None to give up. None at
        all if the next attempt leaves out what the server turned down."""
        *before, error = failures
        refused = [one.parameter for one in before if isinstance(one, RefusedParameterError)]
        if isinstance(error, RefusedParameterError) and error.parameter not in refused:
            return 0.0
        failed = len(failures) - len(set(refused))
        if not error.transient or failed >= self.attempts:
            return None
        # Jitter, so that calls that failed together do not come back together.
        usual = min(self.longest, self.first * 2.0 ** (failed - 1)) * (1 - self.jitter() / 2)
        asked = error.retry_after if isinstance(error, RateLimitedError) else None
        if asked is None:
            return usual
        return None if asked > self.longest else asked + self.jitter() * self.first


@dataclass(frozen=True, slots=True)
class Limits:
    """``call_seconds``: how long one call may take once it is sent and the model's library is
    loaded, and how long a stream may be silent. At a server on this machine that begins again
    with each answer it gives to another call. ``deadline``: a moment of `time.monotonic` at which
    everything ends, None for never. ``sleep`` is replaced in tests."""

    call_seconds: float = 60.0
    deadline: float | None = None
    retry: Retry = field(default_factory=Retry)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class Provider:
    """The parts that all requests to one provider share: its pace, and of a server on this machine
    (``local``) when it last gave an answer (seconds of `time.monotonic`). ``unbounded`` are its
    models whose answers have no length set: with one, prompts did not fit their context."""

    def __init__(self, pace: Pace | None = None, *, local: bool = False) -> None:
        self.pace = pace or Pace(HERE if local else CONCURRENCY)
        self.local = local
        self.answered_at = 0.0
        self.unbounded: set[str] = set()


@cache
def provider(endpoint: str) -> Provider:
    """The provider at that endpoint: one for the whole program."""
    return Provider(local=is_local(endpoint))


class LimitedModel(Wrapper):
    """A model whose every call waits its turn, is paid for from a budget, and ends in time.

    Every attempt is a call of the budget.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        budget: Budget | None = None,
        limits: Limits | None = None,
        shared: Provider | None = None,
        loading: Callable[[bool], None] = lambda _: None,
    ) -> None:
        """``loading`` hears when the model's library begins to load (False), and when it has."""
        super().__init__(model)
        self._loading = loading
        self._limits = limits or Limits()
        self._shared = shared or provider(model.endpoint)
        self.budget = budget or Budget()

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """Between 1 and ``request.n`` completions. Raises a ModelError."""
        with self._noting_failure():
            await self._load()
            bounded, most = await self._bounded(request)
            try:
                return await self._attempt(bounded, most)
            except ContextTooLongError:
                if bounded.max_tokens == request.max_tokens or self.budget.counts_money:
                    raise
            # vLLM refuses a prompt that does not fit together with the longest answer allowed.
            brought = await self._attempt(replace(request, again=True), None)
            self._shared.unbounded.add(self.name)
            return brought

    async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        """The pieces of an answer; asked again only while none has come. Raises a ModelError."""
        with self._noting_failure():
            await self._load()
            request, most = await self._bounded(request)
            failures: list[ModelError] = []
            begun = False
            while True:
                try:
                    async with AsyncExitStack() as stack:
                        async with self._before_deadline():
                            turn = self._turn(most, request.again or bool(failures))
                            receipt = await stack.enter_async_context(turn)
                        pieces = self._model.stream(request)
                        await stack.enter_async_context(aclosing(pieces))
                        while (piece := await self._in_time(anext(pieces, None))) is not None:
                            if isinstance(piece, Completion):
                                receipt.settle((piece,))
                            begun = True
                            yield piece
                    return
                except ModelError as error:
                    # What was shown cannot be taken back: a second attempt would write another
                    # beginning behind it.
                    if begun:
                        raise
                    failures.append(error)
                await self._wait_for_next(failures)

    async def _attempt(self, request: Request, most: float | None) -> tuple[Completion, ...]:
        """Make a call as often as it takes and may be made."""
        failures: list[ModelError] = []
        async with self._before_deadline():
            while True:
                try:
                    async with self._turn(most, request.again or bool(failures)) as receipt:
                        brought = await self._in_time(self._model.complete(request))
                        receipt.settle(brought)
                        return brought
                except ModelError as error:
                    failures.append(error)
                await self._wait_for_next(failures)

    async def _wait_for_next(self, failures: list[ModelError]) -> None:
        """Returns when it is time for the next attempt. Raises the last failure if there is
        none."""
        wait, error = self._limits.retry.wait(failures), failures[-1]
        if wait is None or not self.budget.allows_again:
            raise error
        # All calls to this provider are held, not just this one: the others would be refused too.
        if isinstance(error, RateLimitedError) and error.retry_after is not None:
            self._shared.pace.hold(error.retry_after)
        if wait:
            async with self._before_deadline():
                await self._limits.sleep(wait)

    @contextmanager
    def _noting_failure(self) -> Iterator[None]:
        try:
            yield
        except ModelError as error:
            if error.hopeless:
                self.budget.note_failure(error)
            raise

    async def _load(self) -> None:
        """Load the model's library. The time of a call does not count this, the deadline does."""
        if isinstance(self._model, Remote) and not self._model.is_loaded:
            self._loading(False)
            async with self._before_deadline():
                # A thread that nobody has to wait for, at the end of the program either.
                await asyncio.shield(asyncio.wrap_future(begin(self._model.load, "halubot loads")))
            self._loading(True)

    async def _bounded(self, request: Request) -> tuple[Request, float | None]:
        """The request with a bound on its answer, at a server on this machine and if money is
        counted, and its price if it is."""
        # A hosted model ends by itself: no length is set unless money needs a bound.
        longest = ANSWER_TOKENS if self.budget.counts_money else None
        if self._shared.local and self.name not in self._shared.unbounded:
            longest = LONGEST_HERE
        if request.max_tokens is None:
            request = replace(request, max_tokens=longest)
        if not self.budget.counts_money:
            return request, None
        return request, most_cost(request, await self.listed())

    @asynccontextmanager
    async def _turn(self, most: float | None, again: bool) -> AsyncIterator[Receipt]:
        """One call: its place in the provider's pace, and its money."""
        async with (
            # The pace first: money reserved by a call that only waits for its turn would be missing
            # to others.
            self._shared.pace.turn(),
            self.budget.call(most, again=again, model=self.name, endpoint=self.endpoint) as receipt,
        ):
            try:
                yield receipt
            except ModelError as error:
                if error.unpaid:
                    receipt.nothing()
                raise

    async def _in_time(self, work: Awaitable[T]) -> T:
        """Return the result of a step of a call: all of it, or a piece of a stream. Raises
        SlowModelError."""
        seconds, shared = self._limits.call_seconds, self._shared
        task, began = asyncio.ensure_future(work), time.monotonic()
        try:
            async with self._before_deadline():
                while not task.done():
                    # A server on this machine may answer one call after the other: the time begins
                    # again with each answer to another call.
                    since = max(began, shared.answered_at) if shared.local else began
                    left = since + seconds - time.monotonic()
                    if left <= 0:
                        raise self._slow(f"no answer within {seconds:g} s", "--timeout")
                    await asyncio.wait({task}, timeout=left)
                found = task.result()
                shared.answered_at = time.monotonic()
                return found
        finally:
            if task.cancel():
                await asyncio.wait({task})

    @asynccontextmanager
    async def _before_deadline(self) -> AsyncIterator[None]:
        """Raise SlowModelError when the time for everything is over."""
        deadline = self._limits.deadline
        try:
            # Work that never waits would not be stopped by the timeout.
            if deadline is not None and deadline <= time.monotonic():
                raise TimeoutError
            async with asyncio.timeout(None if deadline is None else deadline - time.monotonic()):
                yield
            return
        except TimeoutError:
            pass
        # Raised outside of the handler: an error lives as long as a report names it, and with the
        # cancelled call as its context it would keep the answer in memory.
        raise self._slow("the time for all was over", "--deadline")

    def _slow(self, why: str, option: str) -> SlowModelError:
        remedy = f"give it more with {option}"
        return SlowModelError(why, remedy, model=self.name, endpoint=self.endpoint)
