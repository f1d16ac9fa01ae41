"""Which words of a sentence say the same as which words of another one.

Terms are paired one to one: equal values, the same name, the same base form, then synonyms and
derivations, then a more specific noun in the source. Of several candidates the one that keeps the
order of the terms wins.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from halubot.compare import lexicon
from halubot.compare.analysis import Analysis, Term
from halubot.values.amounts import Amount
from halubot.values.comparison import Value, same
from halubot.values.dates import Date
from halubot.values.units import MONTHS, ORDINAL

NONE: Final = -1
_FEWEST: Final = 2
"""Other terms of a clause that can be compared by itself."""
NEAR_CLAIM: Final = 3
"""How many terms away from a place its neighbours in the claim may stand."""
NEAR_SOURCE: Final = 4
"""How many terms away their counterparts may stand in the source."""


@dataclass(frozen=True)
class Alignment:
    """A claim sentence beside a source sentence. ``pairs[i]`` is the index of the source's term
    that says the same as the claim's term ``i``, or -1; ``back`` is the reverse. ``weights`` are
    those of the claim's terms and add up to 1. ``share`` is the weight of the aligned ones.
    ``opposed`` marks the terms that are paired with their opposite."""

    claim: Analysis
    source: Analysis
    pairs: tuple[int, ...]
    back: tuple[int, ...]
    opposed: tuple[bool, ...]
    weights: tuple[float, ...]
    share: float

    def clause_share(self, at: int) -> float:
        """Return the share of the weight of a term's clause, without the term and its name, that
        is aligned; that of the whole sentence for a clause of fewer than two other terms."""
        own = self.claim.terms[at]
        rest = [
            i
            for i, term in enumerate(self.claim.terms)
            if term.clause == own.clause and i != at and (own.run < 0 or term.run != own.run)
        ]
        # The share of one or two words jumps between 0 and 1.
        if len(rest) < _FEWEST:
            return self.share
        whole = sum(self.weights[i] for i in rest)
        return sum(self.weights[i] for i in rest if self.pairs[i] >= 0) / whole

    @cached_property
    def paired_terms(self) -> frozenset[int]:
        """The indexes of the claim's terms that are paired."""
        return frozenset([i for i, pair in enumerate(self.pairs) if pair >= 0])

    def context(self, at: int, other: int) -> float:
        """Return how much of what stands around the claim's term ``at`` stands around the
        source's term ``other`` too: a weight in [0, 1], 0 if nothing stands around it."""
        whole, near = self._around(at)
        met = 0.0
        for pair, weight in near:
            if pair != other and abs(pair - other) <= NEAR_SOURCE:
                met += weight
        return met / whole if whole else 0.0

    def _around(self, at: int) -> tuple[float, list[tuple[int, float]]]:
        """Return the weight of what stands around the claim's term, and of the paired terms there
        their counterparts and weights."""
        # A place is compared with many places of the source.
        known = self._surroundings.get(at)
        if known is not None:
            return known
        claim, pairs, weights = self.claim.terms, self.pairs, self.weights
        clause = claim[at].clause
        whole, paired = 0.0, list[tuple[int, float]]()
        for near in range(max(0, at - NEAR_CLAIM), min(len(pairs), at + NEAR_CLAIM + 1)):
            if near == at or (claim[near].run >= 0 and claim[near].run == claim[at].run):
                continue
            # What stands farther away, or in another clause, tells less of what the place is about.
            weight = weights[near] / (1 + 0.5 * abs(near - at))
            if claim[near].clause != clause:
                weight *= 0.4
            whole += weight
            if pairs[near] >= 0:
                paired.append((pairs[near], weight))
        self._surroundings[at] = whole, paired
        return whole, paired

    @cached_property
    def _surroundings(self) -> dict[int, tuple[float, list[tuple[int, float]]]]:
        return {}


