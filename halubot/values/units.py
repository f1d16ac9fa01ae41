"""The small tables behind values: months, number words, scales, units, currencies.

English first, with the German words and the Chinese and Japanese signs that the same patterns can
carry. A unit that is not in `TABLE` is simply not read as one.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Final, NamedTuple

from halubot.text import word_set

TABLE: Final = Path(__file__).with_name("units.txt")
"""Units, months, scales, fractions and signs of currencies with their names."""


class Unit(NamedTuple):
    """A unit: amounts of one ``dimension`` compare after ``amount * factor + offset``.
    ``system`` tells metric from customary units: a conversion between them is rounded."""

    dimension: str
    factor: Decimal = Decimal(1)
    offset: Decimal = Decimal(0)
    system: str = ""


NO_UNIT = Unit("")
ORDINAL = Unit("ordinal")


def read_table(path: Path) -> dict[str, list[str]]:
    """Return the lines of each part of a table: a part begins with its name in square brackets."""
    parts: dict[str, list[str]] = {}
    part: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            part = parts[line.strip("[]")] = []
        elif line and not line.startswith("#"):
            part.append(line)
    return parts


def _with_names(line: str) -> Iterator[tuple[str, str]]:
    """Yield each name of a line of `TABLE` with what stands before the last bar."""
    told, _, names = line.rpartition("|")
    yield from ((name.strip(), told.strip()) for name in names.split(","))


_PARTS = {
    part: [pair for line in lines for pair in _with_names(line)]
    for part, lines in read_table(TABLE).items()
}
MONTHS: dict[str, int] = {name: int(told) for name, told in _PARTS["months"]}
WEEKDAYS: Final = word_set("monday tuesday wednesday thursday friday saturday sunday")


def _count(ones: str, tens: str) -> dict[str, int]:
    table = {word: number for number, word in enumerate(ones.split())}
    return table | {word: 10 * number for number, word in enumerate(tens.split(), start=2)}


CARDINALS: dict[str, int] = _count(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen",
    "twenty thirty forty fifty sixty seventy eighty ninety",
)
ORDINALS: dict[str, int] = _count(
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
    " thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth",
    "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth",
)
SCALES: dict[str, Decimal] = {name: Decimal(told) for name, told in _PARTS["scales"]}
SHORT_SCALES: dict[str, Decimal] = {name: Decimal(told) for name, told in _PARTS["short scales"]}
DENOMINATORS: dict[str, int] = {name: int(told) for name, told in _PARTS["fractions"]}
CURRENCY_SIGNS: dict[str, str] = dict(_PARTS["currency signs"])


def _units() -> dict[str, Unit]:
    table: dict[str, Unit] = {}
    for name, told in _PARTS["units"]:
        dimension, system, factor = (cell.strip() for cell in told.split("|"))
        table[name] = Unit(dimension, Decimal(factor), system=system)
    celsius = Unit("K", offset=Decimal("273.15"), system="metric")
    fifth = Decimal(5) / Decimal(9)
    fahrenheit = Unit("K", fifth, Decimal("273.15") - 32 * fifth, "customary")
    table |= dict.fromkeys(("°C", "℃", "degrees Celsius", "degree Celsius"), celsius)
    table |= dict.fromkeys(("°F", "℉", "degrees Fahrenheit", "degree Fahrenheit"), fahrenheit)
    return table


UNITS: dict[str, Unit] = _units()
CURRENCIES: frozenset[str] = frozenset({*CURRENCY_SIGNS.values(), "CNY"})
MEASURES: Final = word_set(
    "height length width depth thickness distance altitude area weight mass volume temperature"
    " speed period duration time price cost sum amount total"
)
"""What a value with a unit measures: "a height of 5 m" says no more than "5 m"."""
