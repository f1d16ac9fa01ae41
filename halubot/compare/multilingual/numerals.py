"""Numbers, shares and measures in other languages than English."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

from halubot.compare.multilingual.han_numerals import (
    DAY,
    ONE,
    PERCENT,
    SYMBOL,
    TIMED,
    Found,
    bind,
    find_han_numbers,
    in_digits,
    make_value,
)
from halubot.compare.multilingual.segmentation import Word
from halubot.compare.multilingual.vocabulary import Vocabulary
from halubot.compare.tokens import word_set
from halubot.values.amounts import Numeral
from halubot.values.comparison import Value
from halubot.values.units import CURRENCY_SIGNS, NO_UNIT, UNITS, Unit

T = TypeVar("T")


_NUMBER: Final = re.compile(
    r"(?P<spaced>\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?!\d))(?:,(?P<rest>\d+))?"
    r"|(?P<dots>\d{1,3}(?:\.\d{3})+)(?:,(?P<tail>\d+))?(?![.,]?\d)"
    r"|(?P<commas>\d{1,3}(?:,\d{3})+)(?:\.(?P<end>\d+))?(?![.,]?\d)"
    r"|(?P<plain>\d+)(?:(?P<mark>[.,])(?P<part>\d+))?(?![.,]\d)"
)
_ONES: Final = word_set("ein eine einer einem einen un une uno una واحد واحده")
"""Words for 1 that are mostly articles: they count only before a scale or a unit."""
_ALONE: Final = word_set("hundert tausend cent mille mil مئه مائه الف مليون مليار")
"""Scales that are a number by themselves; "Tausende" and "miles" are none."""
_JOINED: Final = {"fr": frozenset({"et"}), "es": frozenset({"y"}), "de": frozenset({"und"})}
_LINKS: Final = frozenset({"de", "d"})
"""What stands between a large number and its unit: "deux millions d'euros"."""
_PREFIXES: Final = ("ال", "ب", "ل")


class _Count(NamedTuple):
    """A number as written: its readings, its scale, and the index of the word after it."""

    numbers: tuple[Decimal, ...]
    scale: Decimal
    end: int
    after: int


def find_numbers(
    plain: str, start: int, end: int, words: Sequence[Word], known: Vocabulary
) -> list[Found]:
    """Return the numbers of ``plain[start:end]`` in order. ``words`` are its words."""
    if known.code == "zh":
        return find_han_numbers(plain, start, end, words, known)
    text = in_digits(plain)
    found: list[Found] = []
    at = 0
    while at < len(words):
        value, after = _value_at(text, words, at, known)
        if value is None:
            at += 1
            continue
        found.append(_add_bound(value, words, at, after, known))
        at = max(after, at + 1)
    return found


def _value_at(
    text: str, words: Sequence[Word], at: int, known: Vocabulary
) -> tuple[Value | None, int]:
    word = words[at]
    if not (word.low in known.counts or word.text[0].isdigit() or _is_joined(word.low, known)):
        return None, at
    width, share = _phrase(words, at, known.shares)
    if share is not None:
        numeral = Numeral((share,), ONE, (PERCENT,), words[at + width - 1].end, plain=False)
        return make_value(numeral, word.start), at + width
    if word.low in known.duals:
        numeral = Numeral((Decimal(2),), ONE, (known.duals[word.low],), word.end, plain=False)
        return make_value(numeral, word.start), at + 1
    if word.low in known.weekdays:
        day = Unit("weekday")
        numeral = Numeral((Decimal(known.weekdays[word.low]),), ONE, (day,), word.end, plain=False)
        return make_value(numeral, word.start), at + 1
    count = _digits(text, words, at, known) or _in_words(text, words, at, known)
    if count is None:
        return None, at
    begin = word.start
    for sign, code in CURRENCY_SIGNS.items():
        if text.startswith(sign, begin - len(sign)) and not sign.isalpha():
            numeral = Numeral(count.numbers, count.scale, (Unit(code),), count.end, plain=False)
            return make_value(numeral, begin - len(sign)), count.after
    unit, stop, after = _unit(text, words, count, known)
    only = count.numbers == (ONE,) and word.low in _ONES and count.scale == 1
    if only and (unit is NO_UNIT or unit == DAY):
        return None, at
    half = _half(words, after, known) if unit.dimension in TIMED else None
    if half:
        count = count._replace(numbers=tuple(number + half for number in count.numbers))
        stop, after = words[after + _HALF - 1].end, after + _HALF
    simple = unit is NO_UNIT and count.scale == 1
    return make_value(Numeral(count.numbers, count.scale, (unit,), stop, simple), begin), after


def _is_joined(low: str, known: Vocabulary) -> bool:
    """Return True for a word that may be several number words, or one with an Arabic article."""
    if known.code == "de":
        return low.endswith(_GERMAN_ENDS)
    return known.code == "ar" and low.startswith(_PREFIXES)


def _digits(text: str, words: Sequence[Word], at: int, known: Vocabulary) -> _Count | None:
    """A number in digits, with the scale after it."""
    start = words[at].start
    match = _NUMBER.match(text, start) if text[start].isdigit() else None
    if match is None:
        return None
    stop = match.end()
    group = match.groupdict()
    if text[stop : stop + 1].isalpha() and not SYMBOL.match(text, stop):
        return None  # a code such as "3D"
    both = known.code != "de"
    numbers: tuple[Decimal, ...]
    if group["spaced"]:
        numbers = (Decimal(re.sub(r"\D", "", group["spaced"]) + "." + (group["rest"] or "0")),)
    elif group["dots"] or group["commas"]:
        written = group["dots"] or group["commas"] or ""
        whole = Decimal(re.sub(r"\D", "", written) + "." + (group["tail"] or group["end"] or "0"))
        single = len(re.findall(r"\D", written)) == 1 and not (group["tail"] or group["end"])
        decimal = Decimal(written.replace(",", ".")) if single else whole
        usual = known.code == "ar" and group["commas"]
        numbers = (whole, decimal) if single and both and not usual else (whole,)
    else:
        numbers = (Decimal(f"{group['plain']}.{group['part'] or 0}"),)
    after = at
    while after < len(words) and words[after].start < stop:
        after += 1
    scale = ONE
    if after < len(words) and words[after].start - stop <= 1:
        scale = known.scales.get(words[after].low, ONE)
        if scale != 1:
            stop, after = words[after].end, after + 1
    half = _half(words, after, known)
    if half and scale != 1:
        numbers = tuple(number + half for number in numbers)
        stop, after = words[after + _HALF - 1].end, after + _HALF
    return _Count(numbers, scale, stop, after)


def _in_words(text: str, words: Sequence[Word], at: int, known: Vocabulary) -> _Count | None:
    """A number in words."""
    total = current = last = Decimal(0)
    after, seen = at, False
    while after < len(words):
        step = after
        joined = words[after].low in _JOINED.get(known.code, ())
        if joined and seen and known.code != "de":
            step += 1
        if step >= len(words) or (seen and not _touches(text, words, after, step)):
            break
        clitic = known.code == "ar" and text[words[step].start - 1 : words[step].start] == "و"
        width, part = _part(words, step, known)
        if part is None:
            break
        scale, number = part
        if scale and not seen and words[step].low not in _ALONE:
            break
        if scale:
            if joined:
                break
            if number <= 100:
                current = (current or ONE) * number
            elif last and number > last and not current:
                total, last = total * number, number
            elif last and number >= last:
                break
            else:
                total, last, current = total + (current or ONE) * number, number, Decimal(0)
        elif number >= 1000 and not number % 1000 and known.code == "ar":
            total, last = total + number, Decimal(1000)  # duals: "two thousand"
        elif seen and not _follows(current, number, linked=joined or clitic, known=known):
            break
        elif number >= 1000:
            total, last, current = total + number - number % 1000, Decimal(1000), number % 1000
        else:
            current += number
        seen = True
        after = step + width
    if not seen:
        return None
    half = _half(words, after, known)
    if half:
        total += half * (last or ONE)
        after += _HALF
    return _Count((total + current,), ONE, words[after - 1].end, after)


def _follows(current: Decimal, number: Decimal, *, linked: bool, known: Vocabulary) -> bool:
    """Return True if a number word can follow the number so far: "forty" + "two"."""
    below = current % 100
    if not below:
        return 0 < number < 100 or (not current and number < 1000)
    if known.code == "ar" and not linked:
        return below < 10 and number == 10  # "thirteen"
    if known.code == "ar":
        return below < 10 and number in range(20, 100, 10)
    if known.code == "fr" and below in (60, 80):
        return 0 < number < 20
    return below >= 20 and not below % 10 and 0 < number < 10


def _touches(text: str, words: Sequence[Word], after: int, step: int) -> bool:
    """Return True if only a space or a hyphen stands before each of the next words."""
    return all(
        text[words[at - 1].end : words[at].start].strip(" \u00a0-و") == ""
        for at in range(after, step + 1)
    )


def _half(words: Sequence[Word], at: int, known: Vocabulary) -> Decimal | None:
    """Return what two words add to the number before them: "y medio"."""
    return known.halves.get(" ".join(word.low for word in words[at : at + _HALF]))


_HALF: Final = 2


def _part(
    words: Sequence[Word], at: int, known: Vocabulary
) -> tuple[int, tuple[bool, Decimal] | None]:
    """One number word: whether it is a scale, and its worth."""
    for width in range(min(2, len(words) - at), 0, -1):
        low = " ".join(word.low for word in words[at : at + width])
        forms = [low]
        if known.code == "ar":
            forms += [low.removeprefix(prefix) for prefix in _PREFIXES if low.startswith(prefix)]
        for form in forms:
            if form in known.cardinals:
                return width, (False, known.cardinals[form])
            if form in known.scales:
                return width, (True, known.scales[form])
    if known.code == "de":
        number = _compound(words[at].low, known)
        if number is not None:
            return 1, (False, number)
    return 0, None


@lru_cache(maxsize=1 << 12)
def _compound(low: str, known: Vocabulary) -> Decimal | None:
    """The worth of a German number written as one word: "dreihundertfünfundzwanzig"."""
    if not low.endswith(_GERMAN_ENDS):
        return None
    parts = {**known.cardinals, "hundert": known.scales["hundert"], "tausend": Decimal(1000)}
    total = current = Decimal(0)
    at, seen = 0, 0
    ordered = sorted(parts, key=len, reverse=True)
    while at < len(low):
        part = next((one for one in ordered if low.startswith(one, at)), None)
        if part is None:
            if seen and low.startswith("und", at):
                at += 3
                continue
            return None
        number = parts[part]
        if part == "hundert":
            current = (current or ONE) * 100
        elif part == "tausend":
            total, current = total + (current or ONE) * 1000, Decimal(0)
        else:
            current += number
        at += len(part)
        seen += 1
    return total + current if seen > 1 else None


_GERMAN_ENDS: Final = (
    "hundert", "tausend", "zig", "ßig", "ssig", "zehn", "elf", "zwölf", "eins", "zwei", "drei",
    "vier", "fünf", "sechs", "sieben", "acht", "neun", "einhalb",
)  # fmt: skip


def _unit(
    text: str, words: Sequence[Word], count: _Count, known: Vocabulary
) -> tuple[Unit, int, int]:
    """The unit after a number, where it ends, and the index of the word after it."""
    symbol = SYMBOL.match(text, count.end)
    if symbol:
        name = symbol["unit"].replace("٪", "%")
        unit = Unit(CURRENCY_SIGNS[name]) if name in CURRENCY_SIGNS else None
        unit = unit or UNITS.get(name) or UNITS.get({"t": "tonne"}.get(name, ""), NO_UNIT)
        after = count.after
        while after < len(words) and words[after].start < symbol.end():
            after += 1
        return unit, symbol.end(), after
    at = count.after
    if at + 1 < len(words) and words[at].low in _LINKS:
        at += 1
    if at >= len(words) or words[at].start - count.end > 4:
        return NO_UNIT, count.end, count.after
    width, found = _phrase(words, at, known.units)
    if found is None:
        return NO_UNIT, count.end, count.after
    return found, words[at + width - 1].end, at + width


def _phrase(words: Sequence[Word], at: int, table: Mapping[str, T]) -> tuple[int, T | None]:
    """The longest phrase of a table that begins at a word, as its width and what it stands for."""
    for width in range(min(3, len(words) - at), 0, -1):
        found = table.get(" ".join(word.low for word in words[at : at + width]))
        if found is not None:
            return width, found
    return 0, None


def _add_bound(
    value: Value, words: Sequence[Word], at: int, after: int, known: Vocabulary
) -> Found:
    """A value with the bound that stands before or after it."""
    for width in (3, 2, 1):
        low = " ".join(word.low for word in words[max(0, at - width) : at])
        bound = known.bounds.get(low) if at >= width else None
        if bound is not None:
            return Found(bind(value, bound), words[at - width].start, value.end)
        low = " ".join(word.low for word in words[after : after + width])
        bound = known.bounds.get(low)
        if bound in ("at least", "at most") and after + width <= len(words) and width > 1:
            return Found(bind(value, bound), value.start, words[after + width - 1].end)
    return Found(value, value.start, value.end)
