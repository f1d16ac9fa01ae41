"""The verdicts of a report, as far as benchmarks count them: marks in the text, and a correction.

Other metrics order units by their scores. These figures count what a reader sees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from halubot.report import DOUBTED, Action, Report, Span, Verdict

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
                if edit.action not in ("kept", "refused")
            ),
        ),
    )


def _spans(fields: Mapping[str, Any]) -> tuple[Span, ...]:
    return tuple((start, end) for start, end in fields["spans"])


def _span(fields: Mapping[str, Any]) -> Span:
    start, end = fields["span"]
    return start, end
