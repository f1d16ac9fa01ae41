"""The correction of a message while a person decides on it, edit by edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self

from pydantic import ValidationError

from halubot.edits import apply_decisions, apply_edits, own_words
from halubot.render import captions
from halubot.render.items import Entry, causes
from halubot.report import DOUBTED, Correction, Edit, Fact, Report, Sentence, Source
from halubot_tui.turns import list_entries

State = Literal["open", "made", "left", "by hand", "kept", "none", "over"]

STATES: Final[Mapping[State, str]] = {
    "open": "open",
    "made": "accepted",
    "left": "rejected",
    "by hand": "edited",
    "kept": "not corrected",
    "none": "no change offered",
    "over": "part of your sentence",
}
"""What a place is called, as the keys are: open, accepted, rejected, edited; or of which there is
nothing to decide: an edit that left its sentence as it is, a sentence for which no edit is
proposed, an edit in a sentence that a person wrote."""


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
    places by their index that they are made or not, or what a person wrote there; ``outcome`` is
    the report with the correction as it was decided on when it was checked again.

    A place is an edit that is proposed, or a sentence, which a person may write anew: the indexes
    of the edits come first, as they are kept in sessions, those of the sentences after them.
    """

    report: Report
    decisions: dict[int, bool | str] = field(default_factory=dict)
    outcome: Report | None = None
    _places: tuple[Edit, ...] = field(default=(), init=False, repr=False, compare=False)
    _causes: list[tuple[Entry, ...]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits that are proposed, in the order of the text."""
        return self.report.correction.edits if self.report.correction else ()

    @property
    def places(self) -> tuple[Edit, ...]:
        """The edits that are proposed, then for each sentence one that changes nothing."""
        if not self._places:
            text = self.report.text
            own = (
                Edit(
                    sentence=one.index,
                    start=one.start,
                    end=one.end,
                    before=text[one.start : one.end],
                    after=text[one.start : one.end],
                    facts=tuple(sorted(one.facts)),
                    action="kept",
                )
                for one in self.report.sentences
            )
            self._places = (*self.edits, *own)
        return self._places

    def sentence_at(self, index: int) -> int | None:
        """The number of the sentence that a place is; None of an edit that is proposed."""
        return index - len(self.edits) if index >= len(self.edits) else None

    def state(self, index: int) -> State:
        """Return how it stands with a place."""
        decision = self.decisions.get(index)
        if self.sentence_at(index) is not None:
            return "by hand" if isinstance(decision, str) else "none"
        if self._is_overwritten(index):
            return "over"
        if isinstance(decision, str):
            return "by hand"
        edit = self.edits[index]
        if edit.before == edit.after:
            return "kept"
        return "open" if decision is None else "made" if decision else "left"

    def list_places(self, *, whole: bool = False, at: int | None = None) -> list[int]:
        """The places to be looked at, in the order of the text: the edits, sentences that a person
        wrote, and those of which something is doubted or was not checked and no edit tells of it;
        with ``whole`` all sentences, and in any case the place ``at``."""
        chosen = set(range(len(self.edits)))
        chosen |= {index for index, said in self.decisions.items() if isinstance(said, str)}
        for index, about in enumerate(self.causes()):
            left = any(entry.verdict != "supported" for entry in about)
            if self.sentence_at(index) is not None and (whole or left):
                chosen.add(index)
        if at is not None:
            chosen.add(at)
        known = [index for index in chosen if index < len(self.places)]
        return sorted(known, key=lambda index: (self.places[index].end, index))

    def place_of(self, entry: Entry) -> int | None:
        """The place to look at for what is listed: its edit, else its sentence; None if it stands
        nowhere."""
        if entry.fact is not None:
            for index, edit in enumerate(self.edits):
                if entry.fact.index in edit.facts:
                    return index
            return len(self.edits) + entry.fact.sentences[0] if entry.fact.sentences else None
        return None if entry.sentence is None else len(self.edits) + entry.sentence.index

    @property
    def open(self) -> tuple[int, ...]:
        """The edits that are to be decided on."""
        return tuple(i for i in range(len(self.edits)) if self.state(i) == "open")

    @property
    def is_settled(self) -> bool:
        """Return whether there is nothing to decide, and nothing was decided."""
        written = any(self.state(index) == "by hand" for index in self._decided_places)
        return not written and all(self.state(index) == "kept" for index in range(len(self.edits)))

    @property
    def decided_text(self) -> Correction:
        """The text as it was decided on; edits that are open are not made."""
        standing = self._counting_places()
        edits = tuple(edit for _, edit in standing)
        correction = Correction(text=self.report.text, edits=edits)
        told = {
            number: self.decisions[index]
            for number, (index, _) in enumerate(standing)
            if index in self.decisions
        }
        return apply_decisions(self.report.model_copy(update={"correction": correction}), told)

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
        """The words that a place is about as they stand, and those that a person begins with who
        writes it by hand: of a sentence those that stand there as it was decided on."""
        edit = self.places[index]
        start, end = own_words(self.report, edit)
        before = self.report.text[start:end]
        decision = self.decisions.get(index)
        if isinstance(decision, str):
            return before, decision
        if self.sentence_at(index) is not None:
            return before, self._sentence_now(edit)
        return before, edit.after.strip() or before

    def causes(self) -> list[tuple[Entry, ...]]:
        """For each place the entries that it is about: for a sentence those of which no edit
        tells."""
        if not self._causes:
            entries = list_entries(self.report)
            of_edits = causes(self.edits, entries)
            told = {entry.number for about in of_edits for entry in about}
            touched = {edit.sentence for edit in self.edits}
            own: dict[int, list[Entry]] = {}
            for entry in entries:
                if entry.number in told:
                    continue
                if entry.fact is not None:
                    for sentence in entry.fact.sentences[:1]:
                        own.setdefault(sentence, []).append(entry)
                elif entry.sentence is not None and entry.sentence.index not in touched:
                    own.setdefault(entry.sentence.index, []).append(entry)
            rest = [tuple(own.get(one.index, ())) for one in self.report.sentences]
            self._causes = [*of_edits, *rest]
        return self._causes

    @property
    def _decided_places(self) -> list[int]:
        """The places of which something was decided."""
        return [index for index in self.decisions if index < len(self.places)]

    @property
    def _own_sentences(self) -> list[int]:
        """The sentences that a person wrote."""
        first = len(self.edits)
        return sorted(
            index
            for index in self._decided_places
            if index >= first and self.state(index) == "by hand"
        )

    def _is_overwritten(self, index: int) -> bool:
        """Return whether a person wrote the sentence in which an edit that is proposed stands."""
        edit = self.edits[index]
        return any(
            edit.start < self.places[one].end and self.places[one].start < edit.end
            if edit.start < edit.end
            else self.places[one].start <= edit.start <= self.places[one].end
            for one in self._own_sentences
        )

    def _counting_places(self, at: int | None = None) -> list[tuple[int, Edit]]:
        """The places that count, each with its index, in the order of the text: the edits, and
        sentences that a person wrote, which overrule the edits in them; the sentence ``at`` too,
        if no edit is in it."""
        kept = [i for i in range(len(self.edits)) if not self._is_overwritten(i)]
        chosen = [(index, self.places[index]) for index in (*kept, *self._own_sentences)]
        if at is not None and self.state(at) == "none":
            looked = self.places[at]
            if not any(one.start <= looked.end and looked.start <= one.end for _, one in chosen):
                chosen.append((at, looked))
        return sorted(chosen, key=lambda one: (one[1].start, one[1].end))

    def _sentence_now(self, place: Edit) -> str:
        """A sentence with the edits in it that are not rejected: a person goes on from what is
        proposed."""
        inside = [
            edit
            for index, edit in enumerate(self.edits)
            if place.start <= edit.start and edit.end <= place.end and self.state(index) != "left"
        ]
        moved = [
            edit.model_copy(
                update={"start": edit.start - place.start, "end": edit.end - place.start}
            )
            for edit in inside
        ]
        return apply_edits(place.before, moved).strip() or place.before

    def pieces(self, at: int | None = None) -> Iterator[Piece]:
        """The whole text in stretches; the sentence ``at`` is one of its own."""
        text, done = self.report.text, 0
        for index, edit in self._counting_places(at):
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
        """Return how many changes are in which state, in words, "3 changes: 1 accepted, 2 open",
        and how many doubted places stay."""
        states = [self.state(index) for index, _ in self._counting_places()]
        counted = [
            f"{states.count(state)} {STATES[state]}"
            for state in STATES
            if state != "kept" and states.count(state)
        ]
        kept = states.count("kept")
        changes = captions.number(len(states) - kept, "change")
        said = f"{changes}: {', '.join(counted)}" if counted else changes
        stay = captions.number(kept, "doubted place stays", "doubted places stay")
        return f"{said}; {stay} as written" if kept else said

    @property
    def again(self) -> Report | None:
        """The report on the text as it was when it was checked again; None if it was not."""
        return self.outcome.correction.report if self.outcome and self.outcome.correction else None

    def figures(self) -> tuple[tuple[str, str, str], ...]:
        """The figures before and after, what is doubted first; empty until the text as it was
        decided on was checked."""
        outcome, again = self.outcome, self.again
        if outcome is None or again is None:
            return ()
        rows = captions.before_and_after(outcome)
        counts = (str(len(_find_doubts(self.report))), str(len(_find_doubts(again))))
        return ((f"{rows[0][0]} in doubt", *counts), *rows)

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


def _find_doubts(report: Report) -> Sequence[Fact | Sentence]:
    """The facts in doubt; the sentences of a report without facts."""
    return [one for one in report.facts or report.sentences if one.verdict in DOUBTED]
