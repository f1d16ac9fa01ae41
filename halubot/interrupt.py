"""Ctrl+C ends a command within a second, from its first moment: nothing else is imported before."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import Final

INTERRUPTED = 130
"""The exit status after ctrl+C."""

FAULT = 70
"""The exit status of a fault that is not the user's."""

LAST_SECONDS = 0.6
"""How long work may go on after ctrl+C, to say what was known. A busy machine adds to it."""


WATCHED: Final = frozenset({"check", "correct", "ask"})
"""Commands that do their work in a child process, which is watched by this one."""

GRACE_SECONDS: Final = 0.7
"""How long work may go on after its deadline, to say what was known by then."""

UNCHECKED: Final = 3
"""The exit status after work that had to be killed at its deadline: nothing was checked."""

_deadlines: dict[str, int] = {}
"""The descriptor on which the process that watches is told of the deadline."""


def work_in_a_child() -> None:
    """Return in a child process, and wait in this one until that ends, to end as it did. It is
    killed soon after ctrl+C and soon after the deadline that it tells of (`tell_deadline`).

    A step of a library in C may hold up all threads of a process for minutes, a handler of ctrl+C
    and the clock of a deadline with them. Where processes cannot be forked, this does nothing.
    """
    if not hasattr(os, "fork"):
        return
    import signal

    heard, hears = os.pipe()
    timed, times = os.pipe()
    alive, holds = os.pipe()
    own, tells = os.pipe()
    # Before the fork, so that ctrl+C ends neither process alone at any moment. What is ignored
    # (nohup) stays so.
    os.set_blocking(tells, False)
    signal.set_wakeup_fd(tells, warn_on_full_buffer=False)
    watched = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = {one: signal.getsignal(one) for one in watched}
    for one, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(one, lambda *_: None)
    # No thread was started and nothing else was imported: a fork is safe, and takes 1 ms.
    child = os.fork()
    if child:
        for end in (hears, times, alive):
            os.close(end)
        _watch(child, heard, timed, own)
    # The interpreter writes the number of each signal there the moment it comes, in C.
    os.set_blocking(hears, False)
    signal.set_wakeup_fd(hears, warn_on_full_buffer=False)
    for one, handler in before.items():
        signal.signal(one, handler)
    for end in (heard, timed, holds, own, tells):
        os.close(end)
    _deadlines["tell"] = times
    import threading

    def follow() -> None:
        os.read(alive, 1)  # it returns when the other process is gone
        os._exit(INTERRUPTED)

    threading.Thread(target=follow, name="the other process", daemon=True).start()


def tell_deadline(at: float | None) -> None:
    """Have this process killed soon after a moment of `time.monotonic`, if another one watches it;
    None takes that back."""
    import math
    import struct

    if "tell" in _deadlines:
        os.write(_deadlines["tell"], struct.pack("d", math.inf if at is None else at))


def _watch(child: int, heard: int, timed: int, own: int) -> None:
    """Wait for the end of a child, or bring it about, and end as it did. ``heard`` are the signals
    that came to it, ``own`` those that came to this process."""
    import math
    import select
    import signal
    import struct
    import time

    deadline = stop = math.inf
    waiting = [heard, timed, own]
    while heard in waiting:
        left = min(deadline, stop) - time.monotonic()
        ready, _, _ = select.select(waiting, [], [], None if left == math.inf else max(0.0, left))
        if not ready:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            if stop <= deadline:
                _show_cursor()
                end_at_once()
            os.write(2, b"halubot: the deadline passed, and nothing was checked by then\n")
            os._exit(UNCHECKED)
        if timed in ready:
            if data := os.read(timed, 8):
                deadline = struct.unpack("d", data)[0] + GRACE_SECONDS
            else:
                waiting.remove(timed)
        if own in ready:
            for number in map(signal.Signals, os.read(own, 64)):
                # A terminal tells both processes, and one who is told twice ends without a word.
                told = number == signal.SIGINT and select.select([heard], [], [], 0.05)[0]
                if not told:
                    os.kill(child, number)
        if heard in ready or select.select([heard], [], [], 0)[0]:
            data = os.read(heard, 64)
            if not data:
                waiting.remove(heard)
            elif signal.SIGINT in data:
                stop = min(stop, time.monotonic() + LAST_SECONDS)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        # No handler of SIGKILL can be set: it is not passed on, but said.
        os.write(2, b"halubot: the check was killed, perhaps because the memory ran out\n")
        os._exit(FAULT)
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.waitstatus_to_exitcode(status))


def _show_cursor() -> None:
    """Show the cursor, which a progress bar hides."""
    if sys.stderr.isatty():
        os.write(2, b"\x1b[?25h\n")


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
    if _deadlines:  # another process does it
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
        _show_cursor()
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
