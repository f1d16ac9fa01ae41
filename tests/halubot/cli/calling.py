"""The words that tests of the command line share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

RIGHT = "Ada Lovelace was born in 1815. She wrote about the Analytical Engine."
WRONG = "Ada Lovelace was born in 1816. She wrote about the Analytical Engine."


class Ended(NamedTuple):
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str


Halubot = Callable[..., Ended]
"""Runs a command: ``halubot("check", "message.txt", stdin=b"")``."""
