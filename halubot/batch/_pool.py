"""A batch on several processes of this machine: they compute, and this one asks the models.

They are reached by pipes, so no port is opened. A message whose process dies goes to another one;
the calls that it had made go on here, and their answers are in the store when it asks again.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from halubot.batch._worker import SIZE_BYTES, Named, Setup, pack
from halubot.batch.message import Checked, Detail, Message
from halubot.errors import HalubotError, SettingError
from halubot.inputs import Options

if TYPE_CHECKING:
    from halubot.models.asked_elsewhere import Ask, Question, Reply
    from halubot.models.budget import Budget
    from halubot.models.panel import Panel

TRIES: Final = 5
"""How many processes a message may cost."""

END_SECONDS: Final = 5.0
"""How long a process may take to end by itself."""

_START: Final = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]);"
    "from halubot.batch._worker import main; main()"
)

Item = tuple[int, Message]


class WorkersLostError(HalubotError):
    """Processes died over and over; the same command goes on there."""


class _LostError(Exception):
    """The process of a message died."""


class Pool:
    """Processes that check messages, each started with its first one. Made by `open_pool`."""

    def __init__(self, count: int, setup: bytes, asking: Asking | None) -> None:
        self.size = count
        self._asking = asking
        self._workers = [_Process(setup, asking) for _ in range(count)]

    async def check(self, item: Item) -> Checked:
        """Check a message in the process that has the fewest. Raises WorkersLostError."""
        try:
            for _ in range(TRIES):
                worker = min(self._workers, key=lambda one: one.load)
                with suppress(_LostError):
                    return await worker.check(item)
        finally:
            if self._asking is not None:
                self._asking.forget(item[0])
        raise WorkersLostError(
            f"message {item[0]}: the process that checks it died {TRIES} times; it may take more"
            " memory than there is"
        )

    async def close(self) -> None:
        """End the processes."""
        await asyncio.gather(*(worker.close() for worker in self._workers))


@asynccontextmanager
async def open_pool(
    count: int,
    options: Options,
    panel: Panel | None,
    budget: Budget | None,
    *,
    detail: Detail,
    at_once: int,
) -> AsyncIterator[Pool]:
    """Open a pool for a batch with these options; it ends with the ``async with``. Raises
    SettingError for options that other processes cannot have."""
    models = None
    asking = None
    if panel is not None and budget is not None:
        answer, judge = panel.answer, panel.judge
        same = judge is answer
        models = (
            Named(answer.name, answer.endpoint, answer.capabilities),
            None if same else Named(judge.name, judge.endpoint, judge.capabilities),
        )
        asking = Asking(panel, budget)
    setup = Setup(
        options=sendable(options, models=False),
        detail=detail,
        at_once=-(-at_once // count) if panel is not None else 1,
        models=models,
        system=panel.system if panel is not None else "",
    )
    pool = Pool(count, pack(setup), asking)
    try:
        yield pool
    finally:
        await pool.close()


def sendable(options: Options, *, models: bool) -> Options:
    """Return the options as another process can have them: knowledge, and ``models`` if it is to
    open them, by their names. Raises SettingError."""
    sent = options.copy()
    sent.pop("panel", None)
    sent.pop("watch", None)
    for name in ("model", "judge_model"):
        if not models:
            sent.pop(name, None)  # type: ignore[misc]  # a name of Options, though not written out
        elif not isinstance(options.get(name) or "", str):
            raise SettingError(f"a cluster takes the name of a model, not an object ({name})")
    if not models:
        for name in ("replay", "record", "max_calls", "max_cost"):
            sent.pop(name, None)  # type: ignore[misc]
    bases = options.get("knowledge")
    if bases:
        sent["knowledge"] = [base if isinstance(base, str) else base.name for base in bases]
    return sent


class Asking:
    """Asks the models of a panel for messages that other processes check."""

    def __init__(self, panel: Panel, budget: Budget) -> None:
        self._panel = panel
        self._budget = budget
        self._parts: dict[int, Budget] = {}
        self._doors: dict[str, Any] = {"answer": panel.answer, "judge": panel.judge}

    def forget(self, message: int) -> None:
        """A message is done."""
        self._parts.pop(message, None)

    async def __call__(self, question: Question) -> Reply:
        """Return what came of a question; never raises but when cancelled."""
        from halubot.models.asked_elsewhere import Reply
        from halubot.models.model_errors import ModelError

        part = self._parts.get(question.message)
        if part is None:
            part = self._parts[question.message] = self._budget.part()
        model = self._doors.get(question.role)
        if model is None:
            assert self._panel.open_door is not None  # noqa: S101 - else no role has that name
            model = self._doors[question.role] = self._panel.open_door(question.role)
        limits = self._panel.limits
        if question.seconds is not None:
            from halubot.concurrency import Deadline

            # 0 is a deadline that has passed, which `Deadline` refuses.
            limits = replace(limits, deadline=Deadline(max(question.seconds, 1e-6)).at)
        seat = replace(self._panel, limits=limits).seat(model, part)
        try:
            match question.kind:
                case "complete":
                    value: Any = await seat.complete(question.what)
                case "embed":
                    value = await seat.embed(question.what)
                case "listed":
                    value = await seat.listed()
        except ModelError as error:
            return Reply(error=error, failure=part.failure, capabilities=model.capabilities)
        return Reply(
            value, failure=part.failure, cached=seat.cached, capabilities=model.capabilities
        )


class _Process:
    """One process of a pool, started anew when it has died."""

    def __init__(self, setup: bytes, ask: Ask | None) -> None:
        self._setup = setup
        self._ask = ask
        self._starting = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._listening: set[asyncio.Task[None]] = set()
        self._waiting: dict[int, asyncio.Future[Checked]] = {}
        self._asked: set[asyncio.Task[None]] = set()
        self.load = 0

    async def check(self, item: Item) -> Checked:
        """Check a message. Raises _LostError if the process died meanwhile."""
        self.load += 1
        try:
            async with self._starting:
                process = self._process or await self._start()
            place, message = item
            future: asyncio.Future[Checked] = asyncio.get_running_loop().create_future()
            self._waiting[place] = future
            try:
                await _send(process, (place, message))
                return await future
            finally:
                del self._waiting[place]
        finally:
            self.load -= 1

    async def close(self) -> None:
        """End the process, and wait for those that died before; what it was doing is lost."""
        for task in self._asked:
            task.cancel()
        await asyncio.gather(*self._asked, return_exceptions=True)
        if self._process is not None:
            await _end(self._process)
        await asyncio.gather(*self._listening)

    async def _start(self) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _START, _places()),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdin is not None  # noqa: S101 - it is a pipe
        process.stdin.write(self._setup)
        self._process = process
        listening = asyncio.create_task(self._listen(process))
        self._listening.add(listening)
        listening.add_done_callback(self._listening.discard)
        return process

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        calls: dict[int, asyncio.Task[None]] = {}
        try:
            while True:
                size = await process.stdout.readexactly(SIZE_BYTES)
                data = await process.stdout.readexactly(int.from_bytes(size, "big"))
                frame = pickle.loads(data)  # noqa: S301 - from our own process, over its pipe
                if isinstance(frame, Checked):
                    future = self._waiting.get(frame.line.place)
                    if future is not None and not future.done():
                        future.set_result(frame)
                    continue
                number, question = frame
                if question is None:
                    if number in calls:
                        calls[number].cancel()
                    continue
                task = calls[number] = asyncio.create_task(self._reply(process, number, question))
                self._asked.add(task)
                task.add_done_callback(self._asked.discard)
                task.add_done_callback(partial(_forget, calls, number))
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            # Calls that are under way go on: they are paid for, and the next process asks for the
            # same.
            if self._process is process:
                self._process = None
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(_LostError())
            await _end(process)

    async def _reply(
        self, process: asyncio.subprocess.Process, number: int, question: Question
    ) -> None:
        assert self._ask is not None  # noqa: S101 - without models nothing is asked
        reply = await self._ask(question)
        with suppress(_LostError):
            await _send(process, (number, reply))


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a process: close its input, and kill it if it takes long."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(END_SECONDS):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _forget(calls: dict[int, asyncio.Task[None]], number: int, _: object) -> None:
    calls.pop(number, None)


def _places() -> str:
    """Where this process finds its modules, as JSON."""
    here = str(Path(__file__).resolve().parents[2])
    # An empty entry is the working folder, where a file named like a module may lie in wait.
    return json.dumps([here, *(os.path.abspath(place) for place in sys.path if place)])


async def _send(process: asyncio.subprocess.Process, value: Any) -> None:
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    try:
        process.stdin.write(pack(value))
        await process.stdin.drain()
    except (OSError, RuntimeError) as error:  # it died; a closed transport raises RuntimeError
        raise _LostError from error
