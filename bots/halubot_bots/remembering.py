"""What a bot remembers: settings of servers, reports of messages, work in hand, who opted out.

Texts and reports are deleted after a set time, and at once where a person asks for it. Ids are
those of the chat service, as numbers.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from halubot.facts import Report
from halubot.state import Base, Upgrade, state_folder
from halubot_bots import quotas
from halubot_bots.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILE: Final = "bots.db"

UPGRADES: Final[tuple[Upgrade, ...]] = (
    (
        "CREATE TABLE server (id INTEGER PRIMARY KEY, settings TEXT NOT NULL)",
        "CREATE TABLE opted_out (person INTEGER PRIMARY KEY)",
        """CREATE TABLE report (
            message INTEGER PRIMARY KEY,
            channel INTEGER NOT NULL,
            server INTEGER,
            author INTEGER NOT NULL,
            asked_by INTEGER NOT NULL,
            annotation INTEGER,
            at REAL NOT NULL,
            digest TEXT NOT NULL,
            data TEXT NOT NULL)""",
        "CREATE INDEX report_at ON report (at)",
        "CREATE UNIQUE INDEX report_annotation ON report (annotation) WHERE annotation IS NOT NULL",
        """CREATE TABLE work (
            message INTEGER PRIMARY KEY,
            channel INTEGER NOT NULL,
            server INTEGER,
            author INTEGER NOT NULL,
            at REAL NOT NULL,
            reply INTEGER)""",
        "CREATE TABLE told (what TEXT NOT NULL, whom INTEGER NOT NULL, PRIMARY KEY (what, whom))",
        *quotas.UPGRADE,
    ),
)
"""All versions of the base; a released one is never changed."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The report of a message, and where it was annotated (None: nowhere)."""

    message: int
    channel: int
    server: int | None
    author: int
    asked_by: int
    annotation: int | None
    report: Report


@dataclass(frozen=True, slots=True)
class Work:
    """A message whose check was begun; ``reply`` is what was sent for it by then."""

    message: int
    channel: int
    server: int | None
    author: int
    reply: int | None


