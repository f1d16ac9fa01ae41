"""A judge on this machine (`halubot.models.local`) in place of a language model's votes.

Its stances are votes like those of any other judge. Unlike a language model it says for each which
sentence of the source it rests on, so nothing is called supported without a quote.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from halubot.compare.relevance import Nearby
from halubot.concurrency import aside
from halubot.errors import SettingError
from halubot.events import Event, FactJudged, Ranked, SentenceJudged
from halubot.methods.calls.canaries import Canary, sentences_of
from halubot.methods.calls.verification import Stances
from halubot.methods.consensus.comparison import Comparison
from halubot.methods.consensus.consensus import verdict_of
from halubot.methods.consensus.log_odds import Voices, raise_score
from halubot.methods.registry import Case
from halubot.reliability import NOTHING, Tally
from halubot.report import DOUBTED, Evidence, Fact, Source, Span, Verdict
from halubot.text import Document

if TYPE_CHECKING:
    from halubot.models.local.encoder_judge import Claim, EncoderJudge, Reading

JUDGE: Final = "judge"
"""The option that names a judge on this machine: ``nli:MODEL`` or ``grounding:MODEL``."""


def encoder_of(case: Case) -> EncoderReading | None:
    """Return the judge on this machine that a case names; None if it names none. Raises
    SettingError for one that cannot be, or beside recorded verdicts, and what
    `halubot.models.local.encoder_judge.open_judge` does."""
    judge = case.options.get(JUDGE)
    if judge is None:
        return None
    if case.verdicts is not None:
        raise SettingError("recorded verdicts stand in for a judge: leave one of them out")
    # Late: without a judge on this machine a check need not load the encoders.
    from halubot.models.local.encoder_judge import open_judge

    return EncoderReading(open_judge(judge), case.message)


SETS: Final = 5
"""Sets of canaries of a reference: there may be only one. Samples are many and have one each."""


class EncoderReading:
    """A judge at work on one message. ``readings`` are what it said, by source and fact, ``tally``
    what it said of canaries (`halubot.methods.calls.canaries`)."""

    def __init__(self, judge: EncoderJudge, message: Document) -> None:
        self.readings: dict[str, dict[int, Reading]] = {}
        self.tally = NOTHING
        self._judge = judge
        self._message = message
        self._nearby = Nearby(message)

    async def stances(self, source: Source, facts: Sequence[Fact]) -> Stances:
        """Return the stance of a source on each fact, by the fact's own index. A reference of which
        the judge is not sure is left out, for what words found in it holds then. Raises
        LocalModelError if the model cannot be loaded or fails."""
        readings, tally = await aside(partial(self._read, source, facts))
        self.tally += tally
        self.readings.setdefault(source.id, {}).update(readings)
        return Stances(
            {
                fact: one.stance
                for fact, one in readings.items()
                if one.failure is None and (source.kind == "sample" or one.stance != "silent")
            },
            {fact: one.failure for fact, one in readings.items() if one.failure is not None},
        )

    def _read(self, source: Source, facts: Sequence[Fact]) -> tuple[Mapping[int, Reading], Tally]:
        (text,) = self._nearby.read([source.text or ""])
        claims = [self._claim(fact) for fact in facts]
        sets = 1 if source.kind == "sample" else SETS
        asked = [str(fact.triple) for fact in facts]
        canaries = sentences_of(text.document.plain, asked, sets)
        readings = self._judge.read(text, [*claims, *map(_claim_of_canary, canaries)])
        own, of_canaries = readings[: len(claims)], readings[len(claims) :]
        tally = NOTHING
        for canary, one in zip(canaries, of_canaries, strict=True):
            if one.doubt is not None:  # of a source that shares no word with it no model is asked
                tally = tally.count(canary.right, one.stance == "supports")
        return {fact.index: one for fact, one in zip(facts, own, strict=True)}, tally

    def _claim(self, fact: Fact) -> Claim:
        """Return a fact as a claim. Names stand in its triple that its sentence has pronouns for,
        and its sentence has the words of the message."""
        place = self._message.sentences[fact.sentences[0]] if fact.sentences else (0, 0)
        sentence = self._message.plain[slice(*place)]  # without markup, at the same places
        own = tuple(span for span in fact.spans if place[0] <= span[0] and span[1] <= place[1])
        from halubot.models.local.encoder_judge import Claim

        return Claim(str(fact.triple) or sentence, sentence, place, own or (place,))


def _claim_of_canary(canary: Canary) -> Claim:
    """Return a canary as a claim, which stands by itself and nowhere in the message."""
    whole = (0, len(canary.text))
    from halubot.models.local.encoder_judge import Claim

    return Claim(canary.text, canary.text, whole, (whole,))


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
        self._heard = comparison.hear_sources(voices)
        self._judge = judge
        self._threshold = threshold
        self._facts: dict[int, FactJudged] = {}
        self._doubts: dict[int, float] = {}

    def ground(self, events: Iterable[Event]) -> Iterator[Event]:
        """Yield the events of `halubot.methods.consensus.consensus.judge_all`, with the judge's
        places."""
        for event in events:
            if isinstance(event, FactJudged):
                self._facts[event.index] = one = self._fact(event)
                yield one
            elif isinstance(event, SentenceJudged):
                yield self._sentence(event)
            elif isinstance(event, Ranked):
                yield self._raise_ranks(event)
            else:
                yield event

    def _fact(self, event: FactJudged) -> FactJudged:
        evidence = tuple(self._place_quote(event.index, one) for one in event.evidence)
        event = event.model_copy(update={"evidence": evidence})
        # No doubt of a judge outweighs a quote that says otherwise.
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

    def _place_quote(self, fact: int, evidence: Evidence) -> Evidence:
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
        # Of several references the one that bears most of it out: the others may be about something
        # else.
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
            # Just below: a supported sentence must not have a score that doubts it.
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

    def _raise_ranks(self, event: Ranked) -> Ranked:
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
                "score": _add_doubt(event.score, max(self._doubts.values())),
                "facts": tuple(map(_add_doubt, event.facts, facts)),
                "sentences": tuple(map(_add_doubt, event.sentences, sentences)),
            }
        )


def _add_doubt(rank: float | None, doubt: float) -> float | None:
    """Return a rank or a score with the doubt of a judge added as log-odds."""
    if rank is None or not doubt:
        return rank
    if rank in (0.0, 1.0):
        return max(rank, doubt)
    return 1 / (1 + math.exp(-(math.log(rank / (1 - rank)) + _WEIGHT * doubt)))
