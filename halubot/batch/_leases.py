"""One budget over all workers: calls and dollars are leased to each chunk, and never twice.

What a chunk did not spend comes back when it ends. Of a worker that was killed nobody knows what it
spent, so its lease counts as spent.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import ceil

from halubot.batch._chunk import Lease
from halubot.report import Usage


class Leases:
    """What may still be spent. ``shares`` is among how many chunks at most it is divided. With
    ``elsewhere`` workers take it from a purse; here is only known which chunks hold any."""

    def __init__(
        self, calls: int | None, cost: float | None, *, shares: int, elsewhere: bool = False
    ) -> None:
        self._calls = None if elsewhere else calls
        self._cost = None if elsewhere else cost
        self._elsewhere = elsewhere
        self._shares = shares
        self._out = 0
        self._back = asyncio.Condition()

    @asynccontextmanager
    async def lease(self, *, whole: bool = False) -> AsyncIterator[Spending]:
        """A share of what is left, or with ``whole`` all of it, once no other chunk holds any."""
        async with self._back:
            if self._elsewhere and whole:
                await self._back.wait_for(lambda: not self._out)
            if self._calls is None and self._cost is None:
                taken = Lease()
            else:
                await self._back.wait_for(lambda: not self._out or not (whole or self._is_spent))
                taken = self._taken(1 if whole else self._shares)
            self._out += 1
        spending = Spending(taken)
        try:
            yield spending
        finally:
            async with self._back:
                self._out -= 1
                self._return(taken, spending.usage)
                self._back.notify_all()

    @property
    def _is_spent(self) -> bool:
        return self._calls == 0 or (self._cost is not None and self._cost <= 0)

    def _taken(self, shares: int) -> Lease:
        calls, cost = self._calls, self._cost
        if calls is not None:
            calls = ceil(calls / shares)
            self._calls = (self._calls or 0) - calls
        if cost is not None:
            cost = cost / shares
            self._cost = (self._cost or 0.0) - cost
        return Lease(calls, cost)

    def _return(self, lease: Lease, spent: Usage | None) -> None:
        if spent is None:
            return
        if lease.calls is not None:
            self._calls = (self._calls or 0) + max(0, lease.calls - spent.calls)
        if lease.cost is not None:
            # A price that is not known was reserved in full by the worker's own budget.
            known = lease.cost if spent.cost_usd is None and spent.calls else spent.cost_usd or 0.0
            self._cost = (self._cost or 0.0) + max(0.0, lease.cost - known)


class Spending:
    """A lease, and what was spent of it: None until that is known."""

    def __init__(self, lease: Lease) -> None:
        self.lease = lease
        self.usage: Usage | None = None
