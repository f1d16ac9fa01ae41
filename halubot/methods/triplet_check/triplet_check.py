"""`triplet-check`: the facts of a message beside the facts of references, both as triples."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from halubot.concurrency import aside, both
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
    SentenceJudged,
)
from halubot.evidence.context import Contexts, Part
from halubot.methods.calls.extraction import state_triple
from halubot.methods.calls.portions import (
    ITEMS,
    SENTENCES,
    TOLD,
    WINDOW,
    main_reason,
    sentence_text,
    some,
)
from halubot.methods.calls.session import ModelSession
from halubot.methods.consensus.word_scores import message_score
from halubot.methods.driver import by_judge, stream_events, unjudged_events
from halubot.methods.registry import Case, Size, windows_of
from halubot.methods.sample_verdicts import NO_FACT
from halubot.methods.triplet_check.fact_verdicts import Figures, Heard, Ruling, Rulings
from halubot.methods.triplet_check.reference_triples import (
    Compared,
    Dissection,
    Style,
    compare_triples,
    dissect_references,
    pairwise,
)
from halubot.report import Basis, Fact, Threshold
from halubot.text import Document


class Consultation:
    """The answers so far on the facts of one message.

    ``parts`` is how many triples each fact is compared with, ``lost`` why parts of the references
    cannot be compared with at all.
    """

    def __init__(
        self,
        message: Document,
        facts: Sequence[Fact],
        rulings: Rulings,
        threshold: float,
        *,
        lost: Sequence[str],
        parts: int,
        emit: Emit,
    ) -> None:
        self._message = message
        self._facts = tuple(facts)
        self._rulings = rulings
        self._threshold = threshold
        self._lost = tuple(lost)
        self._parts = parts
        self._emit = emit
        self._compared: list[Compared] = []
        self._told: dict[int, FactJudged] = {}

    async def hear(self, compared: Compared) -> None:
        """Take the result of one more call; tell the facts that nothing more can be heard of."""
        self._compared.append(compared)
        ready = [
            fact for fact in self._facts if fact.index not in self._told and self._is_done(fact)
        ]
        await self._tell(ready)
        self._emit(Progress(what="judging facts", done=len(self._told), of=len(self._facts)))

    async def close(self, details: Mapping[str, Any]) -> None:
        """The verdicts as they stand at last on facts and sentences, the details, the ranks."""
        await self._tell(self._facts)
        unjudged = [one.reason or "" for one in self._told.values() if one.score is None]
        if unjudged:
            what = f"{some(len(unjudged), len(self._facts), 'facts')} not judged"
            self._emit(Note(what=what, why=main_reason(unjudged)))
        scores = []
        for judged in self._sentences():
            scores.append(judged.score)
            self._emit(judged)
        self._emit(Labelled(details={**details, **await aside(self._details)}))
        of_facts = tuple(self._told[fact.index].score for fact in self._facts)
        known = [score for score in of_facts if score is not None]
        score = message_score(known)
        self._emit(Ranked(score=score, facts=of_facts, sentences=tuple(scores)))

    async def _tell(self, facts: Sequence[Fact]) -> None:
        judged = await aside(lambda: [self._judge_fact(fact) for fact in facts])
        for one in judged:
            # What did not change is not told again: every event is stored and drawn.
            if self._told.get(one.index) != one:
                self._told[one.index] = one
                self._emit(one)

    def _judge_fact(self, fact: Fact) -> FactJudged:
        heard = self._hear_fact(fact)
        ruling: Ruling = self._rulings.of(fact, heard)
        # Rules may decide a fact of which no call brought a word.
        by_model: tuple[Basis, ...] = ("model",) if heard.said else ()
        return FactJudged(
            index=fact.index,
            score=ruling.score,
            verdict=ruling.verdict(self._threshold),
            basis=() if ruling.score is None else ("references", *by_model),
            reason=ruling.reason,
            evidence=self._rulings.evidence(fact, heard),
        )

    def _hear_fact(self, fact: Fact) -> Heard:
        """In the order of the triples, whichever call ended first."""
        # The same report whichever call is the quicker.
        ordered = sorted(self._compared, key=lambda one: one.triples)
        said = [one.found[fact.index] for one in ordered if fact.index in one.found]
        lost = [one.missing[fact.index] for one in ordered if fact.index in one.missing]
        return Heard(said, [*self._lost, *lost])

    def _is_done(self, fact: Fact) -> bool:
        own = [one for one in self._compared if fact.index in {*one.found, *one.missing}]
        # Support by any window stands, whatever the others say.
        supported = any(
            one.found[fact.index].stance == "supports" for one in own if fact.index in one.found
        )
        return supported or sum(len(one.triples) for one in own) == self._parts

    def _sentences(self) -> Iterator[SentenceJudged]:
        """A sentence has the largest score of its facts. One of which some fact could not be
        checked is doubted with another, but not supported."""
        for index in range(len(self._message.sentences)):
            held = [self._told[f.index] for f in self._facts if index in f.sentences]
            known = [one for one in held if one.score is not None]
            worst = max(known, key=lambda one: one.score or 0.0, default=None)
            unknown = next((one for one in held if one.score is None), None)
            doubted = worst is not None and worst.verdict != "supported"
            if worst is None or (unknown is not None and not doubted):
                why = unknown.reason if unknown is not None else NO_FACT
                yield SentenceJudged(index=index, score=None, verdict="not_checked", reason=why)
            else:
                reason = worst.reason if doubted else None
                yield SentenceJudged(
                    index=index, score=worst.score, verdict=worst.verdict, reason=reason
                )

    def _details(self) -> dict[str, Any]:
        """The triples of the references, and what each call said of the facts."""
        return {
            "triples": self._rulings.write_triples(),
            "comparisons": [
                {
                    "triples": [one.triples[0], one.triples[-1] + 1],
                    "facts": {
                        str(index): {
                            "stance": said.stance,
                            "supporting": list(said.supporting),
                            "contradicting": list(said.contradicting),
                            "reasons": said.reasons,
                        }
                        for index, said in sorted(one.found.items())
                    },
                    "missing": {str(index): why for index, why in sorted(one.missing.items())},
                }
                for one in sorted(self._compared, key=_order)
            ],
        }


def _order(compared: Compared) -> tuple[tuple[int, ...], list[int]]:
    return compared.triples, sorted({*compared.found, *compared.missing})


PAIRWISE: Final = "pairwise"
SPLIT: Final = "split"
"""One call a fact, beside all triples of the references: "llm_split" of RAGFactChecker."""
VARIANTS: Final = (
    *("baseline", "few-shot", "reasoning", "detailed", "detailed-reasoning"),
    *("detailed-few-shot", "all", SPLIT, PAIRWISE),
)
"""What the judge is told and shown: "all" is detailed rules, reasoning and few-shot together."""

# The table compares variants on different numbers of triples, so that its lead is not sure
# (docs/methods.md).
BEST: Final = "detailed-reasoning"
"""The variant with the best balanced accuracy (table 5.2): 0.851."""

DETAILED: Final = frozenset({"detailed", "detailed-reasoning", "detailed-few-shot", "all", SPLIT})
"""The variants with detailed rules."""
REASONED: Final = frozenset({"reasoning", "detailed-reasoning", "all", SPLIT})
"""The variants that have the judge write down its reasons first."""
SHOWN: Final = frozenset({"few-shot", "detailed-few-shot", "all"})
"""The variants with examples."""

TOGETHER: Final = 3
"""Windows of references, of `TOLD` characters each, whose triples one call compares, about."""

NO_TEXT: Final = "the references hold no text"
NO_TRIPLES: Final = "no fact was found in the references"


class TripletCheck:
    """The method object. Its options are ``variant``, one of `VARIANTS`, and ``windows``, how many
    `TOLD` characters of the references are read ("all"), in ``pairwise`` how many `WINDOW`.

    A fact's score is that of its ruling, a sentence's the largest of its facts', the message's
    D / (1 + D) if D is the sum over its facts; ``rank`` is ``score``.
    """

    name = "triplet-check"
    summary = "facts compared with the facts of references, by a model; numbers by rules"
    needs: tuple[str, ...] = ("references", "model")
    needs_all = True
    source = "Osmanaj 2025 (TU Wien)"
    differs = (
        "prompts and examples are in our words, and answers are bound to a schema",
        "the judge says supports, contradicts or silent, of which the first is true",
        "the reason of a triple stands before its verdict; in the thesis all reasons come first",
    )
    default_threshold = Threshold(value=0.5, fitted_on="no data (set by hand)")

    def calls(self, size: Size) -> int:
        """2 and one a window of references; more if message or references are too long for one
        call. Pairwise it is one, and one a fact."""
        comparing = math.ceil(size.references / TOGETHER) * math.ceil(size.facts / ITEMS)
        return math.ceil(size.sentences / SENTENCES) + size.references + comparing

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Facts; the verdict on each as soon as it is known; then sentences and ranks.

        Raises SettingError for an option or a variant that it does not know.
        """
        case.refuse_options(self.name, "variant", "windows")
        # Read here too, so that a wrong option is refused before any call.
        windows_of(case)
        return stream_events(partial(self._work, case, variant_of(case)))

    async def _work(self, case: Case, variant: str, emit: Emit) -> None:
        contexts = Contexts(case.references)
        session = case.require_session(self.name)
        if not contexts.length:
            for event in unjudged_events(case, NO_TEXT):
                emit(event)
            return
        if case.samples:
            why = f"{self.name} compares with references only"
            emit(Note(what="samples were left out", why=why))
        limit = case.limit(self.default_threshold)
        await _Check(case, session, variant, contexts, limit, emit).compare_all()


