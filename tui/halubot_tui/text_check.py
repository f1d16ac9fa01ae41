"""One check of a session: the question or text that was given, what was heard of it, its report."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeVar, cast

from pydantic import Field

from halubot.correction.suggestions import Beside, doubted_place, sentence_at
from halubot.events import (
    BROKE_OFF,
    FAILED,
    Answered,
    AnswerToken,
    Done,
    Event,
    FactJudged,
    FactsExtracted,
    Progress,
    SampleDrawn,
    Started,
    fold,
)
from halubot.render.captions import VERDICTS
from halubot.render.inert import crop, one_line
from halubot.render.items import Entry, listing
from halubot.report import Frozen, Report, Source, Threshold
from halubot.text import read
from halubot.verdicts import DOUBTED
from halubot.version import __version__
from halubot_tui.corrections import (
    Change,
    Corrections,
    Handling,
    entry_key,
    replacement,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence, Set

    from halubot.feedback import Word
    from halubot.report import Span
    from halubot.state.recorder import Recording
    from halubot.verdicts import Verdict

Found = TypeVar("Found")
Kind = Literal["ask", "check"]
State = Literal["working", "done", "stopped", "failed"]

LONG: Final = 20_000
"""Characters of a text from which it is folded and laid out on another thread."""
MANY_EVENTS: Final = 1500
"""Events from which a log is folded on another thread."""
LONGEST_TITLE: Final = 48


class Inputs(Frozen):
    """What a person typed or gave.

    ``text`` is the question of an ``ask`` and the text of a ``check``. ``samples`` and
    ``references`` are texts, ``files`` paths of files and folders; ``names`` has the file name of
    each sample, "" for none, and is empty if no sample has one. ``file`` is the path the text was
    read from. ``version_of`` is the entry of the check whose corrected text this is, 0 for none.
    ``settings`` are those that held when it was sent.
    """

    kind: Kind
    text: str
    question: str = ""
    context: str = ""
    samples: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    web: tuple[str, ...] = ()
    file: str = ""
    version_of: int = 0
    settings: dict[str, Any] = Field(default_factory=dict)

    @property
    def words(self) -> str:
        """The words that a search finds it by."""
        parts = (self.question, self.text, *self.samples, *self.references)
        return "\n".join(part for part in parts if part)

    @property
    def title(self) -> str:
        """The question, or the first words of the text, on one line without Markdown."""
        return title_of(self.question or self.text) or "the text"

    def options(self) -> dict[str, Any]:
        """The options of `halubot.start` for these inputs, without their settings."""
        from halubot.evidence import text_source

        samples: list[str | Source] = [*self.samples]
        for place, name in enumerate(self.names[: len(samples)]):
            if name:
                samples[place] = text_source(self.samples[place], "sample", place + 1, title=name)
        return {
            "question": self.question or None,
            "context": self.context or None,
            "samples": samples,
            "references": [*self.references, *map(Path, self.files)],
            "knowledge": list(self.knowledge),
            **({"web": list(self.web)} if self.web else {}),
        }


def title_of(text: str) -> str:
    """The first words of a text on one line, without Markdown; "" for a blank text."""
    begun = text.strip()[: 4 * LONGEST_TITLE]
    return crop(one_line(" ".join(read(begun).plain.split())), LONGEST_TITLE)


@dataclass(frozen=True, slots=True)
class Folded:
    """The fold of the first ``events`` of a log: the report as it was ``found``, the same with the
    verdicts that a person disagreed with replaced, and its entries, numbered as on the command
    line, also by their keys."""

    events: int
    found: Report
    report: Report
    entries: tuple[Entry, ...]
    listed: Sequence[Entry]
    """The entries as they are listed as long as nothing else is known of them."""
    by_key: Mapping[str, Entry]
    marked: Mapping[str, Span]
    """The words in doubt of doubted entries, by their keys."""

    @classmethod
    def of(cls, found: Report, words: Sequence[Word] = (), events: int = 0) -> Self:
        """Apply what a person said of a report's facts, and list them."""
        report = found
        if words:
            from halubot.feedback import apply_words

            report = apply_words(found, words)
        entries = listing(report)
        by_key = {entry_key(one): one for one in entries}
        doubts = {entry_key(one): doubted_place(report, one) for one in entries if one.is_doubted}
        marked = {key: place for key, place in doubts.items() if place is not None}
        listed = _in_order(entries, lambda one: one.is_suspect)
        return cls(events, found, report, entries, listed, by_key, marked)


