"""What letters, words and exact values say of two triples: the same fact, another, or signals.

What is exact decides at once: numbers, dates and units, designators ("A" and "B", "VII" and
"VIII"), denials, qualifiers ("former", "some"), opposites ("before", "after") and which of two
names stands where. Of what is left `compare` gives `SIGNALS`, for a regression to weigh
(`halubot.methods.triple_match`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from rapidfuzz import fuzz

from halubot.methods.relations import Relation, is_denied, read_relation, stem
from halubot.report import Triple
from halubot.values import Value, find, same, same_name
from halubot.values.names import ALIASES, canonical, fold, is_name

SIGNALS: Final = (
    "another head",
    "head and tail crossed",
    "relations alike",
    "other deeds",
    "fewer words that one lacks",
    "more words that one lacks",
    "one word for one word",
)
"""What is measured of two triples that are neither surely the same nor surely different."""


class Comparison(NamedTuple):
    """What is exact about two triples: their ``score`` if that settles them, else `SIGNALS`."""

    score: float | None
    signals: tuple[float, ...] = ()


class Form(NamedTuple):
    """A triple made ready to compare; words are stems without articles, copulas and values."""

    triple: Triple
    letters: str
    tail_letters: str
    head: tuple[str, ...]
    tail: tuple[str, ...]
    words: frozenset[str]
    relation: Relation
    values: tuple[Value, ...]
    marks: frozenset[str]
    opposable: frozenset[str]


ALIKE: Final = 86.0
"""From which rapidfuzz `ratio` on two words, or two heads, are one in two spellings."""

_DIFFERENT: Final = Comparison(0.0)
_WORD: Final = re.compile(r"[^\W_]+(?:['’_-][^\W_]+)*")
_DESIGNATOR: Final = re.compile(
    r"(?<=[\w.] )(?:[A-Z](?![\w'’.])|[IVX]+\b)|\b(?=\w*\d)(?=\w*[A-Z])[A-Z\d]+\b"
)
_FUNCTION_WORDS: Final = """
a an the is be was were are been being am has have had did does do of in on at as and that which who
its his her their with it by for to from also very
"""
_QUALIFYING: Final = """
former deputy vice acting assistant interim honorary allege attempt propose plan some few most half
almost near nominate want try fail refuse threaten
"""
_EMPTY: Final = frozenset(_FUNCTION_WORDS.split())
_QUALIFIERS: Final = frozenset(map(stem, _QUALIFYING.split()))
_OPPOSED: Final = (
    ("before", "after"),
    ("to", "from"),
    ("by", "to"),
    ("by", "from"),
    ("with", "without"),
    ("for", "against"),
    ("over", "under"),
    ("above", "below"),
    ("up", "down"),
    ("into", "out"),
    ("may", "must"),
    ("can", "must"),
    ("first", "last"),
    ("all", "some"),
    ("more", "less"),
    ("more", "fewer"),
    ("older", "younger"),
)
_OPPOSABLE: Final = frozenset(word for pair in _OPPOSED for word in pair)
_CAPITAL: Final = re.compile(r"[A-Z]|great war")
_UNDOING: Final = ("un", "in", "im", "il", "ir", "dis", "non", "de", "mis")


@lru_cache(maxsize=1 << 14)
def read(triple: Triple) -> Form:
    """Return a triple in the form in which triples are compared."""
    parts = [_ALIAS.sub(_name_alias, part) if _CAPITAL.search(part) else part for part in triple]
    text = " ".join(parts)
    values = find(text)
    bare = text
    for value in values:
        bare = bare[: value.start] + " " * (value.end - value.start) + bare[value.end :]
    begins = (0, len(parts[0]) + 1, len(parts[0]) + len(parts[1]) + 2)
    head, relation, tail = (
        _words(bare[at : at + len(part)]) for at, part in zip(begins, parts, strict=True)
    )
    written = _WORD.findall(text.casefold())
    # One set for all that must be alike, so that one comparison of sets tells.
    marks = frozenset(match[0] for match in _DESIGNATOR.finditer(text))
    marks |= {stem(word.removesuffix("ly")) for word in written} & _QUALIFIERS
    if is_denied(text):
        marks |= {"not"}
    return Form(
        triple,
        fold(text),
        fold(parts[2] or text),
        head,
        tail,
        frozenset((*head, *relation, *tail)),
        read_relation(parts[1]),
        values,
        marks,
        _OPPOSABLE.intersection(written),
    )


def _words(text: str) -> tuple[str, ...]:
    found = (word.replace("’", "'").removesuffix("'s") for word in _WORD.findall(text.casefold()))
    return tuple(stem(word) for word in found if word not in _EMPTY)


def _name_alias(match: re.Match[str]) -> str:
    known = canonical(match[0])
    # "us" and "la" are words as well.
    if len(match[0]) <= 4 and not match[0].replace(".", "").isupper():
        return match[0]
    return known.replace(" ", "_")


_ALIAS: Final = re.compile(
    r"\b(?:the )?(?:"
    + "|".join(
        r"\b" + re.escape(name).replace(r"\ ", r"[ .]{1,2}") + r"\b"
        for name in sorted((name for row in ALIASES for name in row), key=len, reverse=True)
    )
    + ")",
    re.IGNORECASE,
)


@lru_cache(maxsize=1 << 15)
def compare(a: Triple, b: Triple) -> Comparison:
    """Return what is exact about two triples. Symmetric."""
    if [part.lower() for part in a] == [part.lower() for part in b]:
        return Comparison(1.0)
    mine, theirs = read(Triple(*a)), read(Triple(*b))
    if mine.marks != theirs.marks or not same_values(mine.values, theirs.values):
        return _DIFFERENT
    if _are_opposed(mine.opposable, theirs.opposable):
        return _DIFFERENT
    straight = is_same_name(a.head, b.head) or _meet(mine.head, theirs.head)
    crossed = not straight and _meet_rest(mine, theirs) and _meet_rest(theirs, mine)
    extra = _lacking(mine, theirs, crossed)
    missing = _lacking(theirs, mine, crossed)
    if _undo(extra, missing) or _undo(missing, extra):
        return _DIFFERENT
    own, other = mine.relation, theirs.relation
    alike = own.words == other.words or bool(own.kinds & other.kinds)
    if alike and not (own.mutual or other.mutual):
        known = own.inverse is not None and other.inverse is not None
        # "X taught Y" is not "Y taught X", and is "Y was taught by X".
        if known and (own.inverse != other.inverse) != crossed:
            return _DIFFERENT
    left, right = extra, missing
    if alike:
        left, right = extra - set(own.words), missing - set(other.words)
    turned = not crossed and _in_other_order(mine, theirs)
    if alike and (straight or crossed) and not (left or right or turned):
        return Comparison(0.95)
    other_deeds = not alike and own.deeds and other.deeds
    return Comparison(
        None,
        (
            float(not (straight or crossed)),
            float(crossed),
            float(alike),
            float(bool(other_deeds) and not own.attributes & other.attributes),
            float(min(len(left), len(right), _MANY)),
            float(min(max(len(left), len(right)), _MANY)),
            # Of two verbs that stand for each other most are two deeds: takes, returns.
            float(len(left) == len(right) == 1 and not crossed),
        ),
    )


_MANY: Final = 3


def same_values(mine: Sequence[Value], theirs: Sequence[Value]) -> bool:
    """Return True if each value of one is among those of the other."""
    return len(mine) == len(theirs) and all(
        any(same(value, other) and same(other, value) for other in others)
        for values, others in ((mine, theirs), (theirs, mine))
        for value in values
    )


def is_same_name(a: str, b: str) -> bool:
    """Return True if two parts of triples are one name."""
    if not (a and b):
        return False
    return canonical(a) == canonical(b) or (is_name(a) and is_name(b) and same_name(a, b))


def _are_opposed(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    left, right = mine - theirs, theirs - mine
    if not (left and right):
        return False
    return any(
        (one in left and other in right) or (other in left and one in right)
        for one, other in _OPPOSED
    )


def _lacking(mine: Form, theirs: Form, crossed: bool) -> frozenset[str]:
    """The words that the other triple has in no form, those of names that are the same left out."""
    left = mine.words - theirs.words
    if not left:
        return left
    others = (theirs.triple.tail, theirs.triple.head) if crossed else theirs.triple[::2]
    for part, words, other in zip(mine.triple[::2], (mine.head, mine.tail), others, strict=True):
        if is_same_name(part, other):
            left -= set(words)
    rest = theirs.words - mine.words
    return frozenset(one for one in left if not any(_alike(one, other) for other in rest))


@lru_cache(maxsize=1 << 14)
def _alike(a: str, b: str) -> bool:
    """Return True for two forms of one word, as far as letters tell."""
    short, long = sorted((a, b), key=len)
    return len(short) >= 4 and (long.startswith(short) or fuzz.ratio(a, b) >= ALIKE)


def _undo(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Return True if words of one are words of the other undone, as "legal" by "illegal"."""
    return any(prefix + word in theirs for word in mine for prefix in _UNDOING)


def _meet(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return True if two heads may be the same thing: one has all words of the other, or nearly."""
    a, b = set(mine), set(theirs)
    if not a or not b:
        return a == b
    return a <= b or b <= a or fuzz.token_sort_ratio(" ".join(mine), " ".join(theirs)) >= ALIKE


def _meet_rest(a: Form, b: Form) -> bool:
    """Return True if the head of one stands in the relation or the tail of the other."""
    head, rest = set(a.head), set(b.tail) | set(b.relation.words)
    return is_same_name(a.triple.head, b.triple.tail) or (bool(head) and head <= rest)


def _in_other_order(mine: Form, theirs: Form) -> bool:
    """Return True if words that both tails have stand in another order, joined by no "and"."""
    shared = set(mine.tail) & set(theirs.tail)
    a, b = ([word for word in one.tail if word in shared] for one in (mine, theirs))
    joined = " and " in mine.triple.tail or "," in mine.triple.tail or bool(mine.values)
    return a != b and not joined
