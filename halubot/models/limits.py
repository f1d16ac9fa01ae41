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
    Sequence,
)
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeVar

from halubot.models.budget import ANSWER_TOKENS, Budget, Receipt, most_cost
from halubot.models.errors import (
    BudgetSpentError,
    ContextTooLongError,
    ModelError,
    RateLimitedError,
    RefusedKeyError,
    RefusedRequestError,
    SlowModelError,
    TooMuchAgainError,
    UnknownModelError,
    UnreachableError,
)
from halubot.models.flights import Flights
from halubot.models.model import (
    Capabilities,
    Completion,
    LanguageModel,
    Listed,
    Message,
    Remote,
    Request,
    Vector,
)
from halubot.models.pace import Pace
from halubot.models.retry import Attempts, Retry

T = TypeVar("T")

UNPAID = (
    ContextTooLongError,
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
    """``call_seconds``: how long one call may take once it is its turn and the model's library is
    loaded, and how long a stream may be silent. ``deadline``: a moment of `time.monotonic` at which
    everything ends, None for never. ``sleep`` is replaced in tests."""

    call_seconds: float = 60.0
    deadline: float | None = None
    retry: Retry = field(default_factory=Retry)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class Provider:
    """What everything that asks one provider shares: its pace, and the requests under way."""

    def __init__(self, pace: Pace | None = None) -> None:
        self.pace = pace or Pace()
        self.flights: Flights[tuple[Completion, ...]] = Flights()


@cache
def provider(endpoint: str) -> Provider:
    """The provider at that endpoint: one for the whole program."""
    return Provider()


class LimitedModel:
    """A model whose every call waits its turn, is paid for from a budget, and ends in time.

    The same request twice at once, even by two runs, goes out once, on the budget of the first.
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
        self._model = model
        self._loading = loading
        self._limits = limits or Limits()
        self._shared = shared or provider(model.endpoint)
        self.budget = budget or Budget()

    @property
    def name(self) -> str:
        """The model's own name."""
        return self._model.name

    @property
    def endpoint(self) -> str:
        """Who receives the text."""
        return self._model.endpoint

    @property
    def capabilities(self) -> Capabilities:
        """What was learnt of the model."""
        return self._model.capabilities

    async def listed(self) -> Listed:
        """What is published of the model."""
        return await self._model.listed()

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """Between 1 and ``request.n`` completions. Raises a ModelError."""
        mine = False

        async def call() -> tuple[Completion, ...]:
            nonlocal mine
            mine = True
            return await self._complete(request)

        while True:
            try:
                return await self._shared.flights.join((self.endpoint, self.name, request), call)
            except (BudgetSpentError, SlowModelError) as error:
                if mine:
                    self._note(error)
                    raise  # else it was another run whose money or time is over
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
        request, most = await self._priced(request)
        attempts = Attempts()
        begun, again = False, request.again
        while True:
            try:
                async with AsyncExitStack() as stack:
                    async with self._within(None):
                        receipt = await stack.enter_async_context(self._turn(most, again))
                    pieces = self._model.stream(request)
                    await stack.enter_async_context(aclosing(pieces))
                    while (piece := await self._next(pieces)) is not None:
                        if isinstance(piece, Completion):
                            receipt.paid((piece,))
                        begun = True
                        yield piece
                return
            except ModelError as error:
                if begun:
                    raise
                failure = error
            await self._again(attempts, failure)
            again = True

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One vector a text. Raises a ModelError."""
        if not texts:
            return ()
        await self._load()
        words = Request((Message("user", "\n".join(texts)),), max_tokens=1)
        _, most = await self._priced(words)

        async def call(_: Receipt) -> tuple[Vector, ...]:
            return await self._model.embed(texts)

        return await self._attempt(most, words, call)

    def _note(self, error: ModelError) -> None:
        nobody = isinstance(error, UnreachableError) and not error.transient
        if nobody or (isinstance(error, HOPELESS) and not isinstance(error, TooMuchAgainError)):
            self.budget.failed(error)

    async def _complete(self, request: Request) -> tuple[Completion, ...]:
        await self._load()
        request, most = await self._priced(request)

        async def call(receipt: Receipt) -> tuple[Completion, ...]:
            completions = await self._model.complete(request)
            receipt.paid(completions)
            return completions

        return await self._attempt(most, request, call)

    async def _load(self) -> None:
        """Load the model's library. The time of a call does not count this, the deadline does."""
        if not isinstance(self._model, Remote) or self._model.is_loaded:
            return
        tell = self._loading or (lambda _: None)
        tell(False)
        async with self._within(None):
            await self._model.load()
        tell(True)

    async def _priced(self, request: Request) -> tuple[Request, float | None]:
        """The request with a bound on its answer, and its price, where money is counted."""
        if not self.budget.counts_money:
            return request, None
        if request.max_tokens is None:
            request = replace(request, max_tokens=ANSWER_TOKENS)
        return request, most_cost(request, await self.listed())

    async def _attempt(
        self,
        most: float | None,
        request: Request,
        call: Callable[[Receipt], Coroutine[Any, Any, T]],
    ) -> T:
        attempts, again = Attempts(), request.again
        async with self._within(None):
            while True:
                try:
                    async with (
                        self._turn(most, again) as receipt,
                        self._within(self._limits.call_seconds),
                    ):
                        return await call(receipt)
                except ModelError as error:
                    failure = error
                await self._again(attempts, failure)
                again = True

    async def _next(self, pieces: AsyncIterator[str | Completion]) -> str | Completion | None:
        async with self._within(self._limits.call_seconds):
            return await anext(pieces, None)

    @asynccontextmanager
    async def _turn(self, most: float | None, again: bool) -> AsyncIterator[Receipt]:
        """One call: its place in the provider's pace, and its money."""
        where = {"model": self.name, "endpoint": self.endpoint}
        async with self._shared.pace.turn():
            with self.budget.call(most, again=again, **where) as receipt:
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
        """The time a call may take, and what is left in all."""
        left = self._left()
        late = seconds is None or (left is not None and left <= seconds)
        try:
            if left == 0:
                raise TimeoutError  # work that never waits would not be stopped
            async with asyncio.timeout(left if late else seconds):
                yield
        except TimeoutError:
            why = "the time for all was over" if late else f"no answer within {seconds:g} s"
            remedy = "give it more with --deadline" if late else "give it more with --timeout"
            slow = SlowModelError(why, remedy, model=self.name, endpoint=self.endpoint)
        else:
            return
        raise slow

    def _left(self) -> float | None:
        if self._limits.deadline is None:
            return None
        return max(0.0, self._limits.deadline - time.monotonic())

    async def _again(self, attempts: Attempts, error: ModelError) -> None:
        """Returns when it is time for the next attempt. Raises the error where there is none."""
        wait = attempts.wait(self._limits.retry, error)
        if not self.budget.allows_again:
            raise error
        if isinstance(error, RateLimitedError) and error.retry_after is not None:
            self._shared.pace.hold(error.retry_after)
        if wait:
            async with self._within(None):
                await self._limits.sleep(wait)
