"""The door to models, against a real server: what it sends is understood, what comes is read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar

import pytest
from pydantic import BaseModel, Field

from halubot.models import (
    Budget,
    Completion,
    Drawn,
    LimitedModel,
    Message,
    Request,
    ask,
    ask_each,
    draw,
    open_model,
)
from halubot.models.model_errors import (
    ContextTooLongError,
    RefusedKeyError,
    UnreachableError,
)
from tests.llama.serving import CONTEXT, SLOTS, llama_server

# litellm switches these warnings of pydantic off as it is imported, and pytest on again.

T = TypeVar("T")

ASKED = Request((Message("system", "Be brief."), Message("user", "Who was Ada Lovelace?")))
KEY = "of-this-test-alone"


class Verdict(BaseModel):
    """What a random model may fill in without writing for ever."""

    verdict: Literal["supported", "contradicted", "silent"]
    quote: str = Field(max_length=40)
    words: list[int] = Field(max_length=3)


@pytest.fixture
def model(server: str, nobody: Path) -> LimitedModel:
    """The model behind the server, of which nothing is known in an empty home, with a budget of
    its own."""
    return opened(server)


def opened(address: str) -> LimitedModel:
    """The model at that address."""
    return open_model("openai/tiny", address, budget=Budget())


def run(work: Callable[[], Awaitable[T]]) -> T:
    """The result of the work on a loop of its own, in time."""

    async def timed() -> T:
        return await asyncio.wait_for(work(), 120)

    return asyncio.run(timed())


def test_n_completions_come_in_one_call(model: LimitedModel) -> None:
    completions = run(lambda: model.complete(replace(ASKED, n=3, temperature=1.0)))
    assert len(completions) == 3
    assert len({one.text for one in completions}) > 1
    assert all(one.endpoint == model.endpoint for one in completions)
    assert completions[0].usage is not None
    assert completions[0].usage.prompt > 0
    assert model.budget.usage.calls == 1
    assert model.capabilities.n is True


def test_an_answer_of_its_longest_length_says_it_was_cut(model: LimitedModel) -> None:
    (completion,) = run(lambda: model.complete(replace(ASKED, max_tokens=1, temperature=0.0)))
    assert completion.finish_reason == "length"
    assert completion.usage is not None
    assert completion.usage.completion == 1


def test_one_seed_gives_one_answer_and_another_index_another(model: LimitedModel) -> None:
    async def drawn(first: int) -> str:
        request = replace(ASKED, seed=5, first=first, temperature=1.0)
        return (await model.complete(request))[0].text

    first, again, other = run(lambda: _in_turn(drawn(0), drawn(0), drawn(1)))
    assert first == again != other


def test_answers_of_a_fixed_shape_validate_at_the_first_attempt(model: LimitedModel) -> None:
    async def twelve() -> list[Verdict | None]:
        requests = [replace(ASKED, first=index, temperature=1.0) for index in range(12)]
        answers = await asyncio.gather(*(ask(model, request, Verdict) for request in requests))
        return [answer.value for answer in answers if answer.reason is None]

    values = run(twelve)
    assert len(values) == 12
    assert all(isinstance(value, Verdict) for value in values)
    assert model.budget.usage.calls == 12
    assert model.capabilities.schema is True


def test_each_index_has_its_answer(model: LimitedModel) -> None:
    indexes = (0, 3, 4, 11)
    answers = run(lambda: ask_each(model, lambda _: ASKED, Verdict, indexes))
    assert tuple(answers.found) == indexes
    assert not answers.missing
    assert model.budget.usage.calls == 1


def test_a_stream_is_whole(model: LimitedModel) -> None:
    async def streamed() -> list[str | Completion]:
        return [piece async for piece in model.stream(replace(ASKED, max_tokens=50))]

    *pieces, last = run(streamed)
    assert isinstance(last, Completion)
    assert last.text == "".join(map(str, pieces))
    assert last.text
    assert last.finish_reason in ("stop", "length")
    assert last.usage is not None
    assert last.usage.prompt > 0


@pytest.mark.parametrize(("n", "calls"), [(SLOTS, 1), (SLOTS + 2, SLOTS + 3)])
def test_samples_beyond_the_slots_of_the_server_are_drawn_one_by_one(
    model: LimitedModel, n: int, calls: int
) -> None:
    async def drawn() -> list[Drawn]:
        return [one async for one in draw(model, replace(ASKED, n=n, temperature=1.0))]

    samples = run(drawn)  # one call is refused, and the next brings one of them
    assert sorted(one.index for one in samples) == list(range(n))
    assert all(one.completion is not None for one in samples)
    assert model.budget.usage.calls == calls


def test_log_probabilities_come_with_their_rivals(model: LimitedModel) -> None:
    (completion,) = run(lambda: model.complete(replace(ASKED, logprobs=True, max_tokens=5)))
    assert completion.logprobs
    for token in completion.logprobs:
        assert token.logprob <= 0
        assert len(token.top) == 5
    assert model.capabilities.logprobs is True


def test_a_prompt_beyond_the_context_says_so(model: LimitedModel) -> None:
    long = Request((Message("user", "Ada " * CONTEXT),))
    with pytest.raises(ContextTooLongError):
        run(lambda: model.complete(long))
    answer = run(lambda: ask(model, long, Verdict))
    assert isinstance(answer.error, ContextTooLongError)


def test_a_server_with_a_key_is_opened_by_that_key_alone(
    binary: Path, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = replace(ASKED, max_tokens=5)
    with llama_server(binary, weights, "--api-key", KEY) as address:
        with pytest.raises(RefusedKeyError):
            run(lambda: opened(address).complete(request))
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        (completion,) = run(lambda: opened(address).complete(request))
    assert completion.text


def test_a_server_that_ended_is_not_reached(binary: Path, weights: Path) -> None:
    with llama_server(binary, weights) as address:
        pass
    with pytest.raises(UnreachableError):
        run(lambda: opened(address).complete(ASKED))


async def _in_turn(*work: Awaitable[T]) -> list[T]:
    return [await one for one in work]
