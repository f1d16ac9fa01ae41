"""A bot as a process: one at a time, its log, and its signals to systemd."""

from __future__ import annotations

import logging
import os
import socket
import sqlite3
from typing import TYPE_CHECKING, Final

from halubot.errors import StateError
from halubot.state import state_folder

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import Self

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


class Alone:
    """Holds the lock of a folder while it is entered. Raises StateError if another process holds
    it."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = (folder or state_folder()) / FILE
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._connection = sqlite3.connect(
                self._path, timeout=0, isolation_level=None, check_same_thread=False
            )
            # The system releases SQLite's lock however the process ends; a file with a process id
            # would stay after a kill.
            self._connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            self.__exit__(None, None, None)
            raise StateError(
                f"another halubot bot runs with the folder {self._path.parent}: stop it first, or"
                " give this one a folder of its own (HALUBOT_STATE)"
            ) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


READY: Final = "READY=1"

ALIVE: Final = "WATCHDOG=1"

STOPPING: Final = "STOPPING=1"


def notify(state: str) -> bool:
    """Tell the supervisor a state; False without one, or if it cannot be told."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")) or not hasattr(socket, "AF_UNIX"):
        return False
    # A name that begins with @ is one of Linux's abstract names, whose first byte is zero.
    where = f"\0{address[1:]}" if address.startswith("@") else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
            to.connect(where)
            to.send(state.encode())
    except OSError:
        return False
    return True


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
