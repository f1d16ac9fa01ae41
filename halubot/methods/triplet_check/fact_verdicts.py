"""From a judge's word and the rules on numbers and dates to the verdict on a fact."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from halubot.events import FactJudged
from halubot.methods.calls.portions import main_reason
from halubot.methods.quotes import quote, speaker
from halubot.methods.relations import same_relation
from halubot.methods.triplet_check.reference_triples import ComparedFact, Stated
from halubot.report import Basis, Evidence, Fact, Source, Stance, Triple, Verdict
from halubot.values import differ, find, same, same_name

SUPPORTED: Final = 0.0
DISPUTED: Final = 0.5
UNBORNE: Final = 0.75
DENIED: Final = 1.0

DISAGREE: Final = "the references disagree with each other"
NO_ANSWER: Final = "the judge gave no answer"
NOT_THERE: Final = "the references do not bear it out"

_DIGITS: Final = re.compile(r"\d+")
_ORDER: Final[tuple[Stance, ...]] = ("supports", "contradicts", "silent")


class Ruling(NamedTuple):
    """The ruling on a fact. ``score`` is None if it could not be checked, and ``reason`` then says
    why."""

    score: float | None
    reason: str | None = None
    denied: bool = False


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
    """The verdicts and the evidence on facts, by what was heard of them and by rules on numbers and
    dates. ``stated`` are the triples of the references. With ``as_published`` the judge alone
    decides, any support is enough, and what is not supported is hallucinated (section 4.1 of the
    thesis): its score is 1. Takes time linear in the references, so do it off the loop."""

    def __init__(
        self,
        references: Sequence[Source],
        stated: Sequence[Stated] = (),
        *,
        as_published: bool = False,
    ) -> None:
        self._references = tuple(references)
        self._stated = tuple(stated)
        self._as_published = as_published
        self._digits = [frozenset(_DIGITS.findall(one.text or "")) for one in references]
        self._values = [value for one in references for value in find(one.text or "")]

    def denying(self, fact: Triple) -> list[int]:
        """Return the numbers of the triples that give another number or date for a fact."""
        if self._as_published:
            return []
        return [at for at, one in enumerate(self._stated) if _denies(one.triple, fact)]

    def absent(self, fact: Triple) -> str | None:
        """Return a number or date of a fact that no reference has, as the fact writes it."""
        for part in fact:
            for value in find(part):
                digits = _DIGITS.findall(part[slice(*value.span)])
                # Absent only if neither the digits nor the value, in whatever words, are anywhere.
                there = any(known.issuperset(digits) for known in self._digits)
                if digits and not there and not any(same(value, one) for one in self._values):
                    return part[slice(*value.span)]
        return None

    def of(self, fact: Fact, heard: Heard) -> Ruling:
        """Return how a fact stands by what was heard of it."""
        stance, judge = heard.stance, self._as_published
        denying = self.denying(fact.triple)
        backing, against = self._named(heard)
        # Rules first: another number or date in a reference is nothing for a judge to weigh.
        if denying:
            disputed = bool(backing.keys() - {self._source(at) for at in denying})
            return Ruling(DISPUTED, DISAGREE) if disputed else Ruling(DENIED, denied=True)
        if stance is None:
            return Ruling(None, main_reason(heard.lost) if heard.lost else NO_ANSWER)
        if stance == "silent":
            return Ruling(DENIED if judge else UNBORNE, NOT_THERE)
        if not judge and backing.keys() - against.keys() and against.keys() - backing.keys():
            return Ruling(DISPUTED, DISAGREE)
        if stance == "contradicts":
            return Ruling(DENIED, denied=True)
        absent = None if judge else self.absent(fact.triple)
        if absent is not None:
            return Ruling(UNBORNE, f"{absent} is nowhere in the references")
        return Ruling(SUPPORTED)

    def judge(self, fact: Fact, heard: Heard, threshold: float) -> FactJudged:
        """Return the verdict on a fact, with what each reference says."""
        ruling = self.of(fact, heard)
        verdict: Verdict = "supported"
        if ruling.score is None:
            verdict = "not_checked"
        elif ruling.score >= threshold:
            verdict = "contradicted" if ruling.denied else "doubtful"
        # Rules may decide a fact of which no call brought a word.
        by_model: tuple[Basis, ...] = ("model",) if heard.said else ()
        return FactJudged(
            index=fact.index,
            score=ruling.score,
            verdict=verdict,
            basis=() if ruling.score is None else ("references", *by_model),
            reason=ruling.reason,
            evidence=self._evidence(fact, heard),
        )

    def _evidence(self, fact: Fact, heard: Heard) -> tuple[Evidence, ...]:
        """Return the evidence of each reference on a fact: that it denies it, if the rules find so;
        else as the judge named its triples. If it named none, its stance is that of the reference
        with the sentence most like the fact."""
        denying = {self._source(at): self._stated[at].triple for at in self.denying(fact.triple)}
        backing, against = self._named(heard)
        stance = heard.stance or "silent"
        alone = None
        if not (denying or backing or against) and stance != "silent":
            texts = [one.text or "" for one in self._references]
            alone = self._references[speaker(texts, fact.triple)].id
        found = []
        for source in self._references:
            said: Stance = stance if source.id == alone else "silent"
            triple, note = fact.triple, ""
            if source.id in against:
                said, (triple, note) = "contradicts", against[source.id]
            if source.id in backing and (source.id not in against or stance == "supports"):
                said, (triple, note) = "supports", backing[source.id]
            if source.id in denying:
                said, triple, note = "contradicts", denying[source.id], ""
            found.append(quote(source, said, triple, note=note, value_of=fact.triple))
        return tuple(found)

    def write_triples(self) -> list[dict[str, Any]]:
        """The triples of the references as a report holds them, with the passage of each."""
        return [
            {"triple": list(triple), "source": source.id, "start": start, "end": end}
            for triple, (source, start, end) in self._stated
        ]

    def _source(self, number: int) -> str:
        return self._stated[number].passage.source.id

    def _named(
        self, heard: Heard
    ) -> tuple[dict[str, tuple[Triple, str]], dict[str, tuple[Triple, str]]]:
        """By the ids of references, the first of their triples that the judge named for a fact and
        against it, with its reasons."""
        backing: dict[str, tuple[Triple, str]] = {}
        against: dict[str, tuple[Triple, str]] = {}
        for one in heard.said:
            for numbers, named in ((one.supporting, backing), (one.contradicting, against)):
                for number in numbers if one.stance != "silent" else ():
                    triple = self._stated[number].triple
                    named.setdefault(self._source(number), (triple, one.reasons))
        return backing, against


def _denies(triple: Triple, fact: Triple) -> bool:
    """Return True if a triple says the same of the same thing with a value that excludes the
    fact's."""
    mine, theirs = find(fact.tail), find(triple.tail)
    return (
        any(differ(one, other) for one in mine for other in theirs)
        and not any(same(one, other) for one in mine for other in theirs)
        and same_name(fact.head, triple.head)
        and same_relation(fact.relation, triple.relation)
    )
