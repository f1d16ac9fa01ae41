"""`gca`: facts compared with those of other answers as graphs, and taken apart to be found again.

    1  triples of the message and of up to 10 samples, each list checked against its text
    2  a graph for each text: how consistent the samples are with a fact, c   (`graphs`)
    3  what the head, the relation and the tail of each fact are, asked k times (`reverse`)
    4  F = w1 S_h + w2 S_r + w3 S_t + w4 c, and H = 1 - F                     (`weighing`)

Merged, the lists are checked in the call that makes them, and one call asks for one part of all
facts: 3 + N + 3k calls, four deep with the drawing of samples. As published, step by step and fact
by fact.

Where ours differs. The paper trains no weights of its convolutions and names no theta_t: both are
fixed here (`graphs`). Vectors come from the judge's provider, in the paper from SBERT; where it
gives none they are lexical, and the report says so. C_i, a count, becomes c in [0, 1], and each
sample counts once in it. Facts that half of the samples state are the well-supported ones of which
questions are built; the paper finds them by SelfCheckGPT. The judge is asked for the parts, in the
paper the model that wrote the text. The paper's threshold was fitted on its test data, between the
mean of F and three deviations above it; ours is set by hand.

Source: Fang et al., "Zero-resource Hallucination Detection for Text Generation via Graph-based
Contextual Knowledge Triples Modeling" (AAAI 2025).
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from halubot.errors import SettingError
from halubot.events import Emit, Event, FactJudged, FactsExtracted, Labelled, Note, Progress
from halubot.facts import Basis, Evidence, Fact, Source, Stance, Threshold, Triple
from halubot.methods import graphs
from halubot.methods.agreeing import well_supported
from halubot.methods.driving import aside, streamed, unjudged
from halubot.methods.examined import Judged, unasked
from halubot.methods.graphs import Aligned, compared
from halubot.methods.quoting import Quotes
from halubot.methods.registry import Case, Size
from halubot.methods.sampled import judged_sentences, leave_out_references
from halubot.methods.taking import by_judge
from halubot.methods.weighing import NAMED, Weights, weights_of
from halubot.steps.embedding import TOGETHER, Vectors, vectors
from halubot.steps.portions import ITEMS, main_reason, some
from halubot.steps.posing import Part, Posed, posed
from halubot.steps.reverse import Examination, Trials
from halubot.steps.revising import Listed, listed, reader
from halubot.steps.sampling import drawn
from halubot.steps.stretches import SENTENCES
from halubot.steps.talk import Talk
from halubot.steps.together import both, every

SAMPLES: Final = 10
"""How many samples are drawn at most, as published."""
REPEATS: Final = 3
"""How often each part of a fact is asked for, where nothing else is said."""


class Gca:
    """The method object. Its options are ``repeats``, how often each part of a fact is asked for
    (3; once is at T = 0), and ``weights``: "wikibio" (.7, .15, .1, .05), "phd" (.7, .1, .1, .1), or
    four numbers that sum to 1, for head, relation, tail and consistency.

    A fact's score is H; it knows no contradiction. A term that could not be had is left out and the
    others count for more, which the fact's reason says; with none of the three parts found out the
    fact is not checked. ``rank`` is ``score``, a sentence has the largest score of its facts, and a
    message the mean over its sentences.
    """

    name = "gca"
    summary = "facts as graphs beside other answers', and each part of a fact asked for again"
    needs: tuple[str, ...] = ("samples", "model")
    needs_all = True
    source = "GCA (Fang et al.)"
    default_threshold = Threshold(value=0.5, fitted_on="no data (set by hand)")

    def calls(self, size: Size) -> int:
        """One a text to take it apart, one for vectors, one to write the questions, and three a
        repeat; more where sentences, facts or their parts are more than a call takes."""
        reading = math.ceil(size.sentences / SENTENCES) * (1 + size.samples)
        parts = max(1, 3 * size.facts * (1 + size.samples))
        return (
            reading
            + math.ceil(parts / TOGETHER)
            + math.ceil(size.facts / ITEMS) * (1 + 3 * REPEATS)
        )

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Facts; then, as their parts are found out, the verdicts; the sentences and ranks last.

        Raises SettingError for options that it does not know or cannot use.
        """
        case.refuse_options(self.name, "repeats", "weights")
        return streamed(partial(self._work, case, _repeats(case), _weights(case)))

    async def _work(self, case: Case, repeats: int, weights: Weights, emit: Emit) -> None:
        talk = case.talk
        if talk is None:
            for event in unjudged(case, f"{self.name} needs a model: name one with --model"):
                emit(event)
            return
        leave_out_references(case, self.name, emit)
        facts, samples = await both(_facts(case, talk, emit), _taken_apart(case, talk, emit))
        work = _Work(case, talk, facts, samples, repeats, weights, emit)
        judged = await work.judged(case.limit(self.default_threshold))
        for event in judged_sentences(
            case.message, facts, judged, case.limit(self.default_threshold)
        ):
            emit(event)


