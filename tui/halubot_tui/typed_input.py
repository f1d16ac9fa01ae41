"""Keys and pastes, one after the other: each reaches what the one before it has opened."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from textual.events import Callback

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import App
    from textual.events import Event
    from textual.message_pump import MessagePump

PATIENCE: Final = 2.0
"""Seconds after which a key is delivered even if what the one before it began is not done."""

DRAWN_SECONDS: Final = 0.05
"""Seconds for which what a key changes is gathered before it is drawn."""


class TypedInput:
    """Delivers what is typed in order.

    Textual sends a key to the widget that has the focus when the key is read. If keys are typed
    faster than they are handled, the one before may be about to open a field or to move the focus.
    """

    def __init__(self, app: App[Any], deliver: Callable[[Event], Awaitable[None]]) -> None:
        self._app = app
        self._deliver = deliver
        self._waiting: deque[Event] = deque()
        self._delivering: asyncio.Task[None] | None = None

    def take(self, event: Event) -> None:
        """Deliver a key or a paste as soon as all before it were handled."""
        self._waiting.append(event)
        if self._delivering is None or self._delivering.done():
            self._delivering = asyncio.create_task(self._deliver_all())

    async def _deliver_all(self) -> None:
        while self._waiting:
            # Called by the app itself, which tells of what goes wrong.
            self._app.call_later(self._deliver, self._waiting.popleft())
            before = self._app.screen
            with self._app.batch_update():  # what it changes is drawn at once
                settled = await self._settled(DRAWN_SECONDS)
            if self._app.screen is before:
                before.check_idle()
            else:  # which Textual draws when it comes: that was lost
                self._app.screen.refresh(layout=True)
            if not settled:
                await self._settled(PATIENCE)

    async def _settled(self, seconds: float) -> bool:
        """Wait until what the last key began is done; False if that takes longer."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._settle()
                return True
        return False

    async def _settle(self) -> None:
        """Return once every message that the last key has caused was handled."""
        app = self._app
        while app.is_running:
            await _pass(app)
            for one in (app.focused or app.screen).ancestors_with_self:
                await _pass(one)  # messages bubble up this way
            waiting = sum(
                one.message_queue_size for one in app.screen.walk_children(with_self=True)
            )
            if not waiting + app.message_queue_size:
                return


async def _pass(pump: MessagePump) -> None:
    """Return once all that waits for an object now is handled."""
    passed = asyncio.Event()
    # Not by `call_later`, for whose new functions Textual looks up the parameters each time.
    if pump.post_message(Callback(callback=passed.set)):
        await passed.wait()
