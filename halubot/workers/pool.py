"""The processes that check, each with one check at a time."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, cast

from halubot import offline
from halubot.concurrency import begin_deadline
from halubot.errors import HalubotError
from halubot.events import Emit, Event, Note, Started
from halubot.fold import amend_report, fold
from halubot.inputs import default_method
from halubot.methods import registry
from halubot.methods.driver import NOTHING_CHECKED
from halubot.report import Correction, Report
from halubot.run import FALLBACK_SECONDS
from halubot.text import clean
from halubot.version import __version__
from halubot.workers import frames

if TYPE_CHECKING:
    from collections.abc import Mapping

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

_START: Final = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]);"
    "from halubot.workers.process import main; main(json.loads(sys.argv[2]))"
)


class WorkerGoneError(HalubotError):
    """The process that checked ended before it was told to."""


class WorkerFaultError(Exception):
    """A fault of halubot's own in the process that checked; ``trace`` is its traceback there."""

    def __init__(self, what: str, trace: str) -> None:
        self.trace = trace
        super().__init__(f"{what}\n{trace}")


class Workers:
    """Processes that check; all on one event loop. Each check has one for itself. One that is
    cancelled, or does not end by its deadline, loses its process."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._ending: set[_Worker] = set()
        self._closed = False

    @property
    def pids(self) -> tuple[int, ...]:
        """The ids of the processes."""
        return tuple(worker.process.pid for worker in self._all)

    async def warm_up(self) -> None:
        """Start a process, so that the first check does not wait for one."""
        self._idle.append(await self._take())

    async def run(
        self, kind: frames.Kind, subject: str | Report, options: Mapping[str, Any], emit: Emit
    ) -> Report:
        """Return the report of `halubot.acheck`, `halubot.aask` or `halubot.acorrect` with these
        options, which can be pickled but for ``panel``; its models are called from here. The
        deadline begins when a process is there. A check that had to be killed at its deadline
        returns what was known by then. Raises what these raise, WorkerGoneError if the process
        ends, and WorkerFaultError."""
        panel: Panel | None = options.get("panel")
        plain = {k: v for k, v in options.items() if k not in ("panel", "watch")}
        if panel is not None:
            # They are open, and objects of a caller's own cannot be sent.
            for name in ("model", "judge_model"):
                plain.pop(name, None)
        worker = await self._take()
        try:
            plain["deadline"] = deadline = begin_deadline(options.get("deadline"))
            work = frames.Work(kind, subject, plain)
            report = await worker.carry_out(work, emit, panel, deadline)
        except HalubotError:
            self._give_back(worker)
            raise
        # Cancelled, too: what it works on is for nobody, and it may never hear of that.
        except BaseException:
            self._end(worker)
            raise
        self._give_back(worker)
        return report

    async def close(self) -> None:
        """End all processes; a check under way raises WorkerGoneError."""
        self._closed = True
        for worker in list(self._all):
            self._end(worker)
        for worker in list(self._ending):
            await worker.process.wait()

    async def _take(self) -> _Worker:
        """Return a process that is ready. Raises HalubotError if none can be started."""
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
            self._end(worker)
        if self._closed:
            raise WorkerGoneError("no check is begun any more: the service ends")
        worker = await _start()
        self._all.add(worker)
        try:
            await worker.wait_until_ready()
        except BaseException:
            self._end(worker)
            raise
        return worker

    def _give_back(self, worker: _Worker) -> None:
        if worker.is_alive and not worker.is_full and len(self._idle) < MOST_IDLE:
            self._idle.append(worker)
        else:
            self._end(worker)

    def _end(self, worker: _Worker) -> None:
        self._all.discard(worker)
        worker.kill()
        self._ending = {one for one in self._ending if one.process.returncode is None} | {worker}


class _Worker:
    """A process that checks."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None  # noqa: S101 - for type checkers: they were asked for
        assert process.stdout is not None  # noqa: S101
        self.process = process
        self._in, self._out = process.stdin, process.stdout
        self.is_full = False
        self._killed = False

    @property
    def is_alive(self) -> bool:
        """True if it can take work."""
        return not self._killed and self.process.returncode is None

    def kill(self) -> None:
        """End it at once."""
        self._killed = True
        # Kills it and closes its pipes, which nothing public does.
        self.process._transport.close()  # type: ignore[attr-defined]

    async def wait_until_ready(self) -> None:
        """Wait until it has loaded what a check needs."""
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._receive()
        except TimeoutError:
            why = f"the process that checks did not start in {START_SECONDS:g} s"
            raise WorkerGoneError(why) from None

    async def carry_out(
        self, work: frames.Work, emit: Emit, panel: Panel | None, deadline: Deadline | None
    ) -> Report:
        """Return the report of a piece of work, or what was known of it at the deadline."""
        log: list[Event] = []

        def hear(event: Event) -> None:
            log.append(event)
            emit(event)

        models: ModelServer | None = None
        if panel is not None:
            from halubot.workers.remote_models import ModelServer

            models = ModelServer(panel, hear, self._send)
        left = None
        if deadline is not None:
            # Words are compared after the deadline if a model brought nothing.
            left = deadline.left + GRACE_SECONDS + (FALLBACK_SECONDS if models else 0.0)
        try:
            async with asyncio.timeout(left):
                self._send(("work", work, models and models.introduce()))
                return await self._hear_report(hear, models)
        except TimeoutError:
            if deadline is None:  # not of this time limit
                raise
            self.kill()
            return _cut(work, log, str(deadline))
        finally:
            if models is not None:
                await models.close()

    async def _hear_report(self, hear: Emit, models: ModelServer | None) -> Report:
        while True:
            match await self._receive():
                case ("events", events):
                    for event in events:
                        hear(event)
                case ("call", number, role, what, given) if models is not None:
                    models.begin(number, role, what, given)
                case ("drop", number) if models is not None:
                    models.drop(number)
                case ("done", report, is_full):
                    self.is_full = is_full
                    return cast("Report", report)
                case ("failed", error, is_full):
                    self.is_full = is_full
                    raise frames.put_together(error)
                case ("fault", what, trace, _):
                    raise WorkerFaultError(what, trace)

    def _send(self, message: tuple[Any, ...]) -> None:
        # It is gone: that is seen where its answer is awaited.
        with suppress(OSError, RuntimeError):
            self._in.write(frames.pack(message))

    async def _receive(self) -> tuple[Any, ...]:
        try:
            (length,) = frames.LENGTH.unpack(await self._out.readexactly(frames.LENGTH.size))
            return frames.unpack(await self._out.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError):
            self.kill()
            raise WorkerGoneError(
                "the process that checked ended unexpectedly; check the text again"
            ) from None


