"""Python's own work in moments when nobody waits for it.

Looking for garbage among all that the core and its libraries hold takes a tenth of a second and
more; so that is done while nothing is under way, not in the middle of a word that is typed. While
something is, only what is new is looked through; and nothing while somebody types, but in portions
that take some milliseconds (`_YOUNG`, `_MIDDLE`).
"""

from __future__ import annotations

import gc
import sys
import time
from typing import Final

EVERY_SECONDS: Final = 20.0
"""How often garbage is looked for."""

_YOUNG, _MIDDLE, _OLD = 1_000, 5, 1_000_000
_SWITCH_SECONDS: Final = 0.001
_AWAY_SECONDS: Final = 10.0
"""Seconds without a key after which a pause of a tenth of a second disturbs nobody."""
_REST_SECONDS: Final = 2.0
"""Seconds without a key after which one of a thirtieth does not."""
_MANY: Final = 40_000
"""Objects left alone since the last look at the whole after which another is due: 20 checks in
sessions of their own leave so many. What a closed session had stays until then."""


class Idle:
    """The settings of this process while the app runs; `end` puts back those before."""

    def __init__(self) -> None:
        self._before = gc.get_threshold(), sys.getswitchinterval()
        gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._kept = 0

    @property
    def is_due(self) -> bool:
        """Whether so much was left alone since the last look at the whole that garbage may be in
        it."""
        return gc.get_freeze_count() - self._kept > _MANY

    def sweep(self, *, whole: bool = True) -> None:
        """Looks for garbage in the whole, or in what is new since the last time, and leaves what
        remains alone until the next."""
        if whole:
            gc.unfreeze()
        gc.collect()
        gc.freeze()
        if whole:
            self._kept = gc.get_freeze_count()
            give_back()

    @staticmethod
    def spare() -> None:
        """Leaves what there is alone until the next sweep of the whole."""
        gc.freeze()

    def end(self) -> None:
        """Leaves everything as it was."""
        gc.unfreeze()
        threshold, switch = self._before
        gc.set_threshold(*threshold)
        sys.setswitchinterval(switch)


class Sweeper:
    """Decides when garbage is collected: if nobody is kept from typing by it, and something has
    happened since the last time."""

    def __init__(self) -> None:
        self.heard = False
        """Whether anything was heard of work since then."""
        self._swept = 0.0

    def sweep(self, idle: Idle, *, pressed: float, busy: bool) -> None:
        """Looks for garbage; ``pressed`` is when a key was pressed last, ``busy`` says whether
        anything is under way."""
        if not (busy or self.heard or pressed > self._swept):
            return
        if time.monotonic() - pressed < _AWAY_SECONDS:
            idle.spare()
        else:
            idle.sweep(whole=not busy or idle.is_due)
            self.heard = busy
            self._swept = time.monotonic()

    @staticmethod
    def conclude(idle: Idle | None, *, pressed: float) -> None:
        """Looks through what is new after a check: it leaves 5,000 objects in rings, and many may
        end between two looks at the clock."""
        rested = time.monotonic() - pressed
        if idle is not None and rested >= _REST_SECONDS:
            idle.sweep(whole=idle.is_due and rested >= _AWAY_SECONDS)


def give_back() -> None:
    """Gives memory that is free in this process back to the system, if the C library can: after
    a long text that is a tenth of it."""
    if sys.platform == "linux":
        import ctypes

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
