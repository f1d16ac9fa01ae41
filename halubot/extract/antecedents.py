"""What "who", "which" and participles are about: the noun read last, or the clause's subject."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from halubot.extract.nouns import Item, Nouns
from halubot.extract.subjects import may_be_people


class Latest(NamedTuple):
    """The noun read last, None before any: whether it describes the subjects ("is a *band*"),
    whether "with" governs it, whether it tells where, and whether its verb is "to be"."""

    noun: Item | None = None
    describes: bool = False
    within: bool = False
    placed: bool = False
    copula: bool = False


def antecedent(
    nouns: Nouns, latest: Latest, main: Sequence[Item], subjects: Sequence[Item]
) -> Item | None:
    """What a relative clause or participle is about: the noun before it, or the subject where
    that noun describes it ("X is a band that ..."). None where several subjects may be meant."""
    noun = latest.noun
    if noun and noun.last and nouns.words[noun.last - 1].tag in ("DA", "CD"):
        noun = None  # "in 1484, which declared": not the year
    if noun is None:
        meant = subjects if latest.describes or len(main) != 1 else main
        return meant[0] if len(meant) == 1 else None
    if latest.describes and len(subjects) == 1:
        return subjects[0]
    return nouns.named(noun)


def who(latest: Latest, meant: Item | None, subjects: Sequence[Item]) -> Item | None:
    """``meant``, or the subject where "who" cannot be that: "born in Paris, who"."""
    if meant is None or len(subjects) != 1:
        return meant
    place = latest.placed and meant.name and may_be_people(subjects[0])
    return subjects[0] if place or not may_be_people(meant) else meant
