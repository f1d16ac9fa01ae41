"""Messages between a process that checks and the one that started it: pickle behind its length.

Both run the same code with the same rights, over pipes that nobody else can write to.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import IO, Any, Final, Literal

LENGTH: Final = struct.Struct(">Q")
"""The bytes before each message, which say how long it is."""

Kind = Literal["check", "ask", "correct"]

Task = Callable[[Any, Mapping[str, Any]], Awaitable[Any]]
"""A function of a module, which takes a subject and options."""


@dataclass(frozen=True, slots=True)
class Work:
    """A text to check, a question to answer, or a text or report to correct, with the options of
    `halubot.acheck`, `halubot.aask` and `halubot.acorrect`; or a task with its subject."""

    kind: Kind | Task
    subject: Any
    options: Mapping[str, Any]


def pack(message: tuple[Any, ...]) -> bytes:
    """Return a message as it is sent."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(data)) + data


def unpack(data: bytes) -> tuple[Any, ...]:
    """Return the message that was packed, without its length."""
    message: tuple[Any, ...] = pickle.loads(data)  # noqa: S301 - written by our own process
    return message


def read(stream: IO[bytes]) -> tuple[Any, ...]:
    """Read a message. Raises EOFError if the other side is gone."""
    (length,) = LENGTH.unpack(_read_exactly(stream, LENGTH.size))
    return unpack(_read_exactly(stream, length))


def _read_exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data
