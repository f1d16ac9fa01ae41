"""The progress of an inquiry into a message, told as it becomes known.

Facts and sentences are told once all segments that hold them are judged; the steps so far stand
under the report's details after each call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from halubot.concurrency import aside
from halubot.events import Emit, Event, FactJudged, Labelled, Ranked, SentenceJudged
from halubot.methods.knowhalu.aggregation import Decision, Form, Rule
from halubot.methods.knowhalu.attribution import Attribution, Layout, Outcome, Standing
from halubot.methods.knowhalu.queries import Chain, Step
from halubot.report import Basis

Label = Literal["CORRECT", "INCORRECT", "INCONCLUSIVE", "OFF-TARGET"]

FEW: Final = 200
"""Steps up to which each is told at once; beyond, after a tenth as many more."""


class Telling:
    """Emits what is known of one message, segment by segment."""

    def __init__(self, attribution: Attribution, layout: Layout, emit: Emit) -> None:
        self.layout = layout
        self._attribution = attribution
        self._emit = emit
        self._outcomes: dict[int, Outcome] = {}
        self._facts: dict[int, float | None] = {}
        self._sentences: dict[int, float | None] = {}
        self._details: dict[str, Any] = {}
        self._steps: list[dict[str, Any]] = []
        self._told = 0
        self.bounded = False
        """Whether the steps of some segment ended because there were too many."""

    def detail(self, **known: Any) -> None:
        """More of the method's own, told at once."""
        self._details |= known
        self._emit(Labelled(details=known))

    def step(self, segment: int, step: Step, form: Form | None) -> None:
        """One more step; of one form of knowledge, or of both."""
        self._steps.append({"segment": segment, "form": form, **_write(step)})
        count = len(self._steps)
        if count <= FEW or count >= 1.1 * self._told:
            self._told = count
            self._emit(Labelled(details={"steps": list(self._steps)}))

    def tell_end(self, segment: int, chain: Chain, form: Form | None) -> None:
        """Tell how the steps of a segment ended."""
        self.bounded = self.bounded or chain.ended == "bounded"
        ended = {"segment": segment, "form": form, "ended": chain.ended, "reason": chain.reason}
        self._details.setdefault("endings", []).append(ended)

    def tell_decision(self, segment: int, rule: Rule, decisions: Mapping[Form, Decision]) -> None:
        """The judgements on a segment, and which of them holds."""
        for form, one in decisions.items():
            judged = {"verdict": one.verdict, "confidence": round(one.confidence, 9), "by": one.by}
            self._details.setdefault("judgements", []).append(
                {"segment": segment, "form": form, **judged, "reason": one.reason}
            )
        known = {"base": rule.base, "supplement": rule.supplement, "d1": rule.d1, "d2": rule.d2}
        aggregation = self._details.setdefault(
            "aggregation", {**known, "fitted_on": rule.fitted_on, "taken": []}
        )
        aggregation["taken"].append({"segment": segment, "taken": rule.choose_part(decisions)})

    async def outcomes(self, found: Mapping[int, Outcome]) -> None:
        """The outcomes of some segments: what hangs on no other segment is told."""
        self._outcomes |= found
        for event in await aside(self._ready):
            self._emit(event)

    def all_alike(self, facts: Standing, sentences: Standing) -> None:
        """Every fact stands like this, and every sentence like that."""
        for fact in self._attribution.facts:
            self._emit(self._of_fact(fact.index, facts, ("model",)))
        for sentence in range(len(self.layout.of_sentences)):
            self._emit(self._of_sentence(sentence, sentences))

    def close(self, label: Label, score: float | None) -> None:
        """The ranks, the label, and all details."""
        facts = tuple(self._facts.get(index) for index in range(len(self._attribution.facts)))
        sentences = tuple(self._sentences.get(i) for i in range(len(self.layout.of_sentences)))
        self._emit(Ranked(score=score, facts=facts, sentences=sentences))
        self._emit(Labelled(label=label, details={**self._details, "steps": self._steps}))

    def _ready(self) -> list[Event]:
        """The facts and sentences that can be told by now and were not yet."""
        made: list[Event] = []
        for fact, segments in enumerate(self.layout.of_facts):
            if fact not in self._facts and (held := self._known_outcomes(segments)):
                standing = self._attribution.of_fact(fact, held)
                judged = self._of_fact(fact, standing, ("references", "model"))
                evidence = self._attribution.evidence(fact, held)
                made.append(judged.model_copy(update={"evidence": evidence}))
        for sentence, segments in enumerate(self.layout.of_sentences):
            if sentence not in self._sentences and (held := self._known_outcomes(segments)):
                standing = self._attribution.of_sentence(sentence, held)
                made.append(self._of_sentence(sentence, standing))
        return made

    def _known_outcomes(self, segments: Sequence[int]) -> list[Outcome]:
        """The outcomes of these segments; none if one is not known yet."""
        known = [self._outcomes[one] for one in segments if one in self._outcomes]
        return known if len(known) == len(segments) else []

    def _of_fact(self, index: int, standing: Standing, basis: tuple[Basis, ...]) -> FactJudged:
        self._facts[index] = standing.score
        return FactJudged(
            index=index,
            score=standing.score,
            verdict=standing.verdict,
            basis=() if standing.verdict == "not_checked" else basis,
            reason=standing.reason,
        )

    def _of_sentence(self, index: int, standing: Standing) -> SentenceJudged:
        self._sentences[index] = standing.score
        return SentenceJudged(
            index=index, score=standing.score, verdict=standing.verdict, reason=standing.reason
        )


def _write(step: Step) -> dict[str, Any]:
    """A step as a report holds it."""
    passages = [
        {
            "source": one.source.id,
            "title": one.source.title,
            "start": one.start,
            "end": one.end,
            "quote": one.text,
        }
        for one in step.passages
    ]
    thought = {"thought": step.thought} if step.thought else {}
    return {
        **thought,
        **step.query._asdict(),
        "passages": passages,
        "sentence": step.knowledge("text"),
        "triplets": [list(triplet) for triplet in step.triplets],
        "finding": step.finding,
    }
