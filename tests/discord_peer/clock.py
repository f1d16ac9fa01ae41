"""Discord's time and its ids, which hold a moment each."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Final

EPOCH: Final = 1_420_070_400.0
"""The first second of 2015: moments in ids count from it."""


class Clock:
    """Discord's time. It stands still at the moment it was made, so that nothing expires on a slow
    machine, until a test moves it; ``running`` follows the machine's."""

    def __init__(self, *, running: bool = False) -> None:
        self._running = running
        self._start = time.time()
        self._moved = 0.0
        self._last = 0

    def now(self) -> float:
        """Seconds since 1970."""
        return (time.time() if self._running else self._start) + self._moved

    def advance(self, seconds: float) -> None:
        """Moves the time on."""
        self._moved += seconds

    def snowflake(self) -> int:
        """A new id of this moment; later ones are greater."""
        self._last = max(self._last + 1, int((self.now() - EPOCH) * 1000) << 22)
        return self._last


def written(moment: float) -> str:
    """A moment as Discord writes it."""
    return datetime.fromtimestamp(moment, UTC).isoformat()
