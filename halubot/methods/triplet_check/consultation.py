"""Facts that a judge compares with references, part by part, each told as soon as it is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from halubot.concurrency import aside
from halubot.events import Emit, FactJudged, Labelled, Note, Progress, Ranked, SentenceJudged
from halubot.llm_calls.portions import main_reason, some
from halubot.methods.consensus.word_scores import message_score
from halubot.methods.sample_verdicts import NO_FACT
from halubot.methods.triplet_check.entailment import Compared
from halubot.methods.triplet_check.fact_verdicts import Heard, Ruling, Rulings
from halubot.report import Basis, Fact
from halubot.text import Document


class Consultation:
    """What was heard of the facts of one message by now.

    ``parts`` is how many triples each fact is compared with, ``lost`` why parts of the references
    cannot be compared with at all.
    """

    def __init__(
        self,
        message: Document,
        facts: Sequence[Fact],
        rulings: Rulings,
        threshold: float,
        *,
        lost: Sequence[str],
        parts: int,
        emit: Emit,
    ) -> None:
        self._message = message
        self._facts = tuple(facts)
        self._rulings = rulings
        self._threshold = threshold
        self._lost = tuple(lost)
        self._parts = parts
        self._emit = emit
        self._compared: list[Compared] = []
        self._told: dict[int, FactJudged] = {}

    async def hear(self, compared: Compared) -> None:
        """What one more call brought; tells the facts that nothing more can be heard of."""
        self._compared.append(compared)
        ready = [fact for fact in self._facts if fact.index not in self._told and self._done(fact)]
        await self._tell(ready)
        self._emit(Progress(what="judging facts", done=len(self._told), of=len(self._facts)))

    async def close(self, details: Mapping[str, Any]) -> None:
        """The verdicts as they stand at last on facts and sentences, the details, the ranks."""
        await self._tell(self._facts)
        unjudged = [one.reason or "" for one in self._told.values() if one.score is None]
        if unjudged:
            what = f"{some(len(unjudged), len(self._facts), 'facts')} not judged"
            self._emit(Note(what=what, why=main_reason(unjudged)))
        scores = []
        for judged in self._sentences():
            scores.append(judged.score)
            self._emit(judged)
        self._emit(Labelled(details={**details, **await aside(self._details)}))
        of_facts = tuple(self._told[fact.index].score for fact in self._facts)
        known = [score for score in of_facts if score is not None]
        score = message_score(known)
        self._emit(Ranked(score=score, facts=of_facts, sentences=tuple(scores)))

    async def _tell(self, facts: Sequence[Fact]) -> None:
        judged = await aside(lambda: [self._judged(fact) for fact in facts])
        for one in judged:
            if self._told.get(one.index) != one:
                self._told[one.index] = one
                self._emit(one)

    def _judged(self, fact: Fact) -> FactJudged:
        heard = self._heard(fact)
        ruling: Ruling = self._rulings.of(fact, heard)
        by_model: tuple[Basis, ...] = ("model",) if heard.said else ()
        return FactJudged(
            index=fact.index,
            score=ruling.score,
            verdict=ruling.verdict(self._threshold),
            basis=() if ruling.score is None else ("references", *by_model),
            reason=ruling.reason,
            evidence=self._rulings.evidence(fact, heard),
        )

    def _heard(self, fact: Fact) -> Heard:
        """In the order of the triples, whichever call ended first."""
        ordered = sorted(self._compared, key=lambda one: one.triples)
        said = [one.found[fact.index] for one in ordered if fact.index in one.found]
        lost = [one.missing[fact.index] for one in ordered if fact.index in one.missing]
        return Heard(said, [*self._lost, *lost])

    def _done(self, fact: Fact) -> bool:
        own = [one for one in self._compared if fact.index in {*one.found, *one.missing}]
        supported = any(
            one.found[fact.index].stance == "supports" for one in own if fact.index in one.found
        )
        return supported or sum(len(one.triples) for one in own) == self._parts

    def _sentences(self) -> Iterator[SentenceJudged]:
        """A sentence has the largest score of its facts. One of which some fact could not be
        checked is doubted with another, but not supported."""
        for index in range(len(self._message.sentences)):
            held = [self._told[f.index] for f in self._facts if index in f.sentences]
            known = [one for one in held if one.score is not None]
            worst = max(known, key=lambda one: one.score or 0.0, default=None)
            unknown = next((one for one in held if one.score is None), None)
            doubted = worst is not None and worst.verdict != "supported"
            if worst is None or (unknown is not None and not doubted):
                why = unknown.reason if unknown is not None else NO_FACT
                yield SentenceJudged(index=index, score=None, verdict="not_checked", reason=why)
            else:
                reason = worst.reason if doubted else None
                yield SentenceJudged(
                    index=index, score=worst.score, verdict=worst.verdict, reason=reason
                )

    def _details(self) -> dict[str, Any]:
        """The triples of the references, and what each call said of the facts."""
        return {
            "triples": self._rulings.written(),
            "comparisons": [
                {
                    "triples": [one.triples[0], one.triples[-1] + 1],
                    "facts": {
                        str(index): {
                            "stance": said.stance,
                            "supporting": list(said.supporting),
                            "contradicting": list(said.contradicting),
                            "reasons": said.reasons,
                        }
                        for index, said in sorted(one.found.items())
                    },
                    "missing": {str(index): why for index, why in sorted(one.missing.items())},
                }
                for one in sorted(self._compared, key=_order)
            ],
        }


def _order(compared: Compared) -> tuple[tuple[int, ...], list[int]]:
    return compared.triples, sorted({*compared.found, *compared.missing})
