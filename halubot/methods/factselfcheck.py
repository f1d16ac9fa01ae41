"""`fsc-frequency`, `fsc-kg`, `fsc-text`: FactSelfCheck, fact by fact against other answers.

The judge takes the facts of the message, and each is compared with every sample:

    fsc-frequency   H(f) = 1 - the share of samples whose triples hold f        (equation 7)
    fsc-kg          H(f) = the mean of what the judge says by a sample's triples  (equation 8)
    fsc-text        H(f) = the mean of what it says by the sample's text          (equation 10)
    sentence        H(u) = the largest H(f) of its facts, or their mean           (equation 11)

if a sample that supports counts 0 and any other 1, and one that could not be judged leaves the
mean. Merged, the facts come by one call, while samples are drawn, and all facts are judged by one
sample in one call, as supported, contradicted or neither, with canaries among them. For the
frequency a sample is read into triples as a message is, without the message's vocabulary: the call
depends on the sample alone, so that a store answers it for any message, and
`halubot.methods.triple_match` finds the same fact in other words. As published, step by step:
triples are the same if their lower-cased letters are, and the judge says yes or no to one fact and
one sample.

Source: Sawczyn, Binkowski, Janiak, Gabrys, Kajdanowicz, "FactSelfCheck", section 3.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, NamedTuple

from halubot.concurrency import aside, both, every
from halubot.events import Emit, Event, FactsExtracted
from halubot.methods.calls.extraction import (
    Extraction,
    extract_with_judge,
    read_triples,
    state_triple,
    step_by_step,
    triples_of,
)
from halubot.methods.calls.portions import ITEMS, SENTENCES, main_reason
from halubot.methods.calls.session import ModelSession
from halubot.methods.calls.verification import (
    BY_TEXT,
    BY_TRIPLES,
    Judgement,
    Stances,
    fact_stances,
    published_stances,
    unheard,
)
from halubot.methods.driver import draw_samples, every_in_sight, stream_events
from halubot.methods.quotes import quote
from halubot.methods.registry import SET_BY_HAND, Case, Size
from halubot.methods.sample_verdicts import (
    hear_if_fit,
    judge_by_stances,
    judge_sentences,
    mean,
)
from halubot.methods.triple_match import Match, match_triples
from halubot.report import Evidence, Fact, Source


class Heard(NamedTuple):
    """What each sample says of the facts; of the frequency with the triple that says it."""

    judged: Sequence[Stances]
    matches: Sequence[Mapping[int, Match]] = ()


@dataclass(frozen=True)
class FactSelfCheck:
    """A method object, which hears a sample by the ``way`` of its name.

    The option ``aggregate`` makes the score of a sentence the "max" (the default) or the "mean" of
    those of its facts. The option ``match`` of `fsc-frequency` says which triples are the same fact
    (`halubot.methods.triple_match`): "verified", "fuzzy" without the verifier, or "exact" by equal
    letters apart from their case, which is as published. ``rank`` is ``score``; of the frequency it
    counts each match by how sure it is. A message's score is the mean over its sentences, as
    SelfCheckGPT scores passages: H is a share of samples, and not a probability that could be added
    up. The default threshold is set by hand; the paper fitted 0.3 and 0.4 on its test data.
    """

    name: str
    summary: str
    way: Literal["frequency", "triples", "text"]
    needs: tuple[str, ...] = ("samples", "model")
    needs_all = True
    source = "FactSelfCheck (Sawczyn et al.)"
    differs = (
        "prompts and examples are in our words, and answers are bound to a schema",
        "a message of more than 40 sentences or 12,000 characters is read into triples in parts, a"
        " sample of more than 6,000 characters in windows",
        "a sentence without facts has no score; benchmarks count it 0.5",
        "the threshold is set by hand; the paper's are fitted on its test data",
    )
    default_threshold = SET_BY_HAND

    def calls(self, size: Size) -> int:
        """One to extract and one a sample; more if a message is too long for one call."""
        extracting = math.ceil(size.sentences / SENTENCES)
        return extracting + size.samples * math.ceil(size.facts / ITEMS)

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Facts; once all samples are judged the verdict on each fact and sentence; the ranks."""
        return stream_events(partial(self._work, case))

    async def _work(self, case: Case, emit: Emit) -> None:
        session = case.require_session()
        extraction, samples = await both(
            extract_with_judge(session, case, step_by_step if case.as_published else None),
            draw_samples(case),
        )
        facts = extraction.facts
        emit(FactsExtracted(facts=facts, how=extraction.how))
        if self.way == "frequency":
            heard = await _match_samples(case, session, samples, extraction)
        else:
            ask = published_stances if case.as_published else fact_stances
            ask_of = partial(ask, session, facts=facts, way=self.way, words=extraction.words)
            asking = [ask_of(sample.text or "") for sample in samples]
            heard = Heard(await every_in_sight(asking, "judging samples", emit))
        judged = heard.judged
        for note in unheard(zip(samples, judged, strict=True), "facts"):
            emit(note)
        if self.way != "frequency" and not case.as_published:
            prompt = BY_TEXT if self.way == "text" else BY_TRIPLES
            judged = hear_if_fit(session, prompt, judged, emit)
        evidence = await aside(partial(_evidence, facts, samples, judged, heard.matches))
        verdicts = [
            judge_by_stances(fact.index, judged, case.threshold, found)
            for fact, found in zip(facts, evidence, strict=True)
        ]
        for one in verdicts:
            emit(one)
        aggregate, unread = case.options.get("aggregate", "max"), extraction.unread
        ranks = _ranks(facts, judged, heard.matches)
        for event in judge_sentences(
            case.message, facts, verdicts, aggregate=aggregate, unread=unread, ranks=ranks
        ):
            emit(event)


