"""The triples of references: taken from them by the judge, passage by passage, so that each triple
has its place, and their stance on facts, as the judge sees it.

Source: Osmanaj, "Open Information Extraction for Fact-Checking Large Language Models" (TU Wien,
2025), sections 3.2 and 3.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Final, NamedTuple

from pydantic import BaseModel, Field

from halubot.concurrency import aside, every
from halubot.evidence.context import Contexts, Part
from halubot.evidence.retrieval import passages
from halubot.methods.calls.extraction import Said, stated_triples
from halubot.methods.calls.portions import (
    SMALLEST,
    TOLD,
    WINDOW,
    batches,
    rows_of,
    split_in_half,
    too_long,
)
from halubot.methods.calls.session import Fields, ModelSession, value_or_reason
from halubot.methods.calls.verification import Judged
from halubot.models.model_errors import ContextTooLongError
from halubot.report import Stance, Triple
from halubot.text import read
from halubot_prompts import Plain

WORDS: Final = 120
"""Words of a passage at most."""

_BLANKS = re.compile(r"[^\S\n]+")


class PassageFacts(BaseModel):
    """The facts of one passage."""

    facts: list[Said] = Field(max_length=60)


class Stated(NamedTuple):
    """A triple and the passage that states it."""

    triple: Triple
    passage: Part


@dataclass(frozen=True)
class Dissection:
    """The triples of some references in their order, and their passages. ``missing`` are the
    passages that were not taken apart, by their places, each with the reason."""

    stated: tuple[Stated, ...] = ()
    passages: tuple[Part, ...] = ()
    missing: Mapping[int, str] = field(default_factory=dict)


async def dissect_references(session: ModelSession, parts: Sequence[Part]) -> Dissection:
    """The triples of these parts of references: one call for each `TOLD` characters, all at once.
    No text, no call. Raises SettingError for a prompt that is broken."""
    cut = await aside(lambda: tuple(_cut_text(parts)))

    async def take(row: Sequence[int]) -> tuple[dict[int, list[Triple]], Mapping[int, str]]:
        def fields(wanted: Sequence[int]) -> Fields:
            return {"passages": {place: _shown_fields(cut[place]) for place in wanted}}

        answers = await session.ask_each("triplet-reference", PassageFacts, row, fields)
        found = {place: stated_triples(told.facts) for place, told in answers.found.items()}
        return found, answers.missing

    texts = {place: _shown_fields(one)["text"] for place, one in enumerate(cut)}
    found: dict[int, list[Triple]] = {}
    missing: dict[int, str] = {}
    for own, lost in await every(take(row) for row in rows_of(texts, TOLD, len(cut))):
        found |= own
        missing |= lost
    # By place, whichever call ended first: the numbers of triples are in the report.
    stated = [Stated(triple, cut[place]) for place in sorted(found) for triple in found[place]]
    return Dissection(tuple(stated), cut, missing)


def _cut_text(parts: Sequence[Part]) -> Iterator[Part]:
    for source, start, end in parts:
        for first, last in passages(read((source.text or "")[start:end]), WORDS):
            yield Part(source, start + first, start + last)


def _shown_fields(passage: Part) -> dict[str, str]:
    text = (passage.source.text or "")[passage.start : passage.end]
    return {"title": passage.source.title, "text": _BLANKS.sub(" ", text)}


TRIPLES: Final = 240
"""Triples of references that facts are compared with in one call at most."""
CITED: Final = 12
"""Triples that an answer may name on either side."""


class Bare(BaseModel):
    """Where the triples stand towards the fact."""

    stance: Stance


class Reasoned(BaseModel):
    """What is asked of each fact where reasons come first."""

    supporting: list[int] = Field(max_length=CITED)
    contradicting: list[int] = Field(max_length=CITED)
    reasons: str = Field(max_length=400)
    stance: Stance


@dataclass(frozen=True)
class ComparedFact:
    """What the judge said of one fact beside some triples: those that it named on either side, by
    their numbers, and its reasons, where it was asked for them."""

    stance: Stance
    supporting: tuple[int, ...] = ()
    contradicting: tuple[int, ...] = ()
    reasons: str = ""


@dataclass(frozen=True)
class Compared:
    """The result of one call: which triples were shown, and of each fact asked about what was said
    or why nothing was."""

    triples: tuple[int, ...]
    found: Mapping[int, ComparedFact] = field(default_factory=dict)
    missing: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Style:
    """The style of comparing sets of triples: with ``detailed`` rules, with ``reasons`` before each
    stance, with the two ``examples`` of section 4.6. ``both`` adds our rule for a fact that triples
    both support and contradict, which the thesis does not have."""

    detailed: bool = False
    reasons: bool = False
    examples: bool = False
    both: bool = True

    @property
    def prompt(self) -> str:
        """The name of the prompt."""
        told = ["detailed"] * self.detailed + ["reasoning"] * self.reasons
        return "-".join(["triplet", *(told or ["baseline"])])

    def fields(self, session: ModelSession) -> Fields:
        """Return the fields of the prompt beside facts and triples."""
        kind = "-reasons" if self.reasons else ""
        part = session.panel.prompts.part
        names = ("one", "two") if self.examples else ()
        examples = [part(f"triplet-example-{name}{kind}") for name in names]
        shown: Fields = {"examples": Plain("\n\n".join(examples))}
        rule = part("triplet-both") if self.both else Plain("")
        return {**shown, "rule": rule} if self.reasons else shown


async def compare_triples(
    session: ModelSession,
    style: Style,
    facts: Mapping[int, str],
    triples: Sequence[str],
    *,
    apart: bool = False,
) -> list[Compared]:
    """Compares all facts with all triples, a call for each window of `TRIPLES` triples, all at
    once; with ``apart`` a call for each fact and window. Returns the result of each call, so that
    every fact meets every triple once. If they do not fit the model, both are cut smaller. No facts
    or no triples, no call. Raises SettingError for a prompt that is broken."""
    shape: type[Bare] | type[Reasoned] = Reasoned if style.reasons else Bare
    told = style.fields(session)

    async def ask(wanted: Sequence[int], shown: Sequence[int]) -> list[Compared]:
        def fields(left: Sequence[int]) -> Fields:
            own = {index: facts[index] for index in left}
            beside = {number: triples[number] for number in shown}
            return {**told, "facts": own, "triples": beside}

        answers = await session.ask_each(style.prompt, shape, wanted, fields, halve=False)
        found = {index: _read_answer(answer, shown) for index, answer in answers.found.items()}
        left = [index for index in wanted if index not in found]
        if isinstance(answers.error, ContextTooLongError) and len(left) * len(shown) > 1:
            # The longer of the two lists is cut.
            if len(shown) >= len(left):
                rest = every(ask(left, half) for half in split_in_half(shown))
            else:
                rest = every(ask(half, shown) for half in split_in_half(left))
            return [Compared(tuple(shown), found), *chain.from_iterable(await rest)]
        return [Compared(tuple(shown), found, answers.missing)]

    groups = list(batches(facts))
    if apart:
        groups = [(index,) for group in groups for index in group]
    compared = await every(
        ask(group, shown)
        for shown in rows_of(dict(enumerate(triples)), WINDOW, TRIPLES)
        for group in groups
    )
    unasked = {index: why for index, fact in facts.items() if (why := too_long(fact))}
    left_out = [Compared(tuple(range(len(triples))), {}, unasked)] if unasked and triples else []
    return [*left_out, *chain.from_iterable(compared)]


async def pairwise(
    session: ModelSession,
    facts: Mapping[int, str],
    contexts: Contexts,
    question: str,
    *,
    longest: int,
) -> tuple[list[Compared], int]:
    """Compares each fact with the text of the references, a call a fact, all at once; if they
    have more than ``longest`` characters, or do not fit the model, it is shown what is nearest to
    the fact. Returns the result of each call, with (0,) for triples, and how many characters of the
    references every fact was shown at least. Raises SettingError for a prompt that is broken."""
    least = contexts.length

    async def ask(index: int, longest: int) -> Compared:
        nonlocal least
        fact = facts[index]
        if why := too_long(fact):
            return Compared((0,), {}, {index: why})
        context = await aside(partial(contexts.of, [fact], longest))
        fields: Fields = {"question": question, "source": context.text, "fact": fact}
        answer = await session.ask("triplet-pairwise", Judged, fields)
        # Half of what was shown, and not of the limit, which may be more than there is.
        smaller = min(longest, len(context.text)) // 2
        if isinstance(answer.error, ContextTooLongError) and smaller >= SMALLEST:
            return await ask(index, smaller)
        told = value_or_reason(answer)
        if isinstance(told, str):
            return Compared((0,), {}, {index: told})
        least = min(least, sum(end - start for _, start, end in context.parts))
        return Compared((0,), {index: ComparedFact(told.stance)})

    return await every(ask(index, longest) for index in facts), least


def _read_answer(told: Bare | Reasoned, shown: Sequence[int]) -> ComparedFact:
    if isinstance(told, Bare):
        return ComparedFact(told.stance)
    # The schema bounds how many numbers an answer names, and not which.
    there = set(shown)
    return ComparedFact(
        told.stance,
        tuple(number for number in dict.fromkeys(told.supporting) if number in there),
        tuple(number for number in dict.fromkeys(told.contradicting) if number in there),
        " ".join(told.reasons.split()),
    )
