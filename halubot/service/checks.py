"""The checks under way: how many run at once, how many wait, and who is refused."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from halubot.errors import HalubotError
from halubot.events import Emit
from halubot.report import Report

Work = Callable[[Emit], Awaitable[Report]]
"""The work of a check: it tells its events, and returns its report."""


class BusyError(HalubotError):
    """All places of the queue are taken; ``seconds`` is when to try again."""

    def __init__(self, waiting: int, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(f"{waiting} checks wait already: try again in {seconds} s")


class Checks:
    """The queue of one service: ``running`` and ``waiting`` are how many checks there are."""

    def __init__(self, *, at_once: int, waiting: int) -> None:
        self.running = 0
        self.waiting = 0
        self._slots = asyncio.Semaphore(at_once)
        self._at_once = at_once
        self._waiting_at_most = waiting
        self._recent = 1.0

    def enter(self) -> AbstractAsyncContextManager[None]:
        """Take a place in the queue; what is returned waits for its turn, and then holds it. Raises
        BusyError at once if there is no place."""
        if self.running + self.waiting >= self._at_once + self._waiting_at_most:
            # How long recent checks took tells when a place is likely free.
            seconds = max(1, round(self._recent * (1 + self.waiting / self._at_once)))
            raise BusyError(self.waiting, seconds)
        self.waiting += 1
        return self._turn()

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        try:
            await self._slots.acquire()
        finally:
            self.waiting -= 1
        self.running += 1
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.running -= 1
            self._slots.release()
            # A moving average: Retry-After follows the load of the last few checks.
            self._recent += 0.2 * (time.perf_counter() - begun - self._recent)
