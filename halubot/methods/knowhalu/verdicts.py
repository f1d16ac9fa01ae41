"""What the verdicts on the segments of a message mean for its facts and sentences.

The paper judges texts. A segment is right if all of it is. If it is wrong, the facts that a query
asked of and that the sources contradict are what is wrong with it: the others were not judged by
themselves. If no fact is known to be the cause, all are doubted.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from halubot.compare.tokens import normal
from halubot.events import FactJudged, SentenceJudged
from halubot.methods.knowhalu.judgement import Decision
from halubot.methods.knowhalu.lookup import Finding, Step
from halubot.methods.quotes import quote, speaker
from halubot.report import Basis, Evidence, Fact, Span, Stance, Verdict
from halubot.text import Document
from halubot.values.names import SMALL, fold
from halubot.verdicts import SEVERITY

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

_STRONGEST: Final[tuple[Stance, ...]] = ("contradicts", "supports", "silent")


class Outcome(NamedTuple):
    """The outcome of one segment. ``why`` says why nothing was decided, if nothing was."""

    decision: Decision | None
    steps: tuple[Step, ...]
    why: str | None


class Standing(NamedTuple):
    """The verdict on a fact or a sentence."""

    verdict: Verdict
    score: float | None
    reason: str | None

    def of_fact(self, index: int, evidence: tuple[Evidence, ...] | None = None) -> FactJudged:
        """Return it as the verdict on a fact; without evidence it is the model's alone."""
        basis: tuple[Basis, ...] = ("model",) if evidence is None else ("references", "model")
        basis = () if self.verdict == "not_checked" else basis
        return FactJudged(index=index, basis=basis, evidence=evidence or (), **self._asdict())

    def of_sentence(self, index: int) -> SentenceJudged:
        return SentenceJudged(index=index, **self._asdict())


def judge_parts(
    message: Document,
    facts: Sequence[Fact],
    segments: Sequence[Span],
    outcomes: Sequence[Outcome],
    threshold: float,
) -> Iterator[FactJudged | SentenceJudged]:
    """Yield the verdict on each fact and each sentence by the outcomes of the segments, which are
    in order and disjoint. Takes time linear in the passages: do it off the loop."""
    # A fact without words of its own stands if its sentences do.
    spans = [fact.spans or [message.sentences[at] for at in fact.sentences] for fact in facts]
    of_facts = _overlapping(segments, spans)
    inside: list[list[Fact]] = [[] for _ in segments]
    for fact, held in zip(facts, of_facts, strict=True):
        for segment in held:
            inside[segment].append(fact)
    pairs = list(zip(outcomes, inside, strict=True))
    asked = [_asked_of(message, one.steps, own) for one, own in pairs]

    def standing(held: Iterable[int], of: Sequence[int]) -> Standing:
        """How some facts of segments stand, by the worst of these."""
        found = [_standing(outcomes[at], asked[at], of, threshold) for at in held]
        return min(found, key=lambda one: (SEVERITY.index(one.verdict), -(one.score or 0.0)))

    of_sentences: list[list[int]] = [[] for _ in message.sentences]
    for fact, held in zip(facts, of_facts, strict=True):
        steps = [step for at in held for step, of in asked[at] if fact.index in of]
        yield standing(held, [fact.index]).of_fact(fact.index, _evidence(fact, steps))
        for sentence in fact.sentences:
            of_sentences[sentence].append(fact.index)
    rows = _overlapping(segments, [[span] for span in message.sentences])
    for sentence, held in enumerate(rows):
        yield standing(held, of_sentences[sentence]).of_sentence(sentence)


_Asked = Sequence[tuple[Step, Sequence[int]]]
"""The steps of a segment, each with the facts that its query asks of."""


def _standing(outcome: Outcome, asked: _Asked, facts: Sequence[int], threshold: float) -> Standing:
    decision = outcome.decision
    if decision is None or decision.score is None:
        said = decision.reason if decision is not None else ""
        why = outcome.why or f"INCONCLUSIVE: {said}".rstrip(": ")
        return Standing("not_checked", None, why)
    reason = f"{decision.verdict}: {decision.reason}".rstrip(": ")
    if decision.score < threshold:
        return Standing("supported", decision.score, reason)
    causes = {fact for step, own in asked if step.finding == "contradicts" for fact in own}
    if decision.verdict != "INCORRECT" or not causes:
        return Standing("doubtful", decision.score, reason)
    # Another statement condemned the segment, and nobody judged this one by itself.
    if causes.isdisjoint(facts):
        return Standing("not_checked", None, ANOTHER)
    return Standing("contradicted", decision.score, reason)


def _evidence(fact: Fact, steps: Iterable[Step]) -> tuple[Evidence, ...]:
    """Return the evidence of the passages that were found for the queries about a fact: of each
    step the sentence most like it, of each source the strongest word."""
    found: dict[str, Evidence] = {}
    for step in steps:
        if not step.passages:
            continue
        passage = step.passages[speaker([one.text for one in step.passages], fact.triple)]
        source = passage.source.model_copy(update={"text": passage.text})
        one = quote(source, STANCES[step.finding], fact.triple)
        if one.quote:
            places = {"start": one.start + passage.start, "end": one.end + passage.start}
            one = one.model_copy(update=places)
        held = found.get(one.source, one)
        found[one.source] = min(held, one, key=lambda e: _STRONGEST.index(e.stance))
    return tuple(found.values())


def _asked_of(message: Document, steps: Iterable[Step], facts: Sequence[Fact]) -> _Asked:
    """Return the steps, each with the facts that its query asks of: those that hold the most words
    of its detail, and at least half of them."""
    words = {
        fact.index: _words(str(fact.triple), *(message.text[slice(*span)] for span in fact.spans))
        for fact in facts
    }
    asked: list[tuple[Step, Sequence[int]]] = []
    for step in steps:
        wanted = _words(step.query.detail)
        shares = {fact: len(wanted & own) for fact, own in words.items()}
        most = max(shares.values(), default=0)
        known = wanted and most >= ASKED_OF * len(wanted)
        asked.append((step, [one for one, share in shares.items() if known and share == most]))
    return asked


def _overlapping(segments: Sequence[Span], rows: Iterable[Iterable[Span]]) -> list[list[int]]:
    """Return, for each row of spans, the segments that share a character with one of them."""
    starts, ends = [start for start, _ in segments], [end for _, end in segments]

    def held(spans: Iterable[Span]) -> list[int]:
        found = (range(bisect_right(ends, first), bisect_left(starts, end)) for first, end in spans)
        return sorted({segment for row in found for segment in row})

    return [held(spans) for spans in rows]


def _words(*texts: str) -> frozenset[str]:
    words = (word for text in texts for word in fold(text).split())
    return frozenset(normal(word) for word in words if word not in SMALL)
