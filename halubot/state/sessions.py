"""Sessions and their entries: what was typed, asked, checked and decided, as an append-only
list."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any, Literal, Self

from pydantic import BaseModel, ValidationError

from halubot.errors import StateError
from halubot.events import EVENT, Event, fold
from halubot.report import Report
from halubot.state import Base, NameTakenError, Upgrade, sound, state_folder
from halubot.state.recorder import Recording, Writer

Kind = Literal["message", "run", "correction", "edit", "note"]
"""What an entry is: what somebody typed, with its inputs; a check of it; a correction that was
proposed; what was decided of it; anything else."""


# AUTOINCREMENT, since a plain rowid is given out again after the newest row is deleted, and an id
# must not come to mean another session.
UPGRADES: tuple[Upgrade, ...] = (
    (
        """CREATE TABLE session (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            owner TEXT NOT NULL,
            name TEXT NOT NULL,
            created REAL NOT NULL,
            changed REAL NOT NULL,
            draft TEXT NOT NULL DEFAULT '')""",
        # Names are unique, but many sessions have none yet.
        "CREATE UNIQUE INDEX session_name ON session (owner, name) WHERE name != ''",
        """CREATE TABLE entry (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
            kind TEXT NOT NULL,
            at REAL NOT NULL,
            about INTEGER REFERENCES entry ON DELETE CASCADE,
            data TEXT NOT NULL,
            words TEXT NOT NULL)""",
        "CREATE INDEX entry_session ON entry (session, id)",
        "CREATE INDEX entry_about ON entry (about) WHERE about IS NOT NULL",
        """CREATE TABLE event (
            run INTEGER NOT NULL REFERENCES entry ON DELETE CASCADE,
            place INTEGER NOT NULL,
            data TEXT NOT NULL,
            PRIMARY KEY (run, place))""",
        # The whole report beside its events, though they tell it too: a fold of a long run takes
        # longer than a list of sessions may. The outline is what that list needs.
        """CREATE TABLE report (
            run INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
            outline TEXT NOT NULL,
            data TEXT NOT NULL)""",
    ),
)
"""All versions of the base; a released one is never changed."""


@dataclass(frozen=True, slots=True)
class Session:
    """One session; ``name`` is "" until it is given one, ``messages`` counts what was typed, and
    ``opening`` is how the first of them begins, ``latest`` how the last does."""

    id: int
    name: str
    created: datetime
    changed: datetime
    messages: int
    opening: str
    latest: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry; ids grow with time. ``about`` is the entry it belongs to. ``words`` is its text
    for reading and searching: of a run that is ``done``, the text that was checked."""

    id: int
    session: int
    kind: Kind
    at: datetime
    about: int | None
    data: Mapping[str, Any]
    words: str
    done: bool


def line(name: str) -> str:
    """A name on one line."""
    return " ".join(sound(name).split())


def moment(seconds: float) -> datetime:
    """A time of the base, in UTC."""
    return datetime.fromtimestamp(seconds, UTC)


def plain(value: object) -> object:
    """Return a value of ours as JSON can hold it. Raises TypeError for anything else."""
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True)
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"{type(value).__name__} is nothing that an entry can hold")


FILE = "sessions.db"

_SESSIONS = """
    SELECT id, name, created, changed,
        (SELECT count(*) FROM entry WHERE session = session.id AND kind = 'message'),
        coalesce((SELECT substr(words, 1, 200) FROM entry
            WHERE session = session.id AND kind = 'message' ORDER BY id LIMIT 1), ''),
        coalesce((SELECT substr(words, 1, 200) FROM entry
            WHERE session = session.id AND kind = 'message' ORDER BY id DESC LIMIT 1), '')
    FROM session WHERE """
_LATEST = " ORDER BY changed DESC, id DESC"


