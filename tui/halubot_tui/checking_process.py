"""The process that carries out orders of the app: from standard input to standard output.

It records the events of each run before it tells of them, so that nothing that was shown is lost if
the app dies. At the end of its input it stops its work and ends.
"""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from halubot import child_process, own_process
from halubot.errors import HalubotError, StateError

if TYPE_CHECKING:
    from collections.abc import Callable

    from halubot.events import Event
    from halubot.state.recorder import Recording
    from halubot.state.sessions import Sessions
    from halubot_tui.orders import Order

BUNDLE_SECONDS: Final = 0.05
"""How long events are gathered before they are told."""
MANY: Final = 100
"""Events that are told at once: the app reads them between two keys."""
_NICE: Final = 5


def main(settings: dict[str, Any]) -> None:
    """Carry out orders until standard input ends."""
    own_process.claim()
    orders, told = child_process.take_streams()
    if hasattr(os, "nice"):
        os.nice(_NICE)  # who draws comes first
    # Linux may share the processor among sessions first, where being nice alone changes nothing.
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(_NICE), encoding="ascii")
    with ExitStack() as stack:
        if settings["offline"]:
            from halubot.offline import network_refused

            stack.enter_context(network_refused())
        folder = Path(settings["folder"]) if settings["folder"] else None
        asyncio.run(_Desk(orders, told, folder).serve())


class _Desk:
    """Takes orders and tells of them."""

    def __init__(self, orders: IO[bytes], told: IO[bytes], folder: Path | None) -> None:
        self._orders = orders
        self._told = told
        self._folder = folder
        self._sessions: Sessions | None = None
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._telling = threading.Lock()
        self._ended = asyncio.Event()

    async def serve(self) -> None:
        loop = asyncio.get_running_loop()
        # A thread: asyncio cannot read standard input on Windows.
        threading.Thread(target=self._read, args=(loop,), daemon=True).start()
        await asyncio.to_thread(_load)
        await self._ended.wait()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=2.0)
        if self._sessions is not None:
            with suppress(StateError):
                await asyncio.to_thread(self._sessions.close)

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(EOFError, OSError):
            while True:
                loop.call_soon_threadsafe(self._take, child_process.read(self._orders))
        loop.call_soon_threadsafe(self._ended.set)

    def _take(self, message: tuple[Any, ...]) -> None:
        match message:
            case ("order", number, order, run):
                self._tasks[number] = asyncio.create_task(self._carry_out(number, order, run))
            case ("cancel", number) if number in self._tasks:
                self._tasks[number].cancel()

    async def _carry_out(self, number: int, order: Order, run: int | None) -> None:
        bundle = _Bundle(lambda events: self._tell("events", number, events))
        record: Recording | None = None
        end: tuple[Any, ...]
        try:
            if run is not None:
                record = await asyncio.to_thread(self._recording, run)

            def hear(event: Event) -> None:
                # Without the app its run is broken off, not done: the next app says so.
                if record is not None and not self._ended.is_set():
                    record.hear(event)
                bundle.add(event)

            result = await order(hear)
        except asyncio.CancelledError:
            end = ("done", number, None)
        except HalubotError as error:
            end = ("failed", number, str(error))
        except Exception as error:  # noqa: BLE001 - nothing an order does may end this process
            why = f"a fault of halubot's own: {type(error).__name__}: {error}"
            end = ("failed", number, why)
        else:
            end = ("done", number, result)
        bundle.send()
        if record is not None:  # what is told to be done can be read again
            with suppress(StateError):
                await asyncio.to_thread(record.flush)
        self._tell(*end)
        self._tasks.pop(number, None)
        if not self._tasks:
            # Now nobody waits: during a check a full collection is a pause of up to 0.1 s.
            gc.collect()
            self._tell("memory", child_process.memory() / 1e6)

    def _recording(self, run: int) -> Recording | None:
        """Who records the events of a run; None if they cannot be kept."""
        from halubot.state.sessions import Sessions

        try:
            if self._sessions is None:
                self._sessions = Sessions.open(self._folder, warn=self._warn)
            return self._sessions.recording(run)
        except StateError as error:
            self._warn(error)
            return None

    def _warn(self, error: StateError) -> None:
        self._tell("warn", str(error))

    def _tell(self, *message: Any) -> None:
        with self._telling, suppress(OSError):  # nobody reads any more: the input ends too
            child_process.write(self._told, message)


class _Bundle:
    """Events on their way: told together, a few at a time."""

    def __init__(self, tell: Callable[[list[Event]], None]) -> None:
        self._tell = tell
        self._waiting: list[Event] = []
        self._timer: asyncio.TimerHandle | None = None

    def add(self, event: Event) -> None:
        self._waiting.append(event)
        if len(self._waiting) >= MANY:
            self.send()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(BUNDLE_SECONDS, self.send)

    def send(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting:
            events, self._waiting = self._waiting, []
            self._tell(events)


def _load() -> None:
    """Loads what a first check and its corrections need."""
    from halubot import api, correction_api
    from halubot.evidence import retrieval
    from halubot.methods.consensus import consensus

    _ = api, consensus, correction_api, retrieval