def align(
    claim: Analysis,
    source: Analysis,
    weights: tuple[float, ...],
    reach: Sequence[Collection[str]] | None = None,
) -> Alignment:
    """Return the alignment of two sentences. Takes time in the product of their lengths. ``reach``
    are those words of the whole source that each term may meet by its ``wide`` forms."""
    if reach is None:
        known = source.places.keys()
        reach = [known & term.wide for term in claim.terms]
    pairs, back = [NONE] * len(claim.terms), [NONE] * len(source.terms)
    # The order of the steps matters: each pairs only terms that are left, from the surest likeness
    # to the loosest. A synonym must not take the partner of an equal word.
    renamed = {name: source.named_so(name) for name in claim.names}
    _pair_equals(claim, source, reach, renamed, pairs=pairs, back=back)
    _pair_synonyms(claim, source, reach, pairs, back)
    _free_from_heading(claim, pairs, back)
    _pair_kinds(claim, source, pairs, back)
    for name, found in renamed.items():  # "United Kingdom" beside one word, "UK"
        for i in claim.names[name] if found else ():
            if pairs[i] < 0:
                pairs[i] = min(found)
    _pair_phrases(claim, source, pairs)
    if claim.values or source.values:
        _pair_values(claim, source, pairs, back)
    opposed = _pair_opposites(claim, source, pairs, back)
    if claim.grammar.compounds and source.grammar.compounds:
        _pair_compounds(claim, source, pairs, back)
    share = sum([weight for weight, pair in zip(weights, pairs, strict=True) if pair >= 0])
    return Alignment(claim, source, tuple(pairs), tuple(back), tuple(opposed), weights, share)


def _pair_equals(
    claim: Analysis,
    source: Analysis,
    reach: Sequence[Collection[str]],
    renamed: Mapping[str, list[int]],
    *,
    pairs: list[int],
    back: list[int],
) -> None:
    """Pair equal values, the same names and the same base forms."""
    theirs, places = source.terms, source.places.keys()
    last = NONE
    ends: dict[object, list[int]] = {}  # of a range, which a text may repeat a thousand times
    for i, term in enumerate(claim.terms):
        if term.value is not None:
            found = [j for j in source.values if back[j] < 0 and _is_same(term, theirs[j])]
            if not found and term.value.ends is not None:
                said = tuple([(end.kind, end.bound, end.readings) for end in term.value.ends])
                if said not in ends:
                    ends[said] = _ends_of(term.value, source)
                found = ends[said]
        else:
            found = []
            if reach[i] and not places.isdisjoint(term.bases):
                found = _find_free(term, term.bases, source, back)
            if term.phrase and len(found) > 1:  # all words of a phrase have it for a base form
                found = [j for j in found if theirs[j].low == term.low] or found
            if not found and term.kind == "name":
                found = [j for j in renamed[term.name] if back[j] < 0]
            if not found and term.low in MONTHS:
                found = [j for j in source.values if back[j] < 0 and _is_in(term, theirs[j])]
        if found:
            last = _pair(i, found, last, pairs, back)


def _is_in(month: Term, other: Term) -> bool:
    """Return True for a day of that month: "3 December" says "in December"."""
    dates = other.value.readings if other.value is not None else ()
    return any(isinstance(one, Date) and one.month == MONTHS[month.low] for one in dates)


def _find_free(
    term: Term, keys: Collection[str], source: Analysis, back: Sequence[int]
) -> list[int]:
    """The unpaired terms of a source with any of these base forms that may say what a term says."""
    return [
        j
        for key in keys
        for j in source.places.get(key, ())
        if back[j] < 0 and _may_be_one(term, source.terms[j])
    ]


def _may_be_one(term: Term, other: Term) -> bool:
    """Return False for a name and a word that only has a base form in common with it: "written in
    Go" says nothing of "gone", nor "the Reserve Bank" of "reserves". A word that opens a sentence
    is a name by its capital ("Coffee keeps you awake"), so a plural will do if it stands alone."""
    if term.kind == other.kind:
        return True
    one, two = (low.replace("’", "'").removesuffix("'s") for low in (term.low, other.low))
    if one == two:
        return True
    alone = all(name.name in ("", name.text) for name in (term, other))
    return alone and one.removesuffix("s") == two.removesuffix("s")


