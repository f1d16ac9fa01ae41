"""A message of a session: what was asked or given, what was heard of it since, and its report."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import Field

from halubot.events import (
    BROKE_OFF,
    Answered,
    AnswerToken,
    Done,
    Event,
    Progress,
    SampleDrawn,
    Started,
)
from halubot.fold import fold
from halubot.render.inert import crop, one_line
from halubot.render.items import Entry, listing
from halubot.report import DOUBTED, Frozen, Report, Source
from halubot.text import read
from halubot_tui.correction_words import describe_standing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from halubot.feedback import Word
    from halubot_tui.revision import Revision

Kind = Literal["ask", "check"]
State = Literal["waiting", "working", "done", "stopped", "failed"]

LONG: Final = 20_000
"""Characters of a text from which what is heard of it is folded on another thread."""
MANY: Final = 1500
"""Events from which it is."""
_LONGEST_TITLE: Final = 50


class Inputs(Frozen):
    """What a person typed or gave. ``text`` is the question of an ``ask``, the text to check of a
    ``check``; ``samples`` are texts, ``references`` texts or, as ``Path`` strings in ``files``,
    files and folders. ``names`` has for each sample the name of its file, "" for none; it is empty
    if no sample has one. ``settings`` are those that held when it was sent."""

    kind: Kind
    text: str
    question: str = ""
    context: str = ""
    samples: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    settings: dict[str, Any] = Field(default_factory=dict)

    @property
    def words(self) -> str:
        """Return what a search finds it by: what was asked, the text, and what it was compared
        with, but for files."""
        parts = (self.question, self.text, *self.samples, *self.references)
        return "\n".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Folded:
    """The fold of the first ``events`` of a log: the report, the same with the person's
    ``words`` on it, and what is listed of that."""

    events: int
    words: tuple[Word, ...]
    report: Report
    heeded: Report
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Corrected:
    """A text as a person corrected it: the ``edits`` that were made in the text before, each with
    its start, its end and the words put in; and how many facts were in doubt before and are now
    (what is counted, before, after), None if it was not checked since; ``unchecked`` is how many
    facts could not be checked. ``standing`` says how far it is corrected, in words. ``again`` is
    the report on it, of a session that was opened again as it is kept; None if there is none."""

    text: str
    edits: Sequence[tuple[int, int, str]]
    doubted: tuple[str, str, str] | None
    standing: str
    unchecked: int = 0
    again: Report | Mapping[str, Any] | None = None
    sources: tuple[Source, ...] = ()
    """The sources of a report that is kept without them."""

    def find_doubts(self) -> tuple[Report, tuple[Entry, ...]] | None:
        """The report on it, and what is in doubt still; None if it was not checked since, or that
        cannot be read."""
        from halubot_tui.correction_record import whole

        again = self.again
        if again is None or self.doubted is None:
            return None
        try:
            report = again if isinstance(again, Report) else whole(again, self.sources)
        except ValueError:
            return None
        return report, tuple(entry for entry in list_entries(report) if entry.is_doubted)

    def new_words(self, before: str) -> Iterator[tuple[int, int]]:
        """Yield the places of the words that were put into the text ``before``; none if they cannot
        be told."""
        found: list[tuple[int, int]] = []
        pieces: list[str] = []
        done = at = 0
        for start, end, after in self.edits:
            if start < done:
                return
            at += start - done
            if after != before[start:end]:
                found.append((at, at + len(after)))
            pieces += before[done:start], after
            at += len(after)
            done = end
        if "".join([*pieces, before[done:]]) == self.text:
            yield from (one for one in found if one[0] < one[1])


@dataclass(slots=True)
class Turn:
    """One message. Changed on the drawing loop alone."""

    id: str
    inputs: Inputs
    state: State = "waiting"
    failure: str | None = None
    decisions: dict[int, bool | str] = field(default_factory=dict)
    """Of the edits of the correction: made, refused, or written by hand."""
    revision: Revision | None = None
    """The correction, once one was made or what is kept of it was read."""
    compared: dict[str, Report] = field(default_factory=dict)
    """The reports of other methods on the same message."""
    proposed: dict[str, Any] | None = None
    """The correction as it was kept, until it is read."""
    noted: list[dict[str, Any]] = field(default_factory=list)
    """What else was kept of it, until it is read."""
    place: tuple[int, int] | None = None
    """The session and the entry that it is kept as."""
    run: int | None = None
    """Where its events are kept."""
    outlined: bool = False
    """Whether only the outline of its report was read yet."""
    recalled: bool = False
    """Whether it was looked up what is kept of it."""
    most_calls: int | None = None
    """Calls that may be made for it; None without a limit, as ``most_cost``, in dollars."""
    most_cost: float | None = None
    log: list[Event] = field(default_factory=list)
    words: tuple[Word, ...] = ()
    """What the person said of its facts."""
    late: bool = False
    """Whether more was heard than its report tells yet."""
    _report: Report | None = None
    _heeded: Report | None = None
    _entries: tuple[Entry, ...] | None = None
    _decided: tuple[int, int, Revision | None] | None = None

    @classmethod
    def of(cls, id: str, inputs: Inputs, events: Iterable[Event]) -> Turn:
        """A message with all that was heard of it before."""
        turn = cls(id, inputs)
        turn.hear(events)
        return turn

    def decide(self, decisions: Mapping[str, Any]) -> None:
        """Takes over decisions as they were kept: by the number of an edit, made, refused, or
        what was written by hand; None of one that is open again."""
        for number, decision in decisions.items():
            if number.isdigit() and isinstance(decision, (bool, str)):
                self.decisions[int(number)] = decision
            elif number.isdigit():
                self.decisions.pop(int(number), None)

    def recall(
        self,
        report: Report | None,
        *,
        whole: bool = True,
        entries: tuple[Entry, ...] | None = None,
    ) -> None:
        """Takes over the report that was kept, ``whole`` or an outline without the texts of its
        sources, unless something was heard since; None if nothing is kept. ``entries`` are what
        is listed of it, if that was found out already."""
        self.recalled = True
        if not self.log and report is not None:
            self._report, self._heeded, self._entries = report, None, None
            if not self.words:
                self._entries = entries
            self.outlined = not whole

    def rest(self) -> None:
        """Lets go of what can be looked up again, if the message is not looked at."""
        if self.run is not None and self.state == "done":
            self.log.clear()
            self.late = False
            self._report, self._heeded, self._entries = None, None, None
            self.recalled = False

    def follow(self, run: int, events: Iterable[Event]) -> None:
        """Takes over all that was kept so far of a check that another app makes."""
        self.run, self.log[:] = run, events
        self._report = self._heeded = self._entries = None
        self.late = False
        self.recalled, self.outlined, self.state = True, False, "working"
        for event in self.log:
            if isinstance(event, Done):
                self.state = "stopped" if event.outcome == "cancelled" else "done"
                if event.outcome == "failed":
                    self.state, self.failure = "failed", event.why

    def hear(self, events: Iterable[Event]) -> None:
        """Take in the events since then. Of a long log the report stays as it was (`late`) until it
        is folded anew elsewhere (`fold_aside`, `take`): that takes too long between two keys."""
        before = len(self.log)
        self.log.extend(events)
        if len(self.log) > before and self._is_long:
            self.late = True
        elif len(self.log) > before:
            self._report = self._heeded = self._entries = None

    @property
    def _is_long(self) -> bool:
        return len(self.inputs.text) > LONG or len(self.log) > MANY

    def fold_aside(self) -> Callable[[], Folded]:
        """Work for another thread: folds the log as it is now, to be taken over (`take`)."""
        log, words = tuple(self.log), self.words

        def work() -> Folded:
            report = fold(log)
            heeded = _apply(report, words)
            return Folded(len(log), words, report, heeded, list_entries(heeded))

        return work

    def take(self, folded: Folded) -> None:
        """Takes over what was folded, unless that was given up meanwhile."""
        if self.late and folded.events <= len(self.log):
            self._report, self._entries = folded.report, folded.entries
            self._heeded = folded.heeded if folded.words else None
            self.late = folded.events < len(self.log)
            if folded.words != self.words:
                self._heeded = self._entries = None
            if not self.late and self.state == "done" and self.run is not None:
                self.log.clear()  # the report tells all of it, and the store keeps it
                self.recalled = True

    def heed(self, words: Iterable[Word]) -> None:
        """Takes over what the person said of facts; of words on other texts nothing comes."""
        self.words = tuple(words)
        self._heeded = self._entries = None

    @property
    def title(self) -> str:
        """The message in a few words, without marks of Markdown."""
        begun = (self.inputs.question or self.inputs.text).strip()[: 4 * _LONGEST_TITLE]
        words = one_line(" ".join(read(begun).plain.split()))
        return crop(words, _LONGEST_TITLE) or "the text"

    @property
    def unread(self) -> bool:
        """Return whether there may be something kept of it that was not looked up yet."""
        return self.run is not None and not self.recalled and not self.log

    @property
    def current_report(self) -> Report | None:
        """Return what was found until now; None until the work has begun."""
        if self._report is None and self.log and not self.late and _is_begun(self.log):
            self._report = fold(self.log)
        return self._report

    @property
    def report(self) -> Report | None:
        """Return what was found until now, with the person's own words on it, which win."""
        judged = self.current_report
        if judged is None or not self.words:
            return judged
        if self._heeded is None:
            self._heeded = _apply(judged, self.words)
        return self._heeded

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Return what is listed of it: facts, and sentences that speak for themselves."""
        if self._entries is None:
            self._entries = list_entries(self.report) if self.report is not None else ()
        return self._entries

    @property
    def first_doubted(self) -> int | None:
        """The number of the first entry in the text that is doubted; None if none is."""
        return next((entry.number for entry in self.entries if entry.is_doubted), None)

    def entry(self, number: int | None) -> Entry | None:
        """Return what is listed under this number."""
        return next((entry for entry in self.entries if entry.number == number), None)

    @property
    def half_read(self) -> bool:
        """Return whether more is kept of its report than was read yet."""
        return self.run is not None and (self.outlined or self.current_report is None)

    @property
    def answer(self) -> str:
        """The text that is checked, as far as it is known."""
        report = self.report
        if report is not None:
            return report.text
        return self.inputs.text if self.inputs.kind == "check" else ""

    @property
    def corrected_text(self) -> Corrected | None:
        """The text as a person corrected it; None if nothing was changed. Of a session that was
        opened again it is the text as it was decided on; of a long one the text that was checked
        again, until the decisions are read."""
        revision = self.revision or self._read_decided()
        if revision is not None:
            made = revision.decided_text
            if made.text == revision.report.text:
                return None
            rows = revision.figures() if revision.current else ()
            edits = [(edit.start, edit.end, edit.after) for edit in made.edits]
            row = rows[0] if rows else None
            unchecked = revision.left["not_checked"]
            standing, found = revision.standing, revision.again
            return Corrected(made.text, edits, row, standing, unchecked, found)
        kept: Any = (self.proposed or {}).get("outcome")
        text = kept.get("text") if isinstance(kept, dict) else None
        report = self.report
        if not isinstance(text, str) or report is None or text == report.text:
            return None
        try:
            edits = [
                (int(one["start"]), int(one["end"]), str(one["after"])) for one in kept["edits"]
            ]
        except (KeyError, TypeError, ValueError):
            edits = []
        again: Any = kept.get("report") or {}
        what = "facts" if report.facts else "sentences"
        verdicts = [one.get("verdict") for one in again.get(what) or () if isinstance(one, dict)]
        before = sum(one.verdict in DOUBTED for one in report.facts or report.sentences)
        after = sum(one in DOUBTED for one in verdicts)
        row = (f"{what} in doubt", str(before), str(after)) if verdicts else None
        left = Counter(verdicts)
        if not report.facts:
            del left["not_checked"]  # a sentence that states no fact needs no reader
        return Corrected(
            text,
            edits,
            row,
            self._kept_standing(left),
            left["not_checked"],
            again or None,
            report.sources,
        )

    def _read_decided(self) -> Revision | None:
        """Return the correction as it was kept and decided on, of a report that may be an outline;
        None if nothing was decided, or the text is so long that this would take too much time."""
        from halubot_tui.revision import Revision

        report, kept = self.current_report, self.proposed
        if not self.decisions or not kept or report is None or len(report.text) > LONG:
            return None
        if self._decided is None or self._decided[:2] != (id(report), id(kept)):
            try:
                found: Revision | None = Revision.read(report, kept, self.decisions)
            except ValueError:
                found = None
            self._decided = id(report), id(kept), found
        return self._decided[2]

    def _kept_standing(self, left: Mapping[Any, int]) -> str:
        """Describe how far a text is corrected whose correction is not read yet; ``left`` counts
        the verdicts of the corrected text."""
        proposed: Any = (self.proposed or {}).get("proposed") or {}
        edits = [one for one in proposed.get("edits") or () if isinstance(one, dict)]
        own = {at - len(edits) for at, said in self.decisions.items() if isinstance(said, str)}
        offered = {
            at
            for at, edit in enumerate(edits)
            if edit.get("before") != edit.get("after") and edit.get("sentence") not in own
        }
        written = {at for at, said in self.decisions.items() if isinstance(said, str)}
        made = written | {at for at in offered if self.decisions.get(at)}
        opened = offered - self.decisions.keys()
        return describe_standing(len(made), len(offered | written), len(opened), left)

    @property
    def streaming(self) -> bool:
        """Return whether an answer is being written."""
        if self.state != "working" or self.inputs.kind != "ask":
            return False
        return not any(isinstance(event, Answered) for event in reversed(self.log))

    @property
    def broken_off(self) -> bool:
        """Return whether its answer is not whole: the model died in its midst, or it was
        stopped."""
        report = self.report
        if self.running or self.inputs.kind != "ask" or report is None or not report.text:
            return False
        return not report.sentences or any(one.what == BROKE_OFF for one in report.problems)

    @property
    def begin_again(self) -> str:
        """Return what begins it again once it was stopped: an answer is asked for until one is
        there whole."""
        asks = self.inputs.kind == "ask" and not (self.report and self.report.sentences)
        return "F5 asks again" if asks else "F5 checks it again"

    @property
    def doing(self) -> str:
        """Return what is being done, in words."""
        for event in reversed(self.log):
            match event:
                case Progress():
                    return (
                        f"{event.what}, {event.done} of {event.of}" if event.of > 1 else event.what
                    )
                case SampleDrawn():
                    drawn = sum(isinstance(one, SampleDrawn) for one in self.log)
                    return f"drawing other answers, {drawn} of {event.of}"
                case AnswerToken():
                    return "answering"
                case _:
                    continue
        return "answering" if self.inputs.kind == "ask" else "reading"

    @property
    def running(self) -> bool:
        """Return whether work on it is under way."""
        return self.state in ("waiting", "working")


def list_entries(report: Report) -> tuple[Entry, ...]:
    """Return what is listed of a report, numbered in the order of the text: who reads on comes to 2
    after
    1. What stands at the same place comes in the order of its doubt."""
    found = sorted(listing(report), key=_place_of)
    return tuple(replace(entry, number=number) for number, entry in enumerate(found, start=1))


def _is_begun(log: Sequence[Event]) -> bool:
    return isinstance(log[0], Started)


def _apply(report: Report, words: tuple[Word, ...]) -> Report:
    """The report with the person's own words on it, which win."""
    if not words:
        return report
    from halubot.feedback import apply_words

    return apply_words(report, words)


def _place_of(entry: Entry) -> tuple[int, int]:
    """Return the place of an entry's sign in the text: behind the fact's value, if that is
    known."""
    tail = entry.fact.parts.tail if entry.fact is not None and entry.fact.parts else None
    spans = [tail] if tail is not None else entry.spans
    return max((end for _, end in spans), default=sys.maxsize), entry.number


def options_of(inputs: Inputs) -> Mapping[str, Any]:
    """The options of `halubot.start` for these inputs, their settings left out."""
    from halubot.evidence import text_source

    references = [*inputs.references, *(Path(file) for file in inputs.files)]
    samples: list[str | Source] = [*inputs.samples]
    for place, name in enumerate(inputs.names[: len(samples)]):
        if name:
            samples[place] = text_source(inputs.samples[place], "sample", place + 1, title=name)
    return {
        "question": inputs.question or None,
        "context": inputs.context or None,
        "samples": samples,
        "references": references,
    }
