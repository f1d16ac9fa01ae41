"""Texts that are broken into lines before they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

if TYPE_CHECKING:
    from textual.app import ComposeResult


class Lines(Static):
    """A text as high as its lines are many; the screen is laid out anew only where their number
    changes. (A height that is found out goes wrong where a text is set twice at once.)"""

    DEFAULT_CSS = """
    Lines { box-sizing: content-box; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._put = Content("")

    def put(self, content: Content) -> None:
        """Shows this text."""
        before, self._put = self._put, content
        if not content.is_same(before):
            self.update(content, layout=False)
        self.styles.height = content.plain.count("\n") + 1


class Reading(VerticalScroll, can_focus=True):
    """A text that is scrolled; a click on a quote opens its source."""

    def compose(self) -> ComposeResult:
        yield Lines()

    def put(self, content: Content) -> None:
        """Shows this text, which is broken into lines."""
        self.query_one(Lines).put(content)
