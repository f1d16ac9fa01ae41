"""Where a fact and a sentence meet: which of its words and values are there, and how they lie."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from halubot.match.claim import VALUE_WEIGHT, Claim, Weights
from halubot.match.names import same_name
from halubot.match.negation import Denial, denied
from halubot.match.textindex import SentenceIndex, TextIndex
from halubot.match.values import Value, compatible

# The share of a head that a sentence, or the one before it, must name.
HEADED = 0.5
# The share of a tail or relation below which a sentence says nothing of a claim.
ENOUGH = 0.5
_LINK = re.compile(r"\s*(?:,|and|or|,\s*and|&|und|/)\s*")
_LEADING = re.compile(r"(?:^|[,;–—]\s*)(?:[^\W\d_]+\s+){0,2}$")


class Meeting(NamedTuple):
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
        return _wording(self.claim, self.tail, self.relation)

    @property
    def opposed(self) -> bool:
        """Whether the sentence denies what the claim says, or says what it denies: most of the
        words in which they meet, those of the tail where there are any, stand under a negation
        here and not there. A clause holds its own subject, which no negation after it covers, so
        there the negations that cover any of its words are counted."""
        denials, own = self.sentence.denials, self.claim.denied
        if not denials and not own:
            return False
        if self.claim.clause:
            least, most = self._denials()
            return least == most and most % 2 != self.claim.denials % 2
        claim = self.claim
        values = dict.fromkeys(claim.numerals, VALUE_WEIGHT)
        for words in ({**claim.tail, **values}, claim.relation):
            met = {stem: weight for stem, weight in words.items() if stem in self.sentence.stems}
            against = sum(
                weight for stem, weight in met.items() if not self._agrees(stem, stem in own)
            )
            if met:
                return 2 * against > sum(met.values())
        return False

    def _denials(self) -> tuple[int, int]:
        """How many negations of the sentence cover a word of the claim: surely, and at most,
        where a word stands in it twice."""
        denials = self.sentence.denials
        sure: set[Denial] = set()
        possible: set[Denial] = set()
        for stem in self.claim.tail:
            places = [self.sentence.tokens[at].start for at in self.sentence.stems.get(stem, ())]
            covering = [{d for d in denials if d.start <= at < d.end} for at in places]
            if covering:
                sure |= set.intersection(*covering)
                possible |= set.union(*covering)
        return len(sure), len(possible)

    def _agrees(self, stem: str, is_denied: bool) -> bool:
        """Whether this stem stands somewhere in the sentence with that polarity."""
        return any(
            denied(self.sentence.denials, self.sentence.tokens[at].start) == is_denied
            for at in self.sentence.stems[stem]
        )

    def context(self) -> float:
        """The share of the other content words of the fact's sentence found in this one."""
        return share(self.claim.context, self.sentence)

    def bound(self) -> tuple[Value, ...]:
        """The values of the claim's kind that belong to its relation here: those that follow
        its words, as far as a list goes, and one that opens the clause before them."""
        if not self.claim.values:
            return ()
        own = self.claim.values[0]
        values = [
            value
            for value in self.sentence.values
            if value.kind == own.kind or compatible(own, value)
        ]
        places = self._places()
        if len(values) < 2 or not places:
            return tuple(values)
        return tuple(_bound(self.sentence, values, max(places)))

    def _places(self) -> list[int]:
        """Where the relation's words stand; of a word that stands there twice, the place nearest
        to the head."""
        stems = self.sentence.stems
        heads = [stems[stem] for stem in self.claim.head if stem in stems]
        found: list[int] = []
        for stem in self.claim.relation:
            ats = stems.get(stem, [])
            if len(ats) > 1 and heads:
                ats = [min(ats, key=lambda at: sum(min(abs(at - h) for h in hs) for hs in heads))]
            found.extend(self.sentence.tokens[at].start for at in ats)
        return found


def meetings(claim: Claim, index: TextIndex) -> tuple[list[Meeting], float]:
    """The sentences that hold enough of a claim to say something of it, in order, and the
    largest share of its wording in any sentence."""
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
    met: list[Meeting] = []
    most = 0.0
    for number in {**tails, **relations, **found}:
        held = found.get(number, ())
        words = tails.get(number, 0.0)
        tail = relation = 1.0
        if claim.tail_weight:
            tail = (words + VALUE_WEIGHT * len(held)) / claim.tail_weight
        if claim.relation_weight:
            relation = relations.get(number, 0.0) / claim.relation_weight
        most = max(most, _wording(claim, tail, relation))
        if (
            tail >= ENOUGH
            or (claim.relation and relation >= ENOUGH)
            or (claim.tail and words >= ENOUGH * claim.tail_words)
        ):
            missing = tuple(value for value in claim.values if value not in held)
            headed = not claim.head or _headed(claim, index, number)
            sentence = index.sentences[number]
            met.append(Meeting(claim, sentence, tail, relation, headed, missing))
    met.sort(key=lambda meeting: meeting.sentence.number)
    return met, most


def lacks(claim: Claim, index: TextIndex) -> bool:
    """Whether a text nowhere holds some value, name or code of the claim, in any form."""
    if not all(index.holding(value) for value in (*claim.values, *claim.settings)):
        return True
    missing = [stem for stem in claim.required if stem not in index.where]
    return bool(missing) and not (
        claim.name
        and any(
            same_name(claim.name, sentence.plain[start:end])
            for sentence in index.sentences
            for start, end in sentence.names
        )
    )


def _wording(claim: Claim, tail: float, relation: float) -> float:
    total = claim.tail_weight + claim.relation_weight
    return (tail * claim.tail_weight + relation * claim.relation_weight) / total if total else 0.0


def share(words: Weights, sentence: SentenceIndex) -> float:
    """The share of these words, by weight, in a sentence; 0 where there are none."""
    total = sum(words.values())
    met = sum(weight for stem, weight in words.items() if stem in sentence.stems)
    return met / total if total else 0.0


def _headed(claim: Claim, index: TextIndex, number: int) -> bool:
    """Whether a sentence, or the one before it, names the claim's head: most of its words and
    all of its names."""
    return any(
        share(claim.head, sentence) >= HEADED and claim.titled <= sentence.stems.keys()
        for sentence in index.sentences[max(0, number - 1) : number + 1]
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
