"""The place of the core's work: in a process of its own, or in this one.

Python runs one thread at a time, so a check in the process that draws delays keys, and the library
of models alone takes 200 MB. The process is started beside the app and stays for the next order.
"""

from __future__ import annotations

import asyncio
import contextvars
import signal
import subprocess
import threading
from contextlib import suppress
from itertools import count
from typing import IO, TYPE_CHECKING, Any, Final, Protocol

from halubot import child_process
from halubot.errors import HalubotError
from halubot_tui.orders import LoadLibrary

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from halubot.events import Emit, Event
    from halubot.state.recorder import Recording
    from halubot_tui.orders import Order

FULL: Final = 500
"""Megabytes after which an idle process is replaced by a fresh one."""
PATIENCE: Final = 15.0
"""Seconds that a process may take to stop an order: on a busy machine it may only be starting."""
END_SECONDS: Final = 3.0
"""Seconds that a process may take to end when the app is left."""


class CheckerGoneError(HalubotError):
    """The process that carries out orders ended before it was told to."""

    def __init__(self, status: int | None) -> None:
        super().__init__(
            f"The process that checks ended unexpectedly ({_ending(status)}), so this is not"
            " finished. A new one is started for the next check: c checks it again."
        )


class Checker(Protocol):
    """Carries out orders."""

    async def carry_out(self, order: Order, emit: Emit, recording: Recording | None = None) -> Any:
        """Return what came of an order; its events are recorded if there is a ``recording``.
        Cancelling it stops the work. Raises HalubotError."""

    def warm_up(self) -> None:
        """Get ready for a first order. May be called on any thread."""

    def close(self) -> None:
        """End; waits a few seconds at most."""


class Apart:
    """Carries out orders in a process of its own, which is started when it is first needed and
    again if it has ended. It records events itself, in the sessions of ``folder``; ``warn`` hears,
    on another thread, why something could not be kept."""

    def __init__(
        self, warn: Callable[[str], None], folder: Path | None = None, *, offline: bool = False
    ) -> None:
        self._warn = warn
        self._settings = {"folder": None if folder is None else str(folder), "offline": offline}
        self._numbers = count()
        self._lock = threading.Lock()
        self._running: _Running | None = None
        self._closed = False

    @property
    def process(self) -> subprocess.Popen[bytes] | None:
        """The process, if there is one."""
        return None if self._running is None else self._running.process

    def warm_up(self) -> None:
        """Starts the process, unless it runs."""
        with self._lock, suppress(HalubotError):
            if not self._closed:
                self._ready()

    async def carry_out(self, order: Order, emit: Emit, recording: Recording | None = None) -> Any:
        """Return what came of an order."""
        number = next(self._numbers)
        pending = _Pending(asyncio.get_running_loop(), emit)
        sending = asyncio.create_task(
            asyncio.to_thread(self._send, number, order, recording, pending)
        )
        try:
            # Shielded: after a cancel, the process still tells what it had judged by then; and an
            # order that is on its way to it is stopped there.
            await asyncio.shield(sending)
            return await asyncio.shield(pending.result)
        except asyncio.CancelledError:
            running = await sending
            await asyncio.to_thread(running.tell, ("cancel", number))
            try:
                await asyncio.wait_for(pending.result, PATIENCE)
            except TimeoutError:
                # One step of it hears of nothing; what comes next would wait for it.
                running.process.kill()
            except (HalubotError, asyncio.CancelledError):
                pass
            raise
        finally:
            if sending.done() and sending.exception() is None:
                sending.result().forget(number)

    def close(self) -> None:
        """Ends the process."""
        with self._lock:
            self._closed = True
            running, self._running = self._running, None
        if running is not None:
            running.end()

    def _send(
        self, number: int, order: Order, recording: Recording | None, pending: _Pending
    ) -> _Running:
        run = None if recording is None else recording.run
        with self._lock:
            if self._closed:
                raise HalubotError("the app is being left")
            running = self._ready()
            running.expect(number, pending)
        running.tell(("order", number, order, run))
        return running

    def _ready(self) -> _Running:
        """The process; a new one if there is none, or the old one has ended or grown too large."""
        running = self._running
        if running is not None and running.replaceable:
            running.end()
            running = None
        if running is None or running.gone:
            running = self._running = _Running(self._settings, self._warn)
        return running


