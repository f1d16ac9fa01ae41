"""Does a sentence of a source say all of a claim?

All values, names and nouns of the claim must have a counterpart, with the same polarity and
limits. Then the words must stand in the same roles: a quote that has them all may still tell them
of something else ("NASA's orbiter and ESA's lander" of a lander built by NASA).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

from halubot.compare.alignment import Alignment, are_opposite
from halubot.compare.analysis import Analysis, Term
from halubot.compare.occurrences import are_of_other_lives, tells_another_deed
from halubot.compare.operators import Denial, Operator, exclude
from halubot.compare.order import says_the_same, tells_crossed
from halubot.compare.roles import (
    COPULAS,
    LEADING,
    NO_ROLES,
    Roles,
    has_converse,
    tells_of_others,
)
from halubot.compare.word_lore import UNREAD, near_opposites
from halubot.text import Span
from halubot.values.units import MEASURES

WHOLLY: Final = 0.999
"""The share of a fact that a sentence holds which says it in full; rounding apart, all of it."""

COVERED: Final = 0.25
"""The share of a fact's words, by weight, that a reference must hold to support it; values, names,
nouns and what limits it must all be there."""

COVERED_BY_SAMPLE: Final = 0.35
"""The same of a sample: of several samples one holds many words by chance."""

COVERED_BY_CHOSEN: Final = 0.75
"""The same of a short reference, which was chosen for the claim: it should say nearly all of it."""

COVERED_WITH_ALL: Final = 0.3
"""The share of a whole sentence that a source's sentence must hold to support those of its facts
too of which it has other words."""

OTHER_WORDS: Final = 2
"""The most terms that such a fact may say in other words."""

FEW: Final = 2
"""Terms that a claim and a sentence must share, unless those it shares weigh `MOST` of it: one word
in common ("the code returns" beside "fault codes") proves nothing."""

MOST: Final = 0.6

SPARSE: Final = 0.45
"""The share of the message's sentence below which a sentence that lacks the last word of a claim
does not support it."""

SCARCE: Final = 0.35
"""The same of a sentence that lacks the claim's verb."""


class Claim(NamedTuple):
    """A fact in one sentence: the indexes of its terms there, those of them that a source must
    hold to support it (values, names and nouns), its spans, the place of its tail, and the roles
    of its terms, if they are known."""

    sentence: int
    terms: frozenset[int]
    needed: frozenset[int]
    spans: tuple[Span, ...]
    tail: Span | None
    roles: Roles = NO_ROLES


def names_thing(term: Term) -> bool:
    """Return True for a noun that is nothing else, and for a word that no table knows."""
    return term.lore.parts <= {"n"} or term.lore.parts == UNREAD


def is_needed(term: Term) -> bool:
    """Return True for a term without which a source does not support a claim: a value, a name, a
    noun, and what qualifies ("top", "roughly"). Of verbs, which paraphrases exchange most, a share
    will do."""
    return term.kind != "word" or names_thing(term) or term.lore.parts <= {"a", "r"}


def is_measure(found: Analysis, at: int) -> bool:
    """Return True for a noun that says no more than the unit of the value that follows it: "a
    height of 5 m"."""
    if MEASURES.isdisjoint(found.terms[at].bases) or found.slots[at + 1 : at + 2] != ["of"]:
        return False
    value = found.terms[at + 1].value
    return value is not None and value.kind in ("quantity", "money")


_UTMOST: Final = re.compile(r"most|least|first|last|.+est(?:-.*)?")
"""A word that makes a superlative, or looks like one ("forest")."""


def _is_superlative(term: Term) -> bool:
    """Return True for "deepest" and "best", not for "honest" or "harvest"."""
    return term.low.endswith("est") and "a" in term.lore.parts and term.bases != {term.low}


def find_support(
    claim: Claim,
    sentence: Analysis,
    free: Sequence[Alignment],
    given: frozenset[str],
    covered: float,
) -> Span | None:
    """Return the place of the sentence that says all of a claim; None if there is none. ``free``
    are the sentences without a conflict in the claim, ``given`` the words that a source need not
    say."""
    proofs = [one for one in free if _covers(claim, sentence, one, given, covered)]
    if not proofs:
        return None
    return max(proofs, key=lambda one: len(claim.terms & one.paired_terms)).source.span


