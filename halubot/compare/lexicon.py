"""Lexical knowledge of English: base forms, synonyms, opposites, derivations and kinds of things.

The tables come from WordNet 3.0 (`tools/build_lexicon.py`) and from `data/english.toml`, which is
written by hand and goes before WordNet. They load at the first call, once a process. Every word
given and returned is in lower case.
"""

from __future__ import annotations

import gzip
import tomllib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final, Literal, NamedTuple, get_args

Part = Literal["n", "v", "a", "r"]
"""A part of speech: noun, verb, adjective, adverb."""

Modal = Literal["must", "should", "may", "cannot", "need not"]
"""A class of modal words: how an action stands with duty and permission."""

_CACHED: Final = 1 << 16
_NONE: Final[frozenset[str]] = frozenset()

# The rules of WordNet's morphy, with those for a doubled consonant in `_undoubled`.
_RULES: Final[Mapping[Part, tuple[tuple[str, str], ...]]] = {
    "n": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "v": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ied", "y"),
        ("ing", "e"),
        ("ing", ""),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e"), ("ier", "y"), ("iest", "y")),
    "r": (("er", ""), ("est", ""), ("er", "e"), ("est", "e"), ("ier", "y"), ("iest", "y")),
}
_DOUBLING: Final = frozenset({"ed", "ing", "er", "est"})
_SHORTEST_BASE: Final = 2

# Two things are alternatives if a kind that holds both is at most this many steps above each, and
# no more words than this lie below that kind: "artifact" holds violins and bridges.
_STEPS: Final = 3
_WIDEST_KIND: Final = 1200


class _Entry(NamedTuple):
    """What WordNet knows of a word."""

    parts: str = ""
    synonyms: frozenset[str] = _NONE
    related: frozenset[str] = _NONE
    antonyms: frozenset[str] = _NONE
    kinds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _WordNet:
    """The lines of the WordNet tables, sorted by word; parsed when looked up."""

    words: list[str]
    forms: list[str]
    kinds: list[str]


@dataclass(frozen=True, slots=True)
class _Hand:
    """The tables of `english.toml`."""

    quantifiers: Mapping[str, float]
    modals: Mapping[str, Modal]
    empty: frozenset[str]
    limits: frozenset[str]
    opposites: Mapping[str, frozenset[str]]
    converses: Mapping[str, frozenset[str]]
    synonyms: Mapping[str, frozenset[str]]
    not_synonyms: Mapping[str, frozenset[str]]
    not_opposites: Mapping[str, frozenset[str]]
    forms: Mapping[str, frozenset[str]]


@lru_cache(maxsize=_CACHED)
def lemmas(word: str) -> frozenset[str]:
    """Return every base form that the word can have, over nouns, verbs, adjectives and adverbs.

    A word that no table knows gives itself and a guess without its ending.
    """
    word = word.replace("’", "'")
    given = _hand().forms.get(word)
    if given is not None:
        return given
    found = {base for part in get_args(Part) for base in _bases(word, part)}
    if not found and word.endswith("'s"):
        return lemmas(word[:-2])
    return frozenset(found or {word, _guess(word)})


def is_known(lemma: str) -> bool:
    """Return true for a base form that a table holds."""
    return bool(_entry(lemma).parts) or lemma in _hand().forms or lemma in _hand().synonyms


def parts_of_speech(lemma: str) -> frozenset[Part]:
    """Return the parts of speech of a base form; empty for an unknown word."""
    letters = _entry(lemma).parts
    return frozenset(part for part in get_args(Part) if part in letters)


@lru_cache(maxsize=_CACHED)
def related(lemma: str) -> frozenset[str]:
    """Return the words derived from this one or that it derives from, one step away."""
    return _entry(lemma).related


@lru_cache(maxsize=_CACHED)
def synonyms(lemma: str) -> frozenset[str]:
    """Return the words that can say the same; never an opposite."""
    hand = _hand()
    known = _entry(lemma)
    wrong = hand.not_synonyms.get(lemma, _NONE) | hand.opposites.get(lemma, _NONE)
    return hand.synonyms.get(lemma, _NONE) | (known.synonyms - wrong - known.antonyms)


