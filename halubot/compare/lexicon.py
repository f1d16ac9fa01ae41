"""Lexical knowledge of English: base forms, synonyms, opposites, derivations and kinds of things.

The tables come from WordNet 3.0 (`tools/build_lexicon.py`) and from `data/english.toml`, which is
written by hand and goes before WordNet. They load at the first call, once a process. Every word
given and returned is in lower case.
"""

from __future__ import annotations

import gzip
import re
import tomllib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from halubot.compare.word_tables import parse_opposites, rows

Part = Literal["n", "v", "a", "r"]
"""A part of speech: noun, verb, adjective, adverb."""

Modal = Literal["must", "should", "may", "cannot", "need not"]
"""A class of modal words: how an action stands with duty and permission."""

_DATA: Final = Path(__file__).parent / "data"
_CACHED: Final = 1 << 13
# Caches keep thousands of words of which nothing is known: a set of its own for each would take
# memory, and time whenever garbage is collected.
_NONE: Final[frozenset[str]] = frozenset()
_NO_KINDS: Final[frozenset[int]] = frozenset()
_NO_MARKS: Final[frozenset[int | str]] = frozenset()

# The rules of WordNet's morphy; `_spellings` narrows them and adds doubled consonants.
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
_ENDINGS: Final = tuple(sorted({ending for rules in _RULES.values() for ending, _ in rules}))
_PARTS: Final[tuple[Part, ...]] = get_args(Part)
_DOUBLING: Final = frozenset({"ed", "ing", "er", "est"})
_SHORTEST_BASE: Final = 2
# The kinds of nouns come with up to three senses; the third is rare ("lodge", a physicist).
_USUAL_SENSES: Final = 2
_HISSING: Final = ("s", "x", "z", "ch", "sh", "o")
# One vowel and one consonant, which doubles before "-ed", "-ing", "-er".
_SHORT_STEM: Final = re.compile(r"[^aeiouy]*[aeiouy][^aeiouywx]")


class _Entry(NamedTuple):
    """The entry of a word in WordNet."""

    parts: str = ""
    synonyms: frozenset[str] = _NONE
    related: frozenset[str] = _NONE
    antonyms: frozenset[str] = _NONE
    kinds: tuple[int, ...] = ()


_UNKNOWN: Final = _Entry()


class _Kind(NamedTuple):
    """A sense of nouns, by the numbers of others and of groups of alternatives."""

    parents: tuple[int, ...]
    groups: tuple[int, ...]
    wholes: tuple[int, ...]


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
    frequencies: Mapping[str, float]
    modals: Mapping[str, Modal]
    empty: frozenset[str]
    limits: Mapping[str, str]
    opposites: Mapping[str, frozenset[str]]
    converses: Mapping[str, frozenset[str]]
    synonyms: Mapping[str, frozenset[str]]
    not_synonyms: Mapping[str, frozenset[str]]
    not_opposites: Mapping[str, frozenset[str]]
    alternatives: Mapping[str, frozenset[str]]
    not_alternatives: Mapping[str, frozenset[str]]
    derivations: Mapping[str, frozenset[str]]
    forms: Mapping[str, frozenset[str]]
    words: frozenset[str]
    phrases: frozenset[str]


@lru_cache(maxsize=_CACHED)
def lemmas(word: str) -> frozenset[str]:
    """Return every base form that the word can have, over nouns, verbs, adjectives and adverbs.

    A word that no table knows gives itself and a guess without its ending.
    """
    word = word.replace("’", "'")
    given = _hand().forms.get(word)
    if given is not None:
        return given
    irregular = _irregular(word)
    found = {base for part in _PARTS for base in _bases(word, part, irregular)}
    if not found and word.endswith(("'s", "s'")):
        return lemmas(word.removesuffix("'s").removesuffix("'"))
    return frozenset(found or {word, _guess(word)})


def is_known(lemma: str) -> bool:
    """Return true for a base form that a table holds."""
    return bool(_entry(lemma).parts) or lemma in _hand().words


