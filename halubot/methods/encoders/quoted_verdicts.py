"""What quotes and doubts of a judge on this machine change in verdicts.

supported     only if a source supports the fact with a quote; else it is not checked
doubtful      what no reference bears out, if the judge says which words it does not find
not checked   what references alone leave open: a judge that is not sure is no doubt
sentences     the verdict of their worst fact
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from halubot.events import Event, FactJudged, Ranked, SentenceJudged
from halubot.methods.consensus.comparison import Comparison
from halubot.methods.consensus.decision import verdict_of
from halubot.methods.consensus.log_odds import raise_score
from halubot.methods.consensus.voices import Voices
from halubot.methods.encoders.encoder_reading import EncoderReading
from halubot.models.local.encoder_judge import Reading
from halubot.report import DOUBTED, Evidence, Span, Verdict

NO_QUOTE: Final = "no source has a sentence that says it"
"""Why a fact is not checked that nothing doubts and no quote supports."""

UNFOUNDED: Final = "the judge finds no ground in the references for"
"""Why a fact is doubtful; its words follow in quotation marks."""

_WEIGHT: Final = 3.0
"""Log-odds that a judge's doubt adds to the rank of a fact, if it is sure."""

_WORST: Final[tuple[Verdict, ...]] = ("contradicted", "doubtful", "not_checked", "supported")


@dataclass(frozen=True, slots=True)
class _Doubt:
    """The words of a fact that no reference bears out, and how sure the judge is."""

    spans: tuple[Span, ...]
    probability: float


class Grounding:
    """The events of one message, as the quotes of its judge leave them."""

    def __init__(
        self, comparison: Comparison, voices: Voices, judge: EncoderReading, threshold: float
    ) -> None:
        self._comparison = comparison
        self._sources = {source.id: source for source in comparison.sources}
        self._heard = comparison.heard(voices)
        self._judge = judge
        self._threshold = threshold
        self._facts: dict[int, FactJudged] = {}
        self._doubts: dict[int, float] = {}

    def grounded(self, events: Iterable[Event]) -> Iterator[Event]:
        """Yield the events of `halubot.methods.consensus.decision.judge_all`, with the judge's
        places."""
        for event in events:
            if isinstance(event, FactJudged):
                self._facts[event.index] = one = self._fact(event)
                yield one
            elif isinstance(event, SentenceJudged):
                yield self._sentence(event)
            elif isinstance(event, Ranked):
                yield self._ranked(event)
            else:
                yield event

    def _fact(self, event: FactJudged) -> FactJudged:
        evidence = tuple(self._placed(event.index, one) for one in event.evidence)
        event = event.model_copy(update={"evidence": evidence})
        if event.verdict == "contradicted":
            return event
        if (doubt := self._doubt(event)) is not None:
            self._doubts[event.index] = doubt.probability
            text = self._comparison.message.text
            words = "”, “".join(text[slice(*span)] for span in doubt.spans)
            return event.model_copy(
                update={
                    "verdict": "doubtful",
                    "score": raise_score(event.score or 0.0, self._threshold, True),
                    "reason": f"{UNFOUNDED} “{words}”",
                    "spans": doubt.spans,
                }
            )
        if event.verdict == "doubtful" and not self._comparison.samples:
            verdict, reason = verdict_of(self._heard[event.index], doubted=True)
            return event.model_copy(update={"verdict": verdict, "reason": reason})
        quoted = any(one.stance == "supports" and one.quote for one in evidence)
        if event.verdict == "supported" and not quoted:
            return event.model_copy(update={"verdict": "not_checked", "reason": NO_QUOTE})
        return event

    def _placed(self, fact: int, evidence: Evidence) -> Evidence:
        """Return evidence with the sentence that the judge read, if what it says is the judge's."""
        reading = self._reading(evidence.source, fact)
        told = reading is not None and reading.stance == evidence.stance
        if reading is None or reading.quote is None or not told or evidence.value is not None:
            return evidence
        if evidence.quote and not evidence.note.startswith("the judge"):
            return evidence  # the comparison found the same by itself, and says why
        start, end = reading.quote
        quote = (self._sources[evidence.source].text or "")[start:end]
        return evidence.model_copy(update={"start": start, "end": end, "quote": quote})

    def _doubt(self, event: FactJudged) -> _Doubt | None:
        """Return the judge's doubt of a fact that no source supports, if it read references."""
        if any(one.stance == "supports" for one in event.evidence):
            return None
        references = self._comparison.references
        readings = [self._reading(one.id, event.index) for one in references]
        known = [one for one in readings if one is not None and one.unfounded]
        if not known:
            return None
        least = min(known, key=lambda one: one.doubt or 0.0)
        return _Doubt(least.unfounded, least.doubt or 0.0)

    def _reading(self, source: str, fact: int) -> Reading | None:
        return self._judge.readings.get(source, {}).get(fact)

    def _sentence(self, event: SentenceJudged) -> SentenceJudged:
        own = [self._facts[fact] for fact in self._comparison.held[event.index]]
        if not own or event.reason is not None:
            return event
        worst = min(own, key=lambda one: _WORST.index(one.verdict))
        milder = _WORST.index(worst.verdict) >= _WORST.index(event.verdict)
        if milder and (self._comparison.samples or worst.verdict == event.verdict):
            return event
        score = event.score
        if score is not None and worst.verdict == "supported":
            score = min(score, math.nextafter(self._threshold, 0))
        elif worst.verdict in DOUBTED:
            score = raise_score(score or 0.0, self._threshold, True)
        own_score = event.score if event.own is None else event.own
        return event.model_copy(
            update={
                "verdict": worst.verdict,
                "score": score,
                "own": own_score,
                "reason": worst.reason,
            }
        )

    def _ranked(self, event: Ranked) -> Ranked:
        """Return ranks that the judge's doubts raise; those without any are as they were."""
        if not self._doubts:
            return event
        sentences = [
            max((self._doubts.get(fact, 0.0) for fact in held), default=0.0)
            for held in self._comparison.held
        ]
        facts = [self._doubts.get(fact, 0.0) for fact in range(len(event.facts))]
        return event.model_copy(
            update={
                "score": _lifted(event.score, max(self._doubts.values())),
                "facts": tuple(map(_lifted, event.facts, facts)),
                "sentences": tuple(map(_lifted, event.sentences, sentences)),
            }
        )


def _lifted(rank: float | None, doubt: float) -> float | None:
    """Return a rank or a score with the doubt of a judge added as log-odds."""
    if rank is None or not doubt:
        return rank
    if rank in (0.0, 1.0):
        return max(rank, doubt)
    return 1 / (1 + math.exp(-(math.log(rank / (1 - rank)) + _WEIGHT * doubt)))
