"""Values in text: numbers, dates, money, measures, with exact places and exact comparison.

1828 is not 1829; "May 22, 1828" is "22 May 1828"; "1.2 million" is "1,200,000"; "May 1828" is
supported by "22 May 1828", which in turn is neither supported nor denied by it. Where a text
can be read in two ways (03/04/2020, 1.2m) both readings are kept.
"""

from __future__ import annotations

from decimal import Decimal

from halubot.compare import dates
from halubot.compare.amounts import Amount
from halubot.compare.dates import Period
from halubot.compare.value import Bound, Reading, Value
from halubot.compare.valuescan import find

__all__ = ["Key", "Value", "compatible", "equal", "find", "keys", "rivals"]


def compatible(fact: Value, other: Value) -> bool:
    """Whether ``other`` says what ``fact`` says, or more precisely so. A difference in rounding
    is let pass only where one of the two says "about"."""
    if fact.ends is not None:
        return other.ends is not None and all(
            compatible(mine, theirs) for mine, theirs in zip(fact.ends, other.ends, strict=True)
        )
    if other.ends is not None:
        return any(compatible(fact, end) for end in other.ends)
    if (fact.bound or other.bound) and (fact.kind == "date") != (other.kind == "date"):
        return False  # "more than fifty" is not the year 1909
    return any(
        _covers(mine, fact.bound, theirs, other.bound)
        for mine in (_chief(fact) if other.kind == "date" else fact.readings)
        for theirs in (_chief(other) if fact.kind == "date" else other.readings)
    )


Key = tuple[str, int | Decimal]


def keys(value: Value, *, asked: bool) -> frozenset[Key] | None:
    """Marks by which compatible values are found without comparing each with each: where
    ``compatible(fact, other)``, ``keys(fact, asked=True)`` and ``keys(other, asked=False)`` share
    one, or one of the two is None (a period, an approximation, a converted measure)."""
    if value.ends is not None:
        if asked:
            return keys(value.ends[0], asked=True)
        pair = [keys(end, asked=False) for end in value.ends]
        return None if None in pair else frozenset().union(*(one for one in pair if one))
    if value.bound:
        return None
    found: set[Key] = set()
    for reading in value.readings:
        if isinstance(reading, Amount):
            if reading.system:
                return None
            found.add(("number", reading.number))
        elif isinstance(reading, Period):
            return None
        elif reading.year is not None and asked:
            found.add(("year", reading.year))
        else:
            if reading.year is not None:
                found.add(("year", reading.year))
            if reading.month is not None:
                found.add(("month", reading.month))
    return frozenset(found)


def equal(a: Value, b: Value) -> bool:
    """Whether two values say the same: each is compatible with the other."""
    return compatible(a, b) and compatible(b, a)


def rivals(a: Value, b: Value) -> bool:
    """Whether two values exclude each other: of the same kind and measure, and no reading of
    one can be the other. A vaguer value (1828 beside May 1828) is no rival."""
    if a.kind != b.kind:
        return False
    if a.ends is not None and b.ends is not None:
        return any(rivals(mine, theirs) for mine, theirs in zip(a.ends, b.ends, strict=True))
    if a.ends is not None or b.ends is not None:
        single, pair = (a, b.ends) if b.ends else (b, a.ends or ())
        return all(rivals(single, end) for end in pair)
    pairs = [
        (mine, theirs) for mine in _chief(a) for theirs in _chief(b) if _comparable(mine, theirs)
    ]
    return bool(pairs) and all(_apart(mine, a.bound, theirs, b.bound) for mine, theirs in pairs)


# A date said to be "about" may be off by so many years before it counts as another one.
_ABOUT_YEARS, _OTHER_YEARS = 2, 10
# An approximation is off by half its last digit, but by no less and no more than these shares.
_ABOUT_SHARE, _ABOUT_MOST = Decimal("0.02"), Decimal("0.1")
# Miles turned into kilometres are rounded by whoever did it.
_CONVERSION_SHARE = Decimal("0.015")
_FAR = 2  # times a limit that a value may be away from it
_INFINITY = Decimal("Infinity")


def _chief(value: Value) -> tuple[Reading, ...]:
    """The readings of the value's own kind: a bare year is a date before it is a number."""
    if value.kind != "date" or len(value.readings) == 1:
        return value.readings
    return tuple(reading for reading in value.readings if not isinstance(reading, Amount))


def _comparable(a: Reading, b: Reading) -> bool:
    if isinstance(a, Amount) or isinstance(b, Amount):
        return isinstance(a, Amount) and isinstance(b, Amount) and a.dimension == b.dimension
    return True


def _covers(fact: Reading, bound: Bound, other: Reading, other_bound: Bound) -> bool:
    if isinstance(fact, Amount):
        return (
            isinstance(other, Amount)
            and fact.dimension == other.dimension
            and _within(fact, bound, other, other_bound)
        )
    if isinstance(other, Amount):
        return False
    if "about" in (bound, other_bound) and dates.near(fact, other, _ABOUT_YEARS):
        return True
    return dates.covers(fact, other)


def _within(fact: Amount, bound: Bound, other: Amount, other_bound: Bound) -> bool:
    if bound == other_bound not in {"", "about"}:
        return fact.number == other.number  # "over 50" and "over 60" are two statements
    low, high = _interval(fact, bound)
    other_low, other_high = _interval(other, other_bound)
    if bound == other_bound == "about":
        return abs(fact.number - other.number) <= _ABOUT_SHARE * max(
            abs(fact.number), abs(other.number)
        )
    if fact.system != other.system or (
        "about" in (bound, other_bound) and {bound, other_bound} <= {"", "about"}
    ):
        return low <= other_high and other_low <= high
    near, far = sorted((abs(fact.number), abs(other.number)))
    if bound not in {"", "about"} and far > _FAR * near:
        return False  # "at least 3,000" of what is 30,000 is no way to say so
    return low <= other_low and other_high <= high


def _apart(a: Reading, bound: Bound, b: Reading, other_bound: Bound) -> bool:
    if isinstance(a, Amount):
        if not isinstance(b, Amount):
            return False
        low, high = _interval(a, bound)
        other_low, other_high = _interval(b, other_bound)
        # "more than 50" beside "50" is careless, not a denial, so borders do not count.
        return high[0] < other_low[0] or other_high[0] < low[0]
    if isinstance(b, Amount):
        return False
    if "about" in (bound, other_bound):
        return not dates.near(a, b, _OTHER_YEARS)
    return dates.apart(a, b)


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
