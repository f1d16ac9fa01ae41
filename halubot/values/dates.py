"""Dates and times of day in text.

Dates are days, months, years, decades and centuries, with what they leave open; times are "15:45",
"3.45 p.m.", "noon", "half past seven", "seven in the evening".
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from halubot.values.amounts import Amount
from halubot.values.units import CARDINALS, MONTHS, ORDINALS


class Date(NamedTuple):
    """A date of the calendar; None if the text leaves a part open. Years BC are negative."""

    year: int | None
    month: int | None = None
    day: int | None = None

    def __str__(self) -> str:
        year = "-" if self.year is None else f"{'-' * (self.year < 0)}{abs(self.year):04d}"
        if self.month is None:
            return year
        return f"{year}-{self.month:02d}" + ("" if self.day is None else f"-{self.day:02d}")


class Period(NamedTuple):
    """All years from ``first`` to ``last``: a decade or a century."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}/{self.last}"


When = Date | Period

_MONTH = (
    "(?:"
    + "|".join(
        sorted({m.capitalize() for m in MONTHS} | {m.upper() for m in MONTHS}, key=len)[::-1]
    )
    # Not the full stop of a sentence: "It ended on 31 July."
    + r")(?![^\W_])(?:\.(?=,?\s*\d))?"
)
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?!\d)"
_YEAR = r"(?:1\d{3}|2[01]\d{2}|[1-9]\d{0,3}(?=\s?(?:BCE?\b|AD\b|CE\b|B\.C\.)))(?![\d%])(?![.,]\d)"
_ERA = r"(?:\s*(?P<era>BCE?|B\.C\.|v\.\s?Chr\.))?"
_NTH = rf"(?i:(?:(?:twenty|thirty)[\s-])?(?:{'|'.join(ORDINALS)}))"
# The first alternative that matches at a place is taken, so a longer form stands before the form
# that matches its beginning.
PATTERN = re.compile(
    rf"(?P<y1>\d{{4}})(?P<between>[-/.])(?P<m1>0?[1-9]|1[0-2])(?P=between)(?P<d1>{_DAY})(?!\.\d)"
    rf"|(?:(?P<d2>{_DAY})(?:st|nd|rd|th|\.)?|(?P<nth2>{_NTH})(?=\s+(?:day\s+)?of\s))"
    rf"\s+(?:day\s+)?(?:of\s+)?(?P<m2>{_MONTH})"
    rf"(?:,?\s+(?:of\s+)?(?P<y2>{_YEAR}))?"
    rf"|(?P<m3>{_MONTH})\s+(?:the\s+)?(?P<d3>{_DAY})(?:st|nd|rd|th)?(?![^\W_])"
    rf"(?:(?:,\s*|\s+)(?P<y3>{_YEAR}))?"
    rf"|(?P<m4>{_MONTH}),?\s+(?:of\s+)?(?P<y4>{_YEAR})"
    rf"|(?P<a5>\d{{1,2}})(?P<sep>[-./])(?P<b5>\d{{1,2}})(?P=sep)(?P<y5>\d{{4}})(?!\d)"
    rf"|(?P<y6>\d{{4}})\s?年(?:\s?(?P<m6>\d{{1,2}})\s?月(?:\s?(?P<d6>\d{{1,2}})\s?[日号])?)?"
    rf"|(?:(?P<part>[Ee]arly|[Mm]id|[Ll]ate)(?:\s+|-))?(?:the\s+)?(?P<decade>[1-9]\d\d0)['’]?s(?![^\W_])"
    rf"|['’](?P<short>[2-9]0)s(?![^\W_])"
    rf"|(?:(?P<cpart>[Ee]arly|[Mm]id|[Ll]ate)(?:\s+|-)(?:the\s+)?)?"
    rf"(?:(?P<nth>\d{{1,2}})(?:st|nd|rd|th)|(?P<word>{_NTH}))"
    rf"[\s-](?:century|centuries)(?![^\W_])(?:\s*(?P<cera>BCE?))?"
    rf"|(?P<y7>{_YEAR})(?![^\W_]){_ERA}"
)
_FORMS = ("1", "2", "3", "4", "6", "7")
"""The numbers of those forms in PATTERN whose groups are a year, a month and a day. Their order
does not count, that of the alternatives in PATTERN does."""


