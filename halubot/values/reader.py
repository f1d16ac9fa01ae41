"""Reads values in text: numbers, dates, money, measures, percentages, times and ranges, each with
its exact place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Final

from halubot.values import amounts, dates
from halubot.values.amounts import Amount, Numeral
from halubot.values.comparison import Bound, Kind, Reading, Value
from halubot.values.dates import Date, find_time, time_of_day
from halubot.values.units import CARDINALS, DENOMINATORS, MEASURES, ORDINALS, UNITS


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
    for at in range(1, len(values)):
        values[at] = _add_unit(plain, values[at - 1], values[at], end)
    bounds = (_bound(plain, start, value, end) for value in values)
    return tuple(
        replace(value, bound=bound) if bound else value
        for value, bound in zip(values, bounds, strict=True)
    )


def _add_unit(plain: str, first: Value, second: Value, end: int) -> Value:
    """Give a bare number the unit of the value before it that it leaves out: "adults pay 9 euros,
    children 5"."""
    united = first.kind in ("money", "quantity", "percent") and first.ends is None
    if not united or second.kind != "number" or second.ends is not None:
        return second
    if not _LEFT_OUT.fullmatch(plain, first.end, second.start):
        return second
    unit = _UNIT.fullmatch(plain, first.start, first.end)
    if unit is None or not _NO_UNIT.match(plain, second.end, end):
        return second
    number = plain[second.start : second.end]
    whole = f"{unit['sign'] or ''}{number} {unit['unit']}".rstrip()
    found = [value for value, _ in _scan(whole, 0, len(whole))]
    if len(found) != 1 or found[0].kind != first.kind or found[0].end < len(whole):
        return second
    return replace(second, kind=first.kind, readings=found[0].readings)


# "$9", "9 euros", "nine euros": the sign or unit that a later number leaves out.
_UNIT = re.compile(r"(?P<sign>[$€£¥])?(?:[\d.,]+|[a-z]+)[\s-]?(?P<unit>\D*)")
_LEFT_OUT = re.compile(
    r"(?:\s[\w-]+){0,3}(?:[,;]|\s(?:and|but|while|whereas))(?:\s(?:and|but|while|the|for))*"
    r"(?:\s(?!(?:in|at|on|by|from|to|of|than|after|before|until|since|page|room|line)\b)[a-z’'-]{2,})"
    r"{0,3}\s"
)
"""What stands between two amounts of which the second leaves out the unit."""
# A noun behind the number would be what it counts.
_NO_UNIT = re.compile(r"\s?(?:[,.;:!?)](?!\d)|$)|\s(?:and|or|but|for)\b(?!\s\d)")


def _total(plain: str, first: Value, second: Value) -> Value | None:
    """The sum of an amount and a smaller unit after it, "1 h 20 min" or "1 h 20"; None for other
    values."""
    if first.bound or second.bound or plain[first.end : second.start] not in ("", " ", " and "):
        return None
    if first.kind != "quantity" or not (first.readings and second.readings):
        return None
    one, two = first.readings[0], second.readings[0]
    if not isinstance(one, Amount) or not isinstance(two, Amount):
        return None
    if not two.dimension and _HOUR_AND_MINUTES.fullmatch(plain, first.start, second.end):
        two = two._replace(number=two.number * 60, dimension="s", step=two.step * 60)
    if not one.written or not two.written or not one.dimension == two.dimension != "":
        return None
    larger, smaller = one.number / one.written, two.number / two.written
    if not 0 < two.number < larger or smaller >= larger:
        return None
    total = one._replace(number=one.number + two.number, step=two.step, written=None)
    return replace(first, readings=(total,), end=second.end)


# Minutes without their unit: "1 h 40".
_HOUR_AND_MINUTES = re.compile(r"\d{1,2}\s?h\s?[0-5]\d")

