"""`gca`: facts compared with those of other answers, and each part of a fact asked for again.

    1  triples of the message and of up to 10 samples, each list checked against its text
    2  how consistent the samples are with a fact, C_i             (as published `graph`)
    3  head, relation and tail of each fact, asked for k times     (`reverse`)
    4  F = w1 S_h + w2 S_r + w3 S_t + w4 c, and H = 1 - F

Merged, the lists are checked in the call that makes them, and one call asks for one part of all
facts: 3 + N + 3k calls, four deep with the drawing of samples. As published each fact has calls of
its own, the judge says which facts are well supported, and equations 1 to 3 hold as they stand.
``docs/methods.md`` compares every step with the paper.

Source: Fang et al., "Zero-resource Hallucination Detection for Text Generation via Graph-based
Contextual Knowledge Triples Modeling" (AAAI 2025).
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from pydantic import BaseModel, Field

from halubot.concurrency import aside, both, every
from halubot.events import (
    Emit,
    Event,
    FactJudged,
    FactsExtracted,
    Labelled,
    Note,
    Ranked,
)
from halubot.methods.calls.extraction import (
    Facts,
    Reader,
    Reading,
    Said,
    Told,
    at_once,
    extract_with_judge,
    read_triples,
    state_triple,
    stated_triples,
)
from halubot.methods.calls.portions import (
    ITEMS,
    SENTENCES,
    main_reason,
    sentence_text,
    some,
    surroundings,
)
from halubot.methods.calls.session import Fields, ModelSession, value_or_reason
from halubot.methods.driver import NOTHING_DRAWN, draw_samples, every_in_sight, stream_events
from halubot.methods.gca.graph import THETA_RELATION, THETA_TAIL, counts
from halubot.methods.gca.reverse import PARTS, Examination, Posed, Trials, share
from halubot.methods.quotes import quote
from halubot.methods.registry import SET_BY_HAND, Case, Size
from halubot.methods.relations import same_relation
from halubot.methods.sample_verdicts import judge_sentences, mean
from halubot.methods.triple_match import Match, match_triples
from halubot.report import Basis, Evidence, Fact, Source, Stance, Triple, Verdict
from halubot.text import Document, read
from halubot.values import same_name

MOST_DRAWN: Final = 10
"""How many samples are drawn at most, as published."""
REPEATS: Final = 3
"""How often each part of a fact is asked for, if nothing else is said."""
KNOWN: Final = 10
"""How many well supported facts questions are built of at most, merged."""

NO_SAMPLE_BEARS: Final = "no sample bears on it"
"""Why there is no consistency."""


@dataclass(frozen=True, slots=True)
class Consistency:
    """The consistency of samples with one fact: ``counts`` has c_i,j of each sample. ``known`` is
    False if no sample bears on the fact. ``holding`` are the triples that hold it, by sample."""

    counts: tuple[int, ...] = ()
    known: bool = False
    holding: Mapping[int, Triple] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """C_i."""
        return sum(self.counts)

    @property
    def share(self) -> float | None:
        """(C_i / N + 1) / 2, from 0 to 1; None if no sample bears on the fact."""
        return (self.count / len(self.counts) + 1) / 2 if self.known else None


class Weights(NamedTuple):
    """The weight of each term: none below 0, and 1 together."""

    head: float
    relation: float
    tail: float
    consistency: float


WEIGHTS: Final[Mapping[str, Weights]] = {
    "wikibio": Weights(0.7, 0.15, 0.1, 0.05),
    "phd": Weights(0.7, 0.1, 0.1, 0.1),
}
"""The published weights, by the data they were taken for."""


class Revised(Facts):
    """The facts of one sentence, and what they should be if one of them is wrong."""

    right: Literal["yes", "no"]
    revised: list[Said] = Field(max_length=20)

    @property
    def statements(self) -> list[Said]:
        """The list that was checked."""
        return self.facts if self.right == "yes" else self.revised


class Supported(BaseModel):
    """Whether triples support a fact."""

    supported: Literal["yes", "no"]


class Gca:
    """The method object. Its options:

    ``repeats``     how often each part of a fact is asked for (3; once is at T = 0)
    ``weights``     "wikibio" (.7, .15, .1, .05), "phd" (.7, .1, .1, .1), or four numbers that sum
                    to 1, for head, relation, tail and consistency

    A fact's score is H; there is no contradiction. A term that is not known is left out and the
    others count for more, which the fact's reason says; if none of the three parts is known the
    fact is not checked. ``rank`` is ``score``, a sentence has the largest score of its facts, and a
    message the mean over its sentences, as published over its facts.
    """

    name = "gca"
    summary = "facts as graphs beside other answers', and each part of a fact asked for again"
    needs: tuple[str, ...] = ("samples", "model")
    needs_all = True
    source = "GCA (Fang et al.)"
    default_threshold = SET_BY_HAND
    differs = (
        "vectors are of words and groups of letters; in the paper those of SBERT",
        "the weights of the convolutions are fixed; the paper's are random, and not published",
        "theta_t is set by hand; the paper names none",
        "an answer names a head by halubot's rules for names; the paper does not say how it"
        " compares",
        "the judge is asked for the parts; in the paper the model that wrote the text",
        "prompts and examples are in our words, and answers are bound to a schema",
        "the threshold is set by hand; the paper's is fitted on its test data",
    )

    def calls(self, size: Size) -> int:
        """One a text to take it apart, one to write the questions, and three a repeat; more if
        sentences, facts or their parts are more than a call takes."""
        reading = math.ceil(size.sentences / SENTENCES) * (1 + size.samples)
        return reading + math.ceil(size.facts / ITEMS) * (1 + 3 * REPEATS)

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Facts; then, as their parts are found out, the verdicts; the sentences and ranks last."""
        return stream_events(partial(self._work, case))

    async def _work(self, case: Case, emit: Emit) -> None:
        session = case.require_session()
        named = case.options.get("weights", "wikibio")
        weights = WEIGHTS[named] if isinstance(named, str) else Weights(*named)
        # The call that reads sentences into triples and checks these (section 3.2).
        merged = partial(at_once, prompt="gca-extract", item=Revised)
        reader = _revise if case.as_published else merged
        facts, samples = await both(
            _take_facts(case, session, reader, emit), _read_samples(case, session, reader, emit)
        )
        work = _Work(case, session, facts, samples, weights, emit)
        judged = await work.judge_all()
        for event in judge_sentences(case.message, facts, judged):
            # The paper's repository scores a passage by the mean over its triples.
            if case.as_published and isinstance(event, Ranked):
                whole = mean(one.score for one in judged)
                event = event.model_copy(update={"score": whole})  # noqa: PLW2901
            emit(event)


