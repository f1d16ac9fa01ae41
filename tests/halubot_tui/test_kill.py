"""The app killed in the middle of an answer: a real process on a terminal of its own."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from halubot.state.sessions import Sessions
from halubot_tui.app import HalubotApp
from tests.halubot_tui.driving import PATIENCE, driven, settled
from tests.loopback import Reply, loopback

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals"),
]

QUESTION = "Who was Ada?"


class Terminal:
    """A terminal that a process draws on; ``drawn`` is all it wrote."""

    def __init__(self, main: int) -> None:
        self._main = main
        self._drawn = b""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def type(self, keys: str) -> None:
        """Presses keys."""
        os.write(self._main, keys.encode())

    def wait_for(self, words: str) -> None:
        """Returns once these words were drawn."""
        _wait(lambda: words.encode() in self._drawn, f"{words!r} on the terminal")

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
def started(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], Terminal]]:
    """The app as a person starts it, on a terminal of 100 columns and 30 lines."""
    import pty
    import termios

    main, side = pty.openpty()
    termios.tcsetwinsize(side, (30, 100))
    environ = {
        **os.environ,
        "TERM": "xterm-256color",
        "HALUBOT_STATE": str(folder),
        "OPENAI_API_KEY": "none",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [sys.executable, "-m", "halubot", "tui", "--session", "Ada", *options]
    process = subprocess.Popen(
        command, stdin=side, stdout=side, stderr=side, env=environ, start_new_session=True
    )
    os.close(side)
    terminal = Terminal(main)
    try:
        yield process, terminal
    finally:
        process.kill()
        process.wait(PATIENCE)
        terminal.close()


@driven
async def test_nothing_typed_or_paid_for_is_missing(tmp_path: Path) -> None:
    first = "Ada Lovelace was born in 1815 in London."
    with loopback(Reply(texts=(first,), hang_after_first=True)) as server:
        options = ("--model", "openai/test", "--api-base", server.url, "--store", f"{tmp_path}/s")
        with started(tmp_path, *options) as (process, terminal):
            terminal.wait_for("Ask a question")
            terminal.type(f"{QUESTION}\r")
            server.wait_for(1)
            terminal.type("and what did she wr")
            _wait(lambda: "what did she wr" in draft(tmp_path), "what is typed in the store")
            _wait(lambda: report(tmp_path), "the answer in the store")
            process.send_signal(signal.SIGKILL)
            assert process.wait(PATIENCE) == -signal.SIGKILL
            # The process that checks for it ends too, and lets go of the model.
            server.wait_for_hanging_up()
    app = HalubotApp(folder=tmp_path, session="Ada")
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot, lambda: app._turns)
        (turn,) = app._turns.values()
        await settled(pilot, lambda: turn.report is not None)
        assert turn.inputs.text == QUESTION
        assert turn.answer == "Ada"
        assert turn.state == "stopped"
        assert app._main.composer.text == "and what did she wr"
        await settled(pilot, lambda: not app._main.conversation.waits)
        drawn = "\n".join(
            strip.text for strip in app.screen._compositor.render_strips(app.screen.size)
        )
        assert QUESTION in drawn
        assert "stopped here" in drawn


def draft(folder: Path) -> str:
    """What is kept as typed."""
    with Sessions.open(folder) as sessions:
        return "".join(sessions.draft(one.id) for one in sessions.all())


def report(folder: Path) -> bool:
    """Whether a piece of the answer is kept."""
    with Sessions.open(folder) as sessions:
        for session in sessions.all():
            for entry in sessions.entries(session.id):
                found = sessions.report(entry.id) if entry.kind == "run" else None
                if found is not None and found.text:
                    return True
    return False


def _wait(condition: Callable[[], object], what: str) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, f"{what} does not come"
        select.select([], [], [], 0.05)
