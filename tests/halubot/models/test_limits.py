"""Pace, second attempts, time, money, and one request for two who ask it."""

from __future__ import annotations

import asyncio
import itertools
import time
from bisect import bisect_left
from collections.abc import AsyncGenerator, Awaitable, Callable
from random import Random

import pytest

from halubot.errors import SettingError
from halubot.models.budget import ANSWER_TOKENS, Budget, most_tokens
from halubot.models.limits import LimitedModel, Limits, Provider
from halubot.models.model import (
    Completion,
    LanguageModel,
    Listed,
    Message,
    Request,
    Schema,
    TokenUsage,
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
from halubot.models.pace import Pace, Retry
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


def test_a_limited_model_is_a_language_model() -> None:
    model = limited(ScriptedModel())
    assert isinstance(model, LanguageModel)
    assert (model.name, model.endpoint) == ("scripted", "a script")


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


def test_a_place_in_the_line_given_up_is_passed_on() -> None:
    async def work() -> None:
        model = Gated()
        paced = limited(model, shared=Provider(Pace(at_once=1)))
        requests = [Request((Message("user", str(number)),)) for number in range(4)]
        tasks = [asyncio.create_task(paced.complete(request)) for request in requests]
        await settled()
        tasks[0].cancel()
        tasks[1].cancel()
        await settled()
        assert model.waiting == 1
        model.gate.set()
        assert [len(await task) for task in tasks[2:]] == [1, 1]
        assert model.given_up == 1

    asyncio.run(work())


def test_a_pace_holds_between_event_loops() -> None:
    pace = Pace(at_once=1)

    async def one() -> None:
        async with pace.turn():
            await asyncio.sleep(0)

    for _ in range(3):
        asyncio.run(one())

    async def across() -> None:
        async with pace.turn():
            other = asyncio.create_task(asyncio.to_thread(asyncio.run, one()))
            await settled()
            assert not other.done()
        await asyncio.wait_for(other, 90)

    asyncio.run(across())


def test_requests_a_minute() -> None:
    clock = Clock()
    pace = Pace(per_minute=2, clock=clock, sleep=clock.sleep)
    begun: list[float] = []

    async def work() -> None:
        for _ in range(5):
            async with pace.turn():
                begun.append(clock.now)
            clock.now += 10

    asyncio.run(work())
    assert begun[0] == 100
    gaps = [later - sooner for sooner, later in itertools.pairwise(begun)]
    assert all(29 < gap < 31 for gap in gaps)


@pytest.mark.parametrize("rate", [Rate(300, 60.0), Rate(10, 1.0), Rate(90, 60.0), Rate(9000, 3600)])
@pytest.mark.parametrize("late", [0.0, 0.03, 0.1])
def test_a_rate_is_spread_evenly_where_the_server_counts(rate: Rate, late: float) -> None:
    """64 calls wait for their moment. Timers are up to so many seconds late, a request takes up to
    0.2 s to arrive, and once the process stands still for 5 s."""
    clock, chance = Clock(), Random(7)  # noqa: S311 - the same each time
    arrived: list[float] = []

    async def sleep(seconds: float) -> None:
        clock.now += seconds + chance.uniform(0, late)
        if len(arrived) == 50:
            clock.now += 5
        await asyncio.sleep(0)

    pace = Pace(clock=clock, sleep=sleep)

    async def call() -> None:
        async with pace.turn():
            arrived.append(clock.now + chance.uniform(0, 0.2))

    async def work() -> None:
        with pace.limit(rate):
            for _ in range(10):
                await asyncio.gather(*(call() for _ in range(64)))

    asyncio.run(work())
    arrived.sort()
    a_second = rate.count / rate.seconds
    assert most_within(1.0, arrived) <= max(2, 2 * a_second)
    assert most_within(60.0, arrived) <= 60 * a_second
    if late < 0.1:  # it is used up
        assert len(arrived) / (arrived[-1] - arrived[0] - 5) > 0.9 * a_second


def most_within(seconds: float, times: list[float]) -> int:
    """The most of these moments, which are sorted, that lie in so many seconds."""
    return max(bisect_left(times, one + seconds) - at for at, one in enumerate(times))


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


@pytest.mark.parametrize("text", ["", "500", "0/min", "-1/s", "1.5/s", "5/day", "5 / s", "/min"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(SettingError, match="is not a rate"):
        parse_rate(text)


@pytest.mark.parametrize(("at_once", "per_minute"), [(0, None), (1, 0)])
def test_a_pace_that_stands_still_is_refused(at_once: int, per_minute: int | None) -> None:
    with pytest.raises(ValueError, match="at least one"):
        Pace(at_once, per_minute)


def test_waits_between_attempts_double_and_end() -> None:
    clock = Clock()
    model = ScriptedModel()
    model.fail(failure(ServerFaultError), times=9)
    with pytest.raises(ServerFaultError):
        asyncio.run(limited(model, clock=clock, retry=Retry(4, 0.5, 60, lambda: 0)).complete(ASKED))
    assert model.calls == 4
    assert clock.slept == [0.5, 1, 2]


def test_jitter_shortens_by_up_to_a_half() -> None:
    retry = Retry(jitter=lambda: 0.999_999)
    wait = retry.wait(1, failure(ServerFaultError))
    assert wait == pytest.approx(0.25, abs=1e-5)
    assert retry.wait(3, failure(ServerFaultError)) is None


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
        for call in (over.complete(ASKED), over.embed(["x"]), anext(over.stream(ASKED))):
            with pytest.raises(SlowModelError, match="--deadline"):
                await call

    asyncio.run(work())


def test_calls_are_counted_before_they_are_made() -> None:
    model = ScriptedModel(lambda _: "fine")
    budget = Budget(max_calls=2)
    run = limited(model, budget=budget)
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: run.complete(ASKED),
        lambda: run.embed(["x"]),
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


@pytest.mark.parametrize(
    ("request_", "prompt", "completion"),
    [
        (Request(()), 8, ANSWER_TOKENS),
        (Request((Message("user", ""),)), 16, ANSWER_TOKENS),
        (Request((Message("user", "abc"),), max_tokens=5), 17, 5),
        (Request((Message("user", "abcd"),), n=3, max_tokens=5), 18, 15),
        (Request((Message("user", "é字"),), n=2), 18, 2 * ANSWER_TOKENS),
        (Request((Message("system", "abc"), Message("user", "abc"))), 26, ANSWER_TOKENS),
        (Request((Message("user", "abc"),), schema=Schema("x", "{   }")), 19, ANSWER_TOKENS),
    ],
)
def test_the_most_tokens_of_a_request(request_: Request, prompt: int, completion: int) -> None:
    """Three bytes a token, and eight tokens for each message and for the whole."""
    assert most_tokens(request_) == TokenUsage(prompt, completion)


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


def test_who_gives_up_waiting_for_money_reserves_none() -> None:
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
        second.cancel()
        await settled()
        model.gate.set()
        await first
        assert budget.usage.calls == 1

    asyncio.run(work())


def test_an_unknown_price_is_refused_unless_calls_are_limited() -> None:
    model = ScriptedModel(lambda _: "fine")
    with pytest.raises(BudgetSpentError, match=r"price is not known.*--max-calls"):
        asyncio.run(limited(model, budget=Budget(max_cost=1)).complete(ASKED))
    assert model.calls == 0
    asyncio.run(limited(model, budget=Budget(max_cost=1, max_calls=3)).complete(ASKED))


def test_answers_have_a_length_where_money_is_counted() -> None:
    model = ScriptedModel(lambda _: "fine", listed=PRICED)
    asyncio.run(limited(model, budget=Budget(max_cost=1000)).complete(ASKED))
    asyncio.run(limited(model).complete(ASKED))
    assert [request.max_tokens for request in model.requests] == [ANSWER_TOKENS, None]


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


def test_the_same_request_twice_at_once_is_one() -> None:
    async def work() -> None:
        model = Gated()
        shared = Provider()
        budgets = [Budget(), Budget()]
        tasks = [
            asyncio.create_task(limited(model, shared=shared, budget=budget).complete(ASKED))
            for budget in budgets
        ]
        other = asyncio.create_task(
            limited(model, shared=shared).complete(Request(ASKED.messages, first=1))
        )
        await settled()
        assert model.waiting == 2
        model.gate.set()
        assert await tasks[0] == await tasks[1]
        await other
        assert model.calls == 2
        assert [budget.usage.calls for budget in budgets] == [1, 0]

    asyncio.run(work())


def test_a_shared_request_goes_on_while_anyone_waits() -> None:
    async def work() -> None:
        model = Gated()
        shared = Provider()
        tasks = [
            asyncio.create_task(limited(model, shared=shared).complete(ASKED)) for _ in range(3)
        ]
        await settled()
        tasks[0].cancel()
        await settled()
        assert model.waiting == 1
        model.gate.set()
        assert (await tasks[1])[0].text == "fine"
        assert (await tasks[2])[0].text == "fine"
        assert (model.calls, model.given_up) == (1, 0)

    asyncio.run(work())


def test_the_last_who_waits_stops_a_request_and_the_next_begins_anew() -> None:
    async def work() -> None:
        model = Gated()
        shared = Provider()
        first = asyncio.create_task(limited(model, shared=shared).complete(ASKED))
        await settled()
        first.cancel()
        second = asyncio.create_task(limited(model, shared=shared).complete(ASKED))
        await settled()
        model.gate.set()
        assert (await second)[0].text == "fine"
        assert (model.calls, model.given_up) == (1, 1)

    asyncio.run(work())


def test_another_runs_empty_purse_is_not_ones_own() -> None:
    async def work() -> None:
        model = ScriptedModel(lambda _: "fine")
        shared = Provider()
        poor = limited(model, shared=shared, budget=Budget(max_calls=0))
        rich = limited(model, shared=shared)
        answers = await asyncio.gather(
            poor.complete(ASKED), rich.complete(ASKED), return_exceptions=True
        )
        assert isinstance(answers[0], BudgetSpentError)
        assert not isinstance(answers[1], BaseException)

    asyncio.run(work())


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


class Loaded(ScriptedModel):
    """A model whose library loads while its gate is closed."""

    def __init__(self) -> None:
        super().__init__(lambda _: "fine")
        self.gate = asyncio.Event()

    @property
    def is_loaded(self) -> bool:
        return self.gate.is_set()

    async def load(self) -> None:
        await self.gate.wait()

    def find_obstacle(self) -> None:
        return None


@pytest.mark.parametrize("way", ["complete", "stream", "embed"])
def test_the_time_of_a_call_does_not_count_the_loading_of_its_library(way: str) -> None:
    async def work() -> None:
        inner, told = Loaded(), list[bool]()
        model = LimitedModel(
            inner, limits=Limits(call_seconds=0.05), shared=Provider(), loading=told.append
        )
        asyncio.get_running_loop().call_later(0.3, inner.gate.set)
        for _ in range(2):
            match way:
                case "complete":
                    assert (await model.complete(ASKED))[0].text == "fine"
                case "stream":
                    assert [piece async for piece in model.stream(ASKED)]
                case "embed":
                    assert await model.embed(["a"])
        assert told == [False, True]

    asyncio.run(work())


def test_a_deadline_counts_the_loading_of_a_library() -> None:
    async def work() -> None:
        limits = Limits(deadline=time.monotonic() + 0.05)
        model = LimitedModel(Loaded(), limits=limits, shared=Provider())
        with pytest.raises(SlowModelError, match="--deadline"):
            await model.complete(ASKED)

    asyncio.run(work())
