"""The messages of a session as one roll of lines, and the anchors that keep their place."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from halubot_tui.page import Line, Page, estimate_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from halubot.render.items import Entry
    from halubot_tui.looks import Signs
    from halubot_tui.turns import Turn

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from halubot_tui.page import Place

if TYPE_CHECKING:
    from collections.abc import Mapping


class Anchor(NamedTuple):
    """A fixed point on the screen: a place of a message, so many lines below the upper edge."""

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
        """Finds the beginnings of the messages again."""
        tops = [0]
        for height in self.heights:
            tops.append(tops[-1] + height)
        self.tops = tops

    def at(self, row: int) -> int:
        """The message that has this line; the number of messages for those below the last."""
        return bisect_right(self.tops, row) - 1

    def top(self, view: int, now: int) -> int:
        """The line at the upper edge of a view of so many lines, which is ``now`` if nothing
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
        """Return what of a message that is laid out is at the upper edge."""
        if turn >= len(self.heights):
            return None
        page, row = self._pages[turn], top - self.tops[turn]
        place = page.place(row)
        return Anchor(turn, place, page.row(place) - row)


KEPT: Final = 10
"""Messages that stay laid out, those nearest to what is in sight."""

_MARGIN: Final = 2
_NOTHING: Final = Line(-1, 0, None, chosen=False)