@dataclass(slots=True)
class WorkProgress:
    """The progress of a check, counted event by event."""

    judged: set[int] = field(default_factory=set)
    facts: int = 0
    drawn: int = 0
    doing: str = ""
    _began: float = field(default_factory=time.monotonic)
    _what: str = ""
    _share: float = 0.0
    """How much is done of what is being done."""
    _since: float = 0.0
    """When that began."""
    _ends: float = 0.0
    """When all of it ends, as the last event had it; 0 if that is not known."""

    def hear(self, event: Event) -> None:
        """Count one event."""
        match event:
            case FactsExtracted():
                self.facts, self.doing = len(event.facts), ""
                self._since = time.monotonic()
            case FactJudged():
                self.judged.add(event.index)
            case SampleDrawn():
                self.drawn += 1
                self.doing = f"drawing other answers {self.drawn}/{event.of}"
            case Progress():
                if event.what != self._what:
                    self._what, self._since = event.what, time.monotonic()
                self._share = event.done / event.of if event.of > 1 else 0.0
                counted = f" {event.done}/{event.of}" if event.of > 1 else ""
                self.doing = f"{event.what}{counted}"
            case AnswerToken():
                self.doing = "answering"
            case _:
                return
        now, share = time.monotonic(), max(self._share, len(self.judged) / max(1, self.facts))
        self._ends = now + (now - self._since) * (1 - share) / share if share else 0.0

    def words(self) -> str:
        """What is being done, how far it is, and the time left, or passed if that is not known.
        What stands still for longer than was left does not say a time that grows."""
        judged, now = len(self.judged), time.monotonic()
        left = self._ends - now
        said = f"checking {judged}/{self.facts}" if judged else self.doing
        said = said or (f"comparing {self.facts} facts" if self.facts else "reading")
        return f"{said}, {left:.0f} s left" if left >= 1 else f"{said}, {now - self._began:.0f} s"


