"""Edits made in a text: all of a correction's, or those that a person accepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from halubot.correcting.removing import lines
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
    """``text`` with these edits made; they must be disjoint and point into it. A line of which
    they take out all sentences goes with its marks."""
    pieces: list[str] = []
    done = 0
    for start, end, after in _joined(text, edits):
        pieces += text[done:start], after
        done = end
    return "".join([*pieces, text[done:]])


def _joined(text: str, edits: Iterable[Edit]) -> Iterator[tuple[int, int, str]]:
    """Start, end and new text of the edits in the order of the text, removals that follow each
    other as one."""
    runs: list[list[Edit]] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if runs and _follows(edit, runs[-1][-1]):
            runs[-1].append(edit)
        else:
            runs.append([edit])
    done = 0
    for run in runs:
        start, end = run[0].start, run[-1].end
        if len(run) > 1 and text[end - 1] != "\n":
            start, end = lines(text, start, end, done) or (start, end)
        yield start, end, run[0].after
        done = end


def _follows(edit: Edit, before: Edit) -> bool:
    return before.end == edit.start and not (before.after or edit.after)
