"""References taken apart into triples by the judge, passage by passage, so that each triple has its
place.

Source: Osmanaj, "Open Information Extraction for Fact-Checking Large Language Models" (TU Wien,
2025), section 3.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pydantic import BaseModel, Field

from halubot.concurrency import aside, every
from halubot.evidence.context import Part
from halubot.evidence.retrieval import passages
from halubot.llm_calls.extraction import Said, stated_triples
from halubot.llm_calls.portions import TOLD
from halubot.llm_calls.talk import Fields, Talk
from halubot.report import Triple
from halubot.text import read

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


async def dissect_references(talk: Talk, parts: Sequence[Part]) -> Dissection:
    """The triples of these parts of references: one call for each `TOLD` characters, all at once.
    No text, no call. Raises SettingError for a prompt that is broken."""
    cut = await aside(lambda: tuple(_cut_text(parts)))

    async def take(row: Sequence[int]) -> tuple[dict[int, list[Triple]], Mapping[int, str]]:
        def fields(wanted: Sequence[int]) -> Fields:
            return {"passages": {place: _format(cut[place]) for place in wanted}}

        answers = await talk.ask_each("triplet-reference", PassageFacts, row, fields)
        found = {place: stated_triples(told.facts) for place, told in answers.found.items()}
        return found, answers.missing

    found: dict[int, list[Triple]] = {}
    missing: dict[int, str] = {}
    for own, lost in await every(take(row) for row in _rows(cut)):
        found |= own
        missing |= lost
    stated = [Stated(triple, cut[place]) for place in sorted(found) for triple in found[place]]
    return Dissection(tuple(stated), cut, missing)


def _cut_text(parts: Sequence[Part]) -> Iterator[Part]:
    for source, start, end in parts:
        for first, last in passages(read((source.text or "")[start:end]), WORDS):
            yield Part(source, start + first, start + last)


def _format(passage: Part) -> dict[str, str]:
    text = (passage.source.text or "")[passage.start : passage.end]
    return {"title": passage.source.title, "text": _BLANKS.sub(" ", text)}


def _rows(cut: Sequence[Part]) -> Iterator[tuple[int, ...]]:
    """The places of passages that are read in one call."""
    row: list[int] = []
    size = 0
    for place, passage in enumerate(cut):
        length = len(_format(passage)["text"])
        if row and size + length > TOLD:
            yield tuple(row)
            row, size = [], 0
        row.append(place)
        size += length
    if row:
        yield tuple(row)