@dataclass(slots=True, eq=False)
class TextCheck:
    """One check. It changes on the drawing loop alone.

    ``place`` is the session and the entry that it is stored as, ``run`` the entry of its events;
    both are None until it is stored.
    """

    id: str
    inputs: Inputs
    state: State = "working"
    failure: str | None = None
    place: tuple[int, int] | None = None
    run: int | None = None
    log: list[Event] = field(default_factory=list)
    progress: WorkProgress = field(default_factory=WorkProgress)
    corrections: Corrections = field(default_factory=Corrections)
    stored: dict[str, Any] | None = None
    """The corrections as they were stored, until the report that they belong to is read."""
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once this check, begun here, is stored in its session."""
    saved: str = ""
    """Where its text was saved last as it is now."""
    late: bool = False
    """True if more was heard than `report` tells."""
    words: tuple[Word, ...] = ()
    """What the person said of facts of this text."""
    near: Mapping[str, Beside] | None = None
    """What sources have beside each entry that is not supported, by its key; None until that was
    looked for."""
    taken: dict[str, Change] = field(default_factory=dict)
    """The changes that put values of sources into the version before, by the entries here that
    are about these values."""
    _folded: Folded | None = None
    _known: tuple[Folded | None, object, dict[object, Any]] = None, (), {}
    """What was worked out from a report and from what a person has done since."""

    def hear(self, events: Iterable[Event]) -> None:
        """Take in new events. The report of a long log stays as it was until `fold_aside` is
        taken over, because folding it takes longer than a key may wait."""
        before = len(self.log)
        for event in events:
            self.log.append(event)
            self.progress.hear(event)
        if len(self.log) == before:
            return
        if self.is_long:
            self.late = True
        else:
            self._folded = None

    def follow(self, run: int, events: Iterable[Event]) -> None:
        """Take over all that is stored of a check that another app makes."""
        self.run, self.state = run, "working"
        self.log.clear()
        self.progress = WorkProgress()
        self._folded = None
        self.hear(events)
        for event in self.log:
            if isinstance(event, Done):
                self.end(
                    event.outcome == "cancelled", event.why if event.outcome == "failed" else None
                )

    def end(self, stopped: bool, failure: str | None) -> None:
        """Note that the work has ended."""
        self.failure = failure
        self.state = "failed" if failure else "stopped" if stopped else "done"

    def note_failure(self, why: str, recording: Recording | None) -> None:
        """Have the log end with why the work failed, if it does not yet, so that this is told when
        the check is read again; one that was refused has nothing in its log."""
        text = self.inputs.text if self.inputs.kind == "check" else ""
        known = Threshold(value=0.5)
        start = Started(text=text, sentences=(), method="", engine=__version__, threshold=known)
        begun = () if self.log else (start,)
        if not self.log or not isinstance(self.log[-1], Done):
            for event in (*begun, Done(outcome="failed", why=why)):
                self.hear((event,))
                if recording is not None:
                    recording.hear(event)

    @property
    def is_long(self) -> bool:
        """Whether folding and layout take longer than a key may wait."""
        return len(self.inputs.text) > LONG or len(self.log) > MANY_EVENTS

    @property
    def running(self) -> bool:
        """Whether work on it is under way."""
        return self.state == "working"

    def fold_aside(self) -> Callable[[], Folded]:
        """Return work for another thread: the fold of the log as it is now."""
        log, words = tuple(self.log), self.words
        return lambda: Folded.of(fold(log), words, len(log))

    def take(self, folded: Folded) -> None:
        """Take over what was folded on another thread."""
        self._folded = folded
        self.late = folded.events < len(self.log)

    def recall(self, folded: Folded) -> None:
        """Take over the stored report, unless something was heard since."""
        if not self.log:
            self._folded = folded
            problems = folded.report.problems
            if (why := next((one.why for one in problems if one.what == FAILED), None)) is not None:
                self.end(stopped=False, failure=why)
        if self.stored is not None:
            stored, self.stored = self.stored, None
            self.corrections.restore(stored, folded.report.text)

    def heed_aside(self, words: tuple[Word, ...]) -> Callable[[], Folded | None]:
        """Take over what the person said of facts, and return work for another thread: the report
        with it; None without a report."""
        self.words = words
        known = None if self.late else self._folded
        return lambda: None if known is None else Folded.of(known.found, words, known.events)

    def release(self) -> None:
        """Let go of what can be read from the store again."""
        if self.run is not None and self.state in ("done", "stopped"):
            self.log.clear()
            self._folded = None
            self._known = None, (), {}
            self.late = False
            self.near = None

    @property
    def report(self) -> Report | None:
        """The report of what is known, as the person sees it; None until the work has begun, or if
        it was not read."""
        folded = self._fold()
        return None if folded is None else folded.report

    @property
    def found(self) -> Report | None:
        """The report without what the person said of its facts."""
        folded = self._fold()
        return None if folded is None else folded.found

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The facts, and sentences that stand for themselves, the most doubted first. Their
        numbers are those of the command line; they change until the check has ended."""
        folded = self._fold()
        return () if folded is None else folded.entries

    def _fold(self) -> Folded | None:
        if self._folded is None and self.log and not self.late:
            self._folded = Folded.of(fold(self.log), self.words, len(self.log))
        return self._folded

    def entry(self, key: str | None) -> Entry | None:
        """The entry of a key, None if there is none."""
        folded = self._fold()
        return None if folded is None else folded.by_key.get(key or "")

    @property
    def marked(self) -> Mapping[str, Span]:
        """The words in doubt of doubted entries, by their keys."""
        folded = self._fold()
        return {} if folded is None else folded.marked

    def beside(self, entry: Entry) -> Beside:
        """What sources have beside an entry, as far as it is known."""
        key = entry_key(entry)
        return (self.near or {}).get(key) or Beside(place=self.marked.get(key))

    def place_of(self, entry: Entry) -> Span | None:
        """The place of the words of an entry that are marked in the text, and that are selected
        where it is edited; None if it is not known."""
        edit, beside = self.corrections.proposal(entry), self.beside(entry)
        place = replacement(edit)[0] if edit and edit.after != beside.whole else (0, 0)
        return place if place[0] < place[1] else beside.place

    def is_disputed(self, entry: Entry) -> bool:
        """Whether an undecided entry is suspect, or a source has another value for it: these are to
        be looked at first."""
        other = entry.verdict == "not_checked" and self.corrections.proposal(entry) is not None
        return other or entry.is_suspect

    @property
    def text(self) -> str:
        """The text that is checked, as far as it is known."""
        report = self.report
        if report is not None:
            return report.text
        return self.inputs.text if self.inputs.kind == "check" else ""

    @property
    def corrected(self) -> str:
        """The text with all changes made."""
        return self.corrections.apply(self.text)

    @property
    def question(self) -> str:
        """The question that the text answers, "" for none."""
        return self.inputs.text if self.inputs.kind == "ask" else self.inputs.question

    @property
    def streaming(self) -> bool:
        """Whether an answer is being written."""
        if self.state != "working" or self.inputs.kind != "ask":
            return False
        return not any(isinstance(event, Answered) for event in reversed(self.log))

    @property
    def broken_off(self) -> bool:
        """Whether the answer is not whole: the model failed in the middle, or it was stopped."""
        report = self.report
        if self.running or self.inputs.kind != "ask" or report is None or not report.text:
            return False
        return not report.sentences or any(one.what == BROKE_OFF for one in report.problems)

    def handling(self, entry: Entry) -> Handling:
        """What a person has done about an entry, in this version of the text or the one before."""
        return "changed" if entry_key(entry) in self.taken else self.corrections.state(entry)

    def change_of(self, entry: Entry) -> Change | None:
        """The change that concerns an entry."""
        return self.taken.get(entry_key(entry)) or self.corrections.change_of(entry)

    def take_over(self, before: TextCheck | None) -> None:
        """Note which undecided entries are about a value that was taken from a source in the
        version before: its quote is known, though the engine cannot tell of it. Others of a
        sentence that a person has changed were read with it."""
        self.taken = {}
        if before is None or (report := self.report) is None or before.corrected != self.text:
            return
        undecided = [one for one in self.entries if one.verdict == "not_checked" and one.fact]
        moved = 0
        for change in before.corrections.changes:
            start = change.start + moved
            moved += len(change.after) - len(change.before)
            end = start + len(change.after)
            for one in undecided:
                if change.quote and any(a < end and start < b for a, b in one.spans):
                    self.taken[entry_key(one)] = change
                elif sentence_at(report, one)[0] <= start < sentence_at(report, one)[1]:
                    self.note_read((one,))

    @property
    def listed(self) -> Sequence[Entry]:
        """The entries as they are listed: those in doubt, those that are disputed, the undecided
        ones in the order of the text, and the supported ones."""
        folded = self._fold()
        known = () if folded is None else folded.listed
        return self._once(
            "listed", lambda: _in_order(known, self.is_disputed) if self._touched else known
        )

    @property
    def open(self) -> Sequence[Entry]:
        """The entries about which nothing was done."""
        return self._once(
            "open",
            lambda: [it for it in self.entries if not self._touched or self.handling(it) == "open"],
        )

    @property
    def _touched(self) -> bool:
        """Whether more is known of entries than the engine has said."""
        made = self.corrections
        return bool(made.inherited or made.actions or made.proposals or self.taken)

    @property
    def settled(self) -> Set[str]:
        """The keys of the entries about which something was done."""
        if not self._touched:
            return frozenset()
        return self._once(
            "settled", lambda: {*map(entry_key, self.entries)} - {*map(entry_key, self.open)}
        )

    @property
    def marks(self) -> Mapping[str, Span | None]:
        """The places of the words that are marked, by the keys of their entries."""
        wanted = (it for it in self.entries if it.verdict in self._left_verdicts)
        return self._once("marks", lambda: {entry_key(it): self.place_of(it) for it in wanted})

    @property
    def rows(self) -> Mapping[str, str]:
        """The keys of the entries that something was done about, each with that of the first one
        that the same was done about: one change may settle all facts of a sentence."""
        return self._once("rows", self._find_rows)

    def _find_rows(self) -> Mapping[str, str]:
        first: dict[object, str] = {}
        settled = ((entry_key(it), it) for it in self.listed if entry_key(it) in self.settled)
        return {key: first.setdefault(self.change_of(one) or key, key) for key, one in settled}

    def count_done(self, entries: Iterable[Entry]) -> int:
        """How much was done about entries; what was done about several counts with the first."""
        rows = self.rows
        return sum(rows.get(key) == key for key in map(entry_key, entries))

    @property
    def stamp(self) -> object:
        """What stays equal while the entries, and what a person did about them, stay the same."""
        made = self.corrections
        actions, offers = (*made.inherited, *made.actions), len(made.proposals)
        return self.id, actions, offers, len(self.taken), self.near is None, self.running

    def _once(self, what: str, find: Callable[[], Found]) -> Found:
        """What is found anew only once something else is known, or was done: a text may have
        thousands of facts, and a key must not wait for them."""
        folded, now = self._fold(), self.stamp
        if self._known[0] is not folded or self._known[1] != now:
            self._known = folded, now, {}
        found = self._known[2]
        if what not in found:
            found[what] = find()
        return cast("Found", found[what])

    @property
    def left(self) -> Sequence[Entry]:
        """The listed entries that are left to a person: in doubt or undecided, and nothing was done
        about them. While a check is under way the undecided ones are not judged yet."""
        left = (one for one in self.open if one.verdict in self._left_verdicts)
        return _in_order(left, self.is_disputed)

    @property
    def _left_verdicts(self) -> Set[Verdict]:
        return DOUBTED if self.running else {*DOUBTED, "not_checked"}

    @property
    def stops(self) -> Sequence[Sequence[Entry]]:
        """What is left in the order in which it is gone through: doubts about the same words
        together, and the undecided entries of a sentence."""
        return self._once("stops", lambda: self._find_stops(self.left))

    @property
    def all_stops(self) -> Sequence[Sequence[Entry]]:
        """The stops with those that something was done about: their numbers stay the same."""
        every = (one for one in self.listed if one.verdict in self._left_verdicts)
        return self._once("all stops", lambda: self._find_stops(every))

    def _find_stops(self, entries: Iterable[Entry]) -> Sequence[Sequence[Entry]]:
        found: dict[object, list[Entry]] = {}
        for one in entries:
            key = entry_key(one)
            stop: object = self.place_of(one) or key if one.is_doubted else _sentence_of(one)
            found.setdefault(stop, []).append(one)
        return [*found.values()]

    @property
    def next_stops(self) -> Sequence[Sequence[Entry]]:
        """The stops that were not read yet; once all were, all of them."""
        stops = self.stops
        return [one for one in stops if not all(map(self.is_read, one))] or stops

    def step(self, key: str, stops: Sequence[Sequence[Entry]], by: int = 1) -> tuple[str, bool]:
        """The key of the stop after the entry or group of a key, by -1 of the one before, of some
        stops in order, and whether it lies beyond an end, so that it is one of the other end."""
        at = next((n for n, one in enumerate(stops) if key in map(entry_key, one)), None)
        if at is None:  # something was done about it, or it is a row of another kind
            listed = [(entry_key(one), one.verdict) for one in self.listed]
            here = (n for n, one in enumerate(listed) if key == one[0] or key.endswith(one[1]))
            before = {one for one, _ in listed[: next(here, 0)]}
            at = sum(entry_key(one[0]) in before for one in stops) - (by > 0)
        at += by
        return entry_key(stops[at % len(stops)][0]), not 0 <= at < len(stops)

    def is_read(self, entry: Entry) -> bool:
        """Whether a person has read an undecided entry, its sentence being the same now."""
        read = self.corrections.read
        return bool(read) and entry.verdict == "not_checked" and self._words_of(entry) in read

    def note_read(self, entries: Iterable[Entry]) -> None:
        """Note that a person has read undecided entries."""
        undecided = (one for one in entries if one.verdict == "not_checked" and not self.running)
        self.corrections.read.update(map(self._words_of, undecided))

    def _words_of(self, entry: Entry) -> str:
        """An entry and its sentence in words, the same in every version of the text."""
        report = self.report
        assert report is not None  # noqa: S101 - it has the entry
        return f"{entry.reading}\n{report.text[slice(*sentence_at(report, entry))]}"

    @property
    def unread(self) -> Sequence[Entry]:
        """The undecided entries about which nothing was done that were not read."""
        undecided = (one for one in self.open if one.verdict == "not_checked")
        return [one for one in undecided if not self.is_read(one)]

    @property
    def open_doubts(self) -> Sequence[Entry]:
        """The doubted entries that nobody has corrected or kept yet."""
        return [one for one in self.open if one.is_doubted]

    @property
    def disputed_left(self) -> Sequence[Entry]:
        """The disputed entries about which nothing was done."""
        return [one for one in self.open if self.is_disputed(one)]

    def word_of(self, verdict: Verdict) -> str:
        """A verdict in words: without sources nothing was checked."""
        compared = self.report is not None and self.report.sources
        return VERDICTS[verdict] if compared or verdict != "not_checked" else "not checked"

    @property
    def counts(self) -> Counter[Verdict]:
        """How many entries of each verdict nothing was done about."""
        return count_verdicts(self.open)


def _in_order(entries: Iterable[Entry], is_disputed: Callable[[Entry], bool]) -> Sequence[Entry]:
    def place(one: Entry) -> tuple[int, int]:
        if one.verdict != "not_checked":
            return 0 if one.is_doubted else 3, 0
        return 1 if is_disputed(one) else 2, _sentence_of(one)

    return sorted(entries, key=place)


def _sentence_of(one: Entry) -> int:
    """The index of the sentence that an entry stands in, the first of several."""
    if one.sentence is not None:
        return one.sentence.index
    return min(one.fact.sentences, default=-1) if one.fact is not None else -1


def count_verdicts(entries: Iterable[Entry]) -> Counter[Verdict]:
    """Count entries by verdict."""
    return Counter(one.verdict for one in entries)
