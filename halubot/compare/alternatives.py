"""A conflict at one place of a claim, and the pairs of terms that exclude each other."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal, NamedTuple

from halubot.compare import lexicon
from halubot.compare.alignment import Alignment
from halubot.compare.analysis import Analysis, Term, name_class
from halubot.compare.tokens import word_set
from halubot.text import Span
from halubot.values.amounts import Amount
from halubot.values.comparison import Value, are_opposite_bounds, compatible, differ
from halubot.values.dates import Date
from halubot.values.units import CURRENCIES

Kind = Literal[
    "value",
    "unit",
    "name",
    "opposite",
    "noun",
    "polarity",
    "modal",
    "quantity",
    "link",
    "roles",
    "cause",
]


class Conflict(NamedTuple):
    """``claim`` and ``source`` are the spans that exclude each other, ``term`` and ``other`` the
    indexes of the terms there. ``context`` is how much of the claim's surroundings is aligned, in
    [0, 1]. ``alike`` says that the two share a part: the number, the year, a word of the name.
    ``slot`` says that the same preposition leads to both, or that both are possessive."""

    kind: Kind
    term: int
    other: int
    claim: Span
    source: Span
    context: float
    alike: bool = False
    slot: bool = False


def alternative(claim: Term, source: Term) -> Kind | None:
    """The kind of conflict that two terms can make."""
    if claim.value is not None:
        if source.value is None or "one" in (claim.low, source.low):
            return None  # "one" mostly stands for a thing and counts nothing
        if _other_unit(claim.value, source.value):
            return "unit"
        return "value" if excludes(claim.value, source.value) else None
    if source.value is not None:
        return None
    if claim.kind == source.kind == "name":
        return "name" if name_class(claim.low) == name_class(source.low) else None
    if claim.kind == source.kind == "word" and are_alternatives(claim, source):
        return "noun"
    return None


def excludes(claim: Value, source: Value) -> bool:
    """Return True if both values cannot hold: rivals, or the same number as a lower bound on one
    side and an upper bound on the other ("more than two", "no more than two"). Bounds of two
    numbers do not matter: "10 %" and "up to 90 %" are two statements."""
    if claim.ends is None and source.ends is None:
        if claim.readings == source.readings:
            return are_opposite_bounds(claim, source)
        claim, source = _unbound(claim), _unbound(source)
    return differ(claim, source)


def _unbound(value: Value) -> Value:
    return replace(value, bound="") if value.bound not in ("", "about") else value


def have_same_slot(found: Alignment, i: int, j: int) -> bool:
    """Return True if the same preposition leads to both terms, or both are possessive."""
    mine, theirs = found.claim.slot(i), found.source.slot(j)
    return bool(mine) and mine == theirs and (mine in found.claim.grammar.slots or mine == "'s")


def may_rival(found: Alignment, i: int, j: int) -> bool:
    """A word of a longer name is a rival only if no other word of that name says something else:
    "Robert" of "Otto Robert Frisch" is none, if "Otto Frisch" is paired. What a pronoun stands
    for rivals only what may stand there too: "in Norway" is no other subject."""
    claim, source = found.claim, found.source
    if claim.slot(i) in claim.grammar.slots and source.is_taken_up(j):
        return False
    # "Regulators in Brussels" names another kind of thing than "the Commission".
    slots = claim.slot(i), source.slot(j)
    if not _PLACES.isdisjoint(slots) and not claim.grammar.slots.issuperset(slots):
        return False
    run = claim.terms[i].run
    return all(
        found.back[k] < 0 or claim.terms[found.back[k]].run == run
        for k in source.runs[source.terms[j].run]
        if k != j
    )


_PLACES: Final = frozenset({"in", "at", "near", "on"})


def is_alike(found: Alignment, i: int, j: int) -> bool:
    """Return True if two rivals share a part, which makes it likely that they fill one place."""
    mine, theirs = found.claim.terms[i], found.source.terms[j]
    if mine.value is not None and theirs.value is not None:
        return _share_part(mine.value, theirs.value)
    if mine.kind != "name" or theirs.kind != "name":
        return False
    if name_class(mine.low) in ("month", "weekday"):
        return True
    return any(
        found.pairs[k] >= 0 and found.source.terms[found.pairs[k]].run == theirs.run
        for k in found.claim.runs[mine.run]
        if k != i
    )


def _share_part(claim: Value, source: Value) -> bool:
    if claim.ends or source.ends or not claim.readings or not source.readings:
        return False
    mine, theirs = claim.readings[0], source.readings[0]
    if isinstance(mine, Date) and isinstance(theirs, Date):
        return any(a is not None and a == b for a, b in zip(mine, theirs, strict=True)) and any(
            one is not None for one in (mine.month, theirs.month)
        )
    if isinstance(mine, Amount) and isinstance(theirs, Amount):
        return bool(mine.dimension) and mine.dimension == theirs.dimension
    return False


def are_alternatives(claim: Term, source: Term) -> bool:
    return not claim.lore.rivals.isdisjoint(source.lore.rivals) and any(
        lexicon.are_alternatives(own, other) for own in claim.bases for other in source.bases
    )


_KIN: Final = word_set(
    "mother father parent sister brother sibling son daughter child uncle aunt nephew niece cousin"
    " grandmother grandfather husband wife spouse widow widower"
)


def are_kin_of_others(found: Alignment, i: int, j: int) -> bool:
    """Return True for two words of kin that are not told of the same person: a daughter of Byron
    may be a wife too, and has him as her father."""
    mine, theirs = found.claim.terms, found.source.terms
    if _KIN.isdisjoint(mine[i].bases) or _KIN.isdisjoint(theirs[j].bases):
        return False
    after = i + 1 < len(mine) and found.pairs[i + 1] == j + 1
    of_one = after and found.claim.slot(i + 1) == found.source.slot(j + 1) == "of"
    before = i > 0 and found.pairs[i - 1] == j - 1 >= 0
    owned = before and all(
        term.text.endswith(("'s", "’s")) for term in (mine[i - 1], theirs[j - 1])
    )
    return not (of_one or owned)


_TIMES: Final = frozenset({"s", "month"})


def _other_unit(claim: Value, source: Value) -> bool:
    """The same number of another unit: "15 weeks" beside "15 days", "°F" beside "°C"."""
    if (claim.ends is None) != (source.ends is None):
        return False
    if claim.ends is not None and source.ends is not None:
        return all(map(_other_unit, claim.ends, source.ends))
    mine, theirs = claim.readings[0], source.readings[0]
    if not isinstance(mine, Amount) or not isinstance(theirs, Amount):
        return False
    if mine.written != theirs.written or mine.written in (None, 1):
        return False
    if mine.dimension != theirs.dimension and {mine.dimension, theirs.dimension} <= CURRENCIES:
        return True
    same = mine.dimension == theirs.dimension and bool(mine.dimension)
    return (same and not compatible(claim, source)) or (
        {mine.dimension, theirs.dimension} == _TIMES
    )


def measure_others(found: Alignment, i: int, j: int) -> bool:
    """Return True for two values of different things."""
    if _count_others(found, i, j) or _is_share_of_other(found, i, j) or _has_end(found, i):
        return True
    return _is_level_beside_change(found.claim, i, found.source, j) or _is_level_beside_change(
        found.source, j, found.claim, i
    )


def _has_end(found: Alignment, i: int) -> bool:
    """Return True for a range of which the source tells both ends: "from 3.8 to 5.1 million" beside
    "5.1 million, after 3.8 million"."""
    mine = found.claim.terms[i].value
    theirs = [value for j in found.source.values if (value := found.source.terms[j].value)]
    ends = mine.ends if mine is not None and mine.ends is not None else ()
    return bool(ends) and all(any(compatible(end, one) for one in theirs) for end in ends)


def _is_level_beside_change(one: Analysis, i: int, other: Analysis, j: int) -> bool:
    """Return True for a value that was reached and one by which something changed or differs:
    "from 17 degrees", "by 8 degrees", "five degrees higher"."""
    if one.slot(i) == "by" or _is_compared(one, i):
        return False
    if other.slot(j) == "by":
        return one.slot(i) in _LEVELS
    return _is_compared(other, j)


_LEVELS: Final = word_set("from to at of until reach reaches reached total totals totalled")


def _is_compared(found: Analysis, at: int) -> bool:
    """Return True for a value right before a comparative, or of a rest: "five degrees higher",
    "the other 65 pounds"."""
    end = found.terms[at].end
    after = bisect_left(found.starts, end)
    follows = after < len(found.lows) and found.starts[after] - end <= 1
    low = found.lows[after] if follows else ""
    if found.slot_before(at) in _REST:  # "the other £65": what is left, told nowhere by a source
        return True
    if not low.endswith("er"):
        return low in _MORE
    return any("a" in lexicon.parts_of_speech(base) for base in lexicon.lemmas(low) - {low})


_MORE: Final = word_set("more less fewer")
_REST: Final = word_set("other another remaining further additional extra")


def _is_share_of_other(found: Alignment, i: int, j: int) -> bool:
    """Return True for shares of two things: "a third of its area" beside "salinity is 34 percent",
    "lowers the risk by 20 %" beside "35 % of the patients"."""
    mine, theirs = found.claim.terms[i].value, found.source.terms[j].value
    if any(one is None or one.kind != "percent" for one in (mine, theirs)):
        return False
    return _is_of_unpaired(found.claim, i, found.pairs) or _is_of_unpaired(
        found.source, j, found.back
    )


def _is_of_unpaired(found: Analysis, at: int, pairs: Sequence[int]) -> bool:
    return at + 1 < len(found.terms) and pairs[at + 1] < 0 and found.slot(at + 1) == "of"


def _count_others(found: Alignment, i: int, j: int) -> bool:
    """Return True for two bare numbers of different things: "200 people", "350 engines"."""
    mine, theirs = found.claim.terms, found.source.terms
    numbers = mine[i].value, theirs[j].value
    if any(one is None or one.kind not in ("number", "ordinal") for one in numbers):
        return False
    if i + 1 >= len(mine) or j + 1 >= len(theirs):
        return False
    counted, other = mine[i + 1], theirs[j + 1]
    return (
        counted.kind == other.kind == "word"
        and found.pairs[i + 1] < 0
        and found.back[j + 1] < 0
        and counted.start - mine[i].end <= 1 >= other.start - theirs[j].end
    )


def parts_of(found: Analysis) -> list[int]:
    """The number of the part of each term: of what stands between commas, "and", "while" and their
    like, and before a "with" that leads to another value."""
    lows, starts, terms = found.lows, found.starts, found.terms
    cuts = [
        starts[at]
        for at in range(1, len(lows))
        if lows[at] in _PARTS or starts[at] - starts[at - 1] == len(lows[at - 1]) + len(", ")
    ]
    if cuts and lows[0] in _FRONTED:
        del cuts[0]  # "by dry weight, tea leaves hold more": what opens so belongs to the rest
    cuts += [terms[at].start for at in found.values if at and found.slot(at) == "with"]
    cuts += [
        one.start for one, last in zip(terms[1:], terms, strict=False) if one.clause != last.clause
    ]
    cuts = sorted(set(cuts))
    parts: list[int] = []
    last = number = 0
    for term in terms:
        at = bisect_right(cuts, term.start)
        number += bool(parts) and at != last  # an empty part is none
        last = at
        parts.append(number)
    return parts


_PARTS: Final = word_set("and but while whereas or")
_FRONTED: Final = word_set("in on at by during since until after before under within")
