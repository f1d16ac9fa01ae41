"""Two words that look alike: the same word in another spelling, or another term?

Letters in common say nothing between terms: "hypotension" and "hypertension" share ten of eleven,
and so do "prednisone" and "prednisolone". Two words are one only if they differ in spelling,
inflection or derivation, or mean the same by the dictionary.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from halubot.compare.lexicon import lemmas, related_words, synonyms
from halubot.compare.tokens import stem, tokens

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
