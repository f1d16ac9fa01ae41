"""What the details of a message are looked up in: the passages of its references, and knowledge."""

from __future__ import annotations

from functools import partial
from typing import Final

from halubot.events import Emit
from halubot.evidence.retrieval import Index, Passage
from halubot.llm_calls.ranking import VectorRanking
from halubot.methods.knowhalu.lookup import Shelf
from halubot.methods.knowledge_passages import Cited
from halubot.methods.registry import Case
from halubot.report import Source
from halubot.text import language

WORDS: Final = {True: 39, False: 100}
"""Words of a passage: of one document, in passages of fewer than 40 words; of several references,
and beside knowledge."""

NEAREST: Final = {True: 3, False: 2}
"""How many passages are retrieved for each form of a query, likewise."""

READ: Final = 5_000
"""Characters of a reference by which its language is told."""


def is_document(case: Case) -> bool:
    """Whether one document is all that is looked up in."""
    return len(_references(case)) == 1 and case.knowledge is None


def shelf_of(case: Case, nearest: int | None, emit: Emit) -> Shelf:
    """What the references of a case and its knowledge hold: so many passages of references to each
    form of a query, None for each reference whole. Passages of knowledge are emitted as they are
    retrieved. With the option ``embeddings`` passages of references are chosen by words and the
    vectors of that model. Reads all references: do it off the loop. Raises LocalModelError for a
    model on this machine that cannot be used."""
    references = _references(case)
    cite = partial(Cited(case.references).cite, emit=emit)
    if nearest is None:
        given = ((source, source.text or "") for source in references)
        whole = tuple(Passage(one, 0, len(text), text, 1.0) for one, text in given if text.strip())
        return Shelf(Index(()), NEAREST[False], case.knowledge, cite, whole)
    embeddings = case.options.get("embeddings")
    ranking = None
    if embeddings is not None and case.talk is not None:
        ranking = VectorRanking(case.talk, case.talk.embedder(embeddings))
    index = Index(references, WORDS[is_document(case)])
    return Shelf(index, nearest, case.knowledge, cite, ranking=ranking)


def languages_of(case: Case) -> str:
    """The languages of the references, as ISO 639-1 codes, where they are not the message's."""
    found = {language((source.text or "")[:READ]) for source in _references(case)}
    return ", ".join(sorted(found)) if found - {case.message.language, "und"} else ""


def _references(case: Case) -> tuple[Source, ...]:
    """The references; where knowledge is searched, those that were not found there before."""
    if case.knowledge is None:
        return case.references
    return tuple(source for source in case.references if source.kind != "knowledge")
