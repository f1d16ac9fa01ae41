"""`ensemble`: several witnesses of each fact, fused as log-odds; also with members of one's
choice."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from halubot.concurrency import aside, both, meanwhile
from halubot.events import Emit, Event, FactJudged, FactsExtracted, Labelled, Ranked, SentenceJudged
from halubot.methods import registry
from halubot.methods.calls.answer import ROUND
from halubot.methods.consensus.log_odds import level_of, raise_score
from halubot.methods.consensus.word_scores import FITTED_ON, logistic, message_score
from halubot.methods.driver import by_judge, by_rules, draw_samples, missing, stream_events
from halubot.methods.ensemble import votes
from halubot.methods.ensemble.members import (
    BY_JUDGE,
    MEMBERS,
    UNKNOWN,
    Opinion,
    able,
    basis_of,
    evidence_on,
    members_of,
    opinions,
    part_of,
    pool_odds,
    spoken_of,
    verdict_on,
)
from halubot.methods.registry import Case, Method, Size
from halubot.report import DOUBTED, Fact, Threshold, Verdict

HAND: Final = "no data (set by hand)"


class Fused:
    """The method object of `ensemble` with these members, in this order.

    A fact's score is that of the pooled log-odds, a sentence's likewise, just beyond the threshold
    if only a fact of it is doubted. ``rank`` is half from that and half from the level of the
    message, the mean over its sentences. The message's score is D / (1 + D), if D is the sum
    over its sentences, and over its facts if there are references.
    """

    needs_all = False
    source = "halubot's own"
    default_threshold = Threshold(value=0.5, fitted_on=HAND)

    def __init__(self, name: str, members: Sequence[str]) -> None:
        self.name = name
        # Looked up here, so that a wrong name is refused before anything is asked.
        self.members = tuple(registry.get(member) for member in members)
        self.summary = f"{', '.join(members)}, fused per fact"
        self.needs: tuple[str, ...] = self._needs()
        self.asks = any("model" in member.needs for member in self.members)
        """Whether any member asks a model; ``needs`` names one only if all do."""

    def calls(self, size: Size) -> int:
        """Return the most calls of all members together."""
        return sum(member.calls(size) for member in self.members)

    def lacking(self, case: Case) -> str | None:
        """Why no member can judge a case; None if one can."""
        if able(case, self.members):
            return None
        whys = [missing(member, part_of(case, member)) for member in self.members]
        return "; ".join(dict.fromkeys(filter(None, whys)))

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Facts, what the members tell while they work, then the verdicts, the ranks, the details.

        Raises SettingError for an option that it does not know.
        """
        case.refuse_options(self.name, MEMBERS)
        return stream_events(partial(self._work, case))

    async def _work(self, case: Case, emit: Emit) -> None:
        methods = able(case, self.members, emit)
        facts = await self._facts(case, methods, emit)
        heard = await opinions(case, methods, facts, emit)
        threshold = case.limit(self.default_threshold)
        for event in await aside(lambda: list(_judge(case, facts, heard, threshold))):
            emit(event)

    async def _facts(self, case: Case, methods: Sequence[Method], emit: Emit) -> tuple[Fact, ...]:
        """The facts that all members judge, taken while the first samples are drawn."""
        drawing = self._drawing(case, methods)
        # One extraction for all members: each by itself would pay for the same call.
        if case.talk is None or not any(method.name in BY_JUDGE for method in methods):
            taken, _ = await both(aside(lambda: by_rules(case)), drawing)
            emit(taken)
            return taken.facts
        taking = by_judge(case, case.talk, as_published=case.as_published)
        extraction, _ = await both(taking, drawing)
        emit(FactsExtracted(facts=extraction.facts, how=extraction.how))
        return extraction.facts

    async def _drawing(self, case: Case, methods: Sequence[Method]) -> None:
        """The first samples, if any member compares with them."""
        if any("samples" in method.needs for method in methods):
            await draw_samples(case, ROUND)

    def _needs(self) -> tuple[str, ...]:
        compared = [need for member in self.members for need in member.needs]
        compared += ["references" for member in self.members if registry.heeds_references(member)]
        every = all("model" in member.needs for member in self.members)
        wanted = ("samples", "references", *(("model",) if every else ()))
        return tuple(need for need in wanted if need in compared)


