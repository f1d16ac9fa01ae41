"""Which words of a sentence in another language than English are names.

French and Spanish write names with a capital, German all nouns too, Chinese and Arabic have no
capitals. There only what its surroundings show to be a name is one: two capitalised words in a row,
what follows a title or a bare preposition, a known place, a Chinese surname with one or two
characters that belong to no other word. What is not known to be a name is compared as a word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from halubot.compare.multilingual.segmentation import Word
from halubot.compare.multilingual.vocabulary import Vocabulary
from halubot.compare.tokens import word_set

_BARE: Final = frozenset({"in", "nach", "aus"})
"""German prepositions after which a noun without an article is mostly the name of a place."""
_OF: Final = frozenset({"von", "bei"})
"""The same, if a noun stands before them: "der Turm von Falkenau"."""
_ADJECTIVE: Final = re.compile(r".+(?:e|en|er|es|em)")
_ARTICLE: Final = word_set(
    "der die das den dem des ein eine einer eines einem einen kein keine im am zum zur vom beim"
    " sein seine ihr ihre unser unsere dieser diese dieses seiner ihrer deren dessen"
)
_VERBAL: Final = ("ي", "ت", "س", "ن", "ال", "وال", "بال", "لل")
_LEADS: Final = word_set("由 被 是 让 和 与 跟 对 给 叫")
_CAPITALS: Final = 2
_OPENING: Final = (".", "«", "¿", "¡")


def find_names(
    plain: str, words: Sequence[Word], other: Collection[int], known: Vocabulary
) -> frozenset[int]:
    """Return the indexes of the words that are names. ``other`` are words known to be none."""
    free = [at not in other for at in range(len(words))]
    if known.code == "zh":
        return frozenset(_chinese(words, free, known))
    if known.code == "ar":
        return frozenset(_arabic(words, free, known))
    if known.code == "de":
        return frozenset(_german(plain, words, free, known))
    found = set()
    for at, word in enumerate(words):
        if not word.capital or not free[at] or word.low in known.stop:
            continue
        opens = at == 0 or plain[max(0, word.start - 2) : word.start].strip() in (
            ".",
            "«",
            "¿",
            "¡",
        )
        joined = at + 1 < len(words) and words[at + 1].capital and free[at + 1]
        joined = joined and plain[word.end : words[at + 1].start] in (" ", "-")
        if not opens or joined or _is_acronym(word.text):
            found.add(at)
    return frozenset(found)


def _is_acronym(text: str) -> bool:
    return len(text) >= _CAPITALS and text.isupper() and text.isascii()


def _german(plain: str, words: Sequence[Word], free: Sequence[bool], known: Vocabulary) -> set[int]:
    found = set[int]()
    at = 0
    while at < len(words):
        if not _may_be_german(words, free, at, known):
            at += 1
            continue
        last = at
        while (
            last + 1 < len(words)
            and _may_be_german(words, free, last + 1, known)
            and plain[words[last].end : words[last + 1].start] in (" ", "-")
        ):
            last += 1
        found |= _german_run(plain, words, at, last, known)
        at = last + 1
    return found


def _german_run(
    plain: str, words: Sequence[Word], at: int, last: int, known: Vocabulary
) -> set[int]:
    """The names in a row of capitalised words."""
    found = {one for one in range(at, last + 1) if _is_acronym(words[one].text)}
    hyphens = {one for one in range(at, last) if plain[words[one].end] == "-"}
    if hyphens:  # "Kellan-Brücke": a name, and what it names
        return found | hyphens
    before = words[at - 1].low if at else ""
    if last == at:
        noun = at > 1 and words[at - 2].capital
        bare = before in _BARE or (before in _OF and noun)
        bare = bare and words[at].low not in known.not_names
        return found | ({at} if bare else set())
    determined = before in _ARTICLE or (_ADJECTIVE.fullmatch(before) and before not in known.stop)
    titled = words[at].low in known.titles or words[at].low.endswith("in")
    # "Das Schloss Falkenau wurde": two nouns before the verb of a main clause are one thing, those
    # of "weil der Fluss Hochwasser führt" are two.
    opens = at == 1 or (at > 1 and plain[words[at - 2].end : words[at - 1].start].strip() != "")
    if last == at + 1 and determined and not titled and not opens:
        return found
    first = at + 1 if determined or titled else at
    return found | set(range(first, last + 1))


def _may_be_german(words: Sequence[Word], free: Sequence[bool], at: int, known: Vocabulary) -> bool:
    word = words[at]
    if not word.capital or not free[at] or word.low in known.stop:
        return False
    return at > 0 or not (word.low in known.not_names or _ADJECTIVE.fullmatch(word.low))


def _arabic(words: Sequence[Word], free: Sequence[bool], known: Vocabulary) -> set[int]:
    found = set()
    for at, word in enumerate(words):
        bare = word.low[1:] if word.low[:1] in "بلوف" else word.low
        if free[at] and (word.low in known.places or bare in known.places):
            found.add(at)
        if word.low not in known.titles or at + 2 >= len(words):
            continue
        given, family = words[at + 1], words[at + 2]
        if all(
            free[at + step]
            and one.low not in known.stop
            and not one.low.startswith(_VERBAL)
            and not one.low.endswith("ا")
            for step, one in ((1, given), (2, family))
        ):
            found |= {at + 1, at + 2}
    return found


def _chinese(words: Sequence[Word], free: Sequence[bool], known: Vocabulary) -> set[int]:
    found = set[int]()
    for at, word in enumerate(words):
        if not free[at] or at in found:
            continue
        person = word.kind == "nr" and word.low[:1] in known.surnames
        if len(word.low) > 1 and (person or word.kind in ("ns", "nt")):
            found.add(at)
        elif word.low in known.surnames and _stands_alone(words, at, known):
            found |= _full_name(words, free, at, known)
    return found


def _full_name(words: Sequence[Word], free: Sequence[bool], at: int, known: Vocabulary) -> set[int]:
    """A Chinese surname and the one or two characters of the given name."""
    last = at + 1
    if last >= len(words) or not free[last] or words[last].end - words[at].start > _NAME:
        return set()
    third = last + 1
    more = (
        words[last].end - words[at].start < _NAME
        and third < len(words)
        and len(words[third].low) == 1
        and free[third]
        and words[third].low not in known.stop
    )
    return {at, last, third} if more else {at, last}


_NAME: Final = 3
"""Characters of a Chinese name at most, if its surname has one."""


def _stands_alone(words: Sequence[Word], at: int, known: Vocabulary) -> bool:
    """Return True if a name may begin at a word: at the beginning, after a title or a particle."""
    if at == 0:
        return True
    before = words[at - 1].low
    return before in _LEADS or before in known.titles
