"""Does a sentence of a source say all of a claim?

All values, names and nouns of the claim must have a counterpart, with the same polarity and
limits. Then the words must stand in the same roles: a quote that has them all may still tell them
of something else ("NASA's orbiter and ESA's lander" of a lander built by NASA).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from halubot.compare import lexicon
from halubot.compare.alignment import Alignment
from halubot.compare.analysis import Analysis, Term
from halubot.compare.occurrences import are_of_other_lives
from halubot.compare.operators import Denial, Operator, exclude
from halubot.compare.roles import says_the_same
from halubot.compare.tokens import word_set
from halubot.compare.word_lore import UNREAD
from halubot.report import Fact
from halubot.text import Span

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


class Roles(NamedTuple):
    """The indexes of a triple's terms: those of its ``head``, of its ``tail``, and of its
    ``verb``. ``agent`` says that the tail did it ("built by NASA"), ``copula`` that the head is
    or becomes the tail, ``led`` that a preposition leads to the tail."""

    head: tuple[int, ...] = ()
    tail: tuple[int, ...] = ()
    verb: tuple[int, ...] = ()
    agent: bool = False
    copula: bool = False
    led: bool = False


NO_ROLES: Final = Roles()


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


_COPULAS: Final = word_set(
    "is are was were be been being become becomes became stay stays stayed remain remains remained"
    " make makes made seem seems seemed"
)
_BY: Final = word_set("by from of through")
_LEADING: Final = word_set(
    "of in on at by for with from to into onto upon about above across after against along among"
    " around as before behind below beneath beside between beyond despite during near over past"
    " since than through toward towards under until via within without"
)


def roles_of(fact: Fact, own: Collection[int], terms: Sequence[Term]) -> Roles:
    """Return the roles of the terms ``own`` of a fact; none if it is no triple."""
    if not fact.triple.head and not fact.triple.relation:
        return NO_ROLES
    head, tail = (
        tuple([i for i in sorted(own) if part and part[0] <= terms[i].start < part[1]])
        for part in (fact.parts.head, fact.parts.tail)
    )
    verb = tuple([i for i in sorted(own) if i not in head and i not in tail])
    words = fact.triple.relation.lower().split() or [""]
    last = words[-1]
    return Roles(head, tail, verb, last == "by", last in _COPULAS, last in _LEADING)


def names_thing(term: Term) -> bool:
    """Return True for a noun that is nothing else, and for a word that no table knows."""
    return term.lore.parts <= {"n"} or term.lore.parts == UNREAD


def is_needed(term: Term) -> bool:
    """Return True for a term without which a source does not support a claim: a value, a name, a
    noun, and what qualifies ("top", "roughly"). Of verbs, which paraphrases exchange most, a share
    will do."""
    return term.kind != "word" or names_thing(term) or term.lore.parts <= {"a", "r"}


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
    for one in free:
        if _covers(claim, sentence, one, given, covered):
            return one.source.span
    return None


def find_support_with_all(
    claim: Claim,
    whole: Claim,
    sentence: Analysis,
    equal: Sequence[Alignment],
    given: frozenset[str],
) -> Span | None:
    """Return the place of a sentence that says the ``whole`` sentence of a claim, and the claim
    itself in other words. ``equal`` are the sentences without any difference."""
    terms = sentence.terms
    for one in equal:
        open_ = [i for i in claim.terms - one.paired_terms if terms[i].bases.isdisjoint(given)]
        if len(open_) > OTHER_WORDS or claim.terms.isdisjoint(one.paired_terms):
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
    if _has_other_subject(claim.roles, found):
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
    if found.claim.lows != found.source.lows and not _is_told_alike(claim, found, given):
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
    theirs = [one.sense for one in found.source.operators]
    return operator.sense not in theirs and any(exclude(operator.sense, one) for one in theirs)


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
    if roles.agent and not _is_agent(roles, found):
        return False
    if _is_split(claim, found) or _is_bound_elsewhere(claim, found):
        return False
    if _is_done_by_another(roles, found) or _is_told_of_another_verb(roles, found):
        return False
    if _is_turned_round(roles, found):
        return False
    return not _denies_another(claim, found) and not any(
        _may_say_the_opposite(terms[i], claim, found) for i in open_
    )


def _is_told_last(roles: Roles, found: Alignment) -> bool:
    """Return True if the last word of a tail is what the claim says: "the fee will be dropped", not
    the "long" of "is 5 km long" or an object, which other words may name."""
    *before, last = roles.tail
    terms = found.claim.terms
    amount = terms[before[-1]].value if before else None
    if amount is not None and amount.kind != "ordinal" and found.pairs[before[-1]] >= 0:
        return False
    return roles.copula or "n" not in terms[last].lore.parts


def _is_agent(roles: Roles, found: Alignment) -> bool:
    """Return True if who did it, by the claim, may have done it by the source: "by NASA" beside
    "NASA built", not beside "NASA's orbiter and the lander"."""
    doer = next((found.pairs[i] for i in roles.tail if found.pairs[i] >= 0), -1)
    if doer < 0:
        return True
    source = found.source
    if source.slot(doer) in _BY:
        return True
    done = [found.pairs[i] for i in (*roles.head, *roles.verb) if found.pairs[i] >= 0]
    if source.terms[doer].text.endswith(("'s", "’s")):
        run = source.terms[doer].run
        follows = range(doer + 1, len(source.terms))
        owned = next((j for j in follows if run < 0 or source.terms[j].run != run), -1)
        return owned >= 0 and (owned in done or owned + 1 in done)
    return not done or doer < min(done)


def _is_turned_round(roles: Roles, found: Alignment) -> bool:
    """Return True if the source has head and tail in the other order and not the verb, which alone
    could tell who does what: "the fund called on the board" beside "the board urged the fund"."""
    if roles.copula or not (roles.head and roles.tail and roles.verb):
        return False
    terms = found.claim.terms
    # A verb that both have is compared in `roles`, which knows its passive and its converse.
    if any(found.pairs[i] >= 0 or _has_converse(terms[i], found.source) for i in roles.verb):
        return False
    first, last = roles.head[-1], roles.tail[-1]
    values = [terms[i].value for i in (first, last)]
    # A date or number may stand anywhere in a sentence, so its place tells nothing.
    return found.pairs[first] > found.pairs[last] >= 0 and values == [None, None]


def _is_done_by_another(roles: Roles, found: Alignment) -> bool:
    """Return True if the source names who did it right after the verb, and it is another one:
    "reviewed by Pratt" beside "Dine reviewed it"."""
    source = found.source
    doers = roles.tail if roles.agent else roles.head
    mine = {found.pairs[i] for i in doers if found.pairs[i] >= 0}
    for i in roles.verb:
        j = found.pairs[i]
        if not mine or j < 0 or j + 1 >= len(source.terms):
            continue
        agent = source.terms[j + 1]
        if agent.kind != "name" or source.slot(j + 1) != "by" or found.opposed[i]:
            continue
        if mine.isdisjoint(source.runs[agent.run]) and not _has_converse(
            found.claim.terms[i], source
        ):
            return True
    return False


def _is_told_of_another_verb(roles: Roles, found: Alignment) -> bool:
    """Return True if the same preposition leads from the verb to another value or name before it
    leads to the claim's: "assembled in Aarhus from parts made in Turin"."""
    claim, source = found.claim, found.source
    verbs = [found.pairs[i] for i in roles.verb if found.pairs[i] >= 0]
    tails = [i for i in roles.tail if claim.terms[i].kind != "word" and found.pairs[i] >= 0]
    if not verbs or not tails:
        return False
    verb, first = verbs[0], found.pairs[tails[0]]
    slot = source.slot(first)
    if not slot or slot != claim.slot(tails[0]):
        return False
    kind = source.terms[first].kind
    return any(
        source.terms[j].kind == kind and found.back[j] < 0 and source.slot(j) == slot
        for j in range(verb + 1, first)
        if source.terms[j].run < 0 or source.terms[j].run != source.terms[first].run
    )


