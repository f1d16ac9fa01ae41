"""Corrected answers: what other answers or references settle, put in the place of what differs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from halubot.render.inert import crop
from halubot_bots.answer_parts import AnswerParts, Question, content_words
from halubot_bots.chat_text import inert
from halubot_bots.differences import shared

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from halubot.report import Span
    from halubot_bots.differences import Difference, Said
    from halubot_bots.records import Answer, Disagreement


# A comma or colon between figures parts nothing.
_CLAUSE: Final = re.compile(r"[^\s,;:()](?:[^,;:().!?]|[.,:](?=\S))*")


class Edit(NamedTuple):
    """A change of a text: ``text[start:end]`` becomes ``after``, or stays (None) in doubt."""

    start: int
    end: int
    after: str | None


class Corrected(NamedTuple):
    """An answer and its changes, in order and disjoint, at least one of which is no doubt; the
    ``sentence`` of the first of these, and ``by`` whose words it is corrected."""

    answer: Answer
    edits: tuple[Edit, ...]
    sentence: Span
    by: tuple[Said, ...]

    @property
    def marked(self) -> str:
        """The corrected text as inert Markdown, with what was replaced struck through."""
        return self._mark(0, len(self.answer.text), len(self.answer.text))

    def excerpt(self, most: int, longest: int) -> str:
        """Return the first changed sentence on one line, with about ``most`` characters on each
        side of its changes, in whole words; the words of a change are cut to ``longest``."""
        text, (start, end) = self.answer.text, self.sentence
        inside = [one for one in self.edits if one.after is not None and one.start < end]
        first, last = inside[0].start, inside[-1].end
        if first - start > most:
            start = text.find(" ", first - most, first) + 1 or first
        if end - last > most:
            end = max(last, text.rfind(" ", last, last + most))
        line = " ".join(self._mark(start, end, longest).split())
        more = "\u00a0…" if end < len(text) else ""
        return f"{'…' if start else ''}{line}{more}"

    def _mark(self, start: int, end: int, longest: int) -> str:
        text, parts, at = self.answer.text, [], start
        for edit in self.edits:
            if start <= edit.start and edit.end <= end:
                old = _show(crop(text[edit.start : edit.end], longest))
                parts += [_show(text[at : edit.start]), rf"{old} \[?\]"]
                if edit.after is not None:
                    parts[-1] = f"~~{old}~~ **{_show(crop(edit.after, longest))}**"
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
    found, asked = [], Question(what.asked)
    for index, answer in enumerate(what.answers):
        beaten = [
            (said, winner)
            for difference, winner in wanted
            for group in difference.groups
            for said in group
            if said.answer == index and group is not winner
        ]
        own = AnswerParts(answer.text, index)
        edits = [e for said, winner in beaten for e in _edits(own, said, shared(winner), asked)]
        if edits:
            voices = (said for _, winner in beaten for said in winner)
            by = tuple({(said.answer, said.source): said for said in voices}.values())
            better = [
                AnswerParts(one.quote if one.answer is None else what.answers[one.answer].text, 0)
                for one in by
            ]
            first = min(edits).start
            spans = ((one.start, one.end) for one in own.sentences if one.end > first)
            made = tuple(_disjoint([*edits, *_doubts(own, edits, better, asked)]))
            found.append(Corrected(answer, made, next(spans, (0, len(answer.text))), by))
    return tuple(found)


def _edits(own: AnswerParts, said: Said, better: Said, asked: Question) -> Iterator[Edit]:
    """Yield the changes that put the better words in the place of others."""
    at = own.text.rfind(said.quote, 0, said.span[0] + len(said.quote))
    if said.text and better.text:
        # Also where a sentence only says it again: "3 moons. 3 probes saw them" has two values.
        known = content_words(said.quote) | asked.words
        pattern = re.compile(rf"(?<!\w){re.escape(said.text)}(?!\w)")
        for sentence in own.sentences:
            here = sentence.start <= said.span[0] < sentence.end
            for found in pattern.finditer(own.text, sentence.start, sentence.end):
                again = not here and content_words(sentence.text) <= known
                if again or found.start() == said.span[0]:
                    yield Edit(*found.span(), better.text)
    elif at >= 0 and said.quote:
        yield Edit(at, at + len(said.quote), better.quote)


def _doubts(
    own: AnswerParts, edits: list[Edit], better: list[AnswerParts], asked: Question
) -> Iterator[Edit]:
    """Yield the values and names beside a change, and what was changed wherever it still stands,
    that none of the ``better`` ones says: the corrected sentence would be read as theirs."""
    old = {own.text[edit.start : edit.end] for edit in edits}
    known = asked.words.union(*(one.words for one in better))
    for sentence in own.sentences:
        changes = [edit for edit in edits if sentence.start <= edit.start < sentence.end]
        for part in (one for one in sentence.parts if changes or one.text in old):
            if not (asked.names(part) or any(asked.is_said(part, one) for one in better)):
                yield Edit(part.start, part.end, None)
        for clause in _CLAUSE.finditer(own.text, sentence.start, sentence.end) if changes else ():
            # "It is Sydney, the largest city" must not say so of Canberra.
            apart = all(e.end <= clause.start() or clause.end() <= e.start for e in changes)
            if apart and len(content_words(clause[0]) - known) > 1:
                yield Edit(*clause.span(), None)


def _disjoint(edits: Iterable[Edit]) -> Iterator[Edit]:
    end = 0
    # What is changed comes before what is in doubt at the same place.
    for edit in sorted(set(edits), key=lambda one: (one.start, one.after is None, one.end)):
        if edit.start >= end:
            yield edit
            end = edit.end
