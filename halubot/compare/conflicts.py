"""Places at which two aligned sentences exclude each other.

A conflict is one place of the claim that the source fills otherwise: another value of the same
dimension, another name, an opposite, the other polarity, another modal or quantity, exchanged
roles. What stands around the place must be aligned, or the two sentences speak of two events.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from halubot.compare.alignment import Alignment, are_opposite
from halubot.compare.alternatives import (
    Conflict,
    Kind,
    alternative,
    are_alternatives,
    are_kin_of_others,
    excludes,
    have_same_slot,
    is_alike,
    may_rival,
    measure_others,
)
from halubot.compare.analysis import Analysis, Term, name_class
from halubot.compare.operators import Operator, Sense, exclude
from halubot.compare.order import find_order
from halubot.compare.roles import are_exchanged, find_swaps, is_converse, is_of_other_side


def find_conflicts(found: Alignment) -> list[Conflict]:
    """Return all places at which the source says something else; none of the same sentence."""
    if found.claim.lows == found.source.lows:
        return []
    if not found.claim.grammar.words:
        return [one for one in _find_exchanged(found) if one.kind in ("value", "unit", "name")]
    return [
        *_find_exchanged(found),
        *_find_denied(found),
        *_denied_whole(found),
        *_find_other_operators(found),
        *_find_swapped(found),
        *_find_displaced(found),
        *find_order(found),
    ]


def _find_exchanged(found: Alignment) -> Iterator[Conflict]:
    """Unpaired terms with an unpaired alternative in the same surroundings, the likeliest one."""
    mine, theirs = found.claim.terms, found.source.terms
    rivals = found.source.lore.rivals
    for i, term in enumerate(mine):
        if found.pairs[i] >= 0 or (term.kind == "word" and term.lore.rivals.isdisjoint(rivals)):
            continue
        best: Conflict | None = None
        best_rank = (False, False, False, 0.0)
        kind: Kind | None
        for j in found.source.of_class.get(found.claim.classes[i], ()):
            if found.back[j] >= 0:
                continue
            other = theirs[j]
            kind = "name" if term.kind == "name" else alternative(term, other)
            if kind is None or (kind == "name" and not may_rival(found, i, j)):
                continue
            if kind == "value" and measure_others(found, i, j):
                continue
            if kind == "noun" and are_kin_of_others(found, i, j):
                continue
            alike = is_alike(found, i, j)
            if best is not None and best.alike and not alike:
                continue
            context, slot = found.context(i, j), have_same_slot(found, i, j)
            # A name that is written there is a surer rival than one that a pronoun stands for.
            rank = alike, not found.source.is_taken_up(j), slot, context
            if best is None or rank > best_rank:
                best_rank = rank
                span, place = (term.start, term.end), (other.start, other.end)
                best = Conflict(kind, i, j, span, place, context, alike, slot)
        if best is not None:
            yield best
    for i, j in enumerate(found.pairs):
        if j < 0 or not found.opposed[i] or is_converse(found, i, j):
            continue
        if _describe_others(found, i, j) or is_of_other_side(found, i, j):
            continue
        if "v" in theirs[j].lore.parts and _stands_apart(found, j):
            continue
        if are_exchanged(found, i, j):
            continue  # "slower than" with the roles exchanged says the same as "faster than"
        if found.claim.is_denied(i) == found.source.is_denied(j):
            term, other = mine[i], theirs[j]
            span, place = (term.start, term.end), (other.start, other.end)
            yield Conflict("opposite", i, j, span, place, found.context(i, j))


def _describe_others(found: Alignment, i: int, j: int) -> bool:
    """Return True for two adjectives of different things: "the greater part" and "a
    smaller amount"."""
    mine, theirs = found.claim.terms, found.source.terms
    if "a" not in mine[i].lore.parts or i + 1 >= len(mine) or j + 1 >= len(theirs):
        return False
    one, other = mine[i + 1], theirs[j + 1]
    beside = one.start - mine[i].end == 1 == other.start - theirs[j].end
    return beside and found.pairs[i + 1] != j + 1 and _names_thing(one) and _names_thing(other)


def _names_thing(term: Term) -> bool:
    return term.kind == "word" and "n" in term.lore.parts


