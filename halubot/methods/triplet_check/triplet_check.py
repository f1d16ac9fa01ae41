"""`triplet-check`: the facts of a message beside the facts of references, both as triples.

The judge takes the triples of the message, and at the same time those of the references, a window
of them in a call. Then one call compares all the one with all the other; where the triples of the
references are too many for a call they are compared window by window, and a fact is supported if
any window supports it. So W windows of references take 2 + W calls, in two steps. The option
``variant`` chooses the prompt: seven of the thesis, and ``pairwise``, RefChecker's, which compares
each fact with the text of the references in a call of its own, 1 + F calls. Numbers and dates are
decided by rules (`halubot.methods.triplet_check.fact_verdicts`); as published they are not, and the
judge has no rule
for a fact that triples both support and contradict.

Long references are read whole. With the option ``windows`` only so many windows are, those nearest
to the message, and a note says so.

Source: Osmanaj, "Open Information Extraction for Fact-Checking Large Language Models" (TU Wien,
2025), sections 3 and 4.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from halubot.concurrency import aside, both
from halubot.errors import SettingError
from halubot.events import Emit, Event, FactsExtracted, Note
from halubot.evidence.context import Contexts, Part
from halubot.llm_calls.portions import ITEMS, TOLD, WINDOW, main_reason, some
from halubot.llm_calls.stretches import SENTENCES, sentence_text
from halubot.llm_calls.talk import Talk
from halubot.llm_calls.verification import state_triple
from halubot.methods.case_facts import by_judge
from halubot.methods.driver import stream_events, unjudged_events
from halubot.methods.registry import Case, Size
from halubot.methods.triplet_check.consultation import Consultation
from halubot.methods.triplet_check.entailment import SHOTS, Style, compare_triples, pairwise
from halubot.methods.triplet_check.fact_verdicts import Rulings
from halubot.methods.triplet_check.numbers import Figures
from halubot.methods.triplet_check.reference_triples import Dissection, dissect_references
from halubot.methods.windows import windows_of
from halubot.report import Fact, Threshold

PAIRWISE: Final = "pairwise"
VARIANTS: Final = (
    *("baseline", "few-shot", "reasoning", "detailed", "detailed-reasoning"),
    *("detailed-few-shot", "all", PAIRWISE),
)
"""What the judge is told and shown: "all" is detailed rules, reasoning and few-shot together."""

BEST: Final = "detailed-reasoning"
"""The variant with the best balanced accuracy (table 5.2): 0.851."""

DETAILED: Final = frozenset({"detailed", "detailed-reasoning", "detailed-few-shot", "all"})
"""The variants with detailed rules."""
REASONED: Final = frozenset({"reasoning", "detailed-reasoning", "all"})
"""The variants that have the judge write down its reasons first."""
SHOWN: Final = frozenset({"few-shot", "detailed-few-shot", "all"})
"""The variants with examples."""

TOGETHER: Final = 3
"""Windows of references, of `TOLD` characters each, whose triples one call compares, about."""

NO_TEXT: Final = "the references hold no text"
NO_TRIPLES: Final = "no fact was found in the references"


class TripletCheck:
    """The method object. Its options are ``variant``, one of `VARIANTS`, ``shots``, how many
    examples the variants with examples show (2), and ``windows``, how many `TOLD` characters of the
    references are read ("all"), in ``pairwise`` how many `WINDOW`.

    A fact's score is that of its ruling, a sentence's the largest of its facts', the message's
    D / (1 + D) where D is the sum over its facts; ``rank`` is ``score``.
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
        """2 and one a window of references; more where message or references are too long for one
        call. Pairwise it is one, and one a fact."""
        comparing = math.ceil(size.references / TOGETHER) * math.ceil(size.facts / ITEMS)
        return math.ceil(size.sentences / SENTENCES) + size.references + comparing

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Facts; the verdict on each as soon as it is known; then sentences and ranks.

        Raises SettingError for an option or a variant that it does not know.
        """
        case.refuse_options(self.name, "variant", "windows", "shots")
        windows_of(case)
        variant = variant_of(case)
        style_of(case, variant)
        return stream_events(partial(self._work, case, variant))

    async def _work(self, case: Case, variant: str, emit: Emit) -> None:
        contexts = Contexts(case.references)
        if case.talk is None or not contexts.length:
            lacking = NO_TEXT if case.talk else f"{self.name} needs a model: name one with --model"
            for event in unjudged_events(case, lacking):
                emit(event)
            return
        if case.samples:
            why = f"{self.name} compares with references only"
            emit(Note(what="samples were left out", why=why))
        limit = case.limit(self.default_threshold)
        await _Check(case, case.talk, variant, contexts, limit, emit).done()


@dataclass(frozen=True)
class _Check:
    """One message checked in one variant."""

    case: Case
    talk: Talk
    variant: str
    contexts: Contexts
    threshold: float
    emit: Emit

    async def done(self) -> None:
        """Has both texts taken apart and the facts compared, and tells what was found."""
        case, parts = self.case, await self._nearest()
        taking = by_judge(case, self.talk, rules=not case.as_published)
        if self.variant == PAIRWISE:
            extraction, dissection = await taking, Dissection()
        else:
            extraction, dissection = await both(taking, self._read(parts))
        facts = extraction.facts
        self.emit(FactsExtracted(facts=facts, how=extraction.how))
        figures = await aside(
            partial(Figures, case.message, facts, case.subject, case.references, parts)
        )
        consultation = self._consultation(facts, figures, dissection)
        shown = {fact.index: state_triple(fact.triple) for fact in facts}
        if self.variant == PAIRWISE:
            await self._pairwise(shown, consultation)
        else:
            triples = [state_triple(one.triple) for one in dissection.stated]
            style = style_of(case, self.variant)
            await compare_triples(self.talk, style, shown, triples, consultation.hear)
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
        found = await dissect_references(self.talk, parts)
        if found.missing:
            what = f"{some(len(found.missing), len(found.passages), 'passages')} not read"
            self.emit(Note(what=what, why=main_reason(found.missing.values())))
        return found

    async def _pairwise(self, facts: Mapping[int, str], consultation: Consultation) -> None:
        windows = windows_of(self.case)
        longest = self.contexts.length if windows is None else windows * WINDOW
        question = self.case.question or ""
        shown = await pairwise(
            self.talk, facts, self.contexts, question, consultation.hear, longest=longest
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
            lost = [NO_TRIPLES]
        return Consultation(
            self.case.message,
            facts,
            Rulings(figures, dissection.stated, as_published=self.case.as_published),
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
    """How the sets are compared in this variant. Raises SettingError for a number of examples that
    there is not, or where none are shown."""
    shots = case.options.get("shots")
    if shots is not None and variant not in SHOWN:
        raise SettingError(f"the variant {variant} shows no examples: leave shots out")
    if shots is not None and (isinstance(shots, bool) or shots not in range(1, SHOTS + 1)):
        raise SettingError(f"the shots are {shots!r}, not a whole number from 1 to {SHOTS}")
    return Style(
        detailed=variant in DETAILED,
        reasons=variant in REASONED,
        shots=(shots or SHOTS) if variant in SHOWN else 0,
        both=not case.as_published,
    )


METHOD: Final = TripletCheck()