def find_support_with_all(
    claim: Claim,
    whole: Claim,
    sentence: Analysis,
    equal: Sequence[Alignment],
    given: frozenset[str],
    *,
    sample: bool,
) -> Span | None:
    """Return the place of a sentence that says the ``whole`` sentence of a claim, and the claim
    itself in other words; a ``sample`` may have other verbs. ``equal`` differ in nothing."""
    terms = sentence.terms
    for one in equal:
        open_ = [i for i in claim.terms - one.paired_terms if terms[i].bases.isdisjoint(given)]
        if len(open_) > OTHER_WORDS or claim.terms.isdisjoint(one.paired_terms):
            continue
        if not sample and tells_another_deed(claim.roles, one):
            continue
        if not _holds_any(claim.roles.head, one, given) or not _is_told_alike(claim, one, given):
            continue
        # "Because of a fire" is not said in other words by what tells the rest of the sentence.
        if claim.roles.led and not _holds_any(claim.roles.tail, one, given):
            continue
        if claim.roles.head and not (
            _is_told_by_rest(terms, one) or _tells_predicate(claim.roles, one, given)
        ):
            continue
        if _covers(whole, sentence, one, given, COVERED_WITH_ALL):
            return one.source.span
    return None


def _covers(
    claim: Claim, sentence: Analysis, found: Alignment, given: frozenset[str], covered: float
) -> bool:
    """Return True if a sentence says all of a claim: each value and name, each word that limits
    it, the same polarity, and of its other words at least the share ``covered`` by weight. If
    that is most of them and names are all else, a word is among them: "studied in London" is not
    "was born in London"."""
    terms = sentence.terms
    if not sentence.grammar.words and found.claim.lows != found.source.lows:
        return False  # of words that are not known only the same sentence says the same
    # The cheapest test comes first: most sentences fail it.
    missing = claim.needed - found.paired_terms
    if any(terms[index].bases.isdisjoint(given) for index in missing):
        return False
    met = whole = 0.0
    shared = 0
    others: list[bool] = []
    for index in claim.terms:
        term = terms[index]
        if found.pairs[index] < 0 and not term.bases.isdisjoint(given):
            continue
        weight = found.weights[index]
        whole += weight
        if term.kind != "name":
            others.append(found.pairs[index] >= 0)
        if found.pairs[index] >= 0:
            if not _agrees(found, index):
                return False
            met += weight
            shared += 1
        if _is_superlative(term) and not any(map(_UTMOST.fullmatch, found.source.lows)):
            return False  # what is deep, or a lake in the world, need not be the deepest
    if not whole or met < covered * whole or (shared < FEW and met < MOST * whole):
        return False
    if shared < FEW and not claim.roles.head and found.share < COVERED_WITH_ALL:
        return False  # one word of a sentence is borne out by what speaks of the whole sentence
    if not all(_holds_any(part, found, given) for part in (claim.roles.head, claim.roles.tail)):
        return False
    if claim.roles.head and not _tells_predicate(claim.roles, found, given):
        return False
    if _has_other_subject(claim.roles, found) or _is_met_by_chance(claim, found, given):
        return False
    if covered != COVERED_BY_SAMPLE and tells_another_deed(claim.roles, found):
        return False
    # Names alone are shared by every text about a person. A chosen short reference or a sample must
    # share more than names.
    if covered > COVERED and others and not any(others):
        return False
    # Every sentence about a person shares the name, and often a place, with every other one.
    if are_of_other_lives([terms[index] for index in claim.terms], found.source.terms):
        return False
    # Without a lexicon of verbs, only the order of the words tells who does what.
    if found.claim.grammar.whole_clauses and not says_the_same(found):
        return False
    if found.claim.lows != found.source.lows and (
        tells_crossed(found) or not _is_told_alike(claim, found, given)
    ):
        return False
    return not any(
        (_limits(operator) and not _is_limited_so(found, operator)) or _is_excluded(found, operator)
        for operator in sentence.operators
        if operator.target in claim.terms
    )


