"""Edits made in a text: all of a correction's, or those that a person accepts."""

from __future__ import annotations

from collections.abc import Iterable

from halubot.correcting.removing import lines, moved
from halubot.errors import InputError
from halubot.facts import Edit, Report


def accept(report: Report, edits: Iterable[int] | None = None) -> str:
    """The report's text with only these edits of its correction made; all of them by default.

    ``edits`` are indexes into ``report.correction.edits``, in any order. Those that left a
    sentence as it was, or refused it, change nothing. The edits of one sentence were chosen
    together: with a part of them it may read less well, while sentences do not depend on each
    other. Without any the text is the report's own.

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
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(made):
            known = f"they go from 0 to {len(made) - 1}" if made else "the correction has none"
            raise InputError(f"there is no edit {index!r}: {known}")
    return applied(report.text, (made[index] for index in sorted(chosen)))


def applied(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with these edits made; they must be disjoint and point into it."""
    pieces: list[str] = []
    done = 0
    for edit in settled(text, edits):
        pieces += text[done : edit.start], edit.after
        done = edit.end
    return "".join([*pieces, text[done:]])


def settled(text: str, edits: Iterable[Edit]) -> list[Edit]:
    """The edits in the order of the text as they are made together: where they take out all
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
        if len(run) > 1 and (text[end - 1] != "\n" or end == len(text)):
            first, last = lines(text, start, end, done) or (start, end)
            run[0] = moved(text, run[0], first, run[0].end)
            run[-1] = moved(text, run[-1], run[-1].start, last)
        done = run[-1].end
    return [edit for run in runs for edit in run]


def _follows(edit: Edit, before: Edit) -> bool:
    return before.end == edit.start and not (before.after or edit.after)
