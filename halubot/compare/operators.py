"""Operators: words that change what the words after them say.

A modal, a quantity, a link that has an opposite. Each belongs to a family; two senses of one
family may exclude each other ("must" and "need not", "all" and "some", "before" and "after").
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final, Literal, NamedTuple

from halubot.compare import lexicon

Family = Literal["modal", "quantity", "link", "degree", "limit"]


class Sense(NamedTuple):
    """The family of an operator and its sense in it: a class of modals, a share of a whole, or
    the word itself."""

    family: Family
    sense: str


# Links and the senses they exclude; in each row everything on the left excludes all on the right.
_LINKS: Final = """
before / after
until, till, up until / from, as of, starting, since, after
with / without
above / below, beneath, under
inside, within / outside
including / excluding, except, except for, but not
unless / if, only if, provided, as long as, even if
even if / only if, provided, provided that, as long as
upstairs / downstairs
because of / despite, in spite of
"""
_DEGREES: Final = """
more / less, fewer
most / least, fewest
"""

# Quantities exclude each other if they are at least so far apart; "all" excludes all others.
_APART: Final = 0.4
_ALL: Final = 1.0


def find_operators(lows: tuple[str, ...]) -> Iterator[tuple[int, int, Sense]]:
    """Yield each operator among the words of a sentence: its first token, its number of tokens and
    its sense. The longest phrase wins."""
    openers = _longest().keys()
    if openers.isdisjoint(lows):
        return
    free = 0  # the first token after the last phrase
    for at, low in enumerate(lows):
        if at < free or low not in openers:
            continue
        width, sense = find_operator(lows, at)
        free = at + width
        if sense is not None:
            yield at, width, sense


def find_operator(lows: tuple[str, ...], at: int) -> tuple[int, Sense | None]:
    """Return the longest operator that begins at a token, as its number of tokens and its sense;
    (0, None) if there is none. The bound of a value has a width and no sense."""
    table = _table()
    longest = _longest().get(lows[at], 0)
    for width in range(min(longest, len(lows) - at), 0, -1):
        phrase = " ".join(lows[at : at + width])
        if phrase in table:
            return width, table[phrase]
    return 0, None


def is_operator(low: str) -> bool:
    """Return True for a single word that is an operator: "every", "only", "must"."""
    return low in _table()


def exclude(mine: Sense, theirs: Sense) -> bool:
    """Return True if what two operators of one family say cannot both be true. Symmetric."""
    if mine.family != theirs.family or mine.sense == theirs.sense:
        return False
    if mine.family == "modal":
        return frozenset({mine.sense, theirs.sense}) in _MODALS
    if mine.family == "quantity":
        a, b = float(mine.sense), float(theirs.sense)
        if 0.0 in (a, b):
            return True
        return _ALL in (a, b) or abs(a - b) >= _APART
    return theirs.sense in _are_opposed().get(mine.sense, frozenset())


_MODALS: Final = frozenset(
    frozenset(pair)
    for pair in (
        ("must", "cannot"),
        ("must", "need not"),
        ("must", "may"),
        ("may", "cannot"),
        ("should", "cannot"),
        ("should", "need not"),
    )
)


# Phrases that belong to the value after them, which holds them as its bound.
_BOUNDS: Final = (
    "no more than", "no less than", "no fewer than", "no later than", "no earlier than", "at most",
    "at least", "more than", "less than", "fewer than", "at the most", "at the least",
)  # fmt: skip


@cache
def _table() -> dict[str, Sense | None]:
    table: dict[str, Sense | None] = {}
    for row in (*_rows(_LINKS), *_rows(_DEGREES)):
        family: Family = "degree" if row[0][0] in ("more", "most") else "link"
        for word in (*row[0], *row[1]):
            table[word] = Sense(family, word)
    for words, share in lexicon.quantifiers().items():
        table[words] = Sense("quantity", str(share))
    for words, modal in lexicon.modal_phrases().items():
        table[words] = Sense("modal", modal)
    for negated in ("don't", "doesn't", "didn't", "do not", "does not", "did not", "not"):
        for verb in ("have to", "need to", "need", "require", "required"):
            table[f"{negated} {verb}"] = Sense("modal", "need not")
    for verb in ("requires", "require", "compulsory", "mandatory", "obligatory"):
        table[verb] = Sense("modal", "must")
    for word in lexicon.limits():
        table.setdefault(word, Sense("limit", word))
    table.update(dict.fromkeys(_BOUNDS, None))
    return table


@cache
def _longest() -> dict[str, int]:
    longest: dict[str, int] = {}
    for phrase in _table():
        words = phrase.split()
        longest[words[0]] = max(longest.get(words[0], 0), len(words))
    return longest


@cache
def _are_opposed() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for left, right in (*_rows(_LINKS), *_rows(_DEGREES)):
        for side, other in ((left, right), (right, left)):
            for word in side:
                table[word] = table.get(word, frozenset()) | frozenset(other)
    return table


def _rows(table: str) -> list[tuple[list[str], list[str]]]:
    rows = []
    for line in table.strip().splitlines():
        left, _, right = line.partition(" / ")
        rows.append(
            ([one.strip() for one in left.split(",")], [one.strip() for one in right.split(",")])
        )
    return rows
