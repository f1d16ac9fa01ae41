"""However much fails, so many calls become no more than `most_calls` says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from pydantic import BaseModel

from halubot.models.budget import AT_ONCE, Budget, most_calls
from halubot.models.limits import LimitedModel, Limits, Provider
from halubot.models.model import Completion, Message, Request
from halubot.models.model_errors import (
    BudgetSpentError,
    ModelError,
    RefusedKeyError,
    RefusedParameterError,
    ServerFaultError,
    TooMuchAgainError,
    UnknownModelError,
    UnreachableError,
)
from halubot.models.pace import Retry
from halubot.models.structured import Answer, ask
from halubot.testing import ScriptedModel


class Reply(BaseModel):
    """An answer of one word."""

    word: str


async def at_once(seconds: float) -> None:
    """Sleeps for no time at all."""


def limited(model: ScriptedModel, budget: Budget) -> LimitedModel:
    limits = Limits(retry=Retry(jitter=lambda: 0.0), sleep=at_once)
    return LimitedModel(model, budget=budget, limits=limits, shared=Provider())


def fault(kind: type[ModelError] = ServerFaultError) -> ModelError:
    return kind("failed", "try again", model="scripted", endpoint="a script")


def asked(count: int) -> list[Request]:
    return [Request((Message("user", f"question {number}"),)) for number in range(count)]


async def answers(model: LimitedModel, count: int) -> list[Answer[Reply]]:
    return await asyncio.gather(*(ask(model, request, Reply) for request in asked(count)))


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_faults_and_useless_answers_together_stay_within_the_bound(count: int) -> None:
    lines: list[str | Exception] = [fault(), fault(), "prose"]
    turn = iter(range(10**6))
    model = ScriptedModel(lambda _: lines[next(turn) % 3])
    budget = Budget()
    found = asyncio.run(answers(limited(model, budget), count))
    assert all(answer.value is None and answer.reason for answer in found)
    assert count < model.calls == budget.usage.calls <= most_calls(count)


def test_what_succeeds_the_third_time_is_never_cut_short() -> None:
    tries: dict[str, int] = {}

    def third(request: Request) -> str | Exception:
        key = request.messages[0].content
        tries[key] = tries.get(key, 0) + 1
        return '{"word": "fine"}' if tries[key] == 3 else fault()

    model = ScriptedModel(third)
    budget = Budget()
    found = asyncio.run(answers(limited(model, budget), 20))
    assert all(answer.value == Reply(word="fine") for answer in found)
    assert model.calls == 60


def test_many_at_once_may_each_be_refused_every_parameter_once() -> None:
    tries: dict[str, int] = {}

    def picky(request: Request) -> str | Exception:
        key = request.messages[0].content
        tries[key] = tries.get(key, 0) + 1
        if tries[key] > 3:
            return '{"word": "fine"}'
        error = fault(RefusedParameterError)
        assert isinstance(error, RefusedParameterError)
        error.parameter = ("strict", "schema", "temperature")[tries[key] - 1]
        return error

    budget = Budget()
    found = asyncio.run(answers(limited(ScriptedModel(picky), budget), AT_ONCE))
    assert all(answer.value == Reply(word="fine") for answer in found)
    assert budget.usage.calls == 4 * AT_ONCE == most_calls(AT_ONCE)


def test_the_last_failure_is_what_is_said() -> None:
    budget = Budget()
    model = limited(ScriptedModel(lambda _: fault()), budget)

    async def one() -> None:
        for request in asked(3):
            with pytest.raises(ServerFaultError):
                await model.complete(request)

    asyncio.run(one())
    assert budget.usage.calls == 9


def test_a_call_made_again_is_refused_where_too_many_were() -> None:
    budget = Budget()
    (request,) = asked(1)
    model = limited(ScriptedModel(lambda _: "prose"), budget)

    async def again() -> None:
        await model.complete(request)
        for _ in range(3):
            await model.complete(Request(request.messages, again=True))
        with pytest.raises(TooMuchAgainError, match="too many of 4 calls"):
            await model.complete(Request(request.messages, again=True))

    asyncio.run(again())
    assert budget.failure is None


def test_streams_are_bounded_too() -> None:
    class Broken(ScriptedModel):
        async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
            self.requests.append(request)
            raise fault()
            yield ""

    model = Broken()
    budget = Budget()

    async def read() -> None:
        with pytest.raises(ServerFaultError):
            _ = [piece async for piece in limited(model, budget).stream(asked(1)[0])]

    asyncio.run(read())
    assert model.calls == 3


def test_a_call_refused_by_the_limits_is_noted() -> None:
    whole = Budget(max_calls=1)
    model = limited(ScriptedModel(lambda _: "fine"), whole.part())

    async def two() -> None:
        first, second = asked(2)
        await model.complete(first)
        with pytest.raises(BudgetSpentError):
            await model.complete(second)

    asyncio.run(two())
    assert isinstance(whole.failure, BudgetSpentError)


@pytest.mark.parametrize("kind", [RefusedKeyError, UnknownModelError, UnreachableError])
def test_what_no_further_call_would_mend_is_noted_in_all_budgets(kind: type[ModelError]) -> None:
    whole = Budget()
    model = limited(ScriptedModel([fault(kind), fault(kind)]), whole.part())

    async def both() -> None:
        with pytest.raises(kind):
            await model.complete(asked(1)[0])

    asyncio.run(both())
    assert isinstance(whole.failure, kind)


def test_a_fault_of_the_server_may_pass() -> None:
    budget = Budget()
    model = limited(ScriptedModel(lambda _: fault()), budget)

    async def failing() -> None:
        with pytest.raises(ServerFaultError):
            await model.complete(asked(1)[0])

    asyncio.run(failing())
    assert budget.failure is None


def test_two_who_wait_for_a_call_that_is_refused_are_both_told() -> None:
    (request,) = asked(1)
    model = limited(ScriptedModel(), Budget(max_calls=0))

    async def twice() -> None:
        found = await asyncio.gather(
            model.complete(request), model.complete(request), return_exceptions=True
        )
        assert all(isinstance(error, BudgetSpentError) for error in found)

    asyncio.run(twice())
