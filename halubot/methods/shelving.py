"""What the details of a message are looked up in: the passages of its references, and knowledge."""

from __future__ import annotations

from functools import partial
from typing import Final

from halubot.events import Emit
from halubot.evidence.retrieval import Index
from halubot.facts import Source
from halubot.knowledge.gathering import Cited
from halubot.methods.registry import Case
from halubot.steps.looking_up import Shelf
from halubot.text import language

PASSAGES: Final = {True: (39, 3), False: (100, 2)}
"""Words of a passage, and how many are retrieved for each form of a query: of one document, in
passages of fewer than 40 words; of several references, and of knowledge."""

READ: Final = 5_000
"""Characters of a reference by which its language is told."""


def shelf_of(case: Case, emit: Emit) -> Shelf:
    """What the references of a case and its knowledge hold. Passages of knowledge are emitted as
    they are retrieved. Reads all references: do it off the loop."""
    references = _references(case)
    words, nearest = PASSAGES[len(references) == 1 and case.knowledge is None]
    cite = partial(Cited(case.references).cite, emit=emit)
    return Shelf(Index(references, words), nearest, case.knowledge, cite)


def languages_of(case: Case) -> str:
    """The languages of the references, as ISO 639-1 codes, where they are not the message's."""
    found = {language((source.text or "")[:READ]) for source in _references(case)}
    return ", ".join(sorted(found)) if found - {case.message.language, "und"} else ""


def _references(case: Case) -> tuple[Source, ...]:
    """The references; where knowledge is searched, those that were not found there before."""
    if case.knowledge is None:
        return case.references
    return tuple(source for source in case.references if source.kind != "knowledge")
