"""Models that another process asks: a worker of a batch has its calls made by the command that
started it, which has the budget, the pace and the store of all."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, Literal

from halubot.models.budget import Budget
from halubot.models.model import Capabilities, Completion, Listed, Request, Vector
from halubot.models.model_errors import ModelError

MESSAGE: Final[ContextVar[int]] = ContextVar("MESSAGE")
"""The place of the message that is checked: its calls have one budget where they are made."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked: ``role`` is "answer", "judge", or the name of a model for vectors.
    ``seconds`` are left of the deadline."""

    message: int
    role: str
    kind: Literal["complete", "embed", "listed"]
    what: Any = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a question: a value or an error. ``cached`` answers came from the store;
    ``failure`` is an error after which no further call would succeed."""

    value: Any = None
    error: ModelError | None = None
    failure: ModelError | None = None
    cached: int = 0
    capabilities: Capabilities | None = None


Ask = Callable[[Question], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class ModelElsewhere:
    """A model by its role; ``ask`` has it asked. `seat` gives it to one run."""

    name: str
    endpoint: str
    role: str
    ask: Ask
    known: list[Capabilities]
    """Its abilities, as the last reply told them."""

    @property
    def capabilities(self) -> Capabilities:
        """The abilities that are known by now."""
        return self.known[-1]

    def seat(self, budget: Budget, deadline: float | None) -> SeatElsewhere:
        """Return the model for one run, until a moment of `time.monotonic`."""
        return SeatElsewhere(self, budget, deadline)

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """As of `LanguageModel`."""
        return await self.seat(Budget(), None).complete(request)

    async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        """As of `LanguageModel`; the answer comes in one piece."""
        async for piece in self.seat(Budget(), None).stream(request):
            yield piece

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """As of `LanguageModel`."""
        return await self.seat(Budget(), None).embed(texts)

    async def listed(self) -> Listed:
        """As of `LanguageModel`."""
        return await self.seat(Budget(), None).listed()


class SeatElsewhere:
    """A model for one run; see `halubot.models.panel.Seat`."""

    def __init__(self, model: ModelElsewhere, budget: Budget, deadline: float | None) -> None:
        self._model = model
        self._budget = budget
        self._deadline = deadline
        self.cached = 0
        self.pairs: tuple[Any, ...] = ()

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
        """The abilities of the model that are known by now."""
        return self._model.capabilities

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """Between 1 and ``request.n`` completions. Raises a ModelError."""
        found: tuple[Completion, ...] = await self._ask("complete", request)
        return found

    async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        """The answer in one piece, then the whole. Raises a ModelError."""
        (completion, *_) = await self.complete(request)
        yield completion.text
        yield completion

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One vector a text. Raises a ModelError."""
        found: tuple[Vector, ...] = await self._ask("embed", tuple(texts))
        return found

    async def listed(self) -> Listed:
        """Return the published prices and limits of the model."""
        found: Listed = await self._ask("listed", None)
        return found

    async def _ask(self, kind: Literal["complete", "embed", "listed"], what: Any) -> Any:
        left = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
        model = self._model
        reply = await model.ask(Question(MESSAGE.get(), model.role, kind, what, left))
        self.cached += reply.cached
        if reply.capabilities is not None:
            model.known[:] = [reply.capabilities]
        if reply.failure is not None:
            self._budget.note_failure(reply.failure)
        if reply.error is not None:
            raise reply.error
        if kind == "complete" and not reply.cached:
            # For the report of this run: what it cost was counted where the call was made.
            with suppress(ModelError):
                async with self._budget.call(
                    None, model=self.name, endpoint=self.endpoint
                ) as receipt:
                    receipt.settle(reply.value)
        return reply.value
