"""What a correction changed, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from halubot.facts import Edit, Report

_WORDS = re.compile(r"\w(?:[\w.,'’-]*\w)?|\s+|[^\w\s]")
_MOST_COMPARED = 1_000_000
"""Pairs of words up to which two texts are compared: the time is quadratic."""
_AROUND = 24
"""Code points of context on either side of an edit."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text and what stands in its place, "" where nothing does; never both "". ``edit`` is
    the index of the correction's edit it belongs to."""

    before: str
    after: str
    edit: int | None = None

    @property
    def changed(self) -> bool:
        """Whether the two differ."""
        return self.before != self.after

    def trimmed(self) -> tuple[str, str, str, str]:
        """The space before, both texts without the spaces around them, the space behind: a
        changed stretch as it is shown."""
        whole = self.after if self.after.strip() else self.before
        lead = whole[: len(whole) - len(whole.lstrip())]
        return lead, self.before.strip(), self.after.strip(), whole[len(whole.rstrip()) :]


def difference(before: str, after: str, edit: int | None = None) -> tuple[Stretch, ...]:
    """The stretches from one text to the other, in order; () for two empty texts. Changes that
    only spaces or signs keep apart are one; very long texts are one stretch."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if len(old) * len(new) > _MOST_COMPARED:
        return (Stretch(before, after, edit),)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    found = [
        Stretch("".join(old[i:j]), "".join(new[k:m]), edit)
        for _, i, j, k, m in matcher.get_opcodes()
    ]
    return tuple(_joined(found, edit))


def corrected(report: Report) -> tuple[Stretch, ...]:
    """The report's text and its correction in stretches; () where there is no correction."""
    correction = report.correction
    if correction is None:
        return ()
    found: list[Stretch] = []
    done = 0
    for index, edit in enumerate(correction.edits):
        if edit.start >= done and report.text[edit.start : edit.end] == edit.before:
            kept = report.text[done : edit.start]
            found += [Stretch(kept, kept), *difference(edit.before, edit.after, index)]
            done = edit.end
    found.append(Stretch(report.text[done:], report.text[done:]))
    if "".join(one.after for one in found) != correction.text:
        return difference(report.text, correction.text)
    return tuple(one for one in found if one.before or one.after)


def in_context(report: Report, edit: Edit) -> tuple[Stretch, ...]:
    """One edit with the few words around it in its sentence, on one line."""
    start, end = edit.start, edit.end
    low, high = start, end
    if 0 <= edit.sentence < len(report.sentences):
        sentence = report.sentences[edit.sentence]
        low, high = min(sentence.start, start), max(sentence.end, end)
    lead = _flat(report.text[low:start])
    trail = _flat(report.text[end:high])
    first = max(0, len(lead) - _AROUND)
    first = lead.find(" ", first) if first else 0
    last = trail.rfind(" ", 0, _AROUND) if len(trail) > _AROUND else len(trail)
    before = ("…" if first else "") + lead[max(first, 0) :]
    after = trail[: max(last, 0)] + (" …" if last < len(trail) else "")
    change = difference(_flat(edit.before), _flat(edit.after))
    whole = (Stretch(before, before), *change, Stretch(after, after))
    return tuple(one for one in whole if one.before or one.after)


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _joined(found: Iterable[Stretch], edit: int | None) -> Iterator[Stretch]:
    slight = [(one.changed or not re.search(r"\w", one.before), one) for one in found]
    for is_slight, group in groupby(slight, key=lambda pair: pair[0]):
        run = [one for _, one in group]
        places = [place for place, one in enumerate(run) if one.changed]
        if not is_slight or not places:
            yield from run
            continue
        first, last = places[0], places[-1] + 1
        yield from run[:first]
        inner = run[first:last]
        yield Stretch(
            "".join(one.before for one in inner), "".join(one.after for one in inner), edit
        )
        yield from run[last:]
