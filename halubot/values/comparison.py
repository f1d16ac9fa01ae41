"""Values and whether they say the same: numbers, dates, money, measures, percentages, times and
ranges. `halubot.values.reader` finds them in text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations
from typing import Final, Literal

from halubot.values import amounts, dates
from halubot.values.amounts import Amount
from halubot.values.dates import Date, Period

Kind = Literal["date", "time", "number", "ordinal", "percent", "money", "quantity"]
Bound = Literal["", "about", "over", "at least", "under", "at most"]
Reading = Date | Period | Amount


@dataclass(frozen=True, slots=True)
class Value:
    """A value and its place: ``plain[start:end]`` is the value as written, without the "about"
    or "more than" before it, which ``bound`` holds. A range has its two ``ends`` and no reading
    of its own."""

    kind: Kind
    readings: tuple[Reading, ...]
    start: int
    end: int
    bound: Bound = ""
    ends: tuple[Value, Value] | None = None

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end

    @property
    def canonical(self) -> str:
        """The value in one normal form: "1828-05-22", "1200000", "5000 m", "1864..1884"."""
        if self.ends is not None:
            text = "..".join(end.canonical for end in self.ends)
        else:
            text = " or ".join(dict.fromkeys(str(reading) for reading in self.readings))
        return f"{self.bound} {text}".lstrip()


def compatible(fact: Value, other: Value) -> bool:
    """Return whether ``other`` says what ``fact`` says, or more precisely so. A difference in
    rounding is let pass only if one of the two says "about"."""
    if fact.ends is not None:
        return other.ends is not None and all(
            compatible(mine, theirs) for mine, theirs in zip(fact.ends, other.ends, strict=True)
        )
    if other.ends is not None:
        return any(compatible(fact, end) for end in other.ends)
    if (fact.bound or other.bound) and (fact.kind == "date") != (other.kind == "date"):
        return False  # "more than fifty" is not the year 1909
    own = _chief(fact) if other.kind == "date" else fact.readings
    given = _chief(other) if fact.kind == "date" else other.readings
    for mine in own:  # a loop, since values are compared more often than anything else
        for theirs in given:
            if _covers(mine, fact.bound, theirs, other.bound):
                return True
    return False


def differ(a: Value, b: Value) -> bool:
    """Return whether two values exclude each other: of the same kind and measure, and no reading of
    one can be the other. A vaguer value (1828 beside May 1828) is no rival."""
    if not _are_of_one_kind(a, b):
        return False
    if a.ends is not None and b.ends is not None:
        return any(differ(mine, theirs) for mine, theirs in zip(a.ends, b.ends, strict=True))
    if a.ends is not None or b.ends is not None:
        single, pair = (a, b.ends) if b.ends else (b, a.ends or ())
        return all(differ(single, end) for end in pair)
    compared = False
    for mine in _chief(a):
        for theirs in _chief(b):
            if _comparable(mine, theirs):
                if not _apart(mine, a.bound, theirs, b.bound):
                    return False
                compared = True
    return compared


# A date said to be "about" may be off by so many years before it counts as another one.
_ABOUT_YEARS, _OTHER_YEARS = 2, 10
# An approximation is off by half its last digit, but by no less and no more than these shares.
_ABOUT_SHARE, _ABOUT_MOST = Decimal("0.02"), Decimal("0.1")
# Miles turned into kilometres are rounded by whoever did it.
_CONVERSION_SHARE = Decimal("0.015")
_LARGE = 10_000
_FAR = 2  # times a limit that a value may be away from it
_INFINITY = Decimal("Infinity")


def _chief(value: Value) -> tuple[Reading, ...]:
    """The readings of the value's own kind: a bare year is a date before it is a number."""
    if value.kind != "date" or len(value.readings) == 1:
        return value.readings
    return tuple([reading for reading in value.readings if not isinstance(reading, Amount)])


def is_comparable(a: Value, b: Value) -> bool:
    """Return True if two values are of one kind and measure: metres and feet, not metres and
    tonnes."""
    mine, theirs = (one.ends[0] if one.ends else one for one in (a, b))
    return _are_of_one_kind(a, b) and any(
        _comparable(one, other) for one in mine.readings for other in theirs.readings
    )


