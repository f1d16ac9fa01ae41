"""The text that is checked: its question, what became of it, and the text with its marks."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from rich.segment import Segment
from textual.binding import Binding
from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip

from halubot_tui.theme import Signs
from halubot_tui.widgets.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.binding import BindingType
    from textual.selection import Selection

    from halubot_tui.text.laid_text import LaidText, Shown

_STRIPS: Final = 400
_LEAD: Final = 3
"""Lines above a mark that show which sentence it belongs to."""


class Bar(ScrollBarRender):
    """A scrollbar of whole cells, which looks alike in every terminal."""

    VERTICAL_BARS = HORIZONTAL_BARS = [" "] * 8


ScrollBar.renderer = Bar


class TextPane(ScrollView, Pane, can_focus=True):
    """The text with its marks, below the lines of its head. It draws what it is told to."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.use", "use"),
        Binding("escape", "screen.review", show=False),
        Binding("down,j", "scroll_down", show=False),
        Binding("up", "scroll_up", show=False),
    ]

    class MarkClicked(Message):
        """A mark was clicked; ``key`` names its entry."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="text")
        self.heading.show("Text")
        self._signs = signs
        self._heading: Sequence[Content] = ()
        self._heading_lines: list[Content] = []
        self._shown: Shown | None = None
        self._chosen: str | None = None
        self._laid_text: LaidText | None = None
        self._strips: LRUCache[tuple[int, int, int], Strip] = LRUCache(_STRIPS)
        self._laying = False
        self._lay_again = False
        self._drawn: dict[int, Strip] = {}
        """The lines that stand in the pane, by their rows."""
        self._bring_key: str | None = None
        self._at_end = False
        self._aside = False

    def show(
        self,
        heading: Sequence[Content],
        shown: Shown | None,
        chosen: str | None = None,
        *,
        bring: bool = False,
        follow: bool = False,
        aside: bool = False,
    ) -> None:
        """Show a text below the lines of its heading. To ``bring`` is to scroll to the chosen
        entry, to ``follow`` to keep the end in sight while it is; a long text is laid out
        ``aside``, on another thread."""
        self._at_end = follow and self.scroll_offset.y >= self.max_scroll_y
        if shown is None or self._shown is None or shown.text[:200] != self._shown.text[:200]:
            self._laid_text = None
            self._drawn.clear()
            self.scroll_to(y=0, animate=False)
        self._heading, self._shown, self._chosen, self._aside = heading, shown, chosen, aside
        if bring:
            self._bring_key = chosen
        self._lay_out()

    @property
    def _columns(self) -> int:
        """The cells of a line, with the scroll bar left out."""
        return max(8, self.content_size.width - self.scrollbar_size_vertical)

    def on_resize(self) -> None:
        self._bring_key = self._chosen  # stays in sight
        if self._columns > 0:
            self._lay_out()

    def _lay_out(self) -> None:
        if not self.content_size.width:
            return  # before the first layout: `on_resize` comes
        width = self._columns
        self._heading_lines = [line for one in self._heading for line in one.wrap(width)]
        if self._shown is None:
            self._laid_text = None
            self._settle()
        elif self._aside:
            self._lay_again = True
            if not self._laying:
                self._laying = True
                self.run_worker(self._lay_aside(), group="layout", exit_on_error=False)
        else:
            self._laid_text = self._layout(self._shown)()
            self._settle()

    def _layout(self, shown: Shown) -> Callable[[], LaidText]:
        """Return work for any thread: the layout of a text as it is to be shown now."""
        from halubot_tui.text.laid_text import lay_text

        known = self._chosen, self._signs, self._laid_text
        return partial(lay_text, shown, self._columns, *known)

    async def _lay_aside(self) -> None:
        try:
            while self._lay_again and self._shown is not None:
                self._lay_again = False
                self._laid_text = await asyncio.to_thread(self._layout(self._shown))
                self._settle()
        finally:
            self._laying = False

    def _settle(self) -> None:
        """Take over the height of what is laid out, and scroll where it is wanted."""
        height = self._text_top + (self._laid_text.height if self._laid_text is not None else 0)
        self.virtual_size = Size(self._columns, height)
        if self._at_end:
            self.scroll_end(animate=False, immediate=True)
        if self._bring_key is not None and self._laid_text is not None:
            self._bring(self._bring_key)
            self._bring_key = None
        width, height = self.scrollable_content_region.size
        for row in range(self.scroll_offset.y, self.scroll_offset.y + height):
            if self._drawn.get(row) != self._line(row):
                self.refresh(Region(0, row - self.scroll_offset.y, width, 1))

    def _bring(self, key: str) -> None:
        row = None if self._laid_text is None else self._laid_text.row_of(key)
        if row is None:
            return
        row += self._text_top
        top, view = self.scroll_offset.y, self.scrollable_content_region.height
        if not top <= row < top + view - 1:
            y = max(0, row - min(_LEAD, view // 4))
            # By force: what has just grown beyond the pane has no scroll bar yet.
            self.scroll_to(y=y, animate=False, immediate=True, force=True)

    @property
    def _text_top(self) -> int:
        """The row of the text's first line."""
        lines = len(self._heading_lines)
        return lines + 1 if lines and self._shown is not None and self._shown.text else lines

    def _content_of(self, row: int) -> Content:
        if row < len(self._heading_lines):
            return self._heading_lines[row]
        if self._laid_text is None:
            return Content("")
        return self._laid_text.line(row - self._text_top)

    def render_line(self, y: int) -> Strip:
        """A line that is in sight."""
        row = y + self.scroll_offset.y
        self._drawn[row] = strip = self._line(row)
        return strip.apply_offsets(0, row)

    def _line(self, row: int) -> Strip:
        width = self.scrollable_content_region.width
        selection = self.text_selection
        span = selection.get_span(row) if selection is not None else None
        key = None
        if span is None and self._laid_text is not None and row >= self._text_top:
            key = (*self._laid_text.key(row - self._text_top), width)
            if (known := self._strips.get(key)) is not None:
                return known
        strip = self._strip(self._content_of(row), span).crop_extend(0, width, self.rich_style)
        if key is not None:
            self._strips[key] = strip
        return strip

    def _strip(self, line: Content, span: tuple[int, int] | None) -> Strip:
        if span is not None:
            start, end = span
            look = self.screen.get_visual_style("screen--selection")
            line = line.stylize(look, start, len(line) if end == -1 else end)
        base = self.visual_style
        drawn = line.render(base, end="", parse_style=self._get_style)
        segments = [Segment(text, (base + style).rich_style) for text, style in drawn]
        return Strip(segments, line.cell_length)

    def notify_style_update(self) -> None:
        """Colours changed: draw everything in the new ones."""
        self._strips.clear()
        super().notify_style_update()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The words that were selected with the mouse."""
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else self.virtual_size.height - 1
        found: list[str] = []
        for row in range(first, last + 1):
            span = selection.get_span(row)
            if span is not None:
                start, end = span
                line = self._content_of(row).plain
                found.append(line[start : None if end == -1 else end].rstrip())
        return ("\n".join(found), "\n") if found else None

    def on_click(self, event: events.Click) -> None:
        from halubot_tui.text.line_layout import ENTRY

        key = event.style.meta.get(ENTRY)
        if isinstance(key, str):
            self.post_message(self.MarkClicked(key))
