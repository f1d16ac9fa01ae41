"""Threads and tasks: work done aside, several pieces at once, results in their order, and the time
that they may take together."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import Any, Final, TypeVar

from halubot.errors import SettingError

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")


class Deadline:
    """``seconds`` that several steps share, from the moment when this is made: ``at`` is the moment
    of `time.monotonic` when they are over. Raises SettingError for 0 and less."""

    def __init__(self, seconds: float) -> None:
        if not seconds > 0:
            raise SettingError(f"the deadline is {seconds:g} s, not more than 0")
        self.seconds = seconds
        self.at = time.monotonic() + seconds

    def __str__(self) -> str:
        """Say why something ended."""
        return f"the deadline of {self.seconds:g} s passed"

    @property
    def left(self) -> float:
        """Return the seconds that are left, 0 if it has passed."""
        return max(0.0, self.at - time.monotonic())


def begin_deadline(given: float | Deadline | None) -> Deadline | None:
    """Return a deadline of so many seconds from now; one that has begun as it is."""
    return given if given is None or isinstance(given, Deadline) else Deadline(given)


async def every(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Await all of them and return their results, in their order."""
    # `gather` leaves the others running if one of them fails, so they are cancelled below.
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


async def both(a: Coroutine[Any, Any, A], b: Coroutine[Any, Any, B]) -> tuple[A, B]:
    """Await both and return their two results."""
    first, second = asyncio.ensure_future(a), asyncio.ensure_future(b)
    try:
        return await asyncio.gather(first, second)
    finally:
        first.cancel()
        second.cancel()


class GivenUpError(BaseException):
    """Nobody waits any more for the work of this thread."""


_given_up: Final[ContextVar[threading.Event | None]] = ContextVar("given_up", default=None)
_deadline: Final[ContextVar[Deadline | None]] = ContextVar("deadline", default=None)

RESERVE: Final = 0.3
"""The share of its time that work keeps for saying what it knows."""


def work_until(deadline: Deadline | None) -> None:
    """Tell the work of this task, also that on its threads, until when it has time."""
    _deadline.set(deadline)


@contextmanager
def working_until(deadline: Deadline | None) -> Iterator[None]:
    """Tell the work inside until when it has time; None for no limit."""
    token = _deadline.set(deadline)
    try:
        yield
    finally:
        _deadline.reset(token)


def seconds_left() -> float:
    """Return how much time the work has, infinity without a limit."""
    deadline = _deadline.get()
    return math.inf if deadline is None else deadline.left


def is_late() -> bool:
    """Return True if so little time is left that work should leave the rest undone and say what it
    knows. What may take most of a deadline asks this at each of its steps."""
    deadline = _deadline.get()
    return deadline is not None and deadline.left < RESERVE * deadline.seconds


def go_on() -> None:
    """Return if somebody still waits for the work of this thread. Raises GivenUpError if nobody
    does. What may take seconds calls this at each of its steps: else a check that was stopped would
    take time and memory from the others until its end."""
    given_up = _given_up.get()
    if given_up is not None and given_up.is_set():
        raise GivenUpError


PAUSE_SECONDS = 0.008
"""How long work waits for its turn that is done while a model is asked."""


async def aside(work: Callable[[], T]) -> T:
    """Does the work on a thread that nobody waits for once it is given up: a check that was
    stopped ends at once, though one step of it may be long. The thread ends when the work next
    calls `go_on`."""
    given_up, deadline = threading.Event(), _deadline.get()

    def whole() -> T:
        _given_up.set(given_up)
        _deadline.set(deadline)
        return work()

    try:
        # Not on the loop's own pool: a loop that is closed waits for the threads of that.
        return await asyncio.wrap_future(begin(whole, "halubot judging"))
    finally:
        given_up.set()


def begin(work: Callable[[], T], name: str) -> Future[T]:
    """Begin work on a thread of that name, and return its outcome. Nobody has to wait for it: for
    work that cannot be stopped, such as looking up a name, and would hold up the end of the program
    on a thread of a pool."""
    outcome: Future[T] = Future()
    outcome.set_running_or_notify_cancel()  # it cannot be taken back any more

    def whole() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised again where it is waited for
            outcome.set_exception(error)

    threading.Thread(target=whole, name=name, daemon=True).start()
    return outcome


async def meanwhile(work: Coroutine[Any, Any, T], pieces: Iterable[Callable[[], object]]) -> T:
    """The result of work that mostly waits for a model. Until it is there the pieces are done, one
    by one and with pauses, in which the work's calls go out; those left over are not done."""
    task = asyncio.ensure_future(work)
    try:
        for piece in pieces:
            done, _ = await asyncio.wait([task], timeout=PAUSE_SECONDS)
            if done:
                break
            await aside(piece)
        return await task
    finally:
        task.cancel()


R = TypeVar("R")


WAITING = 4
"""Results that wait for a slow one before them, for each item under way. Without a bound, one slow
item would keep the results of all others in memory."""


async def in_order(
    items: Iterable[T], work: Callable[[T], Awaitable[R]], *, at_once: int
) -> AsyncGenerator[R, None]:
    """Yield the result of ``work`` for each item, in the order of ``items``.

    At most ``at_once`` items are under way. A result is yielded before another item is taken, so
    that with 1 each item is finished before the next is read. Items are taken on a thread: whoever
    writes them to a pipe may wait for the result of one before the next. Closing the iterator
    cancels the work under way. Raises what ``items`` and ``work`` raise.
    """
    rest = iter(items)
    line: deque[asyncio.Task[R]] = deque()
    taking: asyncio.Task[list[T]] | None = None
    ended = False

    async def whole(item: T) -> R:
        return await work(item)

    try:
        while True:
            while line and line[0].done():
                yield line.popleft().result()
            under_way = [task for task in line if not task.done()]
            free = len(under_way) < at_once and len(line) < WAITING * at_once
            if free and taking is None and not ended:
                taking = asyncio.create_task(aside(lambda: [*islice(rest, 1)]))
            awaited: list[asyncio.Task[Any]] = [*under_way, *filter(None, [taking])]
            if not awaited:
                return
            await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            if taking is not None and taking.done():
                taken, taking = taking.result(), None
                ended = not taken
                line.extend(asyncio.create_task(whole(item)) for item in taken)
    finally:
        left = [*line, *filter(None, [taking])]
        for task in left:
            task.cancel()
        # Waited for, so that no work outlives the iterator and the warnings of the loop stay away.
        await asyncio.gather(*left, return_exceptions=True)
