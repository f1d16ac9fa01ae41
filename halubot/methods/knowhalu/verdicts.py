"""What the verdicts on the segments of a message mean for its facts and sentences.

The paper judges texts. A segment is right if all of it is. If it is wrong, the facts that a query
asked of and that the sources contradict are what is wrong with it: the others were not judged by
themselves. If no fact is known to be the cause, all are doubted.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from rapidfuzz import fuzz

from halubot.events import FactJudged, SentenceJudged
from halubot.methods.knowhalu.aggregation import Decision
from halubot.methods.knowhalu.lookup import Finding, Step
from halubot.methods.relations import stem
from halubot.methods.sentence_quotes import quote
from halubot.report import Evidence, Fact, Span, Stance, Verdict
from halubot.text import Document
from halubot.values.names import SMALL, fold

STANCES: Final[Mapping[Finding, Stance]] = {
    "agrees": "supports",
    "contradicts": "contradicts",
    "nothing": "silent",
}
"""What a step found, as evidence has it."""
ASKED_OF: Final = 0.5
"""The least share of the words of a detail that a fact holds which a query asks of."""
ANOTHER: Final = "another statement is what makes the text INCORRECT; this one was not judged alone"
"""Why a fact, or a sentence, of a wrong text is not checked."""

_WORST: Final[tuple[Verdict, ...]] = ("contradicted", "doubtful", "not_checked", "supported")
_STRONGEST: Final[tuple[Stance, ...]] = ("contradicts", "supports", "silent")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one segment. ``why`` says why nothing was decided, if nothing was. ``closed``
    tells that what the sources leave open counts as wrong."""

    decision: Decision | None
    steps: tuple[Step, ...] = ()
    why: str | None = None
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """The verdict on a fact or a sentence."""

    verdict: Verdict
    score: float | None
    reason: str | None

    def of_fact(self, index: int, evidence: tuple[Evidence, ...] | None = None) -> FactJudged:
        """Return it as the verdict on a fact; without evidence it is the model's alone."""
        judged = FactJudged(
            index=index,
            score=self.score,
            verdict=self.verdict,
            basis=("model",) if evidence is None else ("references", "model"),
            reason=self.reason,
            evidence=evidence or (),
        )
        return judged.model_copy(update={"basis": ()}) if self.verdict == "not_checked" else judged

    def of_sentence(self, index: int) -> SentenceJudged:
        """Return it as the verdict on a sentence."""
        return SentenceJudged(
            index=index, score=self.score, verdict=self.verdict, reason=self.reason
        )