def _find_denied(found: Alignment) -> Iterator[Conflict]:
    """Pairs of which one side denies what the other says."""
    claim, source = found.claim, found.source
    if not claim.negations and not source.negations:
        return
    if claim.grammar.whole_clauses and (_both_deny(found) or _may_be_reversed(found)):
        return  # which of the other words a denial covers is not known there
    for i, j in enumerate(found.pairs):
        if j < 0 or found.opposed[i]:
            continue
        if i not in claim.governed and j not in source.governed:
            continue
        # A modal on both sides is compared by its own rule; counting it here too would mark one
        # word twice.
        if claim.is_denied(i) == source.is_denied(j) or _by_modals(found, i, j):
            continue
        # "Safe without a licence" says under which condition; it does not deny the licence.
        if claim.is_without(i) or source.is_without(j):
            continue
        free, at = (claim, i) if not claim.is_denied(i) else (source, j)
        # "Refused" or "hardly" nearby may deny it too, in a way that no rule here reads.
        if free.leans(at):
            continue
        # "If it rains, it is closed" says nothing of a day without rain.
        if claim.is_conditional(i) != source.is_conditional(j):
            continue
        if _is_of_degree(claim, i) != _is_of_degree(source, j):
            continue
        # "Nothing for three days" denies no days, and "no one before 1931" nobody in 1931.
        if claim.terms[i].value is not None or _times(claim) != _times(source):
            continue
        if (i in claim.hyphened) != (j in source.hyphened):
            continue  # "a use-by date" uses nothing
        if _stands_apart(found, j):
            continue
        mine, theirs = claim.terms[i], source.terms[j]
        start = claim.opening(i)
        yield Conflict(
            "polarity", i, j, (start, mine.end), (source.opening(j), theirs.end),
            found.context(i, j),
        )  # fmt: skip


def _stands_apart(found: Alignment, j: int) -> bool:
    """Return True for a term of the source in a clause that says nothing else of the claim, while
    other clauses do: "that nobody sees" of burns that have to be seen."""
    terms = found.source.terms
    near = [k for k, back in enumerate(found.back) if back >= 0 and k != j]
    return bool(near) and all(terms[k].clause != terms[j].clause for k in near)


def _times(found: Analysis) -> frozenset[str]:
    """The words that set a date apart from its own time: "before 1931"."""
    return frozenset(
        [
            one.sense.sense
            for one in found.operators
            if one.sense.sense in _APART_IN_TIME and found.terms[one.target].value is not None
        ]
    )


_APART_IN_TIME: Final = frozenset({"before", "after", "until", "till", "since"})


def _is_of_degree(found: Analysis, at: int) -> bool:
    """Return True for what "enough" or "too" measures: who denies "salty enough" denies no salt."""
    after = bisect_left(found.starts, found.terms[at].end)
    return found.lows[after : after + 1] == ("enough",) or found.slot_before(at) == "too"


def _may_be_reversed(found: Alignment) -> bool:
    """Return True if a word is paired with its opposite, or each side has a word of its own, which
    may be opposites: "no one passed", "all failed"."""
    own = any(
        pair < 0 and term.kind == "word"
        for term, pair in zip(found.claim.terms, found.pairs, strict=True)
    )
    other = any(
        pair < 0 and term.kind == "word"
        for term, pair in zip(found.source.terms, found.back, strict=True)
    )
    return any(found.opposed) or (own and other)


def _both_deny(found: Alignment) -> bool:
    """Return True if both sentences deny something that they share."""
    return any(
        j >= 0 and found.claim.is_denied(i) and found.source.is_denied(j)
        for i, j in enumerate(found.pairs)
    )


def _denied_whole(found: Alignment) -> Iterator[Conflict]:
    """A verb that is denied on one side alone, in two sentences that else say the same. The verb
    itself need not be aligned: "bites do lead to illness", "bites do not cause illness"."""
    claim, source = found.claim, found.source
    # The denied verb has no counterpart to compare with, so all the rest must agree.
    if found.share < WHOLE or not (claim.negations or source.negations):
        return
    mine, theirs = ([one for one in side.negations if one.verbal] for side in (claim, source))
    # Two negations may cancel each other; which ones do is not known.
    if len(mine) + len(theirs) != 1:
        return
    one, pairs = (mine[0], found.pairs) if mine else (theirs[0], found.back)
    here, there = (claim, source) if mine else (source, claim)
    target = next((i for i, t in enumerate(here.terms) if one.start <= t.start < one.end), -1)
    if target >= 0 and pairs[target] >= 0:
        return  # compared by the term itself
    before = max((i for i, t in enumerate(here.terms) if t.end <= one.cue), default=target)
    anchor = before if before >= 0 and pairs[before] >= 0 else -1
    if anchor < 0 or here.is_conditional(anchor):
        return
    other = pairs[anchor]
    if there.leans(other) or there.is_conditional(other):
        return
    # "Ben was not fined and will play" denies nothing of "Ben will play".
    if target >= 0 and not _has_own_word(there, other + 1, found.back if mine else found.pairs):
        return
    i, j = (anchor, other) if mine else (other, anchor)
    term = source.terms[j]
    if mine:
        end = claim.terms[target].end if target >= 0 else claim.span[1]
        span = (claim.opening_of(one), min(end, one.end))
    else:
        follows = min(i + 1, len(claim.terms) - 1)
        span = (claim.opening(follows), claim.terms[follows].end)
    yield Conflict("polarity", i, j, span, (term.start, term.end), found.context(i, j))


