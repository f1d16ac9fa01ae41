"""The meaning of a verdict on a stretch of text for its facts and sentences, with its sources.

A stretch is right if all of it is. If it is wrong, the facts that a query asked of and that
the sources contradict are what is wrong with it: the others were not judged by themselves. If no
fact is known to be the cause, all are doubted.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from halubot.compare.matcher import Matcher
from halubot.compare.stances import Finding as Match
from halubot.compare.tokens import Worded, tokens, with_tokens
from halubot.evidence.retrieval import Passage
from halubot.methods.knowhalu.aggregation import Decision
from halubot.methods.knowhalu.queries import Finding, Step
from halubot.methods.quotes import evidence_of
from halubot.report import Evidence, Fact, Span, Stance, Verdict
from halubot.text import Document, read

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


class Layout:
    """Which segments of a message, in order and disjoint, hold which facts and sentences.

    A fact without words of its own stands if its sentences do. All are given by their indexes.
    """

    def __init__(self, message: Document, facts: Sequence[Fact], segments: Sequence[Span]) -> None:
        self._starts = [start for start, _ in segments]
        self._ends = [end for _, end in segments]
        self.of_sentences = [self._holding([span]) for span in message.sentences]
        self.of_facts = [
            self._holding(fact.spans or [message.sentences[index] for index in fact.sentences])
            for fact in facts
        ]
        inside: list[list[int]] = [[] for _ in segments]
        for index, held in enumerate(self.of_facts):
            for segment in held:
                inside[segment].append(index)
        self.facts = [tuple(held) for held in inside]

    def _holding(self, spans: Sequence[Span]) -> tuple[int, ...]:
        """The segments that share a character with one of these spans."""
        found = {
            segment
            for start, end in spans
            for segment in range(bisect_right(self._ends, start), bisect_left(self._starts, end))
        }
        return tuple(sorted(found))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one segment. ``facts`` are the indexes of those in it. ``why`` says why
    nothing was decided, if nothing was. ``closed`` tells that what the sources leave open counts
    as wrong."""

    decision: Decision | None
    steps: tuple[Step, ...] = ()
    facts: tuple[int, ...] = ()
    why: str | None = None
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """The standing of a fact or a sentence."""

    verdict: Verdict
    score: float | None
    reason: str | None


