"""From a comparison to the verdicts on facts and sentences, and their ranks.

The verdicts of `consensus` come from the comparison alone; `ensemble` and `cascade` add what a
model says of some facts or sentences. A sentence that holds a doubted fact is doubted with it. A
fact that is compared with references alone is supported only by a sentence that can be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from halubot.events import Event, FactJudged, SentenceJudged
from halubot.facts import DOUBTED, Basis, Evidence, Fact, Verdict
from halubot.methods.comparing import Comparison
from halubot.methods.driving import NOTHING_DRAWN
from halubot.methods.fusing import raised
from halubot.methods.hearing import Heard
from halubot.methods.scoring import logistic
from halubot.methods.testimony import Testimony
from halubot.methods.voices import SILENCE, Voices, settled

NOT_NAMED: Final = "no passage that was found names what this is about"
"""Why a fact is not checked that knowledge says nothing of."""


def judged(
    comparison: Comparison,
    threshold: float,
    voices: Voices = SILENCE,
    unjudged: Mapping[int, str] | None = None,
) -> Iterator[Event]:
    """The verdict on each fact, on each sentence, then the ranks. ``unjudged`` are facts that
    the model should have judged and did not, and why: they are not checked. Nothing is where
    there is nothing to compare with."""
    if not comparison.sources:
        yield from _nothing(comparison)
        return
    facts = _Facts(comparison, threshold, voices, unjudged or {})
    yield from facts.events()
    odds = [unit.fused for unit in comparison.of_sentences(voices)]
    for index, own in enumerate(odds):
        held = comparison.held[index]
        other = None if voices else comparison.other_value(index)
        doubted = bool(other) or any(facts.verdicts[fact] in DOUBTED for fact in held)
        denied = bool(other) or any(facts.verdicts[fact] == "contradicted" for fact in held)
        why = next((facts.lost[fact] for fact in held if fact in facts.lost), None)
        if why is not None and not doubted:
            yield SentenceJudged(index=index, score=None, verdict="not_checked", reason=why)
            continue
        # Votes on the sentence itself are not overruled by what words say of a fact in it.
        overruled = not voices.sentences
        score = raised(logistic(own), threshold, doubted and overruled)
        by_itself = logistic(own) if overruled else None
        yield SentenceJudged(
            index=index,
            score=score,
            own=by_itself,
            verdict=_verdict(score, threshold, denied),
            reason=other,
        )
    ranked = comparison.ranked(odds, facts.odds, voices)
    nothing = facts.lost and len(facts.lost) == len(comparison.facts)
    yield ranked.model_copy(update={"score": None}) if nothing else ranked


class _Facts:
    """The facts of a message as they are judged; ``lost`` are those not checked, and why."""

    def __init__(
        self,
        comparison: Comparison,
        threshold: float,
        voices: Voices,
        unjudged: Mapping[int, str],
    ) -> None:
        self._comparison = comparison
        self._threshold = threshold
        self._voices = voices
        self._heard = comparison.heard(voices)
        self._found = comparison.found
        self._testimony = Testimony()
        self.odds = [unit.fused for unit in comparison.of_facts(voices)]
        self.lost = {**_unnamed(comparison, self._heard), **unjudged}
        self.verdicts: list[Verdict] = []

    def events(self) -> Iterator[FactJudged]:
        """The verdict on each fact, in order."""
        for fact, said in zip(self._comparison.facts, self._heard, strict=True):
            event = self._judged(fact, said)
            self.verdicts.append(event.verdict)
            yield event

    def _judged(self, fact: Fact, said: Heard) -> FactJudged:
        score = logistic(self.odds[fact.index])
        verdict = _verdict(score, self._threshold, self._denied(fact.index, said))
        reason = "the references disagree with each other" if said.divided else None
        by_words = verdict == "supported" and self._by_words(fact.index, said)
        evidence = self._evidence(fact, nearly=by_words)
        if by_words and not any(one.stance == "supports" for one in evidence):
            score, verdict = raised(score, self._threshold, True), "doubtful"
        lost = fact.index in self.lost
        return FactJudged(
            index=fact.index,
            score=None if lost else score,
            verdict="not_checked" if lost else verdict,
            basis=self._basis(fact.index),
            reason=self.lost.get(fact.index, reason),
            evidence=evidence,
        )

    def _evidence(self, fact: Fact, *, nearly: bool) -> tuple[Evidence, ...]:
        sources = self._comparison.sources
        return self._testimony.on(fact, sources, self._found, self._voices, nearly=nearly)

    def _by_words(self, fact: int, said: Heard) -> bool:
        """Whether no source was found to say a fact, and its words stand in references alone."""
        references = self._comparison.references
        asked = any(self._voices.of(source, fact) is not None for source in references)
        return not (self._comparison.samples or said.references["supports"] or asked)

    def _denied(self, fact: int, said: Heard) -> bool:
        """Whether doubt of a fact rests on contradiction: a reference's, or that of more of the
        samples that the model read than support it; where it read none, of all samples."""
        voices = self._voices
        known = [
            settled(sample, found[fact], voices.of(sample, fact))
            for sample, found in zip(self._comparison.samples, self._found, strict=False)
            if voices.of(sample, fact) is not None
        ]
        if said.by_references or not known:
            return said.denied
        against = known.count("contradicts")
        return against > known.count("supports") and against >= min(2, len(known))

    def _basis(self, fact: int) -> tuple[Basis, ...]:
        basis: list[Basis] = []
        if self._comparison.samples:
            basis.append("samples")
        if self._comparison.references:
            basis.append("references")
        if any(self._voices.of(source, fact) is not None for source in self._comparison.sources):
            basis.append("model")
        return tuple(basis)


def _unnamed(comparison: Comparison, heard: Sequence[Heard]) -> dict[int, str]:
    """The facts that were not checked since no passage that was found names what they are
    about, where there is nothing else to compare with."""
    if comparison.samples:
        return {}
    pairs = zip(comparison.named, heard, strict=False)
    return {
        fact: NOT_NAMED
        for fact, (named, said) in enumerate(pairs)
        if not named and not any(said.references[one] for one in ("supports", "contradicts"))
    }


def _nothing(comparison: Comparison) -> Iterator[Event]:
    for fact in comparison.facts:
        yield FactJudged(index=fact.index, score=None, verdict="not_checked", reason=NOTHING_DRAWN)
    for index in range(len(comparison.message.sentences)):
        yield SentenceJudged(index=index, score=None, verdict="not_checked", reason=NOTHING_DRAWN)


def _verdict(score: float, threshold: float, denied: bool) -> Verdict:
    if score < threshold:
        return "supported"
    return "contradicted" if denied else "doubtful"
