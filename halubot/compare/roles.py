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


_THAN: Final = 4
"""Tokens after a comparison in which its "than" is looked for."""


class Swap(NamedTuple):
    """The claim's and the source's pivot by index, and the spans of both clauses' roles."""

    claim: int
    source: int
    span: Span
    other: Span


def find_swaps(found: Alignment) -> Iterator[Swap]:
    """Yield each verb or comparison whose subject and object are exchanged in the source."""
    for i, j in enumerate(found.pairs):
        if j < 0 or found.opposed[i] or not _may_relate(found, i):
            continue
        if are_exchanged(found, i, j):
            mine, theirs = _arguments(found.claim, i), _arguments(found.source, j)
            if mine and theirs:
                yield Swap(i, j, _span(found.claim, mine), _span(found.source, theirs))


def are_exchanged(found: Alignment, pivot: int, other: int) -> bool | None:
    """Return True if the two terms around a pivot have exchanged their roles in the source, False
    if they have kept them, None if they are not both there."""
    mine, theirs = _arguments(found.claim, pivot), _arguments(found.source, other)
    if mine is None or theirs is None:
        return None
    pairs = tuple(found.pairs[one] for one in mine)
    if pairs not in (theirs, theirs[::-1]):
        return None
    turned = _is_passive(found.claim, pivot) != _is_passive(found.source, other)
    return (pairs == theirs) == (turned != _is_converse(found, pivot, other))


def _may_relate(found: Alignment, pivot: int) -> bool:
    """A comparative, or a word that is a verb and no noun; any verb between two names."""
    term = found.claim.terms[pivot]
    if term.kind != "word" or not term.bases.isdisjoint(_SYMMETRIC):
        return False
    parts = frozenset().union(*(lexicon.parts_of_speech(one) for one in term.bases))
    if "v" in parts:
        arguments = _arguments(found.claim, pivot)
        named = arguments is not None and all(
            found.claim.terms[one].kind == "name" for one in arguments
        )
        return named or "n" not in parts
    first = bisect_left(found.claim.starts, term.end)
    return not parts.isdisjoint("ar") and "than" in found.claim.lows[first : first + 3]


def _arguments(found: Analysis, pivot: int) -> tuple[int, int] | None:
    """The terms right before and after a pivot in its clause; None if one is missing."""
    terms = found.terms
    before, after = pivot - 1, pivot + 1
    if before < 0 or after >= len(terms):
        return None
    first = bisect_left(found.starts, terms[pivot].end)
    if "than" in found.lows[first : first + _THAN]:
        than = found.starts[first + found.lows[first : first + _THAN].index("than")]
        after = next((i for i in range(after, len(terms)) if terms[i].start > than), after)
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
