"""The small tables behind values: months, number words, scales, units, currencies.

English first, with the German words and the Chinese and Japanese signs that the same
patterns can carry. A unit that is not in `TABLE` is simply not read as one.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Final, NamedTuple

TABLE: Final = Path(__file__).with_name("units.txt")
"""The units with their names."""


class Unit(NamedTuple):
    """A unit: amounts of one ``dimension`` compare after ``amount * factor + offset``.
    ``system`` tells metric from customary units: a conversion between them is rounded."""

    dimension: str
    factor: Decimal = Decimal(1)
    offset: Decimal = Decimal(0)
    system: str = ""


NO_UNIT = Unit("")
ORDINAL = Unit("ordinal")

MONTHS: dict[str, int] = {}
for _number, _names in enumerate(
    (
        "january jan januar jänner",
        "february feb februar",
        "march mar märz",
        "april apr",
        "may mai",
        "june jun juni",
        "july jul juli",
        "august aug",
        "september sept sep",
        "october oct oktober okt",
        "november nov",
        "december dec dezember dez",
    ),
    start=1,
):
    MONTHS.update(dict.fromkeys(_names.split(), _number))

_ONES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NTHS = """
zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
"""
_TENTHS = """
twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth
"""


def _count(ones: str, tens: str) -> dict[str, int]:
    table = {word: number for number, word in enumerate(ones.split())}
    return table | {word: 10 * number for number, word in enumerate(tens.split(), start=2)}


CARDINALS: dict[str, int] = _count(_ONES, _TENS)
ORDINALS: dict[str, int] = _count(_NTHS, _TENTHS)
SCALES: dict[str, Decimal] = {
    "dozen": Decimal(12),
    "hundred": Decimal(100),
    "thousand": Decimal(10**3),
    "million": Decimal(10**6),
    "billion": Decimal(10**9),
    "trillion": Decimal(10**12),
}
# Scales that only follow digits, as written.
SHORT_SCALES: dict[str, Decimal] = {
    "k": Decimal(10**3),
    "K": Decimal(10**3),
    "m": Decimal(10**6),
    "M": Decimal(10**6),
    "mn": Decimal(10**6),
    "mio": Decimal(10**6),
    "Mio": Decimal(10**6),
    "bn": Decimal(10**9),
    "Mrd": Decimal(10**9),
    "millions": Decimal(10**6),
    "billions": Decimal(10**9),
    "Million": Decimal(10**6),
    "Billion": Decimal(10**9),
    "Millionen": Decimal(10**6),
    "Milliarde": Decimal(10**9),
    "Milliarden": Decimal(10**9),
    "Tausend": Decimal(10**3),
    "万": Decimal(10**4),
    "萬": Decimal(10**4),
    "亿": Decimal(10**8),
    "億": Decimal(10**8),
}
DENOMINATORS: dict[str, int] = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "thirds": 3,
    "quarter": 4,
    "quarters": 4,
    "fifths": 5,
    "sixths": 6,
    "eighths": 8,
    "tenths": 10,
}

CURRENCY_SIGNS: dict[str, str] = {
    "US$": "USD",
    "C$": "CAD",
    "A$": "AUD",
    "$": "USD",
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
    "₹": "INR",
    "USD": "USD",
    "EUR": "EUR",
    "GBP": "GBP",
}


def _units() -> dict[str, Unit]:
    table: dict[str, Unit] = {}
    for row in TABLE.read_text(encoding="utf-8").splitlines():
        if row.startswith("#"):
            continue
        dimension, system, factor, names = (cell.strip() for cell in row.split("|"))
        for name in names.split(","):
            table[name.strip()] = Unit(dimension, Decimal(factor), system=system)
    celsius = Unit("K", offset=Decimal("273.15"), system="metric")
    fifth = Decimal(5) / Decimal(9)
    fahrenheit = Unit("K", fifth, Decimal("273.15") - 32 * fifth, "customary")
    table |= dict.fromkeys(("°C", "℃", "degrees Celsius", "degree Celsius"), celsius)
    table |= dict.fromkeys(("°F", "℉", "degrees Fahrenheit", "degree Fahrenheit"), fahrenheit)
    return table


UNITS: dict[str, Unit] = _units()
CURRENCIES: frozenset[str] = frozenset({*CURRENCY_SIGNS.values(), "CNY"})
_MEASURED_BY_UNITS = """
height length width depth thickness distance altitude area weight mass volume temperature speed
period duration time price cost sum amount total
"""
MEASURES = frozenset(_MEASURED_BY_UNITS.split())
"""What a value with a unit measures: "a height of 5 m" says no more than "5 m"."""
