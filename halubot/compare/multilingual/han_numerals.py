"""Numbers in Chinese text, and the parts of a number that all languages share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

from halubot.compare.multilingual.segmentation import Word
from halubot.compare.multilingual.vocabulary import Vocabulary
from halubot.values import amounts
from halubot.values.amounts import Numeral
from halubot.values.comparison import Bound, Kind, Value
from halubot.values.units import NO_UNIT, UNITS, Unit

DIGITS: Final = str.maketrans(
    "٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹０１２３４５６７８９٫٬．，", "0123456789" * 3 + ".,.,"
)
"""Digits and their marks in other scripts; one character stands for one."""


@lru_cache(maxsize=4)
def in_digits(plain: str) -> str:
    """Return a text with the digits of other scripts as ASCII digits, at the same places. A text is
    read sentence by sentence, so the last ones are kept."""
    return plain.translate(DIGITS)


SYMBOL: Final = re.compile(
    r"[ \u00a0\u202f]?(?P<unit>%|％|٪|€|\$|£|¥|°C|℃|°F|°|km/h|km²|m²|m³"
    r"|(?:km|cm|mm|kg|mg|ml|cl|dl|ha|kW|MW|GW|min|m|g|l|h|s|t)(?![^\W_]))"
)
_HAN_DIGITS: Final = {one: at for at, one in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_HAN_SCALES: Final = {"十": 10, "百": 100, "千": 1000}
_HAN_LARGE: Final = {"万": Decimal(10**4), "亿": Decimal(10**8)}
_HAN: Final = "〇零一二两三四五六七八九十百千万亿"
_HAN_NUMBER: Final = re.compile(
    rf"百分之(?P<percent>\d+(?:\.\d+)?|[{_HAN}]+)"
    rf"|(?P<under>\d+|[{_HAN}]+)分之(?P<over>\d+|[{_HAN}]+)"
    rf"|(?P<digits>\d[\d,]*(?:\.\d+)?)(?P<scale>[十百千]?[万亿]+|千(?!米|克|瓦)|百)?"
    rf"|(?P<words>[{_HAN}]+)"
)
ONE: Final = Decimal(1)
DAY: Final = UNITS["day"]
PERCENT: Final = UNITS["%"]


class Found(NamedTuple):
    """A value, and the place of it together with the words that bound it."""

    value: Value
    start: int
    end: int


def make_value(numeral: Numeral, start: int) -> Value:
    readings = amounts.amounts(numeral)
    kind: Kind = "quantity"
    if amounts.is_money(readings[0]):
        kind = "money"
    elif readings[0].dimension == "%":
        kind = "percent"
    elif not readings[0].dimension:
        kind = "number"
    return Value(kind, readings, start, numeral.end)


def bind(value: Value, bound: Bound) -> Value:
    return replace(value, bound=bound)


def find_han_numbers(
    plain: str, start: int, end: int, words: Sequence[Word], known: Vocabulary
) -> list[Found]:
    """The numbers of a Chinese sentence."""
    text = in_digits(plain)
    starts = {word.start for word in words}
    found: list[Found] = []
    for word in words:
        if word.low in known.shares:
            numeral = Numeral((known.shares[word.low],), ONE, (PERCENT,), word.end, plain=False)
            found.append(Found(make_value(numeral, word.start), word.start, word.end))
        day = known.weekdays.get(word.low)
        if day is not None:
            numeral = Numeral((Decimal(day),), ONE, (Unit("weekday"),), word.end, plain=False)
            found.append(Found(make_value(numeral, word.start), word.start, word.end))
    for match in _HAN_NUMBER.finditer(text, start, end):
        value = _han_value(text, match, end, starts, known)
        if value is not None and not any(a < value.end and value.start < b for _, a, b in found):
            found.append(_han_bounded(value, text, start, known))
    return sorted(found, key=lambda one: one.start)


def _han_value(
    text: str, match: re.Match[str], end: int, starts: set[int], known: Vocabulary
) -> Value | None:
    group, begin, stop = match.groupdict(), match.start(), match.end()
    if group["percent"] or group["under"]:
        number = (
            _han_number(group["percent"])
            if group["percent"]
            else 100 * _han_number(group["over"]) / (_han_number(group["under"]) or 1)
        )
        return make_value(Numeral((number,), ONE, (PERCENT,), stop, plain=False), begin)
    if group["digits"]:
        number = Decimal(group["digits"].replace(",", ""))
        number *= _han_scale(group["scale"] or "")
        after = text[stop : stop + 1]
        if after.isascii() and after.isalpha() and not SYMBOL.match(text, stop):
            return None
    else:
        number = _han_number(group["words"])
    place = stop
    if text[place : place + 1] in ("多", "余", "来"):
        place += 1
    unit, last = _han_unit(text, place, end, known)
    if unit is NO_UNIT:
        measured = next((one for one in known.measures if text.startswith(one, place)), "")
        if measured:
            unit, last = _han_unit(text, place + len(measured), end, known, timed=True)
        if group["words"] and len(group["words"]) == 1 and not measured:
            return None
    if group["words"] == "一" and (unit is NO_UNIT or unit == DAY):
        return None
    if group["words"] and len(group["words"]) == 1 and begin not in starts:
        return None
    symbol = SYMBOL.match(text, stop)
    if symbol and symbol["unit"] in ("%", "％"):
        unit, last = PERCENT, symbol.end()
    simple = unit is NO_UNIT
    return make_value(Numeral((number,), ONE, (unit,), last if not simple else stop, simple), begin)


TIMED: Final = frozenset({"s", "month"})


def _han_unit(
    text: str, at: int, end: int, known: Vocabulary, *, timed: bool = False
) -> tuple[Unit, int]:
    """The unit that stands at a place; ``timed`` for those after a measure word: 三个小时."""
    for width in range(min(6, end - at), 0, -1):
        unit = known.units.get(text[at : at + width])
        if unit is not None and (not timed or unit.dimension in TIMED):
            return unit, at + width
    symbol = SYMBOL.match(text, at)
    if symbol and symbol["unit"] in UNITS and not timed:
        return UNITS[symbol["unit"]], symbol.end()
    return NO_UNIT, at


def _han_bounded(value: Value, text: str, start: int, known: Vocabulary) -> Found:
    for width in (4, 3, 2, 1):
        bound = known.bounds.get(text[max(start, value.start - width) : value.start])
        if bound is not None:
            return Found(bind(value, bound), value.start - width, value.end)
    return Found(value, value.start, value.end)


def _han_scale(scale: str) -> Decimal:
    worth = ONE
    for one in scale:
        worth *= _HAN_LARGE.get(one) or _HAN_SCALES[one]
    return worth


def _han_number(written: str) -> Decimal:
    """The worth of a number in Chinese characters: 一千二百, 三百五十万, 一九八七."""
    if written[0].isdigit():
        return Decimal(written)
    if len(written) > 1 and all(one in _HAN_DIGITS for one in written):
        return Decimal("".join(str(_HAN_DIGITS[one]) for one in written))
    total = section = digit = Decimal(0)
    last = 1
    for one in written:
        if one in _HAN_DIGITS:
            digit = Decimal(_HAN_DIGITS[one])
            last = 1 if one in "〇零" else last
        elif one in _HAN_SCALES:
            last = _HAN_SCALES[one]
            section, digit = section + (digit or ONE) * last, Decimal(0)
        else:
            worth = _HAN_LARGE[one]
            total = (
                (total + section + digit) * worth
                if worth > 10**4
                else total + ((section + digit) or ONE) * worth
            )
            section = digit = Decimal(0)
            last = int(worth)
    if digit and last >= 100:  # 两千五 is 2500
        digit *= last // 10
    return total + section + digit
