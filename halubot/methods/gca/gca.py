"""`gca`: facts compared with those of other answers as graphs, and taken apart to be found again.

    1  triples of the message and of up to 10 samples, each list checked against its text
    2  a graph for each text: how consistent the samples are with a fact, c   (`consistency`)
    3  what the head, the relation and the tail of each fact are, asked k times (`reverse`)
    4  F = w1 S_h + w2 S_r + w3 S_t + w4 c, and H = 1 - F                     (`examined_fact`)

Merged, the lists are checked in the call that makes them, and one call asks for one part of all
facts: 3 + N + 3k calls, four deep with the drawing of samples. As published, step by step and fact
by fact: the judge says which facts are well supported, the graphs are convolved, equations 2 and 3
hold as they stand, an unusable answer is no match, and a message has the mean of its facts.

`docs/methods.md` has a table of every step, ours and as published; `DIFFERS` is what still differs.

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

from halubot.concurrency import aside, both, every
from halubot.errors import SettingError
from halubot.events import (
    Emit,
    Event,
    FactJudged,
    FactsExtracted,
    Labelled,
    Note,
    Progress,
    Ranked,
)
from halubot.llm_calls.portions import ITEMS, SENTENCES, main_reason, some
from halubot.llm_calls.talk import Talk
from halubot.llm_calls.text_vectors import TOGETHER, Vectors, vectors
from halubot.methods.driver import by_judge, draw_samples, stream_events, unjudged_events
from halubot.methods.gca import graphs
from halubot.methods.gca.consistency import (
    Aligned,
    Comparison,
    compare_graphs,
    confirm_facts,
    most_stated,
    well_supported,
)
from halubot.methods.gca.examined_fact import Judged, Weights, note_unasked, weights_of
from halubot.methods.gca.graphs import CONVOLUTIONS, RELATION, Convolution
from halubot.methods.gca.reverse import Examination, Part, Posed, Trials, pose_questions
from halubot.methods.gca.revised_extraction import Listed, list_triples, reader
from halubot.methods.quotes import Quotes
from halubot.methods.registry import Case, Size, repeats_of
from halubot.methods.sample_verdicts import judged_sentences, leave_out_references, mean
from halubot.report import Basis, Evidence, Fact, Source, Stance, Threshold, Triple

SAMPLES: Final = 10
"""How many samples are drawn at most, as published."""
REPEATS: Final = 3
"""How often each part of a fact is asked for, if nothing else is said."""


DIFFERS: Final = (
    "vectors are those that --embeddings names, of the judge's provider, or lexical; in the paper"
    " those of SBERT",
    "the weights of the convolutions are fixed; the paper's are random, and not published",
    "theta_t is fitted to the vectors; the paper names none",
    "an answer names a head by halubot's rules for names; the paper does not say how it compares",
    "the judge is asked for the parts; in the paper the model that wrote the text",
    "prompts are in our words, without the paper's examples, and answers are bound to a schema",
    "the threshold is set by hand; the paper's is fitted on its test data",
)
"""What is not as in the paper, though all is done as published."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of a check. ``known`` is the share of the samples that has to state a fact for
    it to be well supported; ``tail`` is theta_t, None if it is fitted to the vectors;
    ``embeddings`` names who makes these, None for the judge's provider."""

    repeats: int
    weights: Weights
    known: float
    convolution: Convolution
    relation: float
    tail: float | None
    embeddings: str | None = None