def _judge(
    case: Case, facts: Sequence[Fact], heard: Sequence[Opinion], threshold: float
) -> Iterator[Event]:
    """The verdicts, the ranks and the details, from what all members said."""
    spoken = {fact.index for fact in facts if spoken_of(fact.index, heard)}
    odds_of_facts: list[float | None] = []
    doubted: set[int] = set()
    denied: set[int] = set()
    contributions: list[dict[str, dict[str, float]]] = []
    for fact in facts:
        said = {
            one.name: part
            for one in heard
            if (part := one.of_fact(fact, overruled=fact.index in spoken)) is not None
        }
        own = pool_odds(said.values()) if said else None
        judged = _fact(fact, own, threshold, heard)
        doubted |= set(fact.sentences) if judged.verdict in DOUBTED else set()
        denied |= set(fact.sentences) if judged.verdict == "contradicted" else set()
        odds_of_facts.append(own)
        contributions.append({name: part.details() for name, part in said.items()})
        yield judged
    odds: list[float | None] = []
    for index in range(len(case.message.sentences)):
        held = [fact.index for fact in facts if index in fact.sentences]
        # A reference silences samples in a sentence only if it speaks of all of its facts.
        overruled = bool(held) and spoken.issuperset(held)
        parts = [one.of_sentence(index, overruled=overruled) for one in heard]
        known = [part for part in parts if part is not None]
        odds.append(pool_odds(known) if known else None)
        yield _sentence(index, odds[-1], threshold, index in doubted, index in denied)
    yield _rank(odds, odds_of_facts, counted=bool(case.references))
    members = {one.name: one.details_of() for one in heard}
    yield Labelled(details={"members": members, "contributions": contributions})


def _fact(fact: Fact, odds: float | None, threshold: float, heard: Sequence[Opinion]) -> FactJudged:
    evidence = evidence_on(fact.index, heard)
    if odds is None:
        return FactJudged(
            index=fact.index, score=None, verdict="not_checked", reason=UNKNOWN, evidence=evidence
        )
    score = logistic(odds)
    verdict, reason = verdict_on(fact.index, score, threshold, heard)
    return FactJudged(
        index=fact.index,
        score=score,
        verdict=verdict,
        basis=basis_of(fact, heard),
        reason=reason,
        evidence=evidence,
    )


def _sentence(
    index: int, odds: float | None, threshold: float, doubted: bool, denied: bool
) -> SentenceJudged:
    if odds is None:
        return SentenceJudged(index=index, score=None, verdict="not_checked", reason=UNKNOWN)
    own = logistic(odds)
    # A doubted fact is never inside a sentence that passes.
    score = raise_score(own, threshold, doubted)
    verdict: Verdict = "supported"
    if score >= threshold:
        verdict = "contradicted" if denied else "doubtful"
    return SentenceJudged(index=index, score=score, own=own, verdict=verdict)


def _rank(
    odds: Sequence[float | None], odds_of_facts: Sequence[float | None], *, counted: bool
) -> Ranked:
    known = [own for own in odds if own is not None]
    level = math.fsum(map(level_of, known)) / max(1, len(known))
    also = [own for own in odds_of_facts if own is not None] if counted else []

    def rank(own: float | None) -> float | None:
        return None if own is None else logistic((own + level) / 2)

    return Ranked(
        score=message_score([logistic(own) for own in (*known, *also)]),
        facts=tuple(map(rank, odds_of_facts)),
        sentences=tuple(map(rank, odds)),
    )


class Ensemble:
    """The method object of `ensemble`. Its option ``verdict_samples`` is the most samples that the
    model judges, those first that bear most of the message out; all if it is not given. With its
    option ``members`` it is another method (`halubot.methods.ensemble.ensemble.Fused`)."""

    name = "ensemble"
    summary = "consensus and a model's verdicts on every sample, or any methods, fused per fact"
    needs: tuple[str, ...] = ("samples", "references", "model")
    takes_verdicts = True
    needs_all = False
    source = "halubot's own"
    default_threshold = Threshold(value=0.5, fitted_on=FITTED_ON)

    def suited(self, options: Mapping[str, Any]) -> Method:
        """The method that these options make of it. Raises SettingError and UnknownMethodError for
        members that cannot be."""
        members = members_of(options, self.name)
        return Fused(self.name, members) if members else self

    def calls(self, size: Size) -> int:
        """One to extract, one a sample."""
        return 1 + size.samples

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Facts, then, once the model has read every sample, the verdicts and the ranks."""
        if MEMBERS in case.options:
            return Fused(self.name, members_of(case.options, self.name)).judge(case)
        case.refuse_options(self.name, votes.MOST)
        most, threshold = votes.most(case), case.limit(self.default_threshold)

        async def work(emit: Emit) -> None:
            ballot, samples = await votes.open_ballot(case, emit, first=None)
            asked, everything = samples, range(ballot.size)
            # Only a choice among the samples, or recorded verdicts, need the comparison before the
            # calls.
            if most is not None or case.verdicts is not None:
                await ballot.hear(samples)
                asked = await aside(lambda: ballot.nearest(everything)[:most])
            asking = both(ballot.ask(asked, everything, emit), ballot.ask_references())
            # The comparison takes the processor, and the calls mostly wait.
            await meanwhile(asking, ballot.hearing(samples))
            await ballot.hear(samples)
            await votes.close_ballot(ballot, threshold, emit)
            parts = await aside(lambda: ballot.comparison.parts(ballot.voices))
            emit(Labelled(details={"contributions": parts}))

        return stream_events(work)


METHOD: Final = Ensemble()
