"""The sessions on disk as the app uses them: the open one, the list, drafts, and what another app
adds.

If the store cannot be used, the app goes on without it and says so once.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import ValidationError

from halubot.errors import StateError
from halubot.events import Done, Event
from halubot.render.captions import VERDICTS
from halubot.render.inert import crop, one_line
from halubot.render.items import listing
from halubot.report import Report
from halubot.state import set_aside, state_folder
from halubot.state.sessions import FILE, Entry, Session, Sessions
from halubot.text import read
from halubot_tui.sources import Given
from halubot_tui.text_check import (
    LONGEST_TITLE,
    Inputs,
    TextCheck,
    count_verdicts,
    title_of,
)

if TYPE_CHECKING:
    from halubot.state.recorder import Recording
    from halubot.verdicts import Verdict

T = TypeVar("T")

LISTED: Final = 200
"""Sessions that are listed."""
ALIKE: Final = 24
"""Characters that the list has room for in any case."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What was typed and given, and not sent; ``source`` is what stands in the field of the sources
    and was not added."""

    text: str = ""
    sources: tuple[Given, ...] = ()
    source: str = ""

    def __bool__(self) -> bool:
        return bool(self.text.strip() or self.sources or self.source.strip())

    def __add__(self, other: Draft) -> Draft:
        text = f"{self.text} {other.text}".strip()
        return Draft(text, (*self.sources, *other.sources), self.source + other.source)

    def to_json(self) -> str:
        """The draft as it is stored; "" for an empty one."""
        if not self:
            return ""
        sources = [one.record() for one in self.sources]
        return json.dumps({"text": self.text, "sources": sources, "source": self.source})


def read_draft(kept: str) -> Draft:
    """The draft that was stored; empty for one that cannot be read."""
    if not kept.startswith("{"):
        return Draft(kept)
    try:
        data = json.loads(kept)
        rows = data.get("sources", [])
        sources = (Given.read(row) for row in rows if isinstance(row, dict))
        known = tuple(one for one in sources if one)
        return Draft(str(data.get("text", "")), known, str(data.get("source", "")))
    except (ValueError, AttributeError):
        return Draft(kept)


@dataclass(frozen=True, slots=True)
class Listed:
    """A session in the list: its title, when it was changed, how many facts of its latest check
    with each verdict are left to a person (empty if nothing was checked), and whether only a draft
    is in it."""

    id: int
    name: str
    title: str
    changed: datetime
    counts: Mapping[Verdict, int] = field(default_factory=dict)
    draft: bool = False


@dataclass(frozen=True, slots=True)
class Since:
    """What another app did in the open session: the checks that it added, and for known checks
    the run and everything that is stored of it."""

    added: tuple[TextCheck, ...] = ()
    heard: Mapping[str, tuple[int, tuple[Event, ...]]] = field(default_factory=dict)


class SessionStore:
    """The store of sessions and the one that is open.

    Every method but `stamp` and `session` may wait for the disk: call it on another thread than
    the drawing loop's. Several threads may call at once. ``warn`` is called, on any thread, once
    for each reason why something could not be stored.
    """

    def __init__(self, warn: Callable[[StateError], None], folder: Path | None = None) -> None:
        self._warn = warn
        self._folder = folder
        self._told: set[str] = set()
        self._sessions: Sessions | None = None
        self._session: Session | None = None
        self._seen = 0
        self._checks: dict[int, str] = {}
        self._own: set[int] = set()
        self._bin: list[int] = []
        self._unfinished: dict[int, tuple[str, int | None]] = {}
        self._lock = threading.RLock()

    @property
    def session(self) -> Session | None:
        """The open session; None if it has not begun, or nothing can be stored."""
        return self._session

    def open(self, session: int | str) -> Session | None:
        """Open the session of that id, or of that name, which is begun if there is none; 0 begins a
        new one with the next check. None if there is nothing that can be stored."""
        if isinstance(session, str):
            return self._enter(self._try(lambda sessions: sessions.open_named(session)))
        return self._enter(self._try(lambda it: it.get(session)) if session else None)

    def checks(self, busy: Mapping[int, TextCheck] | None = None) -> list[TextCheck]:
        """The checks of the open session in order, their reports not read. A check that was
        broken off, by a crash for example, is stopped. ``busy`` are the checks that this app is
        working on, by their entries."""
        session = self._session
        if session is None:
            return []
        entries = self._try(lambda sessions: sessions.entries(session.id)) or ()
        return self._read(entries, busy=busy or {})

    def report(self, check: TextCheck) -> Report | None:
        """The stored report of a check; what was known when it broke off; None for nothing."""
        run = check.run
        return None if run is None else self._try(lambda sessions: sessions.report(run))

    def begin(self, check: TextCheck, data: Mapping[str, Any]) -> Recording | None:
        """Store a check before anything is asked of a model, and return where its events are to
        be recorded; None if nothing can be stored. The first check begins the session."""

        def begin(sessions: Sessions) -> Recording:
            with self._lock:
                session = self._alive(sessions)
                if check.place is None or check.place[0] != session.id:
                    given = check.inputs.model_dump(mode="json")
                    entry = sessions.append(session.id, "message", given, words=check.inputs.words)
                    check.place = session.id, entry
                    self._checks[entry] = check.id
                    self._own.add(entry)
                recording = sessions.begin(session.id, check.place[1], data)
                check.run = recording.run
                self._own.add(recording.run)
            return recording

        return self._try(begin)

    def store_corrections(self, check: TextCheck, record: Mapping[str, Any], text: str) -> None:
        """Store what a person changed in a text, and the corrected text for searches."""
        if check.place is None:
            return
        session, entry = check.place

        def store(sessions: Sessions) -> None:
            with self._lock:
                made = sessions.append(session, "edit", record, about=entry, words=text)
                if self._session is not None and self._session.id == session:
                    self._own.add(made)

        self._try(store)

    def draft(self) -> Draft:
        """What was typed and not sent when the open session was left."""
        session = self._session
        kept = None if session is None else self._try(lambda one: one.draft(session.id))
        return read_draft(kept or "")

    def store_draft(self, draft: Draft) -> None:
        """Store what is typed and not sent; the first of it begins the session."""
        if not draft and self._session is None:
            return

        def store(sessions: Sessions) -> None:
            with self._lock:
                session = self._alive(sessions)
            sessions.keep_draft(session.id, draft.to_json())

        self._try(store)

    def clear_draft(self, session: int) -> None:
        """Drop the draft of a session, which was sent."""
        self._try(lambda sessions: sessions.keep_draft(session, ""))

    def find(self, query: str = "") -> tuple[Listed, ...]:
        """The sessions that hold these words, the latest first."""
        return self._try(partial(self._list, query)) or ()

    def _list(self, query: str, sessions: Sessions) -> tuple[Listed, ...]:
        found: list[Listed] = []
        openings: dict[int, str] = {}
        for one in sessions.search(query):
            if one.id in self._bin or len(found) >= LISTED:
                continue
            draft = "" if one.messages else read_draft(sessions.draft(one.id)).text
            if not (one.messages or draft.strip() or one.name):
                continue
            openings[one.id] = one_line(read(one.opening or draft).plain)
            title = one.name or title_of(one.opening or draft) or "no text"
            counts = self._counts(sessions, one.id) if one.messages else {}
            found.append(Listed(one.id, one.name, title, one.changed, counts, not one.messages))
        return tuple(replace(one, title=_tell_apart(one, openings)) for one in found)

    @staticmethod
    def _counts(sessions: Sessions, session: int) -> Mapping[Verdict, int]:
        entries = sessions.entries(session)
        runs = [one for one in entries if one.kind == "run" and one.done]
        if not runs:
            return {}
        run = runs[-1]
        for one in reversed(entries):
            if one.kind == "edit" and one.about == run.about and one.id > run.id:
                left = one.data.get("open")
                if isinstance(left, dict):
                    return {verdict: int(left.get(verdict, 0)) for verdict in VERDICTS}
        outline = sessions.outline(run.id)
        return count_verdicts(listing(outline)) if outline else {}

    def rename(self, session: int, name: str) -> None:
        """Rename a session. Raises StateError if the name is taken."""
        self._need().rename(session, name)
        if self._session is not None and self._session.id == session:
            self._session = self._need().get(session)

    def discard(self, session: int) -> None:
        """List a session no more; it is deleted when the app is left."""
        if session not in self._bin:
            self._bin.append(session)

    def bring_back(self) -> int | None:
        """List the session again that was discarded last; None if there is none."""
        return self._bin.pop() if self._bin else None

    def set_aside(self) -> Path:
        """Move a damaged file to another name and return it; a fresh one is begun. Raises
        StateError."""
        with self._lock:
            if self._sessions is not None:
                self._sessions.close()
                self._sessions = None
            self._enter(None)
            self._told.clear()
            return set_aside(self._file)

    def close(self) -> None:
        """Save what is left and delete what was discarded."""
        for session in self._bin:
            self._try(partial(Sessions.delete, session=session))
        self._bin.clear()
        if self._session is not None and self._sessions is not None:
            self._try(partial(_drop_if_empty, self._session))
        with self._lock:
            sessions, self._sessions = self._sessions, None
        if sessions is not None:
            try:
                sessions.close()
            except StateError as error:
                self._tell(error)

    # What another app does in the open session.

    def stamp(self) -> object:
        """A value that changes when the file is written to; it takes some microseconds."""
        found = []
        # SQLite writes to the log (-wal) first; the file itself changes only at a checkpoint.
        for end in ("", "-wal"):
            with suppress(OSError):
                stat = os.stat(f"{self._file}{end}")
                found.append((end, stat.st_mtime_ns, stat.st_size))
        return found

    def since(self) -> Since:
        """What another app did in the open session since this was asked last."""
        with self._lock:  # what is begun here is not taken for another's
            session, seen = self._session, self._seen
            if session is None:
                return Since()
            entries = self._try(lambda sessions: sessions.entries(session.id, after=seen)) or ()
            added = self._read(entries, new=True)
            watched = list(self._unfinished.items())
        heard = {}
        for run, (check, known) in watched:
            events = self._try(partial(Sessions.events, run=run, after=known or 0)) or ()
            if known is not None and events:
                events = self._try(partial(Sessions.events, run=run)) or ()
                heard[check] = (run, events)
            with self._lock:
                if any(isinstance(event, Done) for event in events):
                    self._unfinished.pop(run, None)
                elif run in self._unfinished and (events or known is None):
                    self._unfinished[run] = (check, len(events))
        return Since(tuple(added), heard)

    def _read(
        self,
        entries: Iterable[Entry],
        *,
        new: bool = False,
        busy: Mapping[int, TextCheck] | None = None,
    ) -> list[TextCheck]:
        """The checks of these entries. Runs that are not done are followed; of those that are
        ``new`` everything is heard."""
        busy = busy or {}
        found: dict[int, TextCheck] = {}
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
                    check = busy.get(entry.id) or _check_of(entry)
                    if check is not None and entry.id not in self._checks:
                        found[entry.id] = check
                        self._checks[entry.id] = check.id
                case "run" if entry.about in self._checks:
                    if entry.about in found:
                        check = found[entry.about]
                        check.run, check.state = entry.id, "done" if entry.done else "stopped"
                    if new or not entry.done:
                        known = 0 if new else None
                        self._unfinished[entry.id] = (self._checks[entry.about], known)
                case "edit" if entry.about in found:
                    found[entry.about].stored = dict(entry.data)
                case _:
                    continue
        return list(found.values())

    @property
    def _file(self) -> Path:
        return (self._folder or state_folder()).expanduser() / FILE

    def _enter(self, session: Session | None) -> Session | None:
        with self._lock:
            left, self._session, self._seen = self._session, session, 0
            self._checks.clear()
            self._own.clear()
            self._unfinished.clear()
        if left is not None and (session is None or session.id != left.id):
            self._try(partial(_drop_if_empty, left))
        return session

    def _alive(self, sessions: Sessions) -> Session:
        """The open session; a new one if there is none yet, or another app deleted it."""
        if self._session is not None:
            with suppress(StateError):
                self._session = sessions.get(self._session.id)
                return self._session
        self._checks.clear()
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


def _tell_apart(one: Listed, openings: Mapping[int, str]) -> str:
    """The title of a session; of texts that begin alike the words from where they part."""
    own, alike = openings[one.id], 0
    if one.name or not own:
        return one.title
    for other in openings.values():
        shared = len(os.path.commonprefix((own, other)))  # noqa: RUF071 - by letters
        alike = max(alike, shared) if shared < len(own) else alike
    if alike < ALIKE:
        return one.title
    return crop(f"…{own[own.rfind(' ', 0, alike + 1) + 1 :]}", LONGEST_TITLE)


def _drop_if_empty(left: Session, sessions: Sessions) -> None:
    """Delete an empty session that nobody named once it is left."""
    now = sessions.get(left.id)
    if not (now.name or now.messages or sessions.draft(left.id)):
        sessions.delete(left.id)


def _check_of(entry: Entry) -> TextCheck | None:
    """The check of an entry; None for one that a newer halubot wrote."""
    try:
        inputs = Inputs.model_validate(dict(entry.data))
    except ValidationError:
        return None
    return TextCheck(f"c{entry.id}", inputs, state="stopped", place=(entry.session, entry.id))
