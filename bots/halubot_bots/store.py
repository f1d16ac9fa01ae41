"""The store of the bot: settings, cards, private reports, and what is still to be deleted.

Texts are deleted after a set time, and at once when their author or message is gone. Ids are those
of Discord, as numbers.
"""

from __future__ import annotations

import json
import time
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from halubot.report import Report
from halubot.state import Base, state_folder
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
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

FILE: Final = "discord.db"

TABLES: Final = (resources.files("halubot_bots") / "tables.sql").read_text(encoding="utf-8")
"""The first version of the base."""


class Store:
    """The base of the bot. Calls may wait for the disk: not for an event loop, unless they say
    otherwise. Each raises StateError if the base cannot be used."""

    def __init__(self, base: Base, clock: Callable[[], float] = time.time) -> None:
        self.base = base
        self._clock = clock
        # Needed for each message, so they are held in memory; no other process changes them.
        self._settings = dict(self._read("SELECT id, settings FROM server"))
        self._left_out = {row[0] for row in self._read("SELECT person FROM left_out")}

    @classmethod
    def open(cls, folder: Path | None = None, clock: Callable[[], float] = time.time) -> Store:
        """Open the store in a folder (default: halubot's own)."""
        return cls(
            Base((folder or state_folder()) / FILE, (tuple(TABLES.split(";\n")),), holds="discord"),
            clock,
        )

    def close(self) -> None:
        """Let go of the base."""
        self.base.close()

    def _read(self, query: str, *values: object) -> list[Any]:
        with self.base.read() as reading:
            return reading.execute(query, values).fetchall()

    def _write(self, query: str, *values: object) -> int:
        """Change the base; return how many rows changed."""
        with self.base.change() as changing:
            return changing.execute(query, values).rowcount

    # settings

    def settings(self, server: int) -> ServerSettings:
        """Return the settings of a server; of one that has none, or whose cannot be read any more,
        those that switch everything off. Does not wait."""
        try:
            return ServerSettings.model_validate_json(self._settings.get(server, "{}"))
        except ValidationError:
            return ServerSettings()

    def set_settings(self, server: int, settings: ServerSettings) -> None:
        """Keep the settings of a server."""
        written = settings.model_dump_json()
        self._write("INSERT OR REPLACE INTO server (id, settings) VALUES (?, ?)", server, written)
        self._settings[server] = written

    def servers(self) -> frozenset[int]:
        """Return the servers of which anything is kept."""
        rows = self._read(
            "SELECT id FROM server UNION SELECT server FROM card UNION SELECT server FROM report"
            " UNION SELECT server FROM quoted UNION SELECT server FROM heard"
        )
        return frozenset(row[0] for row in rows if row[0] is not None)

    def left_out(self, person: int) -> bool:
        """Return True if a person asked for nothing of theirs to be checked. Does not wait."""
        return person in self._left_out

    def leave_out(self, person: int, *, out: bool) -> None:
        """Leave a person out of everything, or let them in again."""
        if out:
            self._write("INSERT OR IGNORE INTO left_out VALUES (?)", person)
            self._left_out.add(person)
        else:
            self._write("DELETE FROM left_out WHERE person = ?", person)
            self._left_out.discard(person)

    # cards

    def card(self, question: int) -> KeptCard | None:
        """Return the card of a question; None if it has none or it was withdrawn."""
        return next(self._cards("question = ?", question), None)

    def dirty_cards(self, most: int = 50) -> tuple[KeptCard, ...]:
        """Return cards that are still to be sent or edited, the oldest first."""
        return tuple(self._cards("dirty ORDER BY at LIMIT ?", most))

    def keep_card(self, question: Quoted, place: Place, what: Disagreement) -> None:
        """Keep what a card shows, to be sent or edited. One that was withdrawn stays so."""
        with self.base.change():
            changed = self._write(
                """INSERT INTO card (question, asker, channel, server, at, data)
                VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (question) DO UPDATE
                SET data = excluded.data, dirty = 1, at = excluded.at WHERE data IS NOT NULL""",
                *(question.message, question.person, *place, self._clock(), _json(what)),
            )
            if changed:
                quoted = [Quoted(one.message, one.author) for one in what.answers]
                quoted += [question] if what.asked else []
                self._quote("card", question.message, place, quoted)
        self.base.scrub()  # the words of an answer that was edited

    def change_card(self, question: int, what: Disagreement) -> None:
        """Have a card show something else, unless it was withdrawn."""
        query = "UPDATE card SET data = ?, dirty = 1 WHERE question = ? AND data IS NOT NULL"
        self._write(query, _json(what), question)

    def note_shown(self, question: int, message: int, shown: Disagreement) -> None:
        """Note that a message shows the card as it was at ``shown``."""
        self._write(
            "UPDATE card SET message = ?, dirty = (data IS NOT NULL AND data <> ?)"
            " WHERE question = ?",
            *(message, _json(shown), question),
        )

    def give_up(self, question: int) -> None:
        """Send a card no more in its present state."""
        self._write("UPDATE card SET dirty = 0 WHERE question = ?", question)

    # private reports

    def keep_report(
        self, asker: int, place: Place, quoted: Iterable[Quoted], report: Report
    ) -> int:
        """Keep a report that somebody asked for. Return its id."""
        with self.base.change() as changing:
            made = changing.execute(
                "INSERT INTO report (asker, channel, server, at, data) VALUES (?, ?, ?, ?, ?)",
                (asker, *place, self._clock(), report.to_json(indent=None)),
            )
            number = int(made.lastrowid or 0)
            self._quote("report", number, place, quoted)
        return number

    def report(self, number: int) -> KeptReport | None:
        """Return a report; None if it is no longer kept."""
        query = "SELECT asker, channel, server, data FROM report WHERE id = ?"
        for asker, channel, server, data in self._read(query, number):
            report = Report.model_validate_json(data)
            return KeptReport(asker, Place(channel, server), report)
        return None

    def quoted_by(self, number: int) -> tuple[Quoted, ...]:
        """Return the messages that a report has words of."""
        query = "SELECT message, person FROM quoted WHERE kind = 'report' AND of = ?"
        return tuple(Quoted(*row) for row in self._read(query, number))

    def drop_report(self, number: int) -> None:
        """Delete a report."""
        self._forget({("report", number)}, set())
        self.base.scrub()

    # feedback

    def say(
        self, person: int, server: int | None, mark: str, says: str, data: dict[str, Any]
    ) -> None:
        """Keep a person's word on what has this mark; if it is kept already, take it back."""
        with self.base.change():
            if not self._write("DELETE FROM word WHERE person = ? AND mark = ?", person, mark):
                self._write(
                    "INSERT INTO word (person, mark, server, at, says, data)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    *(person, mark, server, self._clock(), says, json.dumps(data, sort_keys=True)),
                )

    def words(self, person: int) -> dict[str, KeptWord]:
        """Return a person's words by mark."""
        rows = self._read("SELECT mark, at, says FROM word WHERE person = ?", person)
        return {mark: KeptWord(at, says) for mark, at, says in rows}

    def all_words(self) -> list[dict[str, Any]]:
        """Return the words of everybody for an export, oldest first: without names and texts."""
        rows = self._read("SELECT at, says, data FROM word ORDER BY at")
        return [{"at": int(at), "says": says, **json.loads(data)} for at, says, data in rows]

    # deletion

    def forget_messages(self, messages: Collection[int]) -> None:
        """Delete all that is kept of messages that are gone: answers from cards, which show less
        or are withdrawn, and the reports that quote them."""
        found: set[tuple[str, int]] = set()
        with self.base.change():
            for message in messages:
                found.update(self._read("SELECT kind, of FROM quoted WHERE message = ?", message))
                # The bot's own card was deleted by somebody who did not want it.
                for row in self._read("SELECT question FROM card WHERE message = ?", message):
                    self._write("UPDATE card SET message = NULL WHERE message = ?", message)
                    self._withdraw(row[0])
                self._write("DELETE FROM errand WHERE message = ?", message)
            self._forget(found, set(messages))
        if found:
            self.base.scrub()

    def forget_person(self, person: int, server: int | None = None) -> int:
        """Delete what a person wrote or asked for (in one server, if given), and only that. Return
        the number of reports and cards that changed."""
        whose = (person, server)
        here = "(?2 IS NULL OR server = ?2)"
        with self.base.change():
            query = f"SELECT kind, of, message FROM quoted WHERE person = ?1 AND {here}"  # noqa: S608
            rows = self._read(query, *whose)
            query = f"SELECT id FROM report WHERE asker = ?1 AND {here}"  # noqa: S608
            found = {("report", id) for (id,) in self._read(query, *whose)}
            found |= {(kind, of) for kind, of, _ in rows}
            self._forget(found, {message for _, _, message in rows})
            self._write(f"UPDATE card SET asker = 0 WHERE asker = ?1 AND {here}", *whose)  # noqa: S608
            self._write(f"DELETE FROM word WHERE person = ?1 AND {here}", *whose)  # noqa: S608
        self.base.scrub()
        return len(found)

    def forget_channel(self, channel: int) -> None:
        """Delete all that is kept of a channel that is gone."""
        with self.base.change():
            for table in ("card", "report", "quoted", "heard", "errand"):
                self._write(f"DELETE FROM {table} WHERE channel = ?", channel)  # noqa: S608
        self.base.scrub()

    def forget_server(self, server: int) -> None:
        """Delete all of a server that the bot left, but not what it used of the models' day."""
        with self.base.change():
            channels = "SELECT channel FROM quoted WHERE server = ?1 UNION SELECT channel FROM card"
            query = f"DELETE FROM errand WHERE channel IN ({channels} WHERE server = ?1)"  # noqa: S608
            self._write(query, server)
            for table in ("card", "report", "quoted", "heard", "word"):
                self._write(f"DELETE FROM {table} WHERE server = ?", server)  # noqa: S608
            self._write("DELETE FROM server WHERE id = ?", server)
        self._settings.pop(server, None)
        self.base.scrub()

    def expire(self, days: int) -> int:
        """Delete texts and reports older than so many days. Return how many."""
        old = self._clock() - days * 86_400
        with self.base.change():
            count = self._write("DELETE FROM report WHERE at < ?", old)
            count += self._write("DELETE FROM card WHERE at < ?", old)
            self._write(
                "DELETE FROM quoted WHERE (kind = 'card' AND of NOT IN (SELECT question FROM card))"
                " OR (kind = 'report' AND of NOT IN (SELECT id FROM report))"
            )
        if count:
            self.base.scrub()
        return count

    def kept_messages(self) -> dict[Place, list[int]]:
        """Return the messages of which words are kept and the cards that are shown, by place, in
        order."""
        found: dict[Place, list[int]] = {}
        for channel, server, message in self._read(
            "SELECT channel, server, message FROM quoted UNION SELECT channel, server, message"
            " FROM card WHERE message IS NOT NULL ORDER BY message"
        ):
            found.setdefault(Place(channel, server), []).append(message)
        return found

    def kept_people(self, server: int) -> frozenset[int]:
        """Return the people of whom words or reports are kept in a server."""
        rows = self._read(
            "SELECT person FROM quoted WHERE server = ?1 UNION SELECT asker FROM report"
            " WHERE server = ?1 UNION SELECT asker FROM card WHERE server = ?1"
            " UNION SELECT person FROM word WHERE server = ?1",
            server,
        )
        return frozenset(row[0] for row in rows if row[0])

    def count_kept(self, person: int) -> tuple[int, int]:
        """Return how many messages of a person have words kept, and how many reports they asked
        for."""
        messages = "SELECT count(DISTINCT message) FROM quoted WHERE person = ?1"
        reports = "SELECT count(*) FROM report WHERE asker = ?1"
        ((found, asked),) = self._read(f"SELECT ({messages}), ({reports})", person)
        return found, asked

    # errands

    def errands(self) -> tuple[Errand, ...]:
        """Return the messages that are still to be deleted and whose time has come."""
        query = "SELECT channel, message, tries FROM errand WHERE at <= ? ORDER BY at LIMIT 50"
        return tuple(Errand(*row) for row in self._read(query, self._clock()))

    def put_off(self, errand: Errand) -> None:
        """Try an errand again later: after 30 s at first, then less and less often."""
        later = self._clock() + min(30 * 2**errand.tries, 6 * 3_600)
        query = "UPDATE errand SET tries = tries + 1, at = ? WHERE message = ?"
        self._write(query, later, errand.message)

    def end_errand(self, message: int) -> None:
        """Note that a message is deleted."""
        self._write("DELETE FROM errand WHERE message = ?", message)

    # where a channel was left

    def hear(self, channel: int, server: int, message: int) -> None:
        """Note the last message of a watched channel that was looked at."""
        self._write(
            "INSERT INTO heard (channel, server, message) VALUES (?, ?, ?) ON CONFLICT"
            " (channel) DO UPDATE SET message = max(heard.message, excluded.message)",
            *(channel, server, message),
        )

    def heard(self) -> dict[int, int]:
        """Return the last message that was looked at, by channel."""
        return dict(self._read("SELECT channel, message FROM heard"))

    # within a change

    def _cards(self, where: str, *values: int) -> Iterator[KeptCard]:
        columns = "question, asker, channel, server, message, data"
        query = f"SELECT {columns} FROM card WHERE data IS NOT NULL AND {where}"  # noqa: S608
        for question, asker, channel, server, message, data in self._read(query, *values):
            what = Disagreement.model_validate_json(data)
            yield KeptCard(question, asker, Place(channel, server), message, what)

    def _quote(self, kind: str, of: int, place: Place, quoted: Iterable[Quoted]) -> None:
        self._write("DELETE FROM quoted WHERE kind = ? AND of = ?", kind, of)
        for one in quoted:
            self._write(
                "INSERT OR REPLACE INTO quoted (kind, of, message, person, channel, server)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                *(kind, of, *one, *place),
            )

    def _forget(self, found: set[tuple[str, int]], gone: set[int]) -> None:
        """Delete the words of messages that are gone from cards and reports that hold them."""
        with self.base.change():
            for kind, of in found:
                if kind == "report":
                    self._write("DELETE FROM report WHERE id = ?", of)
                    self._write("DELETE FROM quoted WHERE kind = 'report' AND of = ?", of)
                elif card := self.card(of):
                    what = card.what.without(gone)
                    if of in gone:
                        what = what.model_copy(update={"asked": ""})
                    self.change_card(of, what)
                    if not what.differences:
                        # Nobody took it back: another answer may bring it again.
                        self._withdraw(of)
                        self._write("DELETE FROM card WHERE question = ?", of)
            for message in gone:
                self._write("DELETE FROM quoted WHERE message = ?", message)

    def _withdraw(self, question: int) -> None:
        """Have the message of a card deleted; the card stays as a row without data."""
        self._write(
            "INSERT OR REPLACE INTO errand (message, channel, at)"
            " SELECT message, channel, 0 FROM card WHERE question = ? AND message IS NOT NULL",
            question,
        )
        query = "UPDATE card SET data = NULL, message = NULL, dirty = 0, asker = 0"
        self._write(f"{query} WHERE question = ?", question)
        self._write("DELETE FROM quoted WHERE kind = 'card' AND of = ?", question)


def _json(what: Disagreement) -> str:
    return json.dumps(what.model_dump(mode="json"), ensure_ascii=False, sort_keys=True)