def weigh(
    terms: Mapping[str, float | None], weights: Weights, samples: int, *, as_published: bool = False
) -> tuple[float | None, float | None]:
    """Return F and H. Parts that are not known are left out, and the others count for them; both
    are None if no part is known though one should count. As published F is not bounded: H is 0 for
    the largest F and 1 for the smallest, if each sample counts once."""
    *parts, c = terms.values()
    known = [(w, s) for w, s in zip(weights, parts, strict=False) if s is not None]
    asked, left = math.fsum(weights[:3]), math.fsum(w for w, _ in known)
    if (asked and not left) or (c is None and not asked):
        return None, None
    truth = math.fsum(w * s for w, s in known) * asked / left if asked else 0.0
    if as_published:
        truth += weights.consistency * (c or 0.0)
        edge = weights.consistency * samples
        return truth, _clip((asked + edge - truth) / (asked + 2 * edge))
    truth = truth / asked if c is None else truth + weights.consistency * c
    return _clip(truth), 1.0 - _clip(truth)


def _clip(value: float) -> float:
    # Rounding may lead a hair beyond both ends.
    return min(1.0, max(0.0, value))


@dataclass(frozen=True)
class _Work:
    """One message that is judged, with its facts, and the triples of each sample with the
    sentences that state them."""

    case: Case
    session: ModelSession
    facts: Sequence[Fact]
    samples: Sequence[tuple[Source, Mapping[Triple, str]]]
    weights: Weights
    emit: Emit

    async def judge_all(self) -> list[FactJudged]:
        published = self.case.as_published
        facts = [fact.triple for fact in self.facts]
        lists = [tuple(triples) for _, triples in self.samples]
        if published:
            counted = await aside(partial(counts, facts, lists))
            found = [Consistency(row, known=bool(row)) for row in counted]
            known = await self._ask_known(list(dict.fromkeys(facts)))
        else:
            rows = await aside(partial(match_triples, facts, lists))
            found = [_count(fact, at, lists, rows) for at, fact in enumerate(facts)]
            known = _well_supported(facts, found)
        question, repeats = self.case.question or "", self.case.options.get("repeats", REPEATS)
        examination = Examination(self.session, known, repeats, question, published)
        portions = [self.facts[at : at + ITEMS] for at in range(0, len(self.facts), ITEMS)]

        async def examine(facts: Sequence[Fact]) -> list[tuple[Posed, Trials]]:
            posed = await examination.pose({fact.index: fact.triple for fact in facts})
            trials = await examination.trials(posed)
            return [(posed[fact.index], trials[fact.index]) for fact in facts]

        of_facts = [one for row in await every(map(examine, portions)) for one in row]
        evidence = await aside(partial(self._evidence, found))
        judged, details = [], []
        for fact, consistency, told, quotes in zip(
            self.facts, found, of_facts, evidence, strict=True
        ):
            event, detail = self._judge(fact, consistency, *told, quotes)
            self.emit(event)
            judged.append(event)
            details.append(detail)
        for note in _note_lost([trials for posed, trials in of_facts if not posed.is_unfit]):
            self.emit(note)
        thresholds = {"thresholds": {"relation": THETA_RELATION, "tail": THETA_TAIL}}
        whole = {
            **(thresholds if published else {}),
            "convolution": "relational" if published else "none",
            "weights": self.weights._asdict(),
            "repeats": repeats,
            "samples": len(self.samples),
            "well_supported": [str(triple) for triple in known],
            "facts": details,
        }
        self.emit(Labelled(details=whole))
        return judged

    def _judge(
        self,
        fact: Fact,
        consistency: Consistency,
        posed: Posed,
        trials: Trials,
        evidence: tuple[Evidence, ...],
    ) -> tuple[FactJudged, dict[str, Any]]:
        """Return the verdict on a fact, doubtful from the threshold on, and what it rests on."""
        published = self.case.as_published
        terms: dict[str, float | None] = {part: share(trials[part]) for part in PARTS}
        terms["consistency"] = consistency.share
        if published:
            terms["consistency"] = consistency.count if consistency.known else None
        truth, score = weigh(terms, self.weights, len(self.samples), as_published=published)
        left_out: dict[str, str] = {
            part: main_reason(trial.why for trial in trials[part])
            for part in PARTS
            if terms[part] is None
        }
        # Samples alone are too little, so the parts are what matters.
        unknown = main_reason(left_out.values()) if left_out else ""
        if terms["consistency"] is None:
            left_out["consistency"] = NO_SAMPLE_BEARS if self.samples else NOTHING_DRAWN
        told = [f"{name} ({why})" for name, why in left_out.items()]
        told = [f"left out: {'; '.join(told)}"] if told else []
        if consistency.count < 0:
            against = sum(count < 0 for count in consistency.counts)
            told.append(
                f"{against} of {len(self.samples)} samples have its tail in another relation"
            )
        verdict: Verdict = "not_checked"
        basis: tuple[Basis, ...] = ()
        if score is not None:
            verdict = "supported" if score < self.case.threshold else "doubtful"
            basis = ("model",) if "consistency" in left_out else ("samples", "model")
        reason = "; ".join(told) or None
        event = FactJudged(
            index=fact.index,
            score=score,
            verdict=verdict,
            basis=basis,
            reason=(unknown or NO_SAMPLE_BEARS) if score is None else reason,
            evidence=evidence,
        )
        details = {
            "truth": _round(truth),
            "terms": {name: _round(term) for name, term in terms.items()},
            "count": consistency.count,
            "counts": [*consistency.counts],
            "question": posed.question,
            "other_tails": [*posed.tails],
            "said": {part: [t.said for t in trials[part] if t.held is not None] for part in PARTS},
        }
        return event, details

    async def _ask_known(self, facts: Sequence[Triple]) -> list[Triple]:
        """Return the facts that all samples support, as the judge says."""
        rows = await every(self._ask_support(facts, *sample) for sample in self.samples)
        return [fact for fact in facts if rows and all(fact in row for row in rows)]

    async def _ask_support(
        self, facts: Sequence[Triple], source: Source, triples: Collection[Triple]
    ) -> set[Triple]:
        if not triples:
            return set()
        shown = [state_triple(triple) for triple in triples]
        answers = await every(
            self.session.ask(
                "gca-supports", Supported, {"triples": shown, "fact": state_triple(one)}
            )
            for one in facts
        )
        told = [value_or_reason(answer) for answer in answers]
        if lost := [one for one in told if isinstance(one, str)]:
            what = f"{source.title or source.id}: {len(lost)} facts were not compared"
            self.emit(Note(what=what, why=main_reason(lost)))
        pairs = zip(facts, told, strict=True)
        return {fact for fact, one in pairs if not isinstance(one, str) and one.supported == "yes"}

    def _evidence(self, found: Sequence[Consistency]) -> list[tuple[Evidence, ...]]:
        evidence: list[tuple[Evidence, ...]] = []
        for fact, one in zip(self.facts, found, strict=True):
            row: list[Evidence] = []
            for place, (source, told) in enumerate(self.samples):
                stance: Stance = "supports" if one.counts[place] > 0 else "silent"
                triple = one.holding.get(place, fact.triple)
                row.append(quote(source, stance, triple, cited=told.get(triple)))
            evidence.append(tuple(row))
        return evidence


