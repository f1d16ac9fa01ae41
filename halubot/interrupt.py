"""Ctrl+C ends a command within a second, from its first moment: nothing else is imported before."""

from __future__ import annotations

import os
import sys
from functools import cache

INTERRUPTED = 130
"""The exit status after ctrl+C."""

LAST_SECONDS = 0.6
"""How long work may go on after ctrl+C, to say what was known. A busy machine adds to it."""


@cache
def end_soon_after_ctrl_c() -> None:
    """Let nothing outlive ctrl+C by more than a second: not the loading of a library, nor a long
    step in C. What is stored is stored as if the process were killed, which every store here
    survives.

    A handler of our own would replace the one by which asyncio cancels what is under way; so a
    thread listens to the number that the interpreter writes for each signal. Programs that end
    in their own way (the app, the bot) take that channel over with their own loop.
    """
    import signal

    if sys.platform == "win32":  # it writes to sockets only, and asyncio needs that one
        return
    import threading
    import time

    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)

    def listen() -> None:
        while os.read(heard, 1) != bytes([signal.SIGINT]):
            pass
        time.sleep(LAST_SECONDS)
        if sys.stderr.isatty():
            os.write(2, b"\x1b[?25h\n")  # the cursor, which a progress bar hides
        end_at_once()

    threading.Thread(target=listen, name="ctrl+C", daemon=True).start()


def end_at_once() -> None:
    """End the process with the status of ctrl+C, without tidying up."""
    os.write(2, b"halubot: interrupted\n")
    os._exit(INTERRUPTED)


def end_soon(status: int) -> None:
    """End the process with this status in `LAST_SECONDS`, unless it has ended by itself: tidying up
    waits for threads, and one may hang while it looks up a name."""
    import threading
    import time

    def wait() -> None:
        time.sleep(LAST_SECONDS)
        os._exit(status)

    threading.Thread(target=wait, name="the end", daemon=True).start()