def _are_of_one_kind(a: Value, b: Value) -> bool:
    # "150 pounds" are a weight or money.
    return a.kind == b.kind or {a.kind, b.kind} == {"quantity", "money"}


def _comparable(a: Reading, b: Reading) -> bool:
    if isinstance(a, Amount) or isinstance(b, Amount):
        return isinstance(a, Amount) and isinstance(b, Amount) and a.dimension == b.dimension
    return True


def _covers(fact: Reading, bound: Bound, other: Reading, other_bound: Bound) -> bool:
    if isinstance(fact, Amount):
        return (
            isinstance(other, Amount)
            and (fact.dimension == other.dimension or _is_sum(fact, other))
            and _within(fact, bound, other, other_bound)
        )
    if isinstance(other, Amount):
        return False
    if "about" in (bound, other_bound) and dates.near(fact, other, _ABOUT_YEARS):
        return True
    return dates.covers(fact, other)


def _is_sum(fact: Amount, other: Amount) -> bool:
    """Return True for a large number without a unit beside a sum of money: "12.1 million" of what
    are 12.1 million euros. A small number may count anything."""
    return not fact.dimension and abs(fact.number) >= _LARGE and amounts.is_money(other)


def _within(fact: Amount, bound: Bound, other: Amount, other_bound: Bound) -> bool:
    if bound == other_bound not in {"", "about"}:
        return fact.number == other.number  # "over 50" and "over 60" are two statements
    if bound == other_bound == "" and fact.system == other.system != "customary":
        return fact.number == other.number
    low, high = _interval(fact, bound)
    other_low, other_high = _interval(other, other_bound)
    if bound == other_bound == "about":
        slack = max(high[0] - fact.number, other_high[0] - other.number)
        return abs(fact.number - other.number) <= slack
    loose = fact.system != other.system or "about" in (bound, other_bound)
    if loose and {bound, other_bound} <= {"", "about"}:
        return low <= other_high and other_low <= high
    near, far = sorted((abs(fact.number), abs(other.number)))
    if bound not in {"", "about"} and far > _FAR * near:
        return False  # "at least 3,000" of what is 30,000 is no way to say so
    return low <= other_low and other_high <= high


def _apart(a: Reading, bound: Bound, b: Reading, other_bound: Bound) -> bool:
    if isinstance(a, Amount):
        if not isinstance(b, Amount):
            return False
        if _are_of_other_scales(a, b):
            return False
        low, high = _interval(a, bound)
        other_low, other_high = _interval(b, other_bound)
        # "more than 50" beside "50" is careless, not a denial, so borders do not count.
        return high[0] < other_low[0] or other_high[0] < low[0]
    if isinstance(b, Amount):
        return False
    if "about" in (bound, other_bound):
        return dates.apart(a, b) and not dates.near(a, b, _OTHER_YEARS)
    return dates.apart(a, b)


def _are_of_other_scales(a: Amount, b: Amount) -> bool:
    """Return True for amounts that can hardly measure one thing: the weight of a child, the dose
    of a drug. The same number in another unit can."""
    if not a.dimension or amounts.is_money(a) or a.written == b.written:
        return False
    near, far = sorted((abs(a.number), abs(b.number)))
    return far > _OTHER_SCALE * near > 0


_OTHER_SCALE: Final = 100_000

Border = tuple[Decimal, int]  # a number, and whether the interval ends just above or below it


def _interval(amount: Amount, bound: Bound) -> tuple[Border, Border]:
    number = amount.number
    match bound:
        case "over":
            return (number, 1), (_INFINITY, 0)
        case "at least":
            return (number, 0), (_INFINITY, 0)
        case "under":
            return (-_INFINITY, 0), (number, -1)
        case "at most":
            return (-_INFINITY, 0), (number, 0)
        case "about":
            least, most = abs(number) * _ABOUT_SHARE, abs(number) * _ABOUT_MOST
            slack = min(max(amount.step / 2, least), most)
        case _:
            slack = abs(number) * _CONVERSION_SHARE if amount.system == "customary" else Decimal(0)
    return (number - slack, 0), (number + slack, 0)


def same(claim: Value, source: Value) -> bool:
    """Return True if the source gives the claim's value, or more precisely so, or the same number
    as a bound that leaves the claim open ("one year", "at least one year")."""
    if compatible(claim, source):
        return True
    same = claim.ends is None and source.ends is None and claim.readings == source.readings
    # One may be a lower bound and the other an upper bound.
    opposite = any(
        one.bound in ("over", "at least") and other.bound in ("under", "at most")
        for one, other in ((claim, source), (source, claim))
    )
    return same and claim.kind == source.kind and not opposite


