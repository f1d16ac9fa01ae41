"""From files to the passages that are kept of them, each with its place in the document."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from halubot.evidence import HEADING
from halubot.evidence.files import contents_of
from halubot.evidence.knowledge.local import Piece
from halubot.evidence.retrieval import passages
from halubot.text import Document, Span, read
from halubot.text.files import PAGE_BREAK, is_docx, is_pdf
from halubot.text.markdown import blank_marks

Kind = Literal["pdf", "text", "converted"]
"""How a document came to be text: page by page, as it stood, or from HTML or DOCX, whose lines are
not those of the file."""


def places(document: Document, spans: tuple[Span, ...], kind: Kind) -> list[str]:
    """The place of each span: the pages of a PDF; of other text the heading above it, or else its
    lines; of what was converted, which part of how many. "" if there is one span, and nothing
    to tell."""
    if kind == "pdf":
        return _number(document.text, spans, PAGE_BREAK, "page", "pages")
    if len(spans) == 1 and kind == "converted":
        return [""]
    if kind == "converted":
        return [f"part {number} of {len(spans)}" for number in range(1, len(spans) + 1)]
    headings = _headings(document)
    starts = [start for start, _ in headings]
    lines = _number(document.text, spans, "\n", "line", "lines")
    if not headings:
        return lines if len(spans) > 1 else [""] * len(spans)
    found = []
    for (start, end), line in zip(spans, lines, strict=True):
        first, last = bisect_right(starts, start), bisect_right(starts, end - 1)
        titles = [title for _, title in headings[max(0, first - 1) : last]]
        if len(titles) > 1:
            found.append(f"sections {titles[0]} to {titles[-1]}")
        else:
            found.append(f"section {titles[0]}" if titles else line)
    return found


def _headings(document: Document) -> list[tuple[int, str]]:
    """The headings of a Markdown text with their beginnings; what looks like one in code is none,
    for code is blank in ``plain``."""
    found = []
    for heading in HEADING.finditer(document.text):
        # As it is read: emphasis and links in a heading are no part of its name.
        title = " ".join(blank_marks(heading[1]).split())
        if title and document.plain[heading.start(1) : heading.end(1)].strip():
            found.append((heading.start(), title))
    return found


def _number(text: str, spans: tuple[Span, ...], mark: str, one: str, many: str) -> list[str]:
    """From which to which line or page spans go, counted by the marks between them."""
    ends = [found.start() for found in re.finditer(re.escape(mark), text)]
    number: Callable[[int], int] = lambda at: bisect_right(ends, at - 1) + 1  # noqa: E731
    found = []
    for start, end in spans:
        first, last = number(start), number(end - 1)
        found.append(f"{one} {first}" if first == last else f"{many} {first} to {last}")
    return found


_CONVERTED: Final = {".html", ".htm", ".xhtml"}


def pieces_of(data: bytes, path: Path, changed: int) -> list[Piece]:
    """The passages of a file of any kind that is read as evidence, with their places; their date
    is the day on which the file was changed last (``changed``, in nanoseconds). Raises what
    `contents_of` raises."""
    text, title = contents_of(data, path)
    document = read(text)
    spans = passages(document)
    title, location = _clean(title or path.name), _clean(str(path))
    day = datetime.fromtimestamp(changed / 1e9, UTC).date().isoformat()
    kind: Kind = "text"
    if is_pdf(data):
        kind = "pdf"
    elif path.suffix.lower() in _CONVERTED or data.lstrip()[:1] == b"<" or is_docx(data):
        kind = "converted"
    return [
        Piece(document.text[start:end], title, location, place, day)
        for (start, end), place in zip(spans, places(document, spans, kind), strict=True)
    ]


def _clean(words: str) -> str:
    """Words in one line that can be written anywhere."""
    return " ".join(words.encode("utf-8", "replace").decode().split())
