"""The correction of a message while a person decides on it, edit by edit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self

from halubot.edits import apply_decisions, apply_edits, own_words
from halubot.render import captions
from halubot.render.items import Entry, causes
from halubot.report import (
    DOUBTED,
    Correction,
    Edit,
    Fact,
    Report,
    Sentence,
    Verdict,
)
from halubot_tui.correction_record import read_kept, to_kept
from halubot_tui.correction_words import describe_standing, name_text
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
        wrote in place of those in them, and sentences without an edit of which something is doubted
        or was not checked; with ``whole`` all other sentences without an edit too, and in any case
        the place ``at``."""
        chosen = {i for i in range(len(self.edits)) if self.state(i) != "over"}
        chosen |= {index for index, said in self.decisions.items() if isinstance(said, str)}
        told = {self.edits[index].sentence for index in chosen if index < len(self.edits)}
        for place, about in enumerate(self.causes()):
            number = self.sentence_at(place)
            left = number not in told and any(entry.verdict != "supported" for entry in about)
            # the sentence of an edit would stand twice: Enter on the edit writes it too
            if number is not None and (left or (whole and number not in self._edited_sentences)):
                chosen.add(place)
        if at is not None:
            chosen.add(at)
        known = [place for place in chosen if place < len(self.places)]
        return sorted(known, key=self.order)

    def order(self, index: int) -> tuple[int, int]:
        """Return what places are sorted by: the order of the text."""
        return self.places[index].end, index

    def place_of(self, entry: Entry) -> int | None:
        """The place to look at for what is listed: its edit, else its sentence; None if it stands
        nowhere."""
        found: int | None = None
        sentence = -1 if entry.sentence is None else entry.sentence.index
        if entry.fact is not None:
            sentence = entry.fact.sentences[0] if entry.fact.sentences else -1
            edited = (i for i, edit in enumerate(self.edits) if entry.fact.index in edit.facts)
            found = next(edited, None)
        if found is None and entry.verdict != "supported" and sentence >= 0:
            alike = (i for i, edit in enumerate(self.edits) if edit.sentence == sentence)
            found = next(alike, None)
        if found is not None and self.state(found) == "over":
            return len(self.edits) + self.edits[found].sentence
        if found is None and sentence >= 0:
            return len(self.edits) + sentence
        return found

    def beside(self, index: int) -> tuple[Entry, ...]:
        """What else is doubted or was not checked in the sentence of an edit that is proposed, and
        no edit tells of; told of the first edit of the sentence."""
        if self.sentence_at(index) is not None:
            return ()
        number = self.edits[index].sentence
        alike = (i for i, edit in enumerate(self.edits) if edit.sentence == number)
        sentence = len(self.edits) + number
        if not 0 <= number < len(self.report.sentences) or next(alike) != index:
            return ()
        return tuple(one for one in self.causes()[sentence] if one.verdict != "supported")

    @property
    def open(self) -> tuple[int, ...]:
        """The edits that are to be decided on."""
        return tuple(i for i in range(len(self.edits)) if self.state(i) == "open")

    @property
    def in_doubt(self) -> tuple[int, ...]:
        """The places in doubt for which no change is offered, and none was written."""
        causes = self.causes()
        return tuple(
            index
            for index in self.list_places()
            if self.state(index) in ("kept", "none")
            and any(entry.is_doubted for entry in (*causes[index], *self.beside(index)))
        )

    @property
    def unchecked(self) -> tuple[int, ...]:
        """The places of which something could not be checked, and nothing was written."""
        causes = self.causes()
        return tuple(
            index
            for index in self.list_places()
            if self.state(index) != "by hand"
            and any(
                entry.fact is not None and entry.verdict == "not_checked"
                for entry in (*causes[index], *self.beside(index))
            )
        )

    def next_left(self, after: int | None) -> int | None:
        """The next place that is open, in doubt without a change or not checked, in the order of
        the text; past the last one comes the first. None if there is none."""
        order = self.list_places()
        left = [i for i in order if i in {*self.open, *self.in_doubt, *self.unchecked}]
        if after is None or not left:
            return next(iter(left), None)
        at = self.order(after)
        return next((one for one in left if self.order(one) > at), left[0])

    def next_undecided(self, after: int | None = None) -> int | None:
        """The place to go on with after one: the next edit that is open, else the first; else the
        next place in doubt for which no change is offered, else the first. None if there is
        none."""
        own = None if after is None else self.sentence_at(after)
        at = -1 if after is None else self.places[after].end
        for left in (self.open, self.in_doubt):
            # a sentence that was written is not known to be while this is asked
            rest = [i for i in left if i != after and own != self.places[i].sentence]
            if rest:
                return next((one for one in rest if self.places[one].end > at), rest[0])
        return None

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

    def as_decided(self, low: int, high: int) -> str:
        """The text between two places with the edits in it that are not rejected: a person goes on
        from what is proposed."""
        inside: list[Edit] = []
        for index, edit in enumerate(self.edits):
            if not low <= edit.start <= edit.end <= high or self.state(index) == "left":
                continue
            start, end, after = edit.start, edit.end, edit.after
            decision = self.decisions.get(index)
            if isinstance(decision, str):
                (start, end), after = own_words(self.report, edit), decision.strip()
            moved = {"start": start - low, "end": end - low, "after": after}
            inside.append(edit.model_copy(update=moved))
        return apply_edits(self.report.text[low:high], inside)

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
    def _edited_sentences(self) -> set[int]:
        """The sentences with an edit in whose place the whole sentence can be written."""
        first = len(self.edits)
        return {
            edit.sentence
            for index, edit in enumerate(self.edits)
            if self.state(index) != "over" and 0 <= edit.sentence < len(self.places) - first
            if (place := self.places[first + edit.sentence]).start <= edit.start
            if edit.start < edit.end <= place.end
        }

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
        return self.as_decided(place.start, place.end).strip() or place.before

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
    def standing(self) -> str:
        """Return how far the text is corrected, in words: the changes that are made and not decided
        on, what is contradicted or doubtful still, and what could not be checked; "" if nothing was
        to be done."""
        states = [self.state(index) for index, _ in self._counting_places()]
        made = states.count("made") + states.count("by hand")
        changes, opened = len(states) - states.count("kept"), states.count("open")
        return describe_standing(made, changes, opened, self.left)

    @property
    def left(self) -> Counter[Verdict]:
        """Return how many facts are in doubt or not checked in the text as it was decided on, by
        their verdict: as it was checked again, else those of the text before of which nothing was
        changed and no change is open. In doubt may be sentences, too."""
        again = self.again if self.current else None
        if again is not None:
            return Counter(one.verdict for one in (*_find_doubts(again), *again.unchecked()))
        causes = self.causes()
        return Counter(
            entry.verdict
            for index in range(len(self.places))
            if self.state(index) in ("left", "kept", "none")
            for entry in causes[index]
            if entry.is_doubted or (entry.fact is not None and entry.verdict == "not_checked")
            if not self._is_in_own_sentence(index)
        )

    @property
    def text_name(self) -> str:
        """Return what the text is called as it was decided on: the corrected text only if nothing
        is left to decide on, and nothing is known to be in doubt."""
        return name_text(self.standing, changed=self.changes)

    def _is_in_own_sentence(self, index: int) -> bool:
        place = self.places[index]
        return any(
            self.places[one].start <= place.start and place.end <= self.places[one].end
            for one in self._own_sentences
        )

    @property
    def again(self) -> Report | None:
        """The report on the text as it was when it was checked again; None if it was not."""
        return self.outcome.correction.report if self.outcome and self.outcome.correction else None

    def figures(self) -> tuple[tuple[str, str, str], ...]:
        """The figures before and after, what is doubted and what could not be checked first; empty
        until the text as it was decided on was checked."""
        outcome, again = self.outcome, self.again
        if outcome is None or again is None:
            return ()
        rows = captions.before_and_after(outcome)
        counts = (str(len(_find_doubts(self.report))), str(len(_find_doubts(again))))
        unchecked = captions.VERDICTS["not_checked"]
        first = [row for row in rows if row[0] == unchecked and row[1:] != ("0", "0")]
        rest = [row for row in rows if row not in first]
        return ((f"{rows[0][0]} in doubt", *counts), *first, *rest)

    def to_record(self) -> dict[str, Any]:
        """The revision as it is kept in a session, without its decisions, which are kept one by
        one."""
        return {
            "proposed": to_kept(self.report.correction, self.report.sources),
            "outcome": to_kept(
                self.outcome.correction if self.outcome else None, self.report.sources
            ),
        }

    @classmethod
    def read(
        cls, report: Report, kept: Mapping[str, Any], decisions: dict[int, bool | str]
    ) -> Self:
        """The revision of a message that was kept. Raises ValueError for one that cannot be read,
        as a newer halubot may write."""
        proposed = read_kept(kept.get("proposed"), report.sources)
        if proposed is None or any(
            report.text[edit.start : edit.end] != edit.before for edit in proposed.edits
        ):
            raise ValueError("the correction is of another text")
        outcome = read_kept(kept.get("outcome"), report.sources)
        return cls(
            report.model_copy(update={"correction": proposed}),
            decisions,
            None if outcome is None else report.model_copy(update={"correction": outcome}),
        )


def _find_doubts(report: Report) -> Sequence[Fact | Sentence]:
    """The facts in doubt; the sentences of a report without facts."""
    return [one for one in report.facts or report.sentences if one.verdict in DOUBTED]
