"""The calls under way at a server on this machine, which may answer one after the other.

No such server tells how many it answers at once. It shows in the times of its answers: while they
stay the same, more calls are sent at a time. And whoever waits behind others is not late: the
clock of a call starts again with each answer that the server gave to another one meanwhile.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from halubot.models.model import Completion, Request
from halubot.models.pace import Pace
from halubot.models.token_count import estimate_tokens, prompt_tokens

FEWEST: Final = 2
"""Calls at once in the beginning: one that is answered, and one that waits for it."""

FLAT: Final = 1.5
"""How much longer than the quickest a token may take while the server counts as idle enough for
more. A server of one slot takes twice as long for the second of two calls."""

QUICK: Final = 0.25
"""Seconds in which an answer is never late, whatever it holds."""

READ: Final = 1 / 16
"""The time to read a token as a share of that to write one, about."""

LONGEST_ROOM: Final = 4_096
"""The longest answer, in tokens with its thoughts, if nothing tells how long it usually is."""

THOUGHT_ROOM: Final = 2_048
"""Tokens beside those of a shaped answer, for what a model thinks before it."""


MOST_OF_TIME: Final = 0.8
"""The part of the time of a call in which an answer is to be written."""

LEAST_IN_TIME: Final = 128
"""Tokens that an answer may have however slow the server is."""


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
    """What is learnt of one server on this machine while it works; ``pace`` is widened by it.

    Calls of any thread and loop may take part. ``clock`` is replaced in tests.
    """

    def __init__(self, pace: Pace, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._pace = pace
        self._most = pace.at_once
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: set[_Waiting] = set()
        self._quickest: float | None = None
        self._shortest = float("inf")
        self._flat = 0
        self._late = 0
        pace.at_once = min(FEWEST, self._most)

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
            with suppress(RuntimeError):  # its loop has ended
                other.loop.call_soon_threadsafe(other.begin_again)

    @contextmanager
    def measure(self, request: Request) -> Iterator[list[Completion]]:
        """Time one call; what it brought goes into the list. Several answers at once, or none, tell
        nothing."""
        brought: list[Completion] = []
        begun = self._clock()
        yield brought
        # A server writes several answers side by side, so their time tells nothing of one.
        if len(brought) == request.n == 1:
            self._note(self._clock() - begun, _work(request, brought[0]))

    def in_time(self, tokens: int, seconds: float) -> int:
        """Return how many of these tokens the server can write in that time, by the quickest of its
        answers: an answer that is cut is worth more than none."""
        quickest = self._quickest
        if not quickest:
            return tokens
        return min(tokens, max(LEAST_IN_TIME, int(MOST_OF_TIME * seconds / quickest)))

    def _note(self, seconds: float, work: float) -> None:
        each = seconds / work
        with self._lock:
            self._quickest = min(each, self._quickest or each)
            # A whole round of steady answers widens the pace, and a whole round of late ones
            # narrows it: one slow answer is chance.
            self._shortest = min(seconds, self._shortest)
            # Reading a request takes a while however short its answer is, so by its tokens alone a
            # short answer looks late.
            usual = max(self._shortest, work * self._quickest)
            if seconds < QUICK or seconds <= FLAT * usual:
                self._flat, self._late = self._flat + 1, 0
            else:
                self._flat, self._late = 0, self._late + 1
            at_once = self._pace.at_once
            if self._flat >= at_once:
                self._flat = 0
                self._pace.at_once = min(self._most, 2 * at_once)
            elif self._late >= at_once > FEWEST:
                self._late = 0
                # The limit goes down with it, or the pace would swing between the two for ever.
                self._most = self._pace.at_once = max(FEWEST, at_once // 2)


def answer_room(request: Request) -> int:
    """Return how many tokens an answer may have at most: a model on this machine that does not end
    by itself holds up all other calls."""
    if request.room is None:
        return LONGEST_ROOM
    return min(4 * request.room, LONGEST_ROOM) + THOUGHT_ROOM


def _work(request: Request, completion: Completion) -> float:
    """The tokens of a call, those read counted as little as they take."""
    used = completion.usage
    read = used.prompt if used is not None else prompt_tokens(request)
    written = used.completion if used is not None else estimate_tokens(completion.text)
    return max(1.0, written + READ * read)
