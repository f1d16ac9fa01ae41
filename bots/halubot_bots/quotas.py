"""The quotas of a day: reserved before anything is spent, settled afterwards.

What is reserved counts until it is settled, so that checks side by side never spend together what
is left only once. What was spent is noted while a check runs: of a check whose process was killed
that counts, and no more. Days are those of UTC. Money is kept in millionths of a dollar.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple
from uuid import uuid4

from halubot.errors import HalubotError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from halubot.state import Base, Upgrade
    from halubot_bots.settings import Quota

MICRO: Final = 1_000_000
DAYS_KEPT: Final = 62
"""After so many days what was used is forgotten."""

UPGRADE: Final[Upgrade] = (
    """CREATE TABLE spent (
        day INTEGER NOT NULL,
        whose TEXT NOT NULL,
        checks INTEGER NOT NULL DEFAULT 0,
        calls INTEGER NOT NULL DEFAULT 0,
        micro INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (day, whose))""",
    """CREATE TABLE reserved (
        id TEXT NOT NULL,
        day INTEGER NOT NULL,
        whose TEXT NOT NULL,
        calls INTEGER NOT NULL,
        micro INTEGER NOT NULL,
        PRIMARY KEY (id, whose))""",
    "CREATE INDEX reserved_whose ON reserved (day, whose)",
)
"""The tables of quotas."""

UPGRADE_2: Final[Upgrade] = (
    "ALTER TABLE reserved ADD COLUMN spent_calls INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE reserved ADD COLUMN spent_micro INTEGER NOT NULL DEFAULT 0",
    # Keys whose rows are to go when the day is over: deleting them at once would open the quota of
    # today again.
    "CREATE TABLE leaving (whose TEXT PRIMARY KEY, day INTEGER NOT NULL)",
)
"""The changes of the second version."""


class Amount(NamedTuple):
    """The cost of a check: model calls, and dollars."""

    calls: int = 0
    dollars: float = 0.0


class Use(NamedTuple):
    """The use by one person or server in a day, reservations included."""

    checks: int = 0
    calls: int = 0
    dollars: float = 0.0


@dataclass(frozen=True, slots=True)
class Reservation:
    """A reserved amount, and for whom."""

    id: str
    day: int
    whose: tuple[str, ...]
    amount: Amount


class QuotaError(HalubotError):
    """Somebody's quota of the day has too little left. ``whose`` is its key, ``what`` the kind,
    ``spent`` how much of it was really used. ``busy`` if checks that run hold the rest and may
    give it back."""

    def __init__(
        self, whose: str, what: str, limit: float, *, spent: float = 0, busy: bool = False
    ) -> None:
        self.whose = whose
        self.what = what
        self.limit = limit
        self.spent = spent
        self.busy = busy
        shown = f"${limit:.2f}" if what == "dollars" else f"{limit:g} {what}"
        state = "held by checks that run" if busy else "used up"
        super().__init__(f"the quota of {shown} a day is {state} ({whose})")


class Quotas:
    """The quotas of one base. Calls may wait for the disk: not for an event loop. Every one raises
    StateError if the base cannot be used."""

    def __init__(self, base: Base, clock: Callable[[], float] = time.time) -> None:
        self._base = base
        self._clock = clock

    def reserve(self, limits: Mapping[str, Quota], most: Amount) -> Reservation:
        """Reserve one check and at most so much for all of ``limits``, by key, at once; or nothing
        at all. Raises QuotaError, which names the first that has too little left."""
        day, name = self._today, uuid4().hex
        with self._base.change() as changing:
            self._expire(changing, day)
            for whose, quota in limits.items():
                used = self._use(changing, day, whose)
                # A reservation may be released: then the error says to try again, not that the
                # quota is used up.
                spent = self._use(changing, day, whose, reserved=False)
                for what, limit, has, really, more in (
                    ("checks", quota.checks, used.checks, spent.checks, 1),
                    ("calls", quota.calls, used.calls, spent.calls, most.calls),
                    ("dollars", quota.dollars, used.dollars, spent.dollars, most.dollars),
                ):
                    # Dollars are sums of floats: 0.1 + 0.2 must not exceed 0.3.
                    if limit is not None and has + more > limit + 1e-9:
                        busy = really + more <= limit + 1e-9
                        raise QuotaError(whose, what, limit, spent=really, busy=busy)
            changing.executemany(
                "INSERT INTO reserved (id, day, whose, calls, micro) VALUES (?, ?, ?, ?, ?)",
                [(name, day, key, most.calls, round(most.dollars * MICRO)) for key in limits],
            )
        return Reservation(name, day, tuple(limits), most)

    def note(self, reservation: Reservation, spent: Amount) -> None:
        """Note the amount that a check has spent so far; only this counts if its process is
        killed."""
        with self._base.change() as changing:
            changing.execute(
                "UPDATE reserved SET spent_calls = ?, spent_micro = ? WHERE id = ?",
                (spent.calls, round(spent.dollars * MICRO), reservation.id),
            )

    def release(self) -> int:
        """Settle the reservations of a process that is gone to what it had spent; how many. For a
        process that knows to be alone."""
        with self._base.change() as changing:
            changing.execute(
                # A check that was killed before its first call did nothing for anybody, and is not
                # counted.
                """INSERT INTO spent (day, whose, checks, calls, micro)
                SELECT day, whose, sum(CASE WHEN spent_calls > 0 THEN 1 ELSE 0 END),
                    sum(spent_calls), sum(spent_micro)
                FROM reserved WHERE true GROUP BY day, whose
                ON CONFLICT (day, whose) DO UPDATE SET checks = spent.checks + excluded.checks,
                    calls = spent.calls + excluded.calls, micro = spent.micro + excluded.micro"""
            )
            count = changing.execute("SELECT count(DISTINCT id) FROM reserved").fetchone()[0]
            changing.execute("DELETE FROM reserved")
        return int(count)

    def settle(self, reservation: Reservation, spent: Amount, *, counted: bool = True) -> None:
        """Put what was really spent in place of what was reserved; once. ``counted`` is False of a
        check that did not come about: then no check counts, and only what was spent."""
        with self._base.change() as changing:
            gone = changing.execute("DELETE FROM reserved WHERE id = ?", (reservation.id,))
            # Released meanwhile: it must not count twice.
            if not gone.rowcount:
                return
            for whose in reservation.whose:
                changing.execute(
                    """INSERT INTO spent (day, whose, checks, calls, micro) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (day, whose) DO UPDATE SET checks = spent.checks + excluded.checks,
                        calls = spent.calls + excluded.calls,
                        micro = spent.micro + excluded.micro""",
                    (
                        reservation.day,
                        whose,
                        int(counted),
                        spent.calls,
                        round(spent.dollars * MICRO),
                    ),
                )

    def use_of(self, whose: str, *, days: int = 1) -> Use:
        """Return the use under a key in the last ``days``, today included."""
        with self._base.read() as reading:
            uses = [
                self._use(reading, day, whose)
                for day in range(self._today - days + 1, self._today + 1)
            ]
        return Use(*(sum(parts) for parts in zip(*uses, strict=True)))

    def forget(self, *patterns: str) -> None:
        """Delete what is kept under keys that match a pattern of SQLite's GLOB. Today's use goes
        when the day is over: forgetting opens no quota again."""
        day = self._today
        with self._base.change() as changing:
            for pattern in patterns:
                changing.execute(
                    "INSERT OR REPLACE INTO leaving (whose, day)"
                    " SELECT whose, ?1 FROM spent WHERE whose GLOB ?2"
                    " UNION SELECT whose, ?1 FROM reserved WHERE whose GLOB ?2",
                    (day, pattern),
                )
                query = "DELETE FROM spent WHERE whose GLOB ? AND day < ?"
                changing.execute(query, (pattern, day))

    def expire(self) -> None:
        """Delete what is too old, and what was to go with a day that is over."""
        with self._base.change() as changing:
            self._expire(changing, self._today)

    @staticmethod
    def _expire(changing: sqlite3.Connection, day: int) -> None:
        for table in ("spent", "reserved"):
            changing.execute(f"DELETE FROM {table} WHERE day < ?", (day - DAYS_KEPT,))  # noqa: S608
        changing.execute(
            "DELETE FROM spent WHERE day < ?1 AND EXISTS (SELECT 1 FROM leaving"
            " WHERE leaving.whose = spent.whose AND spent.day <= leaving.day AND leaving.day < ?1)",
            (day,),
        )
        # A check that ran over midnight settles under the day on which it began.
        changing.execute("DELETE FROM leaving WHERE day < ?", (day - 2,))

    @property
    def _today(self) -> int:
        return int(self._clock() // 86_400)

    @staticmethod
    def _use(reading: sqlite3.Connection, day: int, whose: str, *, reserved: bool = True) -> Use:
        query = """SELECT coalesce(sum(checks), 0), coalesce(sum(calls), 0), coalesce(sum(micro), 0)
            FROM (SELECT checks, calls, micro FROM spent WHERE day = ?1 AND whose = ?2
                UNION ALL SELECT 1, calls, micro FROM reserved
                WHERE day = ?1 AND whose = ?2 AND ?3) AS uses"""
        checks, calls, micro = reading.execute(query, (day, whose, reserved)).fetchone()
        return Use(checks, calls, micro / MICRO)
