"""Work on several items at once, with the results in the order of the items."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

WAITING = 4
"""Results that wait for a slow one before them, for each item under way. Without a bound, one slow
item would keep the results of all others in memory."""


POLL_SECONDS = 0.05
"""How often is looked for an item that was not there."""


async def in_order(
    items: Iterable[T],
    work: Callable[[T], Awaitable[R]],
    *,
    at_once: int,
    ready: Callable[[], bool] = lambda: True,
) -> AsyncGenerator[R, None]:
    """Yield the result of ``work`` for each item, in the order of ``items``.

    At most ``at_once`` items are under way. A result is yielded before another item is taken, so
    that with 1 each item is finished before the next is read. While work is under way, an item is
    taken only if ``ready`` says that there is one, or that there are no more. Closing the
    iterator cancels the work under way. Raises what ``work`` raises.
    """
    rest = iter(items)
    line: deque[asyncio.Task[R]] = deque()
    open_end = True

    async def whole(item: T) -> R:
        return await work(item)

    try:
        while True:
            while line and line[0].done():
                yield line.popleft().result()
            under_way = [task for task in line if not task.done()]
            if open_end and len(under_way) < at_once and len(line) < WAITING * at_once:
                if under_way and not ready():
                    await asyncio.wait(
                        under_way, timeout=POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED
                    )
                    continue
                for item in rest:
                    line.append(asyncio.create_task(whole(item)))
                    break
                else:
                    open_end = False
            elif under_way:
                await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            else:
                return
    finally:
        for task in line:
            task.cancel()
        await asyncio.gather(*line, return_exceptions=True)
