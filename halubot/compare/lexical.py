"""A text as a vector of its words and of their letters, where no model gives one.

No weight is learnt, and the same text has the same vector everywhere. A word counts whole and by
its groups of three letters, so that "Reynolds'" is like "Reynolds" and "painter" a little like
"paintings"; a number counts whole alone, for 1911 is not nearly 1912. Function words count little,
and all forms of "be" are one word. Nothing counts against anything: no number is below 0.
"""

from __future__ import annotations

import math
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from halubot.compare.tokens import tokens

DIMENSIONS: Final = 512
"""Numbers of a vector; so many that unlike texts seldom meet in one."""

_FUNCTION: Final = 0.3
"""What a function word counts beside another."""
_LETTERS: Final = 3
# "war" means something else in English, unless it stands alone as a relation does.
_FORMS = "is are was were be been being am ist sind war waren es son fue era est sont"
_BE: Final = frozenset(_FORMS.split())


def vector(text: str) -> tuple[float, ...]:
    """The vector of a text, of length 1; all zeros where it holds no letter or digit."""
    found = [0.0] * DIMENSIONS
    words = tokens(text, 0, len(text))
    for token in words:
        if token.norm in _BE and (token.kind == "stop" or len(words) == 1):
            found[_place("be")] += _FUNCTION
            continue
        if token.kind == "stop":
            found[_place(token.norm)] += _FUNCTION
            continue
        found[_place(token.norm)] += 1.0
        groups = () if token.kind == "number" else _groups(token.norm)
        for group in groups:
            found[_place(group)] += 1 / math.sqrt(len(groups))
    length = math.hypot(*found)
    return tuple(one / length for one in found) if length else tuple(found)


def _groups(word: str) -> list[str]:
    """The groups of letters of a word, its two ends marked."""
    marked = f"^{word}$"
    return [marked[at : at + _LETTERS] for at in range(len(marked) - _LETTERS + 1)]


@lru_cache(maxsize=1 << 15)
def _place(feature: str) -> int:
    return int.from_bytes(blake2b(feature.encode(), digest_size=8).digest(), "big") % DIMENSIONS
