"""Signs of life while somebody waits: the first sign, and edits no faster than Discord allows."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, Self

from halubot.events import AnswerToken, Event, FactJudged, FactsExtracted, Progress, SampleDrawn
from halubot_bots import cards
from halubot_bots.catalogue import phrase, translate_core
from halubot_bots.discord.error_words import UNSENT

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from types import TracebackType

PACE_SECONDS: Final = 2.0
"""The least time between two edits of one message."""

EDITS_A_SECOND: Final = 5
"""Edits for all who wait together: Discord allows 50 requests of every kind a second
(https://docs.discord.com/developers/topics/rate-limits#global-rate-limit)."""


PATIENCE_SECONDS: Final = 2.0
"""Seconds for which work waits for the first signs of others at most."""


class FirstSigns:
    """Lets first signs go before work: of many who ask at once nobody's work begins, for a while,
    before all have their sign."""

    def __init__(self) -> None:
        self._owed = 0
        self._given = asyncio.Event()
        self._given.set()

    @contextmanager
    def owe(self) -> Iterator[None]:
        """A first sign is given within this block."""
        self._owed += 1
        self._given.clear()
        try:
            yield
        finally:
            self._owed -= 1
            if not self._owed:
                self._given.set()

    async def given(self) -> None:
        """Wait until no first sign is owed, `PATIENCE_SECONDS` at most."""
        with suppress(TimeoutError):
            # With 500 checks in 20 s on two busy cores the slowest sign came after 1.4 s, 3.5 s
            # without this.
            await asyncio.wait_for(self._given.wait(), PATIENCE_SECONDS)


class Pacer:
    """Hears of events and shows, now and then, what is being done; the first time after a while, so
    that a quick check shows its result alone. The more people wait (``crowd``), the less often."""

    def __init__(
        self,
        show: Callable[[cards.Card], Awaitable[None]],
        *,
        pace: float = PACE_SECONDS,
        crowd: Callable[[], int] = lambda: 0,
    ) -> None:
        self._show = show
        self._pace = pace
        self._crowd = crowd
        self._line = phrase("progress.reading")
        self._facts = self._judged = self._drawn = 0
        self._changed, self._over = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def hear(self, event: Event) -> None:
        """One more event of the check, on the loop."""
        match event:
            case AnswerToken():
                self._line = phrase("progress.answering")
            case SampleDrawn():
                self._drawn += 1
                self._line = phrase("progress.drawing", done=self._drawn, of=event.of)
            case FactsExtracted():
                self._facts = len(event.facts)
                self._line = phrase("progress.facts", count=self._facts)
            case FactJudged():
                self._judged += 1
                self._line = phrase("progress.judged", done=self._judged, of=self._facts)
            case Progress(of=0):
                self._line = event.what
            case Progress():
                what = translate_core(event.what)
                self._line = phrase("progress.step", what=what, done=event.done, of=event.of)
            case _:
                return
        self._changed.set()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._work())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._changed.set()
        if self._task is not None:  # not broken off: what it sends must not come after the result
            await self._task

    async def _work(self) -> None:
        while True:
            with suppress(TimeoutError):
                # Each check makes several other requests, so edits get a tenth of the limit.
                pause = max(self._pace, self._crowd() / EDITS_A_SECOND)
                await asyncio.wait_for(self._over.wait(), pause)
            await self._changed.wait()
            if self._over.is_set():
                return
            self._changed.clear()
            with suppress(*UNSENT):  # the result must not be lost with a line about its making
                await self._show(cards.message(phrase("progress.headline"), self._line))
