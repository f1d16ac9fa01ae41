"""What the verdicts on the segments of a message mean for its facts and sentences.

The paper judges texts. A segment is right if all of it is. If it is wrong, the facts that a query
asked of and that the sources contradict are what is wrong with it: the others were not judged by
themselves. If no fact is known to be the cause, all are doubted.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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


class Verdicts:
    """The facts and sentences of one message, by their indexes, and the outcomes of its segments,
    which are in order and disjoint."""

    def __init__(
        self,
        message: Document,
        facts: Sequence[Fact],
        segments: Sequence[Span],
        threshold: float,
    ) -> None:
        self._facts = tuple(facts)
        self._threshold = threshold
        self._words = [
            _words(str(fact.triple), *(message.text[slice(*span)] for span in fact.spans))
            for fact in facts
        ]
        # A fact without words of its own stands if its sentences do.
        spans = [f.spans or [message.sentences[at] for at in f.sentences] for f in facts]
        self._of_facts = _overlapping(segments, spans)
        self._of_sentences = _overlapping(segments, [[span] for span in message.sentences])
        self._in_segments: list[list[int]] = [[] for _ in segments]
        self._in_sentences: list[list[int]] = [[] for _ in message.sentences]
        for fact, held in zip(facts, self._of_facts, strict=True):
            for segment in held:
                self._in_segments[segment].append(fact.index)
            for sentence in fact.sentences:
                self._in_sentences[sentence].append(fact.index)
        self._asked: dict[tuple[str, int], list[int]] = {}
        self._outcomes: dict[int, Outcome] = {}
        self._judged_facts: set[int] = set()
        self._judged_sentences: set[int] = set()

    def add(self, outcomes: Mapping[int, Outcome]) -> list[FactJudged | SentenceJudged]:
        """Return the verdicts on the facts and sentences all of whose segments are known by
        now. Takes time linear in the passages: do it off the loop."""
        self._outcomes |= outcomes
        judged: list[FactJudged | SentenceJudged] = []
        for fact, segments in enumerate(self._of_facts):
            if fact not in self._judged_facts and self._outcomes.keys() >= set(segments):
                self._judged_facts.add(fact)
                standing = self._worst([(at, [fact]) for at in segments])
                judged.append(self.of_fact(fact, standing, self._evidence(fact, segments)))
        for sentence, segments in enumerate(self._of_sentences):
            if sentence not in self._judged_sentences and self._outcomes.keys() >= set(segments):
                self._judged_sentences.add(sentence)
                standing = self._worst([(at, self._in_sentences[sentence]) for at in segments])
                judged.append(self.of_sentence(sentence, standing))
        return judged

    def all_alike(
        self, facts: Standing, sentences: Standing
    ) -> Iterator[FactJudged | SentenceJudged]:
        """Yield the verdicts if every fact stands like this, and every sentence like that."""
        for fact in self._facts:
            yield self.of_fact(fact.index, facts)
        for sentence in range(len(self._of_sentences)):
            yield self.of_sentence(sentence, sentences)

    def of_fact(
        self, index: int, standing: Standing, evidence: tuple[Evidence, ...] | None = None
    ) -> FactJudged:
        """Return the verdict on a fact; without evidence it is the model's alone."""
        judged = FactJudged(
            index=index,
            score=standing.score,
            verdict=standing.verdict,
            basis=("model",) if evidence is None else ("references", "model"),
            reason=standing.reason,
            evidence=evidence or (),
        )
        if standing.verdict == "not_checked":
            return judged.model_copy(update={"basis": ()})
        return judged

    def of_sentence(self, index: int, standing: Standing) -> SentenceJudged:
        """Return the verdict on a sentence."""
        verdict, score, reason = standing.verdict, standing.score, standing.reason
        return SentenceJudged(index=index, score=score, verdict=verdict, reason=reason)

    def _worst(self, segments: Iterable[tuple[int, Sequence[int]]]) -> Standing:
        """Return how some facts of segments stand, by the worst of these."""
        standings = [
            self._standing(self._outcomes[at], self._causes(at), own) for at, own in segments
        ]
        return min(standings, key=lambda one: (_WORST.index(one.verdict), -(one.score or 0.0)))

    def _standing(
        self, outcome: Outcome, causes: Mapping[int, Stance], facts: Sequence[int]
    ) -> Standing:
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

    def _causes(self, segment: int) -> dict[int, Stance]:
        """Return the facts for which a segment is wrong; none if it is not, or they are not
        known."""
        outcome = self._outcomes[segment]
        if outcome.decision is None or outcome.decision.verdict != "INCORRECT":
            return {}
        findings: tuple[Finding, ...] = ("contradicts", "nothing")
        # What no source says makes a text wrong only if they hold all there is to know.
        for finding in findings if outcome.closed else findings[:1]:
            steps = [step for step in outcome.steps if step.finding == finding]
            asked = (fact for step in steps for fact in self._asked_of(step, segment))
            if causes := dict.fromkeys(asked, STANCES[finding]):
                return causes
        return {}

    def _asked_of(self, step: Step, segment: int) -> list[int]:
        """Return the facts of a segment that a query asks of: those that hold the most words of its
        detail, and at least half of them."""
        # Facts and sentences ask the same of every step.
        key = step.query.detail, segment
        if key not in self._asked:
            wanted = _words(step.query.detail)
            shares = {one: len(wanted & self._words[one]) for one in self._in_segments[segment]}
            most = max(shares.values(), default=0)
            enough = wanted and most >= ASKED_OF * len(wanted)
            self._asked[key] = [f for f, share in shares.items() if share == most] if enough else []
        return self._asked[key]

    def _evidence(self, fact: int, segments: Sequence[int]) -> tuple[Evidence, ...]:
        """Return the evidence of the passages that were found for the queries about a fact: of each
        source the strongest word, with its place."""
        found: dict[str, Evidence] = {}
        for segment in segments:
            for step in self._outcomes[segment].steps:
                if step.passages and fact in self._asked_of(step, segment):
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
