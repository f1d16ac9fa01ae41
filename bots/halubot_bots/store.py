"""The store of the bot: settings, cards, private reports, and what is still to be deleted.

Texts are deleted after a set time, and at once when their author or message is gone. Ids are those
of Discord, as numbers.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from halubot.report import Report
from halubot.state import Base, state_folder
from halubot_bots import budgets
from halubot_bots.records import (
    Disagreement,
    Errand,
    KeptCard,
    KeptReport,
    KeptWord,
    Place,
    Quoted,
)
from halubot_bots.settings import ServerSettings

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable
    from pathlib import Path

    from halubot.state import Upgrade

FILE: Final = "discord.db"

UPGRADES: Final[tuple[Upgrade, ...]] = (
    (
        "CREATE TABLE server (id INTEGER PRIMARY KEY, settings TEXT NOT NULL)",
        "CREATE TABLE left_out (person INTEGER PRIMARY KEY)",
        # A card that was withdrawn stays as a row without data, so that it is not sent again.
        """CREATE TABLE card (
            question INTEGER PRIMARY KEY,
            asker INTEGER NOT NULL,
            channel INTEGER NOT NULL,
            server INTEGER,
            message INTEGER,
            edits INTEGER NOT NULL DEFAULT 0,
            dirty INTEGER NOT NULL DEFAULT 1,
            at REAL NOT NULL,
            data TEXT)""",
        "CREATE INDEX card_message ON card (message)",
        """CREATE TABLE report (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            asker INTEGER NOT NULL,
            channel INTEGER NOT NULL,
            server INTEGER,
            message INTEGER,
            at REAL NOT NULL,
            data TEXT NOT NULL)""",
        # The messages whose words a card or a report holds, and who wrote them.
        """CREATE TABLE quoted (
            kind TEXT NOT NULL,
            of INTEGER NOT NULL,
            message INTEGER NOT NULL,
            person INTEGER NOT NULL,
            channel INTEGER NOT NULL,
            server INTEGER,
            PRIMARY KEY (kind, of, message))""",
        "CREATE INDEX quoted_message ON quoted (message)",
        "CREATE INDEX quoted_person ON quoted (person)",
        """CREATE TABLE errand (
            message INTEGER PRIMARY KEY,
            channel INTEGER NOT NULL,
            tries INTEGER NOT NULL DEFAULT 0,
            at REAL NOT NULL)""",
        # The last message of a watched channel that was looked at.
        """CREATE TABLE heard (
            channel INTEGER PRIMARY KEY,
            server INTEGER NOT NULL,
            message INTEGER NOT NULL)""",
        "CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
        *budgets.TABLES,
    ),
    (
        # What people say of verdicts. ``mark`` is a digest, ``data`` holds no text.
        """CREATE TABLE word (
            person INTEGER NOT NULL,
            mark TEXT NOT NULL,
            server INTEGER,
            at REAL NOT NULL,
            says TEXT NOT NULL,
            data TEXT NOT NULL,
            PRIMARY KEY (person, mark))""",
    ),
)
"""All versions of the base. A released version is never changed."""


class Store:
    """The base of the bot. Calls may wait for the disk: not for an event loop. Each raises
    StateError if the base cannot be used."""

    def __init__(self, base: Base, clock: Callable[[], float] = time.time) -> None:
        self.base = base
        self._clock = clock

    @classmethod
    def open(cls, folder: Path | None = None, clock: Callable[[], float] = time.time) -> Store:
        """Open the store in a folder (default: halubot's own)."""
        return cls(Base((folder or state_folder()) / FILE, UPGRADES, holds="discord"), clock)

    def close(self) -> None:
        """Let go of the base."""
        self.base.close()

    # settings

    def settings(self, server: int) -> ServerSettings:
        """Return the settings of a server; of one that has none, or whose cannot be read any more,
        those that switch everything off."""
        with self.base.read() as reading:
            row = reading.execute("SELECT settings FROM server WHERE id = ?", (server,)).fetchone()
        try:
            return ServerSettings() if row is None else ServerSettings.model_validate_json(row[0])
        except ValidationError:
            return ServerSettings()

    def set_settings(self, server: int, settings: ServerSettings) -> None:
        """Keep the settings of a server."""
        with self.base.change() as changing:
            query = "INSERT OR REPLACE INTO server (id, settings) VALUES (?, ?)"
            changing.execute(query, (server, settings.model_dump_json()))

    def servers(self) -> frozenset[int]:
        """Return the servers of which anything is kept."""
        query = (
            "SELECT id FROM server UNION SELECT server FROM card UNION SELECT server FROM report"
            " UNION SELECT server FROM quoted UNION SELECT server FROM heard"
        )
        with self.base.read() as reading:
            rows = reading.execute(query).fetchall()
        return frozenset(row[0] for row in rows if row[0] is not None)

    def left_out(self, person: int) -> bool:
        """Return True if a person asked for nothing of theirs to be checked."""
        with self.base.read() as reading:
            query = "SELECT 1 FROM left_out WHERE person = ?"
            return reading.execute(query, (person,)).fetchone() is not None

    def leave_out(self, person: int, *, out: bool) -> None:
        """Leave a person out of everything, or let them in again."""
        with self.base.change() as changing:
            query = "INSERT OR IGNORE INTO left_out VALUES (?)"
            changing.execute(query if out else "DELETE FROM left_out WHERE person = ?", (person,))

    def note(self, name: str, value: str) -> None:
        """Keep a small fact of the bot's own under a name."""
        with self.base.change() as changing:
            query = "INSERT OR REPLACE INTO note (name, value) VALUES (?, ?)"
            changing.execute(query, (name, value))

    def read_note(self, name: str) -> str:
        """Return the fact that `note` kept, or ""."""
        with self.base.read() as reading:
            row = reading.execute("SELECT value FROM note WHERE name = ?", (name,)).fetchone()
        return "" if row is None else str(row[0])

    # cards

    def card(self, question: int) -> KeptCard | None:
        """Return the card of a question; None if it has none or it was withdrawn."""
        return self._card("question = ?", question)

    def card_shown_by(self, message: int) -> KeptCard | None:
        """Return the card that a message of the bot's own shows; None if it shows none."""
        return self._card("message = ?", message)

    def keep_card(
        self, question: Quoted, place: Place, what: Disagreement, *, asked: bool = True
    ) -> None:
        """Keep what a card shows, to be sent or edited. ``asked`` says if the question's text is
        kept too. One that was withdrawn stays so."""
        with self.base.change() as changing:
            changed = changing.execute(
                """INSERT INTO card (question, asker, channel, server, at, data)
                VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (question) DO UPDATE
                SET data = excluded.data, dirty = 1, at = excluded.at WHERE data IS NOT NULL""",
                (question.message, question.person, *place, self._clock(), _json(what)),
            )
            if not changed.rowcount:
                return
            quoted = [Quoted(one.message, one.author) for one in what.answers]
            quoted += [question] if asked else []
            _quote(changing, "card", question.message, place, quoted)

    def change_card(self, question: int, what: Disagreement) -> None:
        """Have a card show something else, unless it was withdrawn."""
        with self.base.change() as changing:
            query = "UPDATE card SET data = ?, dirty = 1 WHERE question = ? AND data IS NOT NULL"
            changing.execute(query, (_json(what), question))

    def dirty_cards(self, most: int = 50) -> tuple[KeptCard, ...]:
        """Return cards that are still to be sent or edited, the oldest first."""
        with self.base.read() as reading:
            query = f"{_CARD} WHERE dirty AND data IS NOT NULL ORDER BY at LIMIT ?"
            return tuple(map(_read_card, reading.execute(query, (most,)).fetchall()))

    def note_shown(self, question: int, message: int, shown: Disagreement) -> None:
        """Note that a message shows the card as it was at ``shown``."""
        with self.base.change() as changing:
            changing.execute(
                "UPDATE card SET message = ?, edits = edits + 1,"
                " dirty = (data IS NOT NULL AND data <> ?) WHERE question = ?",
                (message, _json(shown), question),
            )

    def give_up(self, question: int) -> None:
        """Send a card no more in its present state."""
        with self.base.change() as changing:
            changing.execute("UPDATE card SET dirty = 0 WHERE question = ?", (question,))

    # private reports

    def keep_report(
        self,
        asker: int,
        place: Place,
        message: int | None,
        quoted: Iterable[Quoted],
        report: Report,
    ) -> int:
        """Keep a report that somebody asked for. Return its id."""
        with self.base.change() as changing:
            query = (
                "INSERT INTO report (asker, channel, server, message, at, data)"
                " VALUES (?, ?, ?, ?, ?, ?)"
            )
            data = report.to_json(indent=None)
            made = changing.execute(query, (asker, *place, message, self._clock(), data))
            number = int(made.lastrowid or 0)
            _quote(changing, "report", number, place, quoted)
        return number

    def report(self, number: int) -> KeptReport | None:
        """Return a report; None if it is no longer kept."""
        with self.base.read() as reading:
            query = "SELECT id, asker, channel, server, message, data FROM report WHERE id = ?"
            row = reading.execute(query, (number,)).fetchone()
        if row is None:
            return None
        id, asker, channel, server, message, data = row
        report = Report.model_validate_json(data)
        return KeptReport(id, asker, Place(channel, server), message, report)

    def quoted_by(self, number: int) -> tuple[Quoted, ...]:
        """Return the messages that a report has words of."""
        with self.base.read() as reading:
            query = "SELECT message, person FROM quoted WHERE kind = 'report' AND of = ?"
            return tuple(Quoted(*row) for row in reading.execute(query, (number,)).fetchall())

    def drop_report(self, number: int) -> None:
        """Delete a report."""
        with self.base.change() as changing:
            self._forget(changing, {("report", number)}, set())
        self.base.scrub()

    # feedback

    def say(
        self, person: int, server: int | None, mark: str, says: str, data: dict[str, Any]
    ) -> None:
        """Keep a person's word on what has this mark; if it is kept already, take it back."""
        with self.base.change() as changing:
            query = "DELETE FROM word WHERE person = ? AND mark = ?"
            if not changing.execute(query, (person, mark)).rowcount:
                query = "INSERT INTO word (person, mark, server, at, says, data)"
                row = (person, mark, server, self._clock(), says, json.dumps(data, sort_keys=True))
                changing.execute(f"{query} VALUES (?, ?, ?, ?, ?, ?)", row)

    def words(self, person: int) -> dict[str, KeptWord]:
        """Return a person's words by mark."""
        with self.base.read() as reading:
            query = "SELECT mark, at, says FROM word WHERE person = ?"
            rows = reading.execute(query, (person,)).fetchall()
        return {mark: KeptWord(at, says) for mark, at, says in rows}

    def all_words(self) -> list[dict[str, Any]]:
        """Return the words of everybody for an export, oldest first: without names and texts."""
        with self.base.read() as reading:
            rows = reading.execute("SELECT at, says, data FROM word ORDER BY at").fetchall()
        return [{"at": int(at), "says": says, **json.loads(data)} for at, says, data in rows]

    # deletion

    def forget_messages(self, messages: Collection[int]) -> None:
        """Delete all that is kept of messages that are gone: answers from cards, which show less
        or are withdrawn, and the reports that quote them."""
        gone = set(messages)
        with self.base.change() as changing:
            found: set[tuple[str, int]] = set()
            for message in gone:
                query = "SELECT kind, of FROM quoted WHERE message = ?"
                found.update(changing.execute(query, (message,)).fetchall())
                # The bot's own card was deleted by somebody who did not want it.
                query = "SELECT question FROM card WHERE message = ?"
                for row in changing.execute(query, (message,)).fetchall():
                    changing.execute("UPDATE card SET message = NULL WHERE message = ?", (message,))
                    self._withdraw(changing, row[0])
                changing.execute("DELETE FROM errand WHERE message = ?", (message,))
            self._forget(changing, found, gone)
        if found:
            self.base.scrub()

    def forget_person(self, person: int, server: int | None = None) -> int:
        """Delete what a person wrote or asked for (in one server, if given), and only that. Return
        the number of reports and cards that changed."""
        with self.base.change() as changing:
            where = "person = ?1 AND (?2 IS NULL OR server = ?2)"
            query = f"SELECT kind, of, message FROM quoted WHERE {where}"  # noqa: S608
            rows = changing.execute(query, (person, server)).fetchall()
            query = "SELECT id FROM report WHERE asker = ?1 AND (?2 IS NULL OR server = ?2)"
            asked = changing.execute(query, (person, server)).fetchall()
            found = {(kind, of) for kind, of, _ in rows} | {("report", row[0]) for row in asked}
            self._forget(changing, found, {row[2] for row in rows})
            changing.execute(
                "UPDATE card SET asker = 0 WHERE asker = ?1 AND (?2 IS NULL OR server = ?2)",
                (person, server),
            )
            where = "json_extract(data, '$.corrector') = ?1 AND (?2 IS NULL OR server = ?2)"
            query = f"{_CARD} WHERE {where}"
            for row in changing.execute(query, (person, server)).fetchall():
                card = _read_card(row)
                what = card.what.model_copy(update={"corrector": 0})
                query = "UPDATE card SET data = ?, dirty = 1 WHERE question = ?"
                changing.execute(query, (_json(what), card.question))
            query = "DELETE FROM word WHERE person = ?1 AND (?2 IS NULL OR server = ?2)"
            changing.execute(query, (person, server))
        self.base.scrub()
        return len(found)

    def forget_channel(self, channel: int) -> None:
        """Delete all that is kept of a channel that is gone."""
        with self.base.change() as changing:
            _delete_in(
                changing, "channel", channel, ("card", "report", "quoted", "heard", "errand")
            )
        self.base.scrub()

    def forget_server(self, server: int) -> None:
        """Delete all that is kept of a server that the bot left: its settings, too."""
        with self.base.change() as changing:
            channels = "SELECT channel FROM quoted WHERE server = ?1 UNION SELECT channel FROM card"
            query = f"DELETE FROM errand WHERE channel IN ({channels} WHERE server = ?1)"  # noqa: S608
            changing.execute(query, (server,))
            _delete_in(changing, "server", server, ("card", "report", "quoted", "heard", "word"))
            changing.execute("DELETE FROM server WHERE id = ?", (server,))
            changing.execute("DELETE FROM spent WHERE whose = ?", (f"server:{server}",))
        self.base.scrub()

    def expire(self, days: int) -> int:
        """Delete texts and reports older than so many days. Return how many."""
        old = self._clock() - days * 86_400
        with self.base.change() as changing:
            count = changing.execute("DELETE FROM report WHERE at < ?", (old,)).rowcount
            count += changing.execute("DELETE FROM card WHERE at < ?", (old,)).rowcount
            changing.execute(
                "DELETE FROM quoted WHERE (kind = 'card' AND of NOT IN (SELECT question FROM card))"
                " OR (kind = 'report' AND of NOT IN (SELECT id FROM report))"
            )
        if count:
            self.base.scrub()
        return count

    def kept_messages(self) -> dict[Place, list[int]]:
        """Return the messages of which words are kept and the cards that are shown, by place, in
        order."""
        with self.base.read() as reading:
            rows = reading.execute(
                "SELECT channel, server, message FROM quoted UNION SELECT channel, server, message"
                " FROM card WHERE message IS NOT NULL ORDER BY message"
            ).fetchall()
        found: dict[Place, list[int]] = {}
        for channel, server, message in rows:
            found.setdefault(Place(channel, server), []).append(message)
        return found

    def kept_people(self, server: int) -> frozenset[int]:
        """Return the people of whom words or reports are kept in a server."""
        with self.base.read() as reading:
            query = (
                "SELECT person FROM quoted WHERE server = ?1 UNION SELECT asker FROM report"
                " WHERE server = ?1 UNION SELECT asker FROM card WHERE server = ?1"
                " UNION SELECT person FROM word WHERE server = ?1"
                " UNION SELECT json_extract(data, '$.corrector') FROM card WHERE server = ?1"
            )
            found = {row[0] for row in reading.execute(query, (server,)).fetchall()}
        return frozenset(found - {0, None})

    def count_kept(self, person: int) -> tuple[int, int]:
        """Return how many messages of a person have words kept, and how many reports they asked
        for."""
        with self.base.read() as reading:
            messages = "SELECT count(DISTINCT message) FROM quoted WHERE person = ?1"
            query = f"SELECT ({messages}), (SELECT count(*) FROM report WHERE asker = ?1)"  # noqa: S608
            found: tuple[int, int] = reading.execute(query, (person,)).fetchone()
        return found

    # errands

    def errands(self) -> tuple[Errand, ...]:
        """Return the messages that are still to be deleted and whose time has come."""
        with self.base.read() as reading:
            query = "SELECT channel, message, tries FROM errand WHERE at <= ? ORDER BY at LIMIT 50"
            return tuple(
                Errand(*row) for row in reading.execute(query, (self._clock(),)).fetchall()
            )

    def put_off(self, errand: Errand) -> None:
        """Try an errand again later: after 30 s at first, then less and less often."""
        wait = min(30 * 2**errand.tries, 6 * 3_600)
        with self.base.change() as changing:
            query = "UPDATE errand SET tries = tries + 1, at = ? WHERE message = ?"
            changing.execute(query, (self._clock() + wait, errand.message))

    def end_errand(self, message: int) -> None:
        """Note that a message is deleted."""
        with self.base.change() as changing:
            changing.execute("DELETE FROM errand WHERE message = ?", (message,))

    # where a channel was left

    def hear(self, channel: int, server: int, message: int) -> None:
        """Note the last message of a watched channel that was looked at."""
        with self.base.change() as changing:
            changing.execute(
                "INSERT INTO heard (channel, server, message) VALUES (?, ?, ?) ON CONFLICT"
                " (channel) DO UPDATE SET message = max(heard.message, excluded.message)",
                (channel, server, message),
            )

    def heard(self) -> dict[int, int]:
        """Return the last message that was looked at, by channel."""
        with self.base.read() as reading:
            return dict(reading.execute("SELECT channel, message FROM heard").fetchall())

    # within a change

    def _card(self, where: str, id: int) -> KeptCard | None:
        with self.base.read() as reading:
            query = f"{_CARD} WHERE {where} AND data IS NOT NULL"
            row = reading.execute(query, (id,)).fetchone()
        return None if row is None else _read_card(row)

    def _forget(
        self, changing: sqlite3.Connection, found: set[tuple[str, int]], gone: set[int]
    ) -> None:
        for kind, of in found:
            if kind == "report":
                changing.execute("DELETE FROM report WHERE id = ?", (of,))
                changing.execute("DELETE FROM quoted WHERE kind = 'report' AND of = ?", (of,))
                continue
            row = changing.execute(f"{_CARD} WHERE question = ?", (of,)).fetchone()
            if row is None or row[-1] is None:
                continue
            what = _read_card(row).what.without(gone)
            if of in gone:
                what = what.model_copy(update={"asked": ""})
            if not what.differences:
                # Nobody took it back: another answer may bring it again.
                self._withdraw(changing, of)
                changing.execute("DELETE FROM card WHERE question = ?", (of,))
                continue
            query = "UPDATE card SET data = ?, dirty = 1 WHERE question = ?"
            changing.execute(query, (_json(what), of))
        changing.executemany("DELETE FROM quoted WHERE message = ?", [(one,) for one in gone])

    def _withdraw(self, changing: sqlite3.Connection, question: int) -> None:
        changing.execute(
            "INSERT OR REPLACE INTO errand (message, channel, at)"
            " SELECT message, channel, 0 FROM card WHERE question = ? AND message IS NOT NULL",
            (question,),
        )
        query = "UPDATE card SET data = NULL, message = NULL, dirty = 0, asker = 0"
        changing.execute(f"{query} WHERE question = ?", (question,))
        changing.execute("DELETE FROM quoted WHERE kind = 'card' AND of = ?", (question,))


_CARD: Final = "SELECT question, asker, channel, server, message, edits, dirty, data FROM card"


def _read_card(row: tuple[Any, ...]) -> KeptCard:
    question, asker, channel, server, message, edits, dirty, data = row
    what = Disagreement.model_validate_json(data)
    return KeptCard(question, asker, Place(channel, server), message, edits, bool(dirty), what)


def _json(what: Disagreement) -> str:
    return json.dumps(what.model_dump(mode="json"), ensure_ascii=False, sort_keys=True)


def _quote(
    changing: sqlite3.Connection, kind: str, of: int, place: Place, quoted: Iterable[Quoted]
) -> None:
    changing.execute("DELETE FROM quoted WHERE kind = ? AND of = ?", (kind, of))
    changing.executemany(
        "INSERT OR REPLACE INTO quoted (kind, of, message, person, channel, server)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [(kind, of, *one, *place) for one in quoted],
    )


def _delete_in(changing: sqlite3.Connection, column: str, id: int, tables: Iterable[str]) -> None:
    for table in tables:
        changing.execute(f"DELETE FROM {table} WHERE {column} = ?", (id,))  # noqa: S608
