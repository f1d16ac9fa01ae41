"""Verb groups: a verb with its auxiliaries, adverbs and negation, and the verbs it governs
("was created to implement", "began playing", "written and directed").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from halubot.extract import english_words as lex
from halubot.extract.tokenizer import Word

Kind = Literal["noun", "verb", "to", "prep", "and", ",", "sub", "rel", "adj", "adv", "mark"]
Mood = Literal["", "finite", "part", "ing", "inf", "base"]

_AUXILIARIES: Final = frozenset({"BE", "HV", "DO", "MD"})
_FULL: Final = frozenset({"VB", "VZ", "VD", "VN", "VG"})
_VERBAL: Final = _AUXILIARIES | _FULL
_FINITE: Final = _AUXILIARIES | {"VZ", "VD"}
_BARE: Final = frozenset({"VB", "BE", "HV", "DO"})


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


def tag_at(words: Sequence[Word], i: int) -> str:
    """The tag of a word; empty outside the sentence."""
    return words[i].tag if 0 <= i < len(words) else ""


def low_at(words: Sequence[Word], i: int) -> str:
    """A word in lower case; empty outside the sentence."""
    return words[i].low if 0 <= i < len(words) else ""


def verb_group(words: Sequence[Word], start: int) -> Phrase | None:
    """The verb group that begins at ``start``; None where none does."""
    i = _past_adverbs(words, start)
    infinitive = tag_at(words, i) == "TO"
    if infinitive:
        i = _past_adverbs(words, i + 1)
        if tag_at(words, i) not in _BARE:
            return None
    if tag_at(words, i) not in _VERBAL:
        return None
    mood = "inf" if infinitive else _mood(words[i])
    head, end = i, i + 1
    while True:
        further = _further(words, head, end)
        if further <= end:
            break
        verb = next((k for k in range(end, further) if words[k].tag in _VERBAL), -1)
        end = further
        if verb < 0:
            continue
        head = verb
        if words[head].tag in _FULL and tag_at(words, end) in _FINITE:
            break  # the next clause's verb
    negated = any(word.tag == "NG" for word in words[start:end])
    return Phrase("verb", start, end, head, mood, negated, _is_passive(words, start, head))


def _mood(word: Word) -> Mood:
    if word.tag == "VN":
        return "part"
    if word.tag == "VG" or word.low in ("being", "having"):
        return "ing"
    return "base" if word.tag == "VB" or word.low == "be" else "finite"


def _past_adverbs(words: Sequence[Word], i: int) -> int:
    while tag_at(words, i) in ("RB", "NG"):
        i += 1
    return i


def _further(words: Sequence[Word], head: int, end: int) -> int:
    """How far the group goes on after ``end``, by one step; ``end`` where it is over."""
    tag = tag_at(words, end)
    auxiliary = words[head].tag in _AUXILIARIES
    if words[head].tag in _FULL and tag in _FINITE:
        return end
    if tag in _VERBAL:
        return end + 1
    if tag in ("RB", "NG"):
        ahead = _past_adverbs(words, end)
        if tag_at(words, ahead) in _VERBAL and auxiliary:
            return ahead + 1
        particle = words[end].low in lex.PARTICLES and not auxiliary
        return end + 1 if tag == "NG" or particle else end
    if tag == "CC" and _joins(words, head, end):
        return _past_adverbs(words, end + 1) + 1
    if _is_particle(words, end) and not auxiliary:
        return end + 1
    if tag == "TO" and _governs(words, end):
        return _past_adverbs(words, end + 1) + 1
    able = tag == "JJ" and words[head].tag == "BE" and tag_at(words, end + 1) == "TO"
    return end + 1 if able and _governs(words, end + 1) else end


def _joins(words: Sequence[Word], head: int, end: int) -> bool:
    """Whether "and" joins two verbs with one object ("written and directed")."""
    if words[end].low not in ("and", "or") or head != end - 1:
        return False
    j = _past_adverbs(words, end + 1)
    same = tag_at(words, j) == words[head].tag and words[head].tag in _FULL
    return same and tag_at(words, j + 1) not in ("CC", ",", ".", "")


def _is_particle(words: Sequence[Word], i: int) -> bool:
    """A preposition with no noun to govern ("take off, hover")."""
    return (
        tag_at(words, i) == "IN"
        and words[i].low in lex.PARTICLES
        and tag_at(words, i + 1) in (",", ".", "CC", "IN", "TO", "")
    )


def _governs(words: Sequence[Word], i: int) -> bool:
    """Whether "to" at ``i`` brings a verb."""
    return tag_at(words, _past_adverbs(words, i + 1)) in _BARE


def _is_passive(words: Sequence[Word], start: int, head: int) -> bool:
    if words[head].tag != "VN":
        return False
    j = head - 1
    while j >= start and words[j].tag in ("RB", "NG"):
        j -= 1
    return j >= start and words[j].tag == "BE"