def _has_own_word(found: Analysis, at: int, pairs: Sequence[int]) -> bool:
    """Return True if one of two terms from there on is a word that the other side has not."""
    near = range(at, min(at + 2, len(found.terms)))
    return any(pairs[one] < 0 and found.terms[one].kind == "word" for one in near)


WHOLE: Final = 0.8
"""The share of a claim sentence that makes two sentences the same but for a "not"."""


def _find_displaced(found: Alignment) -> Iterator[Conflict]:
    """Two terms of one kind that have changed places: "white lines mark paid parking, blue lines
    are free" beside "blue lines mark paid parking, white lines are free"."""
    # Below this share two sentences have words in common, not places.
    if found.share < APART or len(found.pairs) > MOST_TERMS:
        return
    # Converse verbs exchange the places of all that stands around them: "Ada bought it from Karl",
    # "Karl sold it to Ada"; "Marlow won 3-1 against Ross", "Ross lost 3-1 to Marlow".
    for i, j in enumerate(found.pairs):
        if j >= 0 and (
            is_converse(found, i, j) or (found.opposed[i] and is_of_other_side(found, i, j))
        ):
            return
    moved = {
        i: rival for i in range(len(found.pairs)) if (rival := _moved_to(found, i)) is not None
    }
    for i, rival in moved.items():
        if moved.get(rival) == i:
            term, other = found.claim.terms[i], found.source.terms[found.pairs[rival]]
            yield Conflict(
                "roles", i, found.pairs[rival], (term.start, term.end), (other.start, other.end),
                1.0,
            )  # fmt: skip


def _moved_to(found: Alignment, at: int) -> int | None:
    """The claim's term in whose place the source has the term ``at``: what stands beside ``at``
    in the claim stands beside the other one in the source."""
    claim, source = found.claim, found.source
    j = found.pairs[at]
    if claim.grammar.whole_clauses and claim.terms[at].value is None:
        return None
    if j < 0 or found.opposed[at] or not _may_stand_elsewhere(claim.terms[at], source):
        return None
    for rival, other in enumerate(found.pairs):
        # "Garlic cloves" and "cloves of garlic" are one thing.
        if abs(rival - at) == abs(other - j) == 1:
            continue
        if rival == at or other < 0 or not _parallel(claim.terms[at], source.terms[other]):
            continue
        own = [
            k
            for k in range(max(0, at - 3), min(len(claim.terms), at + 4))
            if found.pairs[k] >= 0
            and k not in (at, rival)
            and (claim.terms[k].kind != "name" or claim.terms[at].kind != "name")
            and _nearer(claim, k, at, rival) == 1
        ]
        votes = [_nearer(source, found.pairs[k], other, j) for k in own]
        # One neighbour that stayed where it was is enough to let the term be.
        if votes and all(vote == 1 for vote in votes):
            return rival
    return None


MOST_TERMS: Final = 60
"""Terms of a sentence in which places are compared with each other: that takes their square."""
APART: Final = 0.55
"""The share of a claim sentence that must be aligned before its terms can change places."""


def _nearer(found: Analysis, at: int, one: int, other: int) -> int:
    """1 if the first of two terms is clearly nearer to a third, -1 if the second one is."""

    def distance(term: int) -> int:
        apart = found.terms[term].clause != found.terms[at].clause
        return abs(term - at) + 4 * apart

    first, second = distance(one), distance(other)
    return 1 if first < second else -1 if second < first else 0


def _may_stand_elsewhere(claim: Term, source: Analysis) -> bool:
    """Return False if no word of the source can be parallel to a word of the claim."""
    lore, known = claim.lore, source.lore
    return (
        claim.kind != "word"
        or not known.rivals.isdisjoint(lore.rivals)
        or not known.opposites.isdisjoint(claim.bases)
        or not source.places.keys().isdisjoint(lore.opposites)
    )


