"""The small tables behind values: months, number words, scales, units, currencies.

English first, with the German words and the Chinese and Japanese signs that the same
patterns can carry. A unit that is not here is simply not read as one.
"""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple


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
# dimension | system | factor | names. Months and years are apart from days, since a month has
# no fixed number of them; a unit of another dimension never compares.
_TABLE = """
m | metric | 0.000001 | micrometre, micrometres, micrometer, micrometers, µm, μm
m | metric | 0.001 | mm, millimetre, millimetres, millimeter, millimeters
m | metric | 0.01 | cm, centimetre, centimetres, centimeter, centimeters, Zentimeter
m | metric | 1 | m, metre, metres, meter, meters, Meter, Metern, 米, メートル
m | metric | 1000 | km, kilometre, kilometres, kilometer, kilometers, Kilometer, Kilometern, 公里
m | customary | 0.0254 | inch, inches
m | customary | 0.3048 | foot, feet, ft
m | customary | 0.9144 | yard, yards, yd
m | customary | 1609.344 | mile, miles, mi
m | customary | 1852 | nautical mile, nautical miles
m2 | metric | 1 | m², m2, square metre, square metres, square meter, square meters, sq m
m2 | metric | 10000 | hectare, hectares, ha
m2 | metric | 1000000 | km², km2, square kilometre, square kilometres, square kilometer
m2 | metric | 1000000 | square kilometers, sq km
m2 | customary | 0.09290304 | square foot, square feet, sq ft
m2 | customary | 4046.8564224 | acre, acres
m2 | customary | 2589988.110336 | square mile, square miles, sq mi
m3 | metric | 0.000001 | ml, mL, millilitre, millilitres, milliliter, milliliters, cc
m3 | metric | 0.00001 | cl, cL, centilitre, centilitres, centiliter, centiliters
m3 | metric | 0.0001 | dl, dL, decilitre, decilitres, deciliter, deciliters
m3 | metric | 0.001 | l, L, litre, litres, liter, liters
m3 | metric | 1 | m³, m3, cubic metre, cubic metres, cubic meter, cubic meters
m3 | customary | 0.000473176473 | pint, pints
m3 | customary | 0.000946352946 | quart, quarts
m3 | customary | 0.003785411784 | gallon, gallons
spoon | | 1 | tsp, teaspoon, teaspoons
spoon | | 3 | tbsp, tablespoon, tablespoons
g | metric | 0.000001 | µg, μg, mcg, microgram, micrograms
g | metric | 0.001 | mg, milligram, milligrams
g | metric | 1 | g, gram, grams, gramme, grammes
g | metric | 1000 | kg, kilo, kilos, kilogram, kilograms, kilogramme, kilogrammes, Kilogramm
g | metric | 1000000 | tonne, tonnes, metric ton, metric tons
g | customary | 28.349523125 | ounce, ounces, oz
g | customary | 453.59237 | lb, lbs, pound, pounds
g | customary | 907184.74 | ton, tons
s | | 0.001 | ms, millisecond, milliseconds
s | | 1 | s, sec, secs, second, seconds, Sekunden
s | | 60 | min, mins, minute, minutes, Minuten
s | | 3600 | h, hr, hrs, hour, hours, Stunde, Stunden
s | | 86400 | day, days, Tag, Tage, Tagen, 天
s | | 604800 | week, weeks, Woche, Wochen
month | | 1 | month, months, Monat, Monate, Monaten
month | | 12 | year, years, yr, yrs, Jahr, Jahre, Jahren
month | | 120 | decade, decades
month | | 1200 | centuries
m/s | metric | 1 | m/s
m/s | metric | 0.2777777777777777777777777778 | km/h, kph
m/s | customary | 0.44704 | mph, miles per hour
m/s | customary | 0.5144444444444444444444444444 | knot, knots
J | | 1 | joule, joules
J | | 1000 | kJ, kilojoule, kilojoules
J | | 4184 | kcal, kilocalorie, kilocalories, calorie, calories
J | | 3600000 | kWh, kilowatt hour, kilowatt hours, kilowatt-hour, kilowatt-hours
N m | metric | 1 | Nm, newton metre, newton metres, newton meter, newton meters
N m | customary | 1.3558179483314004 | foot-pound, foot-pounds, ft-lb, ft-lbs
Pa | metric | 100 | hPa, mbar, millibar, millibars
Pa | metric | 1000 | kPa
Pa | metric | 100000 | bar
Pa | customary | 6894.757293168 | psi
V | | 0.001 | mV, millivolt, millivolts
V | | 1 | volt, volts
V | | 1000 | kV, kilovolt, kilovolts
W | | 1 | W, watt, watts
W | | 1000 | kW, kilowatt, kilowatts
W | | 1000000 | MW, megawatt, megawatts
W | | 1000000000 | GW, gigawatt, gigawatts
Hz | | 1 | Hz, hertz
Hz | | 1000 | kHz
Hz | | 1000000 | MHz
Hz | | 1000000000 | GHz
byte | | 0.125 | bit, bits
byte | | 1 | byte, bytes
byte | | 1000 | kB, KB, kilobyte, kilobytes
byte | | 1024 | KiB
byte | | 1000000 | MB, megabyte, megabytes
byte | | 1048576 | MiB
byte | | 1000000000 | GB, gigabyte, gigabytes
byte | | 1073741824 | GiB
byte | | 1000000000000 | TB, terabyte, terabytes
% | | 1 | %, ％, per cent, percent, Prozent, pct
point | | 1 | percentage point, percentage points
g/l | | 0.01 | mg/dL, mg/dl, milligrams per deciliter, milligrams per decilitre
g/l | | 0.001 | mg/L, mg/l, milligrams per liter, milligrams per litre
g/l | | 1 | g/L, g/l, grams per liter, grams per litre
g/l | | 10 | g/dL, g/dl, grams per deciliter, grams per decilitre
mmol/l | | 1 | mmol/L, mmol/l, millimoles per liter, millimoles per litre
mmHg | | 1 | mmHg, mm Hg, millimeters of mercury, millimetres of mercury
mg/kg | | 1 | mg/kg, milligrams per kilogram, milligrams per kilo
degree | | 1 | °, degree, degrees
USD | | 0.01 | cent, cents
USD | | 1 | dollar, dollars, US dollar, US dollars, U.S. dollars, USD, Dollar, 美元, ドル
EUR | | 1 | euro, euros, EUR, Euro, €, 欧元, ユーロ
GBP | | 1 | pounds sterling, GBP
JPY | | 1 | yen, JPY, 円
CNY | | 1 | yuan, renminbi, RMB, CNY, 元
INR | | 1 | rupee, rupees, INR
"""


def _units() -> dict[str, Unit]:
    table: dict[str, Unit] = {}
    for row in _TABLE.strip().splitlines():
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