@dataclass(frozen=True)
class _Work:
    """One message that is judged, its facts and those of the samples at hand."""

    case: Case
    talk: Talk
    facts: Sequence[Fact]
    samples: Sequence[tuple[Source, Listed]]
    repeats: int
    weights: Weights
    emit: Emit

    async def judged(self, threshold: float) -> list[Judged]:
        """All facts, each emitted when it is judged; then the details."""
        triples = [fact.triple for fact in self.facts]
        known = await aside(partial(well_supported, triples, self._lists))
        starts = range(0, len(self.facts), ITEMS)
        of, done = 3 * self.repeats * len(starts), 0

        def heard() -> None:
            nonlocal done
            done += 1
            self.emit(Progress(what="asking for parts of facts", done=done, of=of))

        comparing = asyncio.ensure_future(self._compared())

        async def portion(facts: Sequence[Fact]) -> list[Judged]:
            asked, trials = await self._examined(facts, known, heard)
            compared = await comparing
            found = []
            for fact in facts:
                at = fact.index
                aligned, samples = compared.aligned[at], len(self.samples)
                one = Judged(aligned, asked[at], trials[at], self.weights, samples)
                self.emit(_judged(fact, one, compared.evidence[at], threshold))
                found.append(one)
            return found

        try:
            rows = await every(portion(self.facts[at : at + ITEMS]) for at in starts)
            compared = await comparing
        finally:
            comparing.cancel()
        judged = [one for row in rows for one in row]
        for note in unasked(judged):
            self.emit(note)
        self.emit(Labelled(details=self._details(compared.by, judged, known)))
        return judged

    @property
    def _lists(self) -> list[tuple[Triple, ...]]:
        """The triples of each sample."""
        return [one.triples or () for _, one in self.samples]

    async def _examined(
        self, facts: Sequence[Fact], known: Sequence[Triple], heard: Callable[[], None]
    ) -> tuple[dict[int, Posed], dict[int, dict[Part, Trials]]]:
        """Some facts as they were asked for, and what came of it."""
        asked = await posed(
            self.talk,
            {fact.index: fact.triple for fact in facts},
            known,
            as_published=self.case.as_published,
        )
        examination = Examination(
            self.talk,
            asked,
            self.repeats,
            question=self.case.question or "",
            known=known,
            as_published=self.case.as_published,
            heard=heard,
        )
        return asked, await examination.trials()

    async def _compared(self) -> _Compared:
        """All facts beside the samples."""
        triples = [fact.triple for fact in self.facts]
        rows = (triples, *self._lists) if triples else ()
        stated = (triple for row in rows for triple in row)
        given = await vectors(self.talk, (part for triple in stated for part in triple))
        exact = self.case.as_published
        aligned = await aside(partial(compared, triples, self._lists, given.of, exact=exact))
        return _Compared(given, aligned, await aside(partial(self._evidence, aligned)))

    def _evidence(self, aligned: Sequence[Aligned]) -> list[tuple[Evidence, ...]]:
        """What each sample that was taken apart says of each fact, with its place: it supports one
        where c_i,j is above 0, and is silent on any other."""
        quotes = Quotes(self.case.message, self.facts, self.case.subject)
        found = []
        for place, (source, _) in enumerate(self.samples):
            stances: dict[int, Stance] = {
                at: "supports" if one.counts[place] > 0 else "silent"
                for at, one in enumerate(aligned)
            }
            found.append(quotes.evidence(source, stances))
        return [tuple(one[fact.index] for one in found) for fact in self.facts]

    def _details(
        self, given: Vectors, judged: Sequence[Judged], known: Sequence[Triple]
    ) -> dict[str, Any]:
        return {
            "vectors": {"by": given.by, "dimensions": given.dimensions},
            "convolution": graphs.CONVOLUTION,
            "thresholds": {"relation": graphs.RELATION, "tail": graphs.TAIL},
            "weights": self.weights._asdict(),
            "repeats": self.repeats,
            "samples": len(self.samples),
            "well_supported": [str(triple) for triple in known],
            "facts": [one.details() for one in judged],
        }


@dataclass(frozen=True)
class _Compared:
    """All facts as the samples bear them out, by vectors of whom, and the evidence."""

    by: Vectors
    aligned: Sequence[Aligned]
    evidence: Sequence[tuple[Evidence, ...]]


def _judged(
    fact: Fact, judged: Judged, evidence: tuple[Evidence, ...], threshold: float
) -> FactJudged:
    aligned = judged.terms.consistency is not None
    basis: tuple[Basis, ...] = ("samples", "model") if aligned else ("model",)
    return FactJudged(
        index=fact.index,
        score=judged.score,
        verdict=judged.verdict(threshold),
        basis=basis if judged.score is not None else (),
        reason=judged.remark,
        evidence=evidence,
    )


async def _facts(case: Case, talk: Talk, emit: Emit) -> tuple[Fact, ...]:
    """The facts of the message."""
    how = reader(as_published=case.as_published)
    extraction = await by_judge(case, talk, reader=how)
    emit(FactsExtracted(facts=extraction.facts, how=extraction.how))
    return extraction.facts


async def _taken_apart(case: Case, talk: Talk, emit: Emit) -> list[tuple[Source, Listed]]:
    """The samples that could be taken apart, with their triples."""
    samples = await drawn(case, SAMPLES)
    done = 0

    async def one(sample: Source) -> Listed:
        nonlocal done
        found = await listed(talk, sample.text or "", as_published=case.as_published)
        done += 1
        emit(Progress(what="taking samples apart", done=done, of=len(samples)))
        return found

    lists = await every(one(sample) for sample in samples)
    for sample, found in zip(samples, lists, strict=True):
        if found.unread:
            name = sample.title or sample.id
            what = f"{name}: {some(len(found.unread), found.sentences, 'sentences')} not read"
            emit(Note(what=what, why=main_reason(found.unread.values())))
    pairs = zip(samples, lists, strict=True)
    return [(sample, found) for sample, found in pairs if found.triples is not None]


def _repeats(case: Case) -> int:
    repeats = case.options.get("repeats", REPEATS)
    if not isinstance(repeats, int) or isinstance(repeats, bool) or repeats < 1:
        raise SettingError(f"the number of repeats is {repeats!r}, not a whole number from 1")
    return repeats


def _weights(case: Case) -> Weights:
    return weights_of(case.options["weights"]) if "weights" in case.options else NAMED["wikibio"]


METHOD: Final = Gca()
