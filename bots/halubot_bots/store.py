"""The memory of a bot: settings of servers, reports of messages, work in hand, who opted out.

Texts and reports are deleted after a set time, and at once when somebody quoted in them asks for
it or their message is deleted. Ids are those of the chat service, as numbers.
"""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from halubot.report import Report
from halubot.state import Base, state_folder
from halubot_bots.entries import (
    Change,
    Forgotten,
    Kept,
    Key,
    Kind,
    Quoted,
    Shown,
    Use,
    Waiting,
    Work,
    join_forgotten,
)
from halubot_bots.settings import ServerSettings
from halubot_bots.tables import UPGRADES

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path


FILE: Final = "bots.db"

IDS_DAYS: Final = 365
"""Days for which the ids of quoted messages and of what the bot wrote are kept."""

MOST_GONE: Final = 10_000
"""Ids of deleted messages and forgotten people that running checks are compared with."""


class Memory:
    """The base of a bot. Calls may wait for the disk: not for an event loop. Every one raises
    StateError if the base cannot be used."""

    def __init__(self, base: Base, clock: Callable[[], float] = time.time) -> None:
        self.base = base
        self._clock = clock
        self._gone: OrderedDict[int, int] = OrderedDict()
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

    def set_server(
        self,
        server: int,
        settings: ServerSettings,
        changed: Mapping[str, Any] | None = None,
        person: int = 0,
    ) -> None:
        """Keep the settings of a server, with a line of what a person changed of them."""
        with self.base.change() as changing:
            if changed:
                changing.execute(
                    "INSERT INTO changed (server, person, at, what) VALUES (?, ?, ?, ?)",
                    (server, person, self._clock(), json.dumps(changed)),
                )
            changing.execute(
                "INSERT OR REPLACE INTO server (id, settings) VALUES (?, ?)",
                (server, settings.model_dump_json()),
            )

    def changes(self, server: int, most: int) -> tuple[Change, ...]:
        """The last changes of a server's settings, the newest first."""
        with self.base.read() as reading:
            rows = reading.execute(
                "SELECT person, at, what FROM changed WHERE server = ? ORDER BY id DESC LIMIT ?",
                (server, most),
            ).fetchall()
        return tuple(Change(row[0], row[1], json.loads(row[2])) for row in rows)

    def opted_out(self, person: int) -> bool:
        """Return True if nothing that this person writes is to be checked or kept."""
        with self.base.read() as reading:
            query = "SELECT 1 FROM opted_out WHERE person = ?"
            return reading.execute(query, (person,)).fetchone() is not None

    def opt_out(self, person: int, *, out: bool = True) -> None:
        """Keep a person out of everything, or let them in again."""
        with self.base.change() as changing:
            query = "INSERT OR IGNORE INTO opted_out VALUES (?)"
            changing.execute(query if out else "DELETE FROM opted_out WHERE person = ?", (person,))

    def begin(self, work: Work, digest: str = "") -> bool:
        """Take a message into work; False if it is in work or was annotated already, by
        whichever process. With the ``digest`` of its text, one that was annotated with another text
        is taken again."""
        with self.base.change() as changing:
            if work.server is not None:
                changing.execute(
                    # Never move it back: after an edit of an old message, all since then would be
                    # taken up again.
                    "INSERT INTO heard (channel, server, message) VALUES (?, ?, ?) ON CONFLICT"
                    " (channel) DO UPDATE SET message = excluded.message"
                    " WHERE heard.message < excluded.message",
                    (work.channel, work.server, work.message),
                )
            done = (
                "SELECT 1 FROM report WHERE message = ? AND kind = 'public'"
                " AND annotation IS NOT NULL AND (? = '' OR digest = ?)"
            )
            if changing.execute(done, (work.message, digest, digest)).fetchone():
                return False
            # The row is the lock: of two processes that hear the same message one can insert it.
            made = changing.execute(
                "INSERT OR IGNORE INTO work (message, channel, server, author, at, reply)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (work.message, work.channel, work.server, work.author, self._clock(), work.reply),
            )
        return bool(made.rowcount)

    def note_reply(self, message: int, reply: int) -> None:
        """Note the reply to a message in work, so that after a crash it is edited, not sent
        twice."""
        with self.base.change() as changing:
            changing.execute("UPDATE work SET reply = ? WHERE message = ?", (reply, message))

    def end(self, message: int) -> None:
        """The work on a message has ended, whatever came of it."""
        with self.base.change() as changing:
            changing.execute("DELETE FROM work WHERE message = ?", (message,))

    def in_work(self) -> tuple[Work, ...]:
        """Return the messages that were begun and not ended: after a start, what a crash broke off;
        oldest first."""
        with self.base.read() as reading:
            rows = reading.execute(
                "SELECT message, channel, server, author, reply FROM work ORDER BY at, message"
            ).fetchall()
        return tuple(Work(*row) for row in rows)

    def work_in(self, server: int) -> tuple[int, ...]:
        """The messages of a server that are in work, whichever process began it."""
        with self.base.read() as reading:
            query = "SELECT message FROM work WHERE server = ?"
            return tuple(row[0] for row in reading.execute(query, (server,)).fetchall())

    def last_heard(self) -> dict[int, int]:
        """The last message that was taken up in each channel, by channel."""
        with self.base.read() as reading:
            return dict(reading.execute("SELECT channel, message FROM heard").fetchall())

    def watch_from(self, channel: int, server: int, message: int) -> None:
        """Messages after this id are taken up; those before it were written unwatched."""
        with self.base.change() as changing:
            query = "INSERT OR REPLACE INTO heard (channel, server, message) VALUES (?, ?, ?)"
            changing.execute(query, (channel, server, message))

    @property
    def forgettings(self) -> int:
        """The number of times that something was forgotten since the start: a check notes this
        number before it reads anything, and gives it to `quote` and `keep`."""
        return self._forgettings

    def quote(
        self,
        key: Key,
        quoted: Iterable[Quoted],
        *,
        asked_by: int,
        channel: int,
        server: int | None,
        begun: int,
    ) -> bool:
        """Note whose words a report will hold, before its check begins. False if one of the
        messages or people was forgotten since ``begun``: then the check must not be made."""
        quoted = set(quoted)
        with self.base.change() as changing:
            ids = (asked_by, key.message, server or 0, *(id for one in quoted for id in one))
            if self._is_gone(begun, ids):
                return False
            changing.executemany(
                "INSERT OR REPLACE INTO quoted (of, kind, asker, message, person, asked_by,"
                " channel, server, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (*key, one.message, one.person, asked_by, channel, server, self._clock())
                    for one in quoted
                ],
            )
        return True

    def quotes_in(self, key: Key) -> tuple[Quoted, ...]:
        """The messages whose words a report holds, with their authors."""
        with self.base.read() as reading:
            query = "SELECT message, person FROM quoted WHERE of = ? AND kind = ? AND asker = ?"
            return tuple(Quoted(*row) for row in reading.execute(query, key).fetchall())

    def quotings(self, person: int) -> tuple[Use, ...]:
        """The checks of other people's messages that quoted this person, newest first."""
        with self.base.read() as reading:
            rows = reading.execute(
                "SELECT max(channel), of, message, max(server) FROM quoted"
                " WHERE person = ? AND message <> of GROUP BY of, message ORDER BY max(at) DESC",
                (person,),
            ).fetchall()
        return tuple(Use(*row) for row in rows)

    def show(self, of: int, channel: int, message: int) -> None:
        """Note what the bot wrote in public about the message ``of``."""
        with self.base.change() as changing:
            changing.execute(
                "INSERT OR REPLACE INTO shown (message, channel, of, at) VALUES (?, ?, ?, ?)",
                (message, channel, of, self._clock()),
            )

    def note_word(
        self, word: int, person: int, key: Key, *, quoted: Iterable[Quoted], begun: int
    ) -> bool:
        """Note the id of what a person said of a verdict in a report: it holds copies of texts.
        False if one of those ``quoted`` there was forgotten since ``begun``: then it must go."""
        with self.base.change() as changing:
            if self._is_gone(begun, (person, key.message, *(id for one in quoted for id in one))):
                return False
            query = "INSERT OR REPLACE INTO said (word, person, of, kind, asker)"
            changing.execute(f"{query} VALUES (?, ?, ?, ?, ?)", (word, person, *key))
        return True

    def keep(self, kept: Kept, digest: str, *, begun: int | None = None) -> None:
        """Keep a report, in place of an earlier one of its key. ``digest`` is of the text as
        the service has it: an edited message has another. If ``begun`` is what `forgettings` was
        when the check began, nothing is kept that quotes who or what was forgotten since."""
        with self.base.change() as changing:
            ids = {id for one in self.quotes_in(kept.key) for id in one}
            ids |= {kept.author, kept.asked_by, kept.message, kept.server or 0}
            # In the same transaction as the insert: a person who is forgotten between the two would
            # come back with the report.
            if begun is not None and self._is_gone(begun, ids):
                return
            changing.execute(
                "INSERT OR REPLACE INTO report (message, kind, asker, channel, server, author,"
                " asked_by, annotation, at, digest, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *kept.key,
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
            own = (*kept.key, kept.message, kept.author)
            changing.execute(
                "INSERT OR IGNORE INTO quoted (of, kind, asker, message, person, asked_by,"
                " channel, server, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*own, kept.asked_by, kept.channel, kept.server, self._clock()),
            )

    def report(
        self, message: int, kind: Kind = "public", asker: int | None = None, *, digest: str = ""
    ) -> Kept | None:
        """The report of a message, or of the public annotation with this id; None if none is kept,
        or it is of a text with another ``digest``. Without ``asker``, the newest of that kind."""
        with self.base.read() as reading:
            row = reading.execute(
                "SELECT message, channel, server, author, asked_by, annotation, kind, data"
                " FROM report WHERE kind = ?1 AND (message = ?2 OR (annotation = ?2"
                " AND kind = 'public')) AND (?3 IS NULL OR asker = ?3)"
                " AND (?4 = '' OR digest = ?4) ORDER BY at DESC LIMIT 1",
                (kind, message, asker, digest),
            ).fetchone()
        if row is None:
            return None
        of, channel, server, author, asked_by, annotation, found, data = row
        try:
            report = Report.model_validate_json(data)
        except ValidationError:
            return None
        return Kept(of, channel, server, author, asked_by, annotation, report, found)

    def digest(self, message: int) -> str | None:
        """The digest of the text that the public report is of."""
        with self.base.read() as reading:
            query = "SELECT digest FROM report WHERE message = ? AND kind = 'public'"
            row = reading.execute(query, (message,)).fetchone()
        return None if row is None else str(row[0])

    def drop(self, *messages: int) -> Forgotten:
        """Forget messages that were deleted, with every report that quotes them."""
        found = []
        with self.base.change() as changing:
            for message in messages:
                # Before anything is deleted, so that a check under way that quotes it is refused
                # when it ends.
                self._note_gone(message)
                query = "SELECT DISTINCT of, kind, asker FROM quoted WHERE message = ?"
                keys = changing.execute(query, (message,)).fetchall()
                found.append(self._delete(changing, keys, of=message))
                changing.execute("DELETE FROM work WHERE message = ?", (message,))
                changing.execute("DELETE FROM shown WHERE message = ?", (message,))
        self.base.scrub()
        return join_forgotten(found)

    def withdraw(self, message: int) -> tuple[Shown, ...]:
        """Delete the public report of a message. Return what is to be taken back. Whom it quoted
        stays noted, for answers of models quote them too."""
        with self.base.change() as changing:
            query = "DELETE FROM report WHERE message = ? AND kind = 'public'"
            gone = changing.execute(query, (message,)).rowcount
            query = "DELETE FROM shown WHERE of = ? RETURNING channel, message"
            shown = tuple(Shown(*row) for row in changing.execute(query, (message,)).fetchall())
        if gone:
            self.base.scrub()
        return shown

    def expire(self, days: int) -> int:
        """Delete texts and reports older than so many days. Return the number of reports."""
        now = self._clock()
        with self.base.change() as changing:
            made = changing.execute("DELETE FROM report WHERE at < ?", (now - days * 86_400,))
            for table in ("quoted", "shown", "changed"):
                # Ids outlive the texts, so that what the bot showed of them can still be taken
                # back.
                old = (now - max(days, IDS_DAYS) * 86_400,)
                changing.execute(f"DELETE FROM {table} WHERE at < ?", old)  # noqa: S608
            # The token of an interaction lives for 15 minutes: nobody older can be told anything.
            changing.execute("DELETE FROM waiting WHERE at < ?", (now - 3_600,))
        if made.rowcount:
            self.base.scrub()
        return made.rowcount

    def forget(self, person: int) -> Forgotten:
        """Delete what a person wrote or asked for, and every report that quotes them, for good."""
        with self.base.change() as changing:
            self._note_gone(person)
            keys = changing.execute(
                "SELECT of, kind, asker FROM quoted WHERE person = ?1 OR asked_by = ?1"
                " UNION SELECT message, kind, asker FROM report WHERE author = ?1 OR asked_by = ?1"
                " UNION SELECT of, kind, asker FROM said WHERE person = ?1",
                (person,),
            ).fetchall()
            found = self._delete(changing, keys)
            changing.execute("DELETE FROM work WHERE author = ?", (person,))
            # The log of a server's settings stays, and names nobody.
            changing.execute("UPDATE changed SET person = 0 WHERE person = ?", (person,))
        self.base.scrub()
        return found

    def checked_in(self, channel: int) -> tuple[int, ...]:
        """Return the messages of a channel that were checked, or are being checked."""
        with self.base.read() as reading:
            rows = reading.execute(
                "SELECT of FROM quoted WHERE channel = ?1 UNION SELECT message FROM report"
                " WHERE channel = ?1 UNION SELECT message FROM work WHERE channel = ?1",
                (channel,),
            ).fetchall()
        return tuple(row[0] for row in rows)

    def leave(self, server: int) -> Forgotten:
        """Forget a server that the bot was removed from."""
        with self.base.change() as changing:
            self._note_gone(server)
            keys = changing.execute(
                "SELECT of, kind, asker FROM quoted WHERE server = ?1"
                " UNION SELECT message, kind, asker FROM report WHERE server = ?1",
                (server,),
            ).fetchall()
            found = self._delete(changing, keys)
            changing.execute("DELETE FROM server WHERE id = ?", (server,))
            for table in ("work", "heard", "changed"):
                changing.execute(f"DELETE FROM {table} WHERE server = ?", (server,))  # noqa: S608
        self.base.scrub()
        return found

    def _delete(
        self, changing: sqlite3.Connection, keys: Sequence[tuple[int, str, int]], *, of: int = 0
    ) -> Forgotten:
        """Delete all that is kept under some keys. What was shown of a message is taken back with
        its public report; of a message that was deleted (``of``) in any case."""
        reports, shown, people, words = 0, [], set(), []
        for key in keys:
            where = "WHERE of = ? AND kind = ? AND asker = ?"
            query = f"SELECT DISTINCT asked_by FROM quoted {where}"  # noqa: S608
            people |= {row[0] for row in changing.execute(query, key)}
            words += changing.execute(f"SELECT word, person FROM said {where}", key).fetchall()  # noqa: S608
            for table in ("quoted", "said"):
                changing.execute(f"DELETE FROM {table} {where}", key)  # noqa: S608
            query = "DELETE FROM report WHERE message = ? AND kind = ? AND asker = ?"
            reports += changing.execute(query, key).rowcount
        for message in {key[0] for key in keys if key[1] == "public"} | ({of} if of else set()):
            query = "SELECT channel, message FROM shown WHERE of = ?"
            shown += [Shown(*row) for row in changing.execute(query, (message,))]
            changing.execute("DELETE FROM shown WHERE of = ?", (message,))
        return Forgotten(reports, tuple(shown), frozenset(people), tuple(words))

    def _note_gone(self, id: int) -> None:
        self._forgettings += 1
        self._gone[id] = self._forgettings
        self._gone.move_to_end(id)
        # Drop the oldest: no check runs so long that ten thousand deletions come meanwhile.
        while len(self._gone) > MOST_GONE:
            self._gone.popitem(last=False)

    def _is_gone(self, begun: int, ids: Iterable[int]) -> bool:
        return any(self._gone.get(id, 0) > begun for id in ids)

    def wait(self, *waiting: Waiting) -> None:
        """Note who waits for answers."""
        with self.base.change() as changing:
            changing.executemany(
                "INSERT OR REPLACE INTO waiting (interaction, application, token, language, at)"
                " VALUES (?, ?, ?, ?, ?)",
                [(*one, self._clock()) for one in waiting],
            )

    def note_answer(self, interaction: int) -> None:
        """Nobody waits for this answer any more."""
        with self.base.change() as changing:
            changing.execute("DELETE FROM waiting WHERE interaction = ?", (interaction,))

    def waiting(self) -> tuple[Waiting, ...]:
        """Those whose answers a stop broke off, until `note_answer` says that they were told."""
        with self.base.read() as reading:
            fields = ", ".join(Waiting._fields)
            query = f"SELECT {fields} FROM waiting"  # noqa: S608
            return tuple(Waiting(*row) for row in reading.execute(query).fetchall())

    def note(self, name: str, value: str) -> None:
        """Keep a small fact of the bot's own under a name."""
        with self.base.change() as changing:
            changing.execute(
                "INSERT OR REPLACE INTO fact (name, value) VALUES (?, ?)", (name, value)
            )

    def read_note(self, name: str) -> str:
        """The fact that `note` kept, or ""."""
        with self.base.read() as reading:
            row = reading.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
        return "" if row is None else str(row[0])

    def tell_once(self, what: str, whom: int) -> bool:
        """Return True if something is yet to be said to somebody, or in some place; then it counts
        as said."""
        with self.base.change() as changing:
            made = changing.execute("INSERT OR IGNORE INTO told VALUES (?, ?)", (what, whom))
        return bool(made.rowcount)

    def tell_today(self, what: str, whom: int) -> bool:
        """As `tell_once`, and once more on each day (UTC) on which it comes up."""
        day = f"{what} on day {int(self._clock() // 86_400)}"
        with self.base.change() as changing:
            # Delete those of other days, or a row would stay for each day.
            old = "DELETE FROM told WHERE whom = ? AND what LIKE ? AND what <> ?"
            changing.execute(old, (whom, f"{what} on day %", day))
            made = changing.execute("INSERT OR IGNORE INTO told VALUES (?, ?)", (day, whom))
        return bool(made.rowcount)

    def tell_again(self, what: str, whom: int) -> None:
        """Have something said once more when it next comes up: it was mended meanwhile."""
        with self.base.change() as changing:
            changing.execute("DELETE FROM told WHERE what = ? AND whom = ?", (what, whom))

    def close(self) -> None:
        """Let go of the base."""
        self.base.close()
