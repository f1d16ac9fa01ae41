"""The words of a quote that stand in the place of words of a sentence, where both are no values and
no names: "built by the [army]." beside "built by the [Varn Alpine Club] and burned down". The two
are aligned word by word; what differs is held by the same words, or by an end, on both sides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, NamedTuple

from halubot.compare.tokens import TELLING, Token, is_negative, tokens
from halubot.report import Span
from halubot.text import word_set

LONGEST: Final = 5
"""Words of a counterpart."""
SHARED: Final = 0.5
"""The part of the words of a clause that a quote has at least."""

_END: Final = "#"
"""Stands between two clauses, and at both ends of a text."""
_BREAK: Final = re.compile(r"[.,;:!?…()\[\]]|\s[-–—]+\s|—|\n")
_JOINS: Final = word_set("and or but nor while whereas which who und oder aber et ou mais")


class Counterpart(NamedTuple):
    """Words of a sentence, by their ``place`` in it, and those of a quote that stand there."""

    place: Span
    words: str


def counterpart(sentence: str, place: Span, quotes: Iterable[str]) -> Counterpart | None:
    """Return what the first quote that has it has in a ``place`` of a sentence; None if no quote
    has it."""
    for quote in quotes:
        for found in _differing(sentence, quote):
            if _nest(found.place, place):
                return found
    return None


def _nest(one: Span, other: Span) -> bool:
    """Whether one place holds the other."""
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) in (one, other)


def _differing(sentence: str, quote: str) -> Iterator[Counterpart]:
    """Yield the words of a sentence that differ from those of a quote between the same words."""
    own, other = _items(sentence), _items(quote)
    norms = [[_END if one is None else one.norm for one in it] for it in (own, other)]
    codes = SequenceMatcher(None, norms[0], norms[1], autojunk=False).get_opcodes()
    same = {n for kind, low, high, *_ in codes if kind == "equal" for n in range(low, high)}
    for kind, *code in codes:
        low, high, first, last = code
        if kind == "equal" or not (low and first and high < len(own) and last < len(other)):
            continue
        words, instead = own[low:high], other[first:last]
        if kind != "replace":  # with a word beside it, so that there is a place
            if not any(one and _denies(one) for one in (*words, *instead)):
                continue
            by = 1 if own[high] is None else 0
            words, instead = own[low - by : high + 1 - by], other[first - by : last + 1 - by]
        if max(len(words), len(instead)) > LONGEST:
            continue
        told, found = [one for one in words if one], [one for one in instead if one]
        if len(told) < len(words) or len(found) < len(instead) or not _tells(told, found):
            continue
        clause = _clause(own, low)
        parts = [n for n, _ in clause], [n for n, one in clause if one.kind != "stop"]
        kept = [sum(n in same for n in part) / max(1, len(part)) for part in parts]
        if kept[1] and min(kept) >= SHARED:
            place, at = (told[0].start, told[-1].end), (found[0].start, found[-1].end)
            yield Counterpart(place, quote[slice(*at)])


def _tells(own: Sequence[Token], other: Sequence[Token]) -> bool:
    """Whether it makes a difference which of the words stand there."""
    shared = {one.norm for one in own} & {one.norm for one in other}
    new = (one for one in (*own, *other) if one.norm not in shared)
    return any(one.kind != "stop" or _denies(one) for one in new)


def _denies(one: Token) -> bool:
    return one.norm in TELLING or is_negative(one.text)


def _clause(items: Sequence[Token | None], at: int) -> list[tuple[int, Token]]:
    """The words, with their indexes, of the clause that an item stands in."""
    ends = [n for n, one in enumerate(items) if one is None]
    first, last = max(n for n in ends if n < at), min(n for n in ends if n >= at)
    return [(n, one) for n, one in enumerate(items) if first < n < last and one is not None]


@lru_cache(maxsize=5000)
def _items(text: str) -> tuple[Token | None, ...]:
    """The words of a text, with None where a clause ends."""
    found: list[Token | None] = [None]
    at = 0
    for one in tokens(text, 0, len(text)):
        ends = _BREAK.search(text, at, one.start) or one.norm in _JOINS
        if ends and found[-1] is not None:
            found.append(None)
        if one.norm not in _JOINS:
            found.append(one)
        at = one.end
    return (*found, *(() if found[-1] is None else (None,)))
