"""Numbers and dates of an English text changed by rule, so that the text becomes wrong.

It shares no code with the checker (`halubot.compare`), which is measured on what it makes.
"""

from __future__ import annotations

import re
from random import Random
from typing import Final

from halubot.evaluation.synthesis.planted_edits import Edit

ONES: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
NUMBERS: Final = {word: number for number, word in enumerate(ONES)} | {
    f"{tens}-{ONES[one]}" if one else tens: 10 * ten + one
    for ten, tens in enumerate(TENS, start=2)
    for one in range(10)
}
"""The whole numbers below 100 by their words."""
SPELT: Final = {number: word for word, number in NUMBERS.items()}
COUNTING: Final = "|".join(
    sorted((word for word in NUMBERS if NUMBERS[word] > 1), key=len, reverse=True)
)
"""The words of the numbers from 2 to 99, for a pattern."""
NAMED: Final = re.compile(
    r"(?:(?i:chromosome|type|grade|stage|level|phase|version)|[A-Z]{2,}|[A-Z]\w*[A-Z]) $"
)
"""What stands before a number that is part of a name."""

_SHORT = "|".join(month[:3] for month in MONTHS if month != "May")
_VALUE = re.compile(
    rf"(?<![\w.,/–-])(?P<word>(?i:{COUNTING}))(?![\w-])"
    r"|(?P<year>(?<![\w.,/$€£-])(?:1[5-9]|20)\d\d(?![.,]\d|[\w%]))"
    rf"|(?P<month>\b(?:{'|'.join(MONTHS)}|(?:{_SHORT}))\b(?= (?:of )?\d))"
    r"|(?<![\w,/.])(?<!\w[:-])(?P<number>\d{1,3}(?:,\d{3})+(?![\d,])|\d+(?:\.\d+)?)"
    r"(?![\w/:]|\.\d|,\d|-[a-zA-Z])"
)
_LOOSELY = re.compile(
    r"(?i)\b(?:about|roughly|around|approximately|nearly|almost|over|under|than|least|most|up to) $"
)
_MONTH_AFTER = re.compile(rf"(?:st|nd|rd|th)? (?:of )?(?:{'|'.join(MONTHS)}|{_SHORT})\b")
_MONTH_BEFORE = re.compile(rf"\b(?:{'|'.join(MONTHS)}|{_SHORT})\.? $")
_SHARE = re.compile(r" ?(?:%|percent|per cent)")
_YEARS = (-9, -6, -4, -3, -2, -1, 1, 2, 3, 4, 6, 9)
_ATTEMPTS = 20


def places(text: str) -> tuple[re.Match[str], ...]:
    """Where the text has a number, a year or a month that can be changed."""
    return tuple(
        found for found in _VALUE.finditer(text) if not NAMED.search(text[: found.start()][-20:])
    )


def kind_of(place: re.Match[str]) -> str:
    """ "date" for a year, a month and the day beside a month, else "number"."""
    text = place.string
    beside = _MONTH_AFTER.match(text, place.end()) or _MONTH_BEFORE.search(text[: place.start()])
    return "date" if place["year"] or place["month"] or beside else "number"


def changed_value(
    text: str, place: re.Match[str], random: Random, *, besides: str = ""
) -> Edit | None:
    """The value at a place made another, one that stands neither in the text nor in ``besides``;
    None where none is found. One that is said to be about right becomes another by a third or
    more."""
    loosely = _LOOSELY.search(text[: place.start()][-20:]) is not None
    for _ in range(_ATTEMPTS):
        new = _another(place, random, loosely=loosely)
        known = re.search(rf"(?<![\w.]){re.escape(new)}(?!\w)", f"{text} {besides}")
        if new and not known and not _is_odd(new, text[place.end() :]):
            return Edit(kind_of(place), place.start(), place.end(), new)
    return None


def _is_odd(new: str, after: str) -> bool:
    """Whether no reader would believe it: "1 groups", 102 percent."""
    if new in ("0", "1"):
        return True
    return (
        _SHARE.match(after) is not None and new[0].isdigit() and float(new.replace(",", "")) >= 100
    )


def _another(place: re.Match[str], random: Random, *, loosely: bool) -> str:
    old = place.group()
    if place["month"]:
        months = [month for month in MONTHS if month[:3] != old[:3]]
        return random.choice(months)[: 3 if len(old) == 3 and old != "May" else None]
    if place["year"]:
        return str(int(old) + random.choice(_YEARS))
    if place["word"]:
        moved = _move(NUMBERS[old.lower()], random, loosely=loosely)
        new = SPELT.get(int(moved), "") if moved > 1 else ""
        return new.capitalize() if old[0].isupper() else new
    plain = old.replace(",", "")
    decimals = len(plain.partition(".")[2])
    number = _move(float(plain), random, loosely=loosely, step=10.0**-decimals)
    return f"{number:{',' if ',' in old else ''}.{decimals}f}"


def _move(number: float, random: Random, *, loosely: bool, step: float = 1.0) -> float:
    """Another number above 0: by a twentieth to a third, or by up to four fifths, and by no less
    than a step."""
    far = max(step, number * random.uniform(0.35, 0.8))
    near = max(step, number * random.uniform(0.05, 0.3))
    by = far if loosely else random.choice((near, far))
    moved = max(step, round((number + random.choice((-1, 1)) * by) / step) * step)
    return moved if abs(moved - number) >= step / 2 else number + step