class Sessions:
    """The sessions of one base. Every method but `close` raises StateError if the base cannot
    be used, and if there is no such session."""

    def __init__(self, base: Base, *, warn: Callable[[StateError], None] | None = None) -> None:
        self._base = base
        self._writer = Writer(base, warn)

    @classmethod
    def open(
        cls, folder: Path | None = None, *, warn: Callable[[StateError], None] | None = None
    ) -> Self:
        """The sessions kept in a folder (default: `state_folder`). ``warn`` hears, on another
        thread, when events cannot be saved; they stay in memory and are tried again."""
        base = Base((folder or state_folder()).expanduser() / FILE, UPGRADES, holds="sessions")
        return cls(base, warn=warn)

    def new(self, name: str = "") -> Session:
        """Begins a session. Raises NameTakenError."""
        now, name = time.time(), line(name)
        try:
            with self._base.change() as changing:
                made = changing.execute(
                    "INSERT INTO session (owner, name, created, changed) VALUES ('', ?, ?, ?)",
                    (name, now, now),
                )
        except sqlite3.IntegrityError as error:
            raise NameTakenError(name) from error
        assert made.lastrowid is not None  # noqa: S101 - an insert has a row
        return self.get(made.lastrowid)

    def open_named(self, name: str) -> Session:
        """The session of that name; it is begun if there is none. Of several processes
        that open it at the same moment, one begins it."""
        with self._base.change():
            return self.find_named(name) or self.new(name)

    def all(self) -> tuple[Session, ...]:
        """All sessions, the latest changed first."""
        return self._select("true" + _LATEST, ())

    def search(self, query: str) -> tuple[Session, ...]:
        """The sessions that hold every word of ``query`` somewhere in their name or entries,
        in any case, the latest changed first; all for a blank query."""
        found = self.all()
        for word in sound(query).casefold().split():
            with self._base.read() as reading:
                # Python's casefold: SQLite's own LIKE ignores case in ASCII only.
                reading.create_function("holds", 1, lambda text, w=word: w in text.casefold())
                rows = reading.execute(
                    """SELECT id FROM session WHERE holds(name) OR EXISTS (
                        SELECT 1 FROM entry WHERE session = session.id AND holds(words))"""
                )
                held = {row[0] for row in rows}
            found = tuple(session for session in found if session.id in held)
        return found

    def get(self, session: int) -> Session:
        """The session of that id."""
        found = self._select("id = ?", (session,))
        if not found:
            raise StateError(f"there is no session {session}: it may have been deleted")
        return found[0]

    def find_named(self, name: str) -> Session | None:
        """The session of that name, or None."""
        found = self._select("name = ?", (line(name),))
        return found[0] if found and found[0].name else None

    def rename(self, session: int, name: str) -> None:
        """Gives it another name; "" takes its name away. Raises NameTakenError."""
        name = line(name)
        try:
            with self._base.change() as changing:
                query = "UPDATE session SET name = ?, changed = ? WHERE id = ?"
                self._require(changing.execute(query, (name, time.time(), session)), session)
        except sqlite3.IntegrityError as error:
            raise NameTakenError(name) from error

    def delete(self, session: int) -> None:
        """Deletes a session with all its entries for good; no trace stays on the disk."""
        with self._base.change() as changing:
            made = changing.execute("DELETE FROM session WHERE id = ?", (session,))
            self._require(made, session)
        self._base.scrub()

    def draft(self, session: int) -> str:
        """Return the text that was typed and not sent yet; "" for none."""
        with self._base.read() as reading:
            query = "SELECT draft FROM session WHERE id = ?"
            found = reading.execute(query, (session,)).fetchone()
        if found is None:
            self.get(session)
        return str(found[0])

    def keep_draft(self, session: int, text: str) -> None:
        """Keeps what is typed and not sent yet, in place of the draft before it."""
        with self._base.change() as changing:
            query = "UPDATE session SET draft = ? WHERE id = ?"
            self._require(changing.execute(query, (sound(text), session)), session)

    def append(
        self,
        session: int,
        kind: Kind,
        data: Mapping[str, Any],
        *,
        about: int | None = None,
        words: str = "",
    ) -> int:
        """Adds an entry and returns its id. ``data`` is anything JSON says, with facts, sources,
        corrections and paths in it as well; ``words`` is what a search finds. A message takes the
        place of the draft."""
        # Spelled before the change begins: what JSON cannot hold should not cost a lock.
        now, spelled = time.time(), json.dumps(data, default=plain)
        with self._base.change() as changing:
            query = "UPDATE session SET changed = ? WHERE id = ?"
            self._require(changing.execute(query, (now, session)), session)
            if kind == "message":
                changing.execute("UPDATE session SET draft = '' WHERE id = ?", (session,))
            if about is not None:
                query = "SELECT 1 FROM entry WHERE id = ? AND session = ?"
                # The foreign key alone would allow an entry of another session.
                if changing.execute(query, (about, session)).fetchone() is None:
                    raise StateError(f"session {session} has no entry {about}")
            made = changing.execute(
                "INSERT INTO entry (session, kind, at, about, data, words)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (session, kind, now, about, spelled, sound(words)),
            )
        assert made.lastrowid is not None  # noqa: S101 - an insert has a row
        return made.lastrowid

    def begin(self, session: int, message: int, data: Mapping[str, Any]) -> Recording:
        """Begins a run of a message, before anything is asked of a model; ``data`` says how. Its
        ``hear`` is the run's ``watch``."""
        return self.recording(self.append(session, "run", data, about=message))

    def recording(self, run: int) -> Recording:
        """The recording of a run that was begun, by another process say. One that is not there, or
        was deleted, records nothing."""
        return Recording(run, self._writer)

    def entries(self, session: int, *, after: int = 0) -> tuple[Entry, ...]:
        """The entries in order, those with an id beyond ``after``: what another process added, say.
        Empty for an empty or a deleted session."""
        with self._base.read() as reading:
            rows = reading.execute(
                """SELECT id, session, kind, at, about, data, words,
                    EXISTS (SELECT 1 FROM report WHERE run = entry.id)
                FROM entry WHERE session = ? AND id > ? ORDER BY id""",
                (session, after),
            ).fetchall()
        return tuple(
            Entry(id, of, kind, moment(at), about, json.loads(data), words, bool(done))
            for id, of, kind, at, about, data, words, done in rows
        )

    def events(self, run: int, *, after: int = 0) -> tuple[Event, ...]:
        """The saved events of a run in order, the first ``after`` left out; pieces of an answer may
        be joined, and progress is not saved."""
        with self._base.read() as reading:
            query = "SELECT data FROM event WHERE run = ? AND place >= ? ORDER BY place"
            rows = reading.execute(query, (run, after)).fetchall()
        try:
            return tuple(EVENT.validate_json(data) for (data,) in rows)
        except ValidationError as error:
            raise StateError(
                f"the events of run {run} in {self._base.path} cannot be read: they are damaged, or"
                " a newer halubot wrote them"
            ) from error

    def report(self, run: int) -> Report | None:
        """The report of what is saved of a run, done or not; None if nothing is."""
        with self._base.read() as reading:
            query = "SELECT data FROM report WHERE run = ?"
            kept = reading.execute(query, (run,)).fetchone()
        if kept is not None:
            with suppress(ValidationError):  # the events tell it again
                return Report.model_validate_json(kept[0])
        events = self.events(run)
        return fold(events) if events else None

    def outline(self, run: int) -> Report | None:
        """The report of a run that is done, without its evidence and the texts of its sources,
        which takes 1 ms; None for any other run, and if it cannot be read."""
        with self._base.read() as reading:
            query = "SELECT outline FROM report WHERE run = ?"
            found = reading.execute(query, (run,)).fetchone()
        with suppress(ValidationError):
            return Report.model_validate_json(found[0]) if found else None
        return None

    def flush(self) -> None:
        """Returns once every event that was heard is on the disk."""
        self._writer.flush()

    def close(self) -> None:
        """Saves what is left and lets go of the base. Raises StateError if that is not saved."""
        try:
            self._writer.close()
        finally:
            self._base.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _select(self, where: str, values: Iterable[object]) -> tuple[Session, ...]:
        with self._base.read() as reading:
            rows = reading.execute(_SESSIONS + where, tuple(values)).fetchall()
        return tuple(
            Session(id, name, moment(created), moment(changed), *rest)
            for id, name, created, changed, *rest in rows
        )

    def _require(self, made: sqlite3.Cursor, session: int) -> None:
        if not made.rowcount:
            raise StateError(f"there is no session {session}: it may have been deleted")
