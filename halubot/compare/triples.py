"""Are two triples the same fact? Their words may be spelt in two ways."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from rapidfuzz import fuzz

from halubot.compare.lexicon import lemmas, related_words, synonyms
from halubot.compare.operators import COUNTERPARTS, OPPOSITES, is_negative
from halubot.compare.tokens import stem, tokens
from halubot.report import Triple
from halubot.values.comparison import Value, equal
from halubot.values.names import canonical, is_name, same_name
from halubot.values.reader import find

_SPELLINGS: Final = (
    (re.compile("ae|oe"), "e"),
    (re.compile(r"our(?=s?$|ed$|ing$|al|ite)"), "or"),
    (re.compile(r"(?<=\w)is(?=e|ing|ation|m|t)"), "iz"),
    (re.compile(r"yz(?=e|ing)"), "ys"),
    (re.compile(r"tre(?=s?$)"), "ter"),
    (re.compile(r"ph"), "f"),
    (re.compile(r"(?<=[a-z]{2})([a-hj-z])\1"), r"\1"),
)
"""British and American spellings, and doubled letters outside of Roman numerals, in one form."""


_DESIGNATOR: Final = re.compile(r"(?<=\s)(?:[A-Z]|[IVX]+)(?![\w'’.])")
"""A letter or Roman numeral behind a word, which tells one thing from another: hepatitis A."""


@lru_cache(maxsize=1 << 14)
def same_word(a: str, b: str) -> bool:
    """Return true for two words, in lower case, that are one word in two spellings or forms, are
    derived from each other, or are synonyms. Symmetric. Words with a digit must be equal."""
    if a == b:
        return True
    if any(letter.isdigit() for letter in a + b):
        return False
    if _spell(a) == _spell(b):
        return True
    mine, theirs = lemmas(a), lemmas(b)
    return (
        not mine.isdisjoint(theirs)
        or any(not theirs.isdisjoint(related_words(lemma) | synonyms(lemma)) for lemma in mine)
        or any(not mine.isdisjoint(related_words(lemma) | synonyms(lemma)) for lemma in theirs)
    )


def replaced_words(a: str, b: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of each text that the other has in no form. Function words do not count,
    but a letter that names a thing does ("hepatitis A")."""
    mine, theirs = _words(a), _words(b)
    return (
        frozenset(word for word in mine if not any(same_word(word, other) for other in theirs)),
        frozenset(word for word in theirs if not any(same_word(word, other) for other in mine)),
    )


@lru_cache(maxsize=1 << 14)
def _words(text: str) -> frozenset[str]:
    letters = {match.start() for match in _DESIGNATOR.finditer(text)}
    return frozenset(
        token.text.casefold()
        for token in tokens(text, 0, len(text))
        if token.kind != "stop" or token.start in letters
    )


def _spell(word: str) -> str:
    for pattern, new in _SPELLINGS:
        word = pattern.sub(new, word)
    return stem(word)


# Head, relation and tail in the similarity of two triples.
WEIGHTS = (0.3, 0.3, 0.4)
SAME = 0.8  # the least similarity, and the least of head and tail, of one and the same fact
SAME_RELATION = 0.6  # relations vary more in their words: "was schooled at", "went to school at"
LOOKALIKE = 0.6  # letters that two different words share and that still make them no one word


class Form(NamedTuple):
    """A triple made ready to compare: the sorted stems of each part, of the tail without its
    values (``rest``), and of all; its values, and whether it denies."""

    triple: Triple
    head: str
    relation: str
    tail: str
    rest: str
    whole: str
    stems: frozenset[str]
    values: tuple[Value, ...]
    negative: bool


@lru_cache(maxsize=1 << 14)
def form(triple: Triple) -> Form:
    """The form of a triple in which it is compared."""
    head, relation, tail = triple
    text = str(triple)
    return Form(
        Triple(*triple),
        _stems(head),
        _stems(relation),
        _stems(tail),
        _stems(_without_values(tail)),
        _stems(text),
        frozenset(token.norm for token in tokens(text, 0, len(text))),
        find(text),
        is_negative(f"{relation} {tail}"),
    )