class Roll:
    """The layout of ``turns``, the oldest first, at a width in cells, and its position.
    ``selected`` is the message that is looked at, and the number of its entry."""

    def __init__(self, signs: Signs, clock: Callable[[], float] = time.monotonic) -> None:
        self._signs = signs
        self._clock = clock
        self._places: dict[str, int] = {}
        self._pages: dict[int, Page] = {}
        self._began: dict[str, float] = {}
        self._asked: set[str] = set()
        self._width = 0
        self.turns: list[Turn] = []
        self.selected: tuple[str, int | None] | None = None
        self.rows = Rows(self._pages)

    def open(self, turns: Sequence[Turn]) -> None:
        """Other messages than before."""
        self.turns = list(turns)
        self._places = {turn.id: place for place, turn in enumerate(self.turns)}
        self._pages.clear()
        self._asked.clear()
        self.rows.anchor, self.rows.follows = None, True
        self.rows.heights = [estimate_lines(turn, self._width) for turn in self.turns]

    def add(self, turn: Turn) -> None:
        """One more message, the newest."""
        self._places[turn.id] = len(self.turns)
        self.turns.append(turn)
        self.rows.heights.append(estimate_lines(turn, self._width))
        self._began[turn.id] = self._clock()

    def change(self, turn: Turn) -> bool:
        """The message is not as it was; whether it is one of these."""
        place = self._places.get(turn.id)
        if place is None:
            return False
        if not turn.running:
            self._began.pop(turn.id, None)
        page = self._pages.get(place)
        if page is None:
            self.rows.heights[place] = estimate_lines(turn, self._width)
        else:
            page.stale = True
        return True

    def select(self, turn: str, entry: int | None) -> None:
        """Marks the message, and its entry, that are looked at."""
        before, self.selected = self.selected, (turn, entry)
        for one in {before[0] if before else turn, turn}:
            page = self.page(self.place(one))
            if page is not None:
                page.stale = True

    def widen(self, width: int) -> None:
        """All is to be laid out at this width."""
        if width != self._width:
            self._width = width
            self.rows.heights = [estimate_lines(turn, width) for turn in self.turns]
            for page in self._pages.values():
                page.stale = True

    def lay(self, top: int, view: int) -> bool:
        """Lays out the messages between these lines and the next ones; whether a height changed."""
        first, last = self._between(top, view)
        changed = False
        for place in range(last, first - 1, -1):
            turn = self.turns[place]
            page = self._pages.get(place)
            if page is None:
                page = self._pages[place] = Page(turn, self._signs)
            if page.stale:
                chosen = self.selected
                entry = chosen[1] if chosen is not None and chosen[0] == turn.id else None
                page.lay(self._width, entry, self._seconds_elapsed(turn))
            if self.rows.heights[place] != page.height:
                self.rows.heights[place] = page.height
                changed = True
        return changed

    def unread(self, top: int, view: int) -> Sequence[Turn]:
        """The messages near these lines of which nothing was read yet; each is told once."""
        first, last = self._between(top, view)
        near = self.turns[max(0, first - _MARGIN) : last + _MARGIN + 1]
        found = [turn for turn in near if turn.unread and turn.id not in self._asked]
        self._asked.update(turn.id for turn in found)
        return found

    def forget(self, top: int) -> None:
        """Lets go of the messages that are far from this line."""
        if len(self._pages) <= KEPT:
            return
        here = self.rows.at(top)
        for place in sorted(self._pages, key=lambda one: abs(one - here))[KEPT:]:
            del self._pages[place]
            if self.turns[place].unread:
                self._asked.discard(self.turns[place].id)

    def rest(self, selected: str | None) -> None:
        """Lets messages that are not laid out let go of what can be read again."""
        for place, turn in enumerate(self.turns):
            if place not in self._pages and turn.id != selected and not turn.unread:
                turn.rest()
                self._asked.discard(turn.id)

    def tick(self) -> bool:
        """Time went by: messages under way took more of it; whether there are any."""
        found = False
        for turn in self.turns[-KEPT:]:
            page = self.page(self._places[turn.id])
            if page is not None and turn.running:
                page.stale = found = True
        return found

    def fade(self) -> None:
        """Mark the drawn lines as not to be used again."""
        for page in self._pages.values():
            page.strips.clear()

    @property
    def laid_out(self) -> int:
        """Return how many messages are laid out."""
        return len(self._pages)

    def place(self, turn: str) -> int | None:
        """The place of a message among all; None if it is none of them."""
        return self._places.get(turn)

    def page(self, place: int | None) -> Page | None:
        """A message that is laid out; None of others."""
        return None if place is None else self._pages.get(place)

    def line(self, row: int) -> Line:
        """Return what a line shows."""
        place = self.rows.at(row)
        page = self._pages.get(place)
        if page is None:
            return _NOTHING
        within = row - self.rows.tops[place]
        chosen = self.selected is not None and self.selected[0] == page.turn.id
        return Line(place, within, page.key(within), chosen=chosen and within < page.height - 1)

    def turn_at(self, row: int) -> Turn | None:
        """The message that has a line; None below the last."""
        place = self.rows.at(row)
        return self.turns[place] if place < len(self.turns) else None

    def entry(self) -> Entry | None:
        """The entry that is looked at."""
        if self.selected is None or self.selected[1] is None:
            return None
        place = self.place(self.selected[0])
        return None if place is None else self.turns[place].entry(self.selected[1])

    def doubted_after(self, by: int) -> tuple[str, int | None] | None:
        """The next entry that is not supported, in the order of the texts, from what is selected on
        (``by`` is 1, or -1 for the one before): its message and number. Past the last one comes the
        first. A message on the way that was not read yet comes without a number. None if there is
        no other."""
        count = len(self.turns)
        here = self.place(self.selected[0]) if self.selected is not None else None
        if here is None:
            here, chosen = (-1 if by > 0 else count), None
        else:
            chosen = self.entry()
            for entry in _doubted_entries(self.turns[here], by):
                if chosen is None and by > 0:
                    return self.turns[here].id, entry.number
                if chosen is not None and (entry.number - chosen.number) * by > 0:
                    return self.turns[here].id, entry.number
        for step in range(1, count + 1):
            turn = self.turns[(here + step * by) % count]
            if turn.unread:
                return turn.id, None
            for entry in _doubted_entries(turn, by):
                return turn.id, entry.number
        return None

    def _between(self, top: int, view: int) -> tuple[int, int]:
        """The first and the last message of which a line is in sight."""
        return max(0, self.rows.at(top)), min(self.rows.at(top + view), len(self.turns) - 1)

    def _seconds_elapsed(self, turn: Turn) -> float | None:
        began = self._began.get(turn.id)
        return None if began is None else self._clock() - began


def _doubted_entries(turn: Turn, by: int) -> Sequence[Entry]:
    """The entries of a message that are not supported, in this direction."""
    return [entry for entry in turn.entries[::by] if entry.verdict != "supported"]