def _ends_of(range_: Value, source: Analysis) -> list[int]:
    """The first of two values that are the ends of a range in their order: "from 3 to 5" beside
    "3 in May and 5 in June" or "to 5 from 3"; nothing for other values."""
    places = [
        [j for j in source.values if (value := source.terms[j].value) and same(end, value)]
        for end in range_.ends or ()
    ]
    if not places or not all(places):
        return []
    slots = source.slot(places[0][0]), source.slot(places[1][-1])
    if "from" in slots and "to" in slots:
        return places[0][:1] if slots == ("from", "to") else []
    return places[0][:1] if places[0][0] < places[1][-1] else []


def _pair_synonyms(
    claim: Analysis,
    source: Analysis,
    reach: Sequence[Collection[str]],
    pairs: list[int],
    back: list[int],
) -> None:
    """Pair words with synonyms and derivations."""
    last, places = NONE, source.places.keys()
    for i, term in enumerate(claim.terms):
        if pairs[i] >= 0:
            last = pairs[i]
        elif reach[i] and term.value is None and not places.isdisjoint(reach[i]):
            found = _find_free(term, reach[i], source, back)
            if found:
                last = _pair(i, found, last, pairs, back)


def _free_from_heading(claim: Analysis, pairs: list[int], back: list[int]) -> None:
    """Give the partner of a heading's word to the same word of what follows, which says more:
    "Damage: 40 boats were damaged"."""
    terms = claim.terms
    for k in range(claim.heading):
        if pairs[k] < 0 or terms[k].kind != "word":
            continue
        for i in range(claim.heading, len(terms)):
            if pairs[i] < 0 and not terms[i].bases.isdisjoint(terms[k].bases):
                pairs[i], pairs[k], back[pairs[k]] = pairs[k], NONE, i
                break


def _pair_phrases(claim: Analysis, source: Analysis, pairs: list[int]) -> None:
    """Pair all words of a phrase with the one word that says the same: "high blood pressure" with
    "hypertension"."""
    said: dict[str, int] = {}
    for i in claim.phrase_words:
        phrase, pair = claim.terms[i].phrase, pairs[i]
        if pair >= 0 and not source.terms[pair].bases.isdisjoint(lexicon.synonyms(phrase)):
            said[phrase] = pair
    for i in claim.phrase_words:
        if pairs[i] < 0:
            pairs[i] = said.get(claim.terms[i].phrase, NONE)


def _pair_values(claim: Analysis, source: Analysis, pairs: list[int], back: list[int]) -> None:
    """Pair values that say the same by what stands around them: "week 12" and "12th week", "90 days
    in any period of 180" and "any 180-day period", "a minute" and "one minute", "0.14" and
    "0.14.0"."""
    values = [j for j in source.values if back[j] < 0]
    amounts = [j for j in values if _amount(source.terms[j]) is not None]
    for i in claim.values if amounts else ():
        if pairs[i] < 0 and _amount(claim.terms[i]) is not None:
            for j in amounts:
                if back[j] < 0 and (
                    _is_numbered_so(claim, i, source, j, pairs)
                    or _borrows_unit(claim, i, source.terms[j], pairs)
                    or _borrow_alike(claim, i, source, j, pairs)
                ):
                    pairs[i], back[j] = j, i
                    break
    for i in claim.values:
        if pairs[i] < 0:
            j = _written_so(claim, i, source, back)
            if j >= 0:
                pairs[i], back[j] = j, i
    for j in values:
        if back[j] < 0:
            i = _written_so(source, j, claim, pairs)
            if i >= 0:
                pairs[i], back[j] = j, i