def knows(word: str) -> bool:
    """Return true for a word that is a form of a base form that a table holds."""
    return any(map(is_known, lemmas(word)))


def parts_of_speech(lemma: str) -> frozenset[Part]:
    """Return the parts of speech of a base form; empty for an unknown word."""
    return _parts(_entry(lemma).parts)


@cache
def _parts(letters: str) -> frozenset[Part]:
    return frozenset(part for part in _PARTS if part in letters)


@lru_cache(maxsize=_CACHED)
def related_words(lemma: str) -> frozenset[str]:
    """Return the words derived from this one or that it derives from, one step away."""
    found = _entry(lemma).related | _hand().derivations.get(lemma, _NONE)
    return found - antonyms(lemma) or _NONE


@lru_cache(maxsize=_CACHED)
def synonyms(lemma: str) -> frozenset[str]:
    """Return the words that can say the same; never an opposite."""
    hand = _hand()
    known = _entry(lemma)
    wrong = hand.not_synonyms.get(lemma, _NONE) | hand.opposites.get(lemma, _NONE)
    found = hand.synonyms.get(lemma, _NONE) | (known.synonyms - wrong - known.antonyms)
    return found or _NONE


@lru_cache(maxsize=_CACHED)
def antonyms(lemma: str) -> frozenset[str]:
    """Return the words of opposite meaning; never a synonym that is set by hand."""
    hand = _hand()
    wrong = hand.not_opposites.get(lemma, _NONE) | hand.synonyms.get(lemma, _NONE)
    return hand.opposites.get(lemma, _NONE) | (_entry(lemma).antonyms - wrong) or _NONE


@lru_cache(maxsize=_CACHED)
def are_alternatives(one: str, other: str) -> bool:
    """Return true for two nouns of one kind of which a thing is seldom both: violin, trumpet.

    Neither is a kind of the other or a part of it; they are no synonyms and not derived from
    each other.
    """
    if one == other or other in synonyms(one) or other in related_words(one):
        return False
    hand = _hand()
    if other in hand.not_alternatives.get(one, _NONE):
        return False
    if other in hand.alternatives.get(one, _NONE):
        return True
    if not _groups_of(one) & _groups_of(other):
        return False
    if set(_entry(one).kinds) & set(_entry(other).kinds):
        return False
    pairs = ((one, other), (other, one))
    return not any(is_kind_of(*pair) or is_part_of(*pair) for pair in pairs)


@lru_cache(maxsize=_CACHED)
def is_kind_of(one: str, other: str) -> bool:
    """Return true if what the first noun names is, in a usual sense, the second: dog, animal.

    A noun is no kind of itself.
    """
    above = _kinds_above(one)
    return one != other and any(kind in above for kind in _entry(other).kinds[:_USUAL_SENSES])


@lru_cache(maxsize=_CACHED)
def is_part_of(one: str, other: str) -> bool:
    """Return true if what the first noun names is part of the second: finger, hand."""
    found: set[int] = set()
    waiting = list(_entry(one).kinds)
    while waiting:
        for whole in _kind(waiting.pop()).wholes:
            if whole not in found:
                found.add(whole)
                waiting.append(whole)
    return one != other and not found.isdisjoint(_entry(other).kinds)


def usual_kinds(noun: str) -> tuple[int, ...]:
    """Return the numbers of the usual senses of a noun. What `is_kind_of` finds to be a kind of it
    has one of them in `kinds_above`."""
    return _entry(noun).kinds[:_USUAL_SENSES]


def kinds_above(noun: str) -> frozenset[int]:
    """Return the numbers of all that a noun is a kind of, in its usual senses."""
    return _kinds_above(noun)


def rival_marks(noun: str) -> frozenset[int | str]:
    """Return marks of which `are_alternatives` needs two words to share one. Only few words that
    share one are alternatives."""
    groups, by_hand = _groups_of(noun), _hand().alternatives.get(noun, _NONE)
    return groups | by_hand | {noun} if groups or by_hand else _NO_MARKS


