"""`triplet-check`: the facts of a message beside the facts of references, both as triples."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from halubot.concurrency import aside, both
from halubot.errors import SettingError
from halubot.events import Emit, Event, FactJudged, FactsExtracted, Labelled, Note, Ranked
from halubot.evidence.context import Contexts
from halubot.methods.calls.extraction import extract_with_judge, state_triple
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
from halubot.methods.consensus.log_odds import message_score
from halubot.methods.driver import stream_events, unjudged_events
from halubot.methods.registry import SET_BY_HAND, Case, Size, windows_of
from halubot.methods.sample_verdicts import judge_sentences
from halubot.methods.triplet_check.fact_verdicts import Heard, Rulings
from halubot.methods.triplet_check.reference_triples import (
    Compared,
    Dissection,
    Style,
    compare_triples,
    dissect_references,
    pairwise,
)
from halubot.report import Fact

PAIRWISE: Final = "pairwise"
SPLIT: Final = "split"
"""One call a fact, beside all triples of the references: "llm_split" of RAGFactChecker."""
VARIANTS: Final[Mapping[str, Style]] = {
    "baseline": Style(),
    "few-shot": Style(examples=True),
    "reasoning": Style(reasons=True),
    "detailed": Style(detailed=True),
    "detailed-reasoning": Style(detailed=True, reasons=True),
    "detailed-few-shot": Style(detailed=True, examples=True),
    "all": Style(detailed=True, reasons=True, examples=True),
    SPLIT: Style(detailed=True, reasons=True),
    PAIRWISE: Style(),
}
"""What the judge is told and shown in each variant."""

# The table compares variants on different numbers of triples, so that its lead is not sure
# (docs/methods.md).
BEST: Final = "detailed-reasoning"
"""The variant with the best balanced accuracy (table 5.2): 0.851."""

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
        "the judge is told to go by the references alone; in the thesis only RefChecker's is",
        "the judge says supports, contradicts or silent, of which the first is true",
        "the reason of a triple stands before its verdict; in the thesis all reasons come first",
    )
    default_threshold = SET_BY_HAND

    def calls(self, size: Size) -> int:
        """2 and one a window of references; more if message or references are too long for one
        call. Pairwise it is one, and one a fact."""
        comparing = math.ceil(size.references / TOGETHER) * math.ceil(size.facts / ITEMS)
        return math.ceil(size.sentences / SENTENCES) + size.references + comparing

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Facts; then the verdicts on them, sentences and ranks.

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
        case = self.case
        taking = extract_with_judge(self.session, case, rules=not case.as_published)
        if self.variant == PAIRWISE:
            extraction, dissection = await taking, Dissection()
        else:
            # Both texts are read at once: neither extraction needs the other.
            extraction, dissection = await both(taking, self._read())
        facts = extraction.facts
        self.emit(FactsExtracted(facts=facts, how=extraction.how))
        # Off the loop: this reads all the references.
        rulings = await aside(
            partial(Rulings, case.references, dissection.stated, as_published=case.as_published)
        )
        shown = {fact.index: state_triple(fact.triple) for fact in facts}
        if self.variant == PAIRWISE:
            compared = await self._pairwise(shown)
        else:
            triples = [state_triple(one.triple) for one in dissection.stated]
            style = replace(VARIANTS[self.variant], both=not case.as_published)
            compared = await compare_triples(
                self.session, style, shown, triples, apart=self.variant == SPLIT
            )
        # The same report whichever call is the quicker.
        compared = sorted(compared, key=lambda one: (one.triples, [*one.found, *one.missing]))
        lost = list(dissection.missing.values())
        if self.variant != PAIRWISE and not dissection.stated and not lost:
            # No call is made then, so the reason cannot be that the judge gave no answer.
            lost = [NO_TRIPLES]
        self._tell(facts, await aside(partial(self._judge, facts, rulings, compared, lost)))
        details = {"variant": self.variant, "triples": rulings.write_triples()}
        comparisons = [_write_comparison(one) for one in compared]
        self.emit(Labelled(details={**details, "comparisons": comparisons}))

    def _judge(
        self,
        facts: Sequence[Fact],
        rulings: Rulings,
        compared: Sequence[Compared],
        lost: Sequence[str],
    ) -> list[FactJudged]:
        judged = []
        for fact in facts:
            said = [one.found[fact.index] for one in compared if fact.index in one.found]
            missing = [one.missing[fact.index] for one in compared if fact.index in one.missing]
            heard = Heard(said, [*lost, *missing])
            judged.append(rulings.judge(fact, heard, self.threshold))
        return judged

    def _tell(self, facts: Sequence[Fact], judged: Sequence[FactJudged]) -> None:
        """Tells the verdicts on facts and sentences, and the ranks."""
        for one in judged:
            self.emit(one)
        unjudged = [one.reason or "" for one in judged if one.score is None]
        if unjudged:
            what = f"{some(len(unjudged), len(facts), 'facts')} not judged"
            self.emit(Note(what=what, why=main_reason(unjudged)))
        score = message_score([one.score for one in judged if one.score is not None])
        for event in judge_sentences(self.case.message, facts, judged):
            ranked = isinstance(event, Ranked)
            self.emit(event.model_copy(update={"score": score}) if ranked else event)

    async def _read(self) -> Dissection:
        """The triples of the references; with ``windows``, of their passages nearest to the
        sentences of the message."""
        message, windows = self.case.message, windows_of(self.case)
        wanted = [sentence_text(message, index) for index in range(len(message.sentences))]
        room = self.contexts.length if windows is None else windows * TOLD
        parts = (await aside(partial(self.contexts.of, wanted, room))).parts
        shown = sum(end - start for _, start, end in parts)
        self._note_part(shown, f"the {shown:,} nearest to the message were read")
        found = await dissect_references(self.session, parts)
        if found.missing:
            what = f"{some(len(found.missing), len(found.passages), 'passages')} not read"
            self.emit(Note(what=what, why=main_reason(found.missing.values())))
        return found

    async def _pairwise(self, facts: Mapping[int, str]) -> list[Compared]:
        windows = windows_of(self.case)
        longest = self.contexts.length if windows is None else windows * WINDOW
        question = self.case.question or ""
        compared, shown = await pairwise(
            self.session, facts, self.contexts, question, longest=longest
        )
        self._note_part(shown, f"facts were shown the {shown:,} nearest to them, or more")
        return compared

    def _note_part(self, shown: int, read: str) -> None:
        if shown < self.contexts.length:
            why = f"of {self.contexts.length:,} characters {read}"
            self.emit(Note(what="the references were read in part", why=why))


def _write_comparison(compared: Compared) -> dict[str, Any]:
    """What one call said of the facts, as a report holds it."""
    return {
        "triples": [compared.triples[0], compared.triples[-1] + 1],
        "facts": {
            str(index): {
                "stance": said.stance,
                "supporting": list(said.supporting),
                "contradicting": list(said.contradicting),
                "reasons": said.reasons,
            }
            for index, said in sorted(compared.found.items())
        },
        "missing": {str(index): why for index, why in sorted(compared.missing.items())},
    }


def variant_of(case: Case) -> str:
    """The variant of a case. Raises SettingError for one that is not among `VARIANTS`."""
    variant = case.options.get("variant", BEST)
    if variant not in VARIANTS:
        raise SettingError(f"there is no variant {variant!r}: known are {', '.join(VARIANTS)}")
    return str(variant)


METHOD: Final = TripletCheck()
