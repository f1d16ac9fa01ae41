"""The correction of a message while a person decides on it, edit by edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self

from pydantic import ValidationError

from halubot.edits import apply_decisions, own_words
from halubot.render import captions
from halubot.render.items import Entry, causes
from halubot.report import Correction, Edit, Report, Source
from halubot_tui.turns import list_entries

State = Literal["open", "made", "left", "by hand", "kept"]

STATES: Final[Mapping[State, str]] = {
    "open": "open",
    "made": "accepted",
    "left": "rejected",
    "by hand": "edited",
    "kept": "not corrected",
}
"""What an edit is called, as the keys are: open, accepted, rejected, edited; or one that left its
sentence as it is, of which there is nothing to decide."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text: ``before``, and what stands in its place if ``edit`` (its index) is
    made: the person's words if they wrote some."""

    before: str
    after: str
    edit: int | None = None
    state: State | None = None


@dataclass(slots=True)
class Revision:
    """``report`` is the message's own, with the correction that is proposed; ``decisions`` say of
    edits by their index that they are made or not, or what a person wrote in their place;
    ``outcome`` is the report with the correction as it was decided on when it was checked again."""

    report: Report
    decisions: dict[int, bool | str] = field(default_factory=dict)
    outcome: Report | None = None

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits that are proposed, in the order of the text."""
        return self.report.correction.edits if self.report.correction else ()

    def state(self, index: int) -> State:
        """Return how it stands with an edit."""
        decision = self.decisions.get(index)
        if isinstance(decision, str):
            return "by hand"
        edit = self.edits[index]
        if edit.before == edit.after:
            return "kept"
        return "open" if decision is None else "made" if decision else "left"

    @property
    def open(self) -> tuple[int, ...]:
        """The edits that are to be decided on."""
        return tuple(i for i in range(len(self.edits)) if self.state(i) == "open")

    @property
    def is_settled(self) -> bool:
        """Return whether there are edits, and nothing to decide of any."""
        return bool(self.edits) and all(
            self.state(index) == "kept" for index in range(len(self.edits))
        )

    @property
    def decided_text(self) -> Correction:
        """The text as it was decided on; edits that are open are not made."""
        return apply_decisions(self.report, self.decisions)

    @property
    def changes(self) -> bool:
        """Return whether the text as it was decided on is another one."""
        return any(edit.before != edit.after for edit in self.decided_text.edits)

    @property
    def current(self) -> bool:
        """Return whether the outcome is that of the decisions as they stand."""
        outcome = self.outcome.correction if self.outcome else None
        return outcome is not None and outcome.text == self.decided_text.text

    def accepting(self) -> dict[int, bool | str]:
        """The decisions that make all edits which are open."""
        return dict.fromkeys(self.open, True)

    def words_of(self, index: int) -> tuple[str, str]:
        """The words that an edit is about as they stand, and those that a person begins with who
        writes it by hand."""
        edit = self.edits[index]
        start, end = own_words(self.report, edit)
        before = self.report.text[start:end]
        decision = self.decisions.get(index)
        if isinstance(decision, str):
            return before, decision
        return before, edit.after.strip() or before

    def causes(self) -> list[tuple[Entry, ...]]:
        """For each edit the entries that it is about."""
        return causes(self.edits, list_entries(self.report))

    def pieces(self) -> Iterator[Piece]:
        """The whole text in stretches."""
        text, done = self.report.text, 0
        for index, edit in enumerate(self.edits):
            if edit.start < done or text[edit.start : edit.end] != edit.before:
                continue
            if edit.start > done:
                yield Piece(text[done : edit.start], text[done : edit.start])
            decision = self.decisions.get(index)
            if isinstance(decision, str):
                decision = decision.strip()
            if isinstance(decision, str) and edit.before:
                start, end = own_words(self.report, edit)
                yield Piece(text[edit.start : start], text[edit.start : start])
                yield Piece(text[start:end], decision, index, "by hand")
                yield Piece(text[end : edit.end], text[end : edit.end])
            elif isinstance(decision, str):
                lead = edit.after[: len(edit.after) - len(edit.after.lstrip())]
                yield Piece("", lead + decision if decision else "", index, "by hand")
            else:
                yield Piece(edit.before, edit.after, index, self.state(index))
            done = edit.end
        if done < len(text):
            yield Piece(text[done:], text[done:])

    def tally(self) -> str:
        """Return how many edits are in which state, in words: "3 changes: 1 accepted, 2 open"."""
        states = [self.state(index) for index in range(len(self.edits))]
        counted = [
            f"{states.count(state)} {STATES[state]}" for state in STATES if states.count(state)
        ]
        changes = captions.number(len(states) - states.count("kept"), "change")
        return f"{changes}: {', '.join(counted)}" if counted else changes

    def figures(self) -> tuple[tuple[str, str, str], ...]:
        """The figures before and after, the doubt of the whole message first; empty until the text
        as it was decided on was checked."""
        outcome = self.outcome
        again = outcome.correction.report if outcome and outcome.correction else None
        if outcome is None or again is None:
            return ()
        scores = (_score(self.report), _score(again))
        return (("doubt of the message", *scores), *captions.before_and_after(outcome))

    def to_record(self) -> dict[str, Any]:
        """The revision as it is kept in a session, without its decisions, which are kept one by
        one."""
        return {
            "proposed": _find_kept(self.report.correction, self.report.sources),
            "outcome": _find_kept(
                self.outcome.correction if self.outcome else None, self.report.sources
            ),
        }

    @classmethod
    def read(
        cls, report: Report, kept: Mapping[str, Any], decisions: dict[int, bool | str]
    ) -> Self:
        """The revision of a message that was kept. Raises ValueError for one that cannot be read,
        as a newer halubot may write."""
        proposed = _read(kept.get("proposed"), report.sources)
        if proposed is None or any(
            report.text[edit.start : edit.end] != edit.before for edit in proposed.edits
        ):
            raise ValueError("the correction is of another text")
        outcome = _read(kept.get("outcome"), report.sources)
        return cls(
            report.model_copy(update={"correction": proposed}),
            decisions,
            None if outcome is None else report.model_copy(update={"correction": outcome}),
        )


def bare(report: Report, sources: tuple[Source, ...]) -> dict[str, Any]:
    """A report as it is kept beside another with the same sources: without them."""
    data: dict[str, Any] = report.model_dump(mode="json", by_alias=True)
    if report.sources == sources:
        data["sources"] = None
    return data


def whole(data: Mapping[str, Any], sources: tuple[Source, ...]) -> Report:
    """The report that was kept without its sources. Raises ValueError if it cannot be read."""
    try:
        if data.get("sources") is None:
            report = Report.model_validate({**data, "sources": []})
            return report.model_copy(update={"sources": sources})
        return Report.model_validate(data)
    except ValidationError as error:
        raise ValueError(str(error)) from error


def _find_kept(correction: Correction | None, sources: tuple[Source, ...]) -> dict[str, Any] | None:
    if correction is None:
        return None
    data: dict[str, Any] = correction.model_dump(mode="json", exclude={"report"})
    if correction.report is not None:
        data["report"] = bare(correction.report, sources)
    return data


def _read(data: Any, sources: tuple[Source, ...]) -> Correction | None:
    if not isinstance(data, Mapping):
        return None
    again = data.get("report")
    try:
        correction = Correction.model_validate({**data, "report": None})
    except ValidationError as error:
        raise ValueError(str(error)) from error
    report = whole(again, sources) if isinstance(again, Mapping) else None
    return correction.model_copy(update={"report": report})


def _score(report: Report) -> str:
    return "-" if report.score is None else f"{report.score:.2f}"