class Memory:
    """The base of a bot. Calls may wait for the disk: not for an event loop. Every one raises
    StateError where the base cannot be used."""

    def __init__(self, base: Base, clock: Callable[[], float] = time.time) -> None:
        self.base = base
        self._clock = clock
        self._forgotten: dict[int, int] = {}
        self._forgettings = 0

    @classmethod
    def open(cls, folder: Path | None = None, clock: Callable[[], float] = time.time) -> Memory:
        """The memory kept in a folder (default: halubot's own)."""
        return cls(Base((folder or state_folder()) / FILE, UPGRADES, holds="bots"), clock)

    def server(self, server: int) -> ServerSettings:
        """The settings of a server; those of one that has none, or whose cannot be read any more,
        switch everything off."""
        with self.base.read() as reading:
            row = reading.execute("SELECT settings FROM server WHERE id = ?", (server,)).fetchone()
        try:
            return ServerSettings() if row is None else ServerSettings.model_validate_json(row[0])
        except ValidationError:
            return ServerSettings()

    def set_server(self, server: int, settings: ServerSettings) -> None:
        """Keeps the settings of a server."""
        with self.base.change() as changing:
            changing.execute(
                "INSERT OR REPLACE INTO server (id, settings) VALUES (?, ?)",
                (server, settings.model_dump_json()),
            )

    def opted_out(self, person: int) -> bool:
        """Whether nothing that this person writes is to be checked or kept."""
        with self.base.read() as reading:
            query = "SELECT 1 FROM opted_out WHERE person = ?"
            return reading.execute(query, (person,)).fetchone() is not None

    def opt_out(self, person: int, *, out: bool = True) -> None:
        """Keeps a person out of everything, or lets them in again."""
        with self.base.change() as changing:
            query = "INSERT OR IGNORE INTO opted_out VALUES (?)"
            changing.execute(query if out else "DELETE FROM opted_out WHERE person = ?", (person,))

    def begin(self, work: Work, digest: str = "") -> bool:
        """Takes a message into work; False where it is in work or was annotated already, by
        whichever process. With the ``digest`` of its text, one that was annotated with another text
        is taken again."""
        with self.base.change() as changing:
            done = (
                "SELECT 1 FROM report WHERE message = ? AND annotation IS NOT NULL"
                " AND (? = '' OR digest = ?)"
            )
            if changing.execute(done, (work.message, digest, digest)).fetchone():
                return False
            made = changing.execute(
                "INSERT OR IGNORE INTO work (message, channel, server, author, at, reply)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (work.message, work.channel, work.server, work.author, self._clock(), work.reply),
            )
        return bool(made.rowcount)

    def replied(self, message: int, reply: int) -> None:
        """What was sent for a message in work, so that after a crash it is edited, not sent
        twice."""
        with self.base.change() as changing:
            changing.execute("UPDATE work SET reply = ? WHERE message = ?", (reply, message))

    def end(self, message: int) -> None:
        """The work on a message has ended, whatever came of it."""
        with self.base.change() as changing:
            changing.execute("DELETE FROM work WHERE message = ?", (message,))

    def in_work(self) -> tuple[Work, ...]:
        """What was begun and not ended: after a start, what a crash broke off; oldest first."""
        with self.base.read() as reading:
            rows = reading.execute(
                "SELECT message, channel, server, author, reply FROM work ORDER BY at, message"
            ).fetchall()
        return tuple(Work(*row) for row in rows)

    @property
    def forgettings(self) -> int:
        """How often somebody was forgotten since the start: what a check begun now notes down for
        `keep`."""
        return self._forgettings

    def keep(self, kept: Kept, digest: str, *, begun: int | None = None) -> None:
        """Keeps a report, in place of an earlier one of the message. ``digest`` is of the text as
        the service has it: an edited message has another. Where ``begun`` is what `forgettings` was
        when the check began, nothing is kept of who was forgotten since."""
        with self.base.change() as changing:
            since = self._forgettings if begun is None else begun
            people = (kept.author, kept.asked_by)
            if any(self._forgotten.get(person, 0) > since for person in people):
                return
            changing.execute(
                "INSERT OR REPLACE INTO report (message, channel, server, author, asked_by,"
                " annotation, at, digest, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    kept.message,
                    kept.channel,
                    kept.server,
                    kept.author,
                    kept.asked_by,
                    kept.annotation,
                    self._clock(),
                    digest,
                    kept.report.to_json(indent=None),
                ),
            )

    def report(self, message: int) -> Kept | None:
        """The report of a message, or of the annotation with this id; None where none is kept."""
        with self.base.read() as reading:
            row = reading.execute(
                "SELECT message, channel, server, author, asked_by, annotation, data FROM report"
                " WHERE message = ? OR annotation = ?",
                (message, message),
            ).fetchone()
        if row is None:
            return None
        of, channel, server, author, asked_by, annotation, data = row
        try:
            report = Report.model_validate_json(data)
        except ValidationError:
            return None
        return Kept(of, channel, server, author, asked_by, annotation, report)

    def digest(self, message: int) -> str | None:
        """The digest of the text that the kept report is of."""
        with self.base.read() as reading:
            query = "SELECT digest FROM report WHERE message = ?"
            row = reading.execute(query, (message,)).fetchone()
        return None if row is None else str(row[0])

    def drop(self, message: int) -> None:
        """Forgets a message that was deleted, or whose annotation was dismissed."""
        with self.base.change() as changing:
            for table in ("report", "work"):
                changing.execute(f"DELETE FROM {table} WHERE message = ?", (message,))  # noqa: S608
        self.base.scrub()

    def expire(self, days: int) -> int:
        """Deletes texts and reports older than so many days; how many there were."""
        with self.base.change() as changing:
            old = self._clock() - days * 86_400
            made = changing.execute("DELETE FROM report WHERE at < ?", (old,))
        if made.rowcount:
            self.base.scrub()
        return made.rowcount

    def forget(self, person: int) -> int:
        """Deletes what a person wrote or asked for, for good; how many reports there were."""
        with self.base.change() as changing:
            self._forgettings += 1
            self._forgotten[person] = self._forgettings
            who = (person, person)
            made = changing.execute("DELETE FROM report WHERE author = ? OR asked_by = ?", who)
            changing.execute("DELETE FROM work WHERE author = ?", (person,))
        self.base.scrub()
        return made.rowcount

    def leave(self, server: int) -> None:
        """Forgets a server that the bot was removed from."""
        with self.base.change() as changing:
            changing.execute("DELETE FROM server WHERE id = ?", (server,))
            for table in ("report", "work"):
                changing.execute(f"DELETE FROM {table} WHERE server = ?", (server,))  # noqa: S608
        self.base.scrub()

    def tell_once(self, what: str, whom: int) -> bool:
        """Whether something is yet to be said to somebody, or in some place; then it counts as
        said."""
        with self.base.change() as changing:
            made = changing.execute("INSERT OR IGNORE INTO told VALUES (?, ?)", (what, whom))
        return bool(made.rowcount)

    def tell_today(self, what: str, whom: int) -> bool:
        """As `tell_once`, and once more on each day (UTC) on which it comes up."""
        day = f"{what} on day {int(self._clock() // 86_400)}"
        with self.base.change() as changing:
            old = "DELETE FROM told WHERE whom = ? AND what LIKE ? AND what <> ?"
            changing.execute(old, (whom, f"{what} on day %", day))
            made = changing.execute("INSERT OR IGNORE INTO told VALUES (?, ?)", (day, whom))
        return bool(made.rowcount)

    def tell_again(self, what: str, whom: int) -> None:
        """It is to be said once more when it next comes up: it had been mended meanwhile."""
        with self.base.change() as changing:
            changing.execute("DELETE FROM told WHERE what = ? AND whom = ?", (what, whom))

    def close(self) -> None:
        """Lets go of the base."""
        self.base.close()
