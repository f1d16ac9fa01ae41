"""The app as a process on a terminal of its own, as a person starts it."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyte

from tests.halubot_tui.driving import PATIENCE

_SEQUENCE: Final = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
_PRIVATE: Final = re.compile(rb"\x1b\[[<=>][0-9;]*[A-Za-z]")
"""Requests to the keyboard that pyte would take for moves of the cursor."""
COLUMNS: Final = 100
ROWS: Final = 30


class Terminal:
    """A terminal that a process draws on."""

    def __init__(self, main: int, columns: int) -> None:
        self._main = main
        self._columns = columns
        self._drawn = b""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def type(self, keys: str) -> None:
        """Presses keys."""
        os.write(self._main, keys.encode())

    def wait_for(self, words: str) -> None:
        """Returns once these words were drawn; moves of the cursor and colours may part them."""
        wait_until(
            lambda: words.encode() in _SEQUENCE.sub(b"", self._drawn), f"{words!r} on the terminal"
        )

    @property
    def screen(self) -> list[str]:
        """The lines that a person sees: the bytes received so far, as a terminal shows them."""
        shown = pyte.Screen(self._columns, ROWS)
        pyte.ByteStream(shown).feed(_PRIVATE.sub(b"", self._drawn))
        return list(shown.display)

    def wait_to_see(self, words: str) -> None:
        """Returns once these words stand on the screen."""
        wait_until(lambda: words in "\n".join(self.screen), f"{words!r} on the screen")

    def close(self) -> None:
        """Lets go of the terminal."""
        self._closing.set()
        self._thread.join(PATIENCE)
        os.close(self._main)

    def _read(self) -> None:
        while not self._closing.is_set():
            if select.select([self._main], [], [], 0.05)[0]:
                try:
                    self._drawn += os.read(self._main, 65536)
                except OSError:  # nobody draws on it any more
                    return


@contextmanager
def started(
    folder: Path, *options: str, columns: int = COLUMNS
) -> Iterator[tuple[subprocess.Popen[bytes], Terminal]]:
    """The app as a person starts it, on a terminal of this size."""
    import pty
    import termios

    main, side = pty.openpty()
    termios.tcsetwinsize(side, (ROWS, columns))
    environ = {
        **os.environ,
        "TERM": "xterm-256color",
        # Stronger than the size of the terminal, and set by other tests.
        "COLUMNS": str(columns),
        "LINES": str(ROWS),
        "HALUBOT_STATE": str(folder),
        "OPENAI_API_KEY": "none",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [sys.executable, "-m", "halubot", "tui", *options]
    process = subprocess.Popen(
        command, stdin=side, stdout=side, stderr=side, env=environ, start_new_session=True
    )
    os.close(side)
    terminal = Terminal(main, columns)
    try:
        yield process, terminal
    except BaseException:
        print("\n".join(terminal.screen))  # pytest shows it with the failure
        raise
    finally:
        process.kill()
        process.wait(PATIENCE)
        terminal.close()


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Returns once the condition holds."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, f"{what} does not come"
        select.select([], [], [], 0.05)
