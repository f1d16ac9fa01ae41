"""Telling systemd that the bot is ready and lives.

Source: sd_notify(3) and sd_watchdog_enabled(3). Without a supervisor nothing happens.
"""

from __future__ import annotations

import os
import socket
from typing import Final

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
    """How often the supervisor wants to hear that the bot lives; None if it does not ask."""
    try:
        micro = int(os.environ.get("WATCHDOG_USEC", ""))
        own = int(os.environ.get("WATCHDOG_PID", "") or os.getpid()) == os.getpid()
    except ValueError:
        return None
    return micro / 1e6 if own and micro > 0 else None
