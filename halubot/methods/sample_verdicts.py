"""The common part of methods that compare with samples alone, or score sentences alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

from halubot.events import Emit, Event, FactJudged, Labelled, Note, Ranked, SentenceJudged
from halubot.methods.calls.portions import main_reason
from halubot.methods.calls.session import ModelSession
from halubot.methods.calls.verification import Judgement, Stances
from halubot.methods.driver import NOTHING_DRAWN
from halubot.methods.registry import SET_BY_HAND, Case, Size
from halubot.reliability import CANNOT_JUDGE, TRUSTED
from halubot.report import DOUBTED, Evidence, Fact, Verdict
from halubot.text import Document
from halubot.verdicts import SEVERITY

NO_FACT: Final = "no fact was found in it"
"""Why a sentence is not checked; the paper's benchmark counts such a sentence 0.5."""

V = TypeVar("V")

Aggregate = Literal["max", "mean"]
"""How the scores of the facts of a sentence make its own (equation 11 of FactSelfCheck)."""


def hear_if_fit(
    session: ModelSession, prompt: str, judged: Sequence[Judgement[V]], emit: Emit
) -> list[Judgement[V]]:
    """Return the judgements of samples as far as the judge can be trusted with that prompt, by its
    answers to canaries: all of it, or, with a note, nothing. The paper's share of samples is not
    weighed: all are judged by the same model, so weights would change no order."""
    # Once all have answered: one wrong canary of three tells little, nine tell enough.
    judge = session.reliability(prompt)
    if judge != TRUSTED:
        emit(Labelled(details={"judge": judge.details()}))
    if not judge.unfit:
        return [*judged]
    emit(Note(what=CANNOT_JUDGE, why=judge.why))
    return [
        Judgement(missing=dict.fromkeys((*one.found, *one.missing), CANNOT_JUDGE)) for one in judged
    ]


def mean(scores: Iterable[float | None]) -> float | None:
    """The mean of the scores that there are; None if there is none."""
    known = [score for score in scores if score is not None]
    return math.fsum(known) / len(known) if known else None


def judge_sentence(
    index: int, score: float | None, threshold: float, reason: str
) -> SentenceJudged:
    """Return the verdict on a sentence that has a score of its own, doubtful from the threshold on;
    without one it is not checked."""
    verdict: Verdict = "not_checked"
    if score is not None:
        verdict = "doubtful" if score >= threshold else "supported"
    return SentenceJudged(index=index, score=score, verdict=verdict, reason=reason)


Scored = tuple[float | None, str]
"""The score of a sentence from 0 to 1, None if it was not checked; and why it has it."""


@dataclass(frozen=True)
class SentenceScores:
    """A method object that asks no model and knows no facts.

    ``scored`` yields what each sentence has, in order, and adds to the details of the report.
    ``rank`` is ``score``; a message's score is the mean over its sentences. ``reads_logprobs`` is
    that of `halubot.methods.registry.Method`.
    """

    name: str
    summary: str
    source: str
    scored: Callable[[Case, dict[str, Any]], Iterator[Scored]]
    needs: tuple[str, ...] = ("samples",)
    needs_all: bool = True
    reads_logprobs: bool = False
    default_threshold = SET_BY_HAND

    def calls(self, size: Size) -> int:
        """Always 0."""
        return 0

    def judge(self, case: Case) -> Iterator[Event]:
        """The verdict on each sentence, the details, then the ranks. Raises LocalModelError if it
        asks the verifier, which cannot be loaded."""
        details: dict[str, Any] = {}
        scores: list[float | None] = []
        for index, (score, reason) in enumerate(self.scored(case, details)):
            scores.append(score)
            yield judge_sentence(index, score, case.threshold, reason)
        yield Labelled(details=details)
        yield Ranked(score=mean(scores), facts=(), sentences=tuple(scores))


def judge_by_stances(
    fact: int, judged: Sequence[Stances], threshold: float, evidence: tuple[Evidence, ...]
) -> FactJudged:
    """Return the verdict on a fact: its score is the share of the judged samples that do not
    support it. A doubted fact is contradicted if more samples contradict than support it."""
    stances = [said.found[fact] for said in judged if fact in said.found]
    if not stances:
        lost = [said.missing[fact] for said in judged if fact in said.missing]
        why = main_reason(lost) if lost else NOTHING_DRAWN
        return FactJudged(
            index=fact, score=None, verdict="not_checked", reason=why, evidence=evidence
        )
    supports, contradicts = stances.count("supports"), stances.count("contradicts")
    score = (len(stances) - supports) / len(stances)
    verdict: Verdict = "contradicted" if contradicts > supports else "doubtful"
    return FactJudged(
        index=fact,
        score=score,
        verdict=verdict if score >= threshold else "supported",
        basis=("samples", "model"),
        evidence=evidence,
    )


def judge_sentences(
    message: Document,
    facts: Sequence[Fact],
    judged: Sequence[FactJudged],
    *,
    aggregate: Aggregate = "max",
    unread: Mapping[int, str] | None = None,
    ranks: Sequence[float | None] | None = None,
) -> Iterator[Event]:
    """Yield the verdict on each sentence, which is the worst of its facts; the means of the facts'
    scores, as details; then the ranks, which are the scores, unless facts have ``ranks`` of their
    own. A sentence's score is the largest of those of its facts, or their mean; facts without a
    score are left out. ``unread`` says why sentences have no facts, if no fact was looked for."""
    own = [one.score for one in judged] if ranks is None else ranks
    inside: dict[int, list[int]] = {}
    for at, fact in enumerate(facts):
        for sentence in fact.sentences:
            inside.setdefault(sentence, []).append(at)
    rows = [inside.get(index, []) for index in range(len(message.sentences))]

    def join(values: Iterable[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return max(known, default=None) if aggregate == "max" else mean(known)

    scores: list[float | None] = []
    for index, row in enumerate(rows):
        held = [judged[at] for at in row]
        scores.append(join(one.score for one in held))
        yield _judge_sentence(index, held, scores[-1], (unread or {}).get(index, NO_FACT))
    means = [mean(judged[at].score for at in row) for row in rows]
    yield Labelled(details={"mean_of_facts": [None if m is None else round(m, 6) for m in means]})
    sentences = tuple(join(own[at] for at in row) for row in rows)
    yield Ranked(score=mean(scores), facts=tuple(own), sentences=sentences)


def _judge_sentence(
    index: int, held: Sequence[FactJudged], score: float | None, factless: str
) -> SentenceJudged:
    verdicts = {one.verdict for one in held}
    doubted = next((one for one in SEVERITY if one in DOUBTED & verdicts), None)
    # A doubt of one fact stands whatever the others are; support needs all of them.
    if doubted is None and (not held or "not_checked" in verdicts):
        unchecked = (one.reason for one in held if one.verdict == "not_checked")
        why = next(unchecked, None) or factless
        return SentenceJudged(index=index, score=score, verdict="not_checked", reason=why)
    reason = next((one.reason for one in held if one.verdict == doubted), None)
    return SentenceJudged(index=index, score=score, verdict=doubted or "supported", reason=reason)