def _places() -> list[str]:
    """Return where this process finds modules. An empty entry is the working folder, where a file
    named like a module may lie in wait."""
    return [os.path.abspath(place) for place in sys.path if place]


async def _start() -> _Worker:
    """Start a process, which finds the modules that this one has, in the same places."""
    try:
        process = await asyncio.create_subprocess_exec(
            # -P keeps the working folder off the path until _START sets the whole path.
            *(sys.executable, "-P", "-c", _START),
            *(json.dumps(_places()), json.dumps(offline.is_refused())),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # ctrl+C is for who started it
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:
        raise WorkerGoneError(f"the process that checks cannot be started: {error}") from error
    return _Worker(process)


def _cut(work: frames.Work, log: list[Event], why: str) -> Report:
    """Return what was known of a piece of work that had to be killed. Raises HalubotError if that
    is nothing at all: an answer that was never written."""
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
    elif work.kind == "ask":
        raise HalubotError(why)
    else:
        report = fold([_unread(work), Note(what=NOTHING_CHECKED, why=why)])
    if work.kind != "correct":
        return report
    report = amend_report(report, [Note(what="the text was not corrected", why=why)])
    return report.model_copy(update={"correction": Correction(text=report.text, edits=())})


def _unread(work: frames.Work) -> Started:
    """Return the beginning of a check of which the text could not be read."""
    options = cast("Options", work.options)
    method = registry.get(options.get("method") or default_method(options), options.get("options"))
    return Started(
        text=clean(str(work.subject))[0],
        sentences=(),
        method=method.name,
        engine=__version__,
        threshold=method.default_threshold,
    )