class Verdicts:
    """The verdicts on the facts and sentences of a message by the outcomes of its segments, which
    are in order and disjoint."""

    def __init__(
        self,
        message: Document,
        facts: Sequence[Fact],
        segments: Sequence[Span],
        outcomes: Sequence[Outcome],
        threshold: float,
    ) -> None:
        self._message = message
        self._facts = facts
        self._outcomes = outcomes
        self._threshold = threshold
        # A fact without words of its own stands if its sentences do.
        spans = [f.spans or [message.sentences[at] for at in f.sentences] for f in facts]
        self._of_facts = _overlapping(segments, spans)
        self._of_sentences = _overlapping(segments, [[span] for span in message.sentences])
        words = [
            _words(str(fact.triple), *(message.text[slice(*span)] for span in fact.spans))
            for fact in facts
        ]
        inside: list[dict[int, frozenset[str]]] = [{} for _ in segments]
        for fact, held in enumerate(self._of_facts):
            for segment in held:
                inside[segment][fact] = words[fact]
        pairs = zip(outcomes, inside, strict=True)
        self._asked = [[(step, _asked_of(step, own)) for step in one.steps] for one, own in pairs]
        self._causes = [self._find_causes(at) for at in range(len(segments))]

    def judged(self) -> Iterator[FactJudged | SentenceJudged]:
        """Yield the verdict on each fact and each sentence. Takes time linear in the passages: do
        it off the loop."""
        inside: list[list[int]] = [[] for _ in self._message.sentences]
        for fact, segments in zip(self._facts, self._of_facts, strict=True):
            standing = self._worst(segments, [fact.index])
            yield standing.of_fact(fact.index, self._evidence(fact.index, segments))
            for sentence in fact.sentences:
                inside[sentence].append(fact.index)
        for sentence, segments in enumerate(self._of_sentences):
            yield self._worst(segments, inside[sentence]).of_sentence(sentence)

    def _worst(self, segments: Iterable[int], facts: Sequence[int]) -> Standing:
        """Return how some facts of segments stand, by the worst of these."""
        standings = [self._standing(at, facts) for at in segments]
        return min(standings, key=lambda one: (_WORST.index(one.verdict), -(one.score or 0.0)))

    def _standing(self, segment: int, facts: Sequence[int]) -> Standing:
        outcome, causes = self._outcomes[segment], self._causes[segment]
        decision = outcome.decision
        if decision is None or decision.score is None:
            said = decision.reason if decision is not None else ""
            why = outcome.why or f"INCONCLUSIVE: {said}".rstrip(": ")
            return Standing("not_checked", None, why)
        reason = f"{decision.verdict}: {decision.reason}".rstrip(": ")
        if decision.score < self._threshold:
            return Standing("supported", decision.score, reason)
        own = [causes[fact] for fact in facts if fact in causes]
        # Another statement condemned the segment, and nobody judged this one by itself.
        if causes and not own:
            return Standing("not_checked", None, ANOTHER)
        verdict: Verdict = "contradicted" if "contradicts" in own else "doubtful"
        return Standing(verdict, decision.score, reason)

    def _find_causes(self, segment: int) -> dict[int, Stance]:
        """Return the facts for which a segment is wrong; none if it is not, or they are not
        known."""
        outcome = self._outcomes[segment]
        if outcome.decision is None or outcome.decision.verdict != "INCORRECT":
            return {}
        findings: tuple[Finding, ...] = ("contradicts", "nothing")
        # What no source says makes a text wrong only if they hold all there is to know.
        for finding in findings if outcome.closed else findings[:1]:
            asked = [facts for step, facts in self._asked[segment] if step.finding == finding]
            if causes := dict.fromkeys(chain.from_iterable(asked), STANCES[finding]):
                return causes
        return {}

    def _evidence(self, fact: int, segments: Sequence[int]) -> tuple[Evidence, ...]:
        """Return the evidence of the passages that were found for the queries about a fact: of each
        source the strongest word, with its place."""
        found: dict[str, Evidence] = {}
        for segment in segments:
            for step, asked in self._asked[segment]:
                if step.passages and fact in asked:
                    one = self._quote(fact, step)
                    held = found.get(one.source, one)
                    found[one.source] = min(held, one, key=lambda e: _STRONGEST.index(e.stance))
        return tuple(found.values())

    def _quote(self, fact: int, step: Step) -> Evidence:
        """Return what the passages of a step say of a fact: the sentence of the passage that is
        most like it."""
        triple, stance = self._facts[fact].triple, STANCES[step.finding]
        rows = (
            (
                passage,
                quote(passage.source.model_copy(update={"text": passage.text}), stance, triple),
            )
            for passage in step.passages
        )
        passage, one = max(
            rows, key=lambda row: fuzz.token_set_ratio(str(triple), row[1].quote or row[0].text)
        )
        if not one.quote:
            return one
        places = {"start": one.start + passage.start, "end": one.end + passage.start}
        return one.model_copy(update=places)


def _asked_of(step: Step, facts: Mapping[int, frozenset[str]]) -> list[int]:
    """Return the facts, given by their words, that a query asks of: those that hold the most words
    of its detail, and at least half of them."""
    wanted = _words(step.query.detail)
    shares = {fact: len(wanted & words) for fact, words in facts.items()}
    most = max(shares.values(), default=0)
    if not wanted or most < ASKED_OF * len(wanted):
        return []
    return [fact for fact, share in shares.items() if share == most]


def _overlapping(segments: Sequence[Span], rows: Iterable[Iterable[Span]]) -> list[tuple[int, ...]]:
    """Return, for each row of spans, the segments that share a character with one of them."""
    starts, ends = [start for start, _ in segments], [end for _, end in segments]

    def held(spans: Iterable[Span]) -> tuple[int, ...]:
        found = (range(bisect_right(ends, first), bisect_left(starts, end)) for first, end in spans)
        return tuple(sorted({segment for row in found for segment in row}))

    return [held(spans) for spans in rows]


def _words(*texts: str) -> frozenset[str]:
    words = (word for text in texts for word in fold(text).split())
    return frozenset(stem(word) for word in words if word not in SMALL)
