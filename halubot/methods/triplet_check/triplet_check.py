"""`triplet-check`: the facts of a message beside the facts of references, both as triples.

The judge says what the triples of the references do to a fact, and rules on numbers and dates
overrule it. As published the judge alone decides.
"""

from __future__ import annotations

import math
import re
from collections.abc import AsyncIterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from halubot.concurrency import aside, both
from halubot.events import Emit, Event, FactJudged, FactsExtracted, Labelled, Note, Ranked
from halubot.evidence.context import Context, Contexts
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
from halubot.methods.calls.verification import STANCES, Judged, Judging, stance_of
from halubot.methods.consensus.log_odds import message_score
from halubot.methods.driver import stream_events, unjudged_events
from halubot.methods.quotes import quote, speaker
from halubot.methods.registry import SET_BY_HAND, Case, Size
from halubot.methods.relations import same_relation
from halubot.methods.sample_verdicts import judge_sentences
from halubot.methods.triplet_check.reference_triples import (
    Bare,
    Compared,
    Dissection,
    Reasoned,
    Stated,
    Style,
    compare_triples,
    dissect_references,
    read_answer,
)
from halubot.report import Basis, Evidence, Fact, Source, Stance, Triple, Verdict
from halubot.values import differ, find, same, same_name

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
        """Facts; then the verdicts on them, sentences and ranks."""
        return stream_events(partial(self._work, case, case.options.get("variant", BEST)))

    async def _work(self, case: Case, variant: str, emit: Emit) -> None:
        session, contexts = case.require_session(), Contexts(case.references)
        if not contexts.length:
            for event in unjudged_events(case, NO_TEXT):
                emit(event)
            return
        pairwise = variant == PAIRWISE
        context = await _nearest_parts(case, contexts, WINDOW if pairwise else TOLD, emit)
        taking = extract_with_judge(session, case)
        if pairwise:
            extraction, dissection = await taking, Dissection()
        else:
            # Both texts are read at once: neither extraction needs the other.
            reading = dissect_references(session, context.parts)
            extraction, dissection = await both(taking, reading)
        if dissection.missing:
            of = len(dissection.passages)
            what = f"{some(len(dissection.missing), of, 'passages')} not read"
            emit(Note(what=what, why=main_reason(dissection.missing.values())))
        facts = extraction.facts
        emit(FactsExtracted(facts=facts, how=extraction.how))
        shown = {fact.index: state_triple(fact.triple) for fact in facts}
        lost = list(dissection.missing.values())
        if pairwise:
            compared = [await _compare_apart(case, session, shown, context.text)]
        else:
            triples = [state_triple(one.triple) for one in dissection.stated]
            style = replace(VARIANTS[variant], both=not case.as_published)
            apart = variant == SPLIT
            compared = await compare_triples(session, style, shown, triples, apart=apart)
            if not dissection.stated and not lost:
                # No call is made then, so the reason cannot be that the judge gave no answer.
                lost = [NO_TRIPLES]
        # The same report whichever call is the quicker.
        compared = sorted(compared, key=lambda one: (one.triples, [*one.found, *one.missing]))

        def rule() -> list[FactJudged]:
            rulings = Rulings(case.references, dissection.stated, as_published=case.as_published)
            heard = {one.index: _hear(one.index, compared, lost) for one in facts}
            return [rulings.judge(one, heard[one.index], case.threshold) for one in facts]

        # Off the loop: this reads all the references.
        judged = await aside(rule)
        for one in judged:
            emit(one)
        if unjudged := [one.reason or "" for one in judged if one.score is None]:
            what = f"{some(len(unjudged), len(facts), 'facts')} not judged"
            emit(Note(what=what, why=main_reason(unjudged)))
        score = message_score([one.score for one in judged if one.score is not None])
        for event in judge_sentences(case.message, facts, judged):
            ranked = isinstance(event, Ranked)
            emit(event.model_copy(update={"score": score}) if ranked else event)
        stated = [
            {"triple": list(triple), "source": source.id, "start": start, "end": end}
            for triple, (source, start, end) in dissection.stated
        ]
        comparisons = [_write_comparison(one) for one in compared]
        details = {"variant": variant, "triples": stated, "comparisons": comparisons}
        emit(Labelled(details=details))


