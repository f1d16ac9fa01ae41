"""Values in text: numbers, dates, money, measures, percentages, times and ranges.

A value has its exact place in the text and is compared exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from halubot.compare import amounts, dates
from halubot.compare.amounts import Amount, Numeral
from halubot.compare.dates import Date, Period


def find(plain: str, start: int = 0, end: int | None = None) -> tuple[Value, ...]:
    """The values in ``plain[start:end]``, in order and disjoint; empty if there are none."""
    end = len(plain) if end is None else end
    found = list(_scan(plain, start, end))
    values: list[Value] = []
    previous: Numeral | None = None
    for value, numeral in found:
        joined = values and (
            _range(plain, values[-1], previous, value, numeral) or _total(plain, values[-1], value)
        )
        if joined:
            values[-1] = joined
        else:
            values.append(value)
        previous = numeral
    return tuple(_add_bound(plain, start, value, end) for value in values)


def _total(plain: str, first: Value, second: Value) -> Value | None:
    """The sum of an amount and a smaller unit after it, "1 h 20 min" or "1 h 20"; None for other
    values."""
    if first.bound or second.bound or plain[first.end : second.start] not in ("", " ", " and "):
        return None
    one, two = first.readings[:1], second.readings[:1]
    if first.kind != "quantity" or not (one and two):
        return None
    minutes = amounts.MINUTES.fullmatch(plain, first.start, second.end) is not None
    total = amounts.total(one[0], two[0], minutes=minutes)
    return None if total is None else replace(first, readings=(total,), end=second.end)


_TIME = re.compile(
    r"(?P<hour>[01]?\d|2[0-3])[:.](?P<minute>[0-5]\d)(?![\d:])(?:\s?(?P<half>[ap])\.?m\b\.?)?"
    r"|(?P<oclock>1[0-2]|\d)\s?(?P<meridiem>[ap])\.?m\b\.?"
)


_COUNTED = re.compile(
    r"\s(?!(?:was|has|is|this|his|its|as|us|across|towards|plus|versus)\b)[a-z]{3,}s\b"
)


_YEARLY = re.compile(
    r"(?i)\b(?:in|since|until|till|by|from|to|of|during|year|c\.|ca\.|and|[–-])\s?$"
)


_PRONOUN_AFTER = re.compile(
    r"\s(?:of|another|who|that|which|to|can|could|must|should|may|might|is|was|day|has|or|and|in)\b"
    r"|\s?[.,;:)!?]|\s?$"
)


_PRONOUN_BEFORE = re.compile(
    r"(?i)\b(?:no|any|every|some|each|this|that|the|which|another|only|not|as)[\s-]$"
)


_TO = re.compile(
    r"\s?(?:-|–|—|−|~|〜|至|から)\s?|\s(?:to|until|till|through|thru|bis)\s|\s(?P<and>and|und)\s"
)


_BETWEEN = re.compile(r"(?i)\b(?:between|zwischen)\s+$")


# What stands before a value and says that it is a bound; longer phrases win.
_PHRASES: dict[Bound, str] = {
    "at least": "at least|no less than|no fewer than|not less than|minimum|minimum of|mindestens|≥",
    "at most": "at most|no more than|not more than|up to|maximum|maximum of|höchstens|bis zu|≤",
    "over": "more than|greater than|longer than|larger than|over|above|exceeding|in excess of"
    "|über|mehr als|>",
    "under": "less than|fewer than|smaller than|shorter than|under|below|unter|weniger als|<",
    "about": "about|around|approximately|approx.|roughly|nearly|almost|some|circa|c.|ca.|estimated"
    "|estimated at|etwa|ungefähr|rund|zirka|约|大约|約|~|≈",
}


_CUES: dict[str, Bound] = {
    cue: bound for bound, phrases in _PHRASES.items() for cue in phrases.split("|")
}


_LAST_WORDS = frozenset(cue.split()[-1] for cue in _CUES)


_UNBOUNDED = frozenset({"date", "time", "ordinal"})  # "over 1939" is no lower bound


_AFTER = re.compile(r"\+(?=[\s,;)]|$)|\sor more\b")


# "A third of sales" is no third place.
_FRACTION = re.compile(r"(?i)(third|fifth|sixth|seventh|eighth|ninth|tenth)\s+of\b")


def _scan(plain: str, start: int, end: int) -> Iterator[tuple[Value, Numeral | None]]:
    at = start
    while (candidate := amounts.CANDIDATE.search(plain, at, end)) is not None:
        begin = candidate.start()
        value, numeral = _at(plain, begin, start, end)
        if value is not None:
            yield value, numeral
            at = max(value.end, begin + 1)
        else:
            at = candidate.end()


def _at(plain: str, begin: int, start: int, end: int) -> tuple[Value | None, Numeral | None]:
    """The value that begins at a candidate, if one does."""
    word = plain[begin].isalpha()
    if plain[begin].isdigit():
        clock = _TIME.match(plain, begin, end)
        if clock is not None and (":" in clock.group() or clock["half"] or clock["meridiem"]):
            return Value("time", (_minutes(clock),), begin, clock.end()), None
    unsigned = begin + (plain[begin] in "-−")
    date = dates.PATTERN.match(plain, begin, end)
    readings: tuple[Reading, ...] = dates.read(date) if date is not None else ()
    if date is not None and readings and not date["y7"]:
        return Value("date", readings, begin, date.end()), None
    numeral = amounts.words(plain, begin, end) if word else None
    if numeral is None:
        numeral = amounts.digits(plain, unsigned, end)
    if date is not None:
        if readings and (date["era"] or numeral is None):
            return Value("date", readings, begin, date.end()), None
        if readings and numeral is not None and numeral.plain:
            counted = _COUNTED.match(plain, date.end(), end) is not None
            if not counted or _YEARLY.search(plain[max(start, begin - 8) : begin]):
                readings += amounts.amounts(numeral)
                return Value("date", readings, begin, date.end()), numeral
    if numeral is None or (word and _is_pronoun(plain, begin, start, numeral.end, end)):
        return None, None
    fraction = _FRACTION.match(plain, begin, end) if word else None
    if fraction and plain[max(start, begin - 2) : begin].lower() == "a ":
        written = f"one {fraction[1]}"
        numeral = amounts.words(written, 0, len(written)) or numeral
        return Value("number", amounts.amounts(numeral), begin, fraction.end(1)), None
    found = amounts.amounts(numeral)
    if plain[begin] in "-−" and found:
        numeral = numeral._replace(numbers=tuple(-number for number in numeral.numbers))
        found = amounts.amounts(numeral)
    return Value(_kind(found), found, begin, numeral.end), numeral


def _kind(found: tuple[Amount, ...]) -> Kind:
    first = found[0]
    if amounts.is_money(first):
        return "money"
    match first.dimension:
        case "":
            return "number"
        case "ordinal":
            return "ordinal"
        case "%":
            return "percent"
    return "quantity"


def _minutes(clock: re.Match[str]) -> Amount:
    hour, minute = int(clock["hour"] or clock["oclock"]), int(clock["minute"] or 0)
    half = (clock["half"] or clock["meridiem"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return Amount(Decimal(60 * hour + minute), "time of day")


def _is_pronoun(plain: str, begin: int, start: int, stop: int, end: int) -> bool:
    """Return whether a lone "one" stands for a thing and counts nothing."""
    return plain[begin:stop].lower() == "one" and (
        _PRONOUN_AFTER.match(plain, stop, end) is not None
        or _PRONOUN_BEFORE.search(plain[max(start, begin - 9) : begin]) is not None
    )


def _range(
    plain: str,
    first: Value,
    lender: Numeral | None,
    second: Value,
    numeral: Numeral | None,
) -> Value | None:
    """Two neighbours joined by a dash or "to" as one range; None if they are not one."""
    link = _TO.fullmatch(plain, first.end, second.start)
    if link is None or first.ends is not None:
        return None
    if link["and"] and not _BETWEEN.search(plain[max(0, first.start - 10) : first.start]):
        return None
    if first.kind == "date" and second.kind == "number" and numeral is not None:
        second = _find_abbreviated(first, second, numeral)
    elif first.kind == "number" and lender is not None and lender.plain and second.kind == "date":
        first = _first_of_days(first, lender, second)
    elif first.kind in {"number", "date"} and lender is not None and numeral is not None:
        if second.kind not in {first.kind, "date"} and lender.plain:
            found = amounts.amounts(lender, numeral)
            first = replace(first, kind=_kind(found), readings=found)
        elif second.kind == "number" and not numeral.plain and lender.plain:
            first = replace(first, readings=amounts.amounts(lender, numeral))
    elif first.kind == "money" and second.kind == "number" and lender and numeral:
        first, second = _shared_currency(first, lender, second, numeral)
    if first.kind != second.kind:
        return None
    return Value(second.kind, (), first.start, second.end, ends=(first, second))


def _find_abbreviated(first: Value, second: Value, numeral: Numeral) -> Value:
    """The 88 of "1987-88" as the year 1988."""
    date = first.readings[0]
    short = numeral.numbers[0]
    if (
        isinstance(date, Date)
        and date.year
        and date.month is None
        and second.end - second.start == 2
    ):
        year = date.year - date.year % 100 + int(short)
        if numeral.plain and year > date.year:
            return replace(second, kind="date", readings=(Date(year),))
    return second


def _shared_currency(
    first: Value, lender: Numeral, second: Value, numeral: Numeral
) -> tuple[Value, Value]:
    """The sign of "$5-10 million" said for both ends, the scale too."""
    scale = numeral.scale if lender.scale == 1 else lender.scale
    ends = (lender._replace(scale=scale), numeral._replace(units=lender.units))
    return (
        replace(first, readings=amounts.amounts(ends[0])),
        replace(second, kind="money", readings=amounts.amounts(ends[1])),
    )


def _first_of_days(first: Value, lender: Numeral, second: Value) -> Value:
    """The 22 of "22-24 May 1828" as the day it is."""
    date, day = second.readings[0], lender.numbers[0]
    if isinstance(date, Date) and date.day is not None and day == int(day) and 0 < day < date.day:
        return replace(first, kind="date", readings=(date._replace(day=int(day)),))
    return first


def _add_bound(plain: str, start: int, value: Value, end: int) -> Value:
    bound = _bind_value(plain, start, value, end) if value.ends is None else ""
    return replace(value, bound=bound) if bound else value


def _bind_value(plain: str, start: int, value: Value, end: int) -> Bound:
    words = plain[max(start, value.start - 24) : value.start].lower().rsplit(None, 3)[-3:]
    last = words[-1].lstrip("(") if words else ""
    if last in _LAST_WORDS or last[-1:] in _LAST_WORDS:
        phrases = (" ".join(words[-3:]), " ".join(words[-2:]), last, last[-1:])
        bound: Bound = next((_CUES[phrase] for phrase in phrases if phrase in _CUES), "")
        if last == "of" and words[0] in ("minimum", "maximum"):  # "a minimum coverage of"
            bound = bound or _CUES[words[0]]
        if bound == "about" or value.kind not in _UNBOUNDED:
            return bound
    if value.kind not in _UNBOUNDED and _AFTER.match(plain, value.end, end):
        return "at least"
    return ""


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
    def canonical(self) -> str:
        """The value in one normal form: "1828-05-22", "1200000", "5000 m", "1864..1884"."""
        if self.ends is not None:
            text = "..".join(end.canonical for end in self.ends)
        else:
            text = " or ".join(dict.fromkeys(str(reading) for reading in self.readings))
        return f"{self.bound} {text}".lstrip()


__all__ = ["Key", "Value", "compatible", "equal", "find", "keys", "rivals"]


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


Key = tuple[str, int | Decimal]


def keys(value: Value, *, asked: bool) -> frozenset[Key] | None:
    """Marks by which compatible values are found without comparing each with each: if
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
    """Return whether two values say the same: each is compatible with the other."""
    return compatible(a, b) and compatible(b, a)


def rivals(a: Value, b: Value) -> bool:
    """Return whether two values exclude each other: of the same kind and measure, and no reading of
    one can be the other. A vaguer value (1828 beside May 1828) is no rival."""
    if a.kind != b.kind:
        return False
    if a.ends is not None and b.ends is not None:
        return any(rivals(mine, theirs) for mine, theirs in zip(a.ends, b.ends, strict=True))
    if a.ends is not None or b.ends is not None:
        single, pair = (a, b.ends) if b.ends else (b, a.ends or ())
        return all(rivals(single, end) for end in pair)
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
_FAR = 2  # times a limit that a value may be away from it
_INFINITY = Decimal("Infinity")


def _chief(value: Value) -> tuple[Reading, ...]:
    """The readings of the value's own kind: a bare year is a date before it is a number."""
    if value.kind != "date" or len(value.readings) == 1:
        return value.readings
    return tuple([reading for reading in value.readings if not isinstance(reading, Amount)])


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
    if bound == other_bound == "" and fact.system == other.system != "customary":
        return fact.number == other.number
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
