"""Where the messages of a conversation begin, and what of them stays in its place.

What one reads stays where it is when something above it gets another height.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from halubot_tui.page import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halubot_tui.page import Page


class Anchor(NamedTuple):
    """What stays where it is: a place of a message, so many lines below the upper edge."""

    turn: int
    place: Place
    below: int


class Rows:
    """The lines of all messages, one below the other. ``heights`` has those of each message,
    ``tops`` where each begins and the last ends, ``follows`` whether the end stays in sight.
    ``pages`` are the messages that are laid out, by their place."""

    def __init__(self, pages: Mapping[int, Page]) -> None:
        self._pages = pages
        self.heights: list[int] = []
        self.tops: list[int] = [0]
        self.anchor: Anchor | None = None
        self.follows = True

    def stack(self) -> None:
        """Finds out anew where each message begins."""
        tops = [0]
        for height in self.heights:
            tops.append(tops[-1] + height)
        self.tops = tops

    def at(self, row: int) -> int:
        """The message that has this line; the number of messages for those below the last."""
        return bisect_right(self.tops, row) - 1

    def top(self, view: int, now: int) -> int:
        """The line at the upper edge of a view of so many lines, which is ``now`` where nothing
        tells otherwise."""
        most = max(0, self.tops[-1] - view)
        if self.follows:
            return most
        anchor = self.anchor
        if anchor is None or anchor.turn >= len(self.heights):
            return min(most, now)
        page = self._pages.get(anchor.turn)
        row = page.row(anchor.place) if page is not None and page.height else 0
        return min(most, max(0, self.tops[anchor.turn] + row - anchor.below))

    def remember(self, top: int) -> None:
        """Notes what is at the upper edge."""
        turn = max(0, self.at(top))
        self.anchor = self._holding(turn, top) if turn in self._pages else None

    def hold(self, old: int, new: int, view: int) -> None:
        """Chooses what stays in its place while the upper edge goes from an old line to a new one:
        what was in sight before and still is, so that what comes in above it pushes nothing
        down."""
        turn = max(0, self.at(new))
        if turn not in self._pages and old > new:
            for near in range(turn + 1, len(self.heights)):
                if self.tops[near] > new + view:
                    break
                if near in self._pages:
                    self.anchor = Anchor(near, Place(-1, 0), self.tops[near] - new)
                    return
        if turn in self._pages:
            self.anchor = self._holding(turn, new)
        else:
            self.anchor = Anchor(turn, Place(-1, 0), 0) if self.heights else None

    def _holding(self, turn: int, top: int) -> Anchor | None:
        """What of a message that is laid out is at the upper edge."""
        if turn >= len(self.heights):
            return None
        page, row = self._pages[turn], top - self.tops[turn]
        place = page.place(row)
        return Anchor(turn, place, page.row(place) - row)
