"""Do a place of a claim and its rival in the source belong to one occasion?

A difference tells that a claim may be wrong. It tells what is right only if both sides tell of one
occasion: "died in 1852" and "died in 1851", not "moved in 1852" and "was born in 1851". So the
words that lead to a date must be the same, a number must count the same, and what is dated must
have the same date. Too strict a rule costs a correction; too lax a one puts an error into a text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from decimal import Decimal
from typing import Final

from halubot.compare.alignment import Alignment
from halubot.compare.alternatives import Conflict, excludes
from halubot.compare.analysis import Analysis, Term
from halubot.compare.occurrences import is_one_event
from halubot.compare.tokens import word_set
from halubot.text import Span
from halubot.values.amounts import Amount
from halubot.values.comparison import Value

_COUNTING: Final = frozenset({"number", "ordinal"})
_LOWER: Final = frozenset({"over", "at least"})


def is_of_one_occasion(found: Alignment, conflict: Conflict, plain: str, other: str) -> bool:
    """Return True if the value of the source can stand in the place of the claim's. ``plain`` and
    ``other`` are the texts of the message and of the source."""
    if not may_be_exchanged(found, conflict, plain, other):
        return False
    kinds = _kinds(found, conflict)
    if kinds == ("date", "date"):
        if _tell_of_other_turns(found, conflict):
            return False
        return _have_one_lead(found, conflict, plain, other)
    return count_the_same(found, conflict) and not are_dated_apart(found, conflict)


def may_be_exchanged(found: Alignment, conflict: Conflict, plain: str, other: str) -> bool:
    """Return True unless two values are of two forms or two roles, wherever they stand."""
    mine = found.claim.terms[conflict.term].value
    theirs = found.source.terms[conflict.other].value
    if mine is None or theirs is None or (mine.ends is None) != (theirs.ends is None):
        return False
    if _is_part(plain, conflict.claim) or _is_part(other, conflict.source):
        return False
    if _is_implied(mine, theirs) or _is_told_of_other(found, conflict, theirs):
        return False
    return _PAID.isdisjoint(_kinds(found, conflict)) or _have_one_role(found, conflict)


def _kinds(found: Alignment, conflict: Conflict) -> tuple[str, str]:
    """The kinds of two values."""
    mine = found.claim.terms[conflict.term].value
    theirs = found.source.terms[conflict.other].value
    return ("" if mine is None else mine.kind, "" if theirs is None else theirs.kind)


_MORE_BEFORE: Final = re.compile(r"\d[.,]\s?$")
_MORE_BEHIND: Final = re.compile(r"[.,]?\s\d{1,3}(?![\d%])")


def _is_part(text: str, place: Span) -> bool:
    """Return True if more digits stand right beside a value, so that it may be a part of one:
    "3, 800 km" and "$ 1. 7 million", as some texts are written."""
    start, end = place
    if text[start:end][-1:] in ".,":
        end -= 1
    before = _MORE_BEFORE.search(text, max(0, start - 3), start)
    return before is not None or _MORE_BEHIND.match(text, end) is not None


def _is_implied(mine: Value, theirs: Value) -> bool:
    """Return True if the source's number leaves the claim's lower bound standing: "over 100" beside
    "over 200"."""
    if mine.bound not in _LOWER or theirs.bound not in {"", "about", *_LOWER}:
        return False
    pairs = [
        (own.number, rival.number)
        for own in mine.readings
        for rival in theirs.readings
        if isinstance(own, Amount) and isinstance(rival, Amount)
        if own.dimension == rival.dimension
    ]
    return any(own <= rival for own, rival in pairs)


def _is_told_of_other(found: Alignment, conflict: Conflict, theirs: Value) -> bool:
    """Return True if the claim gives the rival's number for something else: "at least 21, with a
    licence for five years" beside "21 years"."""
    numbers = _numbers(theirs)
    others = [found.claim.terms[at].value for at in found.claim.values if at != conflict.term]
    return any(one is not None and numbers & _numbers(one) for one in others)


