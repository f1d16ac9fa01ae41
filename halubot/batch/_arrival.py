"""Lines of a stream that come when they come."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
from collections import deque
from collections.abc import Iterator
from typing import BinaryIO

_CHUNK = 1 << 16


class Arrivals(Iterator[bytes]):
    """The lines of a pipe or a terminal, which can say whether the next one is there.

    Whoever writes to the pipe may wait for what becomes of a line before it writes another one. So
    nobody may wait for a line while others are under way.
    """

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._lines: deque[bytes] = deque()
        self._begun = b""
        self._ended = False

    def __next__(self) -> bytes:
        while not self._lines and not self._ended:
            self._read()
        if not self._lines:
            raise StopIteration
        return self._lines.popleft()

    def is_ready(self) -> bool:
        """Return whether the next line, or the end, can be read without a wait."""
        while not self._lines and not self._ended:
            if not select.select([self._stream], [], [], 0)[0]:
                return False
            self._read()
        return True

    def _read(self) -> None:
        data = self._stream.read1(_CHUNK)  # all that the stream holds already, or one read
        if not data:
            self._ended = True
        *lines, self._begun = (self._begun + data).split(b"\n")
        self._lines += [line + b"\n" for line in lines]
        if self._ended and self._begun:
            self._lines.append(self._begun)


def arrivals(stream: BinaryIO) -> Arrivals | None:
    """Return the lines of a stream that may have to be waited for; None for a file, and on Windows,
    which cannot say whether a pipe holds anything."""
    if sys.platform == "win32" or not isinstance(stream, io.BufferedReader):
        return None
    try:
        regular = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:  # no file of the system
        return None
    return None if regular else Arrivals(stream)
