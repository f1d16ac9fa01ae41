"""From differences between two sentences to a stance: supports, contradicts or silent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from halubot.compare.alignment import Alignment
from halubot.compare.alternatives import Conflict, Kind
from halubot.compare.analysis import Analysis, Term
from halubot.compare.proof import (
    COVERED_BY_SAMPLE,
    COVERED_WITH_ALL,
    WHOLLY,
    Claim,
    find_support,
    find_support_with_all,
    names_thing,
)
from halubot.compare.replacement import find_replacement
from halubot.compare.source_text import Text
from halubot.compare.word_lore import UNREAD
from halubot.report import Stance
from halubot.text import Document, Span
from halubot.values.comparison import same


class Finding(NamedTuple):
    """The stance of one text on one fact.

    ``strength`` is in 0..1: how fully a text supports, how sure a contradiction is, or how much
    of the fact's wording a silent text holds (always below COVERED). ``other.text[start:end]`` is
    the sentence that says so, ``other.text[value_start:value_end]`` the rival ``value`` as
    written there (None if there is none); a silent text has 0 for all of them. ``note`` is
    for people. ``lacking`` says that a silent text nowhere holds some value, name or code that
    the fact gives, in any form: its words alone then bear out nothing. ``near`` is the sentence
    of a silent text that says nearly the same of the same, if there is one. ``absent``
    is the place of a value of the fact that the text nowhere holds, ``claim`` that of the words
    that a text contradicts; both are places in the message."""

    stance: Stance
    strength: float
    start: int = 0
    end: int = 0
    value: str | None = None
    note: str = ""
    value_start: int = 0
    value_end: int = 0
    lacking: bool = False
    near: Span | None = None
    absent: Span | None = None
    claim: Span | None = None


OPPOSITE: Final = "says the opposite"
"""The note of a text that denies what a fact says, or says what it denies."""

UNNAMED: Final = Finding("silent", 0.0, lacking=True)
"""What a passage says of a fact that it does not name."""


class Compared(NamedTuple):
    """The stances of one text on each fact of a message and each of its sentences: that supports
    a sentence which says the same with the same values, and contradicts one of which it has
    another value; it is silent on all others. ``named`` tells of which facts it may speak."""

    facts: list[Finding]
    sentences: list[Finding]
    named: list[bool]


Grade = Literal["sure", "likely"]


class Difference(NamedTuple):
    """A conflict, and what the two texts around it tell: the claim's value or name is ``unseen``
    in the whole source, the source's one is ``foreign`` to the whole message. ``share`` is the
    weight of the claim sentence that is aligned, or of its clause, if that is more; ``place`` is
    the rank of the source sentence. ``by_pronoun`` says that a pronoun stands in the source for
    its name."""

    conflict: Conflict
    unseen: bool
    foreign: bool
    share: float
    place: int
    by_pronoun: bool = False


class Beside(NamedTuple):
    """One sentence of the message beside one of a source, with what was found there and how much
    each difference weighs (`grade`)."""

    alignment: Alignment
    differences: tuple[Difference, ...]
    grades: tuple[Grade | None, ...]


class Need(NamedTuple):
    """The needs of a contradiction of one kind: how much of its surroundings and
    of its sentence is aligned. Of several any one is enough."""

    context: float
    share: float


NEEDS: Final[dict[Kind, tuple[Need, ...]]] = {
    "value": (Need(0.15, 0.2),),
    "unit": (Need(0.0, 0.2),),
    "name": (Need(0.45, 0.25),),
    "opposite": (Need(0.15, 0.3),),
    "noun": (Need(0.6, 0.5),),
    "polarity": (Need(0.6, 0.5), Need(0.4, 0.6)),
    "modal": (Need(0.3, 0.3),),
    "quantity": (Need(0.4, 0.4),),
    "link": (Need(0.15, 0.3),),
    "roles": (Need(0.0, 0.4),),
    "cause": (),
}


IN_SLOT: Final[dict[Kind, tuple[Need, ...]]] = {
    "name": (Need(0.1, 0.25),),
    "noun": (Need(0.5, 0.5),),
}
"""The same if one preposition leads to both sides."""


SEEN: Final[dict[Kind, tuple[Need, ...]]] = {
    "value": (Need(0.8, 0.7),),
    "name": (Need(0.8, 0.7),),
    "opposite": (Need(0.8, 0.7),),
}
"""The same if both sides stand elsewhere in the other text too, or one does."""
HALF_SEEN: Final[dict[Kind, tuple[Need, ...]]] = {"opposite": (Need(0.5, 0.7),)}
"""The same if only the source's word stands in the message: "rose" beside "fell" in a text on other
things that fell too."""


LIKELY: Final[dict[Kind, tuple[Need, ...]]] = {
    "value": (Need(0.0, 0.15),),
    "unit": (Need(0.0, 0.15),),
    "name": (Need(0.0, 0.2),),
    "opposite": (Need(0.0, 0.15),),
    "noun": (Need(0.1, 0.25),),
    "polarity": (Need(0.3, 0.35),),
    "modal": (Need(0.1, 0.2),),
    "quantity": (Need(0.15, 0.25),),
    "link": (Need(0.0, 0.3),),
    "roles": (Need(0.0, 0.3),),
    "cause": (Need(0.6, 0.2),),
}
"""What a difference needs to cast doubt, if it is no contradiction."""


UNSEEN: Final[frozenset[Kind]] = frozenset({"value", "unit", "name", "opposite", "noun"})
"""Kinds of which neither side may stand in the other text: what a text says elsewhere is seldom
what it denies here. Measured on everyday text, this parts right marks from wrong ones best."""


def grade(difference: Difference) -> Grade | None:
    """Return "sure" for a contradiction, "likely" for a difference that casts doubt."""
    conflict = difference.conflict
    # A contradiction is shown as an error, so it must be right; a doubt only asks a person to look.
    needs, likely = NEEDS[conflict.kind], LIKELY[conflict.kind]
    if conflict.kind in UNSEEN and not (difference.unseen and difference.foreign):
        # Of two names that both texts have, a pronoun may stand for either.
        needs, likely = () if difference.by_pronoun else SEEN.get(conflict.kind, ()), ()
        if difference.unseen:
            needs += HALF_SEEN.get(conflict.kind, ())
        if conflict.kind == "value" and conflict.alike and difference.unseen:
            likely = (Need(0.3, 0.2),)
    elif conflict.slot:
        needs += IN_SLOT.get(conflict.kind, ())
    if _meets(difference, needs):
        return "sure"
    return "likely" if _meets(difference, likely) else None


def _meets(difference: Difference, needs: Sequence[Need]) -> bool:
    context, share = difference.conflict.context, difference.share
    return any(context >= need.context and share >= need.share for need in needs)


def holds(difference: Difference) -> bool:
    """Return True if a difference is a contradiction."""
    return grade(difference) == "sure"


class Stances:
    """The stances of one text on claims. ``beside`` holds what stands beside each sentence of the
    message, ``given`` the words that a claim need not say: those of the subject and the title."""

    def __init__(
        self,
        message: Document,
        sentences: Sequence[Analysis],
        beside: Sequence[Sequence[Beside]],
        text: Text,
        given: frozenset[str],
    ) -> None:
        self._message = message
        self._sentences = sentences
        self._beside = beside
        self._text = text
        self._given = given | text.topic
        self._lacking: dict[int, list[int]] = {}

    def of_fact(self, claims: Sequence[Claim], wholes: Sequence[Sequence[Claim]]) -> Finding:
        """Return the stance on a fact. A source that is silent on it by its words supports it if it
        says the whole sentence and nothing in it otherwise."""
        found = self.of(claims)
        if found.stance != "silent" or found.claim is not None:
            return found
        for claim in claims:
            beside = self._beside[claim.sentence]
            if any("sure" in one.grades for one in beside):
                continue
            equal = [one.alignment for one in beside if not one.differences]
            (whole,), sentence = wholes[claim.sentence], self._sentences[claim.sentence]
            sample = self._text.covered == COVERED_BY_SAMPLE
            place = find_support_with_all(claim, whole, sentence, equal, self._given, sample=sample)
            if place is not None:
                return Finding("supports", COVERED_WITH_ALL, *place, note="says nearly so")
        return found

    def of(self, claims: Sequence[Claim]) -> Finding:
        """Return the stance on a fact, whose claims in several sentences are alternatives."""
        best: tuple[float, Grade, Conflict, Beside] | None = None
        partly: Span | None = None
        for claim in claims:
            free = []
            beside = self._beside[claim.sentence]
            nearest = max((one.alignment.share for one in beside), default=0.0)
            for one in beside:
                touching = False
                for difference, graded in zip(one.differences, one.grades, strict=True):
                    conflict = difference.conflict
                    if not _touches(conflict, claim):
                        continue
                    # "(1815-1853)" gives two facts. A wrong year of death must not mark the birth
                    # as well.
                    if _is_of_other_end(one.alignment, conflict, claim.tail):
                        continue
                    touching = True
                    # What speaks of the matter half as much as another sentence is no doubt.
                    far = one.alignment.share < nearest / 2
                    if graded is None or (graded == "likely" and far):
                        continue
                    # The second part is below 1, so any contradiction outweighs any doubt.
                    strength = (graded == "sure") + conflict.context * one.alignment.share
                    if best is None or strength > best[0]:
                        best = strength, graded, conflict, one
                if not touching:
                    free.append(one.alignment)
            sentence = self._sentences[claim.sentence]
            # Full support is looked for before conflicts count: a text that says the claim itself
            # does not deny it with another sentence.
            place = find_support(claim, sentence, free, self._given, WHOLLY)
            if place is not None:
                return Finding("supports", 1.0, *place, note="says so too")
            partly = partly or find_support(claim, sentence, free, self._given, self._text.covered)
        # What says nearly all of a claim supports it unless another sentence says otherwise.
        if partly is not None and (best is None or best[1] != "sure"):
            return Finding("supports", self._text.covered, *partly, note="says nearly so")
        if best is not None:
            return self._otherwise(*best)
        return self._silence(claims)

    def _otherwise(
        self, strength: float, graded: Grade, conflict: Conflict, beside: Beside
    ) -> Finding:
        """Return what a text says that differs from a claim: a contradiction if that is sure."""
        alignment, document = beside.alignment, self._text.document
        found = find_replacement(alignment, conflict, self._message.plain, document.plain)
        claim, (start, end) = found or (conflict.claim, conflict.source)
        written = document.text[start:end]
        replaces = found is not None
        return Finding(
            "contradicts" if graded == "sure" else "silent",
            strength,
            *alignment.source.span,
            value=written if replaces else None,
            note=OPPOSITE if conflict.kind == "polarity" else f"says {written}",
            value_start=start if replaces else 0,
            value_end=end if replaces else 0,
            # These kinds are conflicts only because the text lacks the value; shared words must
            # then not count as support.
            lacking=conflict.kind in UNSEEN,
            claim=claim,
            near=alignment.source.span,
        )

    def _silence(self, claims: Sequence[Claim]) -> Finding:
        """Return what a text that neither supports nor contradicts a fact lacks of it."""
        near = next((one[0].alignment for c in claims if (one := self._beside[c.sentence])), None)
        lacking = next(
            (
                self._sentences[claim.sentence].terms[index]
                for claim in claims
                for index in self._lacking_of(claim.sentence)
                if index in claim.terms
            ),
            None,
        )
        if self._text.chosen and near is not None:
            for claim in claims:
                beside = self._beside[claim.sentence]
                place = _find_replaced(claim, beside[0].alignment) if beside else None
                if place is not None:
                    span = near.source.span
                    return Finding("silent", near.share, lacking=True, near=span, claim=place)
        absent = lacking if near is not None else None
        return Finding(
            "silent",
            near.share if near else 0.0,
            lacking=lacking is not None,
            near=near.source.span if near else None,
            absent=(absent.start, absent.end) if absent else None,
        )

    def _lacking_of(self, number: int) -> list[int]:
        """The values and names of a sentence that the text lacks."""
        # Many facts share a sentence, and finding what the text lacks looks at all of its words.
        known = self._lacking.get(number)
        if known is None:
            known = self._lacking[number] = [
                index
                for index, term in enumerate(self._sentences[number].terms)
                if term.kind != "word"
                and term.bases.isdisjoint(self._given)
                and self._text.lacks(term)
            ]
        return known


def _find_replaced(claim: Claim, found: Alignment) -> Span | None:
    """The place of a claim's word in whose place a short reference has another one."""
    if found.share < REPLACED or not found.claim.grammar.words:
        return None
    terms, others = found.claim.terms, found.source.terms
    for index in sorted(claim.terms):
        term = terms[index]
        if term.kind != "word" or found.pairs[index] >= 0 or not _is_specific(term):
            continue
        for pair, other in enumerate(others):
            rival = other.kind == "word" and found.back[pair] < 0
            rival = rival and (names_thing(other) or not names_thing(term))
            if rival and found.context(index, pair) >= REPLACED_CONTEXT:
                return term.start, term.end
    return None


REPLACED: Final = 0.4


REPLACED_CONTEXT: Final = 0.4


def _is_specific(term: Term) -> bool:
    """Return False for a word that is both a noun and a verb, which paraphrases exchange most, and
    for one of which no part of speech is known."""
    return term.lore.parts not in ({"n", "v"}, UNREAD)


def _touches(conflict: Conflict, claim: Claim) -> bool:
    start, end = conflict.claim
    return conflict.term in claim.terms or any(
        first < end and start < last for first, last in claim.spans
    )


def _is_of_other_end(found: Alignment, conflict: Conflict, tail: Span | None) -> bool:
    """Return True if the tail of a claim is one end of a range, and the source agrees with it: the
    birth of "(1815-1853)" beside "born in 1815, died in 1852"."""
    range_ = found.claim.terms[conflict.term].value
    if range_ is None or range_.ends is None or tail is None:
        return False
    held = [one for one in range_.ends if tail[0] < one.end and one.start < tail[1]]
    theirs = [found.source.terms[j].value for j in found.source.values]
    return len(held) == 1 and any(same(held[0], one) for one in theirs if one)
