"""The open session while nobody presses a key: what is typed is kept, and what
another app does on the same session is heard of."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from halubot_tui.session_keeper import Keeper, Unsent
    from halubot_tui.turns import Turn

SECONDS: Final = 1.0
"""How often this is looked after."""
SILENCE: Final = 30.0
"""Seconds after which a check of another app of which nothing is heard is shown as stopped."""


class Following:
    """Keeps up with the open session of a keeper. Its methods are called on the drawing loop."""

    def __init__(self, keeper: Keeper, clock: Callable[[], float] = monotonic) -> None:
        self._keeper = keeper
        self._clock = clock
        self._kept: Unsent | None = None
        self._heard: dict[str, float] = {}
        self._stamp: object = None
        self._keeping = asyncio.Lock()
        self.busy = False
        """Whether the disk is still waited for."""

    def is_new(self, unsent: Unsent) -> bool:
        """Return whether this was not kept yet."""
        return unsent != (self._kept or type(unsent)())

    def may_have_changed(self) -> bool:
        """Return whether the file of sessions is another one than when this was asked last, or
        something is waited for."""
        before, self._stamp = self._stamp, self._keeper.stamp()
        return bool(self._heard) or before != self._stamp

    def begin(self, unsent: Unsent) -> None:
        """A session was opened, in which this was typed and not sent."""
        self._kept = unsent
        self._heard.clear()

    async def keep(self, unsent: Unsent) -> None:
        """Keeps what is typed, if it has changed: the latest last."""
        async with self._keeping:
            if self.is_new(unsent):
                self._kept = unsent
                await asyncio.to_thread(self._keeper.keep_unsent, unsent)

    async def since(self, turns: Mapping[str, Turn]) -> tuple[list[Turn], list[Turn]]:
        """Messages that another app added since, and those of ``turns`` that have changed."""
        session = self._keeper.session
        self.busy = True
        try:
            since = await asyncio.to_thread(self._keeper.since)
        finally:
            self.busy = False
        now = self._keeper.session
        if session is None or now is None or now.id != session.id:
            return [], []
        known = {**turns, **{turn.id: turn for turn in since.turns}}
        changed = []
        for name, (run, events) in since.heard.items():
            if (turn := known.get(name)) is not None:
                turn.follow(run, events)
                changed.append(turn)
                self._heard[name] = self._clock()
        return list(since.turns), [*changed, *self._silent(known)]

    def _silent(self, turns: Mapping[str, Turn]) -> Iterator[Turn]:
        for name, at in list(self._heard.items()):
            turn = turns.get(name)
            if turn is None or turn.state != "working":
                del self._heard[name]
            elif self._clock() - at > SILENCE:
                turn.state = "stopped"
                del self._heard[name]
                yield turn
