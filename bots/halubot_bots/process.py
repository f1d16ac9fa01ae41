"""A bot as a process: one at a time, its log, and its signals to systemd."""

from __future__ import annotations

import logging
import os
import socket
import sqlite3
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Final

from halubot.errors import StateError
from halubot.state import state_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START: Final = logging.getLogger("halubot.start")
"""The log that is written in any case: who starts the bot waits for it."""


def begin(*, verbose: bool) -> None:
    """Write what happens to standard error: its start and warnings, with ``verbose`` each change
    too. Libraries say warnings alone, for they might repeat texts."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("halubot").setLevel(logging.INFO if verbose else logging.WARNING)
    START.setLevel(logging.INFO)


FILE: Final = "bots.lock"
"""The file in the folder of the state whose lock says that a bot runs."""


@contextmanager
def alone(folder: Path | None = None) -> Iterator[None]:
    """Hold the lock of a folder. Raises StateError if another process holds it."""
    path = (folder or state_folder()) / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    # The system releases SQLite's lock however the process ends; a file with a process id would
    # stay after a kill.
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise StateError(
                f"another halubot bot runs with the folder {path.parent}: stop it first, or give"
                " this one a folder of its own (HALUBOT_STATE)"
            ) from error
        yield


READY: Final = "READY=1"
ALIVE: Final = "WATCHDOG=1"
STOPPING: Final = "STOPPING=1"


def notify(state: str) -> None:
    """Tell the supervisor a state if there is one and it can be told."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")) or not hasattr(socket, "AF_UNIX"):
        return
    # A name that begins with @ is one of Linux's abstract names, whose first byte is zero.
    where = f"\0{address[1:]}" if address.startswith("@") else address
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
        to.connect(where)
        to.send(state.encode())


def watchdog_seconds() -> float | None:
    """Return the seconds within which the supervisor wants to hear that the bot lives; None if it
    does not ask."""
    try:
        micro = int(os.environ.get("WATCHDOG_USEC", ""))
        # A child process inherits the variables; systemd means the one that it started
        # (sd_watchdog_enabled(3)).
        own = int(os.environ.get("WATCHDOG_PID", "") or os.getpid()) == os.getpid()
    except ValueError:
        return None
    return micro / 1e6 if own and micro > 0 else None
