"""The pace of requests to one provider."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from typing import Final
from weakref import WeakKeyDictionary

from halubot.rate import Rate

CONCURRENCY: Final = 64
"""The most calls at once to one provider. A GPU server such as vLLM answers 32 to 128 at the same
time, and gives most of its throughput away if it is asked for fewer; hosted providers limit the
rate and not the calls at once."""

SLACK: Final = 0.02
"""The part of a rate that is left unused."""


def distance_of(rate: Rate) -> float:
    """Return the seconds between the beginnings of two requests."""
    # Requests take unequal times to arrive: without the slack, the server would count one too many
    # in a minute now and then.
    return (1 + SLACK) * rate.seconds / rate.count


class Pace:
    """One provider's pace, shared by everything in the program that asks it, on any loop.

    ``at_once`` requests are under way at most. Within `limit` they begin at even distances.
    ``clock`` and ``sleep`` are replaced in tests.
    """

    def __init__(
        self,
        at_once: int = CONCURRENCY,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.at_once = at_once
        self._distance = 0.0
        self._due = self._held_until = float("-inf")
        self._gate: Callable[[], Awaitable[None]] | None = None
        # One request at a time waits for its moment, on each loop: the others keep their order.
        self._turnstiles: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = (
            WeakKeyDictionary()
        )
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._under_way = 0
        self._line: deque[Future[None]] = deque()

    def allow(self, count: int) -> None:
        """Let so many requests be under way from now on."""
        with self._lock:
            self.at_once = count
            while self._under_way < count and self._let_in():
                self._under_way += 1

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Waits for a turn, and keeps it for the length of the ``async with``."""
        await self._enter()
        try:
            loop = asyncio.get_running_loop()
            async with self._turnstiles.setdefault(loop, asyncio.Lock()):
                while (wait := self._begin()) > 0:
                    await self._sleep(wait)
                if self._gate is not None:
                    await self._gate()
            yield
        finally:
            self._leave()

    def hold(self, seconds: float) -> None:
        """Lets no request begin for that long: the provider asked for it."""
        with self._lock:
            self._held_until = max(self._held_until, self._clock() + seconds)

    def _begin(self) -> float:
        """Begin a request and return 0, or return the seconds after which to try again."""
        with self._lock:
            now = self._clock()
            begin = max(self._held_until, self._due)
            if begin > now:
                return begin - now
            self._due = now + self._distance
            return 0.0

    @contextmanager
    def limit(self, rate: Rate) -> Iterator[None]:
        """Lets requests begin at that rate at most, at even distances, for the length of the
        ``with``."""
        before, self._distance = self._distance, distance_of(rate)
        try:
            yield
        finally:
            self._distance, self._due = before, float("-inf")

    @contextmanager
    def gated(self, gate: Callable[[], Awaitable[None]]) -> Iterator[None]:
        """Awaits ``gate`` before each request for the length of the ``with``: it says when one may
        begin, for several processes together."""
        before, self._gate = self._gate, gate
        try:
            yield
        finally:
            self._gate = before

    async def _enter(self) -> None:
        with self._lock:
            if self._under_way < self.at_once:
                self._under_way += 1
                return
            # A future of threads and not of asyncio: who frees the place may run on another loop.
            place: Future[None] = Future()
            self._line.append(place)
        try:
            await asyncio.wrap_future(place)
        except asyncio.CancelledError:
            if not place.cancel():
                self._leave()  # the turn came at the very moment it was given up
            raise

    def _leave(self) -> None:
        with self._lock:
            if self._under_way > self.at_once or not self._let_in():
                self._under_way -= 1

    def _let_in(self) -> bool:
        """Give the place that is free to the first who waits; False if nobody does."""
        while self._line:
            place = self._line.popleft()
            if place.set_running_or_notify_cancel():
                place.set_result(None)
                return True
        return False
