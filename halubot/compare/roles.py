"""Exchanged roles: "Edison sued Tesla" beside "Tesla sued Edison".

Subject and object are the nearest terms before and after a verb or a comparison in its clause. A
passive ("was sued by") and a converse verb ("bought from" for "sold to") exchange them once each.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple

from halubot.compare import lexicon
from halubot.compare.alignment import Alignment
from halubot.compare.analysis import Analysis
from halubot.text import Span

_BE: Final = frozenset("is are was were be been being get gets got".split())
_SYMMETRIC: Final = frozenset(
    "marry meet join resemble share fight border adjoin combine equal differ touch mix connect link"
    " agree compare argue talk debate compete collaborate merge unite similar same different near"
    " together divorce separate include contain".split()
)


class Swap(NamedTuple):
    """The claim's and the source's pivot by index, and the spans of both clauses' roles."""

    claim: int
    source: int
    span: Span
    other: Span


def find_swaps(found: Alignment) -> Iterator[Swap]:
    """Yield each verb or comparison whose subject and object are exchanged in the source."""
    for pivot, other in _pivots(found):
        mine, theirs = _arguments(found.claim, pivot), _arguments(found.source, other)
        if mine is None or theirs is None:
            continue
        pairs = tuple(found.pairs[one] for one in mine)
        if pairs == theirs:
            exchanged = False
        elif pairs == theirs[::-1]:
            exchanged = True
        else:
            continue
        turned = _is_passive(found.claim, pivot) != _is_passive(found.source, other)
        if exchanged != (turned != _is_converse(found, pivot, other)):
            yield Swap(pivot, other, _span(found.claim, mine), _span(found.source, theirs))


def _pivots(found: Alignment) -> Iterator[tuple[int, int]]:
    """Aligned terms that may be a verb or a comparison, and opposites of each other."""
    for i, j in enumerate(found.pairs):
        term = found.claim.terms[i]
        if j >= 0 and term.kind == "word" and _may_relate(term.bases):
            yield i, j


def _may_relate(bases: frozenset[str]) -> bool:
    return any(not lexicon.parts_of_speech(one).isdisjoint("var") for one in bases) and (
        bases.isdisjoint(_SYMMETRIC)
    )


def _arguments(found: Analysis, pivot: int) -> tuple[int, int] | None:
    """The terms right before and after a pivot in its clause; None if one is missing."""
    terms = found.terms
    before, after = pivot - 1, pivot + 1
    if before < 0 or after >= len(terms):
        return None
    clause = terms[pivot].clause
    if terms[before].clause != clause or terms[after].clause != clause:
        return None
    if terms[before].value is not None or terms[after].value is not None:
        return None
    return before, after


def _is_passive(found: Analysis, pivot: int) -> bool:
    """"was V by": a form of "be" before the verb and "by" after it."""
    terms = found.terms
    first = bisect_left(found.starts, terms[pivot - 1].end)
    at = bisect_left(found.starts, terms[pivot].start)
    last = bisect_left(found.starts, terms[pivot + 1].start)
    return not _BE.isdisjoint(found.lows[first:at]) and "by" in found.lows[at:last]


def _is_converse(found: Alignment, pivot: int, other: int) -> bool:
    mine, theirs = found.claim.terms[pivot].bases, found.source.terms[other].bases
    return mine.isdisjoint(theirs) and any(
        not lexicon.converses(one).isdisjoint(theirs) for one in mine
    )


def _span(found: Analysis, arguments: tuple[int, int]) -> Span:
    return found.terms[arguments[0]].start, found.terms[arguments[1]].end
