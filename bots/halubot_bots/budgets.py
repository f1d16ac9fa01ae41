"""Budgets of models: reserved before anything is spent, settled afterwards.

What is reserved counts until it is settled, so that checks side by side never spend together what
is left only once. What was spent is noted while a check runs: after a kill only that counts. Days
are those of UTC; money is kept in millionths of a dollar.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, NamedTuple
from uuid import uuid4

from halubot.errors import HalubotError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from halubot.state import Base
    from halubot_bots.settings import Quota

MICRO: Final = 1_000_000


class Amount(NamedTuple):
    """The use of models: checks, calls, and dollars."""

    checks: int = 0
    calls: int = 0
    dollars: float = 0.0


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

    def reserve(self, limits: Mapping[str, Quota], most: Amount) -> str:
        """Reserve one check and at most so much for all of ``limits``, by key, at once; or nothing.
        Return its mark. Raises BudgetError, which names the first that has too little left."""
        day, mark = self._today, uuid4().hex
        wanted = Amount(1, most.calls, most.dollars)
        with self._base.change() as changing:
            # What was used is kept for the day alone.
            changing.execute("DELETE FROM spending WHERE day < ?", (day,))
            for whose, quota in limits.items():
                used = _used(changing, day, whose)
                spent = _used(changing, day, whose, reserved=False)
                kinds = (quota.checks, quota.calls, quota.dollars)
                for limit, has, really, more in zip(kinds, used, spent, wanted, strict=True):
                    # Dollars are sums of floats: 0.1 + 0.2 must not exceed 0.3.
                    if limit is not None and has + more > limit + 1e-9:
                        raise BudgetError(whose, busy=really + more <= limit + 1e-9)
            changing.executemany(
                "INSERT INTO spending (id, day, whose, most_calls, most_micro)"
                " VALUES (?, ?, ?, ?, ?)",
                [(mark, day, key, most.calls, round(most.dollars * MICRO)) for key in limits],
            )
        return mark

    def note(self, mark: str, spent: Amount) -> None:
        """Note what a check has spent so far."""
        with self._base.change() as changing:
            changing.execute(
                "UPDATE spending SET calls = ?, micro = ? WHERE id = ? AND open",
                (spent.calls, round(spent.dollars * MICRO), mark),
            )

    def settle(self, mark: str, spent: Amount) -> None:
        """Put what was spent in place of what was reserved, once; a check that spent nothing does
        not count."""
        with self._base.change() as changing:
            self.note(mark, spent)
            _settle(changing, "id = ?", mark)

    def settle_all(self) -> None:
        """Settle all reservations to what was noted: at the start of the only process."""
        with self._base.change() as changing:
            _settle(changing, "TRUE")

    def used(self, whose: str) -> Amount:
        """Return what was used today under a key, reservations included."""
        with self._base.read() as reading:
            return _used(reading, self._today, whose)

    @property
    def _today(self) -> int:
        return int(self._clock() // 86_400)


def _settle(changing: sqlite3.Connection, where: str, *values: str) -> None:
    for query in (
        "DELETE FROM spending WHERE open AND NOT (calls OR micro) AND",
        "UPDATE spending SET open = 0 WHERE",
    ):
        changing.execute(f"{query} {where}", values)


def _used(reading: sqlite3.Connection, day: int, whose: str, *, reserved: bool = True) -> Amount:
    query = """SELECT count(*), coalesce(sum(iif(open, most_calls, calls)), 0),
        coalesce(sum(iif(open, most_micro, micro)), 0) FROM spending
        WHERE day = ? AND whose = ? AND (? OR NOT open)"""
    checks, calls, micro = reading.execute(query, (day, whose, reserved)).fetchone()
    return Amount(checks, calls, micro / MICRO)
