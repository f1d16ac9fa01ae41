"""Relations of triples in one form: their words, their direction, and usual words for the same.

"wrote", "is the author of", "author" and "was written by" are one relation, of which the last two
run from the work to its writer. A relation that the table does not hold keeps its own words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from rapidfuzz import fuzz

from halubot.compare.tokens import is_negative, normal

TABLE: Final = Path(__file__).with_name("relations.txt")
"""The kinds of relations, and the phrases for each."""

_ROLE: Final = "occupation"
"""What "was" says without a word of its own."""
_FUNCTION_WORDS: Final = """
is be was were are been being am has have had did does do a an the its his her their
"""
_PREPOSITIONS: Final = "in on at of to for from as with into upon since during between"
_EMPTY: Final = frozenset(_FUNCTION_WORDS.split())
_LINKS: Final = frozenset(_PREPOSITIONS.split())
ALIKE: Final = 80.0
"""From which rapidfuzz `token_sort_ratio` on two relations that no table holds are the same."""

_WORD: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


class Relation(NamedTuple):
    """A relation ready to compare: the stems of its ``words``, and the ``kinds`` that it may be of,
    among which are deeds. ``inverse`` tells whether it runs from the thing to the agent; None if
    that cannot be told. ``mutual`` relations run both ways."""

    words: tuple[str, ...]
    kinds: frozenset[int]
    is_deed: bool
    inverse: bool | None
    mutual: bool


@lru_cache(maxsize=1 << 14)
def read_relation(text: str) -> Relation:
    raw = _WORD.findall(text.casefold())
    # "was bought by Google for": who did it is no part of the relation, nor is a year.
    passive = "by" in raw[1:]
    if passive:
        raw = raw[: raw.index("by", 1)]
    kept = [word for word in raw if word not in _EMPTY and not word.isdigit()]
    stems = tuple(map(normal, kept))
    bare = stems
    while len(bare) > 1 and bare[-1] in _LINKS:
        bare = bare[:-1]
    table = _tables()
    back = table.nouns.get(" ".join(bare), frozenset())
    kinds = table.phrases.get(" ".join(stems)) or table.phrases.get(" ".join(bare), frozenset())
    kinds |= back if stems else table.phrases[normal(_ROLE)]
    is_deed = bool(kinds - table.attributes)
    inverse: bool | None = passive
    if back and not passive:
        # "author" alone runs from the work, "is the author of" from the writer.
        inverse = raw[-1] != "of"
    elif kinds and not is_deed and not passive:
        inverse = None
    return Relation(stems, kinds, is_deed, inverse, mutual=bool(kinds & table.mutual))


def same_relation(a: str, b: str) -> bool:
    """Return True if two relations mean the same, by their words; neither or both deny."""
    if is_negative(a) != is_negative(b):
        return False
    one, other = read_relation(a), read_relation(b)
    if one.kinds & other.kinds:
        return one.inverse == other.inverse
    return fuzz.token_sort_ratio(" ".join(one.words), " ".join(other.words)) >= ALIKE


class _Tables(NamedTuple):
    """The numbers of the kinds by the stems of their phrases, and by those of their nouns; which
    are ``mutual``, and which are ``attributes`` and no deeds."""

    phrases: dict[str, frozenset[int]]
    nouns: dict[str, frozenset[int]]
    mutual: frozenset[int]
    attributes: frozenset[int]


@cache
def _tables() -> _Tables:
    phrases: dict[str, set[int]] = defaultdict(set)
    nouns: dict[str, set[int]] = defaultdict(set)
    parts: dict[str, set[int]] = defaultdict(set)
    part = ""
    for number, line in enumerate(TABLE.read_text(encoding="utf-8").splitlines()):
        if line.startswith("["):
            part = line
        elif line and not line.startswith("#"):
            parts[part].add(number)
            for found, side in zip((phrases, nouns), line.split("|"), strict=False):
                for phrase in side.split(","):
                    words = [word for word in _WORD.findall(phrase) if word not in _EMPTY]
                    found[" ".join(map(normal, words))].add(number)
    return _Tables(
        {phrase: frozenset(numbers) for phrase, numbers in phrases.items()},
        {noun: frozenset(numbers) for noun, numbers in nouns.items()},
        frozenset(parts["[mutual]"]),
        frozenset(parts["[attributes]"]),
    )
