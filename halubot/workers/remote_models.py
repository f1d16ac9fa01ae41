"""Models in a process that checks: its calls are made by the process that started it.

So one library, one budget, one store and one pace serve all checks.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from halubot.errors import HalubotError
from halubot.events import LOADING, Emit, Progress
from halubot.models.budget import Budget
from halubot.models.model import Capabilities, Completion, Listed, Request
from halubot.models.panel import Panel, library
from halubot.report import Usage

if TYPE_CHECKING:
    from halubot.models.model_errors import ModelError
    from halubot.models.panel import Seat
    from halubot_cache import Problem

ANSWER, JUDGE = "answer", "judge"

Send = Callable[[tuple[Any, ...]], None]


@dataclass(frozen=True, slots=True)
class State:
    """What is known of a model and of what a check spent, after a call."""

    capabilities: Capabilities
    cached: int
    usage: Usage
    problems: tuple[Problem, ...]
    failure: ModelError | None = None
    """The error after which no further call would succeed."""


@dataclass(frozen=True, slots=True)
class Described:
    """A model as the process that checks has to know it before its first call."""

    name: str
    endpoint: str
    listed: Listed
    state: State


@dataclass(frozen=True, slots=True)
class Introduction:
    """The models of a panel by role, and its system prompt."""

    models: dict[str, Described]
    system: str


class ModelServer:
    """Makes the calls of one check, in the process that has the models."""

    def __init__(self, panel: Panel, emit: Emit, send: Send) -> None:
        self._panel = panel
        self._send = send
        self._budget = panel.budget.part()

        def loading(done: bool) -> None:
            emit(Progress(what=LOADING, done=int(done), of=1))

        models = {ANSWER: panel.answer}
        if panel.judge is not panel.answer:
            models[JUDGE] = panel.judge
        self._seats: dict[str, Seat] = {
            role: panel.seat(model, self._budget, loading) for role, model in models.items()
        }
        self._calls: dict[int, asyncio.Task[None]] = {}

    async def introduce(self) -> Introduction:
        """Return what the process has to know first."""
        models = {
            role: Described(seat.name, seat.endpoint, await seat.listed(), self._state(role))
            for role, seat in self._seats.items()
        }
        return Introduction(models, self._panel.system)

    def begin(self, number: int, role: str, request: Request) -> None:
        """Begin a call; its result is sent."""
        task = asyncio.get_running_loop().create_task(self._call(number, role, request))
        self._calls[number] = task
        task.add_done_callback(lambda _: self._calls.pop(number, None))

    def drop(self, number: int) -> None:
        """Stop a call for which nobody waits any more."""
        if number in self._calls:
            self._calls[number].cancel()

    async def settle(self) -> None:
        """Wait for the calls that are under way."""
        if calls := list(self._calls.values()):
            await asyncio.wait(calls)

    async def close(self) -> None:
        """Stop all calls."""
        for call in self._calls.values():
            call.cancel()
        await self.settle()

    async def _call(self, number: int, role: str, request: Request) -> None:
        found: tuple[Completion, ...] | HalubotError
        try:
            found = await self._seats[role].complete(request)
        except HalubotError as error:
            found = error
        self._send(("answer", number, found, self._state(role)))

    def _state(self, role: str) -> State:
        seat = self._seats[role]
        return State(
            seat.capabilities,
            seat.cached,
            self._budget.usage,
            self._panel.problems(),
            self._budget.failure,
        )


class Caller:
    """Sends the calls of one check and waits for their results, in the process that checks."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[tuple[Any, State]]] = {}
        self.usage = Usage()
        self.problems: tuple[Problem, ...] = ()
        self.failure: ModelError | None = None

    def hear(self, number: int, found: Any, state: State) -> None:
        """Take the result of a call."""
        waiting = self._waiting.get(number)
        if waiting is not None and not waiting.done():
            waiting.set_result((found, state))

    async def call(self, model: RemoteModel, request: Request) -> tuple[Completion, ...]:
        """Return the result of a call. Raises a ModelError."""
        number = next(self._numbers)
        waiting = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._send(("call", number, model.role, request))
        try:
            found, state = await waiting
        except asyncio.CancelledError:
            self._send(("drop", number))
            raise
        finally:
            del self._waiting[number]
        model.capabilities, model.cached = state.capabilities, state.cached
        self.usage, self.problems, self.failure = state.usage, state.problems, state.failure
        if isinstance(found, HalubotError):
            raise found
        completions: tuple[Completion, ...] = found
        return completions


class RemoteModel:
    """A `LanguageModel` whose calls another process makes. ``capabilities`` are what was known
    after the last call, ``cached`` is the number of answers that came from the store so far."""

    def __init__(self, caller: Caller, role: str, described: Described) -> None:
        self._caller = caller
        self._listed = described.listed
        self.role, self.name, self.endpoint = role, described.name, described.endpoint
        self.capabilities, self.cached = described.state.capabilities, described.state.cached

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """Return between 1 and ``request.n`` completions."""
        return await self._caller.call(self, request)

    async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        """Yield the answer in one piece, then the whole: nobody reads along."""
        whole = (await self.complete(request))[0]
        yield whole.text
        yield whole

    async def listed(self) -> Listed:
        """Return the published prices and limits of the model."""
        return self._listed


class _Account(Budget):
    """What a run spent of the budget that the other process keeps."""

    def __init__(self, caller: Caller, before: Usage) -> None:
        super().__init__()
        self._caller = caller
        self._at_start = before

    @property
    def usage(self) -> Usage:
        """What was spent since this was made."""
        now, before = self._caller.usage, self._at_start
        cost = now.cost_usd
        if cost is not None and before.cost_usd is not None:
            cost -= before.cost_usd
        return now.model_copy(
            update={
                "calls": now.calls - before.calls,
                "prompt_tokens": now.prompt_tokens - before.prompt_tokens,
                "completion_tokens": now.completion_tokens - before.completion_tokens,
                "cost_usd": cost,
            }
        )

    @property
    def failure(self) -> ModelError | None:
        """The last failure that no further call would mend; None if there was none."""
        return self._caller.failure

    def part(self) -> Budget:
        """Return an account for one of several runs."""
        return _Account(self._caller, self._caller.usage)


class RemotePanel(Panel):
    """A panel whose models another process calls."""

    def seat(self, model: Any, budget: Budget, loading: Any) -> Any:
        """Return the model itself: it is counted, stored and limited where it is called."""
        return model

    def problems(self) -> tuple[Problem, ...]:
        """Return the problems of the store, as of the last call."""
        assert isinstance(self.answer, RemoteModel)  # noqa: S101 - `open_remote` makes no other
        return self.answer._caller.problems


def open_remote(introduction: Introduction, caller: Caller) -> RemotePanel:
    """Return the panel of a check whose models another process calls."""
    made = {role: RemoteModel(caller, role, one) for role, one in introduction.models.items()}
    return RemotePanel(
        answer=made[ANSWER],
        judge=made.get(JUDGE, made[ANSWER]),
        prompts=library(),
        budget=_Account(caller, Usage()),
        system=introduction.system,
    )
