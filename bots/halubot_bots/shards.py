"""Several processes that run a bot's shards over one ledger: who runs which, who is alive, and
what was forgotten in one process and has to go in all."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from halubot.errors import SettingError, StateError
from halubot.state import Base, state_folder
from halubot_bots.entries import Forgotten, Work
from halubot_bots.ledger import UPGRADES, PostgresLedger
from halubot_bots.store import FILE, IDS_DAYS, Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from halubot.state import Upgrade
    from halubot_bots.entries import Key, Quoted
    from halubot_bots.ledger import Statements

BEAT_SECONDS: Final = 5.0

GONE_SECONDS: Final = 30
"""A process that was not heard of for so long is gone."""

_ALIVE: Final = f"beat > clock_timestamp() - interval '{GONE_SECONDS} seconds'"

_LARGEST_WORD: Final = 1 << 40
"""Ids of words on verdicts are below it; in the ledger the number of their folder stands above."""

OWN: Final[tuple[Upgrade, ...]] = (
    (
        # Who runs which shards, and when it was last heard of, by the clock of the database.
        """CREATE TABLE process (
            owner text PRIMARY KEY,
            first bigint NOT NULL,
            last bigint NOT NULL,
            shards bigint NOT NULL,
            beat timestamptz NOT NULL)""",
        # Every row says by itself which process wrote it.
        *(
            f"ALTER TABLE {table} ADD COLUMN owner text NOT NULL"
            " DEFAULT current_setting('application_name')"
            for table in ("work", "reserved", "waiting")
        ),
        # Who and what was forgotten: a check that began before must not keep anything of it.
        """CREATE TABLE gone (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            id bigint NOT NULL,
            at timestamptz NOT NULL DEFAULT now())""",
        "CREATE INDEX gone_id ON gone (id)",
        # What is to be deleted in the folders of all processes, and how far each folder is.
        """CREATE TABLE elsewhere (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            told text NOT NULL,
            at timestamptz NOT NULL DEFAULT now())""",
        """CREATE TABLE folder (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text NOT NULL UNIQUE,
            seen bigint NOT NULL DEFAULT 0)""",
    ),
)
"""Tables of the shared ledger alone, in PostgreSQL's words. A released version is never changed."""

_MOVED: Final = {
    "server": "id, settings",
    "opted_out": "person",
    "report": "message, kind, asker, channel, server, author, asked_by, annotation, at, digest,"
    " data",
    "quoted": "of, kind, asker, message, person, asked_by, channel, server, at",
    "shown": "message, channel, of, at",
    "said": "word, person, of, kind, asker",
    "heard": "channel, server, message",
    "changed": "server, person, at, what",
    "told": "what, whom",
    "spent": "day, whose, checks, calls, micro",
    "leaving": "whose, day",
    "work": "message, channel, server, author, at, reply",
}
"""The rows that a bot takes with it to a ledger; not those that its process held."""


@dataclass(frozen=True, slots=True)
class Shards:
    """The shards from ``first`` to ``last`` of so many, counted from 0."""

    first: int
    last: int
    of: int

    @classmethod
    def read(cls, text: str) -> Shards:
        """Read "0-4/10", or "3/10" for one. Raises SettingError."""
        found = re.fullmatch(r"(\d{1,5})(?:-(\d{1,5}))?/(\d{1,5})", text.strip())
        if found is not None:
            first, last, of = int(found[1]), int(found[2] or found[1]), int(found[3])
            if first <= last < of:
                return cls(first, last, of)
        raise SettingError(
            f"--shards {text}: write which of how many, counted from 0, such as 0-4/10 and 5-9/10"
        )

    def holds(self, server: int | None) -> bool:
        """Return True if events of a server come to these shards; direct messages come to 0."""
        # Discord's own formula: https://docs.discord.com/developers/events/gateway#sharding
        return self.first <= ((server or 0) >> 22) % self.of <= self.last

    def __str__(self) -> str:
        return f"{self.first}-{self.last}/{self.of}"


class LostShardsError(StateError):
    """Another process took the shards of this one, which was not heard of for too long."""

    def __init__(self, shards: Shards) -> None:
        super().__init__(
            f"another process runs the shards {shards} now: this one was not heard of for"
            f" {GONE_SECONDS} s, and stops"
        )


class ForgottenElsewhere(NamedTuple):
    """The traces in this process of what another one forgot: running checks of or with
    ``ids``, answers of models for ``found.asked_by``, words on verdicts."""

    ids: frozenset[int]
    found: Forgotten
    person: int | None


