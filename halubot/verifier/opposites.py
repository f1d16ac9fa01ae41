"""Words of opposite meaning, from `data/opposites.txt`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from halubot.compare.tokens import normal


@cache
def opposites() -> dict[str, frozenset[str]]:
    """Return for each word those of opposite meaning, both in the form in which words compare."""
    found: dict[str, set[str]] = {}
    for row in _OPPOSITES.read_text(encoding="utf-8").splitlines():
        if row.startswith("#"):
            continue
        left, right = (
            {normal(word.strip()) for word in side.split(",")} for side in row.split("/")
        )
        for own, other in ((left, right), (right, left)):
            for word in own:
                found.setdefault(word, set()).update(other - own)
    return {word: frozenset(others) for word, others in found.items()}


_OPPOSITES: Final = Path(__file__).parent / "data" / "opposites.txt"
