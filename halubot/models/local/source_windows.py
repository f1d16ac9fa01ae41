"""The parts of a source that a judge with little room reads beside a claim.

A window is one of the sentences that hold most of the claim's words, by the weights with which
`halubot.compare` counts names, numbers and rare words, and its neighbours, as many as there is room
for. A source of one window is read whole.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from halubot.compare.support import WEIGHTS
from halubot.compare.tokens import Worded, tokens
from halubot.text import Span

BEST: Final = 3
"""Sentences around which windows are made."""

NEIGHBOURS: Final = 2
"""Sentences that are read on each side of one, at most."""

_KINDS: Final = {"stop": 0.0, "word": 1.0, "name": WEIGHTS.name, "number": WEIGHTS.number}


class SourceWindow(NamedTuple):
    """A part of a source, ``text[start:end]``. ``sentence`` is the place of the sentence that it
    was made around, ``share`` how much of the claim's words that holds, above 0 and up to 1."""

    start: int
    end: int
    sentence: Span
    share: float


class SourceWindows:
    """The windows of one source; ``count`` tells how many tokens a text has."""

    def __init__(self, source: Worded, count: Callable[[str], int]) -> None:
        self._plain = source.document.plain
        self._spans = source.document.sentences
        self._norms = [frozenset(token.norm for token in row) for row in source.tokens]
        self._holders = Counter(norm for norms in self._norms for norm in norms)
        self._count = count
        self._sizes: dict[int, int] = {}

    def around(self, claim: str, room: int) -> tuple[SourceWindow, ...]:
        """Return the windows for a claim, of ``room`` tokens at most unless a single sentence has
        more, the one that fits best first. None if the source shares no content word with it."""
        found: list[SourceWindow] = []
        for share, place in self._best(claim):
            first, last = self._widened(place, room)
            start, end = self._spans[first][0], self._spans[last][1]
            # What lies inside a window that is read already would be read twice.
            if not any(one.start <= start and end <= one.end for one in found):
                found.append(SourceWindow(start, end, self._spans[place], share))
        return tuple(found)

    def words(self, window: SourceWindow) -> str:
        """Return what a model reads of a window: without markup, in one line."""
        return _one_line(self._plain[window.start : window.end])

    def _best(self, claim: str) -> list[tuple[float, int]]:
        """Return the sentences that hold most of a claim, the best first, with their shares."""
        weights = {
            token.norm: _KINDS[token.kind]
            * math.log1p(len(self._spans) / max(1, self._holders[token.norm]))
            for token in tokens(claim, 0, len(claim))
        }
        whole = sum(weights.values())
        shares = (
            (sum(weight for norm, weight in weights.items() if norm in norms), place)
            for place, norms in enumerate(self._norms)
        )
        held = sorted((one for one in shares if one[0] > 0), key=lambda one: (-one[0], one[1]))
        return [(share / whole, place) for share, place in held[:BEST]]

    def _widened(self, place: int, room: int) -> Span:
        """Return the first and the last sentence of the window around one."""
        first = last = place
        room -= self._size(place)
        for before in self._sides():
            beside = first - 1 if before else last + 1
            if not 0 <= beside < len(self._spans) or (size := self._size(beside)) > room:
                continue
            room -= size
            first, last = (beside, last) if before else (first, beside)
        return first, last

    def _sides(self) -> Iterator[bool]:
        """Say of each neighbour in turn if it stands before: what a pronoun refers to does."""
        for _ in range(NEIGHBOURS):
            yield True
            yield False

    def _size(self, place: int) -> int:
        if place not in self._sizes:
            self._sizes[place] = self._count(_one_line(self._plain[slice(*self._spans[place])]))
        return self._sizes[place]


def _one_line(text: str) -> str:
    return " ".join(text.split())
