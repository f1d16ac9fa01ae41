"""The conversation: questions, answers and texts, with what to doubt in them marked.

It draws line by line what is in sight. Messages out of sight have a height that is guessed until
they come near; what one reads stays where it is when something above it changes.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.segment import Segment
from textual.await_complete import AwaitComplete
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from halubot_tui import actions, below
from halubot_tui.anchoring import Rows
from halubot_tui.laying import ENTRY
from halubot_tui.looks import Signs
from halubot_tui.marked import QUIET
from halubot_tui.messages import Selected
from halubot_tui.page import Line, Page, estimated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual import events
    from textual.selection import Selection

    from halubot.render.listing import Entry
    from halubot_tui.turns import Turn

WIDEST: Final = 100
"""Columns after which lines get hard to read."""

KEPT: Final = 30
"""Messages that stay laid out, those nearest to what is in sight."""

_MARGIN: Final = 2
_SHARE: Final = 8
"""A share of the time that drawing what is new may take: one in so many."""
_PAUSE_SECONDS: Final = 0.1
"""The least time between two drawings of what is new: keys come first."""

EMPTY: Final = "Nothing was asked yet. Ask a question below, or press F2 to check a text."


class Unread(Message):
    """Messages came in sight of which nothing was read yet."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        super().__init__()
        self.turns = tuple(turns)


