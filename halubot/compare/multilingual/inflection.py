"""Base forms of words in other languages than English, and what is known to mean the same.

The stems come from Snowball. What its rules leave apart - German participles, strong verbs, the
prefix of an Arabic verb - gets a second base form, so that one of the two meets.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from typing import Final, NamedTuple

from halubot.compare.multilingual.vocabulary import Vocabulary

_STEMMERS: Final = {"de": "german", "fr": "french", "es": "spanish", "ar": "arabic"}
_ACCENTS: Final = re.compile("[\u0300-\u036f]")
_PREFIX: Final = (
    "ab|an|auf|aus|bei|ein|fest|fort|frei|heim|her|hin|los|mit|nach|nieder|statt|teil|um|vor|weg"
    "|wieder|zu|zurück|zusammen"
)
_PARTICIPLE: Final = re.compile(rf"(?P<prefix>{_PREFIX})?(?:ge|zu)(?P<rest>\w{{3,}}?)(?:e?t|en?)")
# The Arabic article with what is written together with it; the stemmer cuts other endings after it.
_ARTICLE: Final = re.compile("^[وف]?(?:[بك]?ال|لل)")
_SHORTEST: Final = 4
"""Letters of a stem that may lose its first or last one."""


class Related(NamedTuple):
    """The base forms of a word with those of its synonyms, and those of its opposites."""

    wide: frozenset[str]
    opposites: frozenset[str]


@lru_cache(maxsize=1 << 16)
def bases_of(low: str, known: Vocabulary) -> frozenset[str]:
    """Return the possible base forms of a folded word."""
    if known.code == "zh":
        return frozenset({low})
    stem = _stem(low, known.code)
    found = {stem}
    base = known.forms.get(low)
    if base is not None:
        found.add(_stem(base, known.code))
    if known.code == "de":
        found |= _german(low, stem, known)
    elif known.code == "ar" and len(stem) >= _SHORTEST and stem[0] in "يتن":
        found.add(stem[1:])
    return frozenset(found)


def _german(low: str, stem: str, known: Vocabulary) -> set[str]:
    found = set()
    if len(stem) > _SHORTEST and stem.endswith("t"):
        found.add(stem[:-1])
    participle = _PARTICIPLE.fullmatch(low)
    if participle:
        prefix, rest = participle["prefix"] or "", participle["rest"]
        strong = known.forms.get("ge" + rest + "en")
        for verb in {rest, strong} - {None}:
            found |= {prefix + _stem(str(verb), "de"), _stem(str(verb), "de")}
    return found


@lru_cache(maxsize=1 << 16)
def _stem(low: str, code: str) -> str:
    if code == "ar":
        bare = _ARTICLE.sub("", low)
        return _stemmer(code)(bare if len(bare) >= _SHORTEST - 1 else low)
    word = _stemmer(code)(low)
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", word))


@cache
def _stemmer(code: str) -> Callable[[str], str]:
    import snowballstemmer  # late: English needs none

    find: Callable[[str], str] = snowballstemmer.stemmer(_STEMMERS[code]).stemWord
    return find


@lru_cache(maxsize=1 << 16)
def related_to(bases: frozenset[str], known: Vocabulary) -> Related:
    """Return what means the same as a word with these base forms, and what is its opposite."""
    synonyms, opposites = _tables(known)
    against = frozenset[str]().union(*[opposites.get(one, ()) for one in bases])
    same = bases.union(*[synonyms.get(one, ()) for one in bases])
    return Related(same - against | bases, against - bases)


@cache
def _tables(
    known: Vocabulary,
) -> tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]]:
    return _by_base(known.synonyms, known), _by_base(known.opposites, known)


def _by_base(table: Mapping[str, Iterable[str]], known: Vocabulary) -> Mapping[str, frozenset[str]]:
    """A table of words as a table of base forms."""
    found: dict[str, frozenset[str]] = {}
    for word, others in table.items():
        own = frozenset[str]().union(*[_main(one, known) for one in others])
        for base in _main(word, known):
            found[base] = found.get(base, frozenset()) | own
    return found


def _main(word: str, known: Vocabulary) -> frozenset[str]:
    """The base forms of a word of the tables; a guess of a second one would join too much."""
    return frozenset({word if known.code == "zh" else _stem(word, known.code)})
