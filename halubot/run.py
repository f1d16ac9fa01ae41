"""A run: one check under way, its log of events, and those who watch it.

The log only grows. `Run.report` is the fold of what is in it, so a partial report exists at
any moment, and a run that was stopped keeps what it knew.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import suppress

from halubot.concurrency import Deadline, aside, begin_deadline, work_until
from halubot.errors import HalubotError
from halubot.events import Done, Emit, Event, Note, Started, fold
from halubot.report import Report

FALLBACK_SECONDS = 3.0
"""Seconds after its deadline in which a run may still compare words, if a model brought nothing."""

Work = Callable[[Emit], Awaitable[None]]
"""What a run does: it emits events until all is judged."""


class Run:
    """A check under way on the running event loop; `halubot.start` makes it.

    Any number of viewers may follow `events`. Each gets all events from the first, however late it
    begins, and a slow viewer does not hold up the work.
    """

    def __init__(
        self,
        work: Work,
        started: Started,
        *,
        notes: Iterable[Note] = (),
        deadline: float | Deadline | None = None,
        watch: Callable[[Event], None] | None = None,
        fallback: Callable[[Report], Iterable[Event]] | None = None,
    ) -> None:
        """``fallback`` returns more events for a report that is not complete. It is called on a
        thread when the work is done or the deadline has passed, until `FALLBACK_SECONDS` after."""
        self._work = work
        self._fallback = fallback
        self._watch = watch
        self._log: list[Event] = []
        self._news = asyncio.Event()
        self._began = time.perf_counter()
        self._stopped = False
        self._append(started)
        for note in notes:
            self._append(note)
        self._task = asyncio.create_task(
            self._drive(begin_deadline(deadline)), name=f"check by {started.method}"
        )

    @property
    def log(self) -> tuple[Event, ...]:
        """The events so far, oldest first; never empty."""
        return tuple(self._log)

    @property
    def report(self) -> Report:
        """The report of the events so far; facts that were not judged yet are not checked."""
        return fold(self._log)

    @property
    def done(self) -> bool:
        """True once the run has finished, failed or was cancelled."""
        return isinstance(self._log[-1], Done)

    def cancel(self) -> None:
        """Stop the work at once; the report keeps what was judged by then. Nothing happens if it
        is done."""
        self._stopped = True
        self._task.cancel()

    async def events(self) -> AsyncIterator[Event]:
        """Yield all events from the first, then each as it happens, up to and with `Done`."""
        # Read by place, so that each viewer goes at its own pace through the one log.
        seen = 0
        while True:
            news = self._news
            while seen < len(self._log):
                event = self._log[seen]
                seen += 1
                yield event
                if isinstance(event, Done):
                    return
            await news.wait()

    async def wait(self) -> Report:
        """Wait until the run is done and return its report, complete or, if it was cancelled or
        its deadline passed, partial.

        Raises HalubotError if the work failed. Cancelling the waiter cancels the run.
        """
        try:
            await self._task
        except asyncio.CancelledError:
            if not self._stopped:
                self.cancel()
                # The log gets its end before the waiter's cancellation goes on.
                await asyncio.wait([self._task])
                raise
        return self.report

    def _append(self, event: Event) -> None:
        self._log.append(event)
        # A new one for the next event: whoever waits holds the old one, and none is missed.
        news, self._news = self._news, asyncio.Event()
        news.set()
        if self._watch is not None:
            self._watch(event)

    def _end(self, outcome: str, why: str | None = None) -> None:
        seconds = time.perf_counter() - self._began
        self._append(
            Done.model_validate({"outcome": outcome, "why": why, "seconds": round(seconds, 6)})
        )

    async def _fall_back(self) -> None:
        fallback, report = self._fallback, self.report
        if fallback is None:
            return
        for event in await aside(lambda: list(fallback(report))):
            self._append(event)

    async def _drive(self, deadline: Deadline | None) -> None:
        work_until(deadline)
        try:
            async with asyncio.timeout(None if deadline is None else deadline.left):
                await self._work(self._append)
                await self._fall_back()
        except TimeoutError as error:
            if deadline is None:  # it is the work's own
                self._end("failed", f"{type(error).__name__}: {error}")
                raise
            self._stopped = True
            # Counted from the deadline, which several runs may share: together they exceed it by
            # no more than this.
            left = deadline.at + FALLBACK_SECONDS - time.monotonic()
            if left > 0:
                # The words have time of their own, else they would leave all undone as too late.
                work_until(Deadline(left))
                with suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await self._fall_back()
            self._end("cancelled", str(deadline))
        except asyncio.CancelledError:
            self._end("cancelled", "it was stopped")
            raise
        except HalubotError as error:
            self._end("failed", str(error))
            raise
        except Exception as error:
            self._end("failed", f"{type(error).__name__}: {error}")
            raise
        else:
            self._end("finished")