def _holds_any(part: Sequence[int], found: Alignment, given: frozenset[str]) -> bool:
    """Return True if a source has a word of a claim's head or tail, or need not say it."""
    terms = found.claim.terms
    return not part or any(
        found.pairs[i] >= 0 or not terms[i].bases.isdisjoint(given) for i in part
    )


def _has_other_subject(roles: Roles, found: Alignment) -> bool:
    """Return True if a source that need not name the head of a claim opens with another name: a
    text on a supplier may leave it out, but not where "the Customer shall pay"."""
    if not roles.head or any(found.pairs[i] >= 0 for i in roles.head):
        return False
    first = next(iter(found.source.terms), None)
    if first is None or first.kind != "name" or found.source.slot(0) in found.source.grammar.slots:
        return False
    # "She was taught by Lindt" is said by "Lindt taught her".
    return not (roles.agent and found.back[0] in roles.tail)


def _is_met_by_chance(claim: Claim, found: Alignment, given: frozenset[str]) -> bool:
    """Return True if a sentence that holds little of the message's one has only words around what
    the claim says: "the council voted in favour of the new line" beside "promised a new garage".
    Values are no chance, nor is a source that says little else."""
    terms, source, roles = found.claim.terms, found.source.terms, claim.roles
    met = [i for i in claim.terms if found.pairs[i] >= 0]
    values = [value for i in met if (value := terms[i].value) is not None]
    if found.share >= SPARSE or any(one.kind != "ordinal" for one in values):
        return False
    if sum(back >= 0 for back in found.back) > MOST * len(source):
        return False

    def lacks(index: int) -> bool:
        return found.pairs[index] < 0 and terms[index].bases.isdisjoint(given)

    if roles.head and roles.tail and all(terms[i].kind != "name" for i in roles.tail if i in met):
        verb = not roles.copula and roles.verb
        if lacks(roles.tail[-1]) or (verb and all(map(lacks, verb)) and found.share < SCARCE):
            return True
    # Of an instruction the verb comes first: "hand in the key card" beside "the key-card deposit".
    if not (roles.head or roles.tail) and len(met) <= FEW and found.share < SCARCE:
        first = min(claim.terms)
        if any(lacks(i) and ("v" in terms[i].lore.parts) == (i == first) for i in claim.terms):
            return True
    # Two words that are only related to those of a claim are in every long sentence.
    equal = sum(not terms[i].bases.isdisjoint(source[found.pairs[i]].bases) for i in met)
    words = all(terms[i].kind == "word" for i in met)
    return words and found.share < COVERED_WITH_ALL and equal < min(FEW, len(met))


def _tells_predicate(roles: Roles, found: Alignment, given: frozenset[str]) -> bool:
    """Return True if a source has a word of what a claim says of its head: "Ferrant voted against"
    does not say that she "supported it", nor does any text say that she "was among those"."""
    said = (*roles.verb, *roles.tail)
    return bool(said) and _holds_any(said, found, given)


def _is_told_by_rest(terms: Sequence[Term], found: Alignment) -> bool:
    """Return True if a source has most of a sentence, and not by its names: what little it says in
    other words is then most likely the same ("240 spaces will disappear", "will be removed")."""
    return found.share >= MOST and sum(terms[i].kind != "name" for i in found.paired_terms) >= FEW


def _agrees(found: Alignment, index: int) -> bool:
    """Return True if a term and its counterpart are both affirmed or both denied; of a term and
    its opposite, one."""
    pair = found.pairs[index]
    same = found.claim.is_denied(index) == found.source.is_denied(pair)
    return same != found.opposed[index]


def _limits(operator: Operator) -> bool:
    """Return True for an operator without which a claim would be another one."""
    sense = operator.sense
    if sense.family == "modal":
        return sense.sense in ("cannot", "need not")
    return sense.family == "quantity" or sense.sense in ("only", "never", "always")


def _is_excluded(found: Alignment, operator: Operator) -> bool:
    """Return True if the source has only operators that exclude this one: "may" for "must"."""
    if operator.sense.family == "modal" and found.source.is_limited and _has_limit(found):
        return False  # "can order up to three" beside "must not order more than three"
    term, pair = found.claim.terms[operator.target], found.pairs[operator.target]
    if operator.sense.family == "degree" and are_opposite(term, found.source.terms[pair]):
        return False  # "more slowly" beside "less quickly"
    mine = {one.sense for one in found.claim.operators} - {operator.sense}
    theirs = [one.sense for one in found.source.operators if one.sense not in mine]
    return operator.sense not in theirs and any(exclude(operator.sense, one) for one in theirs)


