"""The triples of references: taken from them by the judge, passage by passage, so that each triple
has its place, and their stance on facts, as the judge sees it.

Source: Osmanaj, "Open Information Extraction for Fact-Checking Large Language Models" (TU Wien,
2025), sections 3.2 and 3.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, NamedTuple

from pydantic import BaseModel, Field

from halubot.concurrency import aside, every
from halubot.evidence.context import Part
from halubot.evidence.retrieval import passages
from halubot.methods.calls.extraction import Said, stated_triples
from halubot.methods.calls.portions import (
    TOLD,
    WINDOW,
    batches,
    rows_of,
    split_in_half,
    too_long,
)
from halubot.methods.calls.session import Fields, ModelSession
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


class _Reasons(BaseModel):
    supporting: list[int] = Field(max_length=CITED)
    contradicting: list[int] = Field(max_length=CITED)
    reasons: str = Field(max_length=400)


class Reasoned(Bare, _Reasons):
    """What is asked of each fact where reasons come first."""


@dataclass(frozen=True)
class Compared:
    """The result of one call: which triples were shown, and of each fact asked about what was said
    or why nothing was."""

    triples: tuple[int, ...]
    found: Mapping[int, Reasoned] = field(default_factory=dict)
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
        found = {index: read_answer(answer, shown) for index, answer in answers.found.items()}
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


def read_answer(told: Bare | Reasoned, shown: Sequence[int]) -> Reasoned:
    """Return an answer without the numbers of triples that were not shown: the schema bounds how
    many an answer names, and not which."""
    if not isinstance(told, Reasoned):
        return Reasoned(supporting=[], contradicting=[], reasons="", stance=told.stance)
    supporting, contradicting = (
        [number for number in dict.fromkeys(named) if number in shown]
        for named in (told.supporting, told.contradicting)
    )
    return Reasoned(
        supporting=supporting,
        contradicting=contradicting,
        reasons=" ".join(told.reasons.split()),
        stance=told.stance,
    )
