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


class Garbage:
    """Collects garbage while the app runs; `end` leaves all as it was before."""

    def __init__(self) -> None:
        self._before = gc.get_threshold(), sys.getswitchinterval()
        gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._kept = 0
        self._looked = 0.0
        self.heard = False
        """Whether anything was heard of work since the last look."""

    def look(self, *, pressed: float, busy: bool, ended: bool = False) -> None:
        """Look for garbage unless somebody types; ``pressed`` is when a key was pressed last,
        ``busy`` says whether anything is under way, ``ended`` that a check just did: it leaves
        5,000 objects in rings."""
        rested = time.monotonic() - pressed
        due = gc.get_freeze_count() - self._kept > _MANY
        if ended:  # now somebody reads, who may never rest for long
            if due or rested >= _REST_SECONDS:
                self._collect(whole=due)
        elif busy or self.heard or pressed > self._looked:
            if rested < _AWAY_SECONDS:
                gc.freeze()  # what there is, is left alone until the next look at the whole
                return
            self._collect(whole=due or not busy)
            self.heard, self._looked = busy, time.monotonic()

    def _collect(self, *, whole: bool) -> None:
        """Collect garbage in the whole, or in what is new, and leave alone what remains."""
        if whole:
            gc.unfreeze()
        gc.collect()
        gc.freeze()
        if whole:
            self._kept = gc.get_freeze_count()
            give_back()

    def end(self) -> None:
        """Leave everything as it was."""
        gc.unfreeze()
        threshold, switch = self._before
        gc.set_threshold(*threshold)
        sys.setswitchinterval(switch)


def give_back() -> None:
    """Give memory that is free in this process back to the system, if the C library can: after
    a long text that is a tenth of it."""
    if sys.platform == "linux":
        import ctypes

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
