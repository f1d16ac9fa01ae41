"""Where a fact and a sentence meet: which of its words and values are there, and how they lie."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from halubot.match.claims import VALUE_WEIGHT, Claim, Weights
from halubot.match.negation import denied
from halubot.match.textindex import SentenceIndex, TextIndex
from halubot.match.values import Value, compatible

# The share of a head that a sentence, or the one before it, must name.
HEADED = 0.5
_LINK = re.compile(r"\s*(?:,|and|or|,\s*and|&|und|/)\s*")
_LEADING = re.compile(r"(?:^|[,;–—]\s*)(?:[^\W\d_]+\s+){0,2}$")


@dataclass(frozen=True, slots=True)
class Meeting:
    """A claim in a sentence. ``tail`` and ``relation`` are the shares, by weight, of the claim's
    tail (values included) and relation found there; 1 for a part that has no content words.
    ``missing`` are the claim's values not found there."""

    claim: Claim
    sentence: SentenceIndex
    tail: float
    relation: float
    headed: bool
    missing: tuple[Value, ...]

    @property
    def settled(self) -> bool:
        """Whether the values in the claim's head and relation are there."""
        return all(
            any(compatible(setting, value) for value in self.sentence.values)
            for setting in self.claim.settings
        )

    @property
    def wording(self) -> float:
        """The share of the claim's words and values, whatever their part."""
        claim = self.claim
        tail = sum(claim.tail.values()) + VALUE_WEIGHT * len(claim.values)
        relation = sum(claim.relation.values())
        total = tail + relation
        return (self.tail * tail + self.relation * relation) / total if total else 0.0

    @property
    def denied(self) -> bool:
        """Whether the sentence denies the words at which it meets the claim."""
        denials = self.sentence.denials
        return bool(denials) and denied(denials, self.anchor())

    def anchor(self) -> int:
        """Where the claim's telling word stands in the sentence: in its tail, else its relation."""
        for words in (self.claim.tail, self.claim.relation):
            for stem in words:
                if stem in self.sentence.stems:
                    return self.sentence.tokens[self.sentence.stems[stem][0]].start
        for value in self.sentence.values:
            if any(compatible(own, value) for own in self.claim.values):
                return value.start
        return self.sentence.start

    def context(self) -> float:
        """The share of the other content words of the fact's sentence found in this one."""
        return share(self.claim.context, self.sentence)

    def bound(self) -> tuple[Value, ...]:
        """The values of the claim's kind that belong to its relation here: those that follow
        its words, as far as a list goes, and one that opens the clause before them."""
        if not self.claim.values:
            return ()
        kind = self.claim.values[0].kind
        values = [value for value in self.sentence.values if value.kind == kind]
        places = [
            self.sentence.tokens[at].start
            for stem in self.claim.relation
            for at in self.sentence.stems.get(stem, ())
        ]
        if len(values) < 2 or not places:
            return tuple(values)
        return tuple(_bound(self.sentence, values, max(places)))


def meetings(claim: Claim, index: TextIndex) -> Iterator[Meeting]:
    """The sentences that share a word or a value with the claim."""
    tails: dict[int, float] = {}
    for stem, weight in claim.tail.items():
        for number in index.where.get(stem, ()):
            tails[number] = tails.get(number, 0.0) + weight
    relations: dict[int, float] = {}
    for stem, weight in claim.relation.items():
        for number in index.where.get(stem, ()):
            relations[number] = relations.get(number, 0.0) + weight
    found: dict[int, list[Value]] = {}
    for value in claim.values:
        for number in index.holding(value):
            found.setdefault(number, []).append(value)
    total = sum(claim.tail.values()) + VALUE_WEIGHT * len(claim.values)
    relation = sum(claim.relation.values())
    for number in sorted({*tails, *relations, *found}):
        held = found.get(number, ())
        met = tails.get(number, 0.0) + VALUE_WEIGHT * len(held)
        yield Meeting(
            claim,
            index.sentences[number],
            met / total if total else 1.0,
            relations.get(number, 0.0) / relation if relation else 1.0,
            not claim.head or _headed(claim.head, index, number),
            tuple(value for value in claim.values if value not in held),
        )


def share(words: Weights, sentence: SentenceIndex) -> float:
    """The share of these words, by weight, in a sentence; 0 where there are none."""
    total = sum(words.values())
    met = sum(weight for stem, weight in words.items() if stem in sentence.stems)
    return met / total if total else 0.0


def _headed(head: Weights, index: TextIndex, number: int) -> bool:
    return share(head, index.sentences[number]) >= HEADED or (
        number > 0 and share(head, index.sentences[number - 1]) >= HEADED
    )


def _bound(sentence: SentenceIndex, values: list[Value], place: int) -> Iterator[Value]:
    last: Value | None = None
    for value in values:
        if value.start < place:
            before = sentence.plain[sentence.start : value.start]
            if _LEADING.search(before):
                yield value
        elif last is None or _LINK.fullmatch(sentence.plain, last.end, value.start):
            yield value
            last = value
        else:
            return