async def _match_samples(
    case: Case, session: ModelSession, samples: Sequence[Source], extraction: Extraction
) -> Heard:
    """What the triples of samples say: a sample supports a fact that is among its triples, and is
    silent on any other."""
    told = await every(
        # Triples of a sample in the words of the message, as published (equations 4 to 6).
        triples_of(session, one.text or "", extraction.words)
        if case.as_published
        else read_triples(session, one.text or "")
        for one in samples
    )
    graphs = [tuple(one.triples or ()) for one in told]
    triples = [fact.triple for fact in extraction.facts]
    indexes = [fact.index for fact in extraction.facts]
    way = case.options.get("match", "exact" if case.as_published else "verified")
    rows = await aside(partial(match_triples, triples, graphs, way))
    matches = [dict(zip(indexes, row, strict=True)) for row in rows]
    judged: list[Stances] = []
    for one, held in zip(told, matches, strict=True):
        # Without one of its sentences a sample would seem not to hold what it may hold.
        if one.triples is None or one.missing:
            judged.append(Judgement(missing=dict.fromkeys(indexes, main_reason(one.missing))))
            continue
        judged.append(
            Judgement(
                {at: "supports" if match.same else "silent" for at, match in held.items()},
                quotes={at: one.triples[m.triple] for at, m in held.items() if m.triple},
            )
        )
    return Heard(judged, matches)


def _ranks(
    facts: Sequence[Fact], judged: Sequence[Stances], matches: Sequence[Mapping[int, Match]]
) -> list[float | None] | None:
    """The ranks of facts by how sure each match is; None if nothing was matched."""
    heard = [row for row, said in zip(matches, judged, strict=False) if said.found]
    if not heard:
        return None
    return [mean(1 - row[fact.index].score for row in heard) for fact in facts]


def _evidence(
    facts: Sequence[Fact],
    samples: Sequence[Source],
    judged: Sequence[Stances],
    matches: Sequence[Mapping[int, Match]],
) -> list[tuple[Evidence, ...]]:
    """The evidence on each fact: what every sample that was judged says, with its words. Of a
    triple that was matched these are the words of the sample's own triple."""
    found: list[tuple[Evidence, ...]] = []
    for fact in facts:
        row: list[Evidence] = []
        for at, (sample, said) in enumerate(zip(samples, judged, strict=True)):
            if fact.index not in said.found:
                continue
            match = matches[at][fact.index].triple if matches else None
            note = "" if match is None else f"its fact: {state_triple(match)}"
            triple, cited = match or fact.triple, said.quotes.get(fact.index)
            row.append(quote(sample, said.found[fact.index], triple, cited=cited, note=note))
        found.append(tuple(row))
    return found


FREQUENCY: Final = FactSelfCheck(
    "fsc-frequency",
    "the share of other answers whose triples hold each fact, by a model",
    "frequency",
)
KG: Final = FactSelfCheck(
    "fsc-kg", "each fact judged by a model against other answers' triples", "triples"
)
TEXT: Final = FactSelfCheck("fsc-text", "each fact judged by a model against other answers", "text")