class Gca:
    """The method object. Its options:

    ``repeats``        how often each part of a fact is asked for (3; once is at T = 0)
    ``weights``        "wikibio" (.7, .15, .1, .05), "phd" (.7, .1, .1, .1), or four numbers that
                       sum to 1, for head, relation, tail and consistency
    ``known``          the share of the samples that makes a fact well supported (.5; as published
                       1, as in the paper's repository)
    ``convolution``    "none", "relational" or "plain" (none; relational as published)
    ``theta_relation`` the cosine above which relations are alike (.5)
    ``theta_tail``     that above which tails are the same (fitted to the vectors)
    ``embeddings``     who makes the vectors: ``local:MODEL`` or a name as litellm knows it (the
                       judge's provider)

    A fact's score is H; it knows no contradiction. A term that could not be had is left out and the
    others count for more, which the fact's reason says; with none of the three parts found out the
    fact is not checked. ``rank`` is ``score``, a sentence has the largest score of its facts, and a
    message the mean over its sentences, as published over its facts.
    """

    name = "gca"
    summary = "facts as graphs beside other answers', and each part of a fact asked for again"
    needs: tuple[str, ...] = ("samples", "model")
    needs_all = True
    source = "GCA (Fang et al.)"
    default_threshold = Threshold(value=0.5, fitted_on="no data (set by hand)")

    def calls(self, size: Size) -> int:
        """One a text to take it apart, one for vectors, one to write the questions, and three a
        repeat; more if sentences, facts or their parts are more than a call takes."""
        reading = math.ceil(size.sentences / SENTENCES) * (1 + size.samples)
        parts = 3 * size.facts * (1 + size.samples) + len(graphs.TEXTS)
        return (
            reading
            + math.ceil(parts / TOGETHER)
            + math.ceil(size.facts / ITEMS) * (1 + 3 * REPEATS)
        )

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Facts; then, as their parts are found out, the verdicts; the sentences and ranks last.

        Raises SettingError for options that it does not know or cannot use.
        """
        return stream_events(partial(self._work, case, self.read_options(case)))

    def read_options(self, case: Case) -> Settings:
        """The options of a case, with what holds if they are not given. Raises SettingError."""
        names = ("repeats", "weights", "known", "convolution", "theta_relation", "theta_tail")
        case.refuse_options(self.name, *names, "embeddings")
        usual = "relational" if case.as_published else "none"
        return Settings(
            repeats_of(case, REPEATS),
            weights_of(case.options.get("weights", "wikibio")),
            _share(case, "known", 1.0 if case.as_published else 0.5),
            _convolution(case.options.get("convolution", usual)),
            _share(case, "theta_relation", RELATION),
            _share(case, "theta_tail", 0.0) if "theta_tail" in case.options else None,
            case.options.get("embeddings"),
        )

    async def _work(self, case: Case, settings: Settings, emit: Emit) -> None:
        talk = case.talk
        if talk is None:
            for event in unjudged_events(case, f"{self.name} needs a model: name one with --model"):
                emit(event)
            return
        leave_out_references(case, self.name, emit)
        facts, samples = await both(_facts(case, talk, emit), _taken_apart(case, talk, emit))
        threshold = case.limit(self.default_threshold)
        judged = await _Work(case, talk, facts, samples, settings, emit).judge_all(threshold)
        for event in judged_sentences(case.message, facts, judged, threshold):
            # The paper's repository scores a passage by the mean over its triples, ours over its
            # sentences.
            if case.as_published and isinstance(event, Ranked):
                whole = mean(one.score for one in judged)
                event = event.model_copy(update={"score": whole})  # noqa: PLW2901
            emit(event)


@dataclass(frozen=True)
class _Work:
    """One message that is judged, its facts and those of the samples at hand."""

    case: Case
    talk: Talk
    facts: Sequence[Fact]
    samples: Sequence[tuple[Source, Listed]]
    settings: Settings
    emit: Emit

    async def judge_all(self, threshold: float) -> list[Judged]:
        """All facts, each emitted when it is judged; then the details."""
        triples = [fact.triple for fact in self.facts]
        known = await self._find_supported(triples)
        starts = range(0, len(self.facts), ITEMS)
        of, done = 3 * self.settings.repeats * len(starts), 0

        def hear() -> None:
            nonlocal done
            done += 1
            self.emit(Progress(what="asking for parts of facts", done=done, of=of))

        # Beside the questions, since neither needs the other: the calls stay four deep.
        comparing = asyncio.ensure_future(self._compare_all())

        async def portion(facts: Sequence[Fact]) -> list[Judged]:
            asked, trials = await self._examine(facts, known, hear)
            compared = await comparing
            found = []
            for fact in facts:
                at = fact.index
                one = Judged(
                    compared.aligned[at],
                    asked[at],
                    trials[at],
                    self.settings.weights,
                    len(self.samples),
                    self.case.as_published,
                )
                self.emit(_judge(fact, one, compared.evidence[at], threshold))
                found.append(one)
            return found

        try:
            rows = await every(portion(self.facts[at : at + ITEMS]) for at in starts)
            # A message without facts has no portion, and its details need the comparison all the
            # same.
            compared = await comparing
        finally:
            comparing.cancel()
        judged = [one for row in rows for one in row]
        for note in note_unasked(judged):
            self.emit(note)
        self.emit(Labelled(details=self._details(compared, judged, known)))
        return judged

    async def _find_supported(self, facts: Sequence[Triple]) -> list[Triple]:
        """The facts that are well supported: by the words of the samples' triples, or as published
        as the judge says, fact by fact and sample by sample."""
        share = self.settings.known
        if not self.case.as_published:
            return await aside(partial(well_supported, facts, self._lists, share))
        wanted = dict(enumerate(dict.fromkeys(facts)))
        rows = await every(confirm_facts(self.talk, wanted, one) for one in self._lists)
        for (source, _), row in zip(self.samples, rows, strict=True):
            if row.lost:
                what = f"{source.title or source.id}: {len(row.lost)} facts were not compared"
                self.emit(Note(what=what, why=main_reason(row.lost.values())))
        counts = {fact: sum(at in row.facts for row in rows) for at, fact in wanted.items()}
        return most_stated(counts, len(rows), share)

    @property
    def _lists(self) -> list[tuple[Triple, ...]]:
        """The triples of each sample."""
        return [one.triples or () for _, one in self.samples]

    async def _examine(
        self, facts: Sequence[Fact], known: Sequence[Triple], heard: Callable[[], None]
    ) -> tuple[dict[int, Posed], dict[int, dict[Part, Trials]]]:
        """Some facts as they were asked for, and what came of it."""
        asked = await pose_questions(
            self.talk,
            {fact.index: fact.triple for fact in facts},
            known,
            as_published=self.case.as_published,
        )
        examination = Examination(
            self.talk,
            asked,
            self.settings.repeats,
            question=self.case.question or "",
            known=known,
            as_published=self.case.as_published,
            heard=heard,
        )
        return asked, await examination.trials()

    async def _compare_all(self) -> _Compared:
        """All facts beside the samples."""
        triples, settings = [fact.triple for fact in self.facts], self.settings
        stated = (triple for row in (triples, *self._lists) for triple in row)
        fitting = bool(triples) and settings.tail is None
        # In one call with those of the message: theta_t is fitted to vectors of the same maker.
        made_up = graphs.TEXTS if fitting else ()
        texts = (*made_up, *(part for triple in stated for part in triple))
        embedder = self.talk.embedder(settings.embeddings)
        given = await vectors(self.talk, texts if triples else (), embedder)
        fitted = graphs.Fitted(settings.tail or 0.0, 0.0)
        if fitting:
            fitted = await aside(partial(graphs.fit_tail, given.of, settings.convolution))
        exact = self.case.as_published
        how = Comparison(fitted.value, settings.relation, settings.convolution, exact)
        aligned = await aside(partial(compare_graphs, triples, self._lists, given.of, how))
        evidence = await aside(partial(self._evidence, aligned))
        return _Compared(given, fitted, aligned, evidence)

    def _evidence(self, aligned: Sequence[Aligned]) -> list[tuple[Evidence, ...]]:
        """Return what each sample that was taken apart says of each fact, with its place: it
        supports one if c_i,j is above 0, and contradicts one that it denies."""
        quotes = Quotes(self.case.message, self.facts, self.case.subject)
        found = []
        for place, (source, _) in enumerate(self.samples):
            stances: dict[int, Stance] = {
                at: self._stance(one.counts[place]) for at, one in enumerate(aligned)
            }
            found.append(quotes.evidence(source, stances))
        return [tuple(one[fact.index] for one in found) for fact in self.facts]

    def _stance(self, count: int) -> Stance:
        if count > 0:
            return "supports"
        # As published another relation is enough to count against a fact; it contradicts nothing.
        # Ours counts below 0 only for a denial, which is said by rules and not by vectors.
        return "contradicts" if count < 0 and not self.case.as_published else "silent"

    def _details(
        self, compared: _Compared, judged: Sequence[Judged], known: Sequence[Triple]
    ) -> dict[str, Any]:
        given, settings = compared.by, self.settings
        tail: dict[str, Any] = {"tail": round(compared.tail.value, 6), "tail_by": "option"}
        if settings.tail is None:
            tail |= {"tail_by": "these vectors", "youden": round(compared.tail.youden, 6)}
        return {
            "vectors": {"by": given.by, "dimensions": given.dimensions},
            "convolution": settings.convolution,
            "thresholds": {"relation": settings.relation, **tail},
            "weights": settings.weights._asdict(),
            "repeats": settings.repeats,
            "known": settings.known,
            "samples": len(self.samples),
            "well_supported": [str(triple) for triple in known],
            "facts": [one.details() for one in judged],
            **({"differs_from_paper": [*DIFFERS]} if self.case.as_published else {}),
        }


@dataclass(frozen=True)
class _Compared:
    """All facts as the samples bear them out, by vectors of whom and which theta_t, and the
    evidence."""

    by: Vectors
    tail: graphs.Fitted
    aligned: Sequence[Aligned]
    evidence: Sequence[tuple[Evidence, ...]]


def _judge(
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
    extraction = await by_judge(case, talk, rules=not case.as_published, reader=how)
    emit(FactsExtracted(facts=extraction.facts, how=extraction.how))
    return extraction.facts


async def _taken_apart(case: Case, talk: Talk, emit: Emit) -> list[tuple[Source, Listed]]:
    """The samples that could be taken apart, with their triples."""
    samples = await draw_samples(case, SAMPLES)
    done = 0

    async def one(sample: Source) -> Listed:
        nonlocal done
        found = await list_triples(talk, sample.text or "", as_published=case.as_published)
        done += 1
        emit(Progress(what="taking samples apart", done=done, of=len(samples)))
        return found

    lists = await every(one(sample) for sample in samples)
    for sample, found in zip(samples, lists, strict=True):
        if found.unread:
            name = sample.title or sample.id
            # Said of each sample: one of which half was read counts, with half of its triples.
            what = f"{name}: {some(len(found.unread), found.sentences, 'sentences')} not read"
            emit(Note(what=what, why=main_reason(found.unread.values())))
    pairs = zip(samples, lists, strict=True)
    return [(sample, found) for sample, found in pairs if found.triples is not None]


def _share(case: Case, name: str, usual: float) -> float:
    value = case.options.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise SettingError(f"{name} is {value!r}, not between 0 and 1")
    return float(value)


def _convolution(value: Any) -> Convolution:
    found = next((one for one in CONVOLUTIONS if one == value), None)
    if found is None:
        raise SettingError(f"convolution is {value!r}, not one of {', '.join(CONVOLUTIONS)}")
    return found


METHOD: Final = Gca()
