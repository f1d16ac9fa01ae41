"""Corrected answers: what other answers or references settle, put in the place of what differs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from halubot.render.inert import crop
from halubot_bots.chat_text import inert
from halubot_bots.differences import shared

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from halubot_bots.differences import Difference, Said
    from halubot_bots.records import Answer, Disagreement


class Edit(NamedTuple):
    """A change of a text: ``text[start:end]`` becomes ``after``."""

    start: int
    end: int
    after: str


class Corrected(NamedTuple):
    """An answer and its changes, in order and disjoint; at least one."""

    answer: Answer
    edits: tuple[Edit, ...]

    @property
    def marked(self) -> str:
        """The corrected text as inert Markdown, with what was replaced struck through."""
        return self._mark(0, len(self.answer.text), len(self.answer.text))

    def excerpt(self, most: int, longest: int) -> str:
        """Return about ``most`` characters on each side of the first change, in whole words on one
        line, with every change among them; the words of a change are cut to ``longest``."""
        text, first = self.answer.text, self.edits[0]
        start, end = max(0, first.start - most), min(len(text), first.end + most)
        if start:
            start = text.find(" ", start, first.start) + 1 or first.start
        last = max(edit.end for edit in self.edits if edit.start < end)
        if end < len(text):
            end = max(last, text.rfind(" ", last, end))
        line = " ".join(self._mark(start, end, longest).split())
        return f"{'…' if start else ''}{line}{'…' if end < len(text) else ''}"

    def _mark(self, start: int, end: int, longest: int) -> str:
        text, parts, at = self.answer.text, [], start
        for edit in self.edits:
            if start <= edit.start < end:
                old, new = text[edit.start : edit.end], edit.after
                old, new = (_show(crop(words, longest)) for words in (old, new))
                parts += [_show(text[at : edit.start]), f"~~{old}~~ **{new}**"]
                at = edit.end
        return "".join([*parts, _show(text[at:end])])


def _show(text: str) -> str:
    return inert(text.replace("**", ""))  # bold is the change alone


def corrections(
    what: Disagreement, chosen: tuple[Difference, int] | None = None
) -> tuple[Corrected, ...]:
    """Return the corrected answers, in order; empty if nothing can be replaced.

    Without ``chosen`` every place that is settled is corrected. ``chosen`` is a place and the index
    of the group whose words a reader prefers there.
    """
    if chosen is not None:
        wanted = [(chosen[0], chosen[0].groups[chosen[1]])]
    else:
        wanted = [(one, one.settled) for one in what.differences if one.settled]
    edits: dict[int, list[Edit]] = {}
    for difference, winner in wanted:
        for group in difference.groups:
            if group is winner:
                continue
            for said in group:
                if said.answer is not None:
                    text = what.answers[said.answer].text
                    edits.setdefault(said.answer, []).extend(_edits(text, said, shared(winner)))
    found = []
    for answer, several in sorted(edits.items()):
        if made := tuple(_disjoint(several)):
            found.append(Corrected(what.answers[answer], made))
    return tuple(found)


def _edits(text: str, said: Said, better: Said) -> Iterator[Edit]:
    """Yield the changes that put the better words in the place of others."""
    if said.text and better.text:
        # The same value is corrected wherever the answer repeats it.
        for found in re.finditer(rf"(?<!\w){re.escape(said.text)}(?!\w)", text):
            yield Edit(found.start(), found.end(), better.text)
    elif (at := text.find(said.quote)) >= 0 and said.quote:
        yield Edit(at, at + len(said.quote), better.quote)


def _disjoint(edits: Sequence[Edit]) -> Iterator[Edit]:
    end = 0
    for edit in sorted(set(edits)):
        if edit.start >= end:
            yield edit
            end = edit.end