def phrases() -> frozenset[str]:
    """Return the phrases that have synonyms, opposites or converses: "carry out", "at least".

    The functions above take them as they take words, their first word in its base form.
    """
    return _hand().phrases


def quantifier(word: str) -> float | None:
    """Return the share of a whole that a quantifier speaks of: 1 for "all", 0 for "none"."""
    return _hand().quantifiers.get(word)


def modal(words: str) -> Modal | None:
    """Return the class of a modal word or phrase: "must" for "have to"."""
    return _hand().modals.get(words)


def modal_phrases() -> Mapping[str, Modal]:
    """Return all modal words and phrases with their classes."""
    return _hand().modals


def quantifiers() -> Mapping[str, float]:
    """Return all quantifying words and phrases with the share that they speak of."""
    return _hand().quantifiers


def frequency(words: str) -> float | None:
    """Return how often a word or phrase says that something happens, from 0 to 1."""
    return _hand().frequencies.get(words)


def frequencies() -> Mapping[str, float]:
    """Return all words and phrases of frequency, with how often they say something happens."""
    return _hand().frequencies


def limits() -> Mapping[str, str]:
    """Return the words and phrases that limit a claim, with what each limits."""
    return _hand().limits


def is_empty(word: str) -> bool:
    """Return true for a word that adds nothing to a claim: "very", "also"."""
    return word in _hand().empty


def converses(lemma: str) -> frozenset[str]:
    """Return the words that tell the same event with its roles swapped: "sell" for "buy"."""
    return _hand().converses.get(lemma, _NONE)


def _bases(word: str, part: Part, irregular: list[str]) -> Iterator[str]:
    """Yield the base forms of a word as one part of speech. ``irregular`` are those that the
    tables give, each after the letter of its part of speech."""
    known = _entry(word).parts
    if part in known:
        yield word
    # "Number" and "offer" are no comparatives: a word that is no adjective is not one either.
    if part in "ar" and known and "a" not in known and "r" not in known:
        return
    given = [base[2:] for base in irregular if base[0] == part]
    yield from given
    if given or not word.endswith(_ENDINGS) or word.endswith("ss"):
        return
    for ending, new in _RULES[part]:
        if not word.endswith(ending):
            continue
        stem = word[: len(word) - len(ending)]
        for base in _spellings(stem, ending, new):
            if len(base) >= _SHORTEST_BASE and part in _entry(base).parts:
                yield base


def _spellings(stem: str, ending: str, new: str) -> Iterator[str]:
    """Yield the spellings of a base form that takes this ending: "stop" for "stopp", "-ed"."""
    if ending == "es" and not new and not stem.endswith(_HISSING):
        return
    if ending in _DOUBLING and not new:
        if _SHORT_STEM.fullmatch(stem):  # "rated" is no form of "rat"
            return
        if len(stem) > _SHORTEST_BASE and stem[-1] == stem[-2]:
            yield stem[:-1]
    yield stem + new


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
    lines = _wordnet().words
    at = _find(lines, word)
    if at is None:
        return _UNKNOWN
    cells = (lines[at].split("\t") + [""] * 4)[1:6]
    same, derived, opposite = (
        frozenset(lines[at + int(step)].partition("\t")[0] for step in cell.split()) or _NONE
        for cell in cells[1:4]
    )
    kinds = tuple(map(int, cells[4].split()))
    return _Entry(cells[0], same, derived, opposite, kinds)


def _irregular(form: str) -> list[str]:
    lines = _wordnet().forms
    at = _find(lines, form)
    return [] if at is None else lines[at].partition("\t")[2].split()


def _find(lines: list[str], word: str) -> int | None:
    """Return the place of the line that begins with a word and a tab, among sorted lines."""
    key = word + "\t"
    at = bisect_left(lines, key)
    return at if at < len(lines) and lines[at].startswith(key) else None


