"""What the terminal can do, and pastes that hold control codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from textual import _xterm_parser

if TYPE_CHECKING:
    from textual.message import Message


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