class Conversation(ScrollView, can_focus=True):
    """The messages of a session, the newest below. Follows what is written until one scrolls up."""

    BINDINGS = actions.bindings("conversation")
    DEFAULT_CSS = """
    Conversation {
        width: 2fr; padding: 1 1 0 1; background: $background;
        overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1;
        scrollbar-color: $rule; scrollbar-background: $background;
        scrollbar-color-hover: $secondary; scrollbar-background-hover: $background;
        scrollbar-color-active: $primary; scrollbar-background-active: $background;
        border-bottom: solid $rule;
        border-subtitle-align: left; border-subtitle-color: $secondary;
    }
    Conversation:focus { border-bottom: solid $primary; }
    """

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="conversation")
        self._signs = signs
        self._turns: list[Turn] = []
        self._places: dict[str, int] = {}
        self._pages: dict[int, Page] = {}
        self._rows = Rows(self._pages)
        self._began: dict[str, float] = {}
        self._asked: set[str] = set()
        self._selected: tuple[str, int | None] | None = None
        self._pointed: Entry | None = None
        self._said = Content("")
        self._opened = False
        self._moving = False
        self._due = False
        self._took = 0.0
        self._settled_at = 0.0
        self._width = 0
        self._shown: list[Line] = []

    def on_mount(self) -> None:
        self.set_interval(1.0, self._tick)

    def open(self, turns: Sequence[Turn]) -> AwaitComplete:
        """Shows a session from its newest messages on."""
        self._turns = list(turns)
        self._places = {turn.id: place for place, turn in enumerate(self._turns)}
        self._pages.clear()
        self._shown.clear()
        self._asked.clear()
        self._rows.anchor, self._rows.follows, self._opened = None, True, True
        self._rows.heights = [estimated(turn, self._room) for turn in self._turns]
        self._settle()
        self._tell()
        return AwaitComplete()

    def add(self, turn: Turn, *, follow: bool = True) -> AwaitComplete:
        """One more message; to ``follow`` it is to go to the end."""
        self._opened = True
        self._places[turn.id] = len(self._turns)
        self._turns.append(turn)
        self._rows.heights.append(estimated(turn, self._room))
        self._began[turn.id] = time.monotonic()
        self._rows.follows = self._rows.follows or follow
        self._settle()
        self._tell()
        return AwaitComplete()

    def show(self, turn: Turn) -> None:
        """Draws a message as it stands now, soon."""
        place = self._places.get(turn.id)
        if place is None:
            return
        if not turn.running:
            self._began.pop(turn.id, None)
        page = self._pages.get(place)
        if page is None:
            self._rows.heights[place] = estimated(turn, self._room)
        else:
            page.stale = True
        if self._selected is not None and self._selected[0] == turn.id:
            self._tell()
        self._soon()

    def select(self, turn: str, entry: int | None) -> None:
        """Marks the message, and its entry, that are looked at, and shows where they are."""
        before, self._selected = self._selected, (turn, entry)
        for one in {before[0] if before else turn, turn}:
            page = self._pages.get(self._places.get(one, -1))
            if page is not None:
                page.stale = True
        place = self._places.get(turn)
        if place is not None:
            self._settle()
            self._bring(place, entry)
        self._tell()

    def rest(self, selected: str | None) -> None:
        """Lets messages that are far from what is in sight let go of what can be read again."""
        for place, turn in enumerate(self._turns):
            if place not in self._pages and turn.id != selected and not turn.unread:
                turn.rest()
                self._asked.discard(turn.id)

    @property
    def follows(self) -> bool:
        """Whether the end is in sight and stays so."""
        return self._rows.follows

    @property
    def waits(self) -> bool:
        """Whether something was heard that is not drawn yet."""
        return self._due

    @property
    def laid_out(self) -> int:
        """How many messages are laid out."""
        return len(self._pages)

    @property
    def turns(self) -> Sequence[Turn]:
        """The messages, the oldest first."""
        return self._turns

    def action_next_fact(self) -> None:
        self._step(1)

    def action_previous_fact(self) -> None:
        self._step(-1)

    def to_message(self, by: int) -> None:
        """Selects the message so many after the one that is selected, or before it."""
        if not self._turns:
            return
        here = self._places.get(self._selected[0]) if self._selected else None
        if here is None:
            here = len(self._turns) if by < 0 else -1
        there = min(max(0, here + by), len(self._turns) - 1)
        self.post_message(Selected(self._turns[there].id))

    def lines(self) -> Iterator[str]:
        """What is in sight, line by line."""
        for y in range(self.scrollable_content_region.height):
            yield self.render_line(y).text.rstrip()

    # What is drawn.

    def render_line(self, y: int) -> Strip:
        """A line that is in sight."""
        row = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if not self._turns:
            lines = Content(EMPTY).wrap(max(2, width)) if self._opened else []
            told = lines[row] if row < len(lines) else Content("")
            return self._strip(told.stylize(QUIET), None).crop_extend(0, width, self.rich_style)
        line = self._line(row)
        page = self._pages.get(line.turn)
        if page is None:
            return Strip.blank(width, self.rich_style)
        selection = self.text_selection
        span = selection.get_span(row) if selection is not None else None
        kept = None if span is not None else page.strips.get((line, row, width))
        if kept is None:
            kept = self._strip(page.line(line.within), line.chosen, span)
            kept = kept.crop_extend(0, width, self.rich_style).apply_offsets(0, row)
            if span is None:
                page.strips[(line, row, width)] = kept
        return kept

    def _line(self, row: int) -> Line:
        """What a line shows."""
        place = self._rows.at(row)
        page = self._pages.get(place)
        if page is None:
            return Line(-1, 0, None, chosen=False)
        within = row - self._rows.tops[place]
        chosen = self._selected is not None and self._selected[0] == page.turn.id
        return Line(place, within, page.key(within), chosen=chosen and within < page.height - 1)

    def _strip(
        self, line: Content, chosen: bool | None, span: tuple[int, int] | None = None
    ) -> Strip:
        """A line with the margin before it, which tells the selected message from others."""
        bar = ("|" if self._signs.ascii else "▌") if chosen else " "
        lead = Content(f"{bar} " if chosen is not None else "").stylize("$primary")
        whole = lead + line
        if span is not None:
            start, end = span
            look = self.screen.get_visual_style("screen--selection")
            whole = whole.stylize(look, start, len(whole) if end == -1 else end)
        base = self.visual_style
        drawn = whole.render(base, end="", parse_style=self._get_style)
        segments = [Segment(text, (base + style).rich_style) for text, style in drawn]
        return Strip(segments, whole.cell_length)

    def notify_style_update(self) -> None:
        """Colours changed: what was drawn in the old ones is drawn again."""
        for page in self._pages.values():
            page.strips.clear()
        self._shown.clear()
        super().notify_style_update()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The words that were selected with the mouse."""
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else self._rows.tops[-1] - 1
        found: list[str] = []
        for row in range(first, last + 1):
            place = self._rows.at(row)
            page = self._pages.get(place)
            span = selection.get_span(row)
            if page is None or span is None:
                continue
            line = "  " + page.line(row - self._rows.tops[place]).plain
            start, end = span
            found.append(line[max(2, start) : None if end == -1 else end])
        return "\n".join(found), "\n"

    # Where everything is.

    @property
    def _room(self) -> int:
        """Cells that a line may have."""
        return max(4, min(WIDEST, self.scrollable_content_region.width - 3))

    def _soon(self) -> None:
        """Settles once for all that was heard until then, and takes a share of the time only."""
        if self._due:
            return
        self._due = True
        since = time.perf_counter() - self._settled_at
        wait = max(self._took * _SHARE, _PAUSE_SECONDS) - since
        if wait > 0:
            self.set_timer(wait, self._settle)
        else:
            self.call_later(self._settle)

    def _settle(self) -> None:
        """Lays out what is in sight, and keeps in its place what one reads."""
        self._due = False
        if not self.is_attached or not self.size or not self._room:
            return
        start = time.perf_counter()
        if self._width != self._room:
            self._width = self._room
            self._rows.heights = [estimated(turn, self._width) for turn in self._turns]
            for page in self._pages.values():
                page.stale = True
        view = self.scrollable_content_region.height
        top = 0
        for _ in range(len(self._turns) + 2):
            self._rows.stack()
            top = self._rows.top(view, self.scroll_offset.y)
            if not self._lay(top, view):
                break
        with self._placing():
            self._grow(Size(self.scrollable_content_region.width, self._rows.tops[-1]))
            self.scroll_target_y = top
            self.scroll_y = top
        self._rows.remember(self.scroll_offset.y)
        self._forget()
        self._redraw(top, view)
        self._settled_at = time.perf_counter()
        self._took = self._settled_at - start

    def _grow(self, size: Size) -> None:
        """Takes over the height of all messages. The screen is not laid out anew for it, which
        would take more time than all else: where the widgets are does not depend on it."""
        if self.virtual_size.width != size.width or not self.show_vertical_scrollbar:
            self.virtual_size = size
        elif self.virtual_size != size:
            self.set_reactive(Conversation.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = size.height

    def _redraw(self, top: int, view: int) -> None:
        """Has those lines in sight drawn again that show something else than before."""
        now = [self._line(row) for row in range(top, top + view)]
        before, self._shown = self._shown, now
        if len(before) != len(now) or self.text_selection is not None:
            self.refresh()
            return
        changed = (y for y, pair in enumerate(zip(before, now, strict=True)) if pair[0] != pair[1])
        width = self.scrollable_content_region.width
        if regions := [Region(0, y, width, 1) for y in changed]:
            self.refresh(*regions)

    def _lay(self, top: int, view: int) -> bool:
        """Lays out the messages between these lines and the next ones; whether a height changed."""
        first = max(0, self._rows.at(top))
        last = min(self._rows.at(top + view), len(self._turns) - 1)
        changed = False
        for place in range(last, first - 1, -1):
            turn = self._turns[place]
            page = self._pages.get(place)
            if page is None:
                page = self._pages[place] = Page(turn, self._signs)
            if page.stale:
                chosen = self._selected
                entry = chosen[1] if chosen is not None and chosen[0] == turn.id else None
                page.lay(self._width, entry, self._elapsed(turn))
            if self._rows.heights[place] != page.height:
                self._rows.heights[place] = page.height
                changed = True
        unread = [
            turn
            for turn in self._turns[max(0, first - _MARGIN) : last + _MARGIN + 1]
            if turn.unread and turn.id not in self._asked
        ]
        if unread:
            self._asked.update(turn.id for turn in unread)
            self.post_message(Unread(unread))
        return changed

    def _forget(self) -> None:
        """Lets go of the messages that are far from what is in sight."""
        if len(self._pages) <= KEPT:
            return
        here = self._rows.at(self.scroll_offset.y)
        for place in sorted(self._pages, key=lambda one: abs(one - here))[KEPT:]:
            del self._pages[place]
            if self._turns[place].unread:
                self._asked.discard(self._turns[place].id)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Lays out what comes in sight."""
        super().watch_scroll_y(old_value, new_value)
        if self._moving or round(old_value) == round(new_value):
            return
        self._rows.follows = new_value >= self.max_scroll_y
        view = self.scrollable_content_region.height
        self._rows.hold(round(old_value), round(new_value), view)
        self._settle()

    @contextmanager
    def _placing(self) -> Iterator[None]:
        """Moves that are not the person's."""
        self._moving = True
        try:
            yield
        finally:
            self._moving = False

    def on_resize(self) -> None:
        self._settle()
        self._tell()

    def scroll_to(self, x: float | None = None, y: float | None = None, **how: object) -> None:
        """Scrolls at once: a glide would end elsewhere when a height above is found out."""
        with self.prevent():
            if y is not None:
                self.scroll_target_y = y
                self.scroll_y = self.scroll_target_y

    def scroll_end(self, **how: object) -> None:
        """Goes to the end and follows what is written there."""
        self._rows.follows = True
        self._settle()

    def action_scroll_end(self) -> None:
        self.scroll_end()

    def _bring(self, place: int, entry: int | None) -> None:
        """Scrolls so far that an entry, or the head of its message, is in sight."""
        page = self._pages.get(place)
        row = page.row_of(entry) if page is not None and entry is not None else None
        top, view = self.scroll_offset.y, self.scrollable_content_region.height
        begin = self._rows.tops[place] + (row or 0)
        if row is None and entry is not None and top < self._rows.tops[place + 1] <= top + view:
            return
        if top <= begin < top + view - 1:
            return
        lead = min(3, view // 4) if row is not None else 0
        self.scroll_to(y=max(0, begin - lead))
        if page is None and entry is not None:
            self._bring_again(place, entry)

    def _bring_again(self, place: int, entry: int) -> None:
        page = self._pages.get(place)
        if page is not None and page.row_of(entry) is not None:
            self._bring(place, entry)

    # What is told of it.

    def _tick(self) -> None:
        """A second went by: what is under way took one more."""
        for turn in self._turns[-KEPT:]:
            page = self._pages.get(self._places[turn.id])
            if page is not None and turn.running:
                page.stale = True
                self._soon()

    def _elapsed(self, turn: Turn) -> float | None:
        began = self._began.get(turn.id)
        return None if began is None else time.monotonic() - began

    def _tell(self) -> None:
        """Says below which entry is pointed at or selected; else what the signs mean."""
        entry = self._pointed
        if entry is None and self._selected is not None and self._selected[1] is not None:
            place = self._places.get(self._selected[0])
            if place is not None:
                entry = _entry(self._turns[place], self._selected[1])
        if entry is not None:
            said = below.named(entry, self._signs)
        else:
            said = below.legend(self._signs) if self._turns else Content("")
        if not said.is_same(self._said):  # a border that is set is drawn, even the same
            self._said = said
            self.border_subtitle = said

    def on_mouse_move(self, event: events.MouseMove) -> None:
        turn, number = self._under(event)
        entry = None if turn is None or number is None else _entry(turn, number)
        if entry is self._pointed:
            return
        self._pointed = entry
        self.tooltip = None if entry is None else Content(f"{entry.reading}\n{entry.said}".strip())
        self._tell()

    def on_leave(self) -> None:
        if self._pointed is not None:
            self._pointed, self.tooltip = None, None
            self._tell()

    def on_click(self, event: events.Click) -> None:
        turn, number = self._under(event)
        if turn is not None:
            self.post_message(Selected(turn.id, number))

    def _under(self, event: events.MouseEvent) -> tuple[Turn | None, int | None]:
        """The message and the entry under the mouse."""
        inside = event.get_content_offset(self)
        if inside is None or not self._turns:
            return None, None
        place = self._rows.at(inside.y + self.scroll_offset.y)
        number = event.style.meta.get(ENTRY)
        turn = self._turns[place] if place < len(self._turns) else None
        return turn, number if isinstance(number, int) else None

    def _step(self, by: int) -> None:
        """Selects the next doubted entry in the order of the text, across messages."""
        places: list[tuple[str, int | None]] = [
            (turn.id, entry.number)
            for turn in self._turns
            for entry in sorted(turn.entries, key=lambda one: one.spans)
            if entry.verdict != "supported"
        ]
        here = self._selected
        at = -1 if by > 0 else 0
        if here is not None and here in places:
            at = places.index(here)
        beyond = not 0 <= at + by < len(places)
        if beyond and self._more(by):
            return
        if places:
            self.post_message(Selected(*places[(at + by) % len(places)]))

    def _more(self, by: int) -> bool:
        """Scrolls on to messages that were not read yet; whether there are any there."""
        read = [place for place, turn in enumerate(self._turns) if not turn.unread]
        edge = (read[0] if by < 0 else read[-1]) if read else len(self._turns) - 1
        beyond = self._turns[:edge] if by < 0 else self._turns[edge + 1 :]
        if not any(turn.unread for turn in beyond):
            return False
        there = edge - 1 if by < 0 else edge + 1
        self.scroll_to(y=self._rows.tops[min(max(0, there), len(self._turns) - 1)])
        return True


def _entry(turn: Turn, number: int) -> Entry | None:
    return next((entry for entry in turn.entries if entry.number == number), None)
