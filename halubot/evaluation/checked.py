"""One row checked: what a report says of the units that people labelled.

A unit is what a label stands on: a fact, a sentence, or the whole message. Benchmarks and
calibration count the same units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol

from rapidfuzz import fuzz

from halubot.errors import InputError
from halubot.evaluation.judged import Judged, read_report
from halubot.evaluation.rows import LabelledFact, Row
from halubot.fold import probability_of
from halubot.methods.registry import Verdicts
from halubot.report import Fact, Report, Span, Triple

ALIKE: Final = 75.0
"""The least token_sort_ratio, of 100, of two joined and case-folded triples that pair."""


class Check(Protocol):
    """What is needed of `halubot.check`."""

    def __call__(
        self,
        text: str,
        *,
        question: str | None,
        samples: Sequence[str],
        references: Sequence[str],
        sentences: Sequence[str] | None,
        subject: str | None,
        method: str,
        threshold: float | None,
        verdicts: Verdicts | None,
        options: Mapping[str, Any],
    ) -> Report:
        """The report of one message."""
        ...


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence as the report has it."""

    span: Span
    score: float | None
    rank: float | None
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class ScoredFact:
    """A labelled fact as the report has it; ``found`` tells whether it has it at all."""

    found: bool
    score: float | None = None
    rank: float | None = None
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """A row and what was found of it: the message's score and rank, its sentences, one fact for
    each that is labelled and the verdicts, or, where extraction is measured, the triples found
    (else None) and which of them pair with a given one. ``fates`` are what a judge calls the
    sentences after each correction (`halubot.evaluation.rewrites`)."""

    row: Row
    score: float | None = None
    rank: float | None = None
    probability: float | None = None
    sentences: tuple[ScoredSentence, ...] = ()
    facts: tuple[ScoredFact, ...] = ()
    judged: Judged | None = None
    triples: tuple[Triple, ...] | None = None
    paired: tuple[bool, ...] = ()
    fates: Mapping[str, Sequence[str]] = field(default_factory=dict)


class Unit(NamedTuple):
    """What people called right or wrong, and how a method scored it: 0 to 1, None where it did
    not."""

    wrong: bool
    score: float | None
    rank: float | None = None
    probability: float | None = None


def check_row(
    row: Row,
    check: Check,
    *,
    dataset: str,
    method: str,
    threshold: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> Report:
    """The report of a row. Raises InputError, naming the row, where it cannot be checked or the
    method returns other sentences than it was given."""
    try:
        report = check(
            row.text,
            question=row.question,
            samples=row.samples,
            references=row.references,
            sentences=row.sentences,
            subject=row.subject,
            method=method,
            threshold=threshold,
            verdicts=row.verdicts,
            options=options or {},
        )
    except InputError as error:
        raise InputError(f"{dataset}, row {row.id}: {error}") from error
    if row.sentences is not None and len(report.sentences) != len(row.gold):
        raise InputError(
            f"{dataset}, row {row.id}: {method} returned {len(report.sentences)}"
            f" sentences for {len(row.gold)}"
        )
    return report


def scored_row(row: Row, report: Report) -> Scored:
    """What the report says of the row."""
    chance = None
    if report.score is not None and report.calibration is not None:
        chance = probability_of(report.score, report.calibration)
    return Scored(
        row,
        score=report.score,
        rank=_rank_of(report),
        probability=chance,
        sentences=tuple(
            ScoredSentence((one.start, one.end), one.score, one.rank, one.probability)
            for one in report.sentences
        ),
        facts=align_facts(row.labelled, report.facts),
        judged=read_report(report),
    )


def _rank_of(report: Report) -> float | None:
    """Return the mean rank of the sentences that have one, or the score if none has: a report
    ranks facts and sentences, not the message."""
    ranks = [one.rank for one in report.sentences if one.rank is not None]
    return sum(ranks) / len(ranks) if ranks else report.score


def units(one: Scored) -> tuple[Unit, ...]:
    """The units of a row, in order; none where its label takes no side."""
    row = one.row
    if row.labelled:
        pairs = zip(row.labelled, one.facts, strict=True)
        return tuple(Unit(label.wrong, *_phrase(fact)) for label, fact in pairs)
    if row.sentences is not None:
        golds = zip(row.gold, one.sentences, strict=True)
        return tuple(Unit(gold > 0, *_phrase(said)) for gold, said in golds)
    return tuple(Unit(gold > 0, one.score, one.rank, one.probability) for gold in row.gold)


def align_facts(labelled: Sequence[LabelledFact], facts: Sequence[Fact]) -> tuple[ScoredFact, ...]:
    """For each labelled fact the one of the report that says the same in the same place: spans
    overlap and the triples are alike, the most alike first; no fact is taken twice."""
    likeness = sorted(
        (
            (-_likeness(label.triple, fact.triple), i, j)
            for i, label in enumerate(labelled)
            for j, fact in enumerate(facts)
            if any(overlap(a, b) for a in label.spans for b in fact.spans)
        )
    )
    taken: dict[int, int] = {}
    for less, i, j in likeness:
        if -less >= ALIKE and i not in taken and j not in taken.values():
            taken[i] = j
    return tuple(
        ScoredFact(True, *_phrase(facts[taken[i]])) if i in taken else ScoredFact(found=False)
        for i in range(len(labelled))
    )


def _phrase(one: Fact | ScoredFact | ScoredSentence) -> tuple[float | None, ...]:
    return one.score, one.rank, one.probability


def overlap(a: Span, b: Span) -> bool:
    """Whether two spans share a character."""
    return a[0] < b[1] and b[0] < a[1]


def _likeness(a: Triple, b: Triple) -> float:
    return fuzz.token_sort_ratio(str(a).casefold(), str(b).casefold())
