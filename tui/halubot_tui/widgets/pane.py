"""What the panes of the main screen have in common: a heading that shows where the focus is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.widget import Widget
from textual.widgets import Static

if TYPE_CHECKING:
    from textual import events


class Pane(Widget):
    """A widget below its heading. When the focus moves, headings are drawn, and no pane: Textual
    would work out all styles of both panes and draw all of their lines."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.heading = Static(classes="heading")

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show in the heading whether the focus is here."""
        self.heading.set_class(has_focus, "-focused")

    def on_focus(self, event: events.Focus) -> None:
        event.prevent_default()
        self.has_focus = True

    def on_blur(self, event: events.Blur) -> None:
        event.prevent_default()
        self.has_focus = False
