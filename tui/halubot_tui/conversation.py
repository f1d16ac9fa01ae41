"""The conversation: questions, answers and texts, with what to doubt in them marked.

It draws line by line what is in sight; what one reads stays in place when something above it
changes.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from rich.segment import Segment
from textual.await_complete import AwaitComplete
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from halubot_tui import actions, below
from halubot_tui.layout import ENTRY
from halubot_tui.looks import Signs
from halubot_tui.messages import Selected
from halubot_tui.roll import Roll
from halubot_tui.terminal import draw_between, is_behind, space

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual import events
    from textual.binding import BindingType
    from textual.selection import Selection

    from halubot.render.items import Entry
    from halubot_tui.page import Line
    from halubot_tui.roll import Rows
    from halubot_tui.turns import Turn

WIDEST: Final = 100
"""Columns after which lines get hard to read."""

_SHARE: Final = 8
"""A share of the time that drawing what is new may take: one in so many."""
_PAUSE_SECONDS: Final = 0.1
"""The least time between two drawings of what is new: keys come first."""


class Unread(Message):
    """Messages came in sight of which nothing was read yet."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        super().__init__()
        self.turns = tuple(turns)


class Conversation(ScrollView, can_focus=True):
    """The messages of a session, the newest below. Follows what is written until one scrolls up."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *actions.bindings("conversation"),
        *(
            replace(one.binding(), action=f"screen.show_view('{one.method}')")
            for one in actions.of("inspector")
            if one.id.startswith("view-")
        ),
    ]
    SCOPED_CSS = False  # the class of plain signs is the app's
    DEFAULT_CSS = """
    Conversation {
        width: 5fr; padding: 1 1 0 1; background: $background;
        overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1;
        scrollbar-color: $rule; scrollbar-background: $background;
        scrollbar-color-hover: $secondary; scrollbar-background-hover: $background;
        scrollbar-color-active: $primary; scrollbar-background-active: $background;
        border-bottom: solid $rule;
        border-subtitle-align: left; border-subtitle-color: $secondary;
    }
    Conversation:focus { border-bottom: solid $primary; }
    .-ascii Conversation { border-bottom: ascii $rule; }
    .-ascii Conversation:focus { border-bottom: ascii $primary; }
    """

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="conversation")
        self._signs = signs
        self._roll = Roll(signs)
        self._pointed: Entry | None = None
        self._said = Content("")
        self._opened = False
        self._moving = False
        self._due = False
        self._took = 0.0
        self._settled_at = 0.0
        self._shown: list[Line] = []

    def on_mount(self) -> None:
        self.set_interval(1.0, self._tick)

    def open(self, turns: Sequence[Turn]) -> AwaitComplete:
        """Shows a session from its newest messages on."""
        self._roll.open(turns)
        self._shown.clear()
        self._opened = True
        self._settle()
        self._tell()
        return AwaitComplete()

    def add(self, turn: Turn, *, follow: bool = True) -> AwaitComplete:
        """One more message; to ``follow`` it is to go to the end."""
        self._opened = True
        self._roll.add(turn)
        self._rows.follows = self._rows.follows or follow
        self._settle()
        self._tell()
        return AwaitComplete()

    def show(self, turn: Turn) -> None:
        """Draws a message as it stands now, soon."""
        if not self._roll.change(turn):
            return
        if self._roll.selected is not None and self._roll.selected[0] == turn.id:
            self._tell()
        self._soon()

    def select(self, turn: str, entry: int | None, *, bring: bool = True) -> None:
        """Marks the message, and its entry, that are looked at; to ``bring`` them is to scroll
        there."""
        self._roll.select(turn, entry)
        place = self._roll.place(turn)
        if place is not None:
            self._settle()
            if bring:
                self._bring(place, entry)
        self._tell()

    def conclude(self, turn: str) -> None:
        """Shows the head of the newest text, where the result of its check stands, if one followed
        it to its end; who scrolled to another place stays there. An answer is read at its end."""
        newest = self.turns[-1] if self.turns else None
        if newest and newest.id == turn and newest.inputs.kind == "check" and self.follows:
            self.bring_head(turn)

    def bring_head(self, turn: str) -> None:
        """Scrolls so far that the head of a message is in sight; there it stays."""
        place = self._roll.place(turn)
        if place is not None:
            self._settle()
            self._bring(place, None)
            self._rows.follows = False
            self._rows.remember(self.scroll_offset.y)

    def rest(self, selected: str | None) -> None:
        """Lets messages that are far from what is in sight let go of what can be read again."""
        self._roll.rest(selected)

    @property
    def follows(self) -> bool:
        """Return whether the end is in sight and stays so."""
        return self._rows.follows

    @property
    def waits(self) -> bool:
        """Return whether something was heard that is not drawn yet."""
        return self._due

    @property
    def laid_out(self) -> int:
        """Return how many messages are laid out."""
        return self._roll.laid_out

    @property
    def turns(self) -> Sequence[Turn]:
        """The messages, the oldest first."""
        return self._roll.turns

    @property
    def _rows(self) -> Rows:
        return self._roll.rows

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether there are messages to go through."""
        if action in ("next_fact", "previous_fact"):
            return bool(self.turns)
        return super().check_action(action, parameters)

    def action_next_fact(self) -> None:
        self._step(1)

    def action_previous_fact(self) -> None:
        self._step(-1)

    def to_message(self, by: int) -> None:
        """Selects the message so many after the one that is selected, or before it."""
        if not self.turns:
            return
        selected = self._roll.selected
        here = self._roll.place(selected[0]) if selected else None
        if here is None:
            here = len(self.turns) if by < 0 else -1
        there = min(max(0, here + by), len(self.turns) - 1)
        self.post_message(Selected(self.turns[there].id))

    def lines(self) -> Iterator[str]:
        """Yield what is in sight, line by line."""
        for y in range(self.scrollable_content_region.height):
            yield self.render_line(y).text.rstrip()

    # What is drawn.

    def render_line(self, y: int) -> Strip:
        """A line that is in sight."""
        row = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if not self.turns:
            lines = below.empty(self._signs, width - 1) if self._opened else []
            told = Content(" ") + lines[row] if row < len(lines) else Content("")
            return self._strip(told, None).crop_extend(0, width, self.rich_style)
        line = self._roll.line(row)
        page = self._roll.page(line.turn)
        if page is None:
            return Strip.blank(width, self.rich_style)
        selection = self.text_selection
        span = selection.get_span(row) if selection is not None else None
        # A line with selected words is drawn anew each time: the selection changes with each move
        # of the mouse.
        kept = None if span is not None else page.strips.get((line, row, width))
        if kept is None:
            kept = self._strip(page.line(line.within), line.chosen, span)
            kept = kept.crop_extend(0, width, self.rich_style).apply_offsets(0, row)
            if span is None:
                page.strips[(line, row, width)] = kept
        return kept

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
        self._roll.fade()
        self._shown.clear()
        super().notify_style_update()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The words that were selected with the mouse."""
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else self._rows.tops[-1] - 1
        found: list[str] = []
        for row in range(first, last + 1):
            place = self._rows.at(row)
            page = self._roll.page(place)
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
        # The longer the last layout took, the longer until the next: on a slow terminal, keys still
        # get most of the time.
        wait = max(self._took * _SHARE, space(self.app, _PAUSE_SECONDS)) - since
        if wait > 0:
            self.set_timer(wait, self._settle_in_time)
        else:
            self.call_later(self._settle_in_time)

    def _settle_in_time(self) -> None:
        """Settles once the terminal has drawn what is on its way."""
        if is_behind(self.app):
            self.set_timer(_PAUSE_SECONDS, self._settle_in_time)
        else:
            draw_between(self.app, self._settle)

    def _settle(self) -> None:
        """Lays out what is in sight, and keeps in its place what one reads."""
        self._due = False
        if not self.is_attached or not self.size or not self._room:
            return
        start = time.perf_counter()
        self._roll.widen(self._room)
        view = self.scrollable_content_region.height
        top = 0
        # Laying out a message may change its height, and so what else is in sight; each turn of the
        # loop lays out at least one more.
        for _ in range(len(self.turns) + 2):
            self._rows.stack()
            top = self._rows.top(view, self.scroll_offset.y)
            if not self._roll.lay(top, view):
                break
        if unread := self._roll.unread(top, view):
            self.post_message(Unread(unread))
        with self._placing():
            self._grow(Size(self.scrollable_content_region.width, self._rows.tops[-1]))
            self.scroll_target_y = top
            self.scroll_y = top
        self._rows.remember(self.scroll_offset.y)
        # Pages far from here are dropped, so that a long session does not grow with what was
        # scrolled past.
        self._roll.forget(self.scroll_offset.y)
        self._redraw(top, view)
        self._settled_at = time.perf_counter()
        self._took = self._settled_at - start

    def _grow(self, size: Size) -> None:
        """Takes over the height of all messages. The screen is not laid out anew for it, which
        would take more time than all else: if the widgets are does not depend on it."""
        if self.virtual_size.width != size.width or not self.show_vertical_scrollbar:
            self.virtual_size = size
        elif self.virtual_size != size:
            self.set_reactive(Conversation.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = size.height

    def _redraw(self, top: int, view: int) -> None:
        """Has those lines in sight drawn again that show something else than before."""
        # A streaming answer changes one line of fifty; drawing only that line keeps slow terminals
        # (SSH) readable.
        now = [self._roll.line(row) for row in range(top, top + view)]
        before, self._shown = self._shown, now
        if len(before) != len(now) or self.text_selection is not None:
            self.refresh()
            return
        changed = (y for y, pair in enumerate(zip(before, now, strict=True)) if pair[0] != pair[1])
        width = self.scrollable_content_region.width
        if regions := [Region(0, y, width, 1) for y in changed]:
            self.refresh(*regions)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Lays out what comes in sight."""
        super().watch_scroll_y(old_value, new_value)
        # Our own placing also ends here and must not count as the person's scrolling.
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
        page = self._roll.page(place)
        row = page.row_of(entry) if page is not None and entry is not None else None
        top, view = self.scroll_offset.y, self.scrollable_content_region.height
        begin = self._rows.tops[place] + (row or 0)
        if row is None and entry is not None and top < self._rows.tops[place + 1] <= top + view:
            return
        if top <= begin < top + view - 1:
            return
        # A few lines above an entry show which sentence it belongs to.
        lead = min(3, view // 4) if row is not None else 0
        self.scroll_to(y=max(0, begin - lead))
        if page is None and entry is not None:
            self._bring_again(place, entry)

    def _bring_again(self, place: int, entry: int) -> None:
        page = self._roll.page(place)
        if page is not None and page.row_of(entry) is not None:
            self._bring(place, entry)

    # What is told of it.

    def _tick(self) -> None:
        """A second went by: what is under way took one more."""
        if self._roll.tick():
            self._soon()

    def _tell(self) -> None:
        """Says below which entry is pointed at or selected; else what the signs mean."""
        entry = self._pointed or self._roll.entry()
        if entry is not None:
            said = below.entry_line(entry, self._signs)
        else:
            said = below.legend(self._signs) if self.turns else Content("")
        said = below.fit_line(said, self.size.width - 2, self._signs)
        if not said.is_same(self._said):  # a border that is set is drawn, even the same
            self._said = said
            self.border_subtitle = said

    def on_mouse_move(self, event: events.MouseMove) -> None:
        turn, number = self._under(event)
        entry = turn.entry(number) if turn is not None else None
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
        if inside is None or not self.turns:
            return None, None
        number = event.style.meta.get(ENTRY)
        turn = self._roll.turn_at(inside.y + self.scroll_offset.y)
        return turn, number if isinstance(number, int) else None

    def _step(self, by: int) -> None:
        """Selects the next doubted entry from what is selected on, across messages."""
        found = self._roll.doubted_after(by)
        if found is not None:
            self.post_message(Selected(*found))
