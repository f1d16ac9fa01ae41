"""From a judge's word and the rules on numbers and dates to the verdict on a fact."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from halubot.compare.stances import Finding
from halubot.evidence.context import Part
from halubot.methods.calls.portions import main_reason
from halubot.methods.quotes import Quotes
from halubot.methods.triplet_check.reference_triples import ComparedFact, Stated
from halubot.report import Evidence, Fact, Source, Stance, Triple, Verdict
from halubot.text import Document
from halubot.values.comparison import Value, compatible
from halubot.values.reader import find

_DIGITS: Final = re.compile(r"\d+")


class Figures:
    """The facts of one message beside some references. Takes time linear in their length, so do it
    off the loop."""

    def __init__(
        self,
        message: Document,
        facts: Sequence[Fact],
        subject: str | None,
        references: Sequence[Source],
    ) -> None:
        self.references = tuple(references)
        self._quotes = Quotes(message, facts, subject)
        self._findings = [self._quotes.findings(source) for source in references]
        self._absent = {fact.index: self._missing(fact) for fact in facts}

    def findings(self, fact: Fact) -> list[Finding]:
        """Return the finding of each reference on a fact, by the comparison of words."""
        return [of_reference[fact.index] for of_reference in self._findings]

    def supporting(self, fact: Fact) -> set[str]:
        """The ids of the references that support a fact."""
        return self._taking("supports", fact)

    def denying(self, fact: Fact) -> set[str]:
        """The ids of the references that deny it."""
        pairs = zip(self.references, self.findings(fact), strict=True)
        return {one.id for one, found in pairs if _denies(found)}

    def absent(self, fact: Fact) -> str | None:
        """A number or date of the fact that no reference has, as the fact writes it."""
        return self._absent[fact.index]

    def evidence(self, place: int, fact: Fact, stance: Stance, note: str = "") -> Evidence:
        """A stance on a fact as evidence of the reference at that place, with its likeliest place
        there."""
        found = self._quotes.evidence(self.references[place], {fact.index: stance})[fact.index]
        return found.model_copy(update={"note": note or found.note})

    def cite(
        self, fact: Fact, stance: Stance, note: str, triple: Triple, passage: Part
    ) -> Evidence:
        """A stance on a fact as evidence, with its place in a passage: if the comparison finds
        the same stance there, else the sentence that is most like a triple of the passage."""
        place = next(at for at, one in enumerate(self.references) if one.id == passage.source.id)
        found, source = self.evidence(place, fact, stance, note), self.references[place]
        alike = self.findings(fact)[place].stance == stance
        if alike and passage.start <= found.start < passage.end:
            return found
        within = (passage.start, passage.end)
        start, end = self._quotes.fullest(source, triple, within) or within
        quote = (source.text or "")[start:end]
        # The rival value belongs to the place that the comparison found.
        return found.model_copy(update={"start": start, "end": end, "quote": quote, "value": None})

    def _taking(self, stance: Stance, fact: Fact) -> set[str]:
        pairs = zip(self.references, self.findings(fact), strict=True)
        return {one.id for one, finding in pairs if finding.stance == stance}

    def _missing(self, fact: Fact) -> str | None:
        if not all(finding.lacking for finding in self.findings(fact)):
            return None
        for part in fact.triple:
            for value in find(part):
                digits = _DIGITS.findall(part[value.start : value.end])
                # Absent only if neither the digits nor the value, in whatever words, are anywhere.
                if digits and not self._have(digits) and not self._hold(value):
                    return part[value.start : value.end]
        return None

    def _have(self, digits: Iterable[str]) -> bool:
        """Return True if one reference has all these digits, each as a number of its own."""
        return any(numbers.issuperset(digits) for numbers in self._numbers)

    def _hold(self, value: Value) -> bool:
        return any(compatible(value, other) for values in self._values for other in values)

    @cached_property
    def _numbers(self) -> list[frozenset[str]]:
        return [frozenset(_DIGITS.findall(one.text or "")) for one in self.references]

    @cached_property
    def _values(self) -> list[tuple[Value, ...]]:
        return [find(one.text or "") for one in self.references]


def _denies(finding: Finding) -> bool:
    """Return True if a finding is another number or date."""
    return finding.stance == "contradicts" and bool(find(finding.value or finding.note))


SUPPORTED: Final = 0.0
DISPUTED: Final = 0.5
UNBORNE: Final = 0.75
DENIED: Final = 1.0

DISAGREE: Final = "the references disagree with each other"
NO_ANSWER: Final = "the judge gave no answer"
NOT_THERE: Final = "the references do not bear it out"

_ORDER: Final[tuple[Stance, ...]] = ("supports", "contradicts", "silent")


@dataclass(frozen=True, slots=True)
class Ruling:
    """The ruling on a fact. ``score`` is None if it could not be checked, and ``reason`` then says
    why."""

    score: float | None
    reason: str | None = None
    denied: bool = False

    def verdict(self, threshold: float) -> Verdict:
        """The verdict from that threshold on."""
        if self.score is None:
            return "not_checked"
        if self.score < threshold:
            return "supported"
        return "contradicted" if self.denied else "doubtful"


@dataclass(frozen=True, slots=True)
class Heard:
    """The words so far on one fact, window by window, and why windows are lost."""

    said: Sequence[ComparedFact] = ()
    lost: Sequence[str] = ()

    @property
    def stance(self) -> Stance | None:
        """The first of supports, contradicts and silent that any window says; None if a lost
        window might have said what counts more."""
        stances = {one.stance for one in self.said}
        if not stances or (self.lost and "supports" not in stances):
            return None
        return min(stances, key=_ORDER.index)


class Rulings:
    """The verdicts and the evidence on facts. ``figures`` are their numbers and dates beside the
    references. With ``as_published`` the judge alone decides, any support is enough, and what is
    not supported is hallucinated (section 4.1 of the thesis): its score is 1."""

    def __init__(
        self, figures: Figures, stated: Sequence[Stated] = (), *, as_published: bool = False
    ) -> None:
        self._figures = figures
        self._stated = stated
        self._as_published = as_published

    def of(self, fact: Fact, heard: Heard) -> Ruling:
        """Return how a fact stands by what was heard of it."""
        stance = heard.stance
        if not self._as_published:
            # Rules first: another number or date in a reference is nothing for a judge to weigh.
            denying = self._figures.denying(fact)
            # A reference that denies it with another number does not also bear it out.
            backing = (self._figures.supporting(fact) | self._named_references(heard)[0]) - denying
            if denying:
                return Ruling(DISPUTED, DISAGREE) if backing else Ruling(DENIED, denied=True)
        if stance is None:
            return Ruling(None, main_reason(heard.lost) if heard.lost else NO_ANSWER)
        if stance == "silent":
            return Ruling(DENIED if self._as_published else UNBORNE, NOT_THERE)
        if not self._as_published and self._is_disputed(heard):
            return Ruling(DISPUTED, DISAGREE)
        if stance == "contradicts":
            return Ruling(DENIED, denied=True)
        absent = None if self._as_published else self._figures.absent(fact)
        if absent is not None:
            return Ruling(UNBORNE, f"{absent} is nowhere in the references")
        return Ruling(SUPPORTED)

    def evidence(self, fact: Fact, heard: Heard) -> tuple[Evidence, ...]:
        """Return the evidence of each reference on a fact: that it denies it, if the rules find so;
        else as the judge named its triples; else the judge's stance, if the comparison finds it
        too."""
        denying = set() if self._as_published else self._figures.denying(fact)
        supporting, contradicting = self._named_references(heard)
        stance = heard.stance or "silent"
        alike: dict[str, Stance] = {}
        if denying:
            alike = dict.fromkeys(self._figures.supporting(fact), "supports")
        elif stance != "silent" and not supporting | contradicting:
            # The judge named no triple, so the comparison says which reference it may have meant.
            alike = dict.fromkeys(self._alike(fact, stance), stance)
        found = []
        for place, source in enumerate(self._figures.references):
            said: Stance = alike.get(source.id, "silent")
            if source.id in supporting:
                said = stance if source.id in contradicting else "supports"
            elif source.id in contradicting:
                said = "contradicts"
            if source.id in denying:
                note = self._figures.findings(fact)[place].note
                found.append(self._figures.evidence(place, fact, "contradicts", note))
            else:
                found.append(self._quote_triple(place, fact, said, heard))
        return tuple(found)

    def write_triples(self) -> list[dict[str, Any]]:
        """The triples of the references as a report holds them, with the passage of each."""
        return [
            {"triple": list(triple), "source": source.id, "start": start, "end": end}
            for triple, (source, start, end) in self._stated
        ]

    def _named_references(self, heard: Heard) -> tuple[set[str], set[str]]:
        """The ids of the references whose triples the judge named for a fact, and against it."""
        known = [one for one in heard.said if one.stance != "silent"]
        return (
            {self._stated[n].passage.source.id for one in known for n in one.supporting},
            {self._stated[n].passage.source.id for one in known for n in one.contradicting},
        )

    def _is_disputed(self, heard: Heard) -> bool:
        supporting, contradicting = self._named_references(heard)
        return bool(supporting - contradicting and contradicting - supporting)

    def _alike(self, fact: Fact, stance: Stance) -> set[str]:
        """The references that the comparison finds to take a stance too; else the one with the
        sentence that is most like the fact."""
        pairs = zip(self._figures.references, self._figures.findings(fact), strict=True)
        found = {one.id for one, finding in pairs if finding.stance == stance}
        if found:
            return found
        pairs = zip(self._figures.references, self._figures.findings(fact), strict=True)
        return {max(pairs, key=lambda pair: pair[1].strength)[0].id}

    def _quote_triple(self, place: int, fact: Fact, stance: Stance, heard: Heard) -> Evidence:
        """A stance of one reference with the sentence of the first of its triples that the judge
        named for it; else with the likeliest."""
        own = self._figures.references[place].id
        for said in heard.said:
            numbers = said.supporting if stance == "supports" else said.contradicting
            for number in numbers if stance != "silent" and said.stance != "silent" else ():
                triple, passage = self._stated[number]
                if passage.source.id == own:
                    return self._figures.cite(fact, stance, said.reasons, triple, passage)
        return self._figures.evidence(place, fact, stance)