def _has_limit(found: Alignment) -> bool:
    """Return True if the claim has a value that is the most there may be, and the source has it."""
    return any(
        found.pairs[i] >= 0 and (value := found.claim.terms[i].value) and value.bound == "at most"
        for i in found.claim.values
    )


def _is_limited_so(found: Alignment, operator: Operator) -> bool:
    """Return True if the source has the same operator, or denies the same term."""
    if any(one.sense == operator.sense for one in found.source.operators):
        return True
    pair = found.pairs[operator.target]
    negative = operator.sense.sense in ("cannot", "never", "0.0")
    return negative and pair >= 0 and found.source.is_denied(pair)


def _is_told_alike(claim: Claim, found: Alignment, given: frozenset[str]) -> bool:
    """Return False if a sentence that holds most of a claim tells it of something else, or leaves
    out what the claim says of its subject."""
    terms = found.claim.terms
    open_ = [i for i in claim.terms - found.paired_terms if terms[i].bases.isdisjoint(given)]
    roles = claim.roles
    if roles.tail and roles.tail[-1] in open_ and _is_told_last(roles, found):
        return False
    if tells_of_others(roles, found):
        return False
    if _is_split(claim, found) or _is_bound_elsewhere(claim, found):
        return False
    if _is_put_aside(claim, found):
        return False
    # "A fax is not accepted" is not said by what denies nothing.
    if not found.source.negations and any(found.claim.is_denied(i) for i in open_):
        return False
    # "Honey bees hibernate" is not said by what else is said of honey bees.
    if not roles.head and len(claim.terms) < len(terms) and found.share < SPARSE:
        last = max(claim.terms)
        if last in open_ and terms[last].lore.parts == {"v"}:
            return False
    return not _denies_another(claim, found) and not any(
        _may_say_the_opposite(terms[i], claim, found) for i in open_
    )


def _is_put_aside(claim: Claim, found: Alignment) -> bool:
    """Return True if the source says a word of the claim only to deny it: "rather than in rivers,
    they hatch at sea" beside "hatches in rivers"."""
    lows, terms = found.source.lows, found.source.terms
    for at, low in enumerate(lows[:-1]):
        if (low, lows[at + 1]) not in (("rather", "than"), ("instead", "of")):
            continue
        aside = bisect_left(terms, found.source.starts[at], key=_start)
        if aside == len(terms):
            continue
        mine = {found.pairs[i] for i in claim.terms}
        clause = terms[aside].clause
        inside = {j for j in range(aside, len(terms)) if terms[j].clause == clause}
        if mine & inside and low not in found.claim.lows:
            return True
    return False


def _is_told_last(roles: Roles, found: Alignment) -> bool:
    """Return True if the last word of a tail is what the claim says: "the fee will be dropped", not
    the "long" of "is 5 km long" or an object, which other words may name."""
    *before, last = roles.tail
    terms = found.claim.terms
    first = last
    while first > roles.tail[0] and found.claim.slot_before(first) not in LEADING:
        first -= 1
        if found.pairs[first] >= 0:
            break
    # "4,000 visitors with free concerts" is not said by what tells of the visitors alone.
    slot = found.claim.slot(first)
    if first > roles.tail[0] and found.pairs[first] < 0 and slot in LEADING:
        return slot != "of" or terms[first - 1].value is None  # "20 kilograms of stores"
    amount = terms[before[-1]].value if before else None
    if amount is not None and amount.kind != "ordinal" and found.pairs[before[-1]] >= 0:
        return False
    said = roles.copula or found.claim.slot_before(last) in COPULAS  # "that buses would be faster"
    return said or "n" not in terms[last].lore.parts


