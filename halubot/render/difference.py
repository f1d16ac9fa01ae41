"""What a correction changed, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal

from halubot.facts import Report

Kind = Literal["same", "removed", "added"]
_WORDS = re.compile(r"\w(?:[\w.,'’-]*\w)?|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text that stayed, went or came. ``edit`` is the index of the edit it belongs to."""

    kind: Kind
    text: str
    edit: int | None = None


def difference(before: str, after: str) -> tuple[Stretch, ...]:
    """The stretches between two texts: "same" and "removed" in order make ``before``, "same"
    and "added" make ``after``. Both empty give ()."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    found: list[Stretch] = []
    for _, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, come = "".join(old[i:j]), "".join(new[k:m])
        if gone == come:
            found.append(Stretch("same", gone))
        else:
            found += [Stretch("removed", gone), Stretch("added", come)]
    return tuple(one for one in _joined(found) if one.text)


def corrected(report: Report) -> tuple[Stretch, ...]:
    """The report's text and its correction in stretches; () where there is no correction."""
    correction = report.correction
    if correction is None:
        return ()
    found: list[Stretch] = []
    done = 0
    for index, edit in enumerate(correction.edits):
        if edit.start < done or report.text[edit.start : edit.end] != edit.before:
            continue
        found.append(Stretch("same", report.text[done : edit.start]))
        found += [Stretch(one.kind, one.text, index) for one in difference(edit.before, edit.after)]
        done = edit.end
    found.append(Stretch("same", report.text[done:]))
    if "".join(one.text for one in found if one.kind != "removed") != correction.text:
        return difference(report.text, correction.text)
    return tuple(one for one in found if one.text)


def _joined(found: Iterable[Stretch]) -> Iterator[Stretch]:
    """Without scraps: changes that only a space or a sign keeps apart are one change."""
    stretches = [one for one in found if one.text]
    changed = [one.kind != "same" or not re.search(r"\w", one.text) for one in stretches]
    for is_change, group in groupby(zip(changed, stretches, strict=True), key=lambda pair: pair[0]):
        run = [one for _, one in group]
        head = [one for one in run if one.kind != "same"]
        if not is_change or not head:
            yield Stretch("same", "".join(one.text for one in run))
            continue
        first = run.index(head[0])
        last = len(run) - 1 - run[::-1].index(head[-1])
        yield from (Stretch("same", one.text) for one in run[:first])
        inner = run[first : last + 1]
        yield Stretch("removed", "".join(one.text for one in inner if one.kind != "added"))
        yield Stretch("added", "".join(one.text for one in inner if one.kind != "removed"))
        yield from (Stretch("same", one.text) for one in run[last + 1 :])
