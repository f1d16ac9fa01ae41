"""What the parser reads as one word (quoted titles), and what it reads apart (brackets).

A mark inside a name would tear the name apart, and what stands in brackets is no part of the
sentence around them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from halubot.claims.words import usual_tag

_QUOTES: Final = frozenset('"“”„«»')
_APOSTROPHES: Final = frozenset("'‘’")
_SENTENCE_MARKS: Final = frozenset(".;")
_OPENING: Final = frozenset("([")
_CLOSING: Final = frozenset(")]")
_LONGEST_TITLE: Final = 14
_SMALL: Final = frozenset(
    {"a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"}
)


class Unit(NamedTuple):
    """What is read as the word ``shown``: that word, and the marks and words of ``others``."""

    shown: int
    others: list[int]


class Piece(NamedTuple):
    """Units that are read as one sentence. ``anchor`` is the word before the bracket in which they
    stand, -1 outside of brackets."""

    units: list[Unit]
    anchor: int


def read_units(texts: Sequence[str]) -> list[Piece]:
    """Return the pieces of a sentence in order, first the one outside of brackets; each word and
    mark is in one unit of one piece."""
    titles = dict(_titles(texts))
    closings = _brackets(texts)
    found = [Piece([], -1)]
    opened: list[int] = []  # marks that belong to the next word
    closing, quoted, k = -1, False, 0
    while k < len(texts):
        units = found[-1 if closing >= 0 else 0].units
        last = titles.get(k, k)
        quotes = texts[k] in _QUOTES
        if last > k:
            shown = max(n for n in range(k, last) if texts[n][0].isalpha())
            units.append(Unit(shown, [*opened, *(n for n in range(k, last + 1) if n != shown)]))
            opened = []
        elif k in closings and closing < 0 and units and closings[k] > k + 1:
            closing = closings[k]
            found.append(Piece([], units[-1].shown))
            opened.append(k)
        elif (quotes and not quoted) or k in closings:
            opened.append(k)
        elif units and (quotes or k in closings.values() or _numbers_name(texts, k)):
            units[-1].others.append(k)
        else:
            units.append(Unit(k, opened))
            opened = []
        quoted ^= quotes and last == k
        if k == closing:
            closing = -1
            units[-1].others.extend(opened)
            opened = []
        k = last + 1
    if opened and found[0].units:
        found[0].units[-1].others.extend(opened)
    elif opened:  # marks alone
        found[0].units.append(Unit(opened[0], opened[1:]))
    return found


def _numbers_name(texts: Sequence[str], k: int) -> bool:
    """Return True for the number of a name: "Apollo 11", "Passage 4", not "Brazil 3 times"."""
    if not texts[k].isdecimal() or len(texts[k]) > 3 or k == 0 or not texts[k - 1][0].isupper():
        return False
    after = texts[k + 1] if k + 1 < len(texts) else "."
    told = k + 2 < len(texts) and texts[k + 2] == "that"
    named = texts[k - 1].isalpha() and usual_tag(texts[k - 1]) in ("", "PROPN", "NOUN")
    return named and (
        told or not after[0].isalpha() or usual_tag(after) not in ("", "NOUN", "ADJ", "PROPN")
    )


def _titles(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last mark of each title in quotation marks: words with capitals."""
    for quotes in (_QUOTES, _APOSTROPHES):
        marks = [k for k, text in enumerate(texts) if text in quotes]
        for first, last in zip(marks[::2], marks[1::2], strict=False):
            words = texts[first + 1 : last]
            named = [one for one in words if one[0].isalpha() and one.lower() not in _SMALL]
            capital = named and all(one[0].isupper() for one in named)
            if capital and len(words) <= _LONGEST_TITLE and not _SENTENCE_MARKS & set(words[:-1]):
                yield first, last


def _brackets(texts: Sequence[str]) -> dict[int, int]:
    """Return where each bracket closes, of those that do."""
    opened: list[int] = []
    found: dict[int, int] = {}
    for k, text in enumerate(texts):
        if text in _OPENING:
            opened.append(k)
        elif text in _CLOSING and opened:
            found[opened.pop()] = k
    return found
