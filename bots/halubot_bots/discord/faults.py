"""Faults of our own as the log may hold them: kinds and places in the code, never their words,
which may repeat a text."""

from __future__ import annotations

import traceback
from pathlib import PurePath
from typing import Final

DEEPEST: Final = 4
"""Places in the code that are named, from the innermost."""


def place_of(error: BaseException) -> str:
    """The kind of an error, and where it came from."""
    frames = traceback.extract_tb(error.__traceback__)[-DEEPEST:]
    places = " < ".join(f"{PurePath(one.filename).name}:{one.lineno}" for one in reversed(frames))
    return f"{type(error).__name__} at {places}" if places else type(error).__name__
