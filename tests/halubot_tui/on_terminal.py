"""The app as a process on a terminal of its own, seen as a person sees it."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pyte

from tests.halubot_tui.driving import PATIENCE

_PRIVATE: Final = re.compile(rb"\x1b\[[<=>?][0-9;]*[A-Za-ln-z]|\x1b\[>[0-9;]*m")
"""Requests to the terminal that pyte would take for something else."""
COLOURS: Final[Mapping[str, Mapping[str, str]]] = {
    "256": {"TERM": "xterm-256color", "TEXTUAL_COLOR_SYSTEM": "256"},
    "16": {"TERM": "xterm", "TEXTUAL_COLOR_SYSTEM": "standard"},
    "none": {"TERM": "xterm-256color", "NO_COLOR": "1"},
}


class Terminal:
    """A terminal that a process draws on."""

    def __init__(self, main: int, size: tuple[int, int]) -> None:
        self._main = main
        self.written = 0
        """The bytes that were written on it."""
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self._lock = threading.Lock()
        self._news = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._main, keys.encode())

    def paste(self, text: str) -> None:
        """Paste a text as terminals do."""
        self.type(f"\x1b[200~{text}\x1b[201~")

    @property
    def lines(self) -> list[str]:
        """The lines that a person sees."""
        with self._lock:
            return list(self._screen.display)

    @property
    def text(self) -> str:
        """The lines that a person sees, as one text."""
        return "\n".join(self.lines)

    def colours_of(self, words: str, *, ground: bool = False) -> set[str]:
        """The colours of the first place of these words, or those of its ``ground``."""
        with self._lock:
            for row, line in enumerate(self._screen.display):
                at = line.find(words)
                if at >= 0:
                    cells = [self._screen.buffer[row][at + n] for n in range(len(words))]
                    return {one.bg if ground else one.fg for one in cells}
        return set()

    def contrast_of(self, words: str) -> float:
        """The least contrast (WCAG 2) of the letters of the first place of these words."""
        with self._lock:
            rows = enumerate(self._screen.display)
            row, at = next((row, line.find(words)) for row, line in rows if words in line)
            cells = [self._screen.buffer[row][at + n] for n in range(len(words))]
            pairs = [(_light(one.fg), _light(one.bg)) for one in cells if one.data != " "]
        return min((max(pair) + 0.05) / (min(pair) + 0.05) for pair in pairs)

    def looks(self, words: str) -> tuple[float, bool, bool]:
        """How light the first place of these words is drawn, and whether bold and underlined."""
        with self._lock:
            rows = enumerate(self._screen.display)
            row, at = next((row, line.find(words)) for row, line in rows if words in line)
            one = self._screen.buffer[row][at]
            return _light(one.fg), one.bold, one.underscore

    def reversed_words(self) -> str:
        """The words that are drawn in reverse, each row without the spaces around them."""
        with self._lock:
            rows = [self._screen.buffer[row] for row in range(self._screen.lines)]
            cells = [[row[n].data * row[n].reverse for n in range(len(row))] for row in rows]
        return " ".join(" ".join("".join(one).strip() for one in cells).split())

    def see(self, *words: str, gone: tuple[str, ...] = ()) -> None:
        """Return once all of these words stand on the screen, and none of those that are gone."""
        until = time.monotonic() + PATIENCE
        while True:
            text = self.text
            missing = [one for one in words if one not in text]
            left = [one for one in gone if one in text]
            if not missing and not left:
                return
            if time.monotonic() > until:
                raise AssertionError(f"missing {missing}, still there {left}:\n{text}")
            self._news.wait(0.2)
            self._news.clear()

    def see_colours(self, wanted: Mapping[str, set[str]]) -> None:
        """Return once the first places of these words have these foreground colours."""
        wait_until(
            lambda: all(self.colours_of(words) == hues for words, hues in wanted.items()),
            f"the colours of {[*wanted]}",
        )

    def close(self) -> None:
        """Let go of the terminal, as one whose window is closed."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._thread.join(PATIENCE)
        os.close(self._main)

    def _read(self) -> None:
        while not self._closing.is_set():
            if select.select([self._main], [], [], 0.05)[0]:
                try:
                    data = os.read(self._main, 65536)
                except OSError:  # nobody draws on it any more
                    return
                with self._lock:
                    self.written += len(data)
                    self._stream.feed(_PRIVATE.sub(b"", data))
                self._news.set()


def _light(colour: str) -> float:
    """The relative luminance of a colour, such as "dcdfe4"."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (
        one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055) ** 2.4 for one in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@contextmanager
def started(
    folder: Path,
    *command: str,
    size: tuple[int, int] = (100, 30),
    colours: str = "256",
) -> Iterator[tuple[subprocess.Popen[bytes], Terminal]]:
    """A command of halubot on a terminal of this size."""
    import pty
    import termios

    main, side = pty.openpty()
    termios.tcsetwinsize(side, (size[1], size[0]))
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in ("NO_COLOR", "COLORTERM", "FORCE_COLOR", "TEXTUAL_COLOR_SYSTEM")
    }
    environ = {
        **inherited,
        **COLOURS[colours],
        # Stronger than the size of the terminal, and set by other tests.
        "COLUMNS": str(size[0]),
        "LINES": str(size[1]),
        "HALUBOT_STATE": str(folder),
        "OPENAI_API_KEY": "none",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TEXTUAL_ANIMATIONS": "none",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        stdin=side,
        stdout=side,
        stderr=side,
        env=environ,
        start_new_session=True,
    )
    os.close(side)
    terminal = Terminal(main, size)
    try:
        yield process, terminal
    finally:
        process.kill()
        process.wait(PATIENCE)
        terminal.close()


@contextmanager
def canned(
    folder: Path, size: tuple[int, int] = (100, 30), colours: str = "256", **options: Any
) -> Iterator[Terminal]:
    """The app with checks that need no engine."""
    command = ("tests.halubot_tui.canned_app", str(folder), json.dumps(options))
    with started(folder, *command, size=size, colours=colours) as (_, terminal):
        yield terminal


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Return once the condition holds."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, f"{what} does not come"
        select.select([], [], [], 0.05)
