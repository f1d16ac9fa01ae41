"""What the terminal can do, slow lines, and pastes that hold control codes."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from textual import _xterm_parser

if TYPE_CHECKING:
    from queue import Queue

    from textual.app import App
    from textual.message import Message

_DRAWN: Final = re.compile(r"\x1b\[\d+;\d+H")
"""How what is drawn begins; other things that are sent do not."""


def has_terminal() -> bool:
    """Whether standard input is a terminal that answers. False where it is none, where the
    terminal hung up, and on Windows."""
    if sys.platform == "win32" or sys.__stdin__ is None:
        return False
    import termios

    try:
        termios.tcgetattr(sys.__stdin__.fileno())
    except (OSError, ValueError, termios.error):
        return False
    return True


def has_mouse(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the terminal may be asked for the mouse. GNU screen, once it is, holds Esc back
    until the next key; a browser does not."""
    return "TEXTUAL_DRIVER" in environ or not environ.get("STY")


def drop_drawings(app: App[Any]) -> None:
    """Drop drawings that wait for a slow terminal and that the next one replaces as a whole."""
    queue = _waiting(app)
    if queue is not None:
        with queue.mutex:
            rest = [one for one in queue.queue if one is None or not _DRAWN.match(one)]
            queue.queue.clear()
            queue.queue.extend(rest)


def is_behind(app: App[Any]) -> bool:
    """Whether a drawing still waits for the terminal. What changes by itself waits then, so that
    keys are answered at once."""
    queue = _waiting(app)
    return queue is not None and not queue.empty()


def _waiting(app: App[Any]) -> Queue[str | None] | None:
    """What was not handed to the terminal yet; None if there is no such queue, as in a browser."""
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
