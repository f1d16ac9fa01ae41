"""Segments of an answer, its target, a query for each detail, and what sources say of it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Final, Literal, NamedTuple, Self

from pydantic import BaseModel, Field, model_validator

from halubot.evidence.retrieval import Passage, passages, word_starts
from halubot.llm_calls.extraction import Said, state_triple
from halubot.methods.knowhalu.aggregation import Form
from halubot.report import Span, Triple
from halubot.text import Document, clean

Finding = Literal["agrees", "contradicts", "nothing"]
QueryForm = Literal["both", "specific", "general"]
Ending = Literal["contradicted", "covered", "repeated", "bounded", "broken"]

NOTHING: Final = "No specific information is available"
"""The knowledge where sources say nothing of a query; the prompts say it in these words."""

NAMES: Final[Mapping[Form, str]] = {"text": "sentence", "triplets": "triplets"}
"""What the prompts call each form of knowledge."""

_Line = Annotated[str, Field(max_length=400)]
_Sentence = Annotated[str, Field(max_length=1500)]
_Triplets = Annotated[list[Said], Field(max_length=20)]
_WORD: Final = re.compile(r"\w+")


class Asked(BaseModel):
    """The next query; both forms are blank where there is nothing more to ask."""

    detail: _Line
    specific: _Line
    general: _Line

    @property
    def query(self) -> Query | None:
        """The query, one form standing for the other if only one was written; None for none."""
        detail, specific, general = map(one_line, (self.detail, self.specific, self.general))
        if not (specific or general):
            return None
        return Query(detail, specific or general, general or specific)


class _Thinking(BaseModel):
    thought: str = Field(max_length=1000)


class Thought(Asked, _Thinking):
    """The next query, with the thought that leads to it written down first."""


class Learnt(BaseModel):
    """What passages say of a query, in both forms, and how that stands to its specific form."""

    sentence: _Sentence
    triplets: _Triplets
    finding: Finding


class LearntAndAsked(Asked, Learnt):
    """What the last query brought, which is written down before the next one."""


class LearntSentence(BaseModel):
    """What passages say of a query, as a sentence."""

    sentence: _Sentence
    finding: Finding


class LearntTriplets(BaseModel):
    """What passages say of a query, as triplets."""

    triplets: _Triplets
    finding: Finding


class Query(NamedTuple):
    """A query in both its forms; ``detail`` are the words of the text that it checks, "" if it
    finds out what the text takes for granted."""

    detail: str
    specific: str
    general: str

    def only(self, form: QueryForm) -> Query:
        """The query in that form alone, which then stands for both."""
        if form == "both":
            return self
        alone = self.specific if form == "specific" else self.general
        return Query(self.detail, alone, alone)

    @property
    def prompt_fields(self) -> dict[str, str]:
        """The query as the prompts show it: the general form is left out if it is no other."""
        # Shown twice, it would look like two queries.
        if self.general == self.specific:
            return {"specific": self.specific}
        return {"specific": self.specific, "general": self.general}

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the specific form, by which a query is known again."""
        return tuple(_WORD.findall(self.specific.casefold()))


@dataclass(frozen=True, slots=True)
class Step:
    """A query, the passages found for it, and the knowledge they hold: "" and no triplets if
    they say nothing of it. ``thought`` is what led to the query, as published."""

    query: Query
    passages: tuple[Passage, ...]
    sentence: str
    triplets: tuple[Triple, ...]
    finding: Finding
    thought: str = ""

    @classmethod
    def of(
        cls, query: Query, passages: Sequence[Passage], learnt: Learnt, thought: str = ""
    ) -> Step:
        """Return the step with what was learnt, as it counts: if no passage was found nothing is
        known, and what is not known contradicts nothing."""
        sentence = "" if _is_nothing(learnt.sentence) else one_line(learnt.sentence)
        triplets = tuple(
            triplet
            for triplet in (said.triple for said in learnt.triplets)
            if _WORD.search(triplet.tail) and not _is_nothing(str(triplet))
        )
        # A model that was shown no passage answers from memory.
        if not passages or learnt.finding == "nothing" or not (sentence or triplets):
            return cls(query, tuple(passages), "", (), "nothing", thought)
        return cls(query, tuple(passages), sentence, triplets, learnt.finding, thought)

    def knowledge(self, form: Form) -> str | list[str]:
        """Return the knowledge found, in that form; `NOTHING` if there is none."""
        if form == "text":
            return self.sentence or NOTHING
        return [state_triple(triplet) for triplet in self.triplets] or NOTHING

    def as_shown(self, *forms: Form) -> dict[str, Any]:
        """The step as the prompts show it, with the knowledge in these forms."""
        return {**self.query.prompt_fields, **{NAMES[form]: self.knowledge(form) for form in forms}}


@dataclass(frozen=True, slots=True)
class Chain:
    """The steps of one text. ``reason`` says why it broke, if it did."""

    steps: tuple[Step, ...]
    ended: Ending
    reason: str | None = None

    def knows(self, form: Form) -> bool:
        """Return True if anything is known in that form."""
        return any(step.knowledge(form) != NOTHING for step in self.steps)


def one_line(text: str) -> str:
    """A text on one line, with nothing in it that no text may hold."""
    return " ".join(clean(text)[0].split())


def _is_nothing(text: str) -> bool:
    words = _WORD.findall(text.casefold())
    return not words or words == _WORD.findall(NOTHING.casefold())


def segments(document: Document, words: int = 30, *, packed: bool = False) -> tuple[Span, ...]:
    """Each sentence by itself, or, if it has more than ``words`` words, as few pieces of it as
    will do, about equally long and cut between words. ``packed``, as published: as many whole
    sentences together as have at most ``words`` words. In order, disjoint, never blank."""
    return passages(document, words) if packed else tuple(_segments(document, words))


def _segments(document: Document, words: int) -> Iterator[Span]:
    for start, end in document.sentences:
        starts = word_starts(document.plain, (start, end))
        # Evenly: cut at every 30 words, the last piece might be a word or two.
        pieces = max(1, math.ceil(len(starts) / words))
        cuts = [starts[number * len(starts) // pieces] for number in range(1, pieces)]
        for first, after in pairwise((start, *cuts, end)):
            # Of a piece that markup blanks, one character: a segment is never empty.
            yield first, first + len(document.plain[first:after].rstrip() or "x")


Outcome = Literal["given", "none", "refused"]


NONE: Final = "NONE"
"""What is extracted if the answer does not say it."""


class Target(BaseModel):
    """What the question asks for, and the words of the answer that say it.

    ``outcome`` is "given" where there are such words, "none" where there are not, and "refused" for
    an answer that declines to answer, which states nothing wrong.
    """

    asked: str = Field(max_length=400)
    extracted: str = Field(max_length=1000)
    outcome: Outcome

    @model_validator(mode="after")
    def _extracted_where_given(self) -> Self:
        if self.outcome == "given" and self.extracted.strip(" .\"'") in ("", NONE):
            raise ValueError(f"the outcome is 'given', but what was extracted is {NONE}")
        return self


class Begun(Asked, Target):
    """What the question asks for, written down before the first query to the answer."""
