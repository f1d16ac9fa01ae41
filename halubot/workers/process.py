"""The process that checks: work comes on standard input, events and results go to standard output.

Each message begins with the number of the work that it is about. The process ends at the end of its
input.
"""

from __future__ import annotations

import asyncio
import os
import threading
import traceback
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Any, Final

from halubot.child_process import memory, read, take_streams, write
from halubot.errors import HalubotError

if TYPE_CHECKING:
    from collections.abc import Callable

    from halubot.events import Event
    from halubot.report import Report
    from halubot.workers.pool import Work
    from halubot.workers.remote_models import Caller, Introduction, State

BUNDLE_SECONDS: Final = 0.05
"""How long events are gathered before they are sent."""

FULL: Final = 700 << 20
"""Bytes of memory with which a process makes room for a fresh one."""


def main(offline: bool) -> None:
    """Carry out work until standard input ends."""
    coming, going = take_streams()
    with ExitStack() as stack:
        if offline:
            from halubot.offline import network_refused

            stack.enter_context(network_refused())
        asyncio.run(_Server(coming, going).serve())


class _Server:
    """Takes work, several pieces at once, and sends what comes of them."""

    def __init__(self, coming: IO[bytes], going: IO[bytes]) -> None:
        self._coming = coming
        self._going = going
        self._sending = threading.Lock()
        self._jobs: dict[int, _Job] = {}

    async def serve(self) -> None:
        """Carry out what comes."""
        # Late: a process that only starts imports nothing of it.
        from halubot.api import acheck

        # A small check loads what every check needs, before anybody waits for one.
        await acheck("Ada was born in 1816.", references=["Ada was born in 1815."])
        loop = asyncio.get_running_loop()
        coming: asyncio.Queue[tuple[Any, ...]] = asyncio.Queue()
        threading.Thread(target=self._read, args=(loop, coming), daemon=True).start()
        self._send((0, "ready"))
        tasks: set[asyncio.Task[None]] = set()
        while True:
            number, what, *rest = await coming.get()
            if what == "work":
                job = self._jobs[number] = _Job(number, self._send)
                tasks.add(task := asyncio.create_task(self._carry_out(job, *rest)))
                task.add_done_callback(tasks.discard)
            elif number in self._jobs:
                self._jobs[number].hear(*rest)

    def _read(
        self, loop: asyncio.AbstractEventLoop, coming: asyncio.Queue[tuple[Any, ...]]
    ) -> None:
        try:
            while True:
                loop.call_soon_threadsafe(coming.put_nowait, read(self._coming))
        finally:
            # Nobody is there any more: whatever is under way is for nobody.
            os._exit(0)

    async def _carry_out(self, job: _Job, work: Work, introduction: Introduction | None) -> None:
        await job.carry_out(work, introduction)
        del self._jobs[job.number]

    def _send(self, message: tuple[Any, ...]) -> None:
        with self._sending:
            try:
                write(self._going, message)
            except OSError:
                os._exit(0)


class _Job:
    """One piece of work."""

    def __init__(self, number: int, send: Callable[[tuple[Any, ...]], None]) -> None:
        self.number = number
        self._send_message = send
        self._caller: Caller | None = None
        self._waiting: list[Event] = []
        self._timer: asyncio.TimerHandle | None = None

    def hear(self, number: int, found: Any, state: State) -> None:
        """Take the result of a call to a model."""
        if self._caller is not None:
            self._caller.hear(number, found, state)

    async def carry_out(self, work: Work, introduction: Introduction | None) -> None:
        """Do the work and send what comes of it."""
        end: tuple[Any, ...]
        try:
            end = ("done", await self._result(work, introduction))
        except HalubotError as error:
            end = ("failed", error)
        except Exception as error:  # noqa: BLE001 - told to who asked, who writes it to a log
            end = ("fault", f"{type(error).__name__}: {error}", traceback.format_exc())
        self._flush()
        self._send((*end, memory() > FULL))

    async def _result(self, work: Work, introduction: Introduction | None) -> Report:
        from halubot.api import acheck
        from halubot.correction_api import acorrect

        options: dict[str, Any] = {**work.options}
        if introduction is not None:
            # Late: a check without a model loads none of this.
            from halubot.workers.remote_models import Caller, open_remote

            self._caller = Caller(self._send)
            options["panel"] = open_remote(introduction, self._caller)
        if work.kind == "check":
            return await acheck(str(work.subject), **options, watch=self._emit)
        return await acorrect(work.subject, **options, watch=self._emit)

    def _emit(self, event: Event) -> None:
        self._waiting.append(event)
        if len(self._waiting) == 1 and self._timer is None:
            self._flush()  # the first one at once: it says what the check is of
            self._timer = asyncio.get_running_loop().call_later(BUNDLE_SECONDS, self._flush)

    def _flush(self) -> None:
        self._timer = None
        events, self._waiting = self._waiting, []
        if events:
            self._send(("events", events))

    def _send(self, message: tuple[Any, ...]) -> None:
        self._send_message((self.number, *message))
