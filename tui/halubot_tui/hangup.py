"""Whether the terminal that the app was started in is still there."""

from __future__ import annotations

import sys


def has_terminal() -> bool:
    """Return True if standard input is a terminal that answers.

    False where it is none, where the terminal hung up, and on Windows.
    """
    if sys.platform == "win32" or sys.__stdin__ is None:
        return False
    import termios

    try:
        termios.tcgetattr(sys.__stdin__.fileno())
    except (OSError, ValueError, termios.error):
        return False
    return True
