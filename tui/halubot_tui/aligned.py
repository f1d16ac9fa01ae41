"""The facts of one message as several methods see them, each in a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from halubot.render.items import Entry, listing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from halubot.report import Report, Span

ALIKE: Final = 60.0
"""How alike, of 100, the words of two facts in one place must be to be one fact."""


@dataclass(frozen=True, slots=True)
class Row:
    """A fact and what each method says of it, by the method's name; a method that judges whole
    sentences says what it says of the fact's sentence."""

    reading: str
    said: Mapping[str, Entry]


def align_reports(own: Report, others: Mapping[str, Report]) -> tuple[Row, ...]:
    """The facts of the message's own report, the most doubted first, then those that other methods
    alone found. No fact is in two rows."""
    base = listing(own)
    said: list[dict[str, Entry]] = [{own.method: entry} for entry in base]
    rows = [(entry.reading, entry) for entry in base]
    for name, report in others.items():
        entries = listing(report)
        taken: set[int] = set()
        for _, place, at in sorted(_pairs([entry for _, entry in rows], entries)):
            if name not in said[place] and at not in taken:
                said[place][name] = entries[at]
                taken.add(at)
        used = set(taken)
        for place, (_, entry) in enumerate(rows):
            if name not in said[place]:
                whole = _sentence(entry, entries)
                if whole is not None:
                    said[place][name] = entries[whole]
                    used.add(whole)
        for at, entry in enumerate(entries):
            if at not in used:
                rows.append((entry.reading, entry))
                said.append({name: entry})
    return tuple(Row(reading, told) for (reading, _), told in zip(rows, said, strict=True))


def _pairs(base: Sequence[Entry], entries: Sequence[Entry]) -> list[tuple[float, int, int]]:
    """The entries that may be one: less alike (in 0 to -100), place in one, place in the other."""
    from rapidfuzz import fuzz

    found: list[tuple[float, int, int]] = []
    for place, entry in enumerate(base):
        for at, other in enumerate(entries):
            if (entry.fact is None) != (other.fact is None) or not _meet(entry.spans, other.spans):
                continue
            alike = fuzz.token_sort_ratio(entry.reading.casefold(), other.reading.casefold())
            if alike >= ALIKE:
                found.append((-alike, place, at))
    return found


def _sentence(entry: Entry, entries: Sequence[Entry]) -> int | None:
    """Where a method that judges whole sentences judged the one in which a fact stands."""
    if entry.fact is None:
        return None
    for at, other in enumerate(entries):
        alone = other.sentence is not None and not other.sentence.facts
        if alone and _meet(entry.spans, other.spans):
            return at
    return None


def _meet(a: Sequence[Span], b: Sequence[Span]) -> bool:
    return any(one[0] < other[1] and other[0] < one[1] for one in a for other in b)
