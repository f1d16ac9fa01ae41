"""Pace, second attempts, time, money, and one request for two who ask it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable

import pytest

from halubot.models.budget import Budget, most_tokens
from halubot.models.limits import LimitedModel, Limits, Provider, Retry
from halubot.models.model import (
    Completion,
    LanguageModel,
    Listed,
    Message,
    Request,
)
from halubot.models.model_errors import (
    BudgetSpentError,
    ModelError,
    RateLimitedError,
    RefusedKeyError,
    ServerFaultError,
    SlowModelError,
    UnreachableError,
)
from halubot.models.pace import Pace
from halubot.rate import Rate, parse_rate
from halubot.testing import ScriptedModel

ASKED = Request((Message("user", "one two three"),))
OTHER = Request((Message("user", "four"),))
PRICED = Listed(prompt_price=0.001, completion_price=0.002)


class Clock:
    """A time that passes only when someone sleeps, and remembers for how long each did."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


class Gated(ScriptedModel):
    """A model that answers once its gate is open, and counts who waits."""

    def __init__(self, *, listed: Listed | None = None) -> None:
        super().__init__(lambda _: "fine", listed=listed)
        self.gate = asyncio.Event()
        self.waiting = 0
        self.given_up = 0

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        self.waiting += 1
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        finally:
            self.waiting -= 1
        return await super().complete(request)


def failure(kind: type[ModelError], *, retry_after: float | None = None) -> ModelError:
    error = kind("failed", "try again", model="scripted", endpoint="a script")
    if isinstance(error, RateLimitedError):
        error.retry_after = retry_after
    return error


def limited(
    model: LanguageModel,
    *,
    budget: Budget | None = None,
    clock: Clock | None = None,
    shared: Provider | None = None,
    retry: Retry | None = None,
    call_seconds: float = 20,
    deadline: float | None = None,
) -> LimitedModel:
    clock = clock or Clock()
    shared = shared or Provider(Pace(clock=clock, sleep=clock.sleep))
    retry = retry or Retry(jitter=lambda: 0.0)
    limits = Limits(call_seconds=call_seconds, deadline=deadline, retry=retry, sleep=clock.sleep)
    return LimitedModel(model, budget=budget, limits=limits, shared=shared)


