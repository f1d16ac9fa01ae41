"""A fact in the form in which other texts are asked for it."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from halubot.facts import Fact
from halubot.compare.forms import name_runs
from halubot.compare.mentions import Name
from halubot.compare.negation import Denial
from halubot.compare.relations import (
    AGREED,
    BIRTH,
    COPULAS,
    DEATH,
    DONE,
    INSIDE,
    LIGHT,
    MADE,
    MARKS,
    OFTEN,
    ONCE,
    ORDERED,
    PLACED,
)
from halubot.compare.values import Value, find
from halubot.compare.tokens import Token, normal, tokens

# How much a word weighs when it is looked for: names tell more than common words.
NAME_WEIGHT = 2.0
VALUE_WEIGHT = 3.0

Weights = dict[str, float]


def share(words: Weights, among: Container[str]) -> float:
    """The share of these words, by weight, among some stems; 0 where there are none."""
    total = sum(words.values())
    met = sum(weight for stem, weight in words.items() if stem in among)
    return met / total if total else 0.0


class Part(NamedTuple):
    """A part of a fact, or a sentence around it: its tokens, values and names, found once."""

    text: str
    tokens: tuple[Token, ...]
    values: tuple[Value, ...]
    names: tuple[str, ...]

    def weights(self) -> Weights:
        """The content stems with their weights, those inside the values left out."""
        found: Weights = {}
        for token in self.tokens:
            if token.kind == "stop" or any(v.start <= token.start < v.end for v in self.values):
                continue
            weight = NAME_WEIGHT if token.text[0].isupper() else 1.0
            found[token.norm] = max(weight, found.get(token.norm, 0.0))
        return found

    def named(self, stems: Weights, *, names: bool, clause: bool = False) -> frozenset[str]:
        """The stems of names and codes ("18p") among these. A clause begins with a capital
        anyway."""
        return frozenset(
            token.norm
            for at, token in enumerate(self.tokens)
            if token.norm in stems
            and (
                token.kind == "number"
                or (names and token.text[0].isupper() and not (clause and not at))
            )
        )


def part(text: str, start: int = 0, end: int | None = None) -> Part:
    """The part of a text between two places."""
    end = len(text) if end is None else end
    found = tokens(text, start, end)
    names = tuple(text[slice(*run)] for run in name_runs(text, found))
    return Part(text, found, find(text, start, end), names)


@dataclass(frozen=True)
class Around:
    """The sentences a fact stands in: their content words, all their stems, their values, and
    where they deny."""

    words: Weights
    stems: frozenset[str]
    values: tuple[Value, ...]
    tokens: tuple[Token, ...]
    denials: tuple[Denial, ...]

    @cached_property
    def denying(self) -> frozenset[str]:
        """The stems of the words that deny, as "failed to" and "never": they say nothing else."""
        return frozenset(
            token.norm
            for denial in self.denials
            for token in self.tokens
            if denial.cue <= token.start < denial.start
        )


@dataclass(frozen=True)
class Claim:
    """A fact in the form in which texts are asked for it.

    ``head`` is empty where the fact is about the subject of the message, which other texts may
    not name. ``relation`` and ``tail`` are stems with weights, without values. ``required`` are the
    stems of its names and codes, none of which may be missing, ``titled`` those of the head,
    ``own`` those of the subject's name. ``numerals`` are the digits of its ``values`` as stems;
    ``settings`` are the values in its head and relation, which must be there too ("pitched over
    200 innings in"). ``slot`` is the preposition or copula before the value, ``counted`` the thing
    that it counts, ``name`` the name that the tail is or ends in ("architect Ada Weir"), ``names``
    are those in all its parts.
    ``denied`` are the fact's own stems that its sentence denies, ``denials`` counts the negations
    over them. ``subject`` is the name of what it is about, without stems where that has none.
    ``passive`` says that the relation is done to the head, ``listed`` that the message gives
    several values to the same head and relation, ``clause`` that the fact has no parts.
    ``predicate`` is the copula where the head is said to be "the" one that is something,
    ``role`` says that the head is what one alone is now ("the capital of Norway is")."""

    fact: Fact
    head: Weights
    relation: Weights
    tail: Weights
    required: frozenset[str]
    titled: frozenset[str]
    own: Weights
    values: tuple[Value, ...]
    numerals: frozenset[str]
    settings: tuple[Value, ...]
    slot: str
    counted: str
    denied: frozenset[str]
    denials: int
    name: str
    names: tuple[str, ...]
    clause: bool
    subject: Name
    passive: bool
    listed: bool
    predicate: str
    role: bool
    around: Around

    @cached_property
    def context(self) -> Weights:
        """The content words around the fact, beside its tail and the subject's name."""
        return {
            stem: weight
            for stem, weight in self.around.words.items()
            if stem not in self.tail and stem not in self.own
        }

    @cached_property
    def words(self) -> Weights:
        """The stems of the relation and the tail."""
        return {**self.relation, **self.tail}

    @cached_property
    def event(self) -> Weights:
        """The content words around the fact, its own names left out: they may be exchanged."""
        names = self.required | self.titled | self.own.keys()
        return {stem: weight for stem, weight in self.around.words.items() if stem not in names}

    @cached_property
    def exact(self) -> frozenset[str]:
        """The stems of the names and codes of all its parts."""
        return self.required | self.titled

    @cached_property
    def tail_words(self) -> float:
        """The weight of the tail's words."""
        return sum(self.tail.values())

    @cached_property
    def tail_weight(self) -> float:
        """The weight of the tail, its values included."""
        return self.tail_words + VALUE_WEIGHT * len(self.values)

    @cached_property
    def relation_weight(self) -> float:
        """The weight of the relation's words."""
        return sum(self.relation.values())

    @cached_property
    def life(self) -> str:
        """ "birth" or "death" where the claim is a date of the life of somebody with a name, or
        of the message's subject, else empty."""
        if (self.head and not self.titled) or self.tail or self.denied or not self.values:
            return ""
        if self.values[0].kind != "date" or len(self.values) > 1:
            return ""
        stems = set(self.relation)
        if stems == {BIRTH}:
            return "birth"
        return "death" if stems == {DEATH} else ""

    @cached_property
    def vital(self) -> bool:
        """Whether the relation is a birth or a death."""
        return BIRTH in self.relation or DEATH in self.relation

    @cached_property
    def once(self) -> bool:
        """Whether the relation can have one value only."""
        words = self.tail if self.clause else self.relation
        return (
            any(stem in ONCE for stem in words)
            or bool(self.slot in INSIDE and self.relation and self.relation.keys() <= PLACED)
            or (
                bool(self.relation)
                and (bool(self.head) or self.passive)
                and self.relation.keys() <= DONE | MARKS
            )
            or (bool(self.head) and self.passive and bool(self.relation.keys() & AGREED))
        )

    @property
    def slot_is_copula(self) -> bool:
        """Whether the head is said to be the tail."""
        return self.slot in COPULAS

    @cached_property
    def located(self) -> bool:
        """Whether the claim says no more than where its head is, or what it is part of."""
        verb, *rest = self.fact.triple.relation.split() or [""]
        return verb in COPULAS and " ".join(rest) in {self.slot, "part of"}

    @cached_property
    def surname(self) -> str:
        """The stem of the last word of ``name``, empty where there is none."""
        return normal(self.name.rsplit(maxsplit=1)[-1]) if self.name else ""

    @cached_property
    def ordered(self) -> bool:
        """Whether what one does here to another is not done back."""
        return "than" in self.around.stems or not ORDERED.isdisjoint(self.relation)

    @cached_property
    def exclusive(self) -> bool:
        """Whether another head would exclude the claim's."""
        return self.ordered or self.predicate != "" or not MADE.isdisjoint(self.relation)

    @cached_property
    def agent(self) -> bool:
        """Whether the tail is the one that does it: "was founded by Ada Weir"."""
        return self.slot == "by" and bool(self.name)

    @cached_property
    def often(self) -> bool:
        """Whether the relation can hold again with another value."""
        return any(stem in OFTEN for stem in self.relation)

    @cached_property
    def specific(self) -> int:
        """How many words of the relation say which event it is."""
        return sum(stem not in LIGHT for stem in self.relation)