_COUNTED = re.compile(
    r"\s(?!(?:was|has|is|this|his|its|as|us|across|towards|plus|versus)\b)[a-z]{3,}s\b"
)
_YEARLY = re.compile(
    r"(?i)\b(?:in|since|until|till|by|from|to|of|during|year|c\.|ca\.|and|[–-])\s?$"
)
_PRONOUN_AFTER = re.compile(
    r"\s(?:of|another|who|that|which|to|can|could|must|should|may|might|is|was|day|has|or|and|in)\b"
    r"|\s?[.,;:)!?]|\s?$|\s\d[\d.,]*(?:[,;.)]|$)"
)
_PRONOUN_BEFORE = re.compile(
    r"(?i)\b(?:no|any|every|some|each|this|that|the|which|another|only|not|as)[\s-]$"
)
_TO = re.compile(
    r"\s?(?:-|–|—|−|~|〜|至|から)\s?|\s(?:to|until|till|through|thru|bis)\s|\s(?P<and>and|und)\s"
)
# "Fell by 210 to 3,460": a difference and a level.
_CHANGED = re.compile(r"(?i)\bby\s$")
_BETWEEN = re.compile(r"(?i)\b(?:between|zwischen)\s+$")
# What stands before a value and says that it is a bound; longer phrases win.
_PHRASES: dict[Bound, str] = {
    "at least": "at least|no less than|no fewer than|not less than|never less than|never fewer than"
    "|minimum|minimum of|mindestens|≥",
    "at most": "at most|no more than|not more than|up to|maximum|maximum of|höchstens|bis zu|≤",
    "over": "more than|greater than|longer than|larger than|over|above|exceeding|exceeds|exceed"
    "|exceeded|in excess of|über|mehr als|>",
    "under": "less than|fewer than|smaller than|shorter than|under|below|unter|weniger als|<",
    "about": "about|around|approximately|approx.|roughly|nearly|almost|some|circa|c.|ca.|estimated"
    "|estimated at|just after|just before|shortly after|shortly before|soon after|towards|etwa"
    "|ungefähr|rund|zirka|约|大约|約|~|≈",
}
_CUES: dict[str, Bound] = {
    cue: bound for bound, phrases in _PHRASES.items() for cue in phrases.split("|")
}
_MEASURED = re.compile(rf"\b(?:an?|the)\s+(?:{'|'.join(sorted(MEASURES))})\s+of\s+$")
# "Do not take more than", "never more than" and "should not exceed" say "at most".
_NOT_MORE = re.compile(
    r"(?i)\b(?:not|never|no|nobody|cannot|\w+n['’]t)\s"
    r"(?:(?!(?:and|but|or|because|which|who|that)\b)[\w-]+\s){0,5}?(?:more\sthan|exceed)\s(?:an?\s)?$"
)
_LAST_WORDS = frozenset(cue.split()[-1] for cue in _CUES)
_UNBOUNDED = frozenset({"date", "time", "ordinal"})  # "over 1939" is no lower bound
_AFTER: dict[Bound, re.Pattern[str]] = {
    "at least": re.compile(r"\+(?=[\s,;)]|$)|\s(?:or more|at (?:the )?least)\b"),
    "at most": re.compile(r"\s(?:or (?:less|fewer)|at (?:the )?most)\b"),
}
_AGED = re.compile(r"(?i)\baged?\s(?:of\s)?(?:only\s|just\s)?$")
_OLDEST = 130
# "A third of sales" is no third place, "a third of a cup" no share of a whole.
_FRACTION = re.compile(
    r"(?i)(?P<many>(?:one|two|three|four|five|seven|nine)[\s-])?"
    r"(?P<part>half|third|quarter|fifth|sixth|seventh|eighth|ninth|tenth)s?(?=\s+of\b)"
)
_OF_ONE = re.compile(r"(?i)\s+of\s+an?\s")
_PER_MILLE = Decimal("0.1")
_ROUNDED = Decimal(4)  # "about a third" is said of 32 to 35 percent
_ROUND = frozenset({2, 4, 5, 8, 10})  # what a whole is divided by without a remainder


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
    clock = find_time(plain, begin, start, end)
    if clock is not None:
        times, stop = clock
        return Value("time", times, begin, stop), None
    unsigned = begin + (plain[begin] in "-−")
    if word:
        part = amounts.parts(plain, begin, end)
        if part is not None:
            found = amounts.amounts(part)
            return Value(_kind(found), found, begin, part.end), part
        share = _share(plain, begin, start, end)
        if share is not None:
            return share, None
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
    if plain[begin] in "-−":
        numeral = numeral._replace(numbers=tuple(-number for number in numeral.numbers))
    elif _is_age(plain, begin, start, numeral) and not _TO.match(plain, numeral.end, end):
        numeral = numeral._replace(units=(UNITS["years"],), plain=False)
    found = amounts.amounts(numeral)
    return Value(_kind(found), found, begin, numeral.end), numeral


