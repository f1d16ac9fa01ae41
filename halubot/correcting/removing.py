"""What goes with a sentence that is taken out: the space beside it, or its whole line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from halubot.facts import Edit, Span

_FARTHEST = 60
"""Code points on either side of a sentence in which the marks of its line are looked for."""
_LINE_MARKS = re.compile(r"(?:[\s>#|*_~+-]|\d{1,9}[.)]|\[[ xX]\])*")
_LINE_END = re.compile(r"[ \t\r|*_~]*")
_SPACE = " \t"


def widened(text: str, edits: Iterable[Edit], sentences: Collection[Span]) -> list[Edit]:
    """The edits, in order; those that take out one of these sentences with what goes with it."""
    edits = list(edits)
    gone = [
        (edit.start, edit.end)
        for edit in edits
        if edit.action == "removed" and (edit.start, edit.end) in sentences
    ]
    spans = dict(zip(gone, spaced(text, gone), strict=True))
    return [
        moved(text, edit, *spans.get((edit.start, edit.end), (edit.start, edit.end)))
        for edit in edits
    ]


def moved(text: str, edit: Edit, start: int, end: int) -> Edit:
    """The edit at another place of the text."""
    return edit.model_copy(update={"start": start, "end": end, "before": text[start:end]})


def spaced(text: str, gone: Iterable[Span], done: int = 0) -> list[Span]:
    """Sentences to take out, in order, each with what goes with it; they stay disjoint, and any
    of them may be taken out without the others. What stands before ``done`` is gone already.

    That is the space before it, or behind it where it begins its line or the sentence before it
    took that. A sentence that is alone on its line goes with the line, its list mark and an
    empty line that would be one too many.
    """
    found: list[Span] = []
    for start, end in gone:
        found.append(lines(text, start, end, done) or _beside(text, start, end, done))
        done = found[-1][1]
    return found


def lines(text: str, start: int, end: int, done: int = 0) -> Span | None:
    r"""The lines on which ``text[start:end]`` stands, where they hold nothing else but marks of a
    list, a heading, a quotation or a table, with the empty lines that would be too many without
    them; None where they hold more. What stands before ``done`` is gone already.

    >>> lines("Tea:\n- Mint\n- Sage", 7, 11)
    (5, 12)
    """
    first = line_start(text, start)
    high = min(len(text), end + _FARTHEST)
    last = text.find("\n", end, high)
    if first is None or (last < 0 and high < len(text)):
        return None
    if not _LINE_END.fullmatch(text, end, len(text) if last < 0 else last):
        return None
    return _with_blank(text, first, len(text) if last < 0 else last + 1, done)


def line_start(text: str, start: int) -> int | None:
    """Where the line begins whose first words stand at ``start``, marks aside; None where others
    stand before them."""
    low = max(0, start - _FARTHEST)
    first = text.rfind("\n", low, start) + 1
    if (low and not first) or not _LINE_MARKS.fullmatch(text, first, start):
        return None
    return first


def _with_blank(text: str, start: int, end: int, done: int) -> Span:
    """Whole lines with the empty ones behind them, or, of the last ones, with those before."""
    if end == len(text):
        first = start
        while first > done and text[first - 1].isspace():
            first -= 1
        if first < start and text.endswith("\n"):
            first = text.index("\n", first) + 1
        return first, end
    if not start or text[max(0, start - 3) : start].endswith(("\n\n", "\n\r\n")):
        while text.startswith(("\n", "\r\n"), end):
            end = text.index("\n", end) + 1
    return start, end


def _beside(text: str, start: int, end: int, done: int) -> Span:
    first = start
    while first > done and text[first - 1] in _SPACE:
        first -= 1
    if first < start and line_start(text, start) is None:
        return first, end
    while end < len(text) and text[end] in _SPACE:
        end += 1
    return start, end
