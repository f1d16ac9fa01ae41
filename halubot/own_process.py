"""Whether this process is halubot's own, or that of a program that imports halubot."""

from __future__ import annotations

_state = {"own": False}


def claim() -> None:
    """Say that halubot started this process: it may change libraries for all of it."""
    _state["own"] = True


def is_own() -> bool:
    """Return True if halubot started this process."""
    return _state["own"]
