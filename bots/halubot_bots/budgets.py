"""Budgets of models: reserved before anything is spent, settled afterwards.

What is reserved counts until it is settled, so that checks side by side never spend together what
is left only once. What was spent is noted while a check runs: after a kill only that counts. Days
are those of UTC; money is kept in millionths of a dollar.
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
"""Days after which what was used is forgotten."""

TABLES: Final[Upgrade] = (
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
        spent_calls INTEGER NOT NULL DEFAULT 0,
        spent_micro INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (id, whose))""",
    "CREATE INDEX reserved_whose ON reserved (day, whose)",
)
"""The tables of budgets."""


class Amount(NamedTuple):
    """The use of models: checks, calls, and dollars."""

    checks: int = 0
    calls: int = 0
    dollars: float = 0.0


@dataclass(frozen=True, slots=True)
class Reservation:
    """A reserved amount, and for whom."""

    id: str
    day: int
    whose: tuple[str, ...]


class BudgetError(HalubotError):
    """A budget of the day has too little left. ``whose`` is its key. ``busy`` if checks that run
    hold the rest and may give it back."""

    def __init__(self, whose: str, *, busy: bool) -> None:
        self.whose = whose
        self.busy = busy
        state = "held by checks that run" if busy else "used up"
        super().__init__(f"the budget of the day is {state} ({whose})")


class Budgets:
    """The budgets of one base, by key: "all", "server:ID", "channel:ID", "person:ID". Calls may
    wait for the disk: not for an event loop. Each raises StateError if the base cannot be used."""

    def __init__(self, base: Base, clock: Callable[[], float] = time.time) -> None:
        self._base = base
        self._clock = clock

    def reserve(self, limits: Mapping[str, Quota], most: Amount) -> Reservation:
        """Reserve one check and at most so much for all of ``limits``, by key, at once; or nothing.
        Raises BudgetError, which names the first that has too little left."""
        day, name = self._today, uuid4().hex
        with self._base.change() as changing:
            _expire(changing, day)
            for whose, quota in limits.items():
                used = _used(changing, day, whose)
                spent = _used(changing, day, whose, reserved=False)
                wanted = Amount(1, most.calls, most.dollars)
                kinds = (quota.checks, quota.calls, quota.dollars)
                for limit, has, really, more in zip(kinds, used, spent, wanted, strict=True):
                    # Dollars are sums of floats: 0.1 + 0.2 must not exceed 0.3.
                    if limit is not None and has + more > limit + 1e-9:
                        raise BudgetError(whose, busy=really + more <= limit + 1e-9)
            changing.executemany(
                "INSERT INTO reserved (id, day, whose, calls, micro) VALUES (?, ?, ?, ?, ?)",
                [(name, day, key, most.calls, round(most.dollars * MICRO)) for key in limits],
            )
        return Reservation(name, day, tuple(limits))

    def note(self, reservation: Reservation, spent: Amount) -> None:
        """Note what a check has spent so far."""
        with self._base.change() as changing:
            changing.execute(
                "UPDATE reserved SET spent_calls = ?, spent_micro = ? WHERE id = ?",
                (spent.calls, round(spent.dollars * MICRO), reservation.id),
            )

    def settle(self, reservation: Reservation, spent: Amount) -> None:
        """Put what was spent in place of what was reserved, once; a check that spent nothing does
        not count."""
        with self._base.change() as changing:
            self._settle(changing, reservation.id, spent)

    def settle_all(self) -> None:
        """Settle all reservations to what was noted: at the start of the only process."""
        with self._base.change() as changing:
            for name, calls, micro in changing.execute(
                "SELECT DISTINCT id, spent_calls, spent_micro FROM reserved"
            ).fetchall():
                self._settle(changing, name, Amount(1, calls, micro / MICRO))

    def _settle(self, changing: sqlite3.Connection, name: str, spent: Amount) -> None:
        rows = changing.execute("SELECT day, whose FROM reserved WHERE id = ?", (name,)).fetchall()
        changing.execute("DELETE FROM reserved WHERE id = ?", (name,))
        micro = round(spent.dollars * MICRO)
        if not (spent.calls or micro):
            return
        changing.executemany(
            """INSERT INTO spent (day, whose, checks, calls, micro) VALUES (?, ?, 1, ?, ?)
            ON CONFLICT (day, whose) DO UPDATE SET checks = spent.checks + 1,
                calls = spent.calls + excluded.calls, micro = spent.micro + excluded.micro""",
            [(day, whose, spent.calls, micro) for day, whose in rows],
        )

    def used(self, whose: str) -> Amount:
        """Return what was used today under a key, reservations included."""
        with self._base.read() as reading:
            return _used(reading, self._today, whose)

    @property
    def _today(self) -> int:
        return int(self._clock() // 86_400)


def _expire(changing: sqlite3.Connection, day: int) -> None:
    changing.execute("DELETE FROM spent WHERE day < ?", (day - DAYS_KEPT,))
    # What people used is kept for the day alone.
    changing.execute("DELETE FROM spent WHERE day < ? AND whose LIKE 'person:%'", (day,))


def _used(reading: sqlite3.Connection, day: int, whose: str, *, reserved: bool = True) -> Amount:
    query = """SELECT coalesce(sum(checks), 0), coalesce(sum(calls), 0), coalesce(sum(micro), 0)
        FROM (SELECT checks, calls, micro FROM spent WHERE day = ?1 AND whose = ?2
            UNION ALL SELECT 1, calls, micro FROM reserved
            WHERE day = ?1 AND whose = ?2 AND ?3) AS uses"""
    checks, calls, micro = reading.execute(query, (day, whose, reserved)).fetchone()
    return Amount(checks, calls, micro / MICRO)
