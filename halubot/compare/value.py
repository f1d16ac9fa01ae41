"""A value in a text: what it says, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from halubot.compare.amounts import Amount
from halubot.compare.dates import Date, Period

Kind = Literal["date", "time", "number", "ordinal", "percent", "money", "quantity"]
Bound = Literal["", "about", "over", "at least", "under", "at most"]
Reading = Date | Period | Amount


@dataclass(frozen=True, slots=True)
class Value:
    """A value and its place: ``plain[start:end]`` is the value as written, without the "about"
    or "more than" before it, which ``bound`` holds. A range has its two ``ends`` and no reading
    of its own."""

    kind: Kind
    readings: tuple[Reading, ...]
    start: int
    end: int
    bound: Bound = ""
    ends: tuple[Value, Value] | None = None

    @property
    def canonical(self) -> str:
        """The value in one normal form: "1828-05-22", "1200000", "5000 m", "1864..1884"."""
        if self.ends is not None:
            text = "..".join(end.canonical for end in self.ends)
        else:
            text = " or ".join(dict.fromkeys(str(reading) for reading in self.readings))
        return f"{self.bound} {text}".lstrip()
