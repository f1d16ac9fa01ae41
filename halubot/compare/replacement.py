"""Which words of a source can stand in the place that it contradicts.

Only words of one kind and one form take each other's place: a value, a whole name, a modal, a verb
group with the same verb, a word with the same ending. Anything else is left to a person.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from halubot.compare.alignment import Alignment
from halubot.compare.analysis import PRONOUNS, Analysis
from halubot.compare.conflicts import Conflict
from halubot.compare.occasions import are_dated_apart, is_of_one_occasion
from halubot.compare.tokens import word_set
from halubot.text import Span


class Replacement(NamedTuple):
    """The place in the message, and that of the words in the source that can stand there."""

    claim: Span
    source: Span


_LONGEST_NAME: Final = 3
_SURE_CONTEXT: Final = 0.7
_SURE_SHARE: Final = 0.65
_MODALS: Final = word_set(
    "can cannot can't must mustn't may should shouldn't needn't always never before after above"
    " below with without until"
)
_IDIOM: Final = re.compile(r"(?:cannot|can't|can’t|can not)\s+(?:help|but)\b", re.IGNORECASE)
"""What denies nothing: "I cannot help but notice"."""
_LONGEST_GROUP: Final = 4
_ENDINGS: Final = ("er", "est", "ly", "ing", "ed", "s")


def find_replacement(
    found: Alignment, conflict: Conflict, plain: str, other: str
) -> Replacement | None:
    """Return what can stand in the place of a conflict; None if nothing can. ``plain`` and
    ``other`` are the texts of the message and of the source."""
    match conflict.kind:
        case "value" | "unit":
            fits = is_of_one_occasion(found, conflict, plain, other)
            return Replacement(conflict.claim, conflict.source) if fits else None
        case "name":
            return _name(found, conflict, plain, other)
        case "modal" | "link":
            mine, theirs = plain[slice(*conflict.claim)], other[slice(*conflict.source)]
            fits = mine.lower() in _MODALS and theirs.lower() in _MODALS
            if _IDIOM.match(other, conflict.source[0]) or _IDIOM.match(plain, conflict.claim[0]):
                return None
            return Replacement(conflict.claim, conflict.source) if fits else None
        case "polarity":
            return _verb_group(conflict, plain, other)
        case "opposite":
            return _word(found, conflict)
    return None


def _name(found: Alignment, conflict: Conflict, plain: str, other: str) -> Replacement | None:
    """The whole name; of two names that share a word ("United States", "United Kingdom") the word
    in which they differ. The same preposition must lead to both, or the same noun: "the architect
    Charles Garnier", "the architect Stephen Sauvestre". A pronoun that stands for the source's name
    can replace nothing."""
    if other[slice(*conflict.source)].lower() in PRONOUNS:
        return None
    mine, theirs = _run(found.claim, conflict.term), _run(found.source, conflict.other)
    if are_dated_apart(found, conflict):
        return None
    if conflict.alike:
        fits = _are_placed_alike(found, conflict, mine, theirs)
        return Replacement(conflict.claim, conflict.source) if fits else None
    if found.claim.slot(mine[-1]) == "'s" and not _own_the_same(found, mine[-1], theirs[-1]):
        return None
    if not conflict.slot and not _have_one_title(found, mine[0], theirs[0]):
        return None
    if any(found.pairs[one] >= 0 for one in mine) or any(found.back[one] >= 0 for one in theirs):
        return None
    if max(len(mine), len(theirs)) > _LONGEST_NAME or abs(len(mine) - len(theirs)) > 1:
        return None
    claim, source = found.claim.terms, found.source.terms
    place = _bare(plain, claim[mine[0]].start, claim[mine[-1]].end)
    start, end = _bare(other, source[theirs[0]].start, source[theirs[-1]].end)
    article = other[max(0, start - 4) : start].lower() == "the "
    if article and plain[max(0, place[0] - 4) : place[0]].lower() != "the ":
        start -= 4
    return Replacement(place, (start, end))


def _are_placed_alike(
    found: Alignment, conflict: Conflict, mine: list[int], theirs: list[int]
) -> bool:
    """Return True if two names that share a word stand in the same place: behind the same word or
    preposition, or before the same word. Of two that open their sentences the last words must
    differ: "Jack Straw" and "John Straw" are one person."""
    if mine[0] == theirs[0] == 0:
        return conflict.term == mine[-1]
    if not mine[0] or not theirs[0]:
        return False
    if conflict.slot or _own_the_same(found, mine[-1], theirs[-1]):
        return True
    return _follow_one_word(found, mine[0], theirs[0])


def _own_the_same(found: Alignment, mine: int, theirs: int) -> bool:
    """Return True if the words right behind two names are aligned."""
    return mine + 1 < len(found.pairs) and found.pairs[mine + 1] == theirs + 1


def _have_one_title(found: Alignment, mine: int, theirs: int) -> bool:
    """Return True if the word right before one name is aligned with that before the other."""
    sides = ((found.claim, mine), (found.source, theirs))
    return _follow_one_word(found, mine, theirs) and all(
        side.terms[at - 1].kind == "word" for side, at in sides
    )


def _follow_one_word(found: Alignment, mine: int, theirs: int) -> bool:
    """Return True if the terms right before two names are aligned, with no preposition between."""
    if not mine or not theirs or found.pairs[mine - 1] != theirs - 1:
        return False
    sides = ((found.claim, mine), (found.source, theirs))
    return all(side.slot(at) == side.terms[at - 1].low for side, at in sides)


def _bare(text: str, start: int, end: int) -> Span:
    """A name without its possessive ending."""
    return (start, end - 2) if text[start:end].endswith(("'s", "’s")) else (start, end)


def _run(found: Analysis, at: int) -> list[int]:
    run = found.terms[at].run
    return [i for i, term in enumerate(found.terms) if term.run == run and term.run >= 0]


def _verb_group(conflict: Conflict, plain: str, other: str) -> Replacement | None:
    """ "was planned" for "was not planned": the same first and last word."""
    mine = plain[slice(*conflict.claim)].lower().split()
    theirs = other[slice(*conflict.source)].lower().split()
    if min(len(mine), len(theirs)) < 2 or max(len(mine), len(theirs)) > _LONGEST_GROUP:
        return None
    same = mine[0].removesuffix("n't") == theirs[0].removesuffix("n't") and mine[-1] == theirs[-1]
    return Replacement(conflict.claim, conflict.source) if same else None


def _word(found: Alignment, conflict: Conflict) -> Replacement | None:
    """A word of the same form, in a sentence that else says the same."""
    if conflict.context < _SURE_CONTEXT or found.share < _SURE_SHARE:
        return None
    if found.claim.grammar.whole_clauses:
        return None  # whether the endings fit is not known there
    mine, theirs = found.claim.terms[conflict.term], found.source.terms[conflict.other]
    if _ending(mine.low) != _ending(theirs.low):
        return None
    plain = mine.low in mine.bases, theirs.low in theirs.bases
    return Replacement(conflict.claim, conflict.source) if plain[0] == plain[1] else None


def _ending(low: str) -> str:
    return next((ending for ending in _ENDINGS if low.endswith(ending)), "")
