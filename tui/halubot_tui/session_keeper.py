"""A session kept as it happens, off the drawing loop: what is typed before a model is called, each
event as it comes, each decision as it is made.

If the store cannot be used, the app goes on without it and says so once.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeVar

from pydantic import ValidationError

from halubot.errors import StateError
from halubot.events import Done, Event
from halubot.report import Frozen, Report
from halubot.state import set_aside, state_folder
from halubot.state.sessions import FILE, Entry, Hit, Session, Sessions
from halubot_tui.drafts import Draft
from halubot_tui.turns import Inputs, Turn

if TYPE_CHECKING:
    from halubot.state.recorder import Recording

T = TypeVar("T")

WRITER: Final = "writer"
"""Under this name the process of the app is kept with what is typed in it."""
_LATEST: Final = 10
"""Sessions in which is looked for what was typed and not sent."""
_NONE: Final[Mapping[int, Turn]] = {}

Noted = Literal["correction", "edit", "note"]


@dataclass(frozen=True, slots=True)
class Since:
    """Changes by another app on the open session: the messages that it added, in order; and of
    messages that are known its run, and all that was heard of that so far."""

    turns: tuple[Turn, ...] = ()
    heard: Mapping[str, tuple[int, tuple[Event, ...]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """A message that was searched for, and its session."""

    hit: Hit
    session: Session


class GivenText(Frozen):
    """A text, or the path of a file or folder, that is in a list of the form."""

    text: str = ""
    file: str = ""


class Unsent(Frozen):
    """What stands in the composer, with the files given there; and, from ``checked`` on, what
    stands in the form."""

    text: str = ""
    files: tuple[str, ...] = ()
    checked: str = ""
    question: str = ""
    samples: tuple[GivenText, ...] = ()
    references: tuple[GivenText, ...] = ()
    knowledge: tuple[str, ...] = ()
    method: str = ""

    @classmethod
    def of(cls, text: str, files: tuple[Path, ...], form: Draft) -> Self:
        """Return what was typed in both places."""
        return cls(
            text=text,
            files=tuple(map(str, files)),
            checked=form.text,
            question=form.question,
            samples=tuple(map(_read_given, form.samples)),
            references=tuple(map(_read_given, form.references)),
            knowledge=form.knowledge,
            method=form.method,
        )

    def __bool__(self) -> bool:
        words = (self.text, self.checked, self.question)
        rest = (self.files, self.samples, self.references, self.knowledge)
        return any(map(str.strip, words)) or any(rest)

    @property
    def form(self) -> Draft:
        """Return what stood in the form."""

        return Draft(
            text=self.checked,
            question=self.question,
            samples=[Path(one.file) if one.file else one.text for one in self.samples],
            references=[Path(one.file) if one.file else one.text for one in self.references],
            knowledge=self.knowledge,
            method=self.method,
        )


class Keeper:
    """The store of sessions, and the one that is open. Every method may wait for the disk, so it is
    called on another thread than the drawing loop's; several may call at once.

    ``warn`` hears, on any thread, once for each reason, why something could not be kept.
    """

    def __init__(self, warn: Callable[[StateError], None], folder: Path | None = None) -> None:
        self._warn = warn
        self._folder = folder
        self._told: set[str] = set()
        self._sessions: Sessions | None = None
        self._session: Session | None = None
        self._seen = 0
        self._messages: dict[str, int] = {}
        self._own: set[int] = set()
        self._bin: list[int] = []
        self._unfinished: dict[int, tuple[str, int | None]] = {}
        self._lock = threading.RLock()

    def open(self, name: str | None = None) -> Session | None:
        """Opens the session of that name, or begins it; without a name nothing is begun until a
        first message is sent, but what was typed last and not sent is there again. None if there is
        none yet, or nothing can be kept."""

        def open_session(sessions: Sessions) -> Session | None:
            if name is None:
                return _take_up(sessions)
            return sessions.find_named(name) or sessions.new(name)

        return self._enter(self._try(open_session))

    def enter(self, session: int) -> Session | None:
        """Goes over to the session of that id."""
        return self._enter(self._try(lambda sessions: sessions.get(session)))

    def leave(self) -> None:
        """A new session: it begins with its first message."""
        self._enter(None)

    @property
    def session(self) -> Session | None:
        """The session that is open; None if it has not begun, or nothing can be kept."""
        return self._session

    def turns(self, busy: Mapping[int, Turn] = _NONE) -> list[Turn]:
        """The messages of the open session in order, their reports not read yet. One whose check
        was broken off, by a crash say, is stopped. Of those that this app still works on, ``busy``
        has what it knows, by their entries."""
        session = self._session
        if session is None:
            return []
        entries = self._try(lambda sessions: sessions.entries(session.id)) or ()
        return self._read(entries, busy=busy)

    def stamp(self) -> object:
        """Return what tells whether the file was written to; it takes some microseconds, so it may
        be asked on any thread."""
        found = []
        # SQLite writes to the log (-wal) first; the file itself changes only at a checkpoint.
        for end in ("", "-wal"):
            with suppress(OSError):
                stat = os.stat(f"{self._file}{end}")
                found.append((end, stat.st_mtime_ns, stat.st_size))
        return found

    @property
    def _file(self) -> Path:
        return (self._folder or state_folder()).expanduser() / FILE

    def since(self) -> Since:
        """Return what another app did on the open session since this was asked last."""
        with self._lock:  # what is begun here is not taken for another's
            session, seen = self._session, self._seen
            if session is None:
                return Since()
            entries = self._try(lambda sessions: sessions.entries(session.id, after=seen)) or ()
            turns = self._read(entries, new=True)
            watched = list(self._unfinished.items())
        heard = {}
        for run, (turn, known) in watched:
            events = self._try(partial(Sessions.events, run=run, after=known or 0)) or ()
            if known is not None and events:
                events = self._try(partial(Sessions.events, run=run)) or ()
                heard[turn] = (run, events)
            with self._lock:
                if any(isinstance(event, Done) for event in events):
                    self._unfinished.pop(run, None)
                elif run in self._unfinished and (events or known is None):
                    self._unfinished[run] = (turn, len(events))
        return Since(tuple(turns), heard)

    def outlines(self, turns: Iterable[Turn]) -> dict[str, tuple[Report, bool]]:
        """Of those messages of which something is kept their reports, and whether each is whole or
        an outline without the texts of its sources."""
        runs = {turn.run: turn.id for turn in turns if turn.run is not None}
        outlines = self._try(lambda sessions: sessions.outlines(runs)) or {}
        found = {runs[run]: (report, False) for run, report in outlines.items()}
        for run, turn in runs.items():
            if turn not in found:  # it was broken off: what its events tell
                report = self._try(partial(Sessions.report, run=run))
                if report is not None:
                    found[turn] = (report, True)
        return found

    def report(self, turn: Turn) -> Report | None:
        """The kept report of a message, with all its sources; of one that was broken off, what was
        known by then. None if nothing is kept."""
        run = turn.run
        return None if run is None else self._try(lambda sessions: sessions.report(run))

    def begin(self, turn: Turn, data: Mapping[str, Any]) -> Recording | None:
        """Keeps a message before anything is asked of a model, and returns the place at which its
        events are to be recorded; None if nothing can be kept. The first message begins the
        session."""

        def begin(sessions: Sessions) -> Recording:
            with self._lock:
                session = self._alive(sessions)
                message = self._messages.get(turn.id)
                if message is None:
                    given = turn.inputs.model_dump(mode="json")
                    message = sessions.append(session.id, "message", given, words=turn.inputs.words)
                    turn.place = session.id, message
                    self._messages[turn.id] = message
                    self._own.add(message)
                recording = sessions.begin(session.id, message, data)
                turn.run = recording.run
                self._own.add(recording.run)
            return recording

        return self._try(begin)

    def note(self, turn: Turn, kind: Noted, data: Mapping[str, Any]) -> None:
        """Keeps a correction that was proposed, or what was decided of it, whichever session is
        open by now."""
        if turn.place is None:
            return
        session, message = turn.place

        def note(sessions: Sessions) -> None:
            with self._lock:
                outcome = data.get("outcome")
                words = str(outcome.get("text", "")) if isinstance(outcome, dict) else ""
                entry = sessions.append(session, kind, data, about=message, words=words)
                if self._session is not None and self._session.id == session:
                    self._own.add(entry)

        self._try(note)

    def unsent(self) -> Unsent:
        """Return what was typed and not sent when the session was left."""
        session = self._session
        kept = None if session is None else self._try(lambda s: s.draft(session.id))
        return _read_unsent(kept or "")[0]

    def keep_unsent(self, unsent: Unsent) -> None:
        """Keeps what is typed and not sent yet; the first of it begins the session."""
        if not unsent and self._session is None:
            return

        def keep(sessions: Sessions) -> None:
            with self._lock:
                session = self._alive(sessions)
            data = {**unsent.model_dump(mode="json"), WRITER: os.getpid()}
            sessions.keep_draft(session.id, json.dumps(data) if unsent else "")

        self._try(keep)

    def all(self, query: str = "") -> tuple[Session, ...]:
        """The sessions that hold these words, the latest first."""
        found = self._try(lambda sessions: sessions.search(query)) or ()
        return tuple(session for session in found if session.id not in self._bin)

    def find(self, query: str) -> tuple[Found, ...]:
        """The messages that hold these words: those of the open session first, else the latest."""
        hits = self._try(lambda sessions: sessions.find(query)) or ()
        names = {session.id: session for session in self.all()}
        here = self._session.id if self._session is not None else None
        found = [Found(hit, names[hit.session]) for hit in hits if hit.session in names]
        return tuple(sorted(found, key=lambda one: one.session.id != here))

    def last(self) -> Session | None:
        """The session with messages that was changed last, but for the open one."""
        here = self._session
        others = (one for one in self.all() if one.messages and (here is None or one.id != here.id))
        return next(others, None)

    def find_named(self, name: str) -> Session | None:
        """The session of that name, begun if there is none; None if nothing can be kept."""
        return self._try(lambda sessions: sessions.find_named(name) or sessions.new(name))

    def rename(self, session: int, name: str) -> None:
        """Raises StateError if the name is taken."""
        self._need().rename(session, name)
        if self._session is not None and self._session.id == session:
            self._session = self._need().get(session)

    def delete(self, session: int) -> None:
        """Deletes a session for good. Raises StateError."""
        self._need().delete(session)
        if self._session is not None and self._session.id == session:
            self._enter(None)

    def discard(self, session: int) -> None:
        """Lists a session no more; it is deleted when the bin is emptied."""
        if session not in self._bin:
            self._bin.append(session)

    def take_back(self) -> int | None:
        """Lists the session again that was discarded last, and returns it; None if there is
        none."""
        return self._bin.pop() if self._bin else None

    def empty_bin(self) -> tuple[int, ...]:
        """Deletes for good what was discarded, and returns it. What cannot be deleted is told."""
        emptied, self._bin = tuple(self._bin), []
        for session in emptied:
            try:
                self.delete(session)
            except StateError as error:
                self._tell(error)
        return emptied

    def set_aside(self) -> Path:
        """Moves a file that is damaged to another name, and begins a fresh one; returns that name.
        Raises StateError."""
        with self._lock:
            if self._sessions is not None:
                self._sessions.close()
                self._sessions = None
            self._enter(None)
            self._told.clear()
            return set_aside(self._file)

    def close(self) -> None:
        """Saves what is left, and deletes what was discarded."""
        if self._bin:
            self.empty_bin()
        session = self._session
        if session is not None and self._sessions is not None:
            self._try(lambda sessions: _let_go(sessions, session))
        with self._lock:
            sessions, self._sessions = self._sessions, None
        if sessions is not None:
            try:
                sessions.close()
            except StateError as error:
                self._tell(error)

    def _enter(self, session: Session | None) -> Session | None:
        with self._lock:
            left, self._session, self._seen = self._session, session, 0
            self._messages.clear()
            self._own.clear()
            self._unfinished.clear()
        if left is not None and (session is None or session.id != left.id):
            self._try(lambda sessions: _let_go(sessions, left))
        return session

    def _read(
        self, entries: tuple[Entry, ...], *, new: bool = False, busy: Mapping[int, Turn] = _NONE
    ) -> list[Turn]:
        """The messages of these entries. Runs that are not done are watched; of those that began
        while this looked on, as of all that are ``new``, everything is heard. Of those that are
        ``busy`` everything is known."""
        found: dict[int, Turn] = {}
        names = {message: turn for turn, message in self._messages.items()}
        for entry in entries:
            self._seen = max(self._seen, entry.id)
            if entry.id in self._own:
                # What this app wrote itself comes back once; after that the id is of no use.
                self._own.remove(entry.id)
                continue
            if entry.about in busy:
                continue
            match entry.kind:
                case "message":
                    turn = busy.get(entry.id) or _turn_of(entry)
                    if turn is not None and turn.id not in self._messages:
                        found[entry.id] = turn
                        self._messages[turn.id] = entry.id
                        names[entry.id] = turn.id
                case "run" if entry.about in names:
                    if entry.about in found:
                        turn = found[entry.about]
                        turn.run, turn.state = entry.id, "done" if entry.done else "stopped"
                    if new or not entry.done:
                        self._unfinished[entry.id] = (names[entry.about], 0 if new else None)
                case "correction" if entry.about in found:
                    found[entry.about].proposed = dict(entry.data)
                case "edit" if entry.about in found:
                    found[entry.about].decide(entry.data)
                case "note" if entry.about in found:
                    found[entry.about].noted.append(dict(entry.data))
                case _:
                    continue
        return list(found.values())

    def _alive(self, sessions: Sessions) -> Session:
        """The open session; a new one if there is none yet, or another app deleted it."""
        if self._session is not None:
            with suppress(StateError):
                self._session = sessions.get(self._session.id)
                return self._session
        self._messages.clear()
        self._session = sessions.new()
        return self._session

    def _need(self) -> Sessions:
        with self._lock:
            if self._sessions is None:
                self._sessions = Sessions.open(self._folder, warn=self._tell)
            return self._sessions

    def _try(self, work: Callable[[Sessions], T]) -> T | None:
        try:
            return work(self._need())
        except StateError as error:
            self._tell(error)
            return None

    def _tell(self, error: StateError) -> None:
        if str(error) not in self._told:
            self._told.add(str(error))
            self._warn(error)


def _take_up(sessions: Sessions) -> Session | None:
    """The session in which something was typed last, and not sent, if it has nothing else; from
    the latest session with messages it moves to one of its own. None if nothing was typed, or by an
    app that is open still."""
    for place, one in enumerate(sessions.all()[:_LATEST]):
        draft = sessions.draft(one.id)
        unsent, writer = _read_unsent(draft)
        if not unsent or _is_open(writer):
            continue
        if not (one.messages or one.name):
            return one
        if not place:
            taken = sessions.new()
            sessions.keep_draft(taken.id, draft)
            sessions.keep_draft(one.id, "")
            return taken
    return None


def _read_unsent(kept: str) -> tuple[Unsent, int]:
    """What was typed, and the process of the app in which; 0 of one that is not known."""
    try:
        data = json.loads(kept or "{}")
        writer = data.pop(WRITER, 0)
        return Unsent.model_validate(data), writer if isinstance(writer, int) else 0
    except (ValueError, AttributeError):  # a text that was kept as it is, by the first versions
        return Unsent(text=kept), 0


def _is_open(writer: int) -> bool:
    """Return whether an app in another process is open."""
    if writer <= 0 or writer == os.getpid():
        return False
    try:
        os.kill(writer, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's
        return True
    return True


def _let_go(sessions: Sessions, left: Session) -> None:
    """An empty session that nobody named is not kept once it is left."""
    now = sessions.get(left.id)
    if not (now.name or now.messages or sessions.draft(left.id)):
        sessions.delete(left.id)


def _turn_of(entry: Entry) -> Turn | None:
    """The message of an entry; None of one that cannot be read, as a newer halubot may write."""
    try:
        inputs = Inputs.model_validate(dict(entry.data))
    except ValidationError:
        return None
    return Turn(f"m{entry.id}", inputs, state="stopped", place=(entry.session, entry.id))


def _read_given(one: str | Path) -> GivenText:
    return GivenText(file=str(one)) if isinstance(one, Path) else GivenText(text=one)
