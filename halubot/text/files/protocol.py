"""Messages between halubot and the process that reads documents: JSON behind its length.

JSON and nothing richer: whatever takes over that process must not run code in this one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import IO, Any, Final, Literal, NamedTuple

from halubot.child_process import LENGTH, read_exactly

Format = Literal["html", "pdf", "docx", "chats"]

# Several times what ordinary documents take: a PDF of text 6 s, a DOCX 5 s, a page 0.2 s.
_SECONDS_PER_MIB: Final[dict[Format, float]] = {
    "html": 2.0,
    "pdf": 25.0,
    "docx": 25.0,
    "chats": 1.0,
}


class Content(NamedTuple):
    """The content of a document: its text, its title ("" if it has none), and, of a web page, its
    headings below the first level."""

    text: str
    title: str
    headings: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one document may take. ``seconds`` are of the processor, not of the clock: a
    busy machine refuses no document that an idle one reads."""

    memory: int = 300 << 20
    seconds: float = 2.5
    most_seconds: float = 60.0
    pages: int = 5_000
    characters: int = 16 << 20

    def seconds_for(self, format: Format, size: int) -> float:
        """Return the seconds for a file of ``size`` bytes: a small file may not take long."""
        return min(self.most_seconds, self.seconds + _SECONDS_PER_MIB[format] * size / (1 << 20))


def write_message(stream: IO[bytes], message: dict[str, Any], body: bytes = b"") -> None:
    """Write a message, and the ``body`` behind it."""
    # A PDF may hold lone surrogates, which plain UTF-8 refuses.
    data = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    stream.write(LENGTH.pack(len(data)) + data)
    stream.write(body)
    stream.flush()


def read_message(stream: IO[bytes], most: int) -> dict[str, Any]:
    """Read a message of at most ``most`` bytes. Raises EOFError if the other side is gone, and
    ValueError for anything that is no message."""
    (length,) = LENGTH.unpack(read_exactly(stream, LENGTH.size))
    if length > most:
        raise ValueError(f"a message of {length} bytes")
    found = json.loads(read_exactly(stream, length).decode("utf-8", "surrogatepass"))
    if not isinstance(found, dict):
        raise ValueError("a message that is no object")
    return found
