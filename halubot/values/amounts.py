"""Amounts in text: numbers in digits and in words, with their scale, unit or currency."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from halubot.values.units import (
    CARDINALS,
    CURRENCIES,
    CURRENCY_SIGNS,
    DENOMINATORS,
    MONTHS,
    NO_UNIT,
    ORDINAL,
    ORDINALS,
    SCALES,
    SHORT_SCALES,
    UNITS,
    Unit,
)


class Amount(NamedTuple):
    """A number in the base unit of its dimension ("" for a bare count). ``step`` is the worth
    of its last written digit that is not zero; ``system`` tells metric from customary.
    ``written`` is the number before its unit was turned into the base unit."""

    number: Decimal
    dimension: str = ""
    step: Decimal = Decimal(1)
    system: str = ""
    written: Decimal | None = None

    def __str__(self) -> str:
        number = format(self.number.normalize(), "f")
        return f"{number} {self.dimension}".rstrip()


class Numeral(NamedTuple):
    """A number as written, before its unit: two readings if "1.200" may be German.
    ``plain`` says that neither scale nor unit was written."""

    numbers: tuple[Decimal, ...]
    scale: Decimal
    units: tuple[Unit, ...]
    end: int
    plain: bool


_BOUNDARY = r"(?![^\W_])"
_DIGITS = re.compile(
    r"(?P<grouped>\d{1,3}(?:,\d{3})+(?:\.\d+)?)(?![,.]?\d)"
    # Taken apart by a tokenizer; no list goes on with a number that begins with 0.
    r"|(?P<parted>\d{1,3}(?:, \d{3})*, 0\d\d|(?<=[$€£¥] )\d{1,3}(?:, \d{3})+)(?!\d|, \d)"
    r"|(?P<point>\d{1,3}\. \d{1,2})(?= (?:million|billion|trillion)\b)"
    r"|(?P<german>\d{1,3}(?:\.\d{3})+)(?:,(?P<tail>\d+))?(?![.,]?\d)"
    # A plain space or an apostrophe too: "620 000" (ISO 80000), "620'000" (Switzerland). In "2020
    # 300" the first number is too long for a group.
    r"|(?P<spaced>(?<!\d )[1-9]\d{0,2}(?: \d{3})+(?! \d)|\d{1,3}(?:['’]\d{3})+"
    r"|\d{1,3}(?:[\u00a0\u2009\u202f]\d{3})+)(?![\d/])"
    r"|(?:(?P<whole>\d{1,3})\s)?(?P<over>\d{1,3})\s?/\s?(?P<under>\d{1,3})(?![\d/])"
    r"|(?P<ones>\d{1,3})?\s?(?P<vulgar>[½¼¾⅓⅔⅛])"
    r"|(?P<comma>\d+,\d{1,2})(?![,.]?\d)"
    r"|(?P<plain>\d+(?:\.\d+)?)(?!\d|\.\d)"
)
_VULGAR = {
    sign: Decimal(over) / Decimal(under)
    for sign, over, under in (
        ("½", 1, 2), ("¼", 1, 4), ("¾", 3, 4), ("⅓", 1, 3), ("⅔", 2, 3), ("⅛", 1, 8),
    )
}  # fmt: skip
_AND_A_HALF = re.compile(r"(?i)\s?and\s(?:an?\s)?(?P<part>half|quarter)\b")
_SUFFIX = re.compile(
    r"(?P<ordinal>(?:st|nd|rd|th)(?![^\W_]))"
    rf"|(?:[\s-]?(?P<scale>(?i:{'|'.join(SCALES)}){_BOUNDARY}"
    rf"|(?:{'|'.join(sorted(set(SHORT_SCALES), key=len)[::-1])})(?:(?<=[万萬亿億])|{_BOUNDARY})))?"
    r"(?:(?:\s(?:calendar|consecutive|full|whole|entire)(?=\s))?[\s-]?(?P<unit>"
    + "|".join(re.escape(name) for name in sorted(UNITS, key=len)[::-1])
    + rf")(?:(?<=[%°]|[^\x00-\u2fff])|{_BOUNDARY}))?"
)

_RUN = re.compile(r"(?P<word>[^\W\d_]+)(?P<gap>(?:\s+and)?(?:\s+|-))?")
_SIGN = re.compile("|".join(re.escape(sign) for sign in sorted(CURRENCY_SIGNS, key=len)[::-1]))
_GLUED = re.compile("[A-Za-z\u00aa-\u024f_]")
_CLOSING = frozenset(",.;)")  # no unit begins with one of these
_LONGEST = 40  # digits; what is longer is a key or a code, and no amount


def digits(plain: str, at: int, end: int) -> Numeral | None:
    """The numeral in digits that begins at ``at``, a sign of currency before it included; None
    if what stands there is no amount (a version, an address, a code)."""
    sign = _SIGN.match(plain, at, end)
    start = sign.end() if sign else at
    if sign and plain[start : start + 1] == " ":
        start += 1
    found = _DIGITS.match(plain, start, end)
    if found is None or found.end() - start > _LONGEST:
        return None
    text = found.group()
    group = found.groupdict() if found.lastgroup != "plain" else {}
    if not group:
        numbers: tuple[Decimal, ...] = (Decimal(text),)
    elif group["german"]:
        thousands = Decimal(f"{group['german'].replace('.', '')}.{group['tail'] or 0}")
        single = group["german"].count(".") == 1 and not group["tail"]
        numbers = (Decimal(group["german"]), thousands) if single else (thousands,)
    elif group["under"]:
        if not int(group["under"]):
            return None
        whole = Decimal(group["whole"] or 0)
        numbers = (whole + Decimal(group["over"]) / Decimal(group["under"]),)
    elif group["vulgar"]:
        numbers = (Decimal(group["ones"] or 0) + _VULGAR[group["vulgar"]],)
    elif group["point"]:
        numbers = (Decimal(text.replace(" ", "")),)
    elif group["comma"]:
        numbers = (Decimal(text.replace(",", ".")),)
    else:
        numbers = (Decimal(re.sub(r"[,'’\s]", "", text)),)
    return _with_suffix(plain, end, numbers, found.end(), sign.group() if sign else "")


def words(plain: str, at: int, end: int) -> Numeral | None:
    """The numeral in words that begins at ``at``: "twelve hundred", "twenty-first", "a dozen",
    "two thirds", "nineteen eighty-four"; None if there is none."""
    total = group = Decimal(0)
    stop = gap_end = at
    scale_before = Decimal(0)
    while (found := _RUN.match(plain, gap_end, end)) is not None:
        word = found.group("word").lower()
        if gap_end == at and word in {"a", "an"}:
            group = Decimal(1)
            following = _RUN.match(plain, found.end(), end)
            if following is None or following.group("word").lower() not in SCALES:
                return None
        elif word in SCALES:
            scale = SCALES[word]
            if not group or (scale <= 100 <= group) or (scale_before and scale >= scale_before > 0):
                break
            if scale <= 100:
                group *= scale
            else:
                total, group, scale_before = total + group * scale, Decimal(0), scale
            stop = found.end("word")
        elif word in DENOMINATORS and 0 < group < 10 and not total:
            fraction = group / DENOMINATORS[word]
            return _with_suffix(plain, end, (fraction,), found.end("word"), "")
        elif word in ORDINALS and _fits(group, ORDINALS[word]):
            number = total + group + ORDINALS[word]
            return Numeral((number,), Decimal(1), (ORDINAL,), found.end("word"), plain=False)
        elif word in CARDINALS and _fits(group, CARDINALS[word]):
            group += CARDINALS[word]
            stop = found.end("word")
        elif word in CARDINALS and 10 < group <= 20 and not total and CARDINALS[word] >= 10:
            group = group * 100 + CARDINALS[word]
            stop = found.end("word")
        else:
            break
        half = _AND_A_HALF.match(plain, found.end("word"), end)
        if half is not None and word in CARDINALS:  # "two and a half hours"
            total += group + 1 / Decimal(DENOMINATORS[half["part"].lower()])
            return _with_suffix(plain, end, (total,), half.end(), "")
        gap_end = found.end()
        if not found.group("gap") or ("and" in found.group("gap") and word not in SCALES):
            break
    if stop == at:
        return None
    return _with_suffix(plain, end, (total + group,), stop, "")


_PART_OF_ONE = re.compile(
    r"(?i)(?:half(?:\san?\s|[\s-])|(?P<short>quarter)-"
    r"|(?:(?P<many>one|two|three)[\s-])?(?P<part>quarter|third)s?\sof\san?\s)(?P<unit>[a-z]+)"
)
_ONE_AND_A_HALF = re.compile(
    r"(?i)an?\s(?P<unit>[a-z]+)" + _AND_A_HALF.pattern.removeprefix("(?i)")
)


def parts(plain: str, at: int, end: int) -> Numeral | None:
    """The part of a unit that begins at ``at``: "half an hour", "half-inch", "three quarters of an
    hour", "an hour and a half"; None if there is none."""
    found = _PART_OF_ONE.match(plain, at, end)
    if found is not None:
        many = CARDINALS[found["many"].lower()] if found["many"] else 1
        number = Decimal(many) / DENOMINATORS[(found["part"] or found["short"] or "half").lower()]
    else:
        found = _ONE_AND_A_HALF.match(plain, at, end)
        if found is None:
            return None
        number = 1 + 1 / Decimal(DENOMINATORS[found["part"].lower()])
    word = found["unit"].lower()
    if word in SCALES:  # "half a million euros"
        return _with_suffix(plain, end, (number * SCALES[word],), found.end(), "")
    unit = UNITS.get(word)
    if unit is None:
        return None
    return Numeral((number,), Decimal(1), (unit,), found.end(), plain=False)


