"""Abilities of the terminal, and pastes that hold control codes."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from textual import events
from textual._compositor import LayoutUpdate
from textual.app import App

if TYPE_CHECKING:
    from queue import Queue

    from rich.console import RenderableType
    from textual.screen import Screen

from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual import _xterm_parser

if TYPE_CHECKING:
    from textual.message import Message

_DRAWN: Final = re.compile(r"\x1b\[\d+;\d+H")
"""How what is drawn begins; other things that are sent do not."""


READ_SECONDS: Final = 1.0
"""Seconds for which a message stays in any case: a key that was on its way as it came was not
pressed by who has read it."""
_TYPING_SECONDS: Final = 1.0
"""Seconds after a key in which the next one is likely to come."""
_SLOWER: Final = 10
"""How much longer what changes by itself waits while somebody types."""
_KEY_SECONDS: Final = 0.025
"""Seconds after a key in which it is drawn."""
_NO_KEY_SECONDS: Final = 0.3
"""Seconds after which no next key is waited for."""


class PatientApp(App[None]):
    """An app that spares a slow terminal what was drawn over since: nobody would see it."""

    def __init__(self) -> None:
        super().__init__()
        self.pressed = time.monotonic()
        """When a key was pressed last."""
        self._between: list[Callable[[], None]] = []

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key):
            self.pressed = time.monotonic()
            self._forget_messages()
            if self._between:
                self.set_timer(_KEY_SECONDS, self._draw_between)
        await super().on_event(event)

    def _forget_messages(self) -> None:
        """Takes away what was said in passing and read: the next key goes on from it."""
        until = time.time() - READ_SECONDS
        read = [one for one in self._notifications if one.raised_at <= until]
        for one in read:
            self._unnotify(one, refresh=one is read[-1])

    def draw_between(self, draw: Callable[[], None]) -> None:
        """Calls what draws something that changed by itself: at once, but while somebody types
        after the next key is drawn. Then the time until another key is longest."""
        if time.monotonic() - self.pressed >= _TYPING_SECONDS:
            draw()
            return
        self._between.append(draw)
        self.set_timer(_NO_KEY_SECONDS, self._draw_between)

    def _draw_between(self) -> None:
        between, self._between = self._between, []
        for draw in between:
            draw()

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        queue = _on_its_way(self)
        if queue is not None and isinstance(renderable, LayoutUpdate):  # the whole screen
            with queue.mutex:
                rest = [one for one in queue.queue if one is None or not _DRAWN.match(one)]
                queue.queue.clear()
                queue.queue.extend(rest)
        super()._display(screen, renderable)


def is_behind(app: App[Any]) -> bool:
    """Return whether what was drawn before is still on its way, as over a slow line. What changes
    by itself waits then, so that keys are answered at once."""
    queue = _on_its_way(app)
    return queue is not None and not queue.empty()


def space(app: App[Any], seconds: float) -> float:
    """The time between two drawings of what changes by itself, of which there are at least so many
    seconds otherwise. While somebody types it is longer: a key that comes in the midst of a drawing
    waits for its end."""
    pressed = app.pressed if isinstance(app, PatientApp) else 0.0
    return seconds * _SLOWER if time.monotonic() - pressed < _TYPING_SECONDS else seconds


def draw_between(app: App[Any], draw: Callable[[], None]) -> None:
    """Calls what draws something that changed by itself, between two keys if somebody types."""
    if isinstance(app, PatientApp):
        app.draw_between(draw)
    else:
        draw()


def has_mouse(environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether the terminal may be asked for the mouse. GNU screen, once it is, holds Esc
    back until the next key; a browser has no such trouble."""
    return "TEXTUAL_DRIVER" in environ or not environ.get("STY")


def _on_its_way(app: App[Any]) -> Queue[str | None] | None:
    """Return what was not handed to the terminal yet; None if there is none, as in a browser."""
    writer = getattr(app._driver, "_writer_thread", None)
    return None if writer is None else writer._queue


START: Final = "\x1b[200~"


END: Final = "\x1b[201~"


_ESCAPE: Final = "\x1b"


class WholePastes(_xterm_parser.XTermParser):
    """Reads what a terminal sends; a paste is whole, without the escapes in it."""

    def __init__(self, *options: Any, **named: Any) -> None:
        super().__init__(*options, **named)
        self._pasting = False
        self._held = ""

    def feed(self, data: str) -> Iterable[Message]:
        """The events of what came; of nothing, the last ones."""
        clean = self._without_escapes(data)
        if clean or not data:
            yield from super().feed(clean)

    def _without_escapes(self, data: str) -> str:
        """Return what came; what may be the beginning of a paste's end waits for what comes
        next."""
        data, self._held = self._held + data, ""
        found = []
        while data:
            before, mark, data = data.partition(END if self._pasting else START)
            if self._pasting:
                if not mark:
                    before, self._held = _part_paste(before)
                before = before.replace(_ESCAPE, "")
            found.append(before + mark)
            if mark:
                self._pasting = not self._pasting
        return "".join(found)


def keep_whole() -> None:
    """From now on apps read pastes whole."""
    _xterm_parser.XTermParser = WholePastes  # type: ignore[misc]


def _part_paste(text: str) -> tuple[str, str]:
    """A text without what may be the beginning of a paste's end, and that."""
    for size in range(len(END) - 1, 0, -1):
        if text.endswith(END[:size]):
            return text[:-size], text[-size:]
    return text, ""
