"""Who may still use how much today: reserved before anything is spent, settled afterwards.

What is reserved counts until it is settled, so that checks side by side never spend together what
is left only once; of one that is never settled, for its process was killed, all counts. Days are
those of UTC. Money is kept in millionths of a dollar.
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


class Amount(NamedTuple):
    """What a check takes: model calls, and dollars."""

    calls: int = 0
    dollars: float = 0.0


class Use(NamedTuple):
    """What somebody used in a day, reservations included."""

    checks: int = 0
    calls: int = 0
    dollars: float = 0.0


@dataclass(frozen=True, slots=True)
class Reservation:
    """What was reserved, and for whom."""

    id: str
    day: int
    whose: tuple[str, ...]
    amount: Amount


class QuotaError(HalubotError):
    """Somebody's quota of the day is used up. ``whose`` is its key, ``what`` the kind."""

    def __init__(self, whose: str, what: str, limit: float) -> None:
        self.whose = whose
        self.what = what
        self.limit = limit
        shown = f"${limit:.2f}" if what == "dollars" else f"{limit:g} {what}"
        super().__init__(
            f"the quota of {shown} a day is used up ({whose}): it begins anew at 0:00 UTC"
        )


class Quotas:
    """The quotas of one base. Calls may wait for the disk: not for an event loop. Every one raises
    StateError where the base cannot be used."""

    def __init__(self, base: Base, clock: Callable[[], float] = time.time) -> None:
        self._base = base
        self._clock = clock

    def reserve(self, limits: Mapping[str, Quota], most: Amount) -> Reservation:
        """Reserves one check and at most so much for all of ``limits``, by key, at once; or nothing
        at all. Raises QuotaError, which names the first that has too little left."""
        day, name = self._today, uuid4().hex
        with self._base.change() as changing:
            for table in ("spent", "reserved"):
                changing.execute(f"DELETE FROM {table} WHERE day < ?", (day - DAYS_KEPT,))  # noqa: S608
            for whose, quota in limits.items():
                used = self._use(changing, day, whose)
                for what, limit, has, more in (
                    ("checks", quota.checks, used.checks, 1),
                    ("calls", quota.calls, used.calls, most.calls),
                    ("dollars", quota.dollars, used.dollars, most.dollars),
                ):
                    if limit is not None and has + more > limit + 1e-9:
                        raise QuotaError(whose, what, limit)
            changing.executemany(
                "INSERT INTO reserved (id, day, whose, calls, micro) VALUES (?, ?, ?, ?, ?)",
                [(name, day, key, most.calls, round(most.dollars * MICRO)) for key in limits],
            )
        return Reservation(name, day, tuple(limits), most)

    def settle(self, reservation: Reservation, spent: Amount, *, counted: bool = True) -> None:
        """Puts what was really spent in place of what was reserved; once. ``counted`` is False of a
        check that did not come about: then no check counts, and only what was spent."""
        with self._base.change() as changing:
            gone = changing.execute("DELETE FROM reserved WHERE id = ?", (reservation.id,))
            if not gone.rowcount:
                return
            for whose in reservation.whose:
                changing.execute(
                    """INSERT INTO spent (day, whose, checks, calls, micro) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (day, whose) DO UPDATE SET checks = checks + excluded.checks,
                        calls = calls + excluded.calls, micro = micro + excluded.micro""",
                    (
                        reservation.day,
                        whose,
                        int(counted),
                        spent.calls,
                        round(spent.dollars * MICRO),
                    ),
                )

    def used(self, whose: str, *, days: int = 1) -> Use:
        """What was used under a key in the last ``days``, today included."""
        with self._base.read() as reading:
            uses = [
                self._use(reading, day, whose)
                for day in range(self._today - days + 1, self._today + 1)
            ]
        return Use(*(sum(parts) for parts in zip(*uses, strict=True)))

    def forget(self, whose: str) -> None:
        """Deletes what is kept under a key, today's use left as it is, so that forgetting opens no
        quota again."""
        with self._base.change() as changing:
            changing.execute("DELETE FROM spent WHERE whose = ? AND day < ?", (whose, self._today))

    @property
    def _today(self) -> int:
        return int(self._clock() // 86_400)

    @staticmethod
    def _use(reading: sqlite3.Connection, day: int, whose: str) -> Use:
        query = """SELECT coalesce(sum(checks), 0), coalesce(sum(calls), 0), coalesce(sum(micro), 0)
            FROM (SELECT checks, calls, micro FROM spent WHERE day = ? AND whose = ?
                UNION ALL SELECT 1, calls, micro FROM reserved WHERE day = ? AND whose = ?)"""
        checks, calls, micro = reading.execute(query, (day, whose, day, whose)).fetchone()
        return Use(checks, calls, micro / MICRO)
