"""From a file to its text: plain text here, HTML, PDF and DOCX in a process with limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

Format = Literal["html", "pdf", "docx", "chats"]

PAGE_BREAK: Final = "\u2029"
"""What parts the pages in the text of a PDF."""

_ZIP: Final = b"PK\x03\x04"
_OLD: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLD_PARTS: Final = ("WordDocument", "EncryptedPackage")

# Several times what ordinary documents take: a PDF of text 6 s, a DOCX 5 s, a page 0.2 s.
_SECONDS_PER_MIB: Final = {"html": 2.0, "pdf": 25.0, "docx": 25.0, "chats": 1.0}


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


def is_pdf(data: bytes) -> bool:
    """Return True if a file calls itself a PDF in its first KB."""
    return b"%PDF-" in data[:1024]


def is_docx(data: bytes) -> bool:
    """Return True if a file holds the parts of a DOCX, whole or not."""
    return data.startswith(_ZIP) and b"word/document.xml" in data


def is_old_word(data: bytes) -> bool:
    """Return True if a file is a document of the old Word, or an encrypted DOCX."""
    return data.startswith(_OLD) and any(part.encode("utf-16-le") in data for part in _OLD_PARTS)