def _written_so(one: Analysis, at: int, other: Analysis, taken: Sequence[int]) -> int:
    """Return the index of a word that says what a value of another sentence says: a unit after an
    article ("a minute", "one minute"), or a version with more zeros; -1 if there is none."""
    amount = _amount(one.terms[at])
    if amount is None:
        return NONE
    low, unit = one.terms[at].low, ""
    if amount.written == 1 and amount.dimension:
        unit = _unit(one.terms[at])
    elif not _VERSION.fullmatch(low):
        return NONE
    for index, term in enumerate(other.terms):
        if taken[index] >= 0 or term.value is not None:
            continue
        if unit:
            if unit in term.bases and other.slot_before(index) in ("a", "an"):
                return index
        elif _is_version(low, term.low):
            return index
    return NONE


def _amount(term: Term) -> Amount | None:
    """The amount of a value that is no range and has one reading."""
    value = term.value
    if value is None or value.ends is not None or value.bound or len(value.readings) != 1:
        return None
    reading = value.readings[0]
    return reading if isinstance(reading, Amount) else None


def _is_numbered_so(
    claim: Analysis, i: int, source: Analysis, j: int, pairs: Sequence[int]
) -> bool:
    """Return True for a number after a noun and an ordinal before it: "Line 2", "second line"."""
    mine, theirs = _amount(claim.terms[i]), _amount(source.terms[j])
    if mine is None or theirs is None or mine.number != theirs.number:
        return False
    if mine.dimension == "" and theirs.dimension == "ordinal":
        return i > 0 and pairs[i - 1] in (j + 1, j + 2)
    if mine.dimension == "ordinal" and theirs.dimension == "":
        return j > 0 and (j - 1) in pairs[i + 1 : i + 3]
    return False


def _borrows_unit(claim: Analysis, i: int, other: Term, pairs: Sequence[int]) -> bool:
    """Return True for a number without a unit that another value of its sentence, which the source
    has too, lends one."""
    mine, theirs = _amount(claim.terms[i]), _amount(other)
    if mine is None or theirs is None or mine.dimension or not theirs.dimension:
        return False
    if theirs.dimension == ORDINAL.dimension or mine.number != theirs.written:
        return False
    lenders = [_unit(claim.terms[k]) for k in claim.values if k != i and pairs[k] >= 0]
    return i + 1 == len(claim.terms) and _unit(other) in lenders


def _borrow_alike(claim: Analysis, i: int, source: Analysis, j: int, pairs: Sequence[int]) -> bool:
    """Return True for two numbers without a unit that are the same in the units that equal values
    lend them: "two years, the pump five" beside "24 months, the pump 60"."""
    mine, theirs = _amount(claim.terms[i]), _amount(source.terms[j])
    if mine is None or theirs is None or mine.dimension or theirs.dimension:
        return False
    for k in claim.values:
        if pairs[k] < 0:
            continue
        one, other = _amount(claim.terms[k]), _amount(source.terms[pairs[k]])
        if one is None or other is None or not one.written or not other.written:
            continue
        same = one.dimension == other.dimension != ""
        if same and mine.number * one.number * other.written == (
            theirs.number * other.number * one.written
        ):
            return True
    return False


def _unit(term: Term) -> str:
    """The base form of the last word of a value, its unit as it was written."""
    words = term.low.replace("-", " ").split()
    return min(lexicon.lemmas(words[-1]), default="") if words else ""


_VERSION: Final = re.compile(r"\d+\.\d+(?:\.\d+)*")


def _is_version(one: str, other: str) -> bool:
    """Return True for two versions of which one has more zeros at its end: "0.14", "0.14.0"."""
    if not _VERSION.fullmatch(other):
        return False
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and not long[len(short) :].strip(".0")


def _pair(i: int, found: list[int], last: int, pairs: list[int], back: list[int]) -> int:
    """Pair a term with the candidate that keeps the order best, and return that one."""
    best = min(found, key=lambda j: (_distance(i, j, last, pairs), j))
    pairs[i], back[best] = best, i
    return best


def _pair_kinds(claim: Analysis, source: Analysis, pairs: list[int], back: list[int]) -> None:
    """Pair nouns with more specific ones: "dog" with "spaniel"."""
    above = source.lore.above
    if claim.lore.kinds.isdisjoint(above):
        return
    for i, term in enumerate(claim.terms):
        if pairs[i] >= 0 or term.kind != "word" or term.lore.kinds.isdisjoint(above):
            continue
        for j, other in enumerate(source.terms):
            if back[j] < 0 and other.kind == "word" and _is_kind(term, other):
                pairs[i], back[j] = j, i
                break


