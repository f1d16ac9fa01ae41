"""The process that checks: work comes on standard input, events and reports go to standard output.

It ends at the end of its input, and when it has grown large.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import traceback
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from halubot.errors import HalubotError
from halubot.workers import frames

if TYPE_CHECKING:
    from halubot.events import Event
    from halubot.report import Report
    from halubot.workers.remote_models import Caller, Introduction

BUNDLE_SECONDS: Final = 0.05
"""How long events are gathered before they are sent."""

FULL: Final = 700 << 20
"""Bytes of memory with which a process makes room for a fresh one."""


def main(offline: bool) -> None:
    """Carry out work until standard input ends."""
    # Ctrl+C in a terminal reaches every process of it; who started this one decides what stops.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Copies: what a library prints must not stand among what is sent.
    coming, going = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "r+b") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
    with ExitStack() as stack:
        if offline:
            from halubot.offline import network_refused

            stack.enter_context(network_refused())
        asyncio.run(_Desk(coming, going).serve())


class _Desk:
    """Takes work, one piece at a time, and sends what comes of it."""

    def __init__(self, coming: IO[bytes], going: IO[bytes]) -> None:
        self._coming = coming
        self._going = going
        self._sending = threading.Lock()
        self._caller: Caller | None = None
        self._waiting: list[Event] = []
        self._timer: asyncio.TimerHandle | None = None

    async def serve(self) -> None:
        """Carry out what comes."""
        from halubot.api import acheck

        # A small check loads what every check needs, before anybody waits for one.
        await acheck("Ada was born in 1816.", references=["Ada was born in 1815."])
        loop = asyncio.get_running_loop()
        work: asyncio.Queue[tuple[Any, ...]] = asyncio.Queue()
        threading.Thread(target=self._read, args=(loop, work), daemon=True).start()
        self._send(("ready",))
        while True:
            _, one, introduction = await work.get()
            await self._carry_out(one, introduction)

    def _read(self, loop: asyncio.AbstractEventLoop, work: asyncio.Queue[tuple[Any, ...]]) -> None:
        try:
            while True:
                message = frames.read(self._coming)
                hear = work.put_nowait if message[0] == "work" else self._hear
                loop.call_soon_threadsafe(hear, message)
        finally:
            # Nobody is there any more: whatever is under way is for nobody.
            os._exit(0)

    def _hear(self, message: tuple[Any, ...]) -> None:
        if self._caller is not None:
            self._caller.hear(message)

    async def _carry_out(self, work: frames.Work, introduction: Introduction | None) -> None:
        end: tuple[Any, ...]
        try:
            end = ("done", await self._report(work, introduction))
        except HalubotError as error:
            end = ("failed", frames.take_apart(error))
        except Exception as error:  # noqa: BLE001 - told to who asked, who writes it to a log
            end = ("fault", f"{type(error).__name__}: {error}", traceback.format_exc())
        self._flush()
        self._send((*end, _memory() > FULL))

    async def _report(self, work: frames.Work, introduction: Introduction | None) -> Report:
        from halubot.api import aask, acheck
        from halubot.correction_api import acorrect

        options: dict[str, Any] = {**work.options, "watch": self._emit}
        if introduction is not None:
            # Late: a check without a model loads none of this.
            from halubot.workers.remote_models import Caller, open_remote

            self._caller = Caller(self._send)
            options["panel"] = open_remote(introduction, self._caller)
        match work.kind:
            case "check":
                return await acheck(str(work.subject), **options)
            case "ask":
                return await aask(str(work.subject), **options)
            case "correct":
                return await acorrect(work.subject, **options)

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
        with self._sending:
            try:
                self._going.write(frames.pack(message))
                self._going.flush()
            except OSError:
                os._exit(0)


def _memory() -> int:
    """Return the bytes of memory that this process has, 0 where that is not known."""
    try:
        # Not the peak of `getrusage`: a process inherits that of the one that started it.
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        pass
    try:
        import resource
    except ImportError:  # Windows
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
