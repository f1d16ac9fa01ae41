"""Edits of a text, applied so that the place of each is known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from halubot.report import Span


class Edit(NamedTuple):
    """``text[start:end]`` becomes ``instead``. ``kind`` is what sort of change it is."""

    kind: str
    start: int
    end: int
    instead: str


class Change(NamedTuple):
    """What an edit did: ``span`` is the place of ``after`` in the edited text."""

    kind: str
    before: str
    after: str
    span: Span


class Edited(NamedTuple):
    """A text after its edits, and what they did, in order."""

    text: str
    changes: tuple[Change, ...]


def apply_planted(text: str, edits: Iterable[Edit]) -> Edited:
    """The text with these edits. Those that overlap an earlier one, or change nothing, are left
    out.

    >>> edited("Ada was born in 1816.", [Edit("number", 16, 20, "1825")]).text
    'Ada was born in 1825.'
    """
    pieces: list[str] = []
    changes: list[Change] = []
    at = length = 0
    for kind, start, end, instead in sorted(edits, key=lambda edit: edit[1:3]):
        before = text[start:end]
        if start < at or instead == before:
            continue
        pieces += [text[at:start], instead]
        length += start - at
        changes.append(Change(kind, before, instead, (length, length + len(instead))))
        length += len(instead)
        at = end
    return Edited("".join([*pieces, text[at:]]), tuple(changes))
