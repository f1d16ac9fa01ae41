"""What a prompt may be refused for."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

FEW = 8
"""Names that can be read in one line."""


class PromptError(ValueError):
    """A prompt that is not there, is broken, or was given other fields than its own: one line."""


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: the known one most like it, else all where
    they are few."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1, cutoff=0.3)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known are {', '.join(names) or 'none'}" if len(names) <= FEW else "none is like it"
