"""How much of the time work on a thread takes, where a screen is drawn by the same process."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

SHARE: Final[ContextVar[float]] = ContextVar("SHARE", default=1.0)
"""The part of the time, above 0 and at most 1, that a synchronous method works and does not rest:
less than all beside a screen, for Python runs one thread at a time."""
