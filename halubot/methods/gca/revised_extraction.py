"""Facts that are taken from a text and then checked against it: extraction with revision.

Merged, the judge lists the facts of each sentence, checks them and corrects the list in the same
answer. As published one call lists the facts of all sentences and a second corrects the lists. A
sample is taken apart like the message, and not in its words.

Source: Fang et al., "Zero-resource Hallucination Detection for Text Generation via Graph-based
Contextual Knowledge Triples Modeling" (AAAI 2025), section 3.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from pydantic import Field

from halubot.concurrency import aside, every
from halubot.events import Note
from halubot.llm_calls.extraction import (
    Facts,
    Reader,
    Reading,
    Said,
    at_once,
    state_triple,
    stated_triples,
)
from halubot.llm_calls.portions import main_reason, sentence_text, stretches, surroundings
from halubot.llm_calls.talk import Fields, Talk
from halubot.report import Triple
from halubot.text import Document, read


class Revised(Facts):
    """The facts of one sentence, and what they should be where one of them is wrong."""

    right: Literal["yes", "no"]
    revised: list[Said] = Field(max_length=20)

    @property
    def statements(self) -> list[Said]:
        """The list that was checked."""
        return self.facts if self.right == "yes" else self.revised


@dataclass(frozen=True)
class Listed:
    """The triples of a text in its order, each once. ``unread`` are the sentences that were not
    read, and why; None are ``triples`` if that is all of them."""

    triples: tuple[Triple, ...] | None
    unread: Mapping[int, str] = field(default_factory=dict)
    sentences: int = 0


def reader(*, as_published: bool = False) -> Reader:
    """Return the call that reads the sentences of a text."""
    if as_published:
        return _in_two_calls
    return partial(at_once, prompt="gca-extract", item=Revised)


async def list_triples(talk: Talk, text: str, *, as_published: bool = False) -> Listed:
    """The triples of a text, by one call; by more, at once, if it is long. Raises SettingError
    for a prompt that is broken."""
    document = await aside(lambda: read(text))
    unread, rows = stretches(document)
    sentences = len(unread) + sum(len(row) for row in rows)
    how = reader(as_published=as_published)
    readings = await every(how(talk, document, row, None) for row in rows)
    triples: dict[Triple, None] = {}
    for reading in readings:
        unread |= reading.missing
        triples.update(dict.fromkeys(one for of in reading.found.values() for one in of))
    # A sample of which nothing was read is left out; one that states nothing counts, with no
    # triples.
    lost = bool(unread) and len(unread) == sentences
    return Listed(None if lost else tuple(triples), unread, sentences)


async def _in_two_calls(
    talk: Talk, message: Document, sentences: Sequence[int], subject: str | None
) -> Reading:
    """The facts of some sentences in a row, as published. Lists that were not revised stay as they
    were, and a note says so."""
    first = await at_once(talk, message, sentences, subject)

    def fields(wanted: Sequence[int]) -> Fields:
        lists = {
            index: {
                "text": sentence_text(message, index),
                "facts": [state_triple(triple) for triple in first.found[index]],
            }
            for index in wanted
        }
        return {"text": surroundings(message, sentences), "sentences": lists}

    answers = await talk.ask_each("gca-revise", Facts, tuple(first.found), fields)
    if answers.missing:
        # A list that was not revised is used as it is: without it the sentence would have no facts.
        what = f"the facts of {len(answers.missing)} of {len(sentences)} sentences were not revised"
        talk.emit(Note(what=what, why=main_reason(answers.missing.values())))
    revised = {index: stated_triples(facts.statements) for index, facts in answers.found.items()}
    return Reading({**first.found, **revised}, first.missing)
