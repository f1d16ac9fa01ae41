"""The outcome of a row: what a report, or a baseline, says of its sentences, and its marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from rapidfuzz import fuzz, process

from benchmarks.rows import Row
from benchmarks.statistics import Unit
from halubot.report import DOUBTED, Correction, Report, Span, Triple, Usage, Verdict

Mark = tuple[Span, ...]
"""The spans of one fact, or of one sentence, that are shown as doubted."""

ALIKE = 75.0
"""The least token_sort_ratio, of 100, of two joined and case-folded triples that pair."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a message. A baseline judges none: then ``verdict`` is None."""

    span: Span
    score: float | None
    rank: float | None
    verdict: Verdict | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found of a row.

    ``fates`` are what a judge calls the sentences after each correction (`benchmarks.rewrites`).
    ``paired`` says of each extracted triple whether the row has it; None if extraction is not
    measured.
    """

    row: Row
    score: float | None = None
    rank: float | None = None
    sentences: tuple[Sentence, ...] = ()
    marks: tuple[Mark, ...] | None = None
    verdicts: frozenset[Verdict] = frozenset()
    correction: Correction | None = None
    fates: Mapping[str, Sequence[str]] = field(default_factory=dict)
    paired: tuple[bool, ...] | None = None
    usage: Usage = field(default_factory=Usage)
    problems: tuple[str, ...] = ()

    def units(self, by: str = "score") -> list[Unit]:
        """Return the units that people labelled: the sentences, or the message."""
        gold = self.row.gold
        said = self.said
        pairs = zip(gold, said, strict=True) if gold else ()
        return [Unit(wrong > 0, getattr(one, by)) for wrong, one in pairs]

    @property
    def said(self) -> Sequence[Outcome | Sentence]:
        """Return the sentences if people labelled them, else the message."""
        return [self] if self.row.sentences is None else self.sentences

    def overlapping(self, by: str = "score") -> list[Unit]:
        """Return the sentences as units that are wrong if they overlap a wrong span of the row."""
        wrong = self.row.wrong_spans
        return [
            Unit(any(overlap(one.span, bad) for bad in wrong), getattr(one, by))
            for one in self.sentences
        ]


def overlap(a: Span, b: Span) -> bool:
    """Return True if two spans share a character."""
    return a[0] < b[1] and b[0] < a[1]


def of_report(row: Row, report: Report) -> Outcome:
    # A report ranks its sentences, not the message.
    ranks = [one.rank for one in report.sentences if one.rank is not None]
    return Outcome(
        row,
        score=report.score,
        rank=sum(ranks) / len(ranks) if ranks else report.score,
        sentences=tuple(
            Sentence((one.start, one.end), one.score, one.rank, one.verdict, one.reason)
            for one in report.sentences
        ),
        marks=_marks(report),
        verdicts=frozenset(
            [*(fact.verdict for fact in report.facts), *(one.verdict for one in report.sentences)]
        ),
        correction=report.correction,
        usage=report.usage,
        problems=tuple(dict.fromkeys(problem.what for problem in report.problems)),
    )


def _marks(report: Report) -> tuple[Mark, ...]:
    """Return the doubted facts, and the doubted sentences that hold no doubted fact."""
    doubted = [fact for fact in report.facts if fact.verdict in DOUBTED]
    covered = {index for fact in doubted for index in fact.sentences}
    alone = (
        ((one.start, one.end),)
        for index, one in enumerate(report.sentences)
        if one.verdict in DOUBTED and index not in covered
    )
    return (*(fact.spans for fact in doubted), *alone)


def of_triples(row: Row, found: Sequence[Triple]) -> Outcome:
    """Return which of the extracted triples pair with one of the row: the most alike first, and no
    triple twice."""
    if not found or not row.triples:
        return Outcome(row, paired=(False,) * len(found))
    likeness = process.cdist(
        [str(triple).casefold() for triple in found],
        [str(triple).casefold() for triple in row.triples],
        scorer=fuzz.token_sort_ratio,
        score_cutoff=ALIKE,
        dtype=np.float64,
    )
    taken: set[int] = set()
    pairs: set[int] = set()
    # Stable, so that among equal pairs the first one counts on every machine.
    for at in np.argsort(-likeness, axis=None, kind="stable"):
        i, j = divmod(int(at), len(row.triples))
        if likeness[i, j] < ALIKE:
            break
        if i not in pairs and j not in taken:
            pairs.add(i)
            taken.add(j)
    return Outcome(row, paired=tuple(i in pairs for i in range(len(found))))