def _numbers(value: Value) -> set[Decimal]:
    """The numbers of a value as they are written; none of a date."""
    if value.kind == "date":
        return set()
    return {
        reading.written
        for one in (value, *(value.ends or ()))
        for reading in one.readings
        if isinstance(reading, Amount) and reading.written is not None
    }


_PAID: Final = frozenset({"money", "percent"})
_ROLES: Final = tuple(
    word_set(line)
    for line in (
        "discount off reduce reduction rebate save saving sale cheap",
        "deposit advance prepay",
        "tax duty levy vat",
        "fine penalty surcharge",
        "profit gain earnings surplus",
        "loss deficit",
        "revenue turnover",
        "debt loan",
    )
)
"""What is paid, a line each; a discount is said to be one, a price need not."""


def _have_one_role(found: Alignment, conflict: Conflict) -> bool:
    """Return True unless a sum or a share is said to be one thing, "a discount of 15 %", and its
    rival is said to be another, or a discount stands on one side only. A sum in a sentence that
    tells of a discount is a reduced price, which the list price cannot replace."""
    whole = [_has_discount(side) for side in (found.claim, found.source)]
    if _kinds(found, conflict) == ("money", "money") and whole == [True, False]:
        return False
    mine = _roles(found.claim, conflict.term)
    theirs = _roles(found.source, conflict.other)
    if (0 in mine) != (0 in theirs):
        return False
    return not mine or not theirs or not mine.isdisjoint(theirs)


def _has_discount(side: Analysis) -> bool:
    return not _ROLES[0].isdisjoint(side.lows) or any(_ROLES[0] & one.bases for one in side.terms)


def _roles(side: Analysis, at: int) -> set[int]:
    clause = side.terms[at].clause
    bases = [
        term.bases | {term.low}
        for term in side.terms[max(0, at - _NEAR) : at + _NEAR + 1]
        if term.clause == clause and term.value is None
    ]
    start = bisect_left(side.starts, side.terms[at].end)
    lows = frozenset(side.lows[start : start + 1])
    return {n for n, role in enumerate(_ROLES) if any(role & one for one in [lows, *bases])}


_NEXT: Final = 3
"""How far away two words may stand from two numbers, both together: "60 missing" beside "50 others
missing"."""


def count_the_same(found: Alignment, conflict: Conflict) -> bool:
    """Return True if what follows two bare numbers is aligned ("21 countries"), or else what stands
    before both; True for other values."""
    if _COUNTING.isdisjoint(_kinds(found, conflict)):
        return True
    i, j = conflict.term, conflict.other
    claim, source = found.claim.terms, found.source.terms
    near = [(found.pairs[at] - j, at - i) for at in range(i + 1, min(i + 3, len(claim)))]
    behind = any(step + other <= _NEXT and other > 0 for other, step in near)
    if _is_of_all(found.claim, i) != _is_of_all(found.source, j):
        return False
    if behind or not i or found.pairs[i - 1] != j - 1:
        return behind
    if _lacks_unit(found.claim, i) or _lacks_unit(found.source, j):
        return False
    counted = i + 1 < len(claim) and claim[i + 1].start - claim[i].end <= 1
    return not counted or j + 1 >= len(source) or source[j + 1].start - source[j].end > 1


def _is_of_all(side: Analysis, at: int) -> bool:
    """Return True for a number that is all there are: "all 234 episodes"."""
    place = bisect_left(side.starts, side.terms[at].start)
    return place > 0 and side.lows[place - 1] in ("all", "both")


def _lacks_unit(side: Analysis, at: int) -> bool:
    """Return True for a bare number that leaves the unit to a measure before it: "two years, and
    the pump for five"."""
    before = [side.terms[one].value for one in side.values if one < at]
    return any(one is not None and one.kind == "quantity" for one in before)


def are_dated_apart(found: Alignment, conflict: Conflict) -> bool:
    """Return True if the claim dates what it says there, and the source dates it otherwise: they
    tell of two occasions. Spans of years, which tell when somebody lived, date nothing. Of several
    dates in the source one that fits must stand in the clause of the rival."""
    mine, theirs = _dates(found.claim), _dates(found.source)
    if not mine or not theirs or is_one_event(found, conflict):
        return False
    date = min(mine, key=lambda at: abs(at - conflict.term))
    fitting = [other for other in theirs if not _exclude(found, date, other)]
    if len(theirs) == 1 or not fitting:
        return not fitting
    clause = found.source.terms[conflict.other].clause
    return all(found.source.terms[other].clause != clause for other in fitting)


