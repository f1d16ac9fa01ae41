"""Tagged words grouped into phrases: noun phrases, verb groups, and the marks between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from halubot.extract import english_words as lex
from halubot.extract.tokenizer import Word
from halubot.extract.verbgroups import Kind, Phrase, low_at, tag_at, verb_group

_NOUNS: Final = frozenset({"NN", "NP", "CD", "DA"})
_MODIFIERS: Final = _NOUNS | {"JJ"}


_EXTENTS: Final = lex.words("long wide high tall deep old thick apart")  # "5 metres long"


def phrases(words: Sequence[Word]) -> list[Phrase]:
    """The phrases of a sentence, covering its words in order."""
    found: list[Phrase] = []
    i = 0
    while i < len(words):
        phrase = (
            _set_phrase(words, i) or _noun(words, i) or verb_group(words, i) or _single(words, i)
        )
        found.append(phrase)
        i = phrase.last
    return found


def _set_phrases() -> dict[str, list[tuple[Kind, tuple[str, ...]]]]:
    """Prepositions and adverbs of several words, by their first word, longest first."""
    known: dict[str, list[tuple[Kind, tuple[str, ...]]]] = {}
    kinds: tuple[tuple[Kind, tuple[tuple[str, ...], ...]], ...] = (
        ("prep", lex.COMPOUND_PREPOSITIONS),
        ("adv", lex.ADVERB_PHRASES),
    )
    for kind, group in kinds:
        for parts in sorted(group, key=len, reverse=True):
            known.setdefault(parts[0], []).append((kind, parts))
    return known


_SET_PHRASES: Final = _set_phrases()


def _set_phrase(words: Sequence[Word], i: int) -> Phrase | None:
    for kind, parts in _SET_PHRASES.get(words[i].low, ()):
        if all(low_at(words, i + k) == part for k, part in enumerate(parts)):
            return Phrase(kind, i, i + len(parts), i)
    return None


def _noun(words: Sequence[Word], i: int) -> Phrase | None:
    """A noun phrase: determiner, modifiers, head; possessives chain ("France's capital")."""
    start = i
    if words[i].tag == "PR":
        return Phrase("noun", i, i + 1, i)
    i = _approximators(words, i)
    negated = False
    if tag_at(words, i) in ("DT", "PS"):
        while tag_at(words, i) in ("DT", "PS"):
            negated |= words[i].low in ("no", "neither")
            i += 1
        if low_at(words, i) == "of":
            return Phrase("noun", start, i, i - 1, negated=negated)
        i = _approximators(words, i)
    head = end = -1
    while i < len(words):
        tag = words[i].tag
        if tag in _NOUNS:
            numbered = tag == "CD" and head >= 0 and words[head].tag in ("NN", "NP")
            head = head if numbered else i
            between = tag == "CD" and low_at(words, i + 1) == "to" and tag_at(words, i + 2) == "CD"
            end = i = i + (3 if between else 1)  # "four to six weeks"
            if low_at(words, i) in _EXTENTS and any(word.tag == "CD" for word in words[start:i]):
                end = i = i + 1
        elif (
            tag == "JJ"
            or (tag == "RB" and head < 0 and _grades(words, i))
            or (tag in ("VG", "VN") and head < 0 and i > start and _inner_participle(words, i))
        ):
            i += 1
        elif tag == "GE" and (head >= 0 or words[start].tag == "PR"):
            i += 1
            if tag_at(words, i) not in _MODIFIERS and tag_at(words, i) not in ("RB", "VG"):
                break
        elif tag in (",", "CC") and head < 0 and _joins_adjectives(words, start, i):
            i += 1
        else:
            break
    if head < 0:
        if i == start:
            return None
        if words[i - 1].tag == "JJ":
            bare = words[start].tag not in ("DT", "PS")
            return Phrase("adj" if bare else "noun", start, i, i - 1, negated=negated)
        if words[start].tag in ("DT", "PS"):
            return Phrase("noun", start, i, i - 1, negated=negated)
        return None
    # adjectives after the head are a predicate of their own ("a diet high in sugar")
    if end < i and words[end].tag == "GE":
        end += 1
    return Phrase("noun", start, end, head, negated=negated)


def _approximators(words: Sequence[Word], i: int) -> int:
    """Past "more than", "about", "at least" where a number follows."""
    for phrase in lex.APPROXIMATORS.get(words[i].low, ()) if i < len(words) else ():
        j = i + len(phrase)
        if tag_at(words, j) in ("CD", "DA") and all(
            words[i + k].low == part for k, part in enumerate(phrase)
        ):
            return j
    return i


def _grades(words: Sequence[Word], i: int) -> bool:
    """Whether an adverb belongs to the adjective or number after it ("very large")."""
    if words[i].low in lex.DISCOURSE:
        return False
    following = tag_at(words, i + 1)
    return following in ("JJ", "CD") or (
        following == "VN" and i > 0 and words[i - 1].tag in ("DT", "PS", "JJ", "RB", "GE")
    )


def _inner_participle(words: Sequence[Word], i: int) -> bool:
    return words[i - 1].tag in ("DT", "PS", "JJ", "CD", "GE", "RB") and tag_at(words, i + 1) in (
        "NN",
        "NP",
        "JJ",
    )


def _joins_adjectives(words: Sequence[Word], start: int, i: int) -> bool:
    """A comma or "and" between two adjectives before one noun."""
    if i == start or words[i - 1].tag not in ("JJ", "CD") or words[i - 1].tag == "CD":
        return False
    j = i + 1
    if words[i].tag == "," and tag_at(words, j) == "CC":
        j += 1
    while tag_at(words, j) == "RB":
        j += 1
    after = tag_at(words, j + 1)
    if words[start].tag in ("DT", "PS") and tag_at(words, j) == "NN" and after == "NN":
        return True
    return tag_at(words, j) == "JJ" and after in ("NN", "JJ", "NP")


_SINGLES: Final[dict[str, Kind]] = {
    "IN": "prep",
    "TO": "prep",
    "CC": "and",
    ",": ",",
    "SB": "sub",
    "RL": "rel",
    "JJ": "adj",
    "RB": "adv",
    "NG": "adv",
}


def _single(words: Sequence[Word], i: int) -> Phrase:
    return Phrase(_SINGLES.get(words[i].tag, "mark"), i, i + 1, i)