@lru_cache(maxsize=_CACHED)
def antonyms(lemma: str) -> frozenset[str]:
    """Return the words of opposite meaning; never a synonym that is set by hand."""
    hand = _hand()
    wrong = hand.not_opposites.get(lemma, _NONE) | hand.synonyms.get(lemma, _NONE)
    return hand.opposites.get(lemma, _NONE) | (_entry(lemma).antonyms - wrong)


@lru_cache(maxsize=_CACHED)
def are_alternatives(one: str, other: str) -> bool:
    """Return true for two nouns of one kind of which a thing is seldom both: violin, trumpet."""
    if one == other or other in synonyms(one):
        return False
    if is_kind_of(one, other) or is_kind_of(other, one):
        return False
    mine, theirs = _ancestors(one), _ancestors(other)
    if set(_entry(one).kinds) & set(_entry(other).kinds):
        return False
    return any(
        steps <= _STEPS and theirs.get(kind, _STEPS + 1) <= _STEPS and _width(kind) <= _WIDEST_KIND
        for kind, steps in mine.items()
    )


@lru_cache(maxsize=_CACHED)
def is_kind_of(one: str, other: str) -> bool:
    """Return true if a thing that the first noun names is always or can be the second: dog, animal.

    A noun is no kind of itself.
    """
    above = _ancestors(one)
    return one != other and any(kind in above for kind in _entry(other).kinds)


def quantifier(word: str) -> float | None:
    """Return the share of a whole that a quantifier speaks of: 1 for "all", 0 for "none"."""
    return _hand().quantifiers.get(word)


def quantifiers() -> Mapping[str, float]:
    """Return all quantifiers with the share of a whole that each speaks of."""
    return _hand().quantifiers


def limits() -> frozenset[str]:
    """Return all words that limit a claim."""
    return _hand().limits


def modal(words: str) -> Modal | None:
    """Return the class of a modal word or phrase: "must" for "have to"."""
    return _hand().modals.get(words)


def modal_phrases() -> Mapping[str, Modal]:
    """Return all modal words and phrases with their classes."""
    return _hand().modals


def is_empty(word: str) -> bool:
    """Return true for a word that adds nothing to a claim: "very", "also"."""
    return word in _hand().empty


def is_limit(word: str) -> bool:
    """Return true for a word that limits a claim: "only", "nearly", "usually"."""
    return word in _hand().limits


def converses(lemma: str) -> frozenset[str]:
    """Return the words that tell the same event with its roles swapped: "sell" for "buy"."""
    return _hand().converses.get(lemma, _NONE)


def _bases(word: str, part: Part) -> Iterator[str]:
    """Yield the base forms of a word as one part of speech."""
    if part in _entry(word).parts:
        yield word
    irregular = [base[2:] for base in _irregular(word) if base[0] == part]
    yield from irregular
    if irregular or word.endswith("ss"):
        return
    for ending, new in _RULES[part]:
        if not word.endswith(ending):
            continue
        stem = word[: len(word) - len(ending)]
        bases = [stem + new]
        if ending in _DOUBLING and len(stem) > _SHORTEST_BASE and stem[-1] == stem[-2]:
            bases.append(stem[:-1])
        for base in bases:
            if len(base) >= _SHORTEST_BASE and part in _entry(base).parts:
                yield base


def _guess(word: str) -> str:
    """Return an unknown word without the ending of a plural, a past or a participle."""
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2 and any(vowel in stem for vowel in "aeiouy"):
            if stem[-1] == stem[-2] and stem[-1] not in "lsz":
                return stem[:-1]
            return stem + "e" if stem[-1] in "cgvuz" else stem
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


@lru_cache(maxsize=_CACHED)
def _entry(word: str) -> _Entry:
    line = _find(_wordnet().words, word)
    if line is None:
        return _Entry()
    cells = (line.split("\t") + [""] * 4)[:5]
    parts, same, derived, opposite, kinds = cells
    return _Entry(
        parts,
        frozenset(same.split()),
        frozenset(derived.split()),
        frozenset(opposite.split()),
        tuple(map(int, kinds.split())),
    )


