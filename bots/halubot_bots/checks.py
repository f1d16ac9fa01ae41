"""Checks for a bot: off its event loop, so many at once, each person's answers kept apart.

The loop of a bot keeps its connection alive: it never waits for a model, a matching or a disk here.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractContextManager, nullcontext, suppress
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from halubot.errors import HalubotError
from halubot.events import Emit, Event
from halubot.events import Progress as Step
from halubot.jobs import Jobs, News
from halubot.workers import Workers
from halubot_bots.catalogue import phrase

if TYPE_CHECKING:
    from pathlib import Path

    from halubot.report import Report
    from halubot.workers.frames import Kind

SERVICE: Final = "discord"

USUAL_SECONDS: Final = 2.0
"""How long a check takes, before any was measured."""

SMOOTHED: Final = 8
"""Checks over which the time of one is averaged."""

TELL_SECONDS: Final = 1.0
"""The least time between two times that all who wait are told their places."""

END_SECONDS: Final = 5.0
"""How long the end waits for processes that were killed."""

STOPPED_SECONDS: Final = 30.0
"""How long at most is waited for a check to end that was stopped."""

Progress = Callable[[Event], None]
"""Hears of each event of a check, on the loop that awaits it."""

Work = Callable[[Emit], Awaitable["Report"]]

Paying = Callable[[Work, Emit], Awaitable["Report"]]
"""Does a piece of work when its turn has come, and pays for it."""


class StoppedError(HalubotError):
    """A check that was stopped: what it was made for or with was forgotten, or the bot stops."""


class FaultError(HalubotError):
    """A fault of the program's own. Its words may hold paths and texts: they are in ``what``, and
    not in the message."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(phrase("declined.fault"))


@dataclass(slots=True)
class _Pending:
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[Report]
    progress: Progress | None
    person: int
    about: frozenset[int] = frozenset()
    """The messages and people whose words it holds."""
    report: list[Report] = field(default_factory=list)
    failure: HalubotError | None = None
    ended: threading.Event = field(default_factory=threading.Event)
    stopped: str = "declined.stopping"
    """The name of the phrase that says why it ended, if it neither succeeded nor failed."""
    context: Context = field(default_factory=copy_context)
    """Where it was asked for: its language."""

    def end(self, failure: str | None) -> HalubotError:
        """Return the reason why it ended without a report."""
        return FaultError(failure) if failure else StoppedError(phrase(self.stopped))