def _dates(side: Analysis) -> list[int]:
    return [at for at in side.values if _is_date(side, at) and not _is_range(side, at)]


def _is_date(side: Analysis, at: int) -> bool:
    value = side.terms[at].value
    return value is not None and value.kind == "date"


def _is_range(side: Analysis, at: int) -> bool:
    value = side.terms[at].value
    return value is not None and value.ends is not None


def _exclude(found: Alignment, at: int, other: int) -> bool:
    mine, theirs = found.claim.terms[at].value, found.source.terms[other].value
    return mine is not None and theirs is not None and excludes(mine, theirs)


def _have_one_lead(found: Alignment, conflict: Conflict, plain: str, other: str) -> bool:
    """Return True if the words that lead to two dates are aligned, and so are the prepositions, or
    one side has none. A date that opens its clause is led to by what follows it. Of a list ("in
    2015 and 2017") no date is exchanged, and a date that says which one is meant ("the 2020
    election") only with what it stands before."""
    i, j = conflict.term, conflict.other
    claim, source = found.claim, found.source
    leads = _lead(claim, i), _lead(source, j)
    if (all(leads) and leads[0] != leads[1]) or _is_listed(claim, i):
        return False
    if leads[0] == leads[1] and _say_the_same_else(found, conflict, plain, other):
        return True
    if _is_attribute(claim, i) or _is_attribute(source, j):
        both = _is_attribute(claim, i) and _is_attribute(source, j)
        return both and i + 1 < len(found.pairs) and found.pairs[i + 1] == j + 1
    own, others = _before(claim, i), _before(source, j)
    if not own or not others:
        own, others = own or _behind(claim, i), others or _behind(source, j)
        words = [at for at in own if claim.terms[at].kind == "word"]
        return _first_met(found, words[:1] or own[:1], others) is not None
    own = _nearest(claim, _without_place(found, own))
    if leads[0] != leads[1]:
        return _first_met(found, own, _nearest(source, others)) is not None
    if not leads[0]:
        return _first_met(found, [*own, *_before(claim, i)], others) is not None
    met = _first_met(found, own, others)
    return met is not None and _leads_on(found, met, j, plain, other)


_BEGIN: Final = word_set("promote appoint elect hire name join become start begin")
_CEASE: Final = word_set("replace dismiss fire resign retire leave quit end cease step")


def _tell_of_other_turns(found: Alignment, conflict: Conflict) -> bool:
    """Return True if one side tells how something began and the other how it ended: "promoted to
    manager in 1989", "replaced as manager in 1997"."""
    turns = []
    for side, at in ((found.claim, conflict.term), (found.source, conflict.other)):
        clause = side.terms[at].clause
        bases = frozenset[str]().union(*[one.bases for one in side.terms if one.clause == clause])
        turns.append((bool(_BEGIN & bases), bool(_CEASE & bases)))
    return turns in ([(True, False), (False, True)], [(False, True), (True, False)])


_SAME_CONTEXT: Final = 0.5
_SAME_SHARE: Final = 0.6


def _say_the_same_else(found: Alignment, conflict: Conflict, plain: str, other: str) -> bool:
    """Return True if two sentences with one date each say the same but for the date, or if the
    dates share the day or the month too."""
    dates = [_is_date(side, at) for side in (found.claim, found.source) for at in side.values]
    if dates.count(True) != 2 or conflict.context < _SAME_CONTEXT:
        return False
    claim, source = found.claim.terms, found.source.terms
    for at, pair in enumerate(found.pairs):
        if pair >= 0 and _is_compound(plain, claim[at]) != _is_compound(other, source[pair]):
            return False
    return conflict.alike or found.share >= _SAME_SHARE