def _is_age(plain: str, begin: int, start: int, numeral: Numeral) -> bool:
    """Return whether a bare number counts the years of a life: "aged 17", "at the age of nine"."""
    before = plain[max(start, begin - 16) : begin]
    return numeral.plain and numeral.numbers[0] <= _OLDEST and _AGED.search(before) is not None


def _share(plain: str, begin: int, start: int, end: int) -> Value | None:
    """The "two thirds of" or "a quarter of" that begins at a word, as a percentage; None if there
    is none."""
    found = _FRACTION.match(plain, begin, end)
    if found is None:
        return None
    if not found["many"] and plain[max(start, begin - 2) : begin].lower() != "a ":
        return None
    many = CARDINALS[found["many"][:-1].lower()] if found["many"] else 1
    word = found["part"].lower()
    under = DENOMINATORS.get(word) or ORDINALS[word]
    part = Decimal(many) / under
    if _OF_ONE.match(plain, found.end(), end):
        return Value("number", (Amount(part),), begin, found.end())
    # A third is said of 33 % and of 34 %, a quarter of nothing but 25 %.
    bound: Bound = "" if under in _ROUND else "about"
    share = Amount((part * 100).quantize(_PER_MILLE), "%", _ROUNDED)
    return Value("percent", (share,), begin, found.end(), bound)


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
    if _CHANGED.search(plain[max(0, first.start - 4) : first.start]) and not _may_be_range(
        first, second
    ):
        return None
    if link["and"] and not _BETWEEN.search(plain[max(0, first.start - 10) : first.start]):
        return None
    if first.kind == "number" and second.kind == "time" and lender is not None and lender.plain:
        first = _first_of_times(first, second)
    elif first.kind == "date" and second.kind == "number" and numeral is not None:
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


_FAR_ENDS: Final = 5  # times its beginning that the end of a range after "by" may be


def _may_be_range(first: Value, second: Value) -> bool:
    """Return True for "by 4 to 6 percent"; False for "by 210 to 3,460"."""
    low, high = (one.readings[0] for one in (first, second))
    if not isinstance(low, Amount) or not isinstance(high, Amount):
        return True
    return (
        low.written is None
        or high.written is None
        or low.written < high.written <= _FAR_ENDS * low.written
    )


def _first_of_times(first: Value, second: Value) -> Value:
    """The 8 of "8 to 11 a.m." as the last such time before the second one."""
    hour, until = first.readings[0], second.readings[0]
    if not isinstance(hour, Amount) or not isinstance(until, Amount):
        return first
    if hour.number != int(hour.number) or not 0 <= hour.number <= 24:
        return first
    minutes = 60 * int(hour.number)
    if len(second.readings) > 1:
        return replace(
            first, kind="time", readings=(time_of_day(minutes), time_of_day(minutes + 720))
        )
    later = minutes + 720
    if minutes < 720 and (minutes > until.number or later < until.number):
        minutes = later
    return replace(first, kind="time", readings=(time_of_day(minutes),))


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


def _bound(plain: str, start: int, value: Value, end: int) -> Bound:
    """The bound that the words around a value say it is; a range is none."""
    if value.ends is not None:
        return ""
    before = plain[max(start, value.start - 48) : value.start].lower()
    before = _MEASURED.sub("", before)[-24:]  # "below a height of"
    words = before.removesuffix(" a ").rsplit(None, 3)[-3:]  # "about a quarter of"
    last = words[-1].lstrip("(") if words else ""
    if last in _LAST_WORDS or last[-1:] in _LAST_WORDS:
        phrases = (" ".join(words[-3:]), " ".join(words[-2:]), last, last[-1:])
        bound: Bound = next((_CUES[phrase] for phrase in phrases if phrase in _CUES), "")
        if last == "of" and words[0] in ("minimum", "maximum"):  # "a minimum coverage of"
            bound = bound or _CUES[words[0]]
        if bound == "over" and _NOT_MORE.search(plain, max(start, value.start - 64), value.start):
            bound = "at most"
        if bound == "about" or value.kind not in _UNBOUNDED:
            return bound
    if value.kind not in _UNBOUNDED:
        return next((one for one in _AFTER if _AFTER[one].match(plain, value.end, end)), "")
    return ""
