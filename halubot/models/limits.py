"""A model within limits: the provider's pace, one policy for second attempts, time, and budget."""

from __future__ import annotations

import asyncio
import time
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
)
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeVar

from halubot.models.budget import ANSWER_TOKENS, Budget, Receipt, most_cost
from halubot.models.model import Completion, LanguageModel, Remote, Request, Wrapper
from halubot.models.model_errors import (
    BudgetSpentError,
    ContextTooLongError,
    LocalFaultError,
    ModelError,
    RateLimitedError,
    RefusedKeyError,
    RefusedRequestError,
    SlowModelError,
    TooMuchAgainError,
    UnknownModelError,
    UnreachableError,
)
from halubot.models.pace import CONCURRENCY, HERE, Attempts, Pace, Retry, answer_room
from halubot.models.published import is_local

T = TypeVar("T")

# A timeout, a connection that broke and a failing server are not here: some providers charge for
# what they had begun.
UNPAID = (
    ContextTooLongError,
    LocalFaultError,
    RateLimitedError,
    RefusedKeyError,
    RefusedRequestError,
    UnknownModelError,
)
"""Failures that no provider charges for."""

HOPELESS = (BudgetSpentError, RefusedKeyError, UnknownModelError)
"""Failures after which another call would fail as well; so it is where nobody is there."""


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

    def allow(self, concurrency: int) -> None:
        """Have at most so many calls under way."""
        self.pace.at_once = concurrency

    async def wait_in_line(self, work: Callable[[], Coroutine[Any, Any, T]], seconds: float) -> T:
        """Return the result of a step of a call to a server on this machine, which may answer one
        call after the other: the time begins again with each answer to another call. Raises
        TimeoutError."""
        task, began = asyncio.create_task(work()), time.monotonic()
        try:
            while not task.done():
                left = max(began, self.answered_at) + seconds - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                await asyncio.wait({task}, timeout=left)
            found = task.result()
            self.answered_at = time.monotonic()
            return found
        finally:
            if task.cancel():
                await asyncio.wait({task})


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
        loading: Callable[[bool], None] | None = None,
    ) -> None:
        """``loading`` hears when the model's library begins to load (False), and when it has."""
        super().__init__(model)
        self._loading = loading
        self._limits = limits or Limits()
        self._shared = shared or provider(model.endpoint)
        self.budget = budget or Budget()

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """Between 1 and ``request.n`` completions. Raises a ModelError."""
        try:
            return await self._complete(request)
        except ModelError as error:
            self._note(error)
            raise

    async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        """The pieces of an answer; asked again only while none has come. Raises a ModelError."""
        try:
            async with aclosing(self._stream(request)) as pieces:
                async for piece in pieces:
                    yield piece
        except ModelError as error:
            self._note(error)
            raise

    async def _stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        await self._load()
        request, most = await self._bounded(request)
        attempts = Attempts()
        begun, again = False, request.again
        while True:
            try:
                async with AsyncExitStack() as stack:
                    async with self._within(None):
                        receipt = await stack.enter_async_context(self._turn(most, again))
                    pieces = self._model.stream(request)
                    await stack.enter_async_context(aclosing(pieces))
                    while (piece := await self._in_time(lambda: _next(pieces))) is not None:  # noqa: B023
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
                failure = error
            await self._again(attempts, failure)
            again = True

    def _note(self, error: ModelError) -> None:
        # A connection that broke may hold the next time; an address at which nobody answers will
        # not. Too many repeats do not end a run either: what was never asked may still go well.
        nobody = isinstance(error, UnreachableError) and not error.transient
        if nobody or (isinstance(error, HOPELESS) and not isinstance(error, TooMuchAgainError)):
            self.budget.note_failure(error)

    async def _complete(self, request: Request) -> tuple[Completion, ...]:
        await self._load()
        bounded, most = await self._bounded(request)
        try:
            return await self._sent(bounded, most)
        except ContextTooLongError:
            if bounded.max_tokens == request.max_tokens or self.budget.counts_money:
                raise
        # vLLM refuses a prompt that does not fit together with the longest answer that is allowed.
        brought = await self._sent(replace(request, again=True), None)
        self._shared.unbounded.add(self.name)
        return brought

    async def _sent(self, request: Request, most: float | None) -> tuple[Completion, ...]:
        attempts, again = Attempts(), request.again
        async with self._within(None):
            while True:
                try:
                    async with self._turn(most, again) as receipt:
                        brought = await self._in_time(lambda: self._model.complete(request))
                        receipt.settle(brought)
                        return brought
                except ModelError as error:
                    failure = error
                await self._again(attempts, failure)
                again = True

    async def _load(self) -> None:
        """Load the model's library. The time of a call does not count this, the deadline does."""
        if not isinstance(self._model, Remote) or self._model.is_loaded:
            return
        tell = self._loading or (lambda _: None)
        tell(False)
        async with self._within(None):
            await self._model.load()
        tell(True)

    async def _bounded(self, request: Request) -> tuple[Request, float | None]:
        """The request with a bound on its answer, at a server on this machine and if money is
        counted, and its price if it is."""
        # A hosted model ends by itself: no length is set unless money needs a bound.
        longest = ANSWER_TOKENS if self.budget.counts_money else None
        if self._shared.local and self.name not in self._shared.unbounded:
            longest = answer_room(request)
        if request.max_tokens is None:
            request = replace(request, max_tokens=longest)
        if not self.budget.counts_money:
            return request, None
        return request, most_cost(request, await self.listed())

    async def _in_time(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the result of a step of a call: all of it, or a piece of a stream. Raises
        SlowModelError."""
        seconds = self._limits.call_seconds
        if not self._shared.local:
            async with self._within(seconds):
                return await work()
        async with self._within(None):
            try:
                return await self._shared.wait_in_line(work, seconds)
            except TimeoutError:
                slow = self._slow(seconds)
        raise slow

    @asynccontextmanager
    async def _turn(self, most: float | None, again: bool) -> AsyncIterator[Receipt]:
        """One call: its place in the provider's pace, and its money."""
        where = {"model": self.name, "endpoint": self.endpoint}
        async with (
            # The pace first: money reserved by a call that only waits for its turn would be missing
            # to others.
            self._shared.pace.turn(),
            self.budget.call(most, again=again, **where) as receipt,
        ):
            try:
                yield receipt
            except ModelError as error:
                if isinstance(error, UNPAID) or (
                    isinstance(error, UnreachableError) and not error.transient
                ):
                    receipt.nothing()
                raise

    @asynccontextmanager
    async def _within(self, seconds: float | None) -> AsyncIterator[None]:
        """The time that something may take, and what is left in all."""
        left = self._time_left()
        late = seconds is None or (left is not None and left <= seconds)
        try:
            if left == 0:
                raise TimeoutError  # work that never waits would not be stopped
            async with asyncio.timeout(left if late else seconds):
                yield
        except TimeoutError:
            slow = self._slow(None if late else seconds)
        else:
            return
        # Raised outside of the handler: an error lives as long as a report names it, and with the
        # cancelled call as its context it would keep the answer in memory.
        raise slow

    def _slow(self, seconds: float | None) -> SlowModelError:
        """Return the error of a call that took its time, or with None all the time there was."""
        late = seconds is None
        why = "the time for all was over" if late else f"no answer within {seconds:g} s"
        remedy = "give it more with --deadline" if late else "give it more with --timeout"
        return SlowModelError(why, remedy, model=self.name, endpoint=self.endpoint)

    def _time_left(self) -> float | None:
        if self._limits.deadline is None:
            return None
        return max(0.0, self._limits.deadline - time.monotonic())

    async def _again(self, attempts: Attempts, error: ModelError) -> None:
        """Returns when it is time for the next attempt. Raises the error if there is none."""
        wait = attempts.wait(self._limits.retry, error)
        if not self.budget.allows_again:
            raise error
        # All calls to this provider are held, not just this one: the others would be refused too.
        if isinstance(error, RateLimitedError) and error.retry_after is not None:
            self._shared.pace.hold(error.retry_after)
        if wait:
            async with self._within(None):
                await self._limits.sleep(wait)


async def _next(pieces: AsyncIterator[str | Completion]) -> str | Completion | None:
    return await anext(pieces, None)