class SharedMemory(Memory):
    """The memory of a process that runs some of a bot's shards, in PostgreSQL.

    Raises StateError as `PostgresLedger`.
    """

    abandoned = f"owner NOT IN (SELECT owner FROM process WHERE {_ALIVE})"  # noqa: S608

    def __init__(
        self,
        url: str,
        shards: Shards,
        folder: Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.shards = shards
        self.owner = f"halubot {shards} {secrets.token_hex(8)}"
        super().__init__(PostgresLedger(url, UPGRADES, OWN, owner=self.owner), clock)
        place = f"{socket.gethostname()}:{(folder or state_folder()).absolute()}"
        with self.base.change() as changing:
            # Its hash: names of machines and people's folders are nobody else's business.
            name = hashlib.sha256(place.encode()).hexdigest()
            changing.execute("INSERT OR IGNORE INTO folder (name) VALUES (?)", (name,))
            row = changing.execute("SELECT number, seen FROM folder WHERE name = ?", (name,))
            self._folder, self._seen = row.fetchone()
            self._known = _last(changing, "gone")
        self._heard: int = self._seen
        self._beats: dict[str, float] = {}

    def claim(self) -> bool:
        """Take the shards; False if a process that was alive half a minute ago has one of them, or
        shards of another number: ask again in a moment. Raises StateError if it is alive."""
        with self.base.change() as changing:
            others = self._find_others(changing)
            if not others:
                shards = self.shards
                changing.execute(f"DELETE FROM process WHERE NOT ({_ALIVE})")  # noqa: S608
                changing.execute(
                    "INSERT INTO process (owner, first, last, shards, beat)"
                    " VALUES (?, ?, ?, ?, clock_timestamp())",
                    (self.owner, shards.first, shards.last, shards.of),
                )
                return True
        for owner, name, beat in others:
            # It beat since the last look: it is alive, and not one that died less than half a
            # minute ago.
            if self._beats.setdefault(owner, beat) != beat:
                raise StateError(
                    f"another process runs the shards {name}: stop it first, or give this one"
                    " others of the same number (--shards)"
                )
        return False

    def take_over(self, folder: Path | None = None) -> int:
        """Move what a bot kept in the base of a folder before it had a ledger; how many rows. Rows
        that are there already stay. The base is deleted: forgetting would not reach it. For a
        process that began nothing yet."""
        path = (folder or state_folder()) / FILE
        if not path.exists():
            return 0
        rows = 0
        with Base(path, UPGRADES, holds="bots") as old:
            with old.read() as reading, self.base.change() as changing:
                for table, columns in _MOVED.items():
                    query = f"SELECT {columns} FROM {table}"  # noqa: S608
                    found = reading.execute(query).fetchall()
                    if table == "said":
                        above = self._folder * _LARGEST_WORD
                        found = [(above + word, *rest) for word, *rest in found]
                    marks = ", ".join("?" for _ in columns.split(", "))
                    into = f"{table} ({columns})"
                    query = f"INSERT OR IGNORE INTO {into} VALUES ({marks})"  # noqa: S608
                    changing.executemany(query, found)
                    rows += len(found)
                changing.execute(
                    "UPDATE work SET owner = '' WHERE owner = ?", (self.owner,)
                )  # nothing was begun here yet
            old.scrub()
        # SQLite's log and its index may hold texts too.
        for name in ("", "-wal", "-shm"):
            Path(f"{path}{name}").unlink(missing_ok=True)
        return rows

    def beat(self) -> None:
        """Say that this process is alive. Raises LostShardsError, after which it must stop."""
        with self.base.change() as changing:
            query = "UPDATE process SET beat = clock_timestamp() WHERE owner = ?"
            if not changing.execute(query, (self.owner,)).rowcount:
                raise LostShardsError(self.shards)
            self._known = _last(changing, "gone")

    def hear(self) -> tuple[ForgottenElsewhere, ...]:
        """Return the forgettings of other processes since `note_heard`."""
        with self.base.read() as reading:
            query = "SELECT number, told FROM elsewhere WHERE number > ? ORDER BY number"
            rows = reading.execute(query, (self._seen,)).fetchall()
        self._heard = rows[-1][0] if rows else self._seen
        tellings = [json.loads(told) for _, told in rows]
        return tuple(self._read_told(one) for one in tellings if one["folder"] != self._folder)

    def note_heard(self) -> None:
        """Note that what the last `hear` returned is deleted here."""
        if self._heard == self._seen:
            return
        with self.base.change() as changing:
            row = (self._heard, self._folder)
            changing.execute("UPDATE folder SET seen = ? WHERE number = ?", row)
        self._seen = self._heard

    def in_work(self) -> tuple[Work, ...]:
        """Take over what gone processes began in these shards and did not end; oldest first."""
        with self.base.change() as changing:
            rows = changing.execute(
                "SELECT message, channel, server, author, reply FROM work"  # noqa: S608
                f" WHERE {self.abandoned} ORDER BY at, message"
            ).fetchall()
            found = [one for one in (Work(*row) for row in rows) if self.shards.holds(one.server)]
            query = "UPDATE work SET owner = ? WHERE message = ?"
            changing.executemany(query, [(self.owner, one.message) for one in found])
        return tuple(found)

    @property
    def forgettings(self) -> int:
        """The number of the last forgetting that this process knows of; what was forgotten since
        counts as later than a check that begins now."""
        return self._known

    def note_word(
        self, word: int, person: int, key: Key, *, quoted: Iterable[Quoted], begun: int
    ) -> bool:
        """As of `Memory`; the number of this folder goes with it, for each counts its own words."""
        word += self._folder * _LARGEST_WORD
        return super().note_word(word, person, key, quoted=quoted, begun=begun)

    def drop(self, *messages: int) -> Forgotten:
        """As of `Memory`, for all processes."""
        with self.base.change():
            found = super().drop(*messages)
            return self._tell(found, (), None)

    def forget(self, person: int) -> Forgotten:
        """As of `Memory`, for all processes."""
        with self.base.change():
            found = super().forget(person)
            return self._tell(found, (person,), person)

    def leave(self, server: int) -> Forgotten:
        """As of `Memory`, for all processes."""
        with self.base.change():
            return self._tell(super().leave(server), (), None)

    def expire(self, days: int) -> int:
        """As of `Memory`, and what all processes have heard or nobody asks for any more."""
        with self.base.change() as changing:
            changing.execute("DELETE FROM gone WHERE at < now() - interval '1 day'")
            old = f"DELETE FROM elsewhere WHERE at < now() - interval '{IDS_DAYS} days'"  # noqa: S608
            changing.execute(old)
            return super().expire(days)

    def close(self) -> None:
        """Give the shards back, and let go of the base."""
        with suppress(StateError), self.base.change() as changing:
            changing.execute("DELETE FROM process WHERE owner = ?", (self.owner,))
        super().close()

    def _find_others(self, reading: Statements) -> list[tuple[str, str, float]]:
        """The processes that are alive and in the way: owner, shards, and last beat."""
        shards = self.shards
        rows = reading.execute(
            "SELECT owner, first, last, shards, extract(epoch FROM beat)::float8 FROM process"  # noqa: S608
            f" WHERE {_ALIVE} AND (shards <> ? OR (first <= ? AND last >= ?))",
            (shards.of, shards.last, shards.first),
        ).fetchall()
        return [(row[0], str(Shards(*row[1:4])), row[4]) for row in rows]

    def _tell(self, found: Forgotten, ids: Sequence[int], person: int | None) -> Forgotten:
        """Have all processes delete what lies in their folders. Returns what lies in this one."""
        with self.base.change() as changing:
            if ids or found.asked_by or found.words:
                told = {
                    "folder": self._folder,
                    "ids": list(ids),
                    "asked_by": sorted(found.asked_by),
                    "words": found.words,
                    "person": person,
                }
                query = "INSERT INTO elsewhere (told) VALUES (?)"
                changing.execute(query, (json.dumps(told),))
        return Forgotten(found.reports, found.shown, found.asked_by, self._own_words(found.words))

    def _read_told(self, told: dict[str, Any]) -> ForgottenElsewhere:
        # What people said of verdicts lies in the folder of the process that heard it.
        words = self._own_words((word, person) for word, person in told["words"])
        found = Forgotten(asked_by=frozenset(told["asked_by"]), words=words)
        return ForgottenElsewhere(frozenset(told["ids"]), found, told["person"])

    def _own_words(self, words: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        own = self._folder
        split = [(*divmod(word, _LARGEST_WORD), person) for word, person in words]
        return tuple((word, person) for folder, word, person in split if folder == own)

    def _note_gone(self, id: int) -> None:
        with self.base.change() as changing:
            query = "INSERT INTO gone (id) VALUES (?) RETURNING number"
            self._known = changing.execute(query, (id,)).fetchone()[0]

    def _is_gone(self, begun: int, ids: Iterable[int]) -> bool:
        # Inserted as numbers, because the count of ids varies.
        marks = ", ".join(str(int(id)) for id in ids)
        with self.base.read() as reading:
            query = f"SELECT 1 FROM gone WHERE number > ? AND id IN ({marks})"  # noqa: S608
            return reading.execute(query, (begun,)).fetchone() is not None


def _last(reading: Statements, table: str) -> int:
    """The number of the last row."""
    query = f"SELECT coalesce(max(number), 0) FROM {table}"  # noqa: S608
    number: int = reading.execute(query).fetchone()[0]
    return number
