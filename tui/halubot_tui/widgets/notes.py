"""What went less well than it should in a check, folded into one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Collapsible, Static

from halubot.render.captions import number
from halubot_tui.theme import Signs

if TYPE_CHECKING:
    from collections.abc import Sequence


class Notes(Collapsible):
    """The notes of a check; it is hidden without any."""

    def __init__(self, signs: Signs) -> None:
        self._body = Static(markup=False)
        closed, opened = signs.fold(opened=False), signs.fold(opened=True)
        super().__init__(
            self._body, title="notes", id="notes", collapsed_symbol=closed, expanded_symbol=opened
        )
        self._signs = signs
        self._notes: tuple[str, ...] | None = None

    def show(self, notes: Sequence[str]) -> None:
        """Show these notes."""
        if self._notes == (now := (*notes,)):
            return  # a change, even to the same, has Textual lay out the screen
        self._notes = now
        self.display = bool(notes)
        warning = self._signs.plain("⚠")
        self.title = f"{warning} {number(len(notes), 'note')}"
        self._body.update(Content("\n").join(Content(f"{warning} {one}") for one in notes))
