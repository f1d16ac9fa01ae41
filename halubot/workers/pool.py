"""The processes that check."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from halubot import offline
from halubot.child_process import LENGTH, PIPES, command, pack, unpack
from halubot.concurrency import begin_deadline
from halubot.errors import HalubotError
from halubot.events import Emit, Event, Note, Started, amend_report, fold
from halubot.inputs import default_method
from halubot.methods import registry
from halubot.methods.driver import NOTHING_CHECKED
from halubot.report import Correction, Report
from halubot.run import FALLBACK_SECONDS
from halubot.text import clean
from halubot.version import __version__

if TYPE_CHECKING:
    from halubot.concurrency import Deadline
    from halubot.inputs import Options
    from halubot.models.panel import Panel
    from halubot.workers.remote_models import ModelServer

GRACE_SECONDS: Final = 0.8
"""Seconds after its deadline in which a check may end by itself."""

START_SECONDS: Final = 120.0
"""Seconds that a process may take to start, on a busy machine."""

MOST_IDLE: Final = 8
"""Processes that are kept while they have nothing to do."""

Kind = Literal["check", "correct"]


@dataclass(frozen=True, slots=True)
class Work:
    """A text to check, or a text or report to correct, with the options of `halubot.acheck` and
    `halubot.acorrect`."""

    kind: Kind
    subject: str | Report
    options: Mapping[str, Any]


class WorkerGoneError(HalubotError):
    """The process that checked ended before it was told to."""


class WorkerFaultError(Exception):
    """A fault of halubot's own in the process that checked; ``trace`` is its traceback there."""

    def __init__(self, what: str, trace: str) -> None:
        self.trace = trace
        super().__init__(f"{what}\n{trace}")


class Workers:
    """Processes that check; all on one event loop.

    Each check has a process for itself; one that is cancelled, or does not end by its deadline,
    loses its process. With a ``size`` so many processes share the work, each with ``at_once``
    checks under way; whoever asks has no more under way than there is room for.
    """

    def __init__(self, size: int | None = None, *, at_once: int = 1) -> None:
        self._size = size
        self._at_once = at_once
        self._all: set[_Worker] = set()
        self._ending: set[_Worker] = set()
        self._closed = False
        self._starting = asyncio.Lock()

    @property
    def pids(self) -> tuple[int, ...]:
        """The ids of the processes."""
        return tuple(worker.process.pid for worker in self._all)

    async def warm_up(self) -> None:
        """Start a process, so that the first check does not wait for one."""
        async with self._using():
            """It is ready."""

    async def run(
        self, kind: Kind, subject: str | Report, options: Mapping[str, Any], emit: Emit
    ) -> Report:
        """Return the report of `halubot.acheck` or `halubot.acorrect` with these options, which can
        be pickled but for ``panel``; its models are called from here. The deadline begins when a
        process is there. A check that had to be killed at its deadline returns what was known by
        then. Raises what these raise, WorkerGoneError if the process ends, and WorkerFaultError."""
        panel: Panel | None = options.get("panel")
        plain = {k: v for k, v in options.items() if k not in ("panel", "watch")}
        if panel is not None:
            # They are open, and objects of a caller's own cannot be sent.
            for name in ("model", "judge_model"):
                plain.pop(name, None)
        async with self._using() as worker:
            plain["deadline"] = deadline = begin_deadline(options.get("deadline"))
            work = Work(kind, subject, plain)
            return await worker.carry_out(work, emit, panel, deadline)

    async def close(self) -> None:
        """End all processes; a check under way raises WorkerGoneError."""
        self._closed = True
        for worker in list(self._all):
            self._end(worker)
        for worker in list(self._ending):
            await worker.ended()

    @asynccontextmanager
    async def _using(self) -> AsyncIterator[_Worker]:
        """Give a process that is ready. Raises HalubotError if none can be started."""
        worker = await self._take()
        # Cancelled, what it works on is for nobody, and it may never hear of that.
        keep = self._size is not None
        try:
            await worker.wait_until_ready()
            yield worker
            keep = True
        except HalubotError:
            keep = True
            raise
        finally:
            worker.load -= 1
            idle = sum(not one.load for one in self._all)
            done = worker.is_full or idle > max(MOST_IDLE, self._size or 0)
            if not keep or not worker.is_alive or (done and not worker.load):
                self._end(worker)

    async def _take(self) -> _Worker:
        """Return the process that has the least to do, or one more if all have something to do."""
        if self._closed:
            raise WorkerGoneError("no check is begun any more: the service ends")
        async with self._starting:  # one at a time, or more would be started than there are places
            for idle in [one for one in self._all if not (one.load or one.is_alive)]:
                self._end(idle)
            able = [one for one in self._all if one.is_alive and not one.is_full]
            free = [one for one in able if one.load < self._at_once]
            least = min(free, key=lambda one: one.load, default=None)
            if least is None or (least.load and len(able) < (self._size or 0)):
                least = await _start()
                self._all.add(least)
            least.load += 1
            return least

    def _end(self, worker: _Worker) -> None:
        self._all.discard(worker)
        worker.kill()
        self._ending = {one for one in self._ending if one.process.returncode is None} | {worker}


