"""What a text has in the place of a value, name or noun of a claim that it lacks."""

from __future__ import annotations

from collections.abc import Iterator

from halubot.compare.alignment import Alignment
from halubot.compare.analysis import Term
from halubot.compare.conflicts import (
    Conflict,
    alternative,
    are_other_events,
    class_of,
    is_alike,
)
from halubot.compare.occasions import count_the_same, is_of_one_occasion, may_be_exchanged
from halubot.compare.replacement import is_like_noun
from halubot.compare.votes import Rival


def may_have_rivals(term: Term, words: int) -> bool:
    """Return True for a value, a noun that has alternatives, and a name of one word. ``words`` is
    how many words the name has."""
    if term.kind == "name":
        return words == 1 and term.end - term.start == len(term.text)
    return term.value is not None or bool(term.lore.rivals)


def find_rivals(found: Alignment, at: int, plain: str, other: str) -> Iterator[Rival]:
    """Return what may stand in a sentence of a source in the place of an unpaired term of the
    claim, if anything else of the claim stands there. ``plain`` and ``other`` are the texts of the
    message and of the source."""
    claim, source = found.claim, found.source
    term = claim.terms[at]
    share = sum(found.weights[i] for i in found.aligned if i != at)
    if found.pairs[at] >= 0 or not share:
        return
    for j, rival in enumerate(source.terms):
        if found.back[j] >= 0 or class_of(rival) != class_of(term):
            continue
        kind = "name" if term.kind == "name" else alternative(term, rival)
        if kind is None or not may_have_rivals(rival, len(source.runs[rival.run])):
            continue
        mine, theirs = (term.start, term.end), (rival.start, rival.end)
        conflict = Conflict(kind, at, j, mine, theirs, found.context(at, j))
        if term.value is not None and not (
            may_be_exchanged(found, conflict, plain, other) and count_the_same(found, conflict)
        ):
            continue
        if term.value is not None and _stand_by_others(found, at, j):
            continue
        if kind == "noun" and not is_like_noun(found, conflict, other):
            continue
        conflict = conflict._replace(alike=is_alike(found, at, j))
        sure = _is_sure(found, conflict, plain, other)
        yield Rival(rival, theirs, source.span, conflict.context, share, sure)


def _stand_by_others(found: Alignment, at: int, other: int) -> bool:
    """Return True if a name that the other text lacks stands right before both values: "Charles
    Dickens (1812-1870)", "Charles Babbage (1791-1871)"."""
    return (
        min(at, other) > 0
        and found.claim.terms[at - 1].kind == found.source.terms[other - 1].kind == "name"
        and found.pairs[at - 1] < 0
        and found.back[other - 1] < 0
    )


def _is_sure(found: Alignment, conflict: Conflict, plain: str, other: str) -> bool:
    """Return True unless a date is led to by other words, or a name by another preposition."""
    term = found.claim.terms[conflict.term]
    if term.kind == "name":
        slot = found.claim.slot(conflict.term)
        return bool(slot) and slot == found.source.slot(conflict.other)
    if term.value is not None and term.value.kind == "date":
        if are_other_events(found, conflict):
            return False
        return conflict.alike or is_of_one_occasion(found, conflict, plain, other)
    return True
