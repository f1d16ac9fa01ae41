"""Faults: our own as the log may hold them, by kinds and places in the code and never their words,
which may repeat a text; and what Discord's codes of refusals mean."""

from __future__ import annotations

import traceback
from pathlib import PurePath
from typing import Final

MODERATED: Final = frozenset({200000, 200001})
"""Discord's codes of what a server's AutoMod blocks:
https://docs.discord.com/developers/topics/opcodes-and-status-codes#json-json-error-codes"""

DEEPEST: Final = 4
"""Places in the code that are named, from the innermost."""


def place_of(error: BaseException) -> str:
    """The kind of an error, and where it came from."""
    frames = traceback.extract_tb(error.__traceback__)[-DEEPEST:]
    places = " < ".join(f"{PurePath(one.filename).name}:{one.lineno}" for one in reversed(frames))
    return f"{type(error).__name__} at {places}" if places else type(error).__name__