def _irregular(form: str) -> list[str]:
    line = _find(_wordnet().forms, form)
    return line.split(" ") if line else []


def _find(lines: list[str], word: str) -> str | None:
    """Return what follows a word and a tab in sorted lines."""
    key = word + "\t"
    at = bisect_left(lines, key)
    return lines[at][len(key) :] if at < len(lines) and lines[at].startswith(key) else None


@lru_cache(maxsize=_CACHED)
def _ancestors(word: str) -> Mapping[int, int]:
    """Return the kinds above a noun, with the least number of steps to each."""
    found: dict[int, int] = {}
    level = set(_entry(word).kinds)
    steps = 0
    while level:
        steps += 1
        level = {parent for kind in level for parent in _kind(kind)[0]} - found.keys()
        found.update(dict.fromkeys(level, steps))
    return found


@lru_cache(maxsize=_CACHED)
def _kind(number: int) -> tuple[tuple[int, ...], int]:
    """Return the parents of a kind, and how many words lie below it."""
    parents, _, below = _wordnet().kinds[number].partition("\t")
    return tuple(map(int, parents.split())), int(below)


def _width(kind: int) -> int:
    return _kind(kind)[1]


@cache
def _wordnet() -> _WordNet:
    return _WordNet(*(_lines(name) for name in ("words", "forms", "kinds")))


def _lines(name: str) -> list[str]:
    packed = files("halubot.compare").joinpath("data", f"{name}.tsv.gz").read_bytes()
    return gzip.decompress(packed).decode().split("\n")


@cache
def _hand() -> _Hand:
    text = files("halubot.compare").joinpath("data", "english.toml").read_text(encoding="utf-8")
    tables: dict[str, str] = tomllib.loads(text)
    modals: dict[str, Modal] = {}
    for name in get_args(Modal):
        modals.update(dict.fromkeys(dict(_keyed(tables["modals"]))[name], name))
    return _Hand(
        quantifiers={
            word: float(value) for value, words in _keyed(tables["quantifiers"]) for word in words
        },
        modals=modals,
        empty=frozenset(word for group in _groups(tables["empty"]) for word in group),
        limits=frozenset(word for group in _groups(tables["limits"]) for word in group),
        opposites=_pairs(tables["opposites"]),
        converses=_pairs(tables["converses"]),
        synonyms=_mutual(_groups(tables["synonyms"])),
        not_synonyms=_pairs(tables["not_synonyms"]),
        not_opposites=_pairs(tables["not_opposites"]),
        forms={
            form: frozenset(_split(bases))
            for line in _rows(tables["forms"])
            for forms, _, bases in [line.partition(":")]
            for form in _split(forms)
        },
    )


def _rows(table: str) -> Iterator[str]:
    for line in table.splitlines():
        if line.strip() and not line.startswith("#"):
            yield line


def _split(words: str) -> list[str]:
    return [word.strip() for word in words.split(",")]


def _groups(table: str) -> Iterator[list[str]]:
    return map(_split, _rows(table))


def _keyed(table: str) -> Iterator[tuple[str, list[str]]]:
    for row in _rows(table):
        key, _, words = row.partition(":")
        yield key, _split(words)


def _pairs(table: str) -> Mapping[str, frozenset[str]]:
    """Parse rows of "a, b / c, d": every word of a side with every word of the other."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in _rows(table):
        left, _, right = row.partition("/")
        for one in _split(left):
            for other in _split(right):
                found[one].add(other)
                found[other].add(one)
    return {word: frozenset(others) for word, others in found.items()}


def _mutual(groups: Iterator[list[str]]) -> Mapping[str, frozenset[str]]:
    """Return for each word the other words of its groups."""
    found: dict[str, set[str]] = defaultdict(set)
    for group in groups:
        for word in group:
            found[word].update(group)
    return {word: frozenset(others - {word}) for word, others in found.items()}