class Checks:
    """Runs checks side by side, at most ``at_once``; the others wait for their turn. ``store`` is
    the place at which the answers of models are kept (default: the platform's folder). With
    ``apart`` each runs in a process of its own, which is killed at its deadline.

    Cancelling who awaits a check stops it. May be used from several loops; after `close` every
    check raises StoppedError.
    """

    def __init__(self, at_once: int, *, store: Path | None = None, apart: bool = False) -> None:
        self._workers = Workers() if apart else None
        self._turns = asyncio.Semaphore(at_once)
        self._store = store
        self._lock = threading.Lock()
        self._pending: dict[str, _Pending] = {}
        self._closed = False
        self._jobs = Jobs(self._hear)
        self._at_once = at_once
        self._line: list[tuple[Emit, Context]] = []
        self._seconds = USUAL_SECONDS
        self._told = 0.0

    @property
    def waiting(self) -> int:
        """The number of checks that wait for their turn."""
        return len(self._line)

    @property
    def running(self) -> int:
        """The number of checks under way."""
        with self._lock:
            return max(0, len(self._pending) - len(self._line))

    async def check(
        self,
        text: str,
        options: dict[str, Any],
        *,
        person: int,
        progress: Progress | None = None,
        paying: Paying | None = None,
        about: frozenset[int] = frozenset(),
    ) -> Report:
        """Check a text with the options of `halubot.acheck`. What a model answers is kept under
        the name of ``person``, who may have it forgotten. ``paying`` does the work when its turn
        has come; ``about`` are ids by which `forget` finds it. Raises as `halubot.acheck`."""
        return await self._run(
            ("check", text), options, person, progress=progress, paying=paying, about=about
        )

    async def ask(
        self,
        question: str,
        options: dict[str, Any],
        *,
        person: int,
        progress: Progress | None = None,
        paying: Paying | None = None,
        about: frozenset[int] = frozenset(),
    ) -> Report:
        """Answer a question and check the answer. Raises as `halubot.aask`."""
        return await self._run(
            ("ask", question), options, person, progress=progress, paying=paying, about=about
        )

    async def correct(
        self,
        report: Report,
        options: dict[str, Any],
        *,
        person: int,
        progress: Progress | None = None,
        paying: Paying | None = None,
        about: frozenset[int] = frozenset(),
    ) -> Report:
        """Correct what a report doubts and check the corrected text. Raises as
        `halubot.acorrect`."""
        return await self._run(
            ("correct", report), options, person, progress=progress, paying=paying, about=about
        )

    async def stop(self, ids: Iterable[int], why: str) -> None:
        """Stop the checks that were asked for by these people, or hold words of these people and
        messages, and wait until they have ended; who waits for one is told the phrase of the name
        ``why``."""
        ids = frozenset(ids)
        with self._lock:
            running = {
                name: pending
                for name, pending in self._pending.items()
                if pending.person in ids or not ids.isdisjoint(pending.about)
            }
        for name, pending in running.items():
            pending.stopped = why
            self._jobs.cancel(name)

        def note_end() -> None:
            for pending in running.values():
                pending.ended.wait(STOPPED_SECONDS)

        # On a thread, because the wait would block this loop, which keeps a connection alive.
        if running:
            await asyncio.to_thread(note_end)

    async def forget(self, people: Iterable[int]) -> None:
        """Delete what models answered for these people."""
        from halubot import settings
        from halubot_cache import Store

        def forgotten() -> None:
            with Store.open(self._store or settings.store_folder()) as store:
                for person in people:
                    store.forget(namespace_of(person))

        await asyncio.to_thread(forgotten)

    def close(self) -> None:
        """Stop all checks and wait until they have ended; not on an event loop."""
        self._closed = True
        if (workers := self._workers) is not None:
            ended = threading.Event()

            async def end(emit: Emit) -> None:
                try:
                    await workers.close()
                finally:
                    ended.set()

            # Closing the jobs cancels it, and a process that was killed must be waited for.
            self._jobs.start("the end", end)
            ended.wait(END_SECONDS)
        self._jobs.close()

    def warm_up(self) -> None:
        """Make a first process ready, before anybody waits for it. Returns at once."""
        if (workers := self._workers) is not None:

            async def begin(emit: Emit) -> None:
                await workers.warm_up()

            self._jobs.start("warm-up", begin)

    def _open_options(
        self, options: dict[str, Any], person: int
    ) -> AbstractContextManager[dict[str, Any]]:
        """The options with the models they name opened for this person."""
        if not options.get("model"):
            return nullcontext(options)
        return _Opened(dict(options), self._store, namespace_of(person))

    async def _run(
        self,
        wanted: tuple[Kind, str | Report],
        options: dict[str, Any],
        person: int,
        *,
        progress: Progress | None,
        paying: Paying | None,
        about: frozenset[int],
    ) -> Report:
        if self._closed:
            raise StoppedError(phrase("declined.stopping"))
        # Several loops may use one `Checks`: each hears of its own checks on its own loop.
        loop = asyncio.get_running_loop()
        pending = _Pending(loop, loop.create_future(), progress, person, about)
        name = uuid4().hex
        with self._lock:
            self._pending[name] = pending

        async def work(emit: Emit) -> Report:
            with self._open_options(options, person) as opened:
                return await self._make(*wanted, opened, emit)

        async def in_turn(emit: Emit) -> None:
            place = (emit, pending.context)
            self._line.append(place)
            try:
                self._tell_place(len(self._line) - 1)
                await self._turns.acquire()
            finally:
                # In a finally: one who gives up waiting must not stay in the line.
                self._line.remove(place)
            begun = loop.time()
            try:
                self._tell_places(begun)
                made = paying(work, emit) if paying is not None else work(emit)
                pending.report.append(await made)
                # The time of the work alone, without the waiting, which grows with the line.
                self._seconds += (loop.time() - begun - self._seconds) / SMOOTHED
            except HalubotError as error:
                pending.failure = error
                raise
            finally:
                self._turns.release()

        self._jobs.start(name, in_turn)
        try:
            return await pending.done
        finally:
            # If the caller gave up, nobody wants the report any more.
            self._jobs.cancel(name)

    async def _make(
        self, kind: Kind, subject: str | Report, options: dict[str, Any], emit: Emit
    ) -> Report:
        if self._workers is not None:
            return await self._workers.run(kind, subject, options, emit)
        from halubot import api, correction_api

        make: Any = {"check": api.acheck, "ask": api.aask, "correct": correction_api.acorrect}[kind]
        report: Report = await make(subject, **{**options, "watch": emit})
        return report

    def _tell_places(self, now: float) -> None:
        """Tell each check that waits how many are before it, on the thread of the checks; not at
        every turn, which of hundreds who wait would be all that is done."""
        if now - self._told < TELL_SECONDS:
            return
        self._told = now
        for before in range(len(self._line)):
            self._tell_place(before)

    def _tell_place(self, before: int) -> None:
        """Tell one check that waits how many are before it."""
        if not before and not self._turns.locked():
            return  # its turn has come
        emit, context = self._line[before]
        ahead = before + self._at_once
        seconds = max(1.0, ahead / self._at_once * self._seconds)
        name = "progress.waiting" if before else "progress.next"
        # In the language of who waits, not of who came.
        what = context.run(partial(phrase, name, before=before, seconds=f"{seconds:.0f}"))
        emit(Step(what=what, done=0, of=0))

    def _hear(self, news: News) -> None:
        """Hear of a job, on the core's thread."""
        with self._lock:
            pending = self._pending.get(news.job)
            if news.ended:
                self._pending.pop(news.job, None)
        if pending is None:
            return
        if news.ended:
            pending.ended.set()

        def tell() -> None:
            if pending.done.done():
                return  # nobody waits for it any more
            if pending.progress is not None:
                for event in news.events:
                    pending.progress(event)
            if not news.ended:
                return
            if pending.report:
                pending.done.set_result(pending.report[0])
            else:
                pending.done.set_exception(
                    pending.failure or pending.context.run(pending.end, news.failure)
                )

        with suppress(RuntimeError):  # the loop that waited is closed
            pending.loop.call_soon_threadsafe(tell)


def namespace_of(person: int) -> str:
    """Return the name under which the answers of models and the feedback of a person are kept."""
    return f"{SERVICE}-{person}"


class _Opened:
    """The options of a check with an own panel in place of the names of models."""

    _MODELS = (
        *("model", "judge_model", "api_base", "max_calls", "max_cost", "timeout"),
        *("reasoning_effort", "think", "num_ctx", "parameters"),
    )

    def __init__(self, options: dict[str, Any], store: Path | None, namespace: str) -> None:
        from halubot.models.panel import open_panel

        # Opened here and not by `acheck`, so that answers are kept under the person's name.
        named = {name: options.pop(name) for name in self._MODELS if name in options}
        model, judge = named.pop("model"), named.pop("judge_model", None)
        self._panel = open_panel(model, judge, store=store, namespace=namespace, **named)
        self._options = {**options, "panel": self._panel}

    def __enter__(self) -> dict[str, Any]:
        return self._options

    def __exit__(self, *_: object) -> None:
        self._panel.close()