async def _compare_apart(
    case: Case, session: ModelSession, facts: Mapping[int, str], text: str
) -> Compared:
    """Compare each fact with the text of the references, in a call of its own."""
    about = {"question": case.question or ""}
    judging = Judging(
        *(session, "triplet-pairwise", "fact", Judged, facts, stance_of, STANCES.index),
        about=lambda _: about,
        calls="single",
    )
    said = await judging.by(text)
    found = {at: read_answer(Bare(stance=one), ()) for at, one in said.found.items()}
    return Compared((0,), found, said.missing)


def _hear(fact: int, compared: Sequence[Compared], lost: Sequence[str]) -> Heard:
    said = [one.found[fact] for one in compared if fact in one.found]
    return Heard(said, [*lost, *(one.missing[fact] for one in compared if fact in one.missing)])


async def _nearest_parts(case: Case, contexts: Contexts, unit: int, emit: Emit) -> Context:
    """The references; with ``windows``, so many times ``unit`` characters of their passages nearest
    to the sentences of the message."""
    message, windows = case.message, case.options.get("windows", "all")
    wanted = [sentence_text(message, index) for index in range(len(message.sentences))]
    room = contexts.length if windows == "all" else windows * unit
    found = await aside(partial(contexts.of, wanted, room))
    shown = sum(end - start for _, start, end in found.parts)
    if shown < contexts.length:
        why = f"of {contexts.length:,} characters the {shown:,} nearest to the message were read"
        emit(Note(what="the references were read in part", why=why))
    return found


def _write_comparison(compared: Compared) -> dict[str, Any]:
    """What one call said of the facts, as a report holds it."""
    return {
        "triples": [compared.triples[0], compared.triples[-1] + 1],
        "facts": {str(index): said.model_dump() for index, said in sorted(compared.found.items())},
        "missing": {str(index): why for index, why in sorted(compared.missing.items())},
    }


SUPPORTED: Final = 0.0
DISPUTED: Final = 0.5
UNBORNE: Final = 0.75
DENIED: Final = 1.0

DISAGREE: Final = "the references disagree with each other"
NO_ANSWER: Final = "the judge gave no answer"
NOT_THERE: Final = "the references do not bear it out"

_DIGITS: Final = re.compile(r"\d+")


class Ruling(NamedTuple):
    """The ruling on a fact. ``score`` is None if it could not be checked, and ``reason`` then says
    why."""

    score: float | None
    reason: str | None = None
    denied: bool = False


class _Named(NamedTuple):
    """A triple of a reference that the judge named, and its reasons."""

    triple: Triple
    reasons: str


class Heard(NamedTuple):
    """The words so far on one fact, window by window, and why windows are lost."""

    said: Sequence[Reasoned] = ()
    lost: Sequence[str] = ()

    @property
    def stance(self) -> Stance | None:
        """The first of supports, contradicts and silent that any window says; None if a lost
        window might have said what counts more."""
        stances = {one.stance for one in self.said}
        if not stances or (self.lost and "supports" not in stances):
            return None
        return min(stances, key=STANCES.index)


