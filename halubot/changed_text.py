"""A text that was checked before and has changed since: only paragraphs that changed are checked
again, the rest of the report is carried over to its new place."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Final

from halubot.events import (
    Done,
    FactJudged,
    FactsExtracted,
    Note,
    PromptUsed,
    Ranked,
    SentenceJudged,
    Spent,
    Started,
)
from halubot.report import Fact, Parts, Report, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halubot.events import Emit, Event

_JUDGED: Final = ("score", "verdict", "basis", "reason", "probability", "evidence", "nearest")
_BETWEEN: Final = "\n\n"
_PARAGRAPH: Final = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")


@dataclass(frozen=True, slots=True)
class CheckChanged:
    """Checks a text as an earlier one was checked, paragraph by paragraph what is new in it; call
    it with what is to hear the events. ``options`` are those of
    `halubot.correction_api.arecheck`."""

    before: Report
    text: str
    options: Mapping[str, Any]

    async def __call__(self, emit: Emit) -> None:
        # Late: the app makes one where the engine is not loaded, and has it called elsewhere.
        from halubot import correction_api

        began = time.perf_counter()
        plan = compare_paragraphs(self.before.text, self.text)
        again: Report | None = None
        if plan.changed.strip():
            again = await correction_api.arecheck(self.before, plan.changed, **self.options)
        for event in merge_events(self.before, again, plan):
            emit(event)
        emit(Done(seconds=round(time.perf_counter() - began, 6)))


@dataclass(frozen=True, slots=True)
class Move:
    """A stretch of a text, by its offsets there, and by how far it has moved in the new text."""

    start: int
    end: int
    by: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan for a changed text: the paragraphs of the old one that are ``kept``, the ``changed``
    paragraphs as a text of their own, and where each of these stands (``fresh``)."""

    text: str
    kept: tuple[Move, ...]
    changed: str
    fresh: tuple[Move, ...]


def compare_paragraphs(before: str, after: str) -> Plan:
    """Match the paragraphs of two texts, in order."""
    old, new = [[*_PARAGRAPH.finditer(text)] for text in (before, after)]
    matcher = SequenceMatcher(
        None, [one[0] for one in old], [one[0] for one in new], autojunk=False
    )
    kept: dict[int, Move] = {}
    for a, b, size in matcher.get_matching_blocks():
        for n in range(size):
            was, now = old[a + n], new[b + n]
            kept[b + n] = Move(was.start(), was.end(), now.start() - was.start())
    changed: list[str] = []
    fresh: list[Move] = []
    at = 0
    for number, one in enumerate(new):
        if number not in kept:
            fresh.append(Move(at, at + len(one[0]), one.start() - at))
            changed.append(one[0])
            at += len(one[0]) + len(_BETWEEN)
    return Plan(after, tuple(kept.values()), _BETWEEN.join(changed), tuple(fresh))


def merge_events(before: Report, again: Report | None, plan: Plan) -> Iterator[Event]:
    """The events of a check of the whole new text, from its two parts."""
    parts = [(before, plan.kept), *([(again, plan.fresh)] if again is not None else [])]
    found = [
        (report, sentence, move)
        for report, moves in parts
        for sentence in report.sentences
        if (move := _move_of(sentence.start, sentence.end, moves)) is not None
    ]
    found.sort(key=lambda one: one[1].start + one[2].by)
    places = {(id(report), one.index): n for n, (report, one, _) in enumerate(found)}
    facts = [
        (_move_fact(fact, moves, [places[id(report), s] for s in fact.sentences]), fact)
        for report, moves in parts
        for fact in report.facts
        if all((id(report), s) in places for s in fact.sentences)
    ]
    facts.sort(key=lambda one: (one[0].sentences, one[0].spans))
    sources = {one.id: one for report, _ in parts for one in report.sources}
    yield Started(
        text=plan.text,
        sentences=tuple((one.start + move.by, one.end + move.by) for _, one, move in found),
        question=before.question,
        method=before.method,
        models=before.models,
        engine=before.engine,
        threshold=before.threshold,
        calibration=before.calibration,
        sources=tuple(sources.values()),
    )
    if again is not None:
        for name, version in again.prompts.items():
            yield PromptUsed(name=name, version=version)
        for problem in again.problems:
            yield Note(what=problem.what, why=problem.why)
        yield Spent(usage=again.usage.model_copy(update={"seconds": 0.0}))
    listed = tuple(one.model_copy(update={"index": n}) for n, (one, _) in enumerate(facts))
    if listed:
        yield FactsExtracted(facts=listed)
    for n, (_, fact) in enumerate(facts):
        told = {name: getattr(fact, name) for name in _JUDGED}
        yield FactJudged(index=n, error=fact.kind, **told)
    for n, (_, one, _) in enumerate(found):
        yield SentenceJudged(index=n, score=one.score, verdict=one.verdict, reason=one.reason)
    scores = [one.score for _, one, _ in found if one.score is not None]
    yield Ranked(
        score=sum(scores) / len(scores) if scores else None,
        facts=tuple(fact.rank for _, fact in facts),
        sentences=tuple(one.rank for _, one, _ in found),
    )


def _move_of(start: int, end: int, moves: Sequence[Move]) -> Move | None:
    """The stretch that holds a place."""
    return next((one for one in moves if one.start <= start and end <= one.end), None)


def _move_fact(fact: Fact, moves: Sequence[Move], sentences: Sequence[int]) -> Fact:
    """A fact at its new place, not judged."""

    def span(place: Span | None) -> Span | None:
        move = None if place is None else _move_of(*place, moves)
        return None if place is None or move is None else (place[0] + move.by, place[1] + move.by)

    parts = fact.parts
    return Fact(
        index=fact.index,
        triple=fact.triple,
        sentences=tuple(sentences),
        spans=tuple(place for one in fact.spans if (place := span(one)) is not None),
        parts=Parts(head=span(parts.head), relation=span(parts.relation), tail=span(parts.tail)),
        negated=fact.negated,
    )
