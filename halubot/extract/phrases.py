"""Tagged words grouped into phrases: noun phrases, verb groups, and the marks between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from halubot.extract import lexicon as lex
from halubot.extract.words import Word

Kind = Literal["noun", "verb", "to", "prep", "and", ",", "sub", "rel", "adj", "adv", "mark"]
Mood = Literal["", "finite", "part", "ing", "inf", "base"]

_VERBAL: Final = lex.words("BE HV DO MD VB VZ VD VN VG")
_MODIFIERS: Final = lex.words("JJ CD NN NP DA")
_NOUNS: Final = lex.words("NN NP CD DA")


class Phrase(NamedTuple):
    """The words ``first:last``; ``head`` is the noun or main verb. ``mood`` is of verb groups:
    finite, "part"iciple, "ing" form, "inf"initive or bare "base"."""

    kind: Kind
    first: int
    last: int
    head: int
    mood: Mood = ""
    negated: bool = False
    passive: bool = False


def phrases(words: Sequence[Word]) -> list[Phrase]:
    """The phrases of a sentence, covering its words in order."""
    found: list[Phrase] = []
    i = 0
    while i < len(words):
        phrase = _set_phrase(words, i) or _noun(words, i) or _verb(words, i) or _single(words, i)
        found.append(phrase)
        i = phrase.last
    return found


def _tag(words: Sequence[Word], i: int) -> str:
    return words[i].tag if 0 <= i < len(words) else ""


def _low(words: Sequence[Word], i: int) -> str:
    return words[i].low if 0 <= i < len(words) else ""


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
        if all(_low(words, i + k) == part for k, part in enumerate(parts)):
            return Phrase(kind, i, i + len(parts), i)
    return None


def _noun(words: Sequence[Word], i: int) -> Phrase | None:
    """A noun phrase: determiner, modifiers, head; possessives chain ("France's capital")."""
    start = i
    if words[i].tag == "PR":
        return Phrase("noun", i, i + 1, i)
    i = _approximators(words, i)
    negated = False
    if _tag(words, i) in ("DT", "PS"):
        while _tag(words, i) in ("DT", "PS"):
            negated |= words[i].low in ("no", "neither")
            i += 1
        if _low(words, i) == "of":
            return Phrase("noun", start, i, i - 1, negated=negated)
        i = _approximators(words, i)
    head = end = -1
    while i < len(words):
        tag = words[i].tag
        if tag in _NOUNS:
            numbered = tag == "CD" and head >= 0 and words[head].tag in ("NN", "NP")
            head = head if numbered else i
            end = i = i + 1
        elif tag == "JJ" or (tag == "RB" and head < 0 and _grades(words, i)):
            i += 1
        elif tag in ("VG", "VN") and head < 0 and i > start and _inner_participle(words, i):
            i += 1
        elif tag == "GE" and (head >= 0 or words[start].tag == "PR"):
            i += 1
            if _tag(words, i) not in _MODIFIERS and _tag(words, i) not in ("RB", "VG"):
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
        if _tag(words, j) in ("CD", "DA") and all(
            words[i + k].low == part for k, part in enumerate(phrase)
        ):
            return j
    return i


def _grades(words: Sequence[Word], i: int) -> bool:
    """Whether an adverb belongs to the adjective or number after it ("very large")."""
    if words[i].low in lex.DISCOURSE:
        return False
    following = _tag(words, i + 1)
    return following in ("JJ", "CD") or (
        following == "VN" and i > 0 and words[i - 1].tag in ("DT", "PS", "JJ", "RB", "GE")
    )


def _inner_participle(words: Sequence[Word], i: int) -> bool:
    return words[i - 1].tag in ("DT", "PS", "JJ", "CD", "GE", "RB") and _tag(words, i + 1) in (
        "NN",
        "NP",
        "JJ",
    )


def _joins_adjectives(words: Sequence[Word], start: int, i: int) -> bool:
    """A comma or "and" between two adjectives before one noun."""
    if i == start or words[i - 1].tag not in ("JJ", "CD") or words[i - 1].tag == "CD":
        return False
    j = i + 1
    if words[i].tag == "," and _tag(words, j) == "CC":
        j += 1
    while _tag(words, j) == "RB":
        j += 1
    after = _tag(words, j + 1)
    if words[start].tag in ("DT", "PS") and _tag(words, j) == "NN" and after == "NN":
        return True
    return _tag(words, j) == "JJ" and after in ("NN", "JJ", "NP")


def _verb(words: Sequence[Word], i: int) -> Phrase | None:
    """A verb group with its auxiliaries, adverbs, negation, and the verbs it governs
    ("was created to implement", "began playing")."""
    start = i
    while _tag(words, i) in ("RB", "NG"):
        i += 1
    infinitive = _tag(words, i) == "TO"
    if infinitive:
        j = i + 1
        while _tag(words, j) in ("RB", "NG"):
            j += 1
        if _tag(words, j) not in ("VB", "BE", "HV", "DO"):
            return None
        i = j
    if _tag(words, i) not in _VERBAL:
        return None
    first = _tag(words, i)
    low = words[i].low
    mood: Mood = "finite"
    if infinitive:
        mood = "inf"
    elif first == "VN":
        mood = "part"
    elif first == "VG" or low in ("being", "having"):
        mood = "ing"
    elif first == "VB" or low == "be":
        mood = "base"
    head = i
    negated = any(word.tag == "NG" for word in words[start:i])
    passive = False
    end = i
    while end < len(words):
        tag = words[end].tag
        if tag in _VERBAL:
            passive = tag == "VN" and _was_be(words, start, end)
            head = end
            end += 1
        elif tag in ("RB", "NG"):
            ahead = end
            while _tag(words, ahead) in ("RB", "NG"):
                ahead += 1
            if _tag(words, ahead) in _VERBAL and words[head].tag in ("BE", "HV", "DO", "MD"):
                negated |= any(word.tag == "NG" for word in words[end:ahead])
                end = ahead
            elif tag == "NG":
                negated = True
                end += 1
            elif words[end].low in lex.PARTICLES and words[head].tag not in (
                "BE",
                "HV",
                "DO",
                "MD",
            ):
                end += 1
                break
            else:
                break
        elif tag == "CC" and end > start and _joined_verb(words, head, end):
            end += 1
            while _tag(words, end) in ("RB", "NG"):
                end += 1
        elif _is_particle(words, end) and words[head].tag not in ("BE", "HV", "DO", "MD"):
            end += 1
            break
        elif tag == "TO" and _governs(words, end):
            end += 1
            while _tag(words, end) in ("RB", "NG"):
                end += 1
        elif (
            tag == "JJ"
            and words[head].tag == "BE"
            and _tag(words, end + 1) == "TO"
            and _governs(words, end + 1)
        ):
            end += 1
        else:
            break
        if tag in ("VB", "VZ", "VD", "VN", "VG") and _tag(words, end) in (
            "VZ",
            "VD",
            "BE",
            "HV",
            "MD",
            "DO",
        ):
            break
    return Phrase("verb", start, end, head, mood, negated, passive)


def _joined_verb(words: Sequence[Word], head: int, end: int) -> bool:
    """Whether "and" joins two verbs with one object ("written and directed")."""
    if words[end].low not in ("and", "or") or head != end - 1:
        return False
    j = end + 1
    while _tag(words, j) == "RB":
        j += 1
    same = _tag(words, j) == words[head].tag and words[head].tag in ("VB", "VZ", "VD", "VN", "VG")
    return same and _tag(words, j + 1) not in ("CC", ",", ".", "")


def _is_particle(words: Sequence[Word], i: int) -> bool:
    """A preposition with no noun to govern ("take off, hover")."""
    return (
        words[i].tag == "IN"
        and words[i].low in lex.PARTICLES
        and _tag(words, i + 1) in (",", ".", "CC", "IN", "TO", "")
    )


def _was_be(words: Sequence[Word], start: int, end: int) -> bool:
    j = end - 1
    while j >= start and words[j].tag in ("RB", "NG"):
        j -= 1
    return j >= start and words[j].tag == "BE"


def _governs(words: Sequence[Word], i: int) -> bool:
    j = i + 1
    while _tag(words, j) in ("RB", "NG"):
        j += 1
    return _tag(words, j) in ("VB", "BE", "HV", "DO")


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