def _has_converse(term: Term, source: Analysis) -> bool:
    """Return True if the source tells what a verb tells from its other side: "lost to" for
    "defeated"."""
    return not term.lore.converses.isdisjoint(source.places)


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
    return follows and not _JOINS.isdisjoint(lows[after : after + 1])


_JOINS: Final = frozenset({"and", "but"})


def _start(term: Term) -> int:
    return term.start


def _may_say_the_opposite(term: Term, claim: Claim, found: Alignment) -> bool:
    """Return True if the source has, with no counterpart in the claim, a word close to an opposite
    of a term. One verb may serve two clauses: "profit fell to 10, and the margin to 7"."""
    if term.kind != "word" or _has_converse(term, found.source):
        return False
    own = _near_opposites(term.lore.opposites)
    return any(
        not own.isdisjoint(other.bases)
        or not _near_opposites(other.lore.opposites).isdisjoint(term.bases)
        for other, back in zip(found.source.terms, found.back, strict=True)
        if back not in claim.terms and other.kind == "word"
    )


@lru_cache(maxsize=1 << 12)
def _near_opposites(opposites: frozenset[str]) -> frozenset[str]:
    """The opposites of a word with what says the same as they do."""
    near = [lexicon.synonyms(one) | lexicon.related_words(one) for one in opposites]
    return opposites.union(*near)


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
