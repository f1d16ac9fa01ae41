"""The same request under way twice goes out once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class _Flight(Generic[T]):
    def __init__(self, task: asyncio.Task[T]) -> None:
        self.task = task
        self.waiting = 0


class Flights(Generic[T]):
    """Work under way, by what it is for. Joined within one event loop only."""

    def __init__(self) -> None:
        self._under_way: dict[tuple[asyncio.AbstractEventLoop, Hashable], _Flight[T]] = {}

    async def join(self, key: Hashable, start: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of the work under way for ``key``, which is started where there is none.

        The work goes on while anyone waits for it, and is cancelled with the last who does.
        """
        at = (asyncio.get_running_loop(), key)
        flight = self._under_way.get(at)
        if flight is None or flight.task.done():  # who waited for one may be here before it landed
            flight = self._under_way[at] = _Flight(asyncio.create_task(start()))
            begun = flight
            flight.task.add_done_callback(lambda _: self._landed(at, begun))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                self._landed(at, flight)
                flight.task.cancel()

    def _landed(self, at: tuple[asyncio.AbstractEventLoop, Hashable], flight: _Flight[T]) -> None:
        if self._under_way.get(at) is flight:
            del self._under_way[at]