class Attribution:
    """The facts of one message, by their indexes, beside what was looked up of it.

    A query asks of the facts that hold the most words of its detail, and at least half of them.
    """

    def __init__(
        self, message: Document, facts: Sequence[Fact], subject: str | None, threshold: float
    ) -> None:
        self.facts = tuple(facts)
        self._threshold = threshold
        # Places of quotes come from the comparison of words: the judge names none.
        self._matcher = Matcher(message, facts, subject)
        self._words = [
            _words(str(fact.triple), *(message.text[slice(*span)] for span in fact.spans))
            for fact in facts
        ]
        self._compared: dict[Passage, tuple[Worded, list[Match]]] = {}
        self._asked: dict[tuple[str, tuple[int, ...]], list[int]] = {}

    def of_fact(self, fact: int, outcomes: Sequence[Outcome]) -> Standing:
        """Return how a fact stands by the outcomes of the segments that hold it, at least one; by
        the worst of them."""

        def standing(outcome: Outcome) -> Standing:
            causes = self._causes(outcome)
            return self._standing(outcome, causes.get(fact) if causes else "silent")

        return _worst(map(standing, outcomes))

    def of_sentence(self, sentence: int, outcomes: Sequence[Outcome]) -> Standing:
        """Return how a sentence stands by the outcomes of the segments that hold it, at least one;
        by the worst of them."""

        def standing(outcome: Outcome) -> Standing:
            causes = self._causes(outcome)
            held = [how for fact, how in causes.items() if sentence in self.facts[fact].sentences]
            cause = min(held, key=_STRONGEST.index, default=None)
            return self._standing(outcome, cause if causes else "silent")

        return _worst(map(standing, outcomes))

    def evidence(self, fact: int, outcomes: Iterable[Outcome]) -> tuple[Evidence, ...]:
        """Return the evidence of the passages that were found for the queries about a fact: of each
        source the strongest word, with its place."""
        found: dict[str, Evidence] = {}
        for outcome in outcomes:
            for step in outcome.steps:
                if not step.passages or fact not in self._asked_of(step, outcome):
                    continue
                one = self._quote_step(fact, step)
                held = found.get(one.source, one)
                found[one.source] = min(held, one, key=lambda e: _STRONGEST.index(e.stance))
        return tuple(found.values())

    def _causes(self, outcome: Outcome) -> dict[int, Stance]:
        """The facts for which a segment is wrong; none if it is not, or they are not known."""
        if outcome.decision is None or outcome.decision.verdict != "INCORRECT":
            return {}
        findings: tuple[Finding, ...] = ("contradicts", "nothing")
        # What no source says makes a text wrong only if they hold all there is to know.
        for finding in findings if outcome.closed else findings[:1]:
            steps = [step for step in outcome.steps if step.finding == finding]
            asked = (fact for step in steps for fact in self._asked_of(step, outcome))
            if causes := dict.fromkeys(asked, STANCES[finding]):
                return causes
        return {}

    def _asked_of(self, step: Step, outcome: Outcome) -> Sequence[int]:
        """The facts of a segment that a query asks of."""
        # Facts and sentences ask the same of every step.
        key = step.query.detail, outcome.facts
        if key not in self._asked:
            wanted = _words(step.query.detail)
            shares = {fact: len(wanted & self._words[fact]) for fact in outcome.facts}
            most = max(shares.values(), default=0)
            enough = wanted and most >= ASKED_OF * len(wanted)
            self._asked[key] = [f for f, share in shares.items() if share == most] if enough else []
        return self._asked[key]

    def _standing(self, outcome: Outcome, cause: Stance | None) -> Standing:
        """Return how something stands that makes a segment wrong by that stance; None if something
        else does, "silent" if nobody knows what does."""
        decision = outcome.decision
        if decision is None or decision.score is None:
            said = decision.reason if decision is not None else ""
            return Standing(
                "not_checked", None, outcome.why or f"INCONCLUSIVE: {said}".rstrip(": ")
            )
        reason = f"{decision.verdict}: {decision.reason}".rstrip(": ")
        if decision.score < self._threshold:
            return Standing("supported", decision.score, reason)
        # Another statement condemned the segment, and nobody judged this one by itself.
        if cause is None:
            return Standing("not_checked", None, ANOTHER)
        verdict: Verdict = "contradicted" if cause == "contradicts" else "doubtful"
        return Standing(verdict, decision.score, reason)

    def _quote_step(self, fact: int, step: Step) -> Evidence:
        """Return what the passages of a step say of a fact: the first that says so by its words,
        else the nearest."""
        stance = STANCES[step.finding]
        compared = [(passage, *self._compare(passage)) for passage in step.passages]
        # The nearest passage may be silent by its words though the judge read the answer in another
        # one.
        passage, text, found = next(
            (row for row in compared if row[2][fact].stance == stance), compared[0]
        )
        source = passage.source.model_copy(update={"text": passage.text})
        one = evidence_of(source, self.facts[fact], stance, found[fact], text)
        if not one.quote:
            return one
        places = {"start": one.start + passage.start, "end": one.end + passage.start}
        return one.model_copy(update=places)

    def _compare(self, passage: Passage) -> tuple[Worded, list[Match]]:
        if passage not in self._compared:
            text = with_tokens(read(passage.text))
            self._compared[passage] = text, self._matcher.compare(text).facts
        return self._compared[passage]


def _worst(standings: Iterable[Standing]) -> Standing:
    return min(standings, key=lambda one: (_WORST.index(one.verdict), -(one.score or 0.0)))


def _words(*texts: str) -> frozenset[str]:
    found = (token for text in texts for token in tokens(text, 0, len(text)))
    return frozenset(token.norm for token in found if token.kind != "stop")
