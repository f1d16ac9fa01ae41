"""One message beside its sources: the embedded comparison, and what a model says besides.

The verdicts of `consensus` come from the comparison alone; `ensemble` and `cascade` add what a
model says of some facts or sentences. A sentence that holds a doubted fact is doubted with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from halubot.events import Event, FactJudged, Ranked, SentenceJudged
from halubot.facts import DOUBTED, Basis, Fact, Source, Span, Verdict
from halubot.match.stance import Finding, Matcher
from halubot.match.words import worded
from halubot.methods.driving import NOTHING_DRAWN
from halubot.methods.fusing import levelled, raised
from halubot.methods.hearing import WEIGHTS, Heard, fact_odds, heard_of, sentence_odds
from halubot.methods.scoring import Scorer, logistic, message_score
from halubot.methods.testimony import Testimony
from halubot.methods.voices import SILENCE, Unit, Voices, settled
from halubot.text import Document, read

NOT_NAMED: Final = "no passage that was found names what this is about"
"""Why a fact is not checked that knowledge says nothing of."""


@dataclass(frozen=True, slots=True)
class _Plain:
    """What sources say of each fact, and the log-odds of the words of facts and sentences; of
    sentences also those by the samples alone."""

    heard: list[Heard]
    facts: list[float]
    sentences: list[float]
    by_samples: list[float]


class Comparison:
    """The facts and sentences of a message beside samples, which come one by one, and references.

    Everything is computed from what was heard by then.
    """

    def __init__(
        self,
        message: Document,
        facts: Sequence[Fact],
        subject: str | None = None,
        references: Sequence[Source] = (),
    ) -> None:
        self.message = message
        self.facts = tuple(facts)
        self.samples: list[Source] = []
        self.references = tuple(references)
        self._matcher = Matcher(message, facts, subject)
        texts = [worded(read(source.text or "")) for source in references]
        self._scorer = Scorer(message, references=texts, subject=subject)
        self._worded: list[int] = []
        self._plain: _Plain | None = None
        self._testimony = Testimony()
        self._of_samples: list[list[Finding]] = []
        compared = [
            self._matcher.to_the_letter(text, source.title, found=source.kind == "knowledge")
            for text, source in zip(texts, references, strict=True)
        ]
        self._named = [any(named) for named in zip(*(one.named for one in compared), strict=True)]
        self._of_references = [one.facts for one in compared]
        self._retold = retold([one.sentences for one in compared])
        self._held: list[list[int]] = [[] for _ in message.sentences]
        for fact in facts:
            for sentence in fact.sentences:
                self._held[sentence].append(fact.index)

    def hear(self, sample: Source) -> None:
        """One more sample."""
        text = worded(read(sample.text or ""))
        if self._scorer.hear(text):
            self._worded.append(len(self.samples))
        self._of_samples.append(self._matcher.compare(text))
        self.samples.append(sample)
        self._plain = None

    @property
    def sources(self) -> list[Source]:
        """All that was compared with: samples, then references."""
        return [*self.samples, *self.references]

    def support(self, spans: Sequence[Span]) -> list[float]:
        """How far the words of each sample bear out what stands there, in [0, 1]."""
        support = [0.0] * len(self.samples)
        for sample, share in zip(self._worded, self._scorer.shares(spans), strict=True):
            support[sample] = share
        return support

    def of_facts(self, voices: Voices = SILENCE) -> list[Unit]:
        """All facts as they stand. A reference that speaks of a fact leaves nothing to vote on."""
        words = self._compared.facts
        cast = voices.on_facts(self.samples, len(self.facts))
        return [
            Unit(fact_odds(words[fact], said), settled=True)
            if said.by_references
            else Unit(fact_odds(words[fact], said), cast[fact])
            for fact, said in enumerate(self._heard(voices))
        ]

    def of_sentences(self, voices: Voices = SILENCE) -> list[Unit]:
        """All sentences as they stand. Where a model read what the references say of every fact
        of a sentence, its words are no better witness: its most doubtful fact stands for it."""
        heard, facts = self._heard(voices), self.of_facts(voices)
        caution = WEIGHTS.caution / self._scorer.width
        cast = voices.on_sentences(self.samples, self._held)
        units = []
        for index, words in enumerate(self._compared.sentences):
            held = self._held[index]
            inside = [heard[fact] for fact in held]
            other = self._other_value(index) is not None
            odds = sentence_odds(words - caution, inside, exchanged=other)
            if held and all(heard[fact].by_references for fact in held) and voices.stances:
                odds = max(facts[fact].odds for fact in held)
            units.append(Unit(odds, cast[index]))
        return units

    def parts(self, voices: Voices = SILENCE) -> list[dict[str, dict[str, float]]]:
        """What makes the log-odds of each fact, which these add up to: what its "samples" say
        alone, what the "references" change of that, and what the votes of the "model" do."""
        parts = []
        for fact, unit in zip(self.facts, self.of_facts(voices), strict=True):
            part, so_far = dict[str, float](), 0.0
            if self.samples:
                heard = self._compared.heard[fact.index].reading(())
                so_far = fact_odds(self._scorer.odds_by_samples(fact.spans), heard)
                part["samples"] = so_far
            if self.references:
                part["references"] = unit.odds - so_far
            if voices.stances:
                part["model"] = unit.fused - unit.odds
            parts.append({n: {"odds": round(odds, 4), "weight": 1.0} for n, odds in part.items()})
        return parts

    def judged(
        self,
        threshold: float,
        voices: Voices = SILENCE,
        unjudged: Mapping[int, str] | None = None,
    ) -> Iterator[Event]:
        """The verdict on each fact, on each sentence, then the ranks. ``unjudged`` are facts that
        the model should have judged and did not, and why: they are not checked. Nothing is where
        there is nothing to compare with."""
        if not self.sources:
            yield from self._unjudged()
            return
        odds_of_facts = [unit.fused for unit in self.of_facts(voices)]
        heard = self._heard(voices)
        lost = {**self._unnamed(heard), **(unjudged or {})}
        sources, verdicts = self.sources, list[Verdict]()
        found = [*self._of_samples, *self._of_references]
        for fact, said in zip(self.facts, heard, strict=True):
            score = logistic(odds_of_facts[fact.index])
            verdict = _verdict(score, threshold, self._denied(fact.index, said, voices))
            reason = "the references disagree with each other" if said.divided else None
            if fact.index in lost:
                verdict, reason = "not_checked", lost[fact.index]
            verdicts.append(verdict)
            yield FactJudged(
                index=fact.index,
                score=None if fact.index in lost else score,
                verdict=verdict,
                basis=self._basis(fact.index, voices),
                reason=reason,
                evidence=self._testimony.on(fact, sources, found, voices),
            )
        odds = [unit.fused for unit in self.of_sentences(voices)]
        for index, own in enumerate(odds):
            held = self._held[index]
            other = None if voices else self._other_value(index)
            doubted = bool(other) or any(verdicts[fact] in DOUBTED for fact in held)
            denied = bool(other) or any(verdicts[fact] == "contradicted" for fact in held)
            why = next((lost[fact] for fact in held if fact in lost), None)
            if why is not None and not doubted:
                yield SentenceJudged(index=index, score=None, verdict="not_checked", reason=why)
                continue
            # Votes on the sentence itself are not overruled by what words say of a fact in it.
            overruled = not voices.sentences
            score = raised(logistic(own), threshold, doubted and overruled)
            verdict = _verdict(score, threshold, denied)
            by_itself = logistic(own) if overruled else None
            yield SentenceJudged(
                index=index, score=score, own=by_itself, verdict=verdict, reason=other
            )
        ranked = self._ranked(odds, odds_of_facts, voices)
        nothing = lost and len(lost) == len(self.facts)
        yield ranked.model_copy(update={"score": None}) if nothing else ranked

    def _other_value(self, sentence: int) -> str | None:
        """What to say of a sentence that a reference has with another value."""
        again = self._retold.get(sentence)
        told = again is not None and again.stance == "contradicts"
        return f"a reference {again.note} here" if again and told else None

    def _unnamed(self, heard: Sequence[Heard]) -> dict[int, str]:
        """The facts that were not checked since no passage that was found names what they are
        about, where there is nothing else to compare with."""
        if self.samples:
            return {}
        pairs = zip(self._named, heard, strict=False)
        return {
            fact: NOT_NAMED
            for fact, (named, said) in enumerate(pairs)
            if not named and not any(said.references[one] for one in ("supports", "contradicts"))
        }

    def _unjudged(self) -> Iterator[Event]:
        for fact in self.facts:
            yield FactJudged(
                index=fact.index, score=None, verdict="not_checked", reason=NOTHING_DRAWN
            )
        for index in range(len(self.message.sentences)):
            yield SentenceJudged(
                index=index, score=None, verdict="not_checked", reason=NOTHING_DRAWN
            )

    def _ranked(
        self, odds: Sequence[float], odds_of_facts: Sequence[float], voices: Voices
    ) -> Ranked:
        alone = self._by_samples(voices) if self.samples and self.references else odds
        level = self._scorer.level([levelled(own) for own in alone] if voices else alone)
        # Against a reference each detail that it does not bear out counts; samples differ in what
        # they go into, so there a sentence counts as a whole.
        counted = self._compared.facts if self.references else ()
        return Ranked(
            score=message_score([logistic(own) for own in (*odds, *counted)]),
            facts=tuple(logistic((own + level) / 2) for own in odds_of_facts),
            sentences=tuple(logistic((own + level) / 2) for own in odds),
        )

    def _by_samples(self, voices: Voices) -> list[float]:
        """The odds of each sentence by the samples alone: they make the level of the message, for
        what a reference says of one sentence says nothing of the others."""
        caution = WEIGHTS.caution / self._scorer.width
        heard, cast = self._compared.heard, voices.on_sentences(self.samples, self._held)
        odds = []
        for index, words in enumerate(self._compared.by_samples):
            held = [heard[fact].reading(()) for fact in self._held[index]]
            odds.append(Unit(sentence_odds(words - caution, held), cast[index]).fused)
        return odds

    @property
    def _compared(self) -> _Plain:
        """What the comparison alone says, kept until one more sample is heard."""
        if self._plain is None:
            found = [*self._of_samples, *self._of_references]
            self._plain = _Plain(
                [heard_of(fact.index, found, len(self.samples)) for fact in self.facts],
                [self._scorer.odds(fact.spans) for fact in self.facts],
                [self._scorer.odds([span]) for span in self.message.sentences],
                [self._scorer.odds_by_samples([span]) for span in self.message.sentences],
            )
        return self._plain

    def _heard(self, voices: Voices) -> list[Heard]:
        """What the sources say of each fact; where a model read one, mostly its word holds."""
        heard = self._compared.heard
        if not voices.stances:
            return heard
        return [
            said.reading(
                settled(source, of_reference[fact], voices.of(source, fact))
                for source, of_reference in zip(self.references, self._of_references, strict=True)
            )
            for fact, said in enumerate(heard)
        ]

    def _denied(self, fact: int, said: Heard, voices: Voices) -> bool:
        """Whether doubt of a fact rests on contradiction: a reference's, or that of more of the
        samples that the model read than support it; where it read none, of all samples."""
        known = [
            settled(sample, found[fact], voices.of(sample, fact))
            for sample, found in zip(self.samples, self._of_samples, strict=True)
            if voices.of(sample, fact) is not None
        ]
        if said.by_references or not known:
            return said.denied
        against = known.count("contradicts")
        return against > known.count("supports") and against >= min(2, len(known))

    def _basis(self, fact: int, voices: Voices) -> tuple[Basis, ...]:
        basis: list[Basis] = []
        if self.samples:
            basis.append("samples")
        if self.references:
            basis.append("references")
        if any(voices.of(source, fact) is not None for source in self.sources):
            basis.append("model")
        return tuple(basis)


def retold(found: Sequence[Sequence[Finding]]) -> dict[int, Finding]:
    """The sentences that a reference says again, and what it says of them: one that bears a
    sentence out outweighs one with another value. ``found`` holds what each reference says of
    each sentence."""
    told: dict[int, Finding] = {}
    for index, own in enumerate(zip(*found, strict=True)):
        for one in sorted(own, key=lambda finding: finding.stance != "supports"):
            if one.stance != "silent":
                told.setdefault(index, one)
    return told


def _verdict(score: float, threshold: float, denied: bool) -> Verdict:
    if score < threshold:
        return "supported"
    return "contradicted" if denied else "doubtful"
