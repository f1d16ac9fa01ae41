"""Whether the terminal that the app was started in is still there."""

from __future__ import annotations

import sys


def has_terminal() -> bool:
    """Return True if standard input is a terminal that answers; False where it is none."""
    try:
        import termios

        termios.tcgetattr(sys.__stdin__.fileno())  # type: ignore[union-attr]
    except Exception:  # no terminal, a terminal that hung up, or a system without termios
        return False
    return True
