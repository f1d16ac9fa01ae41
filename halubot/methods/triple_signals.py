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

from rapidfuzz import fuzz, process

from halubot.compare.tokens import STOP_WORDS, is_negative, normal
from halubot.methods.relations import Relation, read_relation
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


class Spelling(NamedTuple):
    """The parts of a triple with other names of one thing made one, and for rapidfuzz the letters
    of the whole, of the head and of the tail."""

    parts: tuple[str, str, str]
    letters: str
    head: str
    tail: str


class Form(NamedTuple):
    """A triple made ready to compare; words are stems without articles, copulas and values. The
    ``rest`` is what follows the head."""

    triple: Triple
    head: tuple[str, ...]
    tail: tuple[str, ...]
    words: frozenset[str]
    rest: frozenset[str]
    relation: Relation
    values: tuple[Value, ...]
    marks: frozenset[str]
    opposable: frozenset[str]


ALIKE: Final = 86.0
"""From which rapidfuzz `ratio` on two words, or two heads, are one in two spellings."""

_DIFFERENT: Final = Comparison(0.0)
_WORD: Final = re.compile(r"[^\W_]+(?:['’_][^\W_]+)*")
_DESIGNATOR: Final = re.compile(
    r"(?<=[\w.] )(?:[A-Z](?![\w'’.])|[IVX]+\b)|\b(?=\w*\d)(?=\w*[A-Z])[A-Z\d]+\b"
)
_QUALIFYING: Final = """
former deputy vice acting assistant interim honorary allege attempt propose plan some few most half
almost near nominate want try fail refuse threaten
"""
_QUALIFIERS: Final = frozenset(map(normal, _QUALIFYING.split()))
_OPPOSITES: Final = """
before/after to/from by/to by/from with/without for/against over/under above/below up/down into/out
may/must can/must first/last all/some more/less more/fewer older/younger
"""
_OPPOSED: Final = frozenset(frozenset(pair.split("/")) for pair in _OPPOSITES.split())
_OPPOSABLE: Final = frozenset(word for pair in _OPPOSED for word in pair)
_CAPITAL: Final = re.compile(r"[A-Z]|great war")
_UNDOING: Final = ("un", "in", "im", "il", "ir", "dis", "non", "de", "mis")


@lru_cache(maxsize=1 << 14)
def spell(triple: Triple) -> Spelling:
    head, relation, tail = triple
    letters = fold(f"{head} {relation} {tail}")
    if not _ALIAS_BEGINS.isdisjoint(letters.split()):
        head, relation, tail = map(_spell_names, triple)
        letters = fold(f"{head} {relation} {tail}")
    return Spelling((head, relation, tail), letters, fold(head), fold(tail) or letters)


def _spell_names(part: str) -> str:
    return _ALIAS.sub(_name_alias, part) if _CAPITAL.search(part) else part


@lru_cache(maxsize=1 << 14)
def read(triple: Triple) -> Form:
    parts = spell(triple).parts
    text = " ".join(parts)
    written = _WORD.findall(text.casefold())
    values = find(text)
    bare = text
    for value in values:
        bare = bare[: value.start] + " " * (value.end - value.start) + bare[value.end :]
    begins = (0, len(parts[0]) + 1, len(parts[0]) + len(parts[1]) + 2)
    head, relation, tail = (
        _words(bare[at : at + len(part)]) for at, part in zip(begins, parts, strict=True)
    )
    # One set for all that must be alike, so that one comparison of sets tells.
    marks = frozenset(_DESIGNATOR.findall(text)).union(_QUALIFIERS & set(map(_adverb, written)))
    if is_negative(text):
        marks |= {"not"}
    return Form(
        triple,
        head,
        tail,
        frozenset((*head, *relation, *tail)),
        frozenset((*relation, *tail)),
        read_relation(parts[1]),
        values,
        marks,
        _OPPOSABLE.intersection(written),
    )


@lru_cache(maxsize=1 << 14)
def _adverb(word: str) -> str:
    return normal(word.removesuffix("ly"))


def _words(text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(_word, _WORD.findall(text.casefold()))))


@lru_cache(maxsize=1 << 14)
def _word(word: str) -> str:
    """The stem of a word, empty for one that says nothing."""
    bare = word.replace("’", "'").removesuffix("'s")
    return "" if bare in STOP_WORDS else normal(bare)


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
    + r")(?! dollars?\b)",
    re.IGNORECASE,
)
_ALIAS_BEGINS: Final = frozenset(name.split()[0] for row in ALIASES for name in row)


