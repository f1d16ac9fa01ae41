"""What the terminal can do, and pastes that hold control codes."""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from textual import _xterm_parser

if TYPE_CHECKING:
    from textual.message import Message

LEAVE_SECONDS: Final = 5.0
"""Seconds for which leaving waits for a session that is being opened, to store what is typed."""


def leave_without_terminal(leave: Callable[[], object]) -> None:
    """Call this once the terminal hangs up, and end the process if it then lives on.

    No signal need say so, and an app that cannot draw may turn or wait for ever, from its start on:
    so another thread looks, and asks nothing of Textual.
    """

    def watch() -> None:
        poll = select.poll()
        poll.register(0, 0)  # of standard input, no event but its end
        while os.isatty(0):
            poll.poll(1000)
        with suppress(Exception):  # whatever its state, it ends
            leave()
        time.sleep(2 * LEAVE_SECONDS)
        os._exit(128 + signal.SIGHUP)

    threading.Thread(target=watch, name="terminal", daemon=True).start()


def has_mouse(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the terminal may be asked for the mouse. GNU screen, once it is, holds Esc back
    until the next key; a browser does not."""
    return "TEXTUAL_DRIVER" in environ or not environ.get("STY")


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
