"""Do a claim and a source describe the same event? Births, deaths and other events happen once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from halubot.compare import lexicon
from halubot.compare.alignment import Alignment
from halubot.compare.alternatives import Conflict, alternative
from halubot.compare.analysis import Analysis, Term
from halubot.compare.operators import exclude
from halubot.compare.roles import Roles, has_converse, is_noun
from halubot.compare.tokens import word_set


def is_elsewhere(found: Alignment, conflict: Conflict) -> bool:
    """Return True if the two clauses tell of two events, so that a difference says nothing: they
    differ in a second place too, a name, a value or an opposite ("opened in 1931", "closed in
    1980"), tell of two kinds of events ("published in 1911", "filmed in 1950"), or name who is
    something now and who was it once."""
    if conflict.kind == "polarity":
        return _denies_other_place(found, conflict)
    if conflict.kind not in ("value", "name", "noun", "opposite", "link"):
        return False
    # "If sales fall" says nothing of sales that rise.
    if conflict.kind == "opposite":
        sides = (found.claim, conflict.term), (found.source, conflict.other)
        if any(_is_under_if(*one) for one in sides) and not all(
            side.is_conditional(at) for side, at in sides
        ):
            return True
    # "Tax Advice deadlines:" says of what a list tells, not of whom.
    if conflict.kind == "name" and conflict.other < found.source.heading:
        return True
    if conflict.kind == "name" and (found.claim.is_past, found.source.is_past) in _TIMES_APART:
        return True
    # "Clara Whitcombe" beside "Edmund Whitcombe": who shares a surname is told of as one.
    if conflict.kind == "name" and _share_surname(found, conflict):
        return False
    claim, source = found.claim.terms, found.source.terms
    term, other = claim[conflict.term], source[conflict.other]
    mine = [i for i, one in enumerate(claim) if one.clause == term.clause and i != conflict.term]
    theirs = [
        j for j, one in enumerate(source) if one.clause == other.clause and j != conflict.other
    ]
    if not _tell_of_two(found, conflict, mine, theirs):
        return False
    return not is_one_event(found, conflict)


def _is_under_if(found: Analysis, at: int) -> bool:
    """Return True if the clause of a term says under which condition something holds, not when;
    "only if it is hot" demands it."""
    opening = found.opening_words(at)
    conditions = found.grammar.conditions - _NOT_IF
    if "only" in opening or conditions.isdisjoint(opening):
        return found.terms[at].clause == 0 and found.lows[0] == "should"
    return True


_NOT_IF: Final = frozenset({"when", "once", "until", "whether", "without", "should"})


def _denies_other_place(found: Alignment, conflict: Conflict) -> bool:
    """Return True if one side denies a thing behind a preposition, and the other tells it behind
    another one: "the seat of the mayor and not of the bishop" beside "promised to the bishop"; or
    if a phrase denies it already."""
    claim, source = found.claim, found.source
    # "Free of charge" denies a charge as one phrase.
    phrases = claim.terms[conflict.term].phrase, source.terms[conflict.other].phrase
    if any(word in _DENIES for phrase in phrases for word in phrase.split()):
        return True
    slots = claim.slot(conflict.term), source.slot(conflict.other)
    if slots[0] == slots[1] or not claim.grammar.slots.issuperset(slots):
        return False
    if _OF_PLACE.issuperset(slots):  # "never to the desktop" denies what is saved "on the desktop"
        return False
    for side, at, slot in ((claim, conflict.term, slots[0]), (source, conflict.other, slots[1])):
        for denial in side.negations:
            cue = bisect_left(side.starts, denial.cue)
            inside = denial.start <= side.terms[at].start < denial.end
            if inside and side.lows[cue + 1 : cue + 2] == (slot,):
                return True
    return False


_DENIES: Final = frozenset({"free", "no", "not", "without"})
_OF_PLACE: Final = frozenset({"in", "on", "at", "to", "into", "near"})


def _tell_of_two(found: Alignment, conflict: Conflict, mine: list[int], theirs: list[int]) -> bool:
    """Return True if the other terms of two clauses, ``mine`` and ``theirs``, show that they tell
    of two events."""
    claim, source = found.claim.terms, found.source.terms
    term, other = claim[conflict.term], source[conflict.other]
    if _is_share(term) and _is_complement(found, mine, theirs):
        return True
    free: dict[str, list[Term]] = {}
    for j in theirs:
        if found.back[j] < 0 and (source[j].run < 0 or source[j].run != other.run):
            free.setdefault(found.source.classes[j], []).append(source[j])
    for i in mine:
        own = claim[i]
        if own.run >= 0 and own.run == term.run:
            continue
        if found.opposed[i] and found.pairs[i] in theirs:
            return True
        rivals = free.get(found.claim.classes[i], ()) if found.pairs[i] < 0 else ()
        # Names of one class are rivals as they stand.
        if rivals and (own.kind == "name" or any(alternative(own, one) for one in rivals)):
            return True
    events = _events([claim[i] for i in mine])
    others = _events([source[j] for j in theirs]) if events else events
    return bool(others) and events.isdisjoint(others)


def _share_surname(found: Alignment, conflict: Conflict) -> bool:
    """Return True for the first names of what may be one person: the last words of both names are
    paired, and no word of the lexicon ("River")."""
    claim, source = found.claim, found.source
    mine = claim.runs[claim.terms[conflict.term].run]
    theirs = source.runs[source.terms[conflict.other].run]
    if conflict.term == mine[-1] or found.pairs[mine[-1]] != theirs[-1]:
        return False
    return not lexicon.knows(claim.terms[mine[-1]].low)


def is_of_another_time(found: Alignment, conflict: Conflict) -> bool:
    """Return True for two dates of which one is still to come: "is to meet on 16 December" beside
    "met on 18 November"."""
    value = found.claim.terms[conflict.term].value
    if conflict.kind != "value" or value is None or value.kind != "date":
        return False
    return found.claim.is_future != found.source.is_future


def _is_share(term: Term) -> bool:
    """Return True for a value that may be a part of a whole: a bare count or a percentage."""
    return term.value is not None and term.value.kind in ("number", "percent")


def _is_complement(found: Alignment, mine: list[int], theirs: list[int]) -> bool:
    """Return True if two values may be the parts of one whole: "400 of them did not finish" beside
    "8,900 finished", "a third came from within Europe" beside "two thirds from outside"."""
    for i in mine:
        if (j := found.pairs[i]) not in theirs:
            continue
        if found.claim.is_denied(i) != found.source.is_denied(j):
            return True
        own, other = (
            [one.sense for one in side.operators if one.target == at and one.sense.family == "link"]
            for side, at in ((found.claim, i), (found.source, j))
        )
        if any(exclude(a, b) for a in own for b in other):
            return True
    return False


def are_other_events(found: Alignment, conflict: Conflict) -> bool:
    """Return True if the clauses of a conflict tell of events, and of no kind of them in common."""
    kinds = [
        _events(one for one in side.terms if one.clause == side.terms[at].clause)
        for side, at in ((found.claim, conflict.term), (found.source, conflict.other))
    ]
    return all(kinds) and kinds[0].isdisjoint(kinds[1])


def are_of_other_lives(claim: Iterable[Term], source: Iterable[Term]) -> bool:
    """Return True if both tell of events of a life, and of none in common: "was born in London"
    beside "moved to London"."""
    events = _LIFE & _events(claim)
    others = _LIFE & _events(source) if events else events
    return bool(others) and events.isdisjoint(others)


def is_one_event(found: Alignment, conflict: Conflict) -> bool:
    """Return True if the two clauses of a conflict open with the same name and tell of an event
    that is only once in a life: two places may differ then, and both are said otherwise."""
    claim, source = found.claim, found.source
    # The cheapest test comes first: most sentences tell of no such event.
    if claim.places.keys().isdisjoint(_ONCE_WORDS):
        return False
    own, other = claim.terms[conflict.term].clause, source.terms[conflict.other].clause
    mine = [i for i, one in enumerate(claim.terms) if one.clause == own and i != conflict.term]
    shared = [
        i
        for i in mine
        if (j := found.pairs[i]) >= 0 and j != conflict.other and source.terms[j].clause == other
    ]
    first = next((i for i in mine if claim.terms[i].kind == "name"), -1)
    if first < 0 or not shared or not {*claim.runs[claim.terms[first].run]} <= {*shared}:
        return False
    return not _ONCE.isdisjoint(_events([claim.terms[i] for i in shared]))


_TIMES_APART: Final = ((True, False), (False, True))


_EVENTS: Final = tuple(
    frozenset(line.split())
    for line in (
        "birth bear born",
        "die death decease",
        "found establish create set start begin open launch inaugurate introduce",
        "close end dissolve cease shut abolish leave",
        "publish appear release issue premiere",
        "film adapt",
        "marry wed",
        "join enter",
        "move relocate emigrate",
        "sign",
        "build construct erect complete finish",
        "demolish destroy burn",
        "boil", "melt freeze",
    )
)  # fmt: skip


_LIFE: Final = frozenset(
    number for number, words in enumerate(_EVENTS) if words & {"birth", "death", "marry", "move"}
)
_ONCE: Final = frozenset(
    number for number, words in enumerate(_EVENTS) if words & {"birth", "death"}
)
_ONCE_WORDS: Final = frozenset[str]().union(*[_EVENTS[number] for number in _ONCE])
_EVENT_OF: Final = {word: number for number, words in enumerate(_EVENTS) for word in words}


def _events(terms: Iterable[Term]) -> frozenset[int]:
    """The kinds of events that some terms tell of."""
    return frozenset[int]().union(*[_events_of(term.bases) for term in terms])


@lru_cache(maxsize=1 << 14)
def _events_of(bases: frozenset[str]) -> frozenset[int]:
    return frozenset(_EVENT_OF[base] for base in _EVENT_OF.keys() & bases)


def tells_another_deed(roles: Roles, found: Alignment) -> bool:
    """Return True if the source has the words around a claim's verb, but another verb: "marched
    into the village" beside "were parachuted into the village". An amount tells that both mean the
    same: "240 spaces will disappear", "240 spaces are removed"."""
    claim, source = found.claim.terms, found.source
    if found.share >= _MOSTLY_TOLD:
        return False
    verbs = [claim[i] for i in roles.verb if "v" in claim[i].lore.parts]
    if roles.copula or not verbs or any(found.pairs[i] >= 0 for i in roles.verb):
        return False
    if any(not one.bases.isdisjoint(_GENERAL) or has_converse(one, source) for one in verbs):
        return False
    met = [i for i in (*roles.head, *roles.tail) if found.pairs[i] >= 0]
    values = [value for i in met if (value := claim[i].value) is not None]
    if any(one.kind not in ("ordinal", "date") for one in values):
        return False
    clauses = {source.terms[found.pairs[i]].clause for i in met}
    return any(
        found.back[j] < 0 and term.clause in clauses and _is_verb(term) and not is_noun(source, j)
        for j, term in enumerate(source.terms)
    )


def _is_verb(term: Term) -> bool:
    """Return True for a word that is only a verb, or a form of one."""
    return "v" in term.lore.parts and (term.lore.parts == {"v"} or term.bases != {term.low})


_MOSTLY_TOLD: Final = 0.6
"""The share of a sentence from which on another verb may say the same."""

_GENERAL: Final = word_set(
    "be have do make take get give go come become include provide offer use need hold show see find"
    " keep remain stay begin start work run put set bring lead call know consist contain involve"
    " cost last happen occur exist lie stand sit live mean require allow let help say reply note"
    " tell state report announce explain add"
)
"""Verbs that tell so little that another one may say the same."""
