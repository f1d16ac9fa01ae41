"""Checks that run beside a front end, on a thread and an event loop of their own.

Neither waits for the other: a slow screen does not hold up a check, nor a check the screen. Events
come back in bundles, so that an answer that streams quickly is not redrawn for each token.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from halubot.concurrency import SHARE
from halubot.errors import HalubotError

if TYPE_CHECKING:
    from halubot.events import Emit, Event

BUNDLE_SECONDS: Final = 0.05
"""The seconds for which events are gathered into a bundle."""

_SHARE: Final = 0.3
"""The share of the time in which CPU work on a thread runs; in the rest the screen can draw."""

Work = Callable[["Emit"], Awaitable[None]]
"""A job: it emits events until it is done."""


@dataclass(frozen=True, slots=True)
class News:
    """A bundle of events of a job, in their order, with the pieces of an answer joined. In the last
    bundle ``ended`` is True, and ``failure`` is the error if the job failed, else None."""

    job: str
    events: tuple[Event, ...] = ()
    ended: bool = False
    cancelled: bool = False
    failure: str | None = None


@dataclass(slots=True)
class _Job:
    name: str
    task: asyncio.Task[None] | None = None
    waiting: list[Event] = field(default_factory=list)
    flush: asyncio.TimerHandle | None = None


class Jobs:
    """Run jobs side by side and call ``hear`` with their news, on the jobs' thread.

    `start` and `cancel` may be called from any thread. ``hear`` is not called after `close`.
    """

    def __init__(self, hear: Callable[[News], None]) -> None:
        self._hear = hear
        self._jobs: dict[str, _Job] = {}
        self._closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._turn, name="halubot core", daemon=True)
        self._thread.start()

    def start(self, job: str, work: Work) -> None:
        """Start a job under a name of its own."""
        self._soon(lambda: self._begin(_Job(job), work))

    def cancel(self, job: str) -> None:
        """Stop a job; its events so far are still told. Nothing happens if it has ended."""
        self._soon(lambda: self._stop(job))

    def close(self, patience: float = 5.0) -> None:
        """Stop all jobs and wait until they have ended, at most ``patience`` seconds."""
        if self._closed:
            return
        self._soon(lambda: self._loop.create_task(self._shut_down()))
        self._closed = True
        self._thread.join(patience)

    def _soon(self, call: Callable[[], object]) -> None:
        if not self._closed:
            with suppress(RuntimeError):
                # The loop may be closed by now, and then nobody waits.
                self._loop.call_soon_threadsafe(call)

    def _turn(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    async def _shut_down(self) -> None:
        tasks = [job.task for job in self._jobs.values() if job.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=4.0)
        self._loop.stop()

    def _begin(self, job: _Job, work: Work) -> None:
        self._jobs[job.name] = job
        job.task = self._loop.create_task(self._whole(job, work), name=job.name)

    def _stop(self, name: str) -> None:
        job = self._jobs.get(name)
        if job is not None and job.task is not None:
            self._loop.call_soon(job.task.cancel)  # not before it began: it says that it ended

    async def _whole(self, job: _Job, work: Work) -> None:
        failure: str | None = None
        cancelled = False
        # In the task's own context: other checks in the process keep their full share.
        SHARE.set(_SHARE)
        try:
            await work(lambda event: self._gather(job, event))
        except asyncio.CancelledError:
            cancelled = True
        except HalubotError as error:
            failure = str(error)
        except Exception as error:  # noqa: BLE001 - nothing a job does may end the app
            failure = f"a fault of halubot's own: {type(error).__name__}: {error}"
        if job.flush is not None:
            job.flush.cancel()
        self._jobs.pop(job.name, None)
        # With the end, what waited for its bundle is told too.
        events, job.waiting = _join(job.waiting), []
        self._hear(News(job.name, events, ended=True, cancelled=cancelled, failure=failure))

    def _gather(self, job: _Job, event: Event) -> None:
        job.waiting.append(event)
        if job.flush is None:
            job.flush = self._loop.call_later(BUNDLE_SECONDS, self._tell, job)

    def _tell(self, job: _Job) -> None:
        job.flush = None
        if job.name in self._jobs and job.waiting:
            events, job.waiting = _join(job.waiting), []
            self._hear(News(job.name, events))


def _join(events: list[Event]) -> tuple[Event, ...]:
    """Return the events, with pieces of an answer that follow each other joined into one."""
    found: list[Event] = []
    for event in events:
        last = found[-1] if found else None
        if event.kind == "answer_token" and last is not None and last.kind == "answer_token":
            found[-1] = last.model_copy(update={"text": last.text + event.text})
        else:
            found.append(event)
    return tuple(found)