def amounts(numeral: Numeral, borrowed: Numeral | None = None) -> tuple[Amount, ...]:
    """The readings of a numeral, with the scale and unit of another if it has none of its
    own ("5-10 million dollars")."""
    lender = borrowed if borrowed and numeral.plain else numeral
    found = []
    for written in numeral.numbers:
        for unit in lender.units:
            scale = lender.scale * unit.factor
            number = written * scale + unit.offset
            step, before = _step(written) * scale, written * lender.scale
            found.append(Amount(number, unit.dimension, step, unit.system, before))
    return tuple(found)


def _fits(group: Decimal, number: int) -> bool:
    """Return whether a number word may follow the group so far: "forty" + "two", "hundred" +
    "ten"."""
    below = group % 100
    return below == 0 or (below >= 20 and below % 10 == 0 and 0 < number < 10)


def _with_suffix(
    plain: str, end: int, numbers: tuple[Decimal, ...], at: int, sign: str
) -> Numeral | None:
    suffix = _SUFFIX.match(plain, at, end) if plain[at : at + 1] not in _CLOSING else None
    ordinal, scale_name, unit_name = suffix.group(1, 2, 3) if suffix else (None, None, None)
    stop = suffix.end() if suffix else at
    if ordinal:
        return Numeral(numbers, Decimal(1), (ORDINAL,), stop, plain=False)
    if _GLUED.match(plain, stop, end) and plain[stop - 1].isalnum():
        return None
    scale = Decimal(1)
    if scale_name:
        scale = SCALES.get(scale_name.lower()) or SHORT_SCALES[scale_name]
    units: tuple[Unit, ...] = (UNITS.get(unit_name or "", NO_UNIT),)
    if sign:
        units = (Unit(CURRENCY_SIGNS[sign]),)
    elif scale_name == "m" and not unit_name and plain[stop - 2].isspace():
        scale, units = Decimal(1), (UNITS["m"],)
    elif scale_name == "m" and not unit_name:
        # "1.2m" is 1.2 million or 1.2 metres: both readings are kept.
        scale, units = Decimal(1), (Unit("", SHORT_SCALES["m"]), UNITS["m"])
    elif unit_name in {"pound", "pounds"}:
        units = (UNITS["pound"], Unit("GBP"))
    plainly = not (scale_name or unit_name or sign)
    return Numeral(numbers, scale, units, stop, plainly)


