"""Values found in a text: numbers, dates, money, measures, percentages, times, ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from halubot.compare import amounts, dates
from halubot.compare.amounts import Amount, Numeral
from halubot.compare.dates import Date
from halubot.compare.units import CARDINALS, CURRENCY_SIGNS, MONTHS, ORDINALS, SCALES
from halubot.compare.value import Bound, Kind, Reading, Value


def find(plain: str, start: int = 0, end: int | None = None) -> tuple[Value, ...]:
    """The values in ``plain[start:end]``, in order and disjoint; empty where there are none."""
    end = len(plain) if end is None else end
    found = list(_scan(plain, start, end))
    values: list[Value] = []
    previous: Numeral | None = None
    for value, numeral in found:
        if values and (joined := _range(plain, values[-1], previous, value, numeral)) is not None:
            values[-1] = joined
        else:
            values.append(value)
        previous = numeral
    return tuple(_bounded(plain, start, value, end) for value in values)


_SCALED = "|".join(SCALES)


def _candidates() -> str:
    """Where a value may begin: at a digit, a sign, a number word, a month. Each alternative
    begins with a plain character, for which the search skips to that character at once."""
    words: dict[str, list[str]] = {}
    for word in sorted({*CARDINALS, *ORDINALS, *MONTHS, "early", "mid", "late"}, key=len):
        for first in {word[0], word[0].upper()}:
            words.setdefault(first, []).insert(0, re.escape(word[1:]))
    for first in "aA":
        words.setdefault(first, []).append(rf"n?(?=\s(?:{_SCALED}))")
    ranked = [
        rf"{first}(?<![^\W_]{first})(?:{'|'.join(rests)})(?![^\W\d_])"
        for first, rests in sorted(words.items())
    ]
    ranked += [
        rf"{d}(?<![A-Za-z\u00aa-\u024f_\d]{d})(?<![A-Z]-{d})(?<!\d[.,:]{d})" for d in "0123456789"
    ]
    ranked += [rf"{sign}(?<![^\s(]{sign})(?=\d)" for sign in "-−"]
    ranked += [rf"{re.escape(sign)}(?=\s?\d)" for sign in CURRENCY_SIGNS if not sign[0].isalpha()]
    ranked += [
        rf"{sign[0]}(?<![^\W_]{sign[0]})(?={re.escape(sign[1:])}\s?\d)"
        for sign in CURRENCY_SIGNS
        if sign[0].isalpha()
    ]
    ranked += [rf"{mark}(?=[2-9]0s)" for mark in "'’"]
    return "|".join(ranked)


_CANDIDATE = re.compile(_candidates())
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
    "over": "more than|greater than|longer than|larger than|over|above|exceeding|über|mehr als|>",
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


def _scan(plain: str, start: int, end: int) -> Iterator[tuple[Value, Numeral | None]]:
    at = start
    while (candidate := _CANDIDATE.search(plain, at, end)) is not None:
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
    """Whether a lone "one" stands for a thing and counts nothing."""
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
    """Two neighbours joined by a dash or "to" as one range; None where they are not one."""
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


def _bounded(plain: str, start: int, value: Value, end: int) -> Value:
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
