"""The text of a PDF, page by page."""

from __future__ import annotations

import io
import logging
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from pypdf import PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError

from halubot.errors import DocumentLimitError, UnreadableError
from halubot.text.files import PAGE_BREAK, Content

_HYPHENATED = re.compile(r"(?<=[^\W\d_A-Z])[-\u2010\u00ad]\n(?=[^\W\d_A-Z])")
_INDENT = re.compile(r"(?m)^[ \t]+|[ \t]+$")
_NUMBER = re.compile(r"(?<![\d.,])\d{1,5}(?![\d.,]*\d)")
_MOST_NUMBERS = 3
_EDGE = 2
"""Lines at the top and at the bottom of a page that may run through the document."""
_DEEPEST_EDGE = 6
"""The same, if all lines outside of them run through it."""
_FEWEST_PAGES = 3
_LEAST_SHARE = 0.4
_NEAR = 6
"""Pages in a row of which so many as `_FEWEST_PAGES` may have the lines of their chapter."""
_Running = tuple[str, int | None]
_END = b"%%EOF"
_WITHIN = 2048
"""Bytes at the end of a PDF, among which its end mark stands."""


def read(data: bytes, request: dict[str, Any]) -> Content:
    """Return the content of a PDF. Words hyphenated at the end of a
    line are joined again; a page without text is an empty one.

    Raises UnreadableError if it is broken, cut off, encrypted, or holds pictures only, and
    DocumentLimitError if it has more pages than the request allows.
    """
    logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)
    warnings.simplefilter("ignore")
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise FileNotDecryptedError
        if len(reader.pages) > request["pages"]:
            raise DocumentLimitError("it", f"it has more than {request['pages']:,} pages")
        pages = [page.extract_text() for page in reader.pages]
        title = str(reader.metadata.title or "") if reader.metadata else ""
    except (DocumentLimitError, MemoryError):
        raise
    except (DependencyError, FileNotDecryptedError) as error:
        why = "the PDF is encrypted; save it without a password"
        raise UnreadableError("it", why) from error
    except Exception as error:  # pypdf lets errors of many kinds through
        raise UnreadableError("it", "the PDF is broken") from error
    if _END not in data[-_WITHIN:]:
        # Its first pages may have been found all the same, and pass for the whole.
        raise UnreadableError("it", "the PDF is cut off; fetch it again")
    text = PAGE_BREAK.join(remove_running_lines([_tidy(page) for page in pages]))
    if not text.strip():
        raise UnreadableError("it", "the PDF holds no text (is it scanned?)")
    return Content(text, " ".join(title.split()))


def _tidy(page: str) -> str:
    page = page.replace("\r\n", "\n").replace(PAGE_BREAK, "\n")
    return _HYPHENATED.sub("", _INDENT.sub("", page))


def remove_running_lines(pages: list[str]) -> list[str]:
    """Return the pages without the lines at their top and bottom that run through the document or
    a chapter: those that stand on many pages, or on some in a row, word for word, or with a number
    that counts the pages. They would cut sentences in two, and a title on every page is no evidence
    that counts each time."""
    if len(pages) < _FEWEST_PAGES:
        return pages
    cut = [page.split("\n") for page in pages]
    found: defaultdict[_Running, list[int]] = defaultdict(list)
    for number, lines in enumerate(cut):
        edges = (place for edge in _edges(lines, _DEEPEST_EDGE) for place in edge)
        for key in {key for place in edges for key in _keys(lines[place], number)}:
            found[key].append(number)
    running = {key for key, numbers in found.items() if _runs(numbers, len(pages))}
    for number, lines in enumerate(cut):
        for edge in _edges(lines, _DEEPEST_EDGE):
            unbroken = True
            for depth, place in enumerate(edge):
                same, *counted = _keys(lines[place], number)
                # Further inside, what begins small is the middle of a sentence.
                own = same not in running or same[0][:1].islower()
                if depth >= _EDGE and (own or not unbroken):
                    break
                if running.isdisjoint((same, *counted)):
                    unbroken = False
                else:
                    lines[place] = ""
    return ["\n".join(lines).strip("\n") for lines in cut]


def _runs(numbers: list[int], pages: int) -> bool:
    """Return True if a line runs through a document, or a chapter of it, by its pages. Left and
    right pages may have lines of their own."""
    if len(numbers) < _FEWEST_PAGES:
        return False
    near = zip(numbers, numbers[_FEWEST_PAGES - 1 :], strict=False)
    return len(numbers) >= pages * _LEAST_SHARE or any(b - a < _NEAR for a, b in near)


def _edges(lines: list[str], most: int) -> tuple[list[int], list[int]]:
    """Return the places of the first and of the last lines of a page that say something, from its
    edges inwards."""
    said = [place for place, line in enumerate(lines) if line.strip()]
    # A short page is its text: of three lines, the middle one is what it says.
    most = min(most, (len(said) - 1) // 2)
    return (said[:most], said[::-1][:most]) if most > 0 else ([], [])


def _keys(line: str, page: int) -> Iterator[_Running]:
    """Yield what a line is known by on other pages: itself, and itself with a number that grows by
    one a page."""
    line = " ".join(line.split())
    yield line, None
    for number in (*_NUMBER.finditer(line),)[:_MOST_NUMBERS]:
        yield f"{line[: number.start()]}#{line[number.end() :]}", int(number[0]) - page
