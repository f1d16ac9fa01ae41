"""Where a fact and a sentence meet: which of its words and values are there, and how they lie."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from halubot.compare.candidates import MOST, likeliest
from halubot.compare.claim import VALUE_WEIGHT, Claim, share
from halubot.compare.negation import Denial, denied
from halubot.compare.old_roles import is_about, other_doer
from halubot.compare.textindex import SentenceIndex, TextIndex
from halubot.compare.values import Value, compatible
from halubot.text import Span

# The share of a head that a sentence, or the one before it, must name.
HEADED = 0.5
# The share of a tail or relation below which a sentence says nothing of a claim.
ENOUGH = 0.5
# What a sentence calls another thing of the same kind.
_ANOTHER = "another other second third fourth new former earlier later"
ANOTHER = frozenset(_ANOTHER.split())
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
    def foreign(self) -> Span | None:
        """The name of somebody else who, by this sentence, does or is what the claim says."""
        claim = self.claim
        told = claim.agent or claim.ordered or claim.titled or not claim.head
        if claim.clause or not told:
            return None
        return other_doer(self.claim, self.sentence)

    @property
    def here(self) -> bool:
        """Whether the sentence itself is about the claim's head: it names it in full, or goes
        on with a pronoun after a sentence that does; a known subject need not be named."""
        sentence, head = self.sentence, self.claim.head
        named = not head or (share(head, sentence.stems) == 1.0 and not self._is_another())
        return named or (self.headed and sentence.continues)

    def _is_another(self) -> bool:
        """Whether the head stands here as another one of its kind: "a second bridge"."""
        first = min(at for stem in self.claim.head for at in self.sentence.stems[stem])
        before = self.sentence.tokens[first - 1].norm if first else ""
        return before in ANOTHER and before not in self.claim.around.stems

    @property
    def settled(self) -> bool:
        """Whether the values in the claim's head and relation are there."""
        return not self.claim.settings or all(
            any(compatible(setting, value) for value in self.sentence.values)
            for setting in self.claim.settings
        )

    @property
    def wording(self) -> float:
        """The share of the claim's words and values, whatever their part."""
        claim = self.claim
        total = claim.tail_weight + claim.relation_weight
        met = self.tail * claim.tail_weight + self.relation * claim.relation_weight
        return met / total if total else 0.0

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
        return share(self.claim.context, self.sentence.stems)

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


class Met(NamedTuple):
    """Where a claim meets a text: the sentences that hold enough of it to say something of it,
    in order, the largest share of its wording in any sentence, and whether all its values are
    somewhere in the text."""

    meetings: list[Meeting]
    wording: float
    complete: bool


def meetings(claim: Claim, index: TextIndex) -> Met:
    """The sentences in which a claim and a text meet."""
    held_by = [index.holding(value) for value in claim.values]
    likely = likeliest(claim, held_by, index) if len(index.sentences) > MOST else frozenset()
    tails = holding(claim.tail, index, likely)
    relations = holding(claim.relation, index, likely)
    heads: set[int] = set()
    if claim.head and not claim.relation:
        heads = {
            number
            for number in holding(claim.head, index, likely)
            if claim.head.keys() <= index.sentences[number].stems.keys()
        }
    found: dict[int, set[int]] = {}
    complete = True
    for which, numbers in enumerate(held_by):
        complete = complete and bool(numbers)
        for number in _first(numbers, likely):
            found.setdefault(number, set()).add(which)
    met: list[Meeting] = []
    most = 0.0
    whole, related = claim.tail_weight, claim.relation_weight
    some = ENOUGH * claim.tail_words
    for number in {**tails, **relations, **found, **dict.fromkeys(heads)}:
        held = found.get(number, ())
        worded, relation = tails.get(number, 0.0), relations.get(number, 0.0)
        told = worded + VALUE_WEIGHT * len(held)
        most = max(most, told + relation)
        if (
            told >= ENOUGH * whole
            or worded >= some > 0.0
            or relation >= ENOUGH * related > 0.0
            or number in heads
        ):
            missing = tuple(v for which, v in enumerate(claim.values) if which not in held)
            met.append(
                Meeting(
                    claim,
                    index.sentences[number],
                    told / whole if whole else 1.0,
                    relation / related if related else 1.0,
                    headed(claim, index, number),
                    missing,
                )
            )
    met.sort(key=lambda meeting: meeting.sentence.number)
    return Met(met, most / (whole + related) if whole + related else 0.0, complete)


def holding(
    words: Mapping[str, float], index: TextIndex, likely: Collection[int]
) -> dict[int, float]:
    """The sentences that hold any of these words, with the weight held. In a long text a word
    that very many hold brings in none but the likely ones, or the time would grow with the square
    of the length."""
    shares: dict[int, float] = {}
    stems = list(words)
    if len(index.sentences) > MOST:
        stems.sort(key=lambda stem: len(index.where.get(stem, ())))
    for stem in stems:
        numbers = index.where.get(stem, [])
        if len(numbers) > MOST:
            near = {*shares, *likely} if shares else {*numbers[:MOST], *likely}
            numbers = [number for number in near if stem in index.sentences[number].stems]
        for number in numbers:
            shares[number] = shares.get(number, 0.0) + words[stem]
    return shares


def _first(numbers: Sequence[int], likely: Collection[int]) -> Iterable[int]:
    """The first of these sentences, and the likely ones among the rest."""
    if len(numbers) <= MOST:
        return numbers
    return (*numbers[:MOST], *(number for number in numbers[MOST:] if number in likely))


def lacks(claim: Claim, met: Met, index: TextIndex) -> bool:
    """Whether a text nowhere holds some value, name or code of the claim, in any form."""
    if not met.complete or not all(index.holding(value) for value in claim.settings):
        return True
    if claim.required <= index.where.keys():
        return False
    near = index.where.get(claim.surname, ())[:MOST]
    return not any(index.sentences[number].named(claim.name) for number in near)


def headed(claim: Claim, index: TextIndex, number: int) -> bool:
    """Whether a sentence, the one before it, or the one that its pronoun goes back to names the
    claim's head: most of its words and all of its names. The subject of the message need not be
    named."""
    if not claim.head:
        return True
    back = index.taken_up[number]
    near: list[Collection[str]] = [
        index.sentences[at].stems for at in {back, max(0, number - 1), number} if at >= 0
    ]
    if back < 0:
        near.append(index.heading)
    return any(
        share(claim.head, stems) >= HEADED and claim.titled.issubset(stems) for stems in near
    )


def is_life(claim: Claim, sentence: SentenceIndex, index: TextIndex) -> bool:
    """Whether a date of a life that a text gives in this sentence may be that of whom the claim
    is about."""
    if claim.head:
        return headed(claim, index, sentence.number)
    return is_about(claim, sentence)


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
