"""Messages between the app and the process that checks: pickled, behind their length.

Pickle and not JSON: reports come as the objects they are, and the lock of the interpreter is let go
between two of them, while JSON of a long report is read in one stretch of a third of a second. Both
processes run the same code with the same rights, and nobody else can write to their pipe.
"""

from __future__ import annotations

import pickle
import struct
from typing import IO, Any, Final

_LENGTH: Final = struct.Struct(">Q")


def write_frame(stream: IO[bytes], message: tuple[Any, ...]) -> None:
    """Write a message. Raises OSError if nobody reads."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> tuple[Any, ...]:
    """Read a message. Raises EOFError if the other side is gone."""
    (length,) = _LENGTH.unpack(_read(stream, _LENGTH.size))
    found: tuple[Any, ...] = pickle.loads(_read(stream, length))  # noqa: S301 - our own process
    return found


def _read(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data
