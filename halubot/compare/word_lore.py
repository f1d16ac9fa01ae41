"""What is known of a word: base forms, opposites, derivations, and the phrases it is part of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from halubot.compare import lexicon
from halubot.compare.operators import is_operator
from halubot.compare.tokens import Token, TokenKind, word_set

NOTHING: Final[frozenset[str]] = frozenset()
_NONE: Final[frozenset[int]] = frozenset()


class Lore(NamedTuple):
    """The knowledge of the lexicon on a word's base forms, all together: their ``parts`` of speech,
    ``opposites`` and ``converses``, the ``kinds`` of things they name and those ``above`` them,
    and the marks of their ``rivals`` (`lexicon.rival_marks`)."""

    parts: frozenset[str] = NOTHING
    opposites: frozenset[str] = NOTHING
    converses: frozenset[str] = NOTHING
    kinds: frozenset[int] = frozenset()
    above: frozenset[int] = frozenset()
    rivals: frozenset[int | str] = frozenset()


UNKNOWN: Final = Lore()
UNREAD: Final = frozenset("?")
"""The part of speech of a word in a language without a lexicon."""
_ADDRESSES: Final = word_set("mr mrs ms miss mx dr prof sir dame herr frau mme monsieur")
"""Words before a name that tell nothing of who it is; a judge or a queen is one."""
_EMPTY: Final = word_set(
    "be is are was were been being am have has had having do does did done doing will would shall"
    " get gets got getting thing things way ways also very really just even well quite rather"
    " there here then thus hence so too still already actually simply e.g i.e etc eg ie via per"
    " please note remember"
)


def find_phrases(tokens: tuple[Token, ...]) -> dict[int, str]:
    """The phrases of the lexicon, under the indexes of the tokens that they consist of; the first
    one wins if two meet."""
    found: dict[int, str] = {}
    lows = tuple([token.text.lower() for token in tokens])
    for first, (low, after) in enumerate(pairwise(lows)):
        # No word of a phrase begins with a digit, and each new number would stay in caches of
        # words. Most words begin no phrase at all.
        numbered = low[0].isdecimal() or after[:1].isdecimal()
        if first in found or numbered or not _phrases_from(low):
            continue
        for rest, phrase in _phrases_at(low, after):
            stop = first + 1 + len(rest)
            if rest[:-1] != lows[first + 1 : stop - 1] or stop > len(lows):
                continue
            # "Heart attacks" is the phrase too, so its last word may have another form.
            last = lows[stop - 1]
            if rest[-1] == last or (last.isalpha() and rest[-1] in lexicon.lemmas(last)):
                found |= dict.fromkeys(range(first, stop), phrase)
                break
    return found


_Ending: TypeAlias = tuple[tuple[str, ...], str]
"""All words of a phrase but the first, and the phrase."""
_Begun: TypeAlias = Mapping[str, list[_Ending]]
"""Phrases under their second words."""


@lru_cache(maxsize=1 << 13)
def _phrases_at(low: str, after: str) -> tuple[_Ending, ...]:
    """The phrases that may begin with a word in any form before another one; longest first. Only
    the last word of a phrase may have another form."""
    begun = _phrases_from(low)
    forms = lexicon.lemmas(after) if after.isalpha() else NOTHING
    found = [*begun.get(after, ())]
    for form in begun.keys() & forms - {after}:
        found += [one for one in begun[form] if len(one[0]) == 1]
    return tuple(sorted(found, key=_longest_first))


def _longest_first(one: _Ending) -> tuple[int, str]:
    rest, phrase = one
    return -len(rest), phrase


@lru_cache(maxsize=1 << 13)
def _phrases_from(low: str) -> _Begun:
    """The phrases that begin with a word in any form."""
    first, *others = [
        begun for base in lexicon.lemmas(low) if (begun := _phrases().get(base)) is not None
    ] or [{}]
    if not others:
        return first
    joined = {second: list(phrases) for second, phrases in first.items()}
    for begun in others:
        for second, phrases in begun.items():
            joined.setdefault(second, []).extend(phrases)
    return joined


@cache
def _phrases() -> Mapping[str, _Begun]:
    """All phrases under their first words."""
    found: dict[str, dict[str, list[_Ending]]] = {}
    for phrase in lexicon.phrases():
        first, *rest = phrase.replace("-", " ").split()  # a hyphen parts two tokens
        if not is_operator(phrase):
            found.setdefault(first, {}).setdefault(rest[0], []).append((tuple(rest), phrase))
    return found


class WordLore(NamedTuple):
    """The properties of a term that do not depend on its place."""

    low: str
    bases: frozenset[str]
    wide: frozenset[str]
    lore: Lore


@lru_cache(maxsize=1 << 13)
def word_lore(text: str, norm: str, kind: TokenKind) -> WordLore | None:
    """Return the lore of a word; None if it carries no meaning of its own."""
    low = text.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    if low in _EMPTY or low in _ADDRESSES or (kind != "name" and is_operator(low)):
        return None
    bases, wide = _forms(low, norm, kind)
    if kind == "name":  # of a name nothing else is asked
        converses = _converses(bases)
        return WordLore(low, bases, wide, Lore(converses=converses) if converses else UNKNOWN)
    lore = lore_of(bases)
    if low.endswith("ed") and low not in bases:  # "objected" is no noun: no product is an object
        lore = lore._replace(kinds=_NONE, above=_NONE)
    return WordLore(low, bases, wide, lore)


@lru_cache(maxsize=1 << 13)
def _forms(low: str, norm: str, kind: str) -> tuple[frozenset[str], frozenset[str]]:
    """The base forms of a word, and these with what means the same."""
    if kind == "number":
        only = frozenset({norm})
        return only, only
    own = {norm, low} if kind == "name" else set[str]()
    bases = lexicon.lemmas(low) | own
    wide = set(bases)
    for base in bases:
        wide |= lexicon.synonyms(base)
        wide |= lexicon.related_words(base)
    return bases, frozenset(wide) if len(wide) > len(bases) else bases


@lru_cache(maxsize=1 << 13)
def lore_of(bases: frozenset[str]) -> Lore:
    """Return the lore of some base forms in the lexicon."""
    parts = NOTHING.union(*map(lexicon.parts_of_speech, bases))
    # One empty set for all: thousands of words are kept, and of most there is little to know.
    return Lore(
        parts or NOTHING,
        NOTHING.union(*map(_antonyms, bases)) or NOTHING,
        _converses(bases),
        _NONE.union(*map(lexicon.usual_kinds, bases)) or _NONE,
        _NONE.union(*map(lexicon.kinds_above, bases)) or _NONE,
        UNKNOWN.rivals.union(*map(lexicon.rival_marks, bases)) or UNKNOWN.rivals,
    )


_PARTICLES: Final = word_set("about across away back down off on out over through up")


@lru_cache(maxsize=1 << 12)
def in_phrase(word: WordLore, phrase: str) -> WordLore:
    """Return the lore of a word and of the phrase that it is part of, together."""
    own = frozenset({phrase})
    # "Dropped out" says nothing of "lowered": with its particle a verb has another meaning.
    apart = phrase.replace("-", " ").split()[1] in _PARTICLES
    bases, kept = ({word.low}, NOTHING) if apart else (word.bases, word.wide)
    wide = kept | bases | own | lexicon.synonyms(phrase) | lexicon.related_words(phrase)
    opposites = word.lore.opposites | lexicon.antonyms(phrase)
    converses = word.lore.converses | lexicon.converses(phrase)
    lore = word.lore._replace(opposites=opposites, converses=converses)
    return WordLore(word.low, own | bases, wide, lore)


def _converses(bases: frozenset[str]) -> frozenset[str]:
    return NOTHING.union(*map(lexicon.converses, bases)) or NOTHING


# What is finally shown is no last one, and what opens shortly is not short.
_OWN_MEANING: Final = word_set("finally shortly highly fairly presently")


@lru_cache(maxsize=1 << 13)
def _antonyms(base: str) -> frozenset[str]:
    """The antonyms of a word, and of the adjective that an adverb comes from ("slowly")."""
    found = lexicon.antonyms(base)
    if lexicon.parts_of_speech(base) == {"r"} and base not in _OWN_MEANING:
        found = found.union(*(lexicon.antonyms(one) for one in lexicon.related_words(base)))
    return found


@lru_cache(maxsize=1 << 12)
def near_opposites(opposites: frozenset[str]) -> frozenset[str]:
    """The opposites of a word with what says the same as they do."""
    near = [lexicon.synonyms(one) | lexicon.related_words(one) for one in opposites]
    return opposites.union(*near)


def name_opener(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens of a sentence whose first word, which has its capital from opening it, is a name
    if no other reading is known: a word that is in no table, or a noun in the singular."""
    at = next((i for i, token in enumerate(tokens) if token.kind != "stop"), -1)
    if at < 0 or tokens[at].kind != "word" or not _may_be_name(tokens[at].text):
        return tokens
    if at + 1 < len(tokens) and _opens_compound(tokens[at], tokens[at + 1]):
        return tokens
    return (*tokens[:at], tokens[at]._replace(kind="name"), *tokens[at + 1 :])


@lru_cache(maxsize=1 << 13)
def _may_be_name(text: str) -> bool:
    low = text.lower().replace("’", "'").removesuffix("'s")
    if not text[:1].isupper() or is_operator(low):
        return False
    bases = lexicon.lemmas(low)
    if not any(map(lexicon.is_known, bases)):
        return True
    return _is_noun_only(bases) and low in bases and not low.endswith(_ABSTRACT)


def _is_noun_only(bases: frozenset[str]) -> bool:
    parts = frozenset[str]().union(*map(lexicon.parts_of_speech, bases))
    return bool(parts) and parts <= {"n"}


def _opens_compound(first: Token, second: Token) -> bool:
    """Return True for two nouns side by side: "heart inflammation"."""
    if second.kind != "word" or second.start != first.end + 1 or not second.text.islower():
        return False
    known = lexicon.is_known(first.text.lower())
    return known and _is_noun_only(lexicon.lemmas(second.text))


_ABSTRACT: Final = ("tion", "sion", "ment", "ness", "ity", "ism")
"""Endings of nouns that are no names: "reproduction"."""
