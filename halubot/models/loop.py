"""One event loop of halubot's own for all calls to servers, on a thread that lives as long as
the program: connections are kept, and no caller's loop waits for their work."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import aclosing, suppress
from typing import Any, TypeVar

T = TypeVar("T")

_starting = threading.Lock()
_running: list[asyncio.AbstractEventLoop] = []


def own_loop() -> asyncio.AbstractEventLoop:
    """The loop, started when it is first needed."""
    with _starting:
        if not _running:
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="halubot models", daemon=True).start()
            _running.append(loop)
        return _running[0]


if hasattr(os, "register_at_fork"):  # a thread does not survive a fork
    os.register_at_fork(after_in_child=_running.clear)


async def aside(work: Coroutine[Any, Any, T]) -> T:
    """Does the work on the own loop. Cancelling the caller cancels the work at once."""
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, own_loop()))


async def pieces_aside(pieces: AsyncGenerator[T, None]) -> AsyncIterator[T]:
    """The pieces of a generator that runs on the own loop; closing this one stops that one."""
    here = asyncio.get_running_loop()
    made: asyncio.Queue[tuple[T, ...] | BaseException] = asyncio.Queue()

    def bring(item: tuple[T, ...] | BaseException) -> None:
        with suppress(RuntimeError):  # the caller's loop may be closed by now
            here.call_soon_threadsafe(made.put_nowait, item)

    async def work() -> None:
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    bring((piece,))
        except Exception as error:  # noqa: BLE001 - it is raised again where the pieces are read
            bring(error)
        else:
            bring(())

    working = asyncio.run_coroutine_threadsafe(work(), own_loop())
    try:
        while item := await made.get():
            if isinstance(item, BaseException):
                raise item
            yield item[0]
    finally:
        working.cancel()