class _Pending:
    """An order under way: if its events and its result are awaited."""

    def __init__(self, loop: asyncio.AbstractEventLoop, emit: Emit) -> None:
        self._loop = loop
        self._emit = emit
        # Textual finds its app by the context: a timer that an event starts would not run without.
        self._context = contextvars.copy_context()
        self.result: asyncio.Future[Any] = loop.create_future()

    def hear(self, events: list[Event]) -> None:
        self._soon(lambda: [self._emit(event) for event in events])

    def finish(self, result: Any) -> None:
        self._soon(lambda: self._settle(result, None))

    def fail(self, error: BaseException) -> None:
        self._soon(lambda: self._settle(None, error))

    def _settle(self, result: Any, error: BaseException | None) -> None:
        if self.result.done():  # it was cancelled
            return
        if error is None:
            self.result.set_result(result)
        else:
            self.result.set_exception(error)

    def _soon(self, call: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            self._loop.call_soon_threadsafe(call, context=self._context)


class _Running:
    """A process that carries out orders, and those that it was given."""

    def __init__(self, settings: dict[str, Any], warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._pending: dict[int, _Pending] = {}
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._megabytes = 0.0
        self.gone = False
        self.process = _start_process(settings)
        threading.Thread(target=self._read, name="halubot hears", daemon=True).start()

    @property
    def replaceable(self) -> bool:
        """Return whether it holds much memory and has nothing to do."""
        with self._lock:
            return self._megabytes > FULL and not self._pending

    def expect(self, number: int, pending: _Pending) -> None:
        """An order will be sent."""
        with self._lock:
            self._pending[number] = pending

    def forget(self, number: int) -> None:
        """Nobody waits for an order any more."""
        with self._lock:
            self._pending.pop(number, None)

    def tell(self, message: tuple[Any, ...]) -> None:
        """Sends something. If the process is gone whoever waits is told of it elsewhere."""
        stream = self.process.stdin
        assert stream is not None  # noqa: S101 - for type checkers: it was asked for
        with self._writing, suppress(OSError, ValueError):
            child_process.write(stream, message)

    def end(self) -> None:
        """Ends it: at the end of its input it stops its work, and saves what is left."""
        process = self.process
        with suppress(OSError, ValueError):
            if process.stdin is not None:
                process.stdin.close()
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None  # noqa: S101
        # Whatever a broken process writes, the app goes on without it.
        with suppress(Exception):
            self._read_all(stream)
        self.gone = True
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        if self.process.stdin is not None:
            with self._writing, suppress(OSError):
                self.process.stdin.close()
        with self._lock:
            pending = list(self._pending.values())
        # Outside the lock: whoever waited calls `forget` next, which takes it.
        for one in pending:
            one.fail(CheckerGoneError(self.process.poll()))
        stream.close()

    def _read_all(self, stream: IO[bytes]) -> None:
        while True:
            match child_process.read(stream):
                case ("events", number, events):
                    if pending := self._find_pending(number):
                        pending.hear(events)
                case ("done", number, result):
                    if pending := self._find_pending(number):
                        pending.finish(result)
                case ("failed", number, why):
                    if pending := self._find_pending(number):
                        pending.fail(HalubotError(why))
                case ("memory", megabytes):
                    self._megabytes = megabytes
                case ("warn", why):
                    self._warn(why)

    def _find_pending(self, number: int) -> _Pending | None:
        with self._lock:
            return self._pending.get(number)


def _start_process(settings: dict[str, Any]) -> subprocess.Popen[bytes]:
    """Start a process. Raises HalubotError if none can be started."""
    words = child_process.command("halubot_tui.checking_process", settings)
    try:
        return subprocess.Popen(words, **child_process.PIPES)  # noqa: S603 - this interpreter
    except OSError as error:
        raise HalubotError(f"the process that checks cannot be started: {error}") from error


def _ending(status: int | None) -> str:
    if status is None or status >= 0:
        return f"status {status}"
    with suppress(ValueError):
        return f"by {signal.Signals(-status).name}"
    return f"by signal {-status}"


async def load_library(checker: Checker, model: str, api_base: str | None) -> None:
    """Load what talks to a model, which takes seconds, if calls are made; return at once if it is
    loaded."""
    await checker.carry_out(LoadLibrary(model, api_base), lambda _: None)
