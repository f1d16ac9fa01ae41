"""Data with labels, written by the judge: answers from a source, mistakes in them, questions.

Sources: mistakes of three kinds, Osmanaj, "Open Information Extraction for Fact-Checking Large
Language Models" (TU Wien, 2025); answers from a source, question pairs and negated terms, Díaz de
Rábago, "Detección de alucinaciones en modelos del lenguaje grandes en el ámbito médico" (2024).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeVar

from pydantic import BaseModel, Field

from halubot.errors import HalubotError
from halubot.evaluation.synthesis.text_changes import Edit
from halubot.llm_calls.talk import Fields, Talk

T = TypeVar("T", bound=BaseModel)


MOST_QUESTIONS: Final = 20
"""Questions of one record at most."""


class NotMadeError(HalubotError):
    """A model wrote nothing that could be used, or only what changes nothing."""


class Answered(BaseModel):
    """An answer from a source."""

    answer: str = Field(min_length=1, max_length=20_000)


class Pair(BaseModel):
    """A question with a right and a wrong answer."""

    question: str = Field(min_length=1, max_length=2_000)
    right: str = Field(min_length=1, max_length=4_000)
    wrong: str = Field(min_length=1, max_length=4_000)


class Pairs(BaseModel):
    """Questions of one record."""

    pairs: list[Pair] = Field(min_length=1, max_length=MOST_QUESTIONS)


class _Planted(BaseModel):
    quote: str = Field(min_length=1, max_length=2_000)
    instead: str = Field(min_length=1, max_length=2_000)


class Mistake(_Planted):
    """A mistake of one of the three kinds."""

    kind: Literal["absolute fabrication", "contextual fabrication", "detail modification"]


class Opposite(_Planted):
    """A statement turned into its opposite."""

    kind: Literal["negated", "exchanged"]


class Mistakes(BaseModel):
    """The mistakes to plant in an answer."""

    changes: list[Mistake] = Field(min_length=1, max_length=4)


class Opposites(BaseModel):
    """The opposites to plant in a text."""

    changes: list[Opposite] = Field(min_length=1, max_length=3)


async def regenerate_answer(talk: Talk, question: str, source: str) -> str:
    """An answer from the source alone; a text about it if the question is empty. One call.
    Raises NotMadeError if none came."""
    told = await _ask(talk, "make-answer", Answered, {"question": question, "source": source})
    return told.answer


async def mistakes(talk: Talk, question: str, source: str, answer: str) -> list[Edit]:
    """Edits of a right answer that make it wrong by the source. One call. Raises NotMadeError
    if none fits the answer."""
    fields = {"question": question, "source": source, "answer": answer}
    return place_mistakes(answer, (await _ask(talk, "make-changes", Mistakes, fields)).changes)


async def opposites(talk: Talk, question: str, text: str) -> list[Edit]:
    """Edits that negate or exchange a term in one to three sentences. One call. Raises
    NotMadeError if none fits the text."""
    fields = {"question": question, "text": text}
    return place_mistakes(text, (await _ask(talk, "make-negations", Opposites, fields)).changes)


async def pairs(talk: Talk, record: str, count: int = 1) -> list[Pair]:
    """Up to ``count`` questions from a record, each once, with a right and a wrong answer. One
    call. Raises NotMadeError if none came, or both answers of each are the same."""
    fields: Fields = {"count": count, "record": record}
    told = await _ask(talk, "make-question", Pairs, fields)
    found = {
        " ".join(one.question.split()).casefold(): one
        for one in reversed(told.pairs)
        if " ".join(one.right.split()) != " ".join(one.wrong.split())
    }
    if not found:
        raise NotMadeError("the wrong answer of the model is the right one")
    return list(reversed(found.values()))[:count]


def place_mistakes(text: str, planted: Sequence[Mistake | Opposite]) -> list[Edit]:
    """The edits of what is to be planted; what quotes no words that stand in the text once, or
    changes nothing, is left out. Raises NotMadeError if nothing is left."""
    edits = [
        Edit(one.kind, text.index(one.quote), text.index(one.quote) + len(one.quote), one.instead)
        for one in planted
        if text.count(one.quote) == 1 and one.quote.split() != one.instead.split()
    ]
    if not edits:
        raise NotMadeError("none of the model's changes fits the text")
    return edits


async def _ask(talk: Talk, prompt: str, shape: type[T], fields: Fields) -> T:
    answer = await talk.ask(prompt, shape, fields)
    if answer.value is None or answer.reason is not None:
        raise NotMadeError(f"the model wrote nothing that could be used: {answer.reason}")
    return answer.value