@dataclass(frozen=True)
class _Check:
    """One message checked in one variant."""

    case: Case
    session: ModelSession
    variant: str
    contexts: Contexts
    threshold: float
    emit: Emit

    async def compare_all(self) -> None:
        """Has both texts taken apart and the facts compared, and tells what was found."""
        case, parts = self.case, await self._nearest()
        taking = by_judge(case, self.session, rules=not case.as_published)
        if self.variant == PAIRWISE:
            extraction, dissection = await taking, Dissection()
        else:
            # Both texts are read at once: neither extraction needs the other.
            extraction, dissection = await both(taking, self._read(parts))
        facts = extraction.facts
        self.emit(FactsExtracted(facts=facts, how=extraction.how))
        # Off the loop: this reads all the references.
        figures = await aside(partial(Figures, case.references, dissection.stated))
        consultation = self._consultation(facts, figures, dissection)
        shown = {fact.index: state_triple(fact.triple) for fact in facts}
        if self.variant == PAIRWISE:
            await self._pairwise(shown, consultation)
        else:
            triples = [state_triple(one.triple) for one in dissection.stated]
            style = style_of(case, self.variant)
            split = self.variant == SPLIT
            await compare_triples(
                self.session, style, shown, triples, consultation.hear, apart=split
            )
        await consultation.close({"variant": self.variant})

    async def _nearest(self) -> Sequence[Part]:
        """The references; with ``windows``, their passages nearest to the sentences of the
        message."""
        message = self.case.message
        wanted = [sentence_text(message, index) for index in range(len(message.sentences))]
        windows = windows_of(self.case)
        room = self.contexts.length if windows is None else windows * TOLD
        context = await aside(partial(self.contexts.of, wanted, room))
        return context.parts

    async def _read(self, parts: Sequence[Part]) -> Dissection:
        """The triples of these parts of the references."""
        shown = sum(end - start for _, start, end in parts)
        if shown < self.contexts.length:
            self._note_part(f"the {shown:,} nearest to the message were read")
        found = await dissect_references(self.session, parts)
        if found.missing:
            what = f"{some(len(found.missing), len(found.passages), 'passages')} not read"
            self.emit(Note(what=what, why=main_reason(found.missing.values())))
        return found

    async def _pairwise(self, facts: Mapping[int, str], consultation: Consultation) -> None:
        windows = windows_of(self.case)
        longest = self.contexts.length if windows is None else windows * WINDOW
        question = self.case.question or ""
        shown = await pairwise(
            self.session, facts, self.contexts, question, consultation.hear, longest=longest
        )
        if shown < self.contexts.length:
            self._note_part(f"facts were shown the {shown:,} nearest to them, or more")

    def _note_part(self, read: str) -> None:
        why = f"of {self.contexts.length:,} characters {read}"
        self.emit(Note(what="the references were read in part", why=why))

    def _consultation(
        self, facts: Sequence[Fact], figures: Figures, dissection: Dissection
    ) -> Consultation:
        lost = list(dissection.missing.values())
        if self.variant != PAIRWISE and not dissection.stated and not lost:
            # No call is made then, so the reason cannot be that the judge gave no answer.
            lost = [NO_TRIPLES]
        return Consultation(
            self.case.message,
            facts,
            Rulings(figures, as_published=self.case.as_published),
            self.threshold,
            lost=lost,
            parts=1 if self.variant == PAIRWISE else len(dissection.stated),
            emit=self.emit,
        )


def variant_of(case: Case) -> str:
    """The variant of a case. Raises SettingError for one that is not among `VARIANTS`."""
    variant = case.options.get("variant", BEST)
    if variant not in VARIANTS:
        raise SettingError(f"there is no variant {variant!r}: known are {', '.join(VARIANTS)}")
    return str(variant)


def style_of(case: Case, variant: str) -> Style:
    """Return how the sets are compared in this variant."""
    return Style(
        detailed=variant in DETAILED,
        reasons=variant in REASONED,
        examples=variant in SHOWN,
        both=not case.as_published,
    )


METHOD: Final = TripletCheck()
