"""Where two aligned sentences exclude each other.

A conflict is one place of the claim that the source fills otherwise: another value of the same
dimension, another name, an opposite, the other polarity, another modal or quantity, exchanged
roles. What stands around the place must be aligned, or the two sentences speak of two events.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from halubot.compare import lexicon
from halubot.compare.alignment import Alignment
from halubot.compare.amounts import Amount
from halubot.compare.analysis import Operator, Term
from halubot.compare.operators import exclude
from halubot.compare.value import Value
from halubot.compare.values import rivals
from halubot.text import Span

Kind = Literal[
    "value", "unit", "name", "opposite", "noun", "polarity", "modal", "quantity", "link", "roles"
]


class Conflict(NamedTuple):
    """``claim`` and ``source`` are the spans that exclude each other. ``term`` is the index of
    the claim's term. ``context`` is how much of its surroundings is aligned, in [0, 1]."""

    kind: Kind
    term: int
    claim: Span
    source: Span
    context: float


def find_conflicts(found: Alignment) -> list[Conflict]:
    """Return all places at which the source says something else, the surest kinds first."""
    return [
        *_exchanged(found),
        *_denied(found),
        *_operated(found),
        *_swapped(found),
    ]


def _exchanged(found: Alignment) -> Iterator[Conflict]:
    """Unpaired terms with an unpaired alternative in the same surroundings."""
    mine, theirs = found.claim.terms, found.source.terms
    for i, term in enumerate(mine):
        if found.pairs[i] >= 0:
            continue
        best: Conflict | None = None
        for j, other in enumerate(theirs):
            if found.back[j] >= 0:
                continue
            kind = _alternative(term, other)
            if kind is None:
                continue
            context = found.context(i, j)
            if best is None or context > best.context:
                best = Conflict(kind, i, (term.start, term.end), (other.start, other.end), context)
        if best is not None:
            yield best


def _alternative(claim: Term, source: Term) -> Kind | None:
    """The kind of conflict that two terms can make."""
    if claim.value is not None:
        if source.value is None:
            return None
        if rivals(claim.value, source.value):
            return "value"
        return "unit" if _other_unit(claim.value, source.value) else None
    if source.value is not None:
        return None
    if are_opposite(claim.bases, source.bases):
        return "opposite"
    if claim.kind == source.kind == "name":
        return "name"
    if claim.kind == source.kind == "word" and _are_alternatives(claim.bases, source.bases):
        return "noun"
    return None


@lru_cache(maxsize=1 << 15)
def are_opposite(claim: frozenset[str], source: frozenset[str]) -> bool:
    """Return True if a base form of one word is an antonym of one of the other's."""
    return any(not lexicon.antonyms(own).isdisjoint(source) for own in claim)


@lru_cache(maxsize=1 << 15)
def _are_alternatives(claim: frozenset[str], source: frozenset[str]) -> bool:
    return any(lexicon.are_alternatives(own, other) for own in claim for other in source)


_TIMES: Final = frozenset({"s", "month"})


def _other_unit(claim: Value, source: Value) -> bool:
    """The same number of another unit: "15 weeks" beside "15 days", "°F" beside "°C"."""
    if claim.ends or source.ends or claim.kind not in ("quantity", "money", "percent"):
        return False
    mine, theirs = claim.readings[0], source.readings[0]
    if not isinstance(mine, Amount) or not isinstance(theirs, Amount):
        return False
    return {mine.dimension, theirs.dimension} == _TIMES


def _denied(found: Alignment) -> Iterator[Conflict]:
    """Pairs of which one side denies what the other says, or the other side's opposite."""
    claim, source = found.claim, found.source
    for i, j in enumerate(found.pairs):
        if j < 0:
            continue
        if i not in claim.governed and j not in source.governed:
            continue
        if claim.is_denied(i) != source.is_denied(j) and not _by_modals(found, i, j):
            mine, theirs = claim.terms[i], source.terms[j]
            start = next(
                (one.cue for one in claim.negations if one.start <= mine.start < one.end),
                mine.start,
            )
            yield Conflict(
                "polarity", i, (min(start, mine.start), mine.end), (theirs.start, theirs.end),
                found.context(i, j),
            )  # fmt: skip


def _by_modals(found: Alignment, i: int, j: int) -> bool:
    """Whether modals on both sides already say how the two differ."""
    return any(one.sense.family == "modal" and one.target == i for one in found.claim.operators) and any(
        one.sense.family == "modal" and one.target == j for one in found.source.operators
    )


def _operated(found: Alignment) -> Iterator[Conflict]:
    """Operators of one family over aligned terms whose senses exclude each other."""
    for mine in found.claim.operators:
        if mine.target < 0:
            continue
        pair = found.pairs[mine.target]
        for theirs in found.source.operators:
            if theirs.sense.family != mine.sense.family or theirs.target < 0:
                continue
            if pair != theirs.target or not _exclude(found, mine, theirs):
                continue
            kind: Kind = {"modal": "modal", "quantity": "quantity"}.get(mine.sense.family, "link")  # type: ignore[assignment]
            yield Conflict(
                kind, mine.target, (mine.start, mine.end), (theirs.start, theirs.end),
                found.context(mine.target, theirs.target),
            )  # fmt: skip


def _exclude(found: Alignment, mine: Operator, theirs: Operator) -> bool:
    return exclude(mine.sense, theirs.sense)


def _swapped(found: Alignment) -> Iterator[Conflict]:
    """Two terms that have exchanged their roles; see `halubot.compare.roles`."""
    from halubot.compare.old_roles import find_swaps

    for i, j, span, other in find_swaps(found):
        yield Conflict("roles", i, span, other, found.context(i, j))
