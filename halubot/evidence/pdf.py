"""The text of a PDF, page by page."""

from __future__ import annotations

import io
import logging
import os
import re
import warnings

from halubot.errors import UnreadableError
from halubot.facts import Source

_PAGE_BREAK = "\u2029"
_HYPHENATED = re.compile(r"(?<=[^\W\d_A-Z])[-\u2010\u00ad]\n(?=[^\W\d_A-Z])")
_INDENT = re.compile(r"(?m)^[ \t]+|[ \t]+$")
_END = b"%%EOF"
_WITHIN = 2048
"""Bytes at the end of a PDF, among which its end mark stands."""


def is_pdf(data: bytes) -> bool:
    """Whether a file calls itself a PDF in its first KB."""
    return b"%PDF-" in data[:1024]


def page_of(source: Source, offset: int) -> int | None:
    """The page (from 1) of a PDF on which ``source.text[offset]`` stands, None for a source that is
    no PDF. (The pages of its text are parted by U+2029.)"""
    if source.text is None or not source.location.lower().endswith(".pdf"):
        return None
    return source.text.count(_PAGE_BREAK, 0, offset) + 1


def extract(data: bytes, path: str | os.PathLike[str]) -> tuple[str, str]:
    """The text and the title ("" where there is none) of a PDF. Words hyphenated at the end of a
    line are joined again; a page without text is an empty one.

    Raises UnreadableError where it is broken, cut off, encrypted, or holds pictures only.
    """
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError

    logger = logging.getLogger("pypdf")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader = PdfReader(io.BytesIO(data))
            if reader.is_encrypted and not reader.decrypt(""):
                raise UnreadableError(path, "the PDF is encrypted; save it without a password")
            pages = [page.extract_text() for page in reader.pages]
            title = str(reader.metadata.title or "") if reader.metadata else ""
    except UnreadableError:
        raise
    except (DependencyError, FileNotDecryptedError) as error:
        why = "the PDF is encrypted; save it without a password"
        raise UnreadableError(path, why) from error
    except Exception as error:  # pypdf lets errors of many kinds through
        raise UnreadableError(path, "the PDF is broken") from error
    finally:
        logger.setLevel(level)
    if _END not in data[-_WITHIN:]:
        # Its first pages may have been found all the same, and pass for the whole.
        raise UnreadableError(path, "the PDF is cut off; fetch it again")
    text = _PAGE_BREAK.join(_tidy(page) for page in pages)
    if not text.strip():
        raise UnreadableError(path, "the PDF holds no text (is it scanned?)")
    return text, " ".join(title.split())


def _tidy(page: str) -> str:
    page = page.replace("\r\n", "\n").replace(_PAGE_BREAK, "\n")
    return _HYPHENATED.sub("", _INDENT.sub("", page))
