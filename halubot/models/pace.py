"""Requests to one provider: their pace, second attempts, and the queue of a server on this machine.

A server on this machine may answer one call after the other. Whoever waits behind others is not
late: the clock of a call starts again with each answer that the server gave to another one
meanwhile.
"""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

from halubot.models.model import Parameter, Request
from halubot.models.model_errors import ModelError, RateLimitedError, RefusedParameterError
from halubot.rate import Rate

MINUTE = 60.0

CONCURRENCY: Final = 64
"""The most calls at once to one provider. A GPU server such as vLLM answers 32 to 128 at the same
time, and gives most of its throughput away if it is asked for fewer; hosted providers limit the
rate and not the calls at once."""

SLACK: Final = 0.02
"""The part of a rate that is left unused."""

LONGEST_ARREARS: Final = 0.25
"""Seconds of lateness that later requests may make up for."""

CLOSEST: Final = 0.6
"""The shortest distance of two requests, as a share of the even one, while they make up for it."""


class Window:
    """When requests may begin: at even distances, so that no second has twice its share of ``rate``
    (None: at any time), and not while they are held."""

    def __init__(self, rate: Rate | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate = rate
        self._clock = clock
        self._lock = threading.Lock()
        self._held_until = 0.0
        # Requests take unequal times to arrive: without the slack, the server would count one too
        # many in a minute now and then.
        self._distance = 0.0 if rate is None else (1 + SLACK) * rate.seconds / rate.count
        self._arrears = 0.0 if rate is None else min(LONGEST_ARREARS, SLACK * rate.seconds / 2)
        self._due = self._earliest = float("-inf")

    def begin(self) -> float:
        """Begin a request and return 0, or return the seconds after which to try again."""
        with self._lock:
            now = self._clock()
            begin = max(self._held_until, self._due, self._earliest)
            if begin > now:
                return begin - now
            # A timer is a little late each time. What that costs is made up for, but a process
            # that stood still sends nothing in a burst.
            self._due = max(self._due, now - self._arrears) + self._distance
            self._earliest = now + CLOSEST * self._distance
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
    any number), at even distances. ``clock`` and ``sleep`` are replaced in tests.
    """

    def __init__(
        self,
        at_once: int = CONCURRENCY,
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
            loop = asyncio.get_running_loop()
            async with self._turnstiles.setdefault(loop, asyncio.Lock()):
                while (wait := self._window.begin()) > 0:
                    await self._sleep(wait)
                if self._gate is not None:
                    await self._gate()
            yield
        finally:
            self._leave()

    def hold(self, seconds: float) -> None:
        """Lets no request begin for that long: the provider asked for it."""
        self._window.hold(seconds)

    @contextmanager
    def limit(self, rate: Rate) -> Iterator[None]:
        """Lets requests begin at that rate at most for the length of the ``with``."""
        before, self._window = self._window, self._window.with_rate(rate)
        try:
            yield
        finally:
            self._window = before

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
            if self._under_way < self._at_once:
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


HERE: Final = 8
"""Calls at once to a server on this machine if nobody says how many it answers: none tells, and one
that answers a single call loses nothing by the others waiting."""

LONGEST_ROOM: Final = 4_096
"""The longest answer, in tokens with its thoughts, if nothing tells how long it usually is."""

THOUGHT_ROOM: Final = 2_048
"""Tokens beside those of a shaped answer, for what a model thinks before it."""


@dataclass(eq=False)
class _Waiting:
    loop: asyncio.AbstractEventLoop
    timeout: asyncio.Timeout
    seconds: float

    def begin_again(self) -> None:
        """Give the call its whole time from now on; called on its own loop."""
        with suppress(RuntimeError):  # its time is over, or it has ended
            self.timeout.reschedule(self.loop.time() + self.seconds)


class ServerQueue:
    """The calls that wait for a server on this machine, which may answer one after the other.

    Calls of any thread and loop may take part.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: set[_Waiting] = set()

    @contextmanager
    def wait(self, timeout: asyncio.Timeout, seconds: float) -> Iterator[None]:
        """Take part for the length of the ``with``: ``timeout`` begins again, with ``seconds``,
        whenever another call was answered."""
        own = _Waiting(asyncio.get_running_loop(), timeout, seconds)
        with self._lock:
            self._waiting.add(own)
        try:
            yield
        except BaseException:
            with self._lock:
                self._waiting.discard(own)
            raise
        with self._lock:
            self._waiting.discard(own)
            others = tuple(self._waiting)
        for other in others:
            if other.loop is own.loop:
                # A message to another loop costs a system call: with 64 calls under way, 2 ms an
                # answer.
                other.begin_again()
                continue
            with suppress(RuntimeError):  # its loop has ended
                other.loop.call_soon_threadsafe(other.begin_again)


def answer_room(request: Request) -> int:
    """Return the most tokens that an answer may have: a model on this machine that does not end by
    itself holds up all other calls."""
    if request.room is None:
        return LONGEST_ROOM
    return min(4 * request.room, LONGEST_ROOM) + THOUGHT_ROOM
