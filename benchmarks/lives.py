"""Made-up lives: a message of 8 sentences that hold 26 facts, and samples that tell the same life
with some other numbers."""

from __future__ import annotations

from typing import Final

NAMES: Final = (
    "Orla",
    "Tomas",
    "Ines",
    "Bertil",
    "Wanda",
    "Kofi",
    "Mirela",
    "Hugh",
    "Saskia",
    "Dario",
)
FAMILIES: Final = (
    *("Venn", "Okafor", "Lindqvist", "Marchetti", "Dunmore"),
    *("Havel", "Ferreira", "Sato", "Brandt", "Quist"),
)
MESSAGE: Final = (
    "{name} was a composer and a historian from Lyon. {name} was born in Lyon on 28 May 1805 and"
    " studied old maps in Basel. In 1821, {name} moved to Graz and married Ada Holm in 1826. {name}"
    " wrote 11 books about old maps and discovered 20 species of moss near Cork in 1833. The"
    " academy of Leeds elected {name} a member in 1839. {name} taught drawing in Turin from 1845 to"
    " 1846 and corresponded with Jon Sato. The library of Leeds holds 816 letters of {name} and 350"
    " drawings. {name} died in Porto in 1872 at the age of 66 and was buried in Basel."
)
SAMPLE: Final = (
    "{name}, a composer and a historian, came from Lyon. {name} was born on {day} May 1805 in Lyon."
    " As a student in Basel, {name} took up old maps. {name} moved to Graz in 1821, and in 1826"
    " came the marriage to Ada Holm. The {books} books about old maps are still read. Near Cork,"
    " {name} found 20 species of moss in 1833. In 1839, {name} became a member of the academy of"
    " Leeds. From 1845 to 1846, {name} taught drawing in Turin, and wrote to Jon Sato. {letters}"
    " letters and 350 drawings are in the library of Leeds. {name} died in Porto in 1872 at the age"
    " of 61, and the grave is in Basel. A portrait of {painted} shows {name}."
)
SENTENCES, FACTS = 8, 26
"""Of a message."""


def name_of(number: int) -> str:
    """Return a name; a hundred are different."""
    return f"{NAMES[number % 10]} {FAMILIES[number // 10 % 10]}"


def message(number: int = 0) -> str:
    """Return a life as a message tells it."""
    return MESSAGE.format(name=name_of(number))


def sample(number: int, index: int) -> str:
    """Return the same life as sample ``index`` tells it."""
    values = {
        "day": 9 if index % 4 == 1 else 28,
        "books": 10 if index % 4 == 2 else 11,
        "letters": 756 if index % 4 == 3 else 816,
        "painted": 1830 + index,
    }
    return SAMPLE.format(name=name_of(number), **values)
