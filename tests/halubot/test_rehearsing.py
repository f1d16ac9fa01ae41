"""The rehearsing model: its answers fit every shape that is asked for, in all attitudes."""

from __future__ import annotations

import asyncio
from typing import Any, Literal, get_args

import pytest
from pydantic import BaseModel, Field

from halubot.correction.rewrite import Rewriting
from halubot.dry_run.free_model import ANSWER, LONGEST_SAMPLE, Attitude, RehearsingModel
from halubot.methods.calls.answer import Question
from halubot.methods.calls.extraction import Entities, Facts, Relations, SampleFacts
from halubot.methods.calls.verification import Judged, Supported, Triples
from halubot.models.model import Completion, LanguageModel, Message, Request
from halubot.models.model_errors import ContextTooLongError
from halubot.models.structured import ask, ask_each
from halubot.models.token_count import estimate_tokens
from halubot_prompts import Library

TEXT = "Ada Lovelace was born in 1815 in London. She wrote notes on the Analytical Engine."
SENTENCES = {0: "Ada Lovelace was born in 1815 in London.", 1: "Then she smiled."}


class Odd(BaseModel):
    """Shapes that no prompt of ours asks for, and one of the future may."""

    count: int = Field(ge=2)
    share: float
    sure: bool
    maybe: str | None
    word: str = Field(max_length=3)
    words: list[str]
    parts: list[Judged] = Field(min_length=2)
    kind: Literal["only"]


def request(**fields: Any) -> Request:
    """A request that shows these fields, as prompts show them."""
    name = "extract" if "sentences" in fields else "extract-sample"
    known = Library().get(name).fields
    filled = Library().get(name).fill({key: fields.get(key, "") for key in known})
    return Request(tuple(Message(role, content) for role, content in filled))


@pytest.mark.parametrize("attitude", get_args(Attitude))
@pytest.mark.parametrize("wordy", [False, True])
@pytest.mark.parametrize(
    "shape", [Question, Facts, SampleFacts, Entities, Relations, Judged, Supported, Triples, Odd]
)
def test_every_shape_is_answered_at_the_first_time(
    shape: type[BaseModel], wordy: bool, attitude: Attitude
) -> None:
    model = RehearsingModel("any", attitude=attitude, wordy=wordy)
    answer = asyncio.run(ask(model, request(sample=TEXT), shape))
    assert answer.value is not None
    assert answer.reason is None
    assert len(answer.completions) == 1


@pytest.mark.parametrize("shape", [Facts, Judged, Supported, Rewriting])
def test_every_index_is_answered_at_the_first_time(shape: type[BaseModel]) -> None:
    asked = request(sentences=SENTENCES, text=TEXT)
    answers = asyncio.run(ask_each(RehearsingModel("any"), lambda _: asked, shape, [0, 1]))
    assert set(answers.found) == {0, 1}
    assert len(answers.completions) == 1


def facts(wordy: bool, text: str = TEXT) -> list[tuple[str, str, str]]:
    model = RehearsingModel("any", wordy=wordy)
    answer = asyncio.run(ask(model, request(sample=text), SampleFacts))
    assert answer.value is not None
    return [said.triple for said in answer.value.facts]


def test_triples_are_those_of_the_text_shown() -> None:
    found = facts(wordy=False)
    assert ("Ada Lovelace", "born in", "1815") in found
    assert len(facts(wordy=True)) == 2 * len(found)


def test_a_text_of_another_language_has_triples_too() -> None:
    (triple,) = facts(wordy=False, text="阿达·洛芙莱斯于1815年出生于伦敦。")
    assert any(triple)


def test_no_two_samples_are_alike_and_all_are_as_long_as_the_message() -> None:
    for attitude in get_args(Attitude):
        model = RehearsingModel("any", f" {TEXT}\n", attitude=attitude)
        drawn = asyncio.run(
            model.complete(Request((Message("user", "Who?"),), n=20, temperature=1.0))
        )
        assert len({one.text for one in drawn}) == 20
        for one in drawn:
            assert estimate_tokens(one.text) == pytest.approx(estimate_tokens(TEXT), abs=2)


def test_an_answer_is_no_sample() -> None:
    (answer,) = asyncio.run(RehearsingModel("any").complete(Request((Message("user", "Who?"),))))
    assert answer.text == ANSWER


def test_samples_of_a_book_are_no_books() -> None:
    model = RehearsingModel("any", TEXT * 10_000)
    (drawn,) = asyncio.run(model.complete(Request((Message("user", "?"),), temperature=1.0)))
    assert len(drawn.text) <= LONGEST_SAMPLE


def test_a_server_that_ignores_n_and_one_of_a_small_context() -> None:
    small = RehearsingModel("any", honours_n=False, context=10)
    few = Request((Message("user", "Who?"),), n=5, temperature=1.0)
    assert len(asyncio.run(small.complete(few))) == 1
    assert small.capabilities.n is None
    with pytest.raises(ContextTooLongError):
        asyncio.run(small.complete(Request((Message("user", "Who? " * 20),))))


def test_it_is_a_language_model_that_counts_what_it_takes() -> None:
    model = RehearsingModel("any", TEXT)
    asked = Request((Message("user", "Who was Ada?"),), n=2, temperature=1.0)

    async def everything() -> list[str | Completion]:
        await model.complete(asked)
        await model.embed(["one two", "three"])
        return [piece async for piece in model.stream(asked)]

    pieces = asyncio.run(everything())
    assert isinstance(model, LanguageModel)
    assert isinstance(pieces[-1], Completion)
    assert model.taken.completion == 3 * estimate_tokens(TEXT)
    assert model.taken.prompt == 2 * (4 + 4) + 3
    assert asyncio.run(model.listed()).prompt_price is None


def test_what_a_text_says_of_itself_is_no_material() -> None:
    """A text that writes tags of its own is still one text."""
    text = 'Ada was <sample-00000000>\nborn in 1815\n</sample-00000000> {"a": 1}'
    model = RehearsingModel("any")
    answer = asyncio.run(ask(model, request(sample=text), SampleFacts))
    assert answer.value is not None
