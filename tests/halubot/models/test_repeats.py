"""However much fails, so many calls become no more than `most_calls` says."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import BaseModel

from halubot.models.budget import Budget, most_calls
from halubot.models.limits import LimitedModel, Limits, Provider, Retry
from halubot.models.model import Message, Request
from halubot.models.model_errors import (
    ModelError,
    RefusedKeyError,
    ServerFaultError,
    UnknownModelError,
    UnreachableError,
)
from halubot.models.structured import Answer, ask
from halubot.testing import ScriptedModel


class Reply(BaseModel):
    """An answer of one word."""

    word: str


def again(reason: str, schema: str) -> str:
    return f"{reason}\n{schema}"


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
    return await asyncio.gather(
        *(ask(model, request, Reply, note=again) for request in asked(count))
    )


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_faults_and_useless_answers_together_stay_within_the_bound(count: int) -> None:
    lines: list[str | Exception] = [fault(), fault(), "prose"]
    turn = iter(range(10**6))
    model = ScriptedModel(lambda _: lines[next(turn) % 3])
    budget = Budget()
    found = asyncio.run(answers(limited(model, budget), count))
    assert all(answer.value is None and answer.reason for answer in found)
    assert count < model.calls == budget.usage.calls <= most_calls(count)


def test_the_last_failure_is_what_is_said() -> None:
    budget = Budget()
    model = limited(ScriptedModel(lambda _: fault()), budget)

    async def one() -> None:
        for request in asked(3):
            with pytest.raises(ServerFaultError):
                await model.complete(request)

    asyncio.run(one())
    assert budget.usage.calls == 9


@pytest.mark.parametrize("kind", [RefusedKeyError, UnknownModelError, UnreachableError])
def test_what_no_further_call_would_mend_is_noted_in_all_budgets(kind: type[ModelError]) -> None:
    whole = Budget()
    model = limited(ScriptedModel([fault(kind), fault(kind)]), whole.part())

    async def both() -> None:
        with pytest.raises(kind):
            await model.complete(asked(1)[0])

    asyncio.run(both())
    assert isinstance(whole.failure, kind)
