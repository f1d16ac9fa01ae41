"""Requests to one provider: their pace, second attempts, and one call for twins under way."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Protocol

from halubot.models.model import Parameter
from halubot.models.model_errors import ModelError, RateLimitedError, RefusedParameterError
from halubot.rate import Rate

MINUTE = 60.0


class Pacer(Protocol):
    """Who says when requests may begin, for several processes together. Its methods may wait for a
    network: they are called on threads."""

    def begin(self) -> float:
        """Begin a request and return 0, or return the seconds after which to ask again. Raises a
        ModelError if nobody can say."""
        ...

    def hold(self, seconds: float) -> None:
        """Let no request begin for that long. Raises nothing."""
        ...


class Window:
    """When requests may begin: at most ``rate`` of them (None: any number), and none while they are
    held."""

    def __init__(self, rate: Rate | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate = rate
        self._clock = clock
        self._lock = threading.Lock()
        # The oldest of the last ``count`` beginnings decides: a sliding window, which no burst at
        # the turn of a minute can exceed.
        self._begun: deque[float] = deque(maxlen=rate.count if rate is not None else 1)
        self._held_until = 0.0

    def begin(self) -> float:
        """Begin a request and return 0, or return the seconds after which to try again."""
        with self._lock:
            now = self._clock()
            begin = self._held_until
            if self.rate is not None and len(self._begun) == self.rate.count:
                begin = max(begin, self._begun[0] + self.rate.seconds)
            if begin > now:
                return begin - now
            # The moment itself, not the one that was waited for: a late request counts as late.
            self._begun.append(now)
            return 0.0

    def hold(self, seconds: float) -> None:
        """Let no request begin for that long."""
        with self._lock:
            self._held_until = max(self._held_until, self._clock() + seconds)

    def with_rate(self, rate: Rate) -> Window:
        """Return a window of another rate that is held as long as this one."""
        other = Window(rate, clock=self._clock)
        other._held_until = self._held_until
        return other


class Pace:
    """One provider's pace, shared by everything in the program that asks it, on any loop.

    ``at_once`` requests are under way at most, and ``per_minute`` begin in any 60 seconds (None:
    any number). ``clock`` and ``sleep`` are replaced in tests.
    """

    def __init__(
        self,
        at_once: int = 32,
        per_minute: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if at_once < 1 or (per_minute is not None and per_minute < 1):
            raise ValueError("at least one request at once, and one a minute")
        self._at_once = at_once
        rate = None if per_minute is None else Rate(per_minute, MINUTE)
        self._window = Window(rate, clock=clock)
        self._shared: Pacer | None = None
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._under_way = 0
        self._line: deque[Future[None]] = deque()

    @property
    def at_once(self) -> int:
        """The most requests under way."""
        return self._at_once

    @at_once.setter
    def at_once(self, count: int) -> None:
        with self._lock:
            self._at_once = count
            while self._under_way < count and self._let_in():
                self._under_way += 1

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Waits for a turn, and keeps it for the length of the ``async with``."""
        await self._enter()
        try:
            while (wait := await self._begin()) > 0:
                await self._sleep(wait)
            yield
        finally:
            self._leave()

    def hold(self, seconds: float) -> None:
        """Lets no request begin for that long: the provider asked for it."""
        self._window.hold(seconds)
        if self._shared is not None:
            # Not awaited: the other processes should hear of it, and this one holds already.
            asyncio.get_running_loop().run_in_executor(None, self._shared.hold, seconds)

    @contextmanager
    def limit(self, rate: Rate) -> Iterator[None]:
        """Lets requests begin at that rate at most for the length of the ``with``."""
        before, self._window = self._window, self._window.with_rate(rate)
        try:
            yield
        finally:
            self._window = before

    @contextmanager
    def shared(self, pacer: Pacer) -> Iterator[None]:
        """Asks ``pacer`` too before each request for the length of the ``with``."""
        before, self._shared = self._shared, pacer
        try:
            yield
        finally:
            self._shared = before

    async def _enter(self) -> None:
        with self._lock:
            if self._under_way < self._at_once:
                self._under_way += 1
                return
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
            if self._under_way > self._at_once or not self._let_in():
                self._under_way -= 1

    def _let_in(self) -> bool:
        """Give the place that is free to the first who waits; False if nobody does."""
        while self._line:
            place = self._line.popleft()
            if place.set_running_or_notify_cancel():
                place.set_result(None)
                return True
        return False

    async def _begin(self) -> float:
        """Begins a request and returns 0, or returns the seconds after which to try again."""
        wait = self._window.begin()
        if wait > 0 or self._shared is None:
            return wait
        return await asyncio.to_thread(self._shared.begin)


@dataclass(frozen=True, slots=True)
class Retry:
    """When a call that failed is made again.

    ``attempts`` in all, at least 1; the waits between them double from ``first`` to ``longest``
    seconds, each shortened by up to a half by ``jitter`` (a number in [0, 1)). What the server
    asks for (retry-after) is waited for in full, and not at all if it is over ``longest``.
    """

    attempts: int = 3
    first: float = 0.5
    longest: float = 60.0
    jitter: Callable[[], float] = random.random

    def wait(self, failed: int, error: ModelError) -> float | None:
        """Seconds before the next attempt after ``failed`` of them, None to give up."""
        if not error.transient or failed >= self.attempts:
            return None
        # Jitter, so that calls that failed together do not come back together.
        usual = min(self.longest, self.first * 2.0 ** (failed - 1)) * (1 - self.jitter() / 2)
        asked = error.retry_after if isinstance(error, RateLimitedError) else None
        if asked is None:
            return usual
        return None if asked > self.longest else asked + self.jitter() * self.first


class Attempts:
    """The attempts at one call by now."""

    def __init__(self) -> None:
        self._failed = 0
        self._left_out: set[Parameter] = set()

    def wait(self, retry: Retry, error: ModelError) -> float:
        """Seconds before the next attempt, after one that failed with this error. None at all
        if the next one leaves out what the server turned down. Raises the error if there
        is no next attempt."""
        if isinstance(error, RefusedParameterError) and error.parameter not in self._left_out:
            self._left_out.add(error.parameter)
            return 0.0
        self._failed += 1
        wait = retry.wait(self._failed, error)
        if wait is None:
            raise error
        return wait
