"""The function words of a language that the comparison asks for, and those of English."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from halubot.compare import lexicon
from halubot.compare.tokens import word_set


class Grammar(NamedTuple):
    """The function words of a language that the comparison asks for. ``negative`` words near a term
    may deny it, ``skipped`` ones may stand between a preposition and what it leads to (``slots``),
    ``conditions`` open a condition, ``group`` is what belongs to a verb; with ``past`` and
    ``present`` a sentence tells what was and what is. With ``whole_clauses`` a denial covers what
    stands before it too, and word order tells no roles; with ``compounds`` one word may say what
    two words say. ``agents`` lead to who does something in a passive, ``articles`` to a noun;
    ``adverbs`` are words that stand anywhere. ``code`` is the language. Without ``words`` only
    values and names are compared."""

    negative: frozenset[str]
    skipped: frozenset[str]
    conditions: frozenset[str]
    group: frozenset[str]
    slots: frozenset[str]
    past: frozenset[str]
    present: frozenset[str]
    whole_clauses: bool = False
    compounds: bool = False
    agents: frozenset[str] = frozenset()
    articles: frozenset[str] = frozenset()
    adverbs: frozenset[str] = frozenset()
    code: str = "en"
    words: bool = True


_NEGATIVE: Final = word_set(
    "no not never none nobody nothing neither nor without cannot unable lack lacks lacked hardly"
    " refuse refuses refused refusal decline declines declined reject rejects rejected deny denies"
    " denied avoid avoids avoided prevent prevents prevented fail fails failed forbid forbidden"
    " forbids banned prohibited prohibits exclude excluded excludes except unless instead rather"
    " stop stops stopped few little rarely seldom less least but impossible"
)
_SKIPPED: Final = word_set(
    "the a an its his her their least most about around over under only nearly almost up"
)
"""What may stand between a preposition and the value or name that it leads to."""
_CONDITIONS: Final = word_set(
    "if unless provided whether when whenever without should once until in_case"
)
_GROUP: Final = word_set(
    "is are was were be been being am isn't aren't wasn't weren't has have had hasn't haven't"
    " hadn't do does did don't doesn't didn't will would won't wouldn't can could may might must"
    " shall should can't cannot couldn't mustn't shouldn't needn't not never no to a an the any"
    " longer ever yet need without"
)
_SLOTS: Final = word_set(
    "in at of to from by for on with as via into near under over through between against"
)
ENGLISH: Final = Grammar(
    _NEGATIVE, _SKIPPED, _CONDITIONS, _GROUP, _SLOTS, word_set("was were"), word_set("is are")
)
NAMES_ALONE: Final = ENGLISH._replace(words=False)
"""For a language of which no words are known."""


def is_past(lows: tuple[str, ...], grammar: Grammar) -> bool | None:
    """Return True if a sentence of these words says what something was, False if what it is; None
    if neither or both. "Was written" says nothing of the kind."""
    past = now = False
    for low, after in zip(lows, (*lows[1:], ""), strict=True):
        if low in grammar.past:
            past = past or not is_participle(after)
        if low in grammar.present:
            now = now or not is_participle(after)
    return past if past != now else None


@lru_cache(maxsize=1 << 14)
def is_participle(low: str) -> bool:
    """Return True for a form of a verb that may follow "was": "built", "seen"."""
    return low.endswith(("d", "n", "t")) and any(
        base != low and "v" in lexicon.parts_of_speech(base) for base in lexicon.lemmas(low)
    )
