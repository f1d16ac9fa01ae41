"""The common part of methods that compare with samples alone, by a model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeVar, cast, get_args

from halubot.errors import SettingError
from halubot.events import Emit, Event, Labelled, Note, Ranked, SentenceJudged
from halubot.llm_calls.portions import main_reason
from halubot.llm_calls.talk import Talk
from halubot.llm_calls.verification import Judgement, Stances
from halubot.methods.driver import NOTHING_DRAWN
from halubot.methods.registry import Case
from halubot.reliability import CANNOT_JUDGE, TRUSTED
from halubot.report import Fact, Stance, Verdict
from halubot.text import Document

NO_FACT: Final = "no fact was found in it"
"""Why a sentence is not checked; the paper's benchmark counts such a sentence 0.5."""

V = TypeVar("V")

Aggregate = Literal["max", "mean"]
"""How the scores of the facts of a sentence make its own (equation 11 of FactSelfCheck)."""

_WORST: Final[tuple[Verdict, ...]] = ("contradicted", "doubtful")


class Weighed(Protocol):
    """The finding on one fact, by any method."""

    @property
    def score(self) -> float | None:
        """None if it could not be checked."""
        ...

    @property
    def reason(self) -> str | None:
        """Why it could not be checked; None if it was."""
        ...

    def verdict(self, threshold: float) -> Verdict:
        """The verdict on it."""
        ...


@dataclass(frozen=True, slots=True)
class Heard:
    """The word of the samples on one fact: the stances of those that were judged, and why the
    others were not."""

    stances: Sequence[Stance]
    lost: Sequence[str]

    @property
    def score(self) -> float | None:
        """The share of samples that do not support it; None if none was judged."""
        against = len(self.stances) - self.stances.count("supports")
        return against / len(self.stances) if self.stances else None

    def verdict(self, threshold: float) -> Verdict:
        """Contradicted is a doubted fact that more samples contradict than support."""
        if self.score is None:
            return "not_checked"
        if self.score < threshold:
            return "supported"
        denied = self.stances.count("contradicts") > self.stances.count("supports")
        return "contradicted" if denied else "doubtful"

    @property
    def reason(self) -> str | None:
        """Why it is not checked; None if it is."""
        if self.stances:
            return None
        return main_reason(self.lost) if self.lost else NOTHING_DRAWN


def aggregate_of(case: Case) -> Aggregate:
    """The option ``aggregate`` of a case, "max" without it. Raises SettingError for another."""
    asked = case.options.get("aggregate", "max")
    for known in get_args(Aggregate):
        if asked == known:
            return cast("Aggregate", asked)
    raise SettingError(f"facts are aggregated by 'max' or 'mean', not {asked!r}")


def hear_if_fit(
    talk: Talk, prompt: str, judged: Sequence[Judgement[V]], emit: Emit
) -> list[Judgement[V]]:
    """Return the judgements of samples as far as the judge can be trusted with that prompt, by its
    answers to canaries: all of it, or, with a note, nothing. The paper's share of samples is not
    weighed: all are judged by the same model, so weights would change no order."""
    # Once all have answered: one wrong canary of three tells little, nine tell enough.
    judge = talk.reliability(prompt)
    if judge != TRUSTED:
        emit(Labelled(details={"judge": judge.details()}))
    if not judge.unfit:
        return [*judged]
    emit(Note(what=CANNOT_JUDGE, why=judge.why))
    return [
        Judgement(missing=dict.fromkeys((*one.found, *one.missing), CANNOT_JUDGE)) for one in judged
    ]


def leave_out_references(case: Case, method: str, emit: Emit) -> None:
    """Notes that references were given for nothing."""
    if case.references:
        emit(Note(what="references were left out", why=f"{method} compares with samples only"))


def mean(scores: Iterable[float | None]) -> float | None:
    """The mean of the scores that there are; None if there is none."""
    known = [score for score in scores if score is not None]
    return math.fsum(known) / len(known) if known else None


def heard_of(fact: int, judged: Sequence[Stances]) -> Heard:
    """Return the stances of all samples on a fact."""
    return Heard(
        [said.found[fact] for said in judged if fact in said.found],
        [said.missing[fact] for said in judged if fact in said.missing],
    )


def judged_sentences(
    message: Document,
    facts: Sequence[Fact],
    heard: Sequence[Weighed],
    threshold: float,
    *,
    aggregate: Aggregate = "max",
    unread: Mapping[int, str] | None = None,
) -> Iterator[Event]:
    """The verdict on each sentence, which is the worst of its facts; its score, the largest of
    those of its facts or their mean; the means, as details; then the ranks, which are the scores.
    Facts that could not be judged leave the aggregate. ``unread`` says why sentences have no
    facts, if no fact was looked for."""
    inside: dict[int, list[Weighed]] = {}
    for fact, said in zip(facts, heard, strict=True):
        for sentence in fact.sentences:
            inside.setdefault(sentence, []).append(said)
    rows = [inside.get(index, []) for index in range(len(message.sentences))]
    means = [mean(said.score for said in held) for held in rows]
    judged = []
    for index, (held, middle) in enumerate(zip(rows, means, strict=True)):
        largest = max((one.score for one in held if one.score is not None), default=None)
        score = largest if aggregate == "max" else middle
        judged.append(_sentence(index, held, threshold, score, (unread or {}).get(index, NO_FACT)))
    yield from judged
    yield Labelled(details={"mean_of_facts": [None if m is None else round(m, 6) for m in means]})
    scores = tuple(sentence.score for sentence in judged)
    yield Ranked(score=mean(scores), facts=tuple(said.score for said in heard), sentences=scores)


def _sentence(
    index: int, held: Sequence[Weighed], threshold: float, score: float | None, factless: str
) -> SentenceJudged:
    """One of which some fact could not be checked is doubted with another, but not supported. It
    keeps the score of its other facts."""
    verdicts = {said.verdict(threshold) for said in held}
    doubted: Verdict | None = next((one for one in _WORST if one in verdicts), None)
    reason = next((said.reason for said in held if said.reason is not None), None)
    # A doubt of one fact stands whatever the others are; support needs all of them.
    if doubted is None and (reason is not None or not held):
        why = reason or factless
        return SentenceJudged(index=index, score=score, verdict="not_checked", reason=why)
    return SentenceJudged(index=index, score=score, verdict=doubted or "supported")
