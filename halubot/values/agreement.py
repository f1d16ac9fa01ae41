"""Values of a claim beside those of a source: which the source says, and which it gives otherwise.

More lenient than `same` in what a text leaves out: "from 12.1 to 10.4 million" is said by "10.4
million, before 12.1 million", and "at least 21" by "21 years".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import combinations
from typing import Final

from halubot.values.amounts import Amount
from halubot.values.comparison import Value, differ, same
from halubot.values.reader import find

_MEASURED: Final = frozenset({"quantity", "money", "percent"})
_SMALL: Final = 4
"""Bare numbers up to here are mostly words for an amount that any text may count itself."""


def is_said(value: Value, others: Iterable[Value]) -> bool:
    """Return True if values of a source say a value: whole, by its two ends apart, or, if it has no
    unit, as the same number with any."""
    given = list(others)
    if any(same(value, other) for other in given):
        return True
    single = [part for other in given for part in other.ends or (other,)]
    if value.ends is not None:
        return all(is_said(end, single) for end in value.ends)
    if any(same(value, part) for part in single):
        return True
    own = _numbers(value) if value.kind == "number" else frozenset()
    return any(own & _numbers(part) for part in single if part.kind not in ("date", "time"))


def is_rival(value: Value, other: Value) -> bool:
    """Return True if a value stands against another one: of one measure and apart, also as the same
    bound ("at most 4 g", "at most 8 g"), or the same number in two units."""
    if value.bound == other.bound != "":
        value, other = replace(value, bound=""), replace(other, bound="")
    if differ(value, other):
        return True
    pairs = [(a, b) for a in value.ends or (value,) for b in other.ends or (other,)]
    return any(differ(a, b) for a, b in pairs) or is_other_unit(value, other)


def are_together(values: Sequence[Value], text: str) -> bool:
    """Return False if a text that gives several values of a measure has two values of a claim in
    two parts: "31 euros for 24 hours and 62 euros for 72 hours" prices no 72 hours at 31 euros."""
    given = find(text)
    cuts = [match.start() for match in _PARTS.finditer(text)]

    def parts(value: Value) -> set[int]:
        places = (other.start for other in given if is_said(value, [other]))
        return {sum(cut < place for cut in cuts) for place in places}

    for one, other in combinations(values, 2):
        mine, theirs = parts(one), parts(other)
        rivalled = any(is_rival(value, rival) for value in (one, other) for rival in given)
        if rivalled and mine and theirs and mine.isdisjoint(theirs):
            return False
    return True


_PARTS: Final = re.compile(r"[,;|](?=\s)|[、，；]|\s(?:and|und|et|y|e)\s")


def is_other_unit(value: Value, other: Value) -> bool:
    """Return True for the same number in two units: "ten months", "ten years"."""
    if value.kind not in _MEASURED or other.kind not in _MEASURED:
        return False
    return bool(_numbers(value) & _numbers(other)) and not same(value, other)


def is_specific(value: Value, written: str) -> bool:
    """Return True for a value that a text does not simply count: one with a unit, a date, a time, a
    number in digits or above four. ``written`` is the value as it stands."""
    if value.kind in _MEASURED or value.kind in ("date", "time"):
        return True
    large = any(abs(number) > _SMALL for number in _numbers(value))
    return value.kind == "number" and (large or written[:1].isdigit())


def _numbers(value: Value) -> frozenset[Decimal]:
    """The numbers of a value as they are written, without their units."""
    if value.ends is not None:
        return _numbers(value.ends[0]) | _numbers(value.ends[1])
    return frozenset(
        one.number if one.written is None else one.written
        for one in value.readings
        if isinstance(one, Amount)
    )
