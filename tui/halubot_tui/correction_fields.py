"""The two fields of the correction: the list of the places, and the sentence that is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.message import Message
from textual.widgets import OptionList, TextArea
from textual.widgets.text_area import Selection

if TYPE_CHECKING:
    from textual.binding import BindingType

    from halubot_tui.handwork import Handwork


class Edits(OptionList):
    """The list of the edits; Enter writes the one that is looked at by hand."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "screen.edit", "Edit", show=False)]

    class Resized(Message):
        """The lines have another width."""

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    class Scrolled(Message):
        """Other places are in sight."""

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Scrolled())

    def watch_virtual_size(self) -> None:
        """The places are others, or have other heights."""
        self.post_message(self.Scrolled())

    @property
    def out_of_sight(self) -> tuple[int, int]:
        """Return how many places are not in sight, at least not whole: above, and below."""
        heights = [str(option.prompt).rstrip("\n").count("\n") + 1 for option in self.options]
        gaps = [str(option.prompt).count("\n") + 1 for option in self.options]
        first, last = self.scroll_offset.y, self.scroll_offset.y + self.size.height
        above = below = top = 0
        for height, gap in zip(heights, gaps, strict=True):
            above += top < first
            below += first <= top and top + height > last
            top += gap
        return above, below


class ByHand(TextArea):
    """A field for a sentence: Enter takes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.take", "Take", priority=True, tooltip="Take these words."),
        Binding("alt+enter,shift+enter", "newline", "New line", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    ByHand, ByHand:focus {
        border: none; padding: 0; background: $background; height: auto; max-height: 6;
    }
    """

    def __init__(self) -> None:
        super().__init__(soft_wrap=True, tab_behavior="focus", highlight_cursor_line=False)
        self.cursor_blink = False

    def begin(self, begun: Handwork) -> None:
        """Stands for a sentence; the words that are to be replaced are selected."""
        self.text = begun.text
        places = (begun.before, begun.before + begun.words)
        start, end = ((text.count("\n"), len(text.rpartition("\n")[2])) for text in places)
        self.selection = Selection(end, end) if begun.given else Selection(start, end)

    def action_newline(self) -> None:
        self.insert("\n")
