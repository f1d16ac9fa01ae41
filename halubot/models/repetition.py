"""Text that a model repeats without end, found while it comes."""

from __future__ import annotations

import re
from typing import Final

SHORTEST: Final = 240
"""Characters that must repeat what stands before them."""

TIMES: Final = 4
"""How often the same must stand in a row at least."""

LONGEST: Final = 800
"""Characters of what is repeated at most."""

NEEDLE: Final = 48
"""Characters at the end by which the repetition is found."""

_END: Final = re.compile(r"[.!?。！？\n]")

STEP: Final = 64
"""Characters after which a text that grows is looked at again."""


def repeated_from(text: str) -> int | None:
    """Return where the repetition at the end of a text begins, behind its first occurrence and the
    sentence that ends there; None if its end is not the same again and again."""
    needle = text[-NEEDLE:]
    if len(text) < SHORTEST or not needle:
        return None
    before = text.rfind(needle, max(0, len(text) - NEEDLE - LONGEST), len(text) - 1)
    period = len(text) - NEEDLE - before
    if before < 0 or period <= 0:
        return None
    reach = max(SHORTEST, (TIMES - 1) * period)
    begin = len(text) - reach - period
    if begin < 0 or text[begin:-period] != text[begin + period :]:
        return None
    while begin > 0 and text[begin - 1] == text[begin - 1 + period]:
        begin -= 1
    end = _END.search(text, begin + period, begin + 2 * period)
    return begin + period if end is None else end.end()


class RepetitionWatch:
    """Hears a text piece by piece, and tells once it repeats itself."""

    def __init__(self) -> None:
        self._tail = ""
        self._dropped = 0
        self._unread = 0

    def hear(self, piece: str) -> int | None:
        """Return how many characters of the text so far are no repetition; None while it goes on
        well."""
        self._tail += piece
        self._unread += len(piece)
        if self._unread < STEP:
            return None
        self._unread = 0
        longest = SHORTEST + (TIMES + 1) * LONGEST
        if len(self._tail) > 2 * longest:
            self._dropped += len(self._tail) - longest
            self._tail = self._tail[-longest:]
        place = repeated_from(self._tail)
        return None if place is None else self._dropped + place