@lru_cache(maxsize=1 << 8)
def _step(written: Decimal) -> Decimal:
    _, numerals, exponent = written.normalize().as_tuple()
    return (
        Decimal(1).scaleb(exponent) if isinstance(exponent, int) and any(numerals) else Decimal(1)
    )


def is_money(amount: Amount) -> bool:
    return amount.dimension in CURRENCIES


_SCALED = "|".join(SCALES)


def _candidates() -> str:
    """Return a pattern for the beginning of a value: at a digit, a sign, a number word, a month.
    Each alternative begins with a plain character, for which the search skips to that character at
    once."""
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
    ranked += [r"q(?<=\b[aA]\sq)(?=uarter\s(?:of|past|to)\s)"]
    ranked += [rf"{sign}" for sign in _VULGAR]
    ranked += [r"[Aa](?<![^\W_].)(?=n?\s[a-z]+\sand\s(?:an?\s)?(?:half|quarter)\b)"]
    ranked += [
        r"[Hh](?<![^\W_].)(?=alf(?:\s(?:past|an?)\s|[\s-][a-z]))",
        r"[Qq](?<![\w-].)(?=uarter-[a-z])",
        r"[NnMm](?<![^\W_].)(?=oon\b|idday\b|idnight\b)",
    ]
    return "|".join(ranked)


CANDIDATE = re.compile(_candidates())
"""Where a value may begin."""
