"""A file that is looked after: when it has changed, its text is checked again."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

SECONDS: Final = 1.0
"""How often the file is looked at."""


@dataclass(slots=True)
class Watched:
    """A file, its text as it was read last, and the message in which that was checked last."""

    path: Path
    text: str = ""
    turn: str = ""
    why: str = ""
    """Why the file could not be read the last time; "" if it was."""
    _stamp: object = field(default=None)

    def has_changed(self) -> bool:
        """Return whether the file may have been written to since this was asked last, or since its
        text was read first. It takes some microseconds."""
        try:
            stat = os.stat(self.path)
        except OSError:
            return False  # while an editor replaces it; what is there then is read then
        before, self._stamp = self._stamp, (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        return before != self._stamp

    def read(self) -> str:
        """Return its text. Raises UnreadableError and InputError."""
        return text_of(self.path)


def text_of(file: Path) -> str:
    """The text of a file, of any kind that references may have. Raises UnreadableError and
    InputError."""
    from halubot import evidence

    return evidence.load(file).text or ""
