"""The running checks: their queue, the events of each, and their end."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from halubot.errors import HalubotError
from halubot.events import Event, Started
from halubot.fold import fold
from halubot.report import Report

State = Literal["waiting", "running", "finished", "failed", "cancelled"]

Watch = Callable[[Event], None]
Work = Callable[[Watch], Awaitable[Report]]
"""The work of a check: it tells its events, and returns its report."""

KEPT_SECONDS: Final = 600.0
"""How long the report of a check that ended can be fetched."""

KEPT: Final = 20
"""How many checks that ended are kept; the oldest go first."""

UNSEEN_SECONDS: Final = 60.0
"""How long a check goes on while nobody watches it or asks for it."""

OWN_FAULT: Final = "a fault of halubot's own; its log says which"

_LOG = logging.getLogger(__name__)


class BusyError(HalubotError):
    """All places of the queue are taken; ``seconds`` is when to try again."""

    def __init__(self, waiting: int, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(f"{waiting} checks wait already: try again in {seconds} s")


@dataclass(eq=False)
class Check:
    """One check: its log of events, and how it ended. ``error`` is what made it fail. One that is
    not ``kept`` is forgotten when it ends."""

    id: str
    log: list[Event] = field(default_factory=list)
    state: State = "waiting"
    final: Report | None = None
    error: Exception | None = None
    kept: bool = True
    viewers: int = 0
    task: asyncio.Task[None] | None = None
    ended_at: float | None = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def has_ended(self) -> bool:
        """True once it ended, in whatever way."""
        return self.ended_at is not None

    @property
    def report(self) -> Report | None:
        """The report; of a check that has not ended, or failed, what is known of its first text.
        None before it began."""
        if self.final is not None or not self.log:
            return self.final
        # A correction checks its own text too, in the same log: that run is not the report asked
        # for.
        others = [place for place, one in enumerate(self.log) if isinstance(one, Started)][1:]
        return fold(self.log[: others[0]] if others else self.log)

    @property
    def problem(self) -> str | None:
        """The reason why it failed, in words for those who asked for it; None if it did not."""
        if self.error is None:
            return None
        return str(self.error) if isinstance(self.error, HalubotError) else OWN_FAULT

    def tell(self, event: Event) -> None:
        """Add an event to the log."""
        self.log.append(event)
        self.wake()

    def wake(self) -> None:
        """Let all viewers look again."""
        # Replace the event before setting it, so that viewers who look again wait for the next
        # news.
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def events(self, after: int = 0) -> AsyncIterator[tuple[int, Event]]:
        """Yield the events behind the first ``after`` with their numbers from 1, each as it comes,
        until the check ended."""
        seen = max(0, after)
        while True:
            news = self._news
            while seen < len(self.log):
                seen += 1
                yield seen, self.log[seen - 1]
            if self.has_ended:
                return
            await news.wait()

    async def wait(self) -> None:
        """Wait until it ended."""
        while not self.has_ended:
            await self._news.wait()

    def cancel(self) -> None:
        """Stop it; what was judged by then stays in its report."""
        if self.task is not None:
            self.task.cancel()


class Checks:
    """All checks of one service."""

    def __init__(self, *, at_once: int, waiting: int) -> None:
        self._slots = asyncio.Semaphore(at_once)
        self._at_once = at_once
        self._waiting_at_most = waiting
        self._checks: dict[str, Check] = {}
        self._recent = 1.0

    @property
    def running(self) -> int:
        """The number of checks under way."""
        return sum(check.state == "running" for check in self._checks.values())

    @property
    def waiting(self) -> int:
        """The number of checks that wait for their turn."""
        return sum(check.state == "waiting" for check in self._checks.values())

    def begin(self, work: Work, *, keep: bool = True) -> Check:
        """Begin a check, or let it wait for its turn. Raises BusyError. ``keep`` is for one that
        somebody will ask for by its id."""
        self._forget()
        under_way = self.running + self.waiting
        if under_way >= self._at_once + self._waiting_at_most:
            raise BusyError(self.waiting, self._seconds_to_wait())
        # The id is the only key to the report, so it must not be guessable.
        check = Check(id=secrets.token_urlsafe(16), kept=keep)
        self._checks[check.id] = check
        check.task = asyncio.create_task(self._drive(check, work), name=f"check {check.id}")
        return check

    def get(self, id: str) -> Check:
        """The check of that id. Raises KeyError for one that never was or is kept no more."""
        self._forget()
        return self._checks[id]

    def watch(self, check: Check) -> None:
        """Count one more viewer of a check."""
        check.viewers += 1

    def leave(self, check: Check) -> None:
        """Count one viewer less; a check without any is cancelled after a while."""
        check.viewers -= 1
        self.expect_viewer(check)

    def expect_viewer(self, check: Check) -> None:
        """Cancel a check later, if nobody watches it then."""
        if not check.has_ended:
            # Not at once: a browser that loses its connection asks again with Last-Event-ID.
            asyncio.get_running_loop().call_later(UNSEEN_SECONDS, self._cancel_unseen, check)

    async def close(self) -> None:
        """Cancel all checks and wait for their end."""
        tasks = [
            check.task for check in self._checks.values() if check.task and not check.has_ended
        ]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _cancel_unseen(self, check: Check) -> None:
        if not check.viewers and not check.has_ended:
            check.cancel()

    async def _drive(self, check: Check, work: Work) -> None:
        begun = time.perf_counter()
        try:
            async with self._slots:
                begun = time.perf_counter()
                check.state = "running"
                check.final = await work(check.tell)
                check.state = "finished"
        except asyncio.CancelledError:
            check.state = "cancelled"
        except Exception as error:  # noqa: BLE001 - told to whoever asked, and written to the log
            check.state, check.error = "failed", error
            if not isinstance(error, HalubotError):
                _LOG.exception("a check failed")
        finally:
            check.ended_at = time.monotonic()
            # The client that waited has the report; keeping it would take memory for ten minutes.
            if not check.kept:
                del self._checks[check.id]
            seconds = time.perf_counter() - begun
            # A moving average: Retry-After follows the load of the last few checks.
            self._recent += 0.2 * (seconds - self._recent)
            check.wake()

    def _seconds_to_wait(self) -> int:
        """Seconds until a place is likely free, by how long recent checks took."""
        return max(1, round(self._recent * (1 + self.waiting / self._at_once)))

    def _forget(self) -> None:
        """Drop what ended long ago."""
        ended = [check for check in self._checks.values() if check.ended_at is not None]
        oldest = time.monotonic() - KEPT_SECONDS
        # The newest first, so that those beyond the limit are the oldest.
        ended.sort(key=lambda check: -(check.ended_at or 0.0))
        for place, check in enumerate(ended):
            if place >= KEPT or (check.ended_at or 0.0) < oldest:
                del self._checks[check.id]
