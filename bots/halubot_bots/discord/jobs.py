"""Work that is done soon after it was asked for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from halubot_bots.discord.errors import LOG, place_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class Job:
    """Does ``work`` once at a time, and again if it was asked for meanwhile."""

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        self._work = work
        self._wanted = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._working = False

    @property
    def busy(self) -> bool:
        """True while it is done or still to be done."""
        return self._working or self._wanted.is_set()

    def soon(self) -> None:
        """Have it done. Returns at once."""
        self._wanted.set()
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Do it no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task], timeout=5)

    async def _run(self) -> None:
        while await self._wanted.wait():
            self._wanted.clear()
            self._working = True
            try:
                await self._work()
            except Exception as error:  # noqa: BLE001 - on a full disk, say: it is done again
                LOG.warning("to be done again: %s", place_of(error))
            self._working = False