@lru_cache(maxsize=_CACHED)
def _kinds_above(word: str) -> frozenset[int]:
    found: set[int] = set()
    waiting = list(_entry(word).kinds[:_USUAL_SENSES])
    while waiting:
        for parent in _kind(waiting.pop()).parents:
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return frozenset(found) or _NO_KINDS


@lru_cache(maxsize=_CACHED)
def _groups_of(word: str) -> frozenset[int]:
    found = frozenset(group for kind in _entry(word).kinds for group in _kind(kind).groups)
    return found or _NO_KINDS


@lru_cache(maxsize=_CACHED)
def _kind(number: int) -> _Kind:
    cells = (_wordnet().kinds[number].split("\t") + [""] * 2)[:3]
    return _Kind(*(tuple(map(int, cell.split())) for cell in cells))


@cache
def _wordnet() -> _WordNet:
    return _WordNet(*(_lines(name) for name in ("words", "forms", "kinds")))


def _lines(name: str) -> list[str]:
    packed = (_DATA / f"{name}.tsv.gz").read_bytes()
    return gzip.decompress(packed).decode().split("\n")


@cache
def _hand() -> _Hand:
    text = (_DATA / "english.toml").read_text(encoding="utf-8")
    tables: dict[str, str] = tomllib.loads(text)
    quantifiers = {
        word: float(share) for share, words in _key(tables["quantifiers"]) for word in words
    }
    frequencies = {
        word: float(share) for share, words in _key(tables["frequencies"]) for word in words
    }
    limits = {word: kind for kind, words in _key(tables["limits"]) for word in words}
    limits |= dict.fromkeys(frequencies, "frequency")
    modals: dict[str, Modal] = {}
    classes = dict(_key(tables["modals"]))
    for name in get_args(Modal):
        modals |= dict.fromkeys(classes[name], name)
    forms: dict[str, frozenset[str]] = {
        word: frozenset({word}) for group in _groups(tables["unchanged"]) for word in group
    }
    for row in rows(tables["forms"]):
        written, _, bases = row.partition(":")
        forms |= dict.fromkeys(_split_words(written), frozenset(_split_words(bases)))
    pairs = {
        name: parse_opposites(tables[name], _split_words) for name in ("opposites", "converses")
    }
    tables["synonyms"] += (_DATA / "paraphrases.txt").read_text(encoding="utf-8")
    groups = {
        name: _mutual(_groups(tables[name])) for name in ("synonyms", "derivations", "alternatives")
    }
    known = frozenset[str]().union(*pairs.values(), *groups.values())
    return _Hand(
        quantifiers=quantifiers,
        frequencies=frequencies,
        modals=modals,
        empty=frozenset(word for group in _groups(tables["empty"]) for word in group),
        limits=limits,
        opposites=pairs["opposites"],
        converses=pairs["converses"],
        synonyms=groups["synonyms"],
        derivations=groups["derivations"],
        alternatives=groups["alternatives"],
        not_synonyms=parse_opposites(tables["not_synonyms"], _split_words),
        not_opposites=parse_opposites(tables["not_opposites"], _split_words),
        not_alternatives=parse_opposites(tables["not_alternatives"], _split_words),
        forms=forms,
        words=known.union(forms, quantifiers),
        phrases=frozenset(words for words in known if re.search(r"\w[ -]\w", words)),
    )


def _split_words(words: str) -> list[str]:
    return [word.strip() for word in words.split(",")]


def _groups(table: str) -> Iterator[list[str]]:
    return map(_split_words, rows(table))


def _key(table: str) -> Iterator[tuple[str, list[str]]]:
    for row in rows(table):
        key, _, words = row.partition(":")
        yield key, _split_words(words)


def _mutual(groups: Iterator[list[str]]) -> Mapping[str, frozenset[str]]:
    """Return for each word the other words of its groups."""
    found: dict[str, set[str]] = defaultdict(set)
    for group in groups:
        for word in group:
            found[word].update(group)
    return {word: frozenset(others - {word}) for word, others in found.items()}