async def settled() -> None:
    """Returns once every task has gone as far as it can."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_those_over_the_pace_wait_their_turn() -> None:
    async def work() -> None:
        model = Gated()
        paced = limited(model, shared=Provider(Pace(at_once=2)))
        requests = [Request((Message("user", str(number)),)) for number in range(5)]
        tasks = [asyncio.create_task(paced.complete(request)) for request in requests]
        await settled()
        assert model.waiting == 2
        model.gate.set()
        assert [len(await task) for task in tasks] == [1] * 5
        assert model.calls == 5

    asyncio.run(work())


def test_a_rate_holds_in_every_window_and_only_inside() -> None:
    clock = Clock()
    pace = Pace(clock=clock, sleep=clock.sleep)
    begun: list[float] = []

    async def request() -> None:
        async with pace.turn():
            begun.append(clock())

    async def work() -> None:
        with pace.limit(Rate(3, 10.0)):
            for number in range(8):
                await request()
                clock.now += 0.5
                if number == 4:
                    pace.hold(15.0)
        for _ in range(20):
            await request()

    asyncio.run(work())
    limited, free = begun[:8], begun[8:]
    assert all(later - sooner >= 10.0 for sooner, later in zip(limited, limited[3:], strict=False))
    assert len(set(free)) == 1


@pytest.mark.parametrize(
    ("text", "rate"),
    [("500/min", Rate(500, 60.0)), ("10/s", Rate(10, 1.0)), (" 9000/h ", Rate(9000, 3600.0))],
)
def test_a_rate_is_parsed(text: str, rate: Rate) -> None:
    assert parse_rate(text) == rate


def test_retry_after_is_waited_for_by_all() -> None:
    clock = Clock()
    model = ScriptedModel(["fine", "also"])
    model.fail(failure(RateLimitedError, retry_after=7))
    shared = Provider(Pace(clock=clock, sleep=clock.sleep))
    asyncio.run(limited(model, clock=clock, shared=shared).complete(ASKED))
    assert clock.slept[0] == 7
    assert clock.now == 107
    shared.pace.hold(5)
    asyncio.run(limited(model, clock=clock, shared=shared).complete(OTHER))
    assert clock.now == 112


def test_a_retry_after_of_an_hour_is_an_error_at_once() -> None:
    clock = Clock()
    model = ScriptedModel()
    model.fail(failure(RateLimitedError, retry_after=3600))
    with pytest.raises(RateLimitedError):
        asyncio.run(limited(model, clock=clock).complete(ASKED))
    assert (model.calls, clock.slept) == (1, [])


@pytest.mark.parametrize("kind", [RefusedKeyError, SlowModelError, UnreachableError])
def test_what_will_not_pass_is_not_tried_again(kind: type[ModelError]) -> None:
    model = ScriptedModel()
    model.fail(failure(kind))
    with pytest.raises(kind):
        asyncio.run(limited(model).complete(ASKED))
    assert model.calls == 1


def test_a_call_ends_in_time() -> None:
    async def work() -> None:
        model = Gated()
        with pytest.raises(SlowModelError, match=r"0\.01 s; give it more with --timeout"):
            await limited(model, call_seconds=0.01).complete(ASKED)
        assert model.given_up == 1

    asyncio.run(work())


def test_all_calls_end_at_the_deadline() -> None:
    async def work() -> None:
        model = Gated()
        over = limited(model, deadline=time.monotonic() - 1)
        for call in (over.complete(ASKED), anext(over.stream(ASKED))):
            with pytest.raises(SlowModelError, match="--deadline"):
                await call

    asyncio.run(work())


def test_calls_are_counted_before_they_are_made() -> None:
    model = ScriptedModel(lambda _: "fine")
    budget = Budget(max_calls=2)
    run = limited(model, budget=budget)
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: run.complete(ASKED),
        lambda: run.complete(ASKED),
        lambda: anext(run.stream(ASKED)),
    ]

    async def work() -> None:
        for call in calls[:2]:
            await call()
        for call in calls:
            with pytest.raises(BudgetSpentError, match="--max-calls"):
                await call()

    asyncio.run(work())
    assert model.calls == 2
    assert budget.usage.calls == 2


def test_second_attempts_are_calls_too() -> None:
    model = ScriptedModel()
    model.fail(failure(ServerFaultError), times=9)
    with pytest.raises(BudgetSpentError):
        asyncio.run(limited(model, budget=Budget(max_calls=2)).complete(ASKED))
    assert model.calls == 2


def test_money_is_counted_before_it_is_spent() -> None:
    model = ScriptedModel(lambda _: "four words of answer", listed=PRICED)
    request = Request((Message("user", "abc"),), max_tokens=4)
    most = most_tokens(request).prompt * 0.001 + 4 * 0.002
    budget = Budget(max_cost=most + 0.0091)
    run = limited(model, budget=budget)
    asyncio.run(run.complete(request))
    spent = budget.usage
    assert (spent.prompt_tokens, spent.completion_tokens) == (1, 4)
    assert spent.cost_usd == pytest.approx(0.009)
    asyncio.run(run.complete(request))
    with pytest.raises(BudgetSpentError, match=r"\$0\.0180 are spent.*--max-cost"):
        asyncio.run(run.complete(request))
    assert model.calls == 2


def test_calls_under_way_count_with_the_most_they_may_cost() -> None:
    async def work() -> None:
        model = Gated(listed=PRICED)
        request = Request(ASKED.messages, max_tokens=10)
        most = most_tokens(request)
        budget = Budget(max_cost=1.5 * (most.prompt * 0.001 + most.completion * 0.002))
        run = limited(model, budget=budget)
        first = asyncio.create_task(run.complete(request))
        await settled()
        second = asyncio.create_task(run.complete(Request(OTHER.messages, max_tokens=10)))
        await settled()
        assert model.waiting == 1  # the second waits until the first has told what it cost
        model.gate.set()
        await first
        await second
        assert budget.usage.calls == 2

    asyncio.run(work())


def test_a_call_that_never_fits_the_money_is_refused_at_once() -> None:
    async def work() -> None:
        model = Gated(listed=PRICED)
        request = Request(ASKED.messages, max_tokens=10)
        most = most_tokens(request)
        cost = most.prompt * 0.001 + most.completion * 0.002
        run = limited(model, budget=Budget(max_cost=cost))
        first = asyncio.create_task(run.complete(request))
        await settled()
        with pytest.raises(BudgetSpentError, match=r"\$0\.0000 are spent, and it may take"):
            await run.complete(Request(OTHER.messages, max_tokens=1_000))
        model.gate.set()
        await first

    asyncio.run(work())


def test_an_unknown_price_is_refused_unless_calls_are_limited() -> None:
    model = ScriptedModel(lambda _: "fine")
    with pytest.raises(BudgetSpentError, match=r"price is not known.*--max-calls"):
        asyncio.run(limited(model, budget=Budget(max_cost=1)).complete(ASKED))
    assert model.calls == 0
    asyncio.run(limited(model, budget=Budget(max_cost=1, max_calls=3)).complete(ASKED))


@pytest.mark.parametrize(("kind", "left"), [(RefusedKeyError, True), (SlowModelError, False)])
def test_a_call_that_failed_may_have_cost_its_most(kind: type[ModelError], left: bool) -> None:
    model = ScriptedModel(lambda _: "fine", listed=PRICED)
    model.fail(failure(kind))
    request = Request(ASKED.messages, max_tokens=10)
    most = most_tokens(request)
    budget = Budget(max_cost=most.prompt * 0.001 + most.completion * 0.002)
    run = limited(model, budget=budget)
    with pytest.raises(kind):
        asyncio.run(run.complete(request))
    if left:
        asyncio.run(run.complete(request))
    else:
        with pytest.raises(BudgetSpentError):
            asyncio.run(run.complete(request))


def test_a_stream_is_asked_again_only_while_nothing_came() -> None:
    class Breaking(ScriptedModel):
        async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
            async for piece in super().stream(request):
                yield piece
                raise failure(ServerFaultError)

    async def pieces(model: LanguageModel) -> list[str | Completion]:
        return [piece async for piece in limited(model).stream(ASKED)]

    model = ScriptedModel(["one two"])
    model.fail(failure(ServerFaultError))
    *words, last = asyncio.run(pieces(model))
    assert words == ["one", " two"]
    assert isinstance(last, Completion)
    assert model.calls == 2
    broken = Breaking(["one two", "one two"])
    with pytest.raises(ServerFaultError):
        asyncio.run(pieces(broken))
    assert broken.calls == 1