class Rulings:
    """The verdicts and the evidence on facts, by what was heard of them and by rules on numbers and
    dates. ``stated`` are the triples of the references. With ``as_published`` the judge alone
    decides, any support is enough, and what is not supported is hallucinated (section 4.1 of the
    thesis): its score is 1. Takes time linear in the references, so do it off the loop."""

    def __init__(
        self,
        references: Sequence[Source],
        stated: Sequence[Stated] = (),
        *,
        as_published: bool = False,
    ) -> None:
        self._references = tuple(references)
        self._stated = tuple(stated)
        self._as_published = as_published
        self._digits = [frozenset(_DIGITS.findall(one.text or "")) for one in references]
        self._values = [value for one in references for value in find(one.text or "")]

    def denying(self, fact: Triple) -> list[int]:
        """Return the numbers of the triples that give another number or date for a fact."""
        if self._as_published:
            return []
        return [at for at, one in enumerate(self._stated) if _denies(one.triple, fact)]

    def absent(self, fact: Triple) -> str | None:
        """Return a number or date of a fact that no reference has, as the fact writes it."""
        for part in fact:
            for value in find(part):
                digits = _DIGITS.findall(part[slice(*value.span)])
                # Absent only if neither the digits nor the value, in whatever words, are anywhere.
                there = any(known.issuperset(digits) for known in self._digits)
                if digits and not there and not any(same(value, one) for one in self._values):
                    return part[slice(*value.span)]
        return None

    def judge(self, fact: Fact, heard: Heard, threshold: float) -> FactJudged:
        """Return the verdict on a fact, with what each reference says."""
        denying = {self._source(at): self._stated[at].triple for at in self.denying(fact.triple)}
        backing, against = self._named(heard)
        ruling = self._rule(fact, heard, denying.keys(), backing.keys(), against.keys())
        verdict: Verdict = "supported"
        if ruling.score is None:
            verdict = "not_checked"
        elif ruling.score >= threshold:
            verdict = "contradicted" if ruling.denied else "doubtful"
        # Rules may decide a fact of which no call brought a word.
        by_model: tuple[Basis, ...] = ("model",) if heard.said else ()
        return FactJudged(
            index=fact.index,
            score=ruling.score,
            verdict=verdict,
            basis=() if ruling.score is None else ("references", *by_model),
            reason=ruling.reason,
            evidence=self._evidence(fact, heard.stance or "silent", denying, backing, against),
        )

    def _rule(
        self,
        fact: Fact,
        heard: Heard,
        denying: Set[str],
        backing: Set[str],
        against: Set[str],
    ) -> Ruling:
        """Return how a fact stands by what was heard of it, and by the references that deny it, and
        that the judge named for it and against it."""
        stance, judge = heard.stance, self._as_published
        # Rules first: another number or date in a reference is nothing for a judge to weigh.
        if denying:
            disputed = bool(backing - denying)
            return Ruling(DISPUTED, DISAGREE) if disputed else Ruling(DENIED, denied=True)
        if stance is None:
            return Ruling(None, main_reason(heard.lost) if heard.lost else NO_ANSWER)
        if stance == "silent":
            return Ruling(DENIED if judge else UNBORNE, NOT_THERE)
        if not judge and backing - against and against - backing:
            return Ruling(DISPUTED, DISAGREE)
        if stance == "contradicts":
            return Ruling(DENIED, denied=True)
        absent = None if judge else self.absent(fact.triple)
        if absent is not None:
            return Ruling(UNBORNE, f"{absent} is nowhere in the references")
        return Ruling(SUPPORTED)

    def _evidence(
        self,
        fact: Fact,
        stance: Stance,
        denying: Mapping[str, Triple],
        backing: Mapping[str, _Named],
        against: Mapping[str, _Named],
    ) -> tuple[Evidence, ...]:
        """Return the evidence of each reference on a fact: that it denies it, if the rules find so;
        else as the judge named its triples. If it named none, its ``stance`` is that of the
        reference with the sentence most like the fact."""
        alone = None
        if not (denying or backing or against) and stance != "silent":
            texts = [one.text or "" for one in self._references]
            alone = self._references[speaker(texts, fact.triple)].id
        found = []
        for source in self._references:
            said: Stance = stance if source.id == alone else "silent"
            triple, note = fact.triple, ""
            if source.id in against:
                said, (triple, note) = "contradicts", against[source.id]
            if source.id in backing and (source.id not in against or stance == "supports"):
                said, (triple, note) = "supports", backing[source.id]
            if source.id in denying:
                said, triple, note = "contradicts", denying[source.id], ""
            found.append(quote(source, said, triple, note=note, value_of=fact.triple))
        return tuple(found)

    def _source(self, number: int) -> str:
        return self._stated[number].passage.source.id

    def _named(self, heard: Heard) -> tuple[dict[str, _Named], dict[str, _Named]]:
        """By the ids of references, the first of their triples that the judge named for a fact and
        against it."""
        backing: dict[str, _Named] = {}
        against: dict[str, _Named] = {}
        for one in heard.said:
            for numbers, named in ((one.supporting, backing), (one.contradicting, against)):
                for number in numbers if one.stance != "silent" else ():
                    triple = self._stated[number].triple
                    named.setdefault(self._source(number), _Named(triple, one.reasons))
        return backing, against


def _denies(triple: Triple, fact: Triple) -> bool:
    """Return True if a triple says the same of the same thing with a value that excludes the
    fact's."""
    mine, theirs = find(fact.tail), find(triple.tail)
    return (
        any(differ(one, other) for one in mine for other in theirs)
        and not any(same(one, other) for one in mine for other in theirs)
        and same_name(fact.head, triple.head)
        and same_relation(fact.relation, triple.relation)
    )


METHOD: Final = TripletCheck()
