"""A text that is scrolled, with links to sources in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

if TYPE_CHECKING:
    from textual.app import ComposeResult


class Reading(VerticalScroll, can_focus=True):
    """A text that is scrolled; a click on a quote opens its source."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._put = Content("")

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def put(self, content: Content) -> None:
        """Shows this text, which is broken into lines. The screen is laid out anew where there are
        more lines than before, or fewer."""
        before, self._put = self._put, content
        if not content.is_same(before):
            same = content.plain.count("\n") == before.plain.count("\n") and before.plain
            self.query_one(Static).update(content, layout=not same)
