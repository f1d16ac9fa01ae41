"""`fsc-frequency`, `fsc-kg`, `fsc-text`: FactSelfCheck, fact by fact against other answers.

The judge takes the facts of the message, and each is compared with every sample:

    fsc-frequency   H(f) = 1 - the share of samples whose triples hold f        (equation 7)
    fsc-kg          H(f) = the mean of what the judge says by a sample's triples  (equation 8)
    fsc-text        H(f) = the mean of what it says by the sample's text          (equation 10)
    sentence        H(u) = the largest H(f) of its facts, or their mean           (equation 11)

if a sample that supports counts 0 and any other 1, and one that could not be judged leaves the
mean. Merged, the facts come by one call, while samples are drawn, and all facts are judged by one
sample in one call, as supported, contradicted or neither, with canaries among them. As published,
step by step: triples are the same if their lower-cased letters are, and the judge says yes or no to
one fact and one sample.

Source: Sawczyn, Binkowski, Janiak, Gabrys, Kajdanowicz, "FactSelfCheck", section 3.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Final, Literal

from halubot.compare.triples import same_fact
from halubot.concurrency import aside, both, every, meanwhile
from halubot.errors import SettingError
from halubot.events import (
    Emit,
    Event,
    FactsExtracted,
    Progress,
)
from halubot.methods.calls.extraction import Extraction, triples_of, vocabulary
from halubot.methods.calls.portions import ITEMS, SENTENCES
from halubot.methods.calls.talk import Talk
from halubot.methods.calls.verification import (
    BY_TEXT,
    BY_TRIPLES,
    Judgement,
    Stances,
    fact_stances,
    published_stances,
    unheard,
)
from halubot.methods.driver import by_judge, draw_samples, stream_events
from halubot.methods.quotes import Quotes
from halubot.methods.registry import Case, Size
from halubot.methods.sample_verdicts import (
    aggregate_of,
    hear_if_fit,
    judge_by_stances,
    judge_sentences,
    leave_out_references,
)
from halubot.models.structured import ATTEMPTS
from halubot.report import Evidence, Fact, Source, Stance, Threshold, Triple


class FactSelfCheck(ABC):
    """The common part of the three: everything but how a sample is heard.

    The option ``aggregate`` makes the score of a sentence the "max" (the default) or the "mean" of
    those of its facts. ``rank`` is ``score``. A message's score is the mean over its sentences, as
    SelfCheckGPT scores passages: H is a share of samples, and not a probability that could be added
    up. The default threshold is set by hand; the paper fitted 0.3 and 0.4 on its test data.
    """

    name: str
    summary: str
    needs: tuple[str, ...] = ("samples", "model")
    needs_all = True
    source = "FactSelfCheck (Sawczyn et al.)"
    differs: tuple[str, ...] = (
        "prompts are in our words, for the paper prints none, and answers are bound to a schema",
        "a message of more than 40 sentences or 12,000 characters is read into triples in parts, a"
        " sample of more than 6,000 characters in windows",
        "a sentence without facts has no score; benchmarks count it 0.5",
        "the threshold is set by hand; the paper's are fitted on its test data",
    )
    default_threshold = Threshold(value=0.5, fitted_on="no data (set by hand)")
    canary_prompt: str | None = None
    """The prompt that has canaries among the facts it asks about; None if none has."""

    def calls(self, size: Size) -> int:
        """One to extract and one a sample; more if a message is too long for one call."""
        extracting = math.ceil(size.sentences / SENTENCES)
        return extracting + size.samples * math.ceil(size.facts / ITEMS)

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Facts; once all samples are judged the verdict on each fact and sentence; the ranks.

        Raises SettingError for an option the method does not know.
        """
        self.read_options(case)
        return stream_events(partial(self._work, case))

    def read_options(self, case: Case) -> None:
        """Refuses options that do not exist, and other aggregates."""
        case.refuse_options(self.name, "aggregate")
        aggregate_of(case)

    @abstractmethod
    async def stances(
        self, case: Case, talk: Talk, sample: Source, facts: Sequence[Fact], extraction: Extraction
    ) -> Stances:
        """Return the stances of one sample on these facts, no more of them than a call takes."""

    async def _work(self, case: Case, emit: Emit) -> None:
        talk = case.require_talk(self.name)
        leave_out_references(case, self.name, emit)
        extraction, samples = await both(
            by_judge(case, talk, as_published=case.as_published, rules=not case.as_published),
            draw_samples(case),
        )
        facts = extraction.facts
        emit(FactsExtracted(facts=facts, how=extraction.how))
        quotes = await aside(partial(Quotes, case.message, facts, case.subject))
        # Places of quotes are looked for meanwhile: the comparison needs no answer of the model.
        judged = await meanwhile(
            self._judge_samples(case, talk, samples, extraction, emit),
            (partial(quotes.read, sample) for sample in samples),
        )
        for note in unheard(zip(samples, judged, strict=True), "facts"):
            emit(note)
        if self.canary_prompt is not None and not case.as_published:
            judged = hear_if_fit(talk, self.canary_prompt, judged, emit)
        evidence = await aside(partial(_evidence, quotes, facts, samples, judged))
        threshold = case.limit(self.default_threshold)
        verdicts = [
            judge_by_stances(fact.index, judged, threshold, found)
            for fact, found in zip(facts, evidence, strict=True)
        ]
        for one in verdicts:
            emit(one)
        aggregate, unread = aggregate_of(case), extraction.unread
        for event in judge_sentences(
            case.message, facts, verdicts, aggregate=aggregate, unread=unread
        ):
            emit(event)

    async def _judge_samples(
        self,
        case: Case,
        talk: Talk,
        samples: Sequence[Source],
        extraction: Extraction,
        emit: Emit,
    ) -> list[Stances]:
        """Return what each sample says of all facts, all samples at once."""
        facts = extraction.facts
        # As published each call has one fact, and a sample is read into triples once for all.
        most = len(facts) if case.as_published else ITEMS
        # `range` takes no step of 0, which a message without facts would give.
        portions = [facts[at : at + most] for at in range(0, len(facts), max(1, most))]
        done = 0

        async def ask(sample: Source) -> Stances:
            nonlocal done
            parts = await every(
                self.stances(case, talk, sample, portion, extraction) for portion in portions
            )
            done += 1
            emit(Progress(what="judging samples", done=done, of=len(samples)))
            found = {index: stance for part in parts for index, stance in part.found.items()}
            missing = {index: why for part in parts for index, why in part.missing.items()}
            named = {index: quote for part in parts for index, quote in part.quotes.items()}
            return Judgement(found, missing, named)

        return await every(ask(sample) for sample in samples)


