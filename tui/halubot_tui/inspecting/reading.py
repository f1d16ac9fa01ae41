"""A text that is scrolled, with links to sources in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.widgets import Static

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.content import Content


class Reading(VerticalScroll, can_focus=True):
    """A text that is scrolled; a click on a quote opens its source."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    @property
    def room(self) -> int:
        """Columns for the text."""
        return max(12, self.scrollable_content_region.width - 1)

    def put(self, content: Content) -> None:
        """Shows this text."""
        self.query_one(Static).update(content)