def read(match: re.Match[str]) -> tuple[When, ...]:
    """Return the readings of a match of PATTERN: empty if no such day exists, two if day and month
    cannot be told apart (03/04/2020)."""
    if match.lastgroup == "y7":
        return (Date(int(match["y7"])),)
    group = match.groupdict()
    if group["a5"]:
        a, b, year = int(group["a5"]), int(group["b5"]), int(group["y5"])
        pairs = {(a, b)} if group["sep"] == "." else {(a, b), (b, a)}
        return tuple(
            Date(year, month, day) for day, month in sorted(pairs) if month <= 12 and 0 < day <= 31
        )
    if group["decade"] or group["short"]:
        first = int(group["decade"] or "19" + group["short"])
        return (_within(Period(first, first + 9), group["part"]),)
    if group["nth"] or group["word"]:
        return _century(group)
    # Groups of one number are of one way to write a date. Those of 5 were read above: day and month
    # may be exchanged there.
    written_year, month, written_day = next(
        (group.get(f"y{i}"), group.get(f"m{i}"), group.get(f"d{i}"))
        for i in _FORMS
        if group.get(f"y{i}") or group.get(f"m{i}")
    )
    number = None if month is None else MONTHS.get(month.rstrip(".").lower()) or int(month)
    day = int(written_day) if written_day else _ordinal(group["nth2"])
    if (number is not None and not 0 < number <= 12) or (day is not None and not 0 < day < 32):
        return ()
    sign = -1 if group["era"] else 1
    return (Date(sign * int(written_year) if written_year else None, number, day),)


def _century(group: dict[str, str | None]) -> tuple[When, ...]:
    number = int(group["nth"]) if group["nth"] else _ordinal(group["word"])
    if number is None or not 0 < number <= 30:
        return ()
    first = 100 * (number - 1)
    whole = Period(-first - 100, -first - 1) if group["cera"] else Period(first, first + 99)
    return (_within(whole, group["cpart"]),)


def _ordinal(words: str | None) -> int | None:
    """The number of an ordinal in words, "twenty-first"; None for none."""
    if not words:
        return None
    *tens, unit = re.split(r"[\s-]", words.lower())
    return sum(CARDINALS[word] for word in tens) + ORDINALS[unit]


