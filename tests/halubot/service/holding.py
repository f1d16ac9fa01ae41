"""A method that waits until a test lets it go on, so that nothing depends on time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from halubot.events import Emit, Event, FactsExtracted, Labelled
from halubot.methods import registry
from halubot.methods.driver import stream_events
from halubot.methods.registry import Case, Size
from halubot.report import Threshold


class Held:
    """Judges nothing until ``go`` is set; counts who came and who was stopped."""

    name = "held"
    summary = "waits"
    needs: tuple[str, ...] = ()
    needs_all = True
    source = "tests"
    default_threshold = Threshold(value=0.5)

    def __init__(self) -> None:
        self.go = threading.Event()
        self.came = threading.Semaphore(0)
        self.stopped = threading.Semaphore(0)

    def calls(self, size: Size) -> int:
        """None."""
        return 0

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """Wait for ``go``."""

        async def work(emit: Emit) -> None:
            emit(FactsExtracted(facts=()))
            self.came.release()
            try:
                await asyncio.to_thread(self.go.wait)
            except asyncio.CancelledError:
                self.stopped.release()
                raise
            emit(Labelled(label="let go"))

        return stream_events(work)


@contextmanager
def held() -> Iterator[Held]:
    """The method, registered; it lets go of everything at the end."""
    method = Held()
    registry.register(method)
    try:
        yield method
    finally:
        method.go.set()
        del registry._registered[method.name]