def _is_bound_elsewhere(claim: Claim, found: Alignment) -> bool:
    """Return True if the source tells a value of the claim of one thing and the claim's thing of
    another value: "eight to the north and seven to the south"."""
    source = found.source
    mine = {found.pairs[i] for i in claim.terms & found.paired_terms}
    for j in mine:
        value = source.terms[j].value
        if value is None:
            continue
        last = max((k for k in mine if source.terms[k].value is None), default=j)
        for rival in source.values:
            other = source.terms[rival].value
            heads = {found.pairs[i] for i in claim.roles.head}
            ends = rival == last + 1 == len(source.terms) - 1
            if ends and last in heads and rival not in mine and other:
                # "The bank pays 60 percent and the club 40 percent": the club does not pay 60.
                before = max((k for k in source.values if k < j), default=-1)
                others = [k for k in range(before + 1, j) if k not in mine]
                if j < last and other.kind == value.kind and others:
                    return True
            # Only a value of the same kind between the two can take the thing away from the first
            # value.
            if not j < rival < last or rival in mine or not other or other.kind != value.kind:
                continue
            between = range(j + 1, rival)
            if any(source.terms[k].value is None and k not in mine for k in between):
                return True
    return False


def _denies_another(claim: Claim, found: Alignment) -> bool:
    """Return True if the source denies a verb that the claim does not have, in the same clause,
    and the claim denies nothing: "steel wool should not be used" beside "scrub with steel wool"."""
    claimed, source = found.claim, found.source
    if not source.negations or any(claimed.is_denied(i) for i in claim.terms):
        return False
    told = [source.terms[found.pairs[i]] for i in claim.terms & found.paired_terms]
    clauses = {one.clause for one in told}
    for denial in source.negations:
        at = bisect_left(source.terms, denial.start, key=_start)
        # A denied noun ("no sugar") is its own term and was compared as such.
        if not denial.verbal or at == len(source.terms) or source.terms[at].start >= denial.end:
            continue
        apart = source.terms[at].clause not in clauses or _stands_apart(denial, told, source)
        if found.back[at] < 0 and not apart:
            return True
    return False


def _stands_apart(denial: Denial, told: Sequence[Term], source: Analysis) -> bool:
    """Return True if a denial is joined to what a source tells by "and" or "but", and covers none
    of it: "Ben was not fined and will play", "Ben would love to play and does not mind"."""
    starts, lows = source.starts, source.lows
    cue, after = bisect_left(starts, denial.cue), bisect_left(starts, denial.end)
    if all(one.start < denial.cue for one in told):
        return not _JOINS.isdisjoint(lows[max(0, cue - 2) : cue])
    follows = any(one.start >= denial.end for one in told)
    if not follows or any(denial.start <= one.start < denial.end for one in told):
        return False
    # "It does not melt; it is broken down."
    resumed = any(denial.end <= stop < starts[min(after, len(starts) - 1)] for stop in source.stops)
    return not (_RESUMES if resumed else _JOINS).isdisjoint(lows[after : after + 1])


_JOINS: Final = frozenset({"and", "but"})
_RESUMES: Final = _JOINS | {"it", "they", "he", "she"}


def _start(term: Term) -> int:
    return term.start


def _may_say_the_opposite(term: Term, claim: Claim, found: Alignment) -> bool:
    """Return True if the source has, with no counterpart in the claim, a word close to an opposite
    of a term. One verb may serve two clauses: "profit fell to 10, and the margin to 7"."""
    if term.kind != "word" or has_converse(term, found.source):
        return False
    own = near_opposites(term.lore.opposites)
    return any(
        not own.isdisjoint(other.bases)
        or not near_opposites(other.lore.opposites).isdisjoint(term.bases)
        for other, back in zip(found.source.terms, found.back, strict=True)
        if back not in claim.terms and other.kind == "word"
    )


def _is_split(claim: Claim, found: Alignment) -> bool:
    """Return True if a source tells the parts of a claim of two things: "online sales rose by 14
    percent" beside "workshop revenue rose by 14 percent; online sales fell"."""
    if not found.source.contrasts:
        return False
    own = claim.terms & found.paired_terms
    theirs = {_part(found.source, found.pairs[i]) for i in own}
    return len(theirs) > 1 and len({_part(found.claim, i) for i in own}) < len(theirs)


def _part(found: Analysis, term: int) -> int:
    return bisect_right(found.contrasts, found.terms[term].start)