def _leads_on(found: Alignment, met: tuple[int, int], date: int, plain: str, other: str) -> bool:
    """Return True if the word of the source that is met leads to the date: no other name but that
    of a place and no relative clause stands between, and the words before it are no parts of other
    ones ("vice-president")."""
    claim, source = found.claim.terms, found.source.terms
    for at in range(met[0], max(-1, met[0] - _NEAR), -1):
        pair = found.pairs[at]
        if pair >= 0 and _is_compound(plain, claim[at]) != _is_compound(other, source[pair]):
            return False
    for at in range(met[1] + 1, date):
        if source[at].run >= 0 and found.back[at] < 0 and found.source.slot(at) not in _PLACING:
            return False
    return _RELATIVE.search(other, source[met[1]].end, source[date].start) is None


_PLACING: Final = frozenset({"in", "at", "near"})


def _is_compound(text: str, term: Term) -> bool:
    """Return True for the second part of a word with a hyphen."""
    return text[term.start - 1 : term.start] == "-"


_RELATIVE: Final = re.compile(r",\s(?:where|when|who|whose|which|in which|at which|for which)\b")
_ARTICLES: Final = word_set("the a an his her its their this that")


def _is_attribute(side: Analysis, at: int) -> bool:
    """Return True for a date that says which one is meant: "the 2020 election"."""
    place = bisect_left(side.starts, side.terms[at].start)
    if not place or side.lows[place - 1] not in _ARTICLES or at + 1 >= len(side.terms):
        return False
    return side.terms[at + 1].start - side.terms[at].end <= 1


_LONGEST_AND: Final = len(", and ")


def _is_listed(side: Analysis, at: int) -> bool:
    """Return True if another date follows or precedes a date with no more than "and" between."""
    pairs = ((at - 1, at), (at, at + 1))
    return any(
        one >= 0
        and other < len(side.terms)
        and _is_date(side, one)
        and _is_date(side, other)
        and side.terms[other].start - side.terms[one].end <= _LONGEST_AND
        for one, other in pairs
    )


def _first_met(found: Alignment, own: list[int], others: list[int]) -> tuple[int, int] | None:
    """The first of some terms of the claim that is paired with one of the source's, and that."""
    return next(((at, found.pairs[at]) for at in own if found.pairs[at] in others), None)


def _without_place(found: Alignment, own: list[int]) -> list[int]:
    """Some terms of the claim without the names of places that the source does not have: "born in
    Ulm in 1828" beside "born in 1829"."""
    claim = found.claim
    return [
        at
        for at in own
        if found.pairs[at] >= 0 or claim.terms[at].run < 0 or claim.slot(at) not in _PLACING
    ] or own


def _nearest(side: Analysis, near: list[int]) -> list[int]:
    """The first of some terms, with the other words of its name."""
    run = side.terms[near[0]].run
    return [at for at in near if at == near[0] or (run >= 0 and side.terms[at].run == run)]


_NEAR: Final = 4
"""How many terms away from a date the words may stand that say what it dates."""


def _before(side: Analysis, at: int) -> list[int]:
    """The terms before a date as far as the next one, the nearest first; those of its own clause,
    unless a conjunction of time leads to the date ("until 1852")."""
    clause = side.terms[at].clause
    apart = _lead(side, at) in _JOINING
    return [one for one in _towards(side, at, -1) if apart or side.terms[one].clause == clause]


def _behind(side: Analysis, at: int) -> list[int]:
    return list(_towards(side, at, 1))


def _towards(side: Analysis, at: int, step: int) -> list[int]:
    found: list[int] = []
    for one in range(at + step, at + step * (_NEAR + 1), step):
        if not 0 <= one < len(side.terms) or _is_date(side, one):
            break
        found.append(one)
    return found


_LEADS: Final = {
    **dict.fromkeys(("in", "on", "at", "of", "during"), "in"),
    **dict.fromkeys(("from", "since"), "since"),
    **dict.fromkeys(("until", "till", "to", "by"), "until"),
    **{lead: lead for lead in ("before", "after", "between", "around", "about")},
}
_JOINING: Final = frozenset({"since", "until", "before", "after"})
"""Leads that begin a clause for `halubot.compare.analysis`."""


def _lead(side: Analysis, at: int) -> str:
    """The preposition that leads to a date, "" without one."""
    return _LEADS.get(side.slot(at), "")
