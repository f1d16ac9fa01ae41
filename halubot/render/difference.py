"""The changes of a correction, word by word, and the doubted words that it left."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from halubot.edits import settle_edits
from halubot.report import Action, Edit, Report

_WORDS = re.compile(r"\w(?:[\w.,'’-]*\w)?|\s+|[^\w\s]")
_WORD = re.compile(r"\w")
_MOST_COMPARED = 1_000_000
"""Pairs of words up to which two texts are compared: the time is quadratic."""
_LEAST_ALIKE = 0.4
"""Share of common words below which one text is shown in place of the other as a whole."""
_LIST_MARK = re.compile(r"\s*(?:(?:[-*+>]|\d{1,9}[.)])\s+)*")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text and what stands in its place, "" if nothing does; never both "". ``left`` is "kept" or
    "refused" of a sentence in doubt that stays as it is."""

    before: str
    after: str
    left: Action | None = None

    @property
    def is_changed(self) -> bool:
        """Return True if the two differ."""
        return self.before != self.after

    @property
    def sign(self) -> str:
        """One of `halubot.render.captions.CHANGES`; "" for text that nothing was done about."""
        if not self.is_changed:
            return {"kept": "=", "refused": "!"}.get(self.left or "", "")
        before, after = self.before.strip(), self.after.strip()
        return ("→" if after else "−") if before else "+"

    def trim(self) -> tuple[str, str, str, str]:
        """The space before, both texts without the spaces around them, the space behind: a
        changed stretch as it is shown. If nothing stands in its place a mark of a list counts
        as space."""
        if not self.after.strip():
            mark = _LIST_MARK.match(self.before)
            lead = mark[0] if mark and mark.end() < len(self.before) else ""
            gone = self.before[len(lead) :].rstrip()
            return lead, gone, "", self.before[len(lead) + len(gone) :]
        whole = self.after
        lead = whole[: len(whole) - len(whole.lstrip())]
        return lead, self.before.strip(), whole.strip(), whole[len(whole.rstrip()) :]


def difference(before: str, after: str) -> tuple[Stretch, ...]:
    """The stretches from one text to the other, in order; () for two empty texts. Changes that
    only spaces or signs keep apart are one; so are all changes of texts that have little in common.
    Very long texts are one stretch."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if len(old) * len(new) > _MOST_COMPARED:
        return (Stretch(before, after),)
    # Without autojunk: in texts of over 200 words difflib takes frequent words for noise and finds
    # no match in them.
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    places = [(i, j, k, m) for _, i, j, k, m in matcher.get_opcodes()]
    # A sentence in other words, compared word by word, would match in articles and commas only.
    if before != after and old and new and _alike(matcher, old, new) < _LEAST_ALIKE:
        places = _as_one(places, old, new)
    found = [Stretch("".join(old[i:j]), "".join(new[k:m])) for i, j, k, m in places]
    return tuple(_join(one for one in found if one.before or one.after))


def correction_stretches(report: Report) -> tuple[Stretch, ...]:
    """The report's text and its correction in stretches; () if there is no correction."""
    correction = report.correction
    if correction is None:
        return ()
    found: list[Stretch] = []
    done = 0
    for edit in settle_edits(report.text, correction.edits):
        # Reports come from files too: an edit that does not fit its text is left out, and the
        # comparison below finds the change.
        if edit.start >= done and report.text[edit.start : edit.end] == edit.before:
            kept = report.text[done : edit.start]
            found += [Stretch(kept, kept), *_stretches(edit)]
            done = edit.end
    found.append(Stretch(report.text[done:], report.text[done:]))
    # The text that people get is what must be shown, whatever the edits say.
    if "".join(one.after for one in found) != correction.text:
        return difference(report.text, correction.text)
    return tuple(one for one in found if one.before or one.after)


def in_context(report: Report, edit: Edit) -> tuple[Stretch, ...]:
    """One edit with the sentence that it changes, on one line."""
    text, start, end = report.text, edit.start, edit.end
    low, high = start, end
    if 0 <= edit.sentence < len(report.sentences):
        sentence = report.sentences[edit.sentence]
        if not edit.after:  # the space and the marks that go with a sentence are not shown
            start, end = max(start, sentence.start), min(end, sentence.end)
        low, high = min(start, sentence.start), max(end, sentence.end)
    before, own, after = (_flat(text[a:b]) for a, b in ((low, start), (start, end), (end, high)))
    change = edit.model_copy(update={"before": own, "after": _flat(edit.after)})
    whole = [Stretch(before, before), *_stretches(change), Stretch(after, after)]
    return tuple(one for one in whole if one.before or one.after)


def _stretches(edit: Edit) -> tuple[Stretch, ...]:
    if edit.before == edit.after:
        return (Stretch(edit.before, edit.after, left=edit.action),)
    return difference(edit.before, edit.after)


def _alike(matcher: SequenceMatcher[str], old: list[str], new: list[str]) -> float:
    """Return the share, 0 to 1, of the words of two texts that both have in the same order."""
    common = sum(
        bool(_WORD.search(word))
        for place, _, size in matcher.get_matching_blocks()
        for word in old[place : place + size]
    )
    return 2 * common / (sum(bool(_WORD.search(word)) for word in old + new) or 1)


def _as_one(
    places: list[tuple[int, int, int, int]], old: list[str], new: list[str]
) -> list[tuple[int, int, int, int]]:
    """Return the common beginning, one change, and the common end."""
    differing = [place for place in places if old[place[0] : place[1]] != new[place[2] : place[3]]]
    (i, _, k, _), (_, j, _, m) = differing[0], differing[-1]
    return [(0, i, 0, k), (i, j, k, m), (j, len(old), m, len(new))]


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _join(found: Iterable[Stretch]) -> Iterator[Stretch]:
    # A comma or a space between two changed words belongs to the change: "in May 1815" is one
    # replacement, not three.
    slight = [(one.is_changed or not re.search(r"\w", one.before), one) for one in found]
    for is_slight, group in groupby(slight, key=lambda pair: pair[0]):
        run = [one for _, one in group]
        places = [place for place, one in enumerate(run) if one.is_changed]
        if not is_slight or not places:
            yield from run
            continue
        first, last = places[0], places[-1] + 1
        yield from run[:first]
        inner = run[first:last]
        yield Stretch("".join(one.before for one in inner), "".join(one.after for one in inner))
        yield from run[last:]
