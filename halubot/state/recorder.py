"""Events of runs, saved as they happen by a thread of their own, so that nobody waits for a disk.

Events are written some at a time: pieces of an answer that come in between as one piece, progress
not at all. The report of what is saved is the report of what was heard.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from pydantic_core import PydanticSerializationError

from halubot.errors import StateError
from halubot.events import EVENT, AnswerToken, Done, Event, Progress, SentenceMarked, fold
from halubot.report import Report
from halubot.state import Base

BATCH_SECONDS: Final = 0.2
"""How long an event may wait for others to be saved with."""

RETRY_SECONDS: Final = 2.0
"""How long to wait before saving is tried again if it failed."""


class Writer:
    """Saves the events of all runs of one base, in order; its thread begins with the first event.

    ``warn`` is called once for each kind of failure; what could not be saved is kept in memory and
    tried again.
    """

    def __init__(self, base: Base, warn: Callable[[StateError], None] | None = None) -> None:
        self._base = base
        self._warn = warn
        self._waiting: list[tuple[int, Event]] = []
        self._failure: StateError | None = None
        self._news = threading.Condition()
        self._saving = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False

    def hear(self, run: int, event: Event) -> None:
        """Takes an event to be saved; never waits for the disk. Nothing is taken once closed."""
        with self._news:
            if self._closed:
                return
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="saving", daemon=True)
                self._thread.start()
            self._waiting.append((run, event))
            self._news.notify()

    def flush(self) -> None:
        """Returns once all that was heard is on the disk. Raises StateError if it cannot be
        saved; it is tried again later all the same."""
        with self._saving:
            batch = [*self._waiting]
            try:
                if batch:
                    write(self._base, batch)
            except Exception as error:
                plain = isinstance(error, StateError)
                why = str(error) if plain else f"cannot save: {type(error).__name__}: {error}"
                failure = StateError(why)
                is_new, self._failure = why != str(self._failure), failure
                if is_new and self._warn is not None:
                    self._warn(failure)
                raise failure from error
            self._failure = None
            with self._news:
                del self._waiting[: len(batch)]

    def close(self) -> None:
        """Saves what is left and ends. Raises StateError if that cannot be saved."""
        try:
            self.flush()
        finally:
            with self._news:
                self._closed = True
                self._news.notify()
            if self._thread is not None:
                self._thread.join()

    def _work(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._waiting or self._closed)
                # Some are gathered first; a full disk must not keep a program from ending.
                pause = RETRY_SECONDS if self._failure else BATCH_SECONDS
                self._news.wait_for(lambda: self._closed, pause)
                if self._closed:
                    return
            with suppress(StateError):
                self.flush()


@dataclass(frozen=True, slots=True)
class Recording:
    """The events of one run on their way to the disk; ``run`` is its entry."""

    run: int
    writer: Writer

    def hear(self, event: Event) -> None:
        """Takes an event of the one check that this is: what its ``watch`` is. Never waits for the
        disk, and may be called on a loop."""
        self.writer.hear(self.run, event)

    def flush(self) -> None:
        """Returns once all events so far are on the disk; not for the drawing loop. Raises
        StateError if they cannot be saved."""
        self.writer.flush()


def write(base: Base, batch: Iterable[tuple[int, Event]]) -> None:
    """Appends events to their runs, in one change; those of a run that was deleted are dropped.
    If a run is done its report and its text are put beside them."""
    runs: dict[int, list[Event]] = {}
    for run, event in batch:
        runs.setdefault(run, []).append(event)
    with base.change() as changing:
        for run, events in runs.items():
            query = "SELECT session FROM entry WHERE id = ? AND kind = 'run'"
            session = changing.execute(query, (run,)).fetchone()
            if session is None:
                continue
            # Counted in the base and not here: another process may have begun the run.
            query = "SELECT coalesce(max(place) + 1, 0) FROM event WHERE run = ?"
            (place,) = changing.execute(query, (run,)).fetchone()
            rows = [
                (run, place + n, event_json(event)) for n, event in enumerate(join_pieces(events))
            ]
            changing.executemany("INSERT INTO event (run, place, data) VALUES (?, ?, ?)", rows)
            # max, since events are saved late: what the person did meanwhile is newer.
            touched = "UPDATE session SET changed = max(changed, ?) WHERE id = ?"
            changing.execute(touched, (time.time(), *session))
            if any(isinstance(event, Done) for event in events):
                with suppress(ValueError):  # a log that cannot be read has no report
                    _finish(changing, run)


def _finish(changing: sqlite3.Connection, run: int) -> None:
    query = "SELECT data FROM event WHERE run = ? ORDER BY place"
    events = [EVENT.validate_json(data) for (data,) in changing.execute(query, (run,))]
    report = fold(events)
    changing.execute(
        "INSERT OR REPLACE INTO report (run, outline, data) VALUES (?, ?, ?)",
        (run, _outline(report).to_json(indent=None), report.to_json(indent=None)),
    )
    changing.execute("UPDATE entry SET words = ? WHERE id = ?", (report.text, run))


def _outline(report: Report) -> Report:
    """The report without its evidence and the texts of its sources."""
    facts = tuple(
        fact.model_copy(update={"evidence": (), "nearest": None}) for fact in report.facts
    )
    sources = tuple(source.model_copy(update={"text": None}) for source in report.sources)
    return report.model_copy(update={"facts": facts, "sources": sources})


def join_pieces(events: Iterable[Event]) -> Iterator[Event]:
    """The events with neighbouring pieces of an answer as one, and no progress."""
    pieces: list[str] = []
    for event in events:
        match event:
            case Progress() | SentenceMarked():
                continue
            case AnswerToken():
                pieces.append(event.text)
                continue
        if pieces:
            yield AnswerToken(text="".join(pieces))
            pieces = []
        yield event
    if pieces:
        yield AnswerToken(text="".join(pieces))


def event_json(event: Event) -> str:
    """An event as JSON; half a surrogate pair, which a model may send, becomes "?"."""
    try:
        return EVENT.dump_json(event).decode()
    except PydanticSerializationError:
        plain = json.dumps(EVENT.dump_python(event), ensure_ascii=False)
        return plain.encode("utf-8", "replace").decode()
