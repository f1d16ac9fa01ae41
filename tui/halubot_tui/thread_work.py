"""The inputs with which the app is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def text_of(file: Path) -> str:
    """The text of a file, of any kind that references may have. Raises UnreadableError and
    InputError."""
    from halubot import evidence

    return evidence.load(file).text or ""