def _count(
    fact: Triple, at: int, samples: Sequence[Sequence[Triple]], rows: Sequence[Sequence[Match]]
) -> Consistency:
    """Return the consistency of the fact at that place: a sample counts if it holds the fact, and
    bears on it if it says the same of its head, with whatever tail."""
    holding = {
        place: row[at].triple
        for place, row in enumerate(rows)
        if row[at].same and row[at].triple is not None
    }
    bears = holding or any(
        same_name(fact.head, one.head) and same_relation(fact.relation, one.relation)
        for sample in samples
        for one in sample
    )
    counted = tuple(int(place in holding) for place in range(len(rows)))
    return Consistency(counted, bool(bears), {k: v for k, v in holding.items() if v is not None})


def _well_supported(facts: Sequence[Triple], found: Sequence[Consistency]) -> list[Triple]:
    """Return the facts that half of the samples hold, those first that most do."""
    held = {fact: one.count for fact, one in zip(facts, found, strict=True)}
    most = len(found[0].counts) if found else 0
    known = [fact for fact, count in held.items() if count and 2 * count >= most]
    return sorted(known, key=lambda fact: -held[fact])[:KNOWN]


def _note_lost(judged: Sequence[Trials]) -> Iterator[Note]:
    """Yield a note on each part that was not asked for as often as it should have been, or whose
    answers could not be used."""
    for part in PARTS:
        for held, begin, end in (
            (None, "the", "was not asked for in every repeat"),
            (False, "unusable answers for the", "count as wrong"),
        ):
            whys = [[t.why for t in of[part] if t.held is held and t.why] for of in judged]
            if any(whys):
                what = f"{begin} {part} of {sum(map(bool, whys))} of {len(judged)} facts {end}"
                yield Note(what=what, why=main_reason(why for row in whys for why in row))


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