_MEASURED: Final = frozenset({"quantity", "money", "percent"})
_SMALL: Final = 4
"""Bare numbers up to here are mostly words for an amount that any text may count itself."""


def is_said(value: Value, others: Iterable[Value]) -> bool:
    """Return True if values of a source say a value: whole, by its two ends apart, or, if it has no
    unit, as the same number with any."""
    given = list(others)
    if any(same(value, other) for other in given):
        return True
    single = [part for other in given for part in other.ends or (other,)]
    if value.ends is not None:
        return all(is_said(end, single) for end in value.ends)
    if any(same(value, part) for part in single):
        return True
    own = _numbers(value) if value.kind == "number" else frozenset()
    return any(own & _numbers(part) for part in single if part.kind not in ("date", "time"))


def is_rival(value: Value, other: Value) -> bool:
    """Return True if a value stands against another one: of one measure and apart, also as the same
    bound ("at most 4 g", "at most 8 g"), or the same number in two units."""
    if value.bound == other.bound != "":
        value, other = replace(value, bound=""), replace(other, bound="")
    if differ(value, other):
        return True
    pairs = [(a, b) for a in value.ends or (value,) for b in other.ends or (other,)]
    return any(differ(a, b) for a, b in pairs) or is_other_unit(value, other)


def are_one_day(value: Value, other: Value) -> bool:
    """Return True for two dates that differ in their year or in their month alone: "1 March 1989",
    "1 March 1999". So much is hardly alike by chance: of 14 such dates of chat answers beside those
    of their references all were wrong."""
    pairs = [(a, b) for a in value.readings for b in other.readings]
    return any(
        isinstance(a, Date)
        and isinstance(b, Date)
        and None not in (*a, *b)
        and a.day == b.day
        and (a.year == b.year) != (a.month == b.month)
        for a, b in pairs
    )


def have_one_number(a: Value, b: Value) -> bool:
    """Return whether two values have the same number as they are written: 5 km and 5 miles."""
    own, other = (
        {one.written for one in value.readings if isinstance(one, Amount)} for value in (a, b)
    )
    return not own.isdisjoint(other)


def are_together(values: Sequence[Value], text: str, given: Sequence[Value]) -> bool:
    """Return False if a text that gives several values of a measure has two values of a claim in
    two parts: "31 euros for 24 hours and 62 euros for 72 hours" prices no 72 hours at 31 euros."""
    cuts = [match.start() for match in _PARTS.finditer(text)]

    def parts(value: Value) -> set[int]:
        places = (other.start for other in given if is_said(value, [other]))
        return {sum(cut < place for cut in cuts) for place in places}

    for one, other in combinations(values, 2):
        mine, theirs = parts(one), parts(other)
        rivalled = any(is_rival(value, rival) for value in (one, other) for rival in given)
        if rivalled and mine and theirs and mine.isdisjoint(theirs):
            return False
    return True


_PARTS: Final = re.compile(r"[,;|](?=\s)|[、，；]|\s(?:and|und|et|y|e)\s")


def is_other_unit(value: Value, other: Value) -> bool:
    """Return True for the same number in two units: "ten months", "ten years"."""
    if value.kind not in _MEASURED or other.kind not in _MEASURED:
        return False
    return bool(_numbers(value) & _numbers(other)) and not same(value, other)


def is_specific(value: Value, written: str) -> bool:
    """Return True for a value that a text does not simply count: one with a unit, a date, a time, a
    number in digits or above four. ``written`` is the value as it stands."""
    if value.kind in _MEASURED or value.kind in ("date", "time"):
        return True
    large = any(abs(number) > _SMALL for number in _numbers(value))
    return value.kind == "number" and (large or written[:1].isdigit())


def _numbers(value: Value) -> frozenset[Decimal]:
    """The numbers of a value as they are written, without their units."""
    if value.ends is not None:
        return _numbers(value.ends[0]) | _numbers(value.ends[1])
    return frozenset(
        one.number if one.written is None else one.written
        for one in value.readings
        if isinstance(one, Amount)
    )
