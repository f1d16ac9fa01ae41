"""One row checked: its verdicts and marks, its triples, and the units that people labelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol, Self

import numpy as np
from rapidfuzz import fuzz, process

from halubot.errors import InputError
from halubot.evaluation.rows import LabelledFact, Row
from halubot.fold import probability_of
from halubot.methods.registry import Verdicts
from halubot.report import DOUBTED, Action, Fact, Report, Span, Triple, Verdict

Mark = tuple[Span, ...]
"""The spans of one fact, or of one sentence, in doubt."""


@dataclass(frozen=True, slots=True)
class JudgedFact:
    """A fact of a report: its words, the sentences it belongs to, and what was found."""

    spans: tuple[Span, ...]
    sentences: tuple[int, ...]
    verdict: Verdict
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A sentence of a report. ``verdict`` is None if nobody judged it, as in a baseline;
    ``reason`` says why it was not checked."""

    span: Span
    verdict: Verdict | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class JudgedEdit:
    """A change of a correction; the span lies in the text before it."""

    span: Span
    before: str
    after: str
    action: Action


@dataclass(frozen=True, slots=True)
class Corrected:
    """The text after a correction, and the edits that changed it."""

    text: str
    edits: tuple[JudgedEdit, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """The facts and sentences of a report, and its correction if one was made."""

    facts: tuple[JudgedFact, ...] = ()
    sentences: tuple[JudgedSentence, ...] = ()
    corrected: Corrected | None = None

    def marks(self) -> tuple[Mark, ...]:
        """Return the doubted facts, and the doubted sentences that hold no doubted fact."""
        doubted = [fact for fact in self.facts if fact.verdict in DOUBTED]
        covered = {index for fact in doubted for index in fact.sentences}
        alone = (
            (sentence.span,)
            for index, sentence in enumerate(self.sentences)
            if sentence.verdict in DOUBTED and index not in covered
        )
        return (*(fact.spans for fact in doubted), *alone)

    def verdicts(self) -> frozenset[Verdict | None]:
        """Return every verdict that a fact or a sentence has."""
        of_facts = {fact.verdict for fact in self.facts}
        return frozenset(of_facts | {sentence.verdict for sentence in self.sentences})

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Self:
        """Rebuild what `dataclasses.asdict` wrote. Raises KeyError, TypeError or ValueError."""
        # JSON has lists for tuples, and spans are compared and hashed as tuples.
        corrected = fields["corrected"]
        return cls(
            tuple(
                JudgedFact(**{**one, "spans": _spans(one), "sentences": tuple(one["sentences"])})
                for one in fields["facts"]
            ),
            tuple(JudgedSentence(**{**one, "span": _span(one)}) for one in fields["sentences"]),
            None
            if corrected is None
            else Corrected(
                corrected["text"],
                tuple(JudgedEdit(**{**one, "span": _span(one)}) for one in corrected["edits"]),
            ),
        )


def read_report(report: Report) -> Judged:
    """Return the verdicts of a report."""
    correction = report.correction
    return Judged(
        tuple(
            JudgedFact(fact.spans, fact.sentences, fact.verdict, fact.probability)
            for fact in report.facts
        ),
        tuple(
            JudgedSentence((one.start, one.end), one.verdict, one.reason)
            for one in report.sentences
        ),
        None
        if correction is None
        else Corrected(
            correction.text,
            tuple(
                JudgedEdit((edit.start, edit.end), edit.before, edit.after, edit.action)
                for edit in correction.edits
                # These two name a sentence that was left as it is.
                if edit.action not in ("kept", "refused")
            ),
        ),
    )


def _spans(fields: Mapping[str, Any]) -> tuple[Span, ...]:
    return tuple((start, end) for start, end in fields["spans"])


def _span(fields: Mapping[str, Any]) -> Span:
    start, end = fields["span"]
    return start, end


# token_sort_ratio and not token_set_ratio: the latter gives 100 to any subset, such as "was born"
# and "was not born".
ALIKE: Final = 75.0
"""The least token_sort_ratio, of 100, of two joined and case-folded triples that pair."""


class Check(Protocol):
    """The part of `halubot.check` that is needed here."""

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
    each that is labelled and the verdicts, or, if extraction is measured, the triples found
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
    """A unit that people called right or wrong, with its score by a method: 0 to 1, None if it did
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
    """The report of a row. Raises InputError, naming the row, if it cannot be checked or the
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
    # Labels are joined to sentences by their place: one more or less would shift all that follow.
    if row.sentences is not None and len(report.sentences) != len(row.gold):
        raise InputError(
            f"{dataset}, row {row.id}: {method} returned {len(report.sentences)}"
            f" sentences for {len(row.gold)}"
        )
    return report


def scored_row(row: Row, report: Report) -> Scored:
    """Return the row with the scores, verdicts and marks of its report."""
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
    """The units of a row, in order; none if its label takes no side."""
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
    # Greedy, the most alike first: an assignment of the largest sum would tear apart an exact pair
    # to make two poor ones.
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
    """Return True if two spans share a character."""
    return a[0] < b[1] and b[0] < a[1]


def _likeness(a: Triple, b: Triple) -> float:
    return fuzz.token_sort_ratio(str(a).casefold(), str(b).casefold())


def pair_triples(found: Sequence[Triple], given: Sequence[Triple]) -> tuple[bool, ...]:
    """For each triple found, whether it pairs with a given one; best pairs first, and no triple
    pairs twice."""
    if not found or not given:
        return (False,) * len(found)
    # All pairs in one call of C: an answer with 100 claims makes 10,000 of them.
    likeness = process.cdist(
        [str(triple).casefold() for triple in found],
        [str(triple).casefold() for triple in given],
        scorer=fuzz.token_sort_ratio,
        score_cutoff=ALIKE,
        dtype=np.float64,
    )
    # Stable, so that among equal pairs the first one counts on every machine.
    order = np.argsort(-likeness, axis=None, kind="stable")
    taken: set[int] = set()
    pairs: set[int] = set()
    for at in order:
        i, j = divmod(int(at), len(given))
        if likeness[i, j] < ALIKE:
            break
        if i not in pairs and j not in taken:
            pairs.add(i)
            taken.add(j)
    return tuple(i in pairs for i in range(len(found)))
