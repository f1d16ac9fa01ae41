"""Edits made in a text: all of a correction's, or those that a person accepts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from halubot.correcting.removing import lines, moved, spaced
from halubot.errors import InputError
from halubot.facts import Correction, Edit, Report, Span


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


def decided(report: Report, decisions: Mapping[int, bool | str]) -> Correction:
    """The report's correction as a person decided on it, not checked again.

    For each edit, by its index, True makes it, and words take the place of what it would put in:
    they stand where it stands (`own_words`), and none take out what stands there. Edits with False
    or no decision are not made and not among the edits, but those that left a sentence as it was.

    Raises InputError for a report without a correction.
    """
    if report.correction is None:
        raise InputError("the report holds no correction: make one with correct()")
    chosen: list[Edit] = []
    done = 0
    for index, edit in enumerate(report.correction.edits):
        decision = decisions.get(index, False)
        if isinstance(decision, str):
            chosen += _by_hand(report, edit, decision, done)
        elif decision or edit.before == edit.after:
            chosen.append(edit)
        done = max(done, edit.end)
    return Correction(text=applied(report.text, chosen), edits=tuple(chosen))


def own_words(report: Report, edit: Edit) -> Span:
    """Where the words of an edit stand in the text: without the spaces and the marks of a line that
    go with a sentence which is taken out."""
    start, end = edit.start, edit.end
    if 0 <= edit.sentence < len(report.sentences):
        sentence = report.sentences[edit.sentence]
        low, high = max(start, sentence.start), min(end, sentence.end)
        if low < high:
            start, end = low, high
    words = report.text[start:end]
    if not words.strip():
        return start, end
    return start + len(words) - len(words.lstrip()), end - len(words) + len(words.rstrip())


def _by_hand(report: Report, edit: Edit, words: str, done: int) -> Iterable[Edit]:
    """The edit with a person's words in place of its own; what stands before ``done`` is another's
    matter. None where it would change nothing."""
    text, words = report.text, words.strip()
    start, end = own_words(report, edit)
    if start == end:
        lead = edit.after[: len(edit.after) - len(edit.after.lstrip())]
        after = lead + words if words else ""
        return [edit.model_copy(update={"after": after, "reason": None})] if words else []
    if not words:
        if edit.action == "removed":
            return [edit]
        start, end = spaced(text, [(start, end)], done)[0]
    if text[start:end] == words:
        return []
    action = "changed" if words else "removed"
    update = {"after": words, "action": action, "reason": None}
    return [moved(text, edit, start, end).model_copy(update=update)]


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
