"""Edits made in a text: all of a correction's, or those that a person accepts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from halubot.errors import InputError
from halubot.report import Edit, Report, Span

_FARTHEST = 60
"""Code points on either side of a sentence in which the marks of its line are looked for."""


_LINE_MARKS = re.compile(r"(?:[\s>#|*_~+-]|\d{1,9}[.)]|\[[ xX]\])*")


_LINE_END = re.compile(r"[ \t\r|*_~]*")


_SPACE = " \t"


def widen_edits(text: str, edits: Iterable[Edit], sentences: Collection[Span]) -> list[Edit]:
    """The edits, in order; those that take out one of these sentences with what goes with it."""
    edits = list(edits)
    gone = [
        (edit.start, edit.end)
        for edit in edits
        if edit.action == "removed" and (edit.start, edit.end) in sentences
    ]
    spans = dict(zip(gone, widen_sentences(text, gone), strict=True))
    return [
        move_edit(text, edit, *spans.get((edit.start, edit.end), (edit.start, edit.end)))
        for edit in edits
    ]


def move_edit(text: str, edit: Edit, start: int, end: int) -> Edit:
    """The edit at another place of the text."""
    return edit.model_copy(update={"start": start, "end": end, "before": text[start:end]})


def widen_sentences(text: str, gone: Iterable[Span], done: int = 0) -> list[Span]:
    """Sentences to take out, in order, each with what goes with it; they stay disjoint, and any
    of them may be taken out without the others. What stands before ``done`` is gone already.

    That is the space before it, or behind it if it begins its line or the sentence before it
    took that. A sentence that is alone on its line goes with the line, its list mark and an
    empty line that would be one too many.
    """
    found: list[Span] = []
    for start, end in gone:
        found.append(lines(text, start, end, done) or _beside(text, start, end, done))
        done = found[-1][1]
    return found


def lines(text: str, start: int, end: int, done: int = 0) -> Span | None:
    r"""The lines on which ``text[start:end]`` stands, if they hold nothing else but marks of a
    list, a heading, a quotation or a table, with the empty lines that would be too many without
    them; None if they hold more. What stands before ``done`` is gone already.

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
    """Return the beginning of the line whose first words are at ``start``, marks of a list aside;
    None if other words are before them."""
    # Not from the beginning of the line: of a text in one line that would be looked at for each
    # sentence.
    low = max(0, start - _FARTHEST)
    first = text.rfind("\n", low, start) + 1
    # The line begins farther away than marks would.
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
    # The space before it goes, unless the sentence begins its line, whose indentation must stay.
    if first < start and line_start(text, start) is None:
        return first, end
    while end < len(text) and text[end] in _SPACE:
        end += 1
    return start, end


def accept(report: Report, edits: Iterable[int] | None = None) -> str:
    """Return the report's text with only some edits of its correction made.

    ``edits`` are indexes into ``report.correction.edits``, in any order; None makes all edits, an
    empty sequence none. Edits that left a sentence as it was, or refused it, change nothing. The
    edits of one sentence were chosen together: the sentence may read badly with only some of them.
    Different sentences do not depend on each other.

    Raises InputError for a report without a correction, and for an index that it does not have.

    >>> from halubot import correct
    >>> report = correct("Ada was born in 1816.", references=["Ada was born in 1815."])
    >>> accept(report, [0]), accept(report, [])
    ('Ada was born in 1815.', 'Ada was born in 1816.')
    """
    if report.correction is None:
        raise InputError("the report holds no correction: make one with correct()")
    made = report.correction.edits
    chosen = set(range(len(made)) if edits is None else edits)
    for index in chosen:
        # To Python True is the index 1.
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(made):
            known = f"they go from 0 to {len(made) - 1}" if made else "the correction has none"
            raise InputError(f"there is no edit {index!r}: {known}")
    return apply_edits(report.text, (made[index] for index in sorted(chosen)))


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with these edits made; they must be disjoint and point into it."""
    pieces: list[str] = []
    done = 0
    for edit in settle_edits(text, edits):
        pieces += text[done : edit.start], edit.after
        done = edit.end
    return "".join([*pieces, text[done:]])


def settle_edits(text: str, edits: Iterable[Edit]) -> list[Edit]:
    """The edits in the order of the text as they are made together: if they take out all
    sentences of a line, which each by itself leaves standing, the line goes with its marks."""
    runs: list[list[Edit]] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if runs and _follows(edit, runs[-1][-1]):
            runs[-1].append(edit)
        else:
            runs.append([edit])
    done = 0
    for run in runs:
        start, end = run[0].start, run[-1].end
        # One by one they left their line standing, since other sentences stood on it.
        if len(run) > 1 and (text[end - 1] != "\n" or end == len(text)):
            first, last = lines(text, start, end, done) or (start, end)
            run[0] = move_edit(text, run[0], first, run[0].end)
            run[-1] = move_edit(text, run[-1], run[-1].start, last)
        done = run[-1].end
    return [edit for run in runs for edit in run]


def _follows(edit: Edit, before: Edit) -> bool:
    return before.end == edit.start and not (before.after or edit.after)
