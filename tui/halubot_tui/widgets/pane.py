"""What the panes of the main screen have in common: a heading that shows where the focus is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.widget import Widget

if TYPE_CHECKING:
    from textual import events


class Heading(Widget):
    """The line above a pane, with its title; in the colour of the focus while the pane has it.
    A class of its own would have Textual work out all styles of the line with each move."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__(classes="heading")
        self._title: str | Content = ""
        self._lit = False

    def show(self, title: str | Content | None = None, *, lit: bool | None = None) -> None:
        """Show another title, or whether the pane has the focus."""
        now = self._title if title is None else title, self._lit if lit is None else lit
        if now != (self._title, self._lit):
            self._title, self._lit = now
            self.refresh()

    def render(self) -> Content:
        """The title on a line."""
        rule = "-" if self.app.has_class("-ascii") else "─"
        look = ("$primary", "bold $primary") if self._lit else ("$rule", "$secondary")
        title = Content.assemble(self._title).stylize_before(look[1])
        title = title.truncate(max(0, self.size.width - 2), ellipsis=True)
        rest = max(0, self.size.width - 1 - title.cell_length)
        return Content.assemble((rule, look[0]), title, (rule * rest, look[0]))


class Pane(Widget):
    """A widget below its heading. When the focus moves, headings are drawn, and no pane: Textual
    would work out all styles of both panes and draw all of their lines."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.heading = Heading()

    def watch_has_focus(self, has_focus: bool) -> None:
        """Leave the styles as they are: see `MainScreen.set_focus`."""

    def on_focus(self, event: events.Focus) -> None:
        event.prevent_default()
        self.has_focus = True

    def on_blur(self, event: events.Blur) -> None:
        event.prevent_default()
        self.has_focus = False