def _within(whole: Period, part: str | None) -> Period:
    """The early, middle or late part of a period, with generous borders."""
    length = whole.last - whole.first + 1
    match (part or "").lower():
        case "early":
            return Period(whole.first, whole.first + length // 2 - 1)
        case "mid":
            return Period(whole.first + 3 * length // 10, whole.first + 7 * length // 10)
        case "late":
            return Period(whole.first + length // 2, whole.last)
    return whole


def covers(fact: When, other: When) -> bool:
    """Return True if ``other`` says at least what ``fact`` says: 22 May 1828 covers May 1828."""
    if isinstance(fact, Date):
        return isinstance(other, Date) and all(
            mine in (None, theirs) for mine, theirs in zip(fact, other, strict=True)
        )
    if isinstance(other, Date):
        return other.year is not None and fact.first <= other.year <= fact.last
    return fact.first <= other.first and other.last <= fact.last


def apart(a: When, b: When) -> bool:
    """Return True if no day is both: 1828 and 1829, not 1828 and May, not 1828 and the 1820s."""
    if isinstance(a, Date) and isinstance(b, Date):
        parts = zip(a, b, strict=True)
        return any(None not in (mine, theirs) and mine != theirs for mine, theirs in parts)
    first, second = _years(a), _years(b)
    return first is not None and second is not None and not _overlap(first, second)


def near(a: When, b: When, years: int) -> bool:
    """Return True if two dates lie at most so many years apart; False if one has no year."""
    first, second = _years(a), _years(b)
    return (
        first is not None
        and second is not None
        and _overlap((first[0] - years, first[1] + years), second)
    )


def _years(when: When) -> tuple[int, int] | None:
    if isinstance(when, Period):
        return when.first, when.last
    return None if when.year is None else (when.year, when.year)


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] <= b[1] and b[0] <= a[1]


_TIME = re.compile(
    r"(?P<hour>[01]?\d|2[0-3])[:.](?P<minute>[0-5]\d)(?![\d:])(?:\s?(?P<half>[ap])\.?m\b\.?)?"
    r"|(?P<oclock>1[0-2]|\d)\s?(?P<meridiem>[ap])\.?m\b\.?"
)
_HOUR = r"(?P<{}>one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[01]?\d|2[0-3])"
_IN_WORDS = re.compile(
    r"(?i)(?P<fixed>noon|midday|midnight)\b"
    r"|(?:(?P<minutes>half|quarter|five|ten|twenty(?:[\s-]five)?|[1-5]?\d(?=\sminutes))(?:\sminutes)?\s"
    r"(?P<side>past|to)\s" + _HOUR.format("base") + r"|" + _HOUR.format("hour") + r")\b"
    r"(?P<clock>\so['’]clock\b)?"
    r"(?:\sin\sthe\s(?:early\s|late\s)?(?P<part>morning|afternoon|evening)\b"
    r"|\sat\s(?P<night>night)\b|\s(?P<half>[ap])\.?m\b\.?)?"
)
# "Twenty to one" is a time of day after these, else it may be a range.
_AT_TIME = re.compile(r"(?i)\b(?:at|until|till|by|before|after|since)\s(?:a\s)?$")
_PARTS_OF_HOUR = {"half": 30, "quarter": 15, "twenty five": 25, "twenty-five": 25}


def find_time(plain: str, at: int, start: int, end: int) -> tuple[tuple[Amount, ...], int] | None:
    """Return the readings of the time of day that begins at ``at``, two if it may be before or
    after noon, and the place after it; None if there is none. ``start`` and ``end`` bound the text
    that may be looked at."""
    if plain[at].isdigit():
        clock = _TIME.match(plain, at, end)
        if clock is not None and (":" in clock.group() or clock["half"] or clock["meridiem"]):
            return (_minutes(clock),), clock.end()
    return _time_in_words(plain, at, start, end)


def _minutes(clock: re.Match[str]) -> Amount:
    hour, minute = int(clock["hour"] or clock["oclock"]), int(clock["minute"] or 0)
    half = (clock["half"] or clock["meridiem"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return time_of_day(60 * hour + minute)


def _time_in_words(
    plain: str, begin: int, start: int, end: int
) -> tuple[tuple[Amount, ...], int] | None:
    """The time of day in words that begins at ``begin``: "noon", "half past seven", "seven in the
    evening", "15 o'clock"; None if there is none. Without a part of the day it has two readings."""
    found = _IN_WORDS.match(plain, begin, end)
    if found is None:
        return None
    if found["fixed"]:
        minutes = 0 if found["fixed"].lower() == "midnight" else 720
        return (time_of_day(minutes),), found.end()
    told = found["clock"] or found["part"] or found["night"] or (found["half"] and found["side"])
    if not told and (
        not found["side"]
        or (
            found["side"].lower() == "to"
            and not _AT_TIME.search(plain, max(start, begin - 9), begin)
        )
    ):
        return None
    hour = _number_below_24(found["base"] or found["hour"])
    minutes = 60 * hour + _past(found)
    if hour > 12:
        return (time_of_day(minutes),), found.end()
    minutes %= 720
    part = (found["part"] or found["night"] or found["half"] or "").lower()
    match part:
        case "morning" | "a":
            readings: tuple[int, ...] = (minutes,)
        case "afternoon" | "evening" | "p":
            readings = (minutes + 720,)
        case "night":
            readings = (minutes + 720 if minutes >= 360 else minutes,)
        case _:
            readings = (minutes, minutes + 720)
    return tuple(map(time_of_day, readings)), found.end()


def _past(found: re.Match[str]) -> int:
    """The minutes that a time in words adds to its hour, or takes from it."""
    if not found["side"]:
        return 0
    word = found["minutes"].lower()
    minutes = _PARTS_OF_HOUR.get(word) or _number_below_24(word)
    return minutes if found["side"].lower() == "past" else -minutes


def _number_below_24(word: str) -> int:
    return int(word) if word.isdigit() else int(CARDINALS[word.lower()])


def time_of_day(minutes: int) -> Amount:
    """Return a time of day as an amount, in minutes from midnight."""
    return Amount(Decimal(minutes), "time of day")