class Frequency(FactSelfCheck):
    """The method object of `fsc-frequency`. Its option ``match`` says which triples are the same
    fact: "fuzzy" as `halubot.compare.triples` finds it, "exact" by equal letters apart from their
    case. Without it, as published is exact, and everything else fuzzy."""

    name = "fsc-frequency"
    summary = "the share of other answers whose triples hold each fact, by a model"

    def read_options(self, case: Case) -> None:
        """Refuses options that do not exist, and other kinds of match."""
        case.refuse_options(self.name, "match", "aggregate")
        aggregate_of(case)
        if case.options.get("match", "fuzzy") not in ("fuzzy", "exact"):
            match = case.options["match"]
            raise SettingError(f"{self.name} matches 'fuzzy' or 'exact', not {match!r}")

    async def stances(
        self, case: Case, talk: Talk, sample: Source, facts: Sequence[Fact], extraction: Extraction
    ) -> Stances:
        """A sample supports a fact that is among its triples, and is silent on any other."""
        # Triples of a sample in the words of the message can be compared with its facts (equation
        # 6).
        words = vocabulary(facts, extraction.entities, extraction.relations)
        attempts = 1 if case.as_published else ATTEMPTS
        told = await triples_of(talk, sample.text or "", *words, attempts=attempts)
        if told.triples is None:
            why = told.reason or "the judge gave no triples"
            return Judgement(missing={fact.index: why for fact in facts})
        # Equation 7 compares lower-cased triples, which misses the same fact in other words.
        usual = "exact" if case.as_published else "fuzzy"
        same = _same_letters if case.options.get("match", usual) == "exact" else same_fact
        held = await aside(partial(_hold, facts, told.triples, same))
        return Judgement({fact.index: stance for fact, stance in zip(facts, held, strict=True)})


class ByModel(FactSelfCheck):
    """The method objects of `fsc-kg` and `fsc-text`: the judge says whether a sample, read into
    triples or as it stands, supports a fact, contradicts it or is silent."""

    def __init__(self, name: str, summary: str, way: Literal["text", "triples"]) -> None:
        self.name = name
        self.summary = summary
        self.canary_prompt = BY_TEXT if way == "text" else BY_TRIPLES
        self._way = way

    async def stances(
        self, case: Case, talk: Talk, sample: Source, facts: Sequence[Fact], extraction: Extraction
    ) -> Stances:
        """The judge's words."""
        words = vocabulary(facts, extraction.entities, extraction.relations)
        text = sample.text or ""
        if case.as_published:
            return await published_stances(talk, text, facts, way=self._way, words=words)
        return await fact_stances(talk, text, facts, way=self._way, words=words)


def _hold(
    facts: Sequence[Fact], triples: Sequence[Triple], same: Callable[[Triple, Triple], bool]
) -> list[Stance]:
    return [
        "supports" if any(same(fact.triple, triple) for triple in triples) else "silent"
        for fact in facts
    ]


def _same_letters(a: Triple, b: Triple) -> bool:
    # `lower` and not `casefold`, as the paper says.
    return tuple(part.lower() for part in a) == tuple(part.lower() for part in b)


def _evidence(
    quotes: Quotes, facts: Sequence[Fact], samples: Sequence[Source], judged: Sequence[Stances]
) -> list[tuple[Evidence, ...]]:
    """The evidence on each fact: what every sample that was judged says, with its place."""
    pairs = zip(samples, judged, strict=True)
    found = [quotes.evidence(sample, said.found, said.quotes) for sample, said in pairs]
    return [tuple(one[fact.index] for one in found if fact.index in one) for fact in facts]


FREQUENCY: Final = Frequency()
KG: Final = ByModel(
    "fsc-kg", "each fact judged by a model against other answers' triples", "triples"
)
TEXT: Final = ByModel("fsc-text", "each fact judged by a model against other answers", "text")