def _pair_opposites(
    claim: Analysis, source: Analysis, pairs: list[int], back: list[int]
) -> list[bool]:
    """Pair words with their opposites, and return which terms are paired so."""
    opposed = [False] * len(pairs)
    opposites, places = source.lore.opposites, source.places
    if claim.places.keys().isdisjoint(opposites) and places.keys().isdisjoint(claim.lore.opposites):
        return opposed
    for i, term in enumerate(claim.terms):
        if pairs[i] >= 0 or term.kind != "word":
            continue
        if opposites.isdisjoint(term.bases) and places.keys().isdisjoint(term.lore.opposites):
            continue
        found = [j for j, one in enumerate(source.terms) if back[j] < 0 and are_opposite(term, one)]
        if found:
            best = min(found, key=lambda j: _distance(i, j, NONE, pairs))
            pairs[i], back[best] = best, i
            opposed[i] = claim.says_less(i) == source.says_less(best)  # "less fast" is "slower"
    return opposed


def _pair_compounds(claim: Analysis, source: Analysis, pairs: list[int], back: list[int]) -> None:
    """Pair a compound with the two words that say the same: "Wohnungspreise", "Preise für
    Wohnungen"; and a word with a compound of which it is the head, which says more."""
    for i, term in enumerate(claim.terms):
        if pairs[i] >= 0 or term.kind != "word" or len(term.norm) < _COMPOUND:
            continue
        head, modifier = _parts_of(term, source, back)
        if head >= 0 and modifier >= 0:
            pairs[i], back[head], back[modifier] = head, i, i
    for j, other in enumerate(source.terms):
        if back[j] >= 0 or other.kind != "word" or len(other.norm) < _COMPOUND:
            continue
        head, modifier = _parts_of(other, claim, pairs)
        if head >= 0:
            pairs[head], back[j] = j, head
            if modifier >= 0:
                pairs[modifier] = j


_COMPOUND: Final = 8
"""Letters of a compound's stem at least."""
_PART: Final = 4
"""Letters of a part of a compound at least."""


def _parts_of(compound: Term, other: Analysis, taken: Sequence[int]) -> tuple[int, int]:
    """The words of another sentence that end and begin a compound; -1 for none."""
    head = modifier = NONE
    for at, term in enumerate(other.terms):
        if taken[at] >= 0 or term.kind == "value" or len(term.norm) < _PART:
            continue
        if len(term.norm) + _PART > len(compound.norm):
            continue
        if compound.norm.endswith(term.norm):
            head = at
        elif compound.norm.startswith(term.norm):
            modifier = at
    return head, modifier


def _distance(i: int, j: int, last: int, pairs: list[int]) -> float:
    """Return how far a candidate stands from the counterparts of the claim's next neighbours."""
    near = [pairs[k] for k in (i - 1, i + 1) if 0 <= k < len(pairs) and pairs[k] >= 0]
    if near:
        return min(abs(j - one) for one in near)
    return abs(j - last - 1) if last >= 0 else abs(j - i)


def _is_same(claim: Term, source: Term) -> bool:
    if claim.norm == source.norm:
        return True
    return claim.value is not None and source.value is not None and same(claim.value, source.value)


def _is_kind(claim: Term, source: Term) -> bool:
    """Return True for a source that names a kind of the claim's thing: "spaniel" for "dog"."""
    return not claim.lore.kinds.isdisjoint(source.lore.above) and any(
        lexicon.is_kind_of(other, own) for own in claim.bases for other in source.bases
    )


def are_opposite(claim: Term, source: Term) -> bool:
    """Return True if a base form of one word is an antonym of one of the other's. Symmetric."""
    return source.kind == "word" and not (
        claim.lore.opposites.isdisjoint(source.bases)
        and source.lore.opposites.isdisjoint(claim.bases)
    )
