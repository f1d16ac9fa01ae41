"""Are two names the same? Case, accents, initials, titles, acronyms and a few aliases.

"J. R. Reynolds" is "John Russell Reynolds", "WHO" is "World Health Organization", "USA" is
"United States"; "John Reynolds" and "Joshua Reynolds" are two people, Henry VII and Henry VIII too.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from halubot.text import word_set
from halubot.values.units import read_table

_PARTS = read_table(Path(__file__).with_name("names.txt"))
TITLES = frozenset(" ".join(_PARTS["titles"]).split())
ALIASES = tuple(tuple(line.split("|")) for line in _PARTS["aliases"])
_CANONICAL = {name: line[0] for line in ALIASES for name in line}
IMPERSONAL = frozenset(" ".join(_PARTS["impersonal"]).split())
SMALL = word_set("the of and for in on at de la le du des der die das von van und y e")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@lru_cache(maxsize=1 << 14)
def fold(name: str) -> str:
    """A name in lower case without accents, full stops or other signs, words one space apart."""
    bare = name.casefold() if name.isascii() else _without_accents(name)
    return " ".join(word.removesuffix("'s") for word in _WORD.findall(bare))


def _without_accents(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.replace("’", "'"))  # "𝔸" has no lower case itself
    apart = unicodedata.normalize("NFKD", plain.casefold())
    return "".join(c for c in apart if not unicodedata.combining(c))


def canonical(name: str) -> str:
    """A folded name without its article, under its first alias."""
    folded = fold(name)
    if folded not in _CANONICAL:
        folded = folded.removeprefix("the ")
    return _CANONICAL.get(folded, folded)


def is_name(text: str) -> bool:
    """Return whether a text is written as a name: each word but "of", "the" and their like begins
    with a capital."""
    words = [word for word in _WORD.findall(text) if word.casefold() not in SMALL]
    return bool(words) and all(word[0].isupper() for word in words)


@lru_cache(maxsize=1 << 14)
def same_name(a: str, b: str) -> bool:
    """Return whether two names may stand for the same person, place or body. Symmetric; a blank
    name is the same only as another blank one."""
    mine, theirs = _read_name(a), _read_name(b)
    if mine.canonical == theirs.canonical:
        return True
    if not mine.person or not theirs.person:
        return False
    if mine.acronym in theirs.initials or theirs.acronym in mine.initials:
        return True
    if mine.impersonal or theirs.impersonal:
        return mine.content == theirs.content
    return _same_person(mine.person, theirs.person)


class _Name(NamedTuple):
    """A name read once for all names that it is compared with. ``person`` are its words without
    titles, ``content`` without small words; ``acronym`` is the name itself, in lower case, if it
    may be one, and ``initials`` are the acronyms that it may have; ``impersonal`` tells that it
    belongs to no person."""

    canonical: str
    person: list[str]
    content: frozenset[str]
    acronym: str
    initials: tuple[str, ...]
    impersonal: bool


@lru_cache(maxsize=1 << 13)
def _read_name(name: str) -> _Name:
    whole = canonical(name)
    words = whole.split()
    letters = name.strip().removeprefix("the ").replace(".", "")
    short = 2 <= len(letters) <= 8 and letters.isupper() and letters.isalpha()
    own = [word for word in words if word not in SMALL]
    initials = ["".join([word[0] for word in some]) for some in (words, own) if len(words) > 1]
    person = [word for word in words if word not in TITLES] or words
    return _Name(
        whole,
        person,
        frozenset(own),
        letters.lower() if short else "",
        tuple(filter(None, initials)),
        any(word in IMPERSONAL or word.isdigit() for word in words),
    )


def _same_person(mine: list[str], theirs: list[str]) -> bool:
    """The same surname, and no given name against another: what is left out may be anything,
    an initial stands for any name that it begins."""
    if mine[-1] != theirs[-1]:
        return False
    short, long = sorted((mine[:-1], theirs[:-1]), key=lambda given: (len(given), given))
    if not short:
        return True
    if not _same_given(short[0], long[0]):
        return False
    at = 1
    for given in short[1:]:
        while at < len(long) and not _same_given(given, long[at]):
            at += 1
        if at == len(long):
            return False
        at += 1
    return True


def _same_given(a: str, b: str) -> bool:
    return a == b or (min(len(a), len(b)) == 1 and a[0] == b[0])