def same_fact(a: Triple, b: Triple, *, exact: bool = False) -> bool:
    """Return whether two triples say the same. With ``exact`` the words themselves must be the
    same, apart from case, accents, inflection, articles and the way a value is written."""
    first, second = form(a), form(b)
    if not _compatible(first, second):
        return False
    if exact:
        mine, theirs = (
            (canonical(one.triple.head), one.relation, one.rest) for one in (first, second)
        )
        return mine == theirs
    if _is_clause(first) or _is_clause(second):
        return _alike(first.whole, second.whole) >= SAME and not _find_exchanged(str(a), str(b))
    if _find_exchanged(a.head, b.head) or _find_exchanged(a.tail, b.tail) or _mistaken(a, b):
        return False
    head, relation, tail = _parts(first, second)
    return (
        head >= SAME
        and relation >= SAME_RELATION
        and tail >= SAME
        and _join(head, relation, tail) >= SAME
    )


def _parts(a: Form, b: Form) -> tuple[float, float, float]:
    return (
        _named_alike(a.triple.head, b.triple.head, a.head, b.head),
        _alike(a.relation, b.relation),
        _alike(a.rest, b.rest)
        if a.values and _same_values(a.values, b.values)
        else _named_alike(a.triple.tail, b.triple.tail, a.tail, b.tail),
    )


def _named_alike(name: str, other: str, stems: str, others: str) -> float:
    """Names by their own rules; what is no name by its stems."""
    if is_name(name) and is_name(other):
        # One letter may tell two names apart, so letters in common count for nothing.
        return float(same_name(name, other))
    return _alike(stems, others)


def _join(head: float, relation: float, tail: float) -> float:
    return sum(weight * part for weight, part in zip(WEIGHTS, (head, relation, tail), strict=True))


def _alike(a: str, b: str) -> float:
    """Two strings of sorted stems. Nothing is like nothing (a bare "is" beside "was"), and
    unlike everything else."""
    return fuzz.ratio(a, b) / 100 if a and b else float(a == b)


def _compatible(a: Form, b: Form) -> bool:
    return a.negative == b.negative and _same_values(a.values, b.values) and not _are_opposed(a, b)


def _find_exchanged(a: str, b: str) -> bool:
    """Return whether each of two texts has a word that the other has in no form: one term stands in
    the place of another. Names have their own rules, and values are compared apart."""
    if is_name(a) and is_name(b):
        return False
    mine, theirs = replaced_words(_without_values(a), _without_values(b))
    return bool(mine and theirs)


def _mistaken(a: Triple, b: Triple) -> bool:
    """Return whether a word of one relation only looks like one of the other ("upregulates" beside
    "downregulates")."""
    mine, theirs = replaced_words(a.relation, b.relation)
    return any(fuzz.ratio(x, y) / 100 >= LOOKALIKE for x in mine for y in theirs)


def _same_values(mine: tuple[Value, ...], theirs: tuple[Value, ...]) -> bool:
    return len(mine) == len(theirs) and all(
        any(equal(value, other) for other in others)
        for values, others in ((mine, theirs), (theirs, mine))
        for value in values
    )


def _are_opposed(a: Form, b: Form) -> bool:
    mine, theirs = a.stems - b.stems, b.stems - a.stems
    return any(
        not theirs.isdisjoint(table.get(stem, ()))
        for stem in mine
        for table in (OPPOSITES, COUNTERPARTS)
    )


def _is_clause(a: Form) -> bool:
    return not a.triple.head and not a.triple.relation


def _stems(text: str) -> str:
    """The stems of a text without its function words and its "never", sorted: whether it denies
    is compared apart."""
    found = tokens(text, 0, len(text))
    return " ".join(sorted(t.norm for t in found if t.kind != "stop" and t.norm != "never"))


def _without_values(text: str) -> str:
    pieces, at = [], 0
    for value in find(text):
        pieces.append(text[at : value.start])
        at = value.end
    return " ".join((*pieces, text[at:]))