def _parallel(claim: Term, source: Term) -> bool:
    """Return True for two different terms that could stand in each other's place."""
    if claim.value is not None and source.value is not None:
        return claim.value.kind == source.value.kind and excludes(claim.value, source.value)
    if claim.kind != source.kind or claim.value is not None or source.value is not None:
        return False
    if not claim.wide.isdisjoint(source.bases):
        return False
    if claim.kind == "name":
        return name_class(claim.low) == name_class(source.low)
    return are_opposite(claim, source) or are_alternatives(claim, source)


def _by_modals(found: Alignment, i: int, j: int) -> bool:
    """Return True if modals on both sides already say how the two differ."""
    sides = ((found.claim, i), (found.source, j))
    mine, theirs = (
        {one.sense for one in side.operators if one.sense.family == "modal" and one.target == at}
        for side, at in sides
    )
    if found.claim.grammar.whole_clauses and mine == theirs:
        return False  # "is advised", "is not advised"
    return bool(mine) and bool(theirs)


def _find_other_operators(found: Alignment) -> Iterator[Conflict]:
    """Operators of one family over aligned terms whose senses exclude each other."""
    for mine in found.claim.operators:
        if mine.target < 0:
            continue
        pair = found.pairs[mine.target]
        said = {one.sense for one in found.source.operators if one.target == pair}
        for theirs in found.source.operators:
            if theirs.target < 0:
                continue
            # "With or without milk" says both.
            same = 0 <= pair == theirs.target and mine.sense not in said
            if not (same and exclude(mine.sense, theirs.sense)) and not _every_other(
                found, mine, theirs
            ):
                continue
            if mine.sense.family == "degree" and are_opposite(
                found.claim.terms[mine.target], found.source.terms[theirs.target]
            ):
                continue  # "more slowly", "less quickly"
            if _NONE_OF in (mine.sense, theirs.sense) and _is_said_otherwise(found):
                continue
            # "Not allowed more than once" and "allowed only once" say the same.
            limited = found.claim.is_limited or found.source.is_limited
            if limited and mine.sense.family in ("modal", "quantity"):
                continue
            # "Unless they return" is "if they do not return".
            if {mine.sense.sense, theirs.sense.sense} == {"unless", "if"} and (
                found.claim.is_denied(mine.target) != found.source.is_denied(theirs.target)
            ):
                continue
            # "All are forbidden to" and "neither may" say the same.
            if mine.sense.family == "quantity" and _forbids(found.claim) != _forbids(found.source):
                continue
            family = mine.sense.family
            kind: Kind = family if family in {"modal", "quantity"} else "link"
            yield Conflict(
                kind, mine.target, theirs.target, (mine.start, mine.end),
                (theirs.start, theirs.end), found.context(mine.target, theirs.target),
            )  # fmt: skip


def _forbids(found: Analysis) -> bool:
    """Return True if a sentence denies a verb by more than "no one" or "neither"."""
    return any(one.verbal for one in found.negations) or any(
        one.sense == _CANNOT
        and not any(denial.start <= one.start < denial.end for denial in found.negations)
        for one in found.operators
    )


_CANNOT: Final = Sense("modal", "cannot")
_NONE_OF: Final = Sense("quantity", "0.0")


def _is_said_otherwise(found: Alignment) -> bool:
    """Return True in a language without a lexicon for "none passed" beside "all failed"."""
    return found.claim.grammar.whole_clauses and _may_be_reversed(found)


def _every_other(found: Alignment, mine: Operator, theirs: Operator) -> bool:
    """Return True for "every day" beside "every second day": an ordinal on one side alone."""
    if mine.sense.family != "quantity" or mine.sense != theirs.sense:
        return False
    claim, source = _count(found.claim, mine), _count(found.source, theirs)
    return claim[1] != source[1] and found.pairs[claim[0]] == source[0]


def _count(found: Analysis, operator: Operator) -> tuple[int, bool]:
    """The term that a quantity counts, and whether an ordinal stands before it."""
    at = operator.target
    ordinal = found.terms[at].value is not None and at + 1 < len(found.terms)
    return (at + 1, True) if ordinal else (at, False)


def _find_swapped(found: Alignment) -> Iterator[Conflict]:
    """Terms that have exchanged their roles (`halubot.compare.roles`)."""
    for one in find_swaps(found):
        yield Conflict(
            "roles", one.claim, one.source, one.span, one.other,
            found.context(one.claim, one.source),
        )  # fmt: skip
