"""From a file to its text: plain text here, HTML, PDF and DOCX in a process with limits."""

from __future__ import annotations

from typing import Final

_ZIP: Final = b"PK\x03\x04"
_OLD: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLD_PARTS: Final = ("WordDocument", "EncryptedPackage")


def is_pdf(data: bytes) -> bool:
    """Return True if a file calls itself a PDF in its first KB."""
    return b"%PDF-" in data[:1024]


def is_docx(data: bytes) -> bool:
    """Return True if a file holds the parts of a DOCX, whole or not."""
    return data.startswith(_ZIP) and b"word/document.xml" in data


def is_old_word(data: bytes) -> bool:
    """Return True if a file is a document of the old Word, or an encrypted DOCX."""
    return data.startswith(_OLD) and any(part.encode("utf-16-le") in data for part in _OLD_PARTS)