class _Worker:
    """A process that checks. ``load`` counts what it has to do."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None  # noqa: S101 - for type checkers: they were asked for
        assert process.stdout is not None  # noqa: S101
        self.process = process
        self._in, self._out = process.stdin, process.stdout
        self.load = 0
        self.is_full = False
        self._killed = False
        self._numbers = count(1)
        self._jobs: dict[int, asyncio.Queue[tuple[Any, ...]]] = {}
        self._ready = asyncio.Event()
        self._listening = asyncio.create_task(self._listen())

    @property
    def is_alive(self) -> bool:
        """True if it can take work."""
        return not self._killed and self.process.returncode is None

    def kill(self) -> None:
        """End it at once."""
        self._killed = True
        # Kills it and closes its pipes, which nothing public does.
        self.process._transport.close()  # type: ignore[attr-defined]

    async def ended(self) -> None:
        """Return when it has ended."""
        await self.process.wait()
        await self._listening

    async def wait_until_ready(self) -> None:
        """Wait until it has loaded what a check needs."""
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._ready.wait()
        except TimeoutError:
            self.kill()
            why = f"the process that checks did not start in {START_SECONDS:g} s"
            raise WorkerGoneError(why) from None
        if not self.is_alive:
            raise _gone()

    async def carry_out(
        self, work: Work, emit: Emit, panel: Panel | None, deadline: Deadline | None
    ) -> Report:
        """Return the report of a piece of work, or what was known of it at the deadline."""
        log: list[Event] = []

        def hear(event: Event) -> None:
            log.append(event)
            emit(event)

        number = next(self._numbers)
        coming = self._jobs[number] = asyncio.Queue()

        def send(message: tuple[Any, ...]) -> None:
            # It is gone: that is seen where its answer is awaited.
            with suppress(OSError, RuntimeError):
                self._in.write(pack((number, *message)))

        models: ModelServer | None = None
        if panel is not None:
            from halubot.workers.remote_models import ModelServer

            models = ModelServer(panel, hear, send)
        left = None
        if deadline is not None:
            # Words are compared after the deadline if a model brought nothing.
            left = deadline.left + GRACE_SECONDS + (FALLBACK_SECONDS if models else 0.0)
        try:
            async with asyncio.timeout(left):
                if self._listening.done():
                    raise _gone()
                send(("work", work, models and await models.introduce()))
                return await self._hear_result(coming, hear, models)
        except TimeoutError:
            if deadline is None:  # not of this time limit
                raise
            self.kill()
            return _cut(work, log, str(deadline))
        except WorkerGoneError:
            # They are paid for: who asks again finds their answers in the store.
            if models is not None:
                await models.settle()
            raise
        finally:
            del self._jobs[number]
            if models is not None:
                await models.close()

    async def _hear_result(
        self, coming: asyncio.Queue[tuple[Any, ...]], hear: Emit, models: ModelServer | None
    ) -> Report:
        while True:
            match await coming.get():
                case ("events", events):
                    for event in events:
                        hear(event)
                case ("call", number, role, request) if models is not None:
                    models.begin(number, role, request)
                case ("drop", number) if models is not None:
                    models.drop(number)
                case ("done", Report() as report, is_full):
                    self.is_full = is_full
                    return report
                case ("failed", error, is_full):
                    self.is_full = is_full
                    raise error
                case ("fault", what, trace, _):
                    raise WorkerFaultError(what, trace)
                case ("gone",):
                    raise _gone()

    async def _listen(self) -> None:
        """Hand what it sends to whoever waits for it."""
        try:
            while True:
                (length,) = LENGTH.unpack(await self._out.readexactly(LENGTH.size))
                number, *message = unpack(await self._out.readexactly(length))
                self._ready.set()
                if number in self._jobs:
                    self._jobs[number].put_nowait(tuple(message))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.kill()
            self._ready.set()
            for waiting in self._jobs.values():
                waiting.put_nowait(("gone",))


def _gone() -> WorkerGoneError:
    return WorkerGoneError("the process that checked ended unexpectedly; check the text again")


async def _start() -> _Worker:
    """Start a process."""
    words = command("halubot.workers.process", offline.is_refused())
    try:
        return _Worker(await asyncio.create_subprocess_exec(*words, **PIPES))
    except OSError as error:
        raise WorkerGoneError(f"the process that checks cannot be started: {error}") from error


def _cut(work: Work, log: list[Event], why: str) -> Report:
    """Return what was known of a piece of work that had to be killed."""
    why = f"{why}, and the process that checked was ended"
    others = [place for place, one in enumerate(log) if isinstance(one, Started)][1:]
    if isinstance(work.subject, Report):
        report = work.subject
    elif log:
        # A correction checks its own text too, in the same log.
        report = amend_report(
            fold(log[: others[0]] if others else log),
            [] if others else [Note(what="the check was cut short", why=why)],
        )
    else:
        report = fold([_unread(work), Note(what=NOTHING_CHECKED, why=why)])
    if work.kind != "correct":
        return report
    report = amend_report(report, [Note(what="the text was not corrected", why=why)])
    return report.model_copy(update={"correction": Correction(text=report.text, edits=())})


def _unread(work: Work) -> Started:
    """Return the beginning of a check of which the text could not be read."""
    options = cast("Options", work.options)
    method = registry.get(options.get("method") or default_method(options))
    return Started(
        text=clean(str(work.subject))[0],
        sentences=(),
        method=method.name,
        engine=__version__,
        threshold=method.default_threshold,
    )
