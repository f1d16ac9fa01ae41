"""What the terminal can take, and the person at it: how quickly it draws, whether somebody types,
and whether it may tell of the mouse."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from textual import events
from textual._compositor import LayoutUpdate
from textual.app import App

if TYPE_CHECKING:
    from queue import Queue

    from rich.console import RenderableType
    from textual.screen import Screen

_DRAWN: Final = re.compile(r"\x1b\[\d+;\d+H")
"""How what is drawn begins; other things that are sent do not."""


_TYPING_SECONDS: Final = 1.0
"""Seconds after a key in which the next one is likely to come."""
_SLOWER: Final = 5
"""How much longer what changes by itself waits while somebody types."""


class PatientApp(App[None]):
    """An app that spares a slow terminal what was drawn over since: nobody would see it."""

    def __init__(self) -> None:
        super().__init__()
        self.pressed = time.monotonic()
        """When a key was pressed last."""

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key):
            self.pressed = time.monotonic()
        await super().on_event(event)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        queue = _on_its_way(self)
        if queue is not None and isinstance(renderable, LayoutUpdate):  # the whole screen
            with queue.mutex:
                rest = [one for one in queue.queue if one is None or not _DRAWN.match(one)]
                queue.queue.clear()
                queue.queue.extend(rest)
        super()._display(screen, renderable)


def is_behind(app: App[Any]) -> bool:
    """Whether what was drawn before is still on its way, as over a slow line. What changes by
    itself waits then, so that keys are answered at once."""
    queue = _on_its_way(app)
    return queue is not None and not queue.empty()


def space(app: App[Any], seconds: float) -> float:
    """The time between two drawings of what changes by itself, of which there are at least so many
    seconds otherwise. While somebody types it is longer: a key that comes in the midst of a drawing
    waits for its end."""
    pressed = app.pressed if isinstance(app, PatientApp) else 0.0
    return seconds * _SLOWER if time.monotonic() - pressed < _TYPING_SECONDS else seconds


def has_mouse(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the terminal may be asked for the mouse. GNU screen, once it is, holds Esc back until
    the next key; a browser has no such trouble."""
    return "TEXTUAL_DRIVER" in environ or not environ.get("STY")


def _on_its_way(app: App[Any]) -> Queue[str | None] | None:
    """What was not handed to the terminal yet; None where there is none, as in a browser."""
    writer = getattr(app._driver, "_writer_thread", None)
    return None if writer is None else writer._queue