async def _take_facts(
    case: Case, session: ModelSession, reader: Reader, emit: Emit
) -> tuple[Fact, ...]:
    extraction = await extract_with_judge(session, case, reader)
    emit(FactsExtracted(facts=extraction.facts, how=extraction.how))
    return extraction.facts


async def _read_samples(
    case: Case, session: ModelSession, reader: Reader, emit: Emit
) -> list[tuple[Source, Mapping[Triple, str]]]:
    """Return the samples that could be taken apart, with their triples; a note for others."""
    samples = await draw_samples(case, MOST_DRAWN)

    async def take_apart(sample: Source) -> Told:
        told = await read_triples(session, sample.text or "", reader)
        if lost := len(told.missing):
            of = len(read(sample.text or "").sentences)
            what = f"{sample.title or sample.id}: {some(lost, of, 'sentences')} not read"
            emit(Note(what=what, why=main_reason(told.missing)))
        return told

    taking = [take_apart(sample) for sample in samples]
    taken = await every_in_sight(taking, "taking samples apart", emit)
    return [
        (sample, told.triples)
        for sample, told in zip(samples, taken, strict=True)
        # A sample that states nothing counts, without triples; one that was not read does not.
        if told.triples is not None
    ]


async def _revise(
    session: ModelSession, message: Document, sentences: Sequence[int], subject: str | None
) -> Reading:
    """Read sentences as published, in two calls. Lists that were not revised stay as they are, and
    a note says so."""
    first = await at_once(session, message, sentences, subject)

    def fields(wanted: Sequence[int]) -> Fields:
        lists = {
            index: {
                "text": sentence_text(message, index),
                "facts": [state_triple(triple) for triple in first.found[index]],
            }
            for index in wanted
        }
        return {"text": surroundings(message, sentences), "sentences": lists}

    answers = await session.ask_each("gca-revise", Facts, tuple(first.found), fields)
    if answers.missing:
        what = f"the facts of {len(answers.missing)} of {len(sentences)} sentences were not revised"
        session.emit(Note(what=what, why=main_reason(answers.missing.values())))
    revised = {index: stated_triples(facts.statements) for index, facts in answers.found.items()}
    return Reading({**first.found, **revised}, first.missing)


METHOD: Final = Gca()
