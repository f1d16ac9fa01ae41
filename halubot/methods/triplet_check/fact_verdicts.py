"""From what a judge and the rules say of one fact beside references to its verdict.

    supports     0       any window of triples supports it
    disagree     0.5     one reference supports it, and another contradicts it
    silent       0.75    nothing in the references bears it out, or a figure of it is nowhere there
    contradicts  1

Numbers and dates are decided by rules (`halubot.methods.triplet_check.numbers`): where a reference
gives another
one for the same fact it is contradicted, whatever the judge says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from halubot.llm_calls.portions import main_reason
from halubot.methods.triplet_check.entailment import Said
from halubot.methods.triplet_check.numbers import Figures
from halubot.methods.triplet_check.reference_triples import Stated
from halubot.report import Evidence, Fact, Stance, Verdict

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
    """How a fact stands. ``score`` is None where it could not be checked, and ``reason`` then says
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
    """What was said of one fact by now, window by window, and why windows are lost."""

    said: Sequence[Said] = ()
    lost: Sequence[str] = ()

    @property
    def stance(self) -> Stance | None:
        """The first of supports, contradicts and silent that any window says; None where a lost
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
        """How a fact stands by what was heard of it."""
        stance = heard.stance
        if not self._as_published:
            denying = self._figures.denying(fact)
            backing = (self._figures.supporting(fact) | self._named(heard)[0]) - denying
            if denying:
                return Ruling(DISPUTED, DISAGREE) if backing else Ruling(DENIED, denied=True)
        if stance is None:
            return Ruling(None, main_reason(heard.lost) if heard.lost else NO_ANSWER)
        if stance == "silent":
            return Ruling(DENIED if self._as_published else UNBORNE, NOT_THERE)
        if not self._as_published and self._disputed(heard):
            return Ruling(DISPUTED, DISAGREE)
        if stance == "contradicts":
            return Ruling(DENIED, denied=True)
        absent = None if self._as_published else self._figures.absent(fact)
        if absent is not None:
            return Ruling(UNBORNE, f"{absent} is nowhere in the references")
        return Ruling(SUPPORTED)

    def evidence(self, fact: Fact, heard: Heard) -> tuple[Evidence, ...]:
        """What each reference says of a fact: that it denies it, where the rules find so; else as
        the judge named its triples; else the judge's stance, where the comparison finds it too."""
        denying = set() if self._as_published else self._figures.denying(fact)
        supporting, contradicting = self._named(heard)
        stance = heard.stance or "silent"
        alike: dict[str, Stance] = {}
        if denying:
            alike = dict.fromkeys(self._figures.supporting(fact), "supports")
        elif stance != "silent" and not supporting | contradicting:
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
                found.append(self._quoted(place, fact, said, heard))
        return tuple(found)

    def written(self) -> list[dict[str, Any]]:
        """The triples of the references as a report holds them, with the passage of each."""
        return [
            {"triple": list(triple), "source": source.id, "start": start, "end": end}
            for triple, (source, start, end) in self._stated
        ]

    def _named(self, heard: Heard) -> tuple[set[str], set[str]]:
        """The ids of the references whose triples the judge named for a fact, and against it."""
        known = [one for one in heard.said if one.stance != "silent"]
        return (
            {self._stated[n].passage.source.id for one in known for n in one.supporting},
            {self._stated[n].passage.source.id for one in known for n in one.contradicting},
        )

    def _disputed(self, heard: Heard) -> bool:
        supporting, contradicting = self._named(heard)
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

    def _quoted(self, place: int, fact: Fact, stance: Stance, heard: Heard) -> Evidence:
        """A stance of one reference with the sentence of the first of its triples that the judge
        named for it; else with the likeliest."""
        own = self._figures.references[place].id
        for said in heard.said:
            numbers = said.supporting if stance == "supports" else said.contradicting
            for number in numbers if stance != "silent" and said.stance != "silent" else ():
                triple, passage = self._stated[number]
                if passage.source.id == own:
                    return self._figures.cited(fact, stance, said.reasons, triple, passage)
        return self._figures.evidence(place, fact, stance)
