"""A run: one check under way, its log of events, and those who watch it.

The log only grows. `Run.report` is the fold of what is in it, so a partial report exists at
any moment, and a run that was stopped keeps what it knew.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial

from halubot.errors import HalubotError
from halubot.events import (
    Done,
    Event,
    FactJudged,
    FactsExtracted,
    Note,
    SentenceJudged,
    Started,
    fold,
)
from halubot.extract import extract, extractor_name
from halubot.facts import Report
from halubot.methods.registry import Case, Method

SLICE_SECONDS = 0.05
"""How long a synchronous method works before the loop hears of it."""


class Run:
    """A check under way on the running event loop.

    Created by `halubot.start`. Any number of viewers may follow `events`, from the beginning,
    early or late, slow or gone; none of them holds up the work.
    """

    def __init__(
        self,
        method: Method,
        case: Case,
        started: Started,
        *,
        notes: Iterable[Note] = (),
        deadline: float | None = None,
        watch: Callable[[Event], None] | None = None,
    ) -> None:
        self._method = method
        self._case = case
        self._watch = watch
        self._log: list[Event] = []
        self._news = asyncio.Event()
        self._began = time.perf_counter()
        self._stopped = False
        self._append(started)
        for note in notes:
            self._append(note)
        self._task = asyncio.create_task(self._drive(deadline), name=f"check by {method.name}")

    @property
    def log(self) -> tuple[Event, ...]:
        """The events so far."""
        return tuple(self._log)

    @property
    def report(self) -> Report:
        """What is known now."""
        return fold(self._log)

    @property
    def done(self) -> bool:
        """Whether the last event is in."""
        return isinstance(self._log[-1], Done)

    def cancel(self) -> None:
        """Stops the work at once; the report keeps what was judged by then."""
        self._stopped = True
        self._task.cancel()

    async def events(self) -> AsyncIterator[Event]:
        """All events from the first, then each as it comes, until `Done`."""
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
        """The report once the run is done, finished or cancelled.

        Raises what the method raised. Cancelling the waiter cancels the run.
        """
        try:
            await self._task
        except asyncio.CancelledError:
            if not self._stopped:
                self.cancel()
                await asyncio.wait([self._task])
                raise
        return self.report

    def _append(self, event: Event) -> None:
        self._log.append(event)
        news, self._news = self._news, asyncio.Event()
        news.set()
        if self._watch is not None:
            self._watch(event)

    def _end(self, outcome: str, why: str | None = None) -> None:
        seconds = time.perf_counter() - self._began
        self._append(
            Done.model_validate({"outcome": outcome, "why": why, "seconds": round(seconds, 6)})
        )

    async def _drive(self, deadline: float | None) -> None:
        try:
            async with asyncio.timeout(deadline):
                await self._judge()
        except TimeoutError:
            self._stopped = True
            self._end("cancelled", f"the deadline of {deadline:g} s passed")
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

    async def _judge(self) -> None:
        """Logs the method's events: those of a synchronous one as a worker thread makes them."""
        lacking = missing(self._method, self._case)
        if lacking is not None:
            for event in _unjudged(self._case, lacking):
                self._append(event)
            return
        events = self._method.judge(self._case)
        if isinstance(events, AsyncIterator):
            async for event in events:
                self._append(event)
            return
        made: deque[Event] = deque()
        more = True
        while more:
            try:
                more = await _aside(lambda: self._slice(events, made))
            finally:
                # What was made before a failure, a deadline or a cancellation is kept.
                while made:
                    self._append(made.popleft())

    def _slice(self, work: Iterator[Event], made: deque[Event]) -> bool:
        """Makes events for a slice of time; whether there may be more."""
        until = time.perf_counter() + SLICE_SECONDS
        for event in work:
            made.append(event)
            if self._stopped or time.perf_counter() >= until:
                return not self._stopped
        return False


async def _aside(work: Callable[[], bool]) -> bool:
    """Does the work on a thread that nobody waits for once it is given up: a check that was
    stopped ends at once, though one step of it may be long."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[bool] = loop.create_future()

    def settle(settled: Callable[[], None]) -> None:
        if not outcome.done():
            settled()

    def whole() -> None:
        try:
            result = work()
        except Exception as error:  # noqa: BLE001 - it is raised again where the work is awaited
            settled = partial(outcome.set_exception, error)
        else:
            settled = partial(outcome.set_result, result)
        with suppress(RuntimeError):  # the loop may be closed by now
            loop.call_soon_threadsafe(settle, settled)

    threading.Thread(target=whole, name="halubot judging", daemon=True).start()
    return await outcome


def missing(method: Method, case: Case) -> str | None:
    """Why this method cannot judge this case, or None where it can."""
    given = {"samples": bool(case.samples), "references": bool(case.references)}
    met = [given.get(need, False) for need in method.needs]
    if not met or (all(met) if method.needs_all else any(met)):
        return None
    if not any(given.values()):
        return "nothing to compare with: give --sample, --reference, or a model"
    wanted = " and ".join(need for need, there in zip(method.needs, met, strict=True) if not there)
    return f"{method.name} needs {wanted}"


def _unjudged(case: Case, why: str) -> Iterator[Event]:
    yield Note(what="nothing was checked", why=why)
    facts = extract(case.message, subject=case.subject)
    yield FactsExtracted(facts=facts, how=extractor_name(case.message))
    for fact in facts:
        yield FactJudged(index=fact.index, score=None, verdict="not_checked", reason=why)
    for index in range(len(case.message.sentences)):
        yield SentenceJudged(index=index, score=None, verdict="not_checked", reason=why)
