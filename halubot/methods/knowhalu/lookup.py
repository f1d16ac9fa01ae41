"""The details of texts, looked up query by query (KnowHalu, section 3.2 a to c).

Merged, one call writes down what was found in both forms of knowledge and asks the next query, for
several texts together. As published a thought leads to each query, and what was found is written
down in a call of its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, zip_longest
from typing import Annotated, Any, Final, Literal, NamedTuple, Self

from pydantic import BaseModel, Field, model_validator

from halubot.concurrency import aside
from halubot.errors import KnowledgeError
from halubot.events import Emit, Progress
from halubot.evidence.knowledge.named_bases import Knowledge
from halubot.evidence.retrieval import Index, Passage, word_starts
from halubot.methods.calls.extraction import Said, state_triple
from halubot.methods.calls.session import Fields, ModelSession, one_line, value_or_reason
from halubot.methods.knowledge_passages import Cited
from halubot.methods.registry import Case
from halubot.report import Source, Span, Triple
from halubot.text import Document, language

Form = Literal["text", "triplets"]
Finding = Literal["agrees", "contradicts", "nothing"]
Ending = Literal["contradicted", "covered", "repeated", "bounded", "broken"]

FORMS: Final[tuple[Form, Form]] = ("text", "triplets")
MOST_STEPS: Final = 9
"""Queries to a text at most."""
OPENING: Final = 300
"""Characters of a text that stand for its first query if the judge asks none."""
NOTHING: Final = "No specific information is available"
"""The knowledge if sources say nothing of a query; the prompts say it in these words."""
NAMES: Final[Mapping[Form, str]] = {"text": "sentence", "triplets": "triplets"}
"""What the prompts call each form of knowledge."""
WORDS: Final = {True: 39, False: 100}
"""Words of a passage: of one document fewer than 40; of several references, and beside
knowledge."""
NEAREST: Final = {True: 3, False: 2}
"""How many passages are retrieved for each form of a query, likewise."""
READ: Final = 5_000
"""Characters of a reference by which its language is told."""
NONE: Final = "NONE"
"""What is extracted if the answer does not say it."""

_Line = Annotated[str, Field(max_length=400)]
_Sentence = Annotated[str, Field(max_length=1500)]
_Triplets = Annotated[list[Said], Field(max_length=20)]
_WORD: Final = re.compile(r"\w+")


class Asked(BaseModel):
    """The next query; both forms are blank if there is nothing more to ask."""

    detail: _Line
    specific: _Line
    general: _Line


class _Thinking(BaseModel):
    thought: str = Field(max_length=1000)


class Thought(Asked, _Thinking):
    """The next query, with the thought that leads to it written down first."""


class Target(BaseModel):
    """What the question asks for, and the words of the answer that say it.

    ``outcome`` is "given" if there are such words, "none" if there are not, and "refused" for an
    answer that declines to answer, which states nothing wrong.
    """

    asked: str = Field(max_length=400)
    extracted: str = Field(max_length=1000)
    outcome: Literal["given", "none", "refused"]

    @model_validator(mode="after")
    def _extracted_if_given(self) -> Self:
        if self.outcome == "given" and self.extracted.strip(" .\"'") in ("", NONE):
            raise ValueError(f"the outcome is 'given', but what was extracted is {NONE}")
        return self


class Begun(Asked, Target):
    """What the question asks for, written down before the first query to the answer."""


class Learnt(BaseModel):
    """What passages say of a query, in both forms, and how that stands to its specific form."""

    sentence: _Sentence
    triplets: _Triplets
    finding: Finding


class LearntAndAsked(Asked, Learnt):
    """What the last query brought, written down before the next one."""


class Query(NamedTuple):
    """A query in both its forms; ``detail`` are the words of the text that it checks, "" if it
    finds out what the text takes for granted."""

    detail: str
    specific: str
    general: str

    @property
    def prompt_fields(self) -> dict[str, str]:
        """The query as the prompts show it."""
        # Shown twice, it would look like two queries.
        general = {} if self.general == self.specific else {"general": self.general}
        return {"specific": self.specific, **general}

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
    def of(cls, query: Query, passages: Sequence[Passage], learnt: Learnt, thought: str) -> Step:
        """Return the step with what was learnt, as it counts: if no passage was found nothing is
        known, and what is not known contradicts nothing."""
        sentence = "" if _is_nothing(learnt.sentence) else one_line(learnt.sentence)
        stated = (said.triple for said in learnt.triplets)
        triplets = tuple(
            one for one in stated if _WORD.search(one.tail) and not _is_nothing(str(one))
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

    def details(self) -> dict[str, Any]:
        found = [
            {
                "source": one.source.id,
                "title": one.source.title,
                "start": one.start,
                "end": one.end,
                "quote": one.text,
            }
            for one in self.passages
        ]
        return {
            **({"thought": self.thought} if self.thought else {}),
            **self.query._asdict(),
            "passages": found,
            "sentence": self.knowledge("text"),
            "triplets": [list(triplet) for triplet in self.triplets],
            "finding": self.finding,
        }


@dataclass(frozen=True, slots=True)
class Chain:
    """The steps of one text. ``reason`` says why it broke, if it did."""

    steps: tuple[Step, ...]
    ended: Ending
    reason: str | None = None

    def knows(self, form: Form) -> bool:
        return any(step.knowledge(form) != NOTHING for step in self.steps)


@dataclass(frozen=True, slots=True)
class Shelf:
    """The passages that queries are looked up in: of references the ``most`` nearest for each form
    of a query, and as many of ``knowledge``, which ``cite`` gives their ids."""

    index: Index
    most: int
    knowledge: Knowledge | None
    cite: Callable[[Sequence[Passage]], Sequence[Passage]]

    @classmethod
    def of(cls, case: Case, emit: Emit) -> Shelf:
        """Return the shelf of a case. Passages of knowledge are emitted as they are retrieved. Do
        it off the loop: all references are read."""
        references, most = _references(case), NEAREST[is_document(case)]
        cite = partial(Cited(case.references).cite, emit=emit)
        return cls(Index(references, WORDS[is_document(case)]), most, case.knowledge, cite)

    @property
    def holds_nothing(self) -> bool:
        return not len(self.index) and self.knowledge is None

    async def passages(self, query: Query) -> tuple[Passage, ...]:
        """The passages nearest to either form, each once, in turn from the nearest on: those of
        references, then those of knowledge. Raises KnowledgeError if there are no references
        and the knowledge cannot be searched."""
        forms = list(dict.fromkeys((query.specific, query.general)))
        rows = await aside(lambda: [self.index.search(form, self.most) for form in forms])
        searched: list[Sequence[Passage]] = []
        try:
            if self.knowledge is not None:
                for form in forms:
                    searched.append(self.cite(await self.knowledge.search(form, self.most)))
        except KnowledgeError:
            # With references at hand the others go on, and the failure was noted by the base.
            if not len(self.index):
                raise
        ranked = (one for part in (rows, searched) for turn in zip_longest(*part) for one in turn)
        found = {(one.source.id, one.start): one for one in ranked if one is not None}
        return tuple(found.values())


@dataclass(frozen=True, slots=True)
class Lookup:
    """Looks texts up, by their indexes, as published one by one. ``question`` is "" if none is
    known; ``around`` are the fields "languages" and "whole" of the prompts."""

    session: ModelSession
    shelf: Shelf
    question: str
    around: Fields
    as_published: bool

    async def chains(
        self,
        texts: Mapping[int, str],
        begun: Mapping[int, Asked] | None = None,
    ) -> dict[int, Chain]:
        """Return the chain of each text; ``begun`` has the first query if it was asked before. What
        was learnt before something fails is kept."""
        steps: dict[int, list[Step]] = {index: [] for index in texts}
        chains: dict[int, Chain] = {}
        asked, missing = (begun, {}) if begun else await self._ask(texts, steps)
        while True:
            chains |= {i: Chain(tuple(steps[i]), "broken", why) for i, why in missing.items()}
            queries: dict[int, Query] = {}
            for index, said in asked.items():
                query = self._query(said, "" if steps[index] else texts[index])
                ended = _why_ended(steps[index], query)
                if query is None or ended:
                    chains[index] = Chain(tuple(steps[index]), ended or "covered")
                else:
                    queries[index] = query
            if not queries:
                return chains
            try:
                found = {i: await self.shelf.passages(query) for i, query in queries.items()}
            except KnowledgeError as error:
                return chains | {i: Chain(tuple(steps[i]), "broken", str(error)) for i in queries}
            learnt, missing = await self._learn(texts, steps, queries, found)
            for index, one in learnt.items():
                said = asked[index]
                thought = one_line(said.thought) if isinstance(said, Thought) else ""
                steps[index].append(Step.of(queries[index], found[index], one, thought))
            turn = max(map(len, steps.values()))
            self.session.emit(Progress(what="looking up details", done=turn, of=MOST_STEPS))
            asked = {i: one for i, one in learnt.items() if isinstance(one, LearntAndAsked)}
            if self.as_published:
                full = [index for index in learnt if len(steps[index]) == MOST_STEPS]
                chains |= {index: Chain(tuple(steps[index]), "bounded") for index in full}
                left = {index: texts[index] for index in learnt if index not in full}
                asked, more = await self._ask(left, steps)
                missing = {**missing, **more}

    def _query(self, asked: Asked, opening: str) -> Query | None:
        """Return a query as it was asked, one form standing for the other if only one was written;
        None for none, but of a first query the text itself: else nothing would be checked."""
        detail, specific, general = map(one_line, (asked.detail, asked.specific, asked.general))
        if not (specific or general):
            if not opening:
                return None
            specific = one_line(opening)[:OPENING]
            general = one_line(self.question)[:OPENING]
        return Query(detail, specific or general, general or specific)

    async def _ask(
        self, texts: Mapping[int, str], steps: Mapping[int, Sequence[Step]]
    ) -> tuple[Mapping[int, Asked], Mapping[int, str]]:
        """Return the next query of each text, by one call, and why others have none."""

        def fields(wanted: Sequence[int]) -> Fields:
            told = {
                index: [{"thought": one.thought, **one.as_shown(*FORMS)} for one in steps[index]]
                for index in wanted
                if steps[index]
            }
            return {**self._fields(texts, wanted), "steps": told}

        prompt = "knowhalu-think" if self.as_published else "knowhalu-query"
        shape: type[Asked] = Thought if self.as_published else Asked
        answers = await self.session.ask_each(prompt, shape, [*texts], fields)
        return answers.found, answers.missing

    async def _learn(
        self,
        texts: Mapping[int, str],
        steps: Mapping[int, Sequence[Step]],
        queries: Mapping[int, Query],
        found: Mapping[int, Sequence[Passage]],
    ) -> tuple[Mapping[int, Learnt], Mapping[int, str]]:
        """Return what the passages say of the queries, by one call, and why that is not known of
        others; merged with the next queries, as published of a single text alone."""
        material = {index: _material(queries[index], found[index]) for index in queries}
        if self.as_published:
            ((index, shown),) = material.items()
            told = value_or_reason(await self.session.ask("knowhalu-knowledge", Learnt, shown))
            return ({}, {index: told}) if isinstance(told, str) else ({index: told}, {})

        def fields(wanted: Sequence[int]) -> Fields:
            told = {i: [one.as_shown(*FORMS) for one in steps[i]] for i in wanted if steps[i]}
            of_wanted = {index: material[index] for index in wanted}
            return {**self._fields(texts, wanted), "steps": told, "passages": of_wanted}

        answers = await self.session.ask_each("knowhalu-step", LearntAndAsked, [*queries], fields)
        return answers.found, answers.missing

    def _fields(self, texts: Mapping[int, str], wanted: Sequence[int]) -> dict[str, Any]:
        shown = {index: texts[index] for index in wanted}
        return {**self.around, "question": self.question, "texts": shown}


def _why_ended(steps: Sequence[Step], query: Query | None) -> Ending | None:
    """Return why a chain ends with these steps, the next query being this; None if it goes on."""
    if not steps:
        return None
    if steps[-1].finding == "contradicts":
        return "contradicted"
    if query is None:
        return "covered"
    # The same query would find the same passages, and never end.
    if query.words in {step.query.words for step in steps}:
        return "repeated"
    return "bounded" if len(steps) == MOST_STEPS else None


def segments(document: Document, words: int = 30) -> Iterator[Span]:
    """Yield each sentence by itself, or, if it has more than ``words`` words, as few pieces of it
    as will do, about equally long. In order, disjoint, never blank."""
    for start, end in document.sentences:
        starts = word_starts(document.plain, (start, end))
        # Evenly: cut at every 30 words, the last piece might be a word or two.
        pieces = max(1, math.ceil(len(starts) / words))
        cuts = [starts[number * len(starts) // pieces] for number in range(1, pieces)]
        for first, after in pairwise((start, *cuts, end)):
            # Of a piece that markup blanks, one character: a segment is never empty.
            yield first, first + len(document.plain[first:after].rstrip() or "x")


def is_document(case: Case) -> bool:
    """Return True if one document is all that is looked up in."""
    return len(_references(case)) == 1 and case.knowledge is None


def languages_of(case: Case) -> str:
    """The languages of the references, as ISO 639-1 codes, if they are not the message's."""
    # A query in the message's language finds nothing in references of another one.
    found = {language((source.text or "")[:READ]) for source in _references(case)}
    return ", ".join(sorted(found)) if found - {case.message.language, "und"} else ""


def _references(case: Case) -> tuple[Source, ...]:
    """The references; if knowledge is searched, those that were not found there before."""
    if case.knowledge is None:
        return case.references
    return tuple(source for source in case.references if source.kind != "knowledge")


def _material(query: Query, passages: Sequence[Passage]) -> dict[str, Any]:
    shown = [{"title": one.source.title, "text": one_line(one.text)} for one in passages]
    return {"general": "", **query.prompt_fields, "passages": shown}


def _is_nothing(text: str) -> bool:
    words = _WORD.findall(text.casefold())
    return not words or words == _WORD.findall(NOTHING.casefold())