@lru_cache(maxsize=1 << 15)
def compare(a: Triple, b: Triple) -> Comparison:
    """Return what is exact about two triples. Symmetric."""
    if [part.lower() for part in a] == [part.lower() for part in b]:
        return Comparison(1.0)
    mine, theirs = read(a), read(b)
    if mine.marks != theirs.marks or not same_values(mine.values, theirs.values):
        return _DIFFERENT
    if _are_opposed(mine.opposable, theirs.opposable):
        return _DIFFERENT
    straight = is_same_name(a.head, b.head) or _meet(mine.head, theirs.head)
    crossed = not straight and _meet_rest(mine, theirs) and _meet_rest(theirs, mine)
    extra, missing = _lacking(mine, theirs, crossed)
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
    return Comparison(
        None,
        (
            0.0 if straight or crossed else _apart(mine.head, theirs.head),
            float(crossed),
            float(alike),
            float(not alike and own.is_deed and other.is_deed),
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
    (own, named), (other, named_too) = _read_name(a), _read_name(b)
    return own == other or (named and named_too and same_name(a, b))


@lru_cache(maxsize=1 << 14)
def _read_name(text: str) -> tuple[str, bool]:
    return canonical(text), is_name(text)


def _are_opposed(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    left, right = mine - theirs, theirs - mine
    return any(frozenset((one, other)) in _OPPOSED for one in left for other in right)


def _lacking(mine: Form, theirs: Form, crossed: bool) -> tuple[frozenset[str], frozenset[str]]:
    """The words of each triple that the other has in no form, those of names that are the same
    left out."""
    left, right = mine.words - theirs.words, theirs.words - mine.words
    forms = _forms(left, right)
    for at in (0, 1):
        other = 1 - at if crossed else at
        if is_same_name(mine.triple[::2][at], theirs.triple[::2][other]):
            left -= set((mine.head, mine.tail)[at])
            right -= set((theirs.head, theirs.tail)[other])
    return left - forms, right - forms


def _forms(left: frozenset[str], right: frozenset[str]) -> set[str]:
    """The words of which the other side has another form, as far as letters tell."""
    others = [word for word in right if len(word) >= _TELLING]
    found: set[str] = set()
    for one in left if others else ():
        if len(one) >= _TELLING:
            spelt = process.extract(one, others, scorer=fuzz.ratio, score_cutoff=ALIKE, limit=None)
            near = [word for word, *_ in spelt]
            near += [word for word in others if word.startswith(one) or one.startswith(word)]
            if near:
                found.update(near, (one,))
    return found


_TELLING: Final = 4
"""Letters of the shortest words of which one may be a form of another."""


def _undo(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Return True if words of one are words of the other undone, as "legal" by "illegal"."""
    return any(
        word[len(prefix) :] in mine
        for word in theirs
        if word.startswith(_UNDOING)
        for prefix in _UNDOING
        if word.startswith(prefix)
    )


def _meet(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return True if two heads may be the same thing: one has all words of the other, or nearly."""
    a, b = set(mine), set(theirs)
    if not a or not b:
        return a == b
    if a <= b or b <= a:
        return True
    one, other = " ".join(mine), " ".join(theirs)
    return fuzz.token_sort_ratio(one, other, score_cutoff=ALIKE) > 0


def _apart(mine: Sequence[str], theirs: Sequence[str]) -> float:
    """The share of the words of the shorter head that the other lacks."""
    a, b = set(mine), set(theirs)
    return 1 - len(a & b) / max(1, min(len(a), len(b)))


def _meet_rest(a: Form, b: Form) -> bool:
    """Return True if the head of one stands in the relation or the tail of the other."""
    if is_same_name(a.triple.head, b.triple.tail):
        return True
    left = frozenset(a.head) - b.rest
    return bool(a.head) and left <= _forms(left, b.rest)


def _in_other_order(mine: Form, theirs: Form) -> bool:
    """Return True if words that both tails have stand in another order, joined by no "and"."""
    shared = set(mine.tail) & set(theirs.tail)
    a, b = ([word for word in one.tail if word in shared] for one in (mine, theirs))
    joined = " and " in mine.triple.tail or "," in mine.triple.tail or bool(mine.values)
    return a != b and not joined
