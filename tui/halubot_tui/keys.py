"""The line below a screen that names its keys: as many as there is room for, and none cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.reactive import Reactive
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

FIRST: Final = ("cancel", "back", "app.help", "help", "inspect", "disagree", "correct")
"""What is named first where there is no room for all; the palette has the rest."""
NARROW: Final = 120
"""Columns below which the keys stand closer."""


class Keys(Footer):
    """The keys of what one is at, those that matter most in any case."""

    def on_resize(self, event: events.Resize) -> None:
        self.compact = event.size.width < NARROW
        self.bindings_changed(self.screen)

    def compose(self) -> ComposeResult:
        Reactive._clear_watchers(self)  # the keys of before would be held for ever
        keys = [key for key in super().compose() if isinstance(key, FooterKey)]
        room = self.app.size.width
        named: set[FooterKey] = set()
        for key in sorted(keys, key=_rank):
            wide = self._wide(key)
            if wide <= room:
                named.add(key)
                room -= wide
        yield from (key for key in keys if key in named)

    def _wide(self, key: FooterKey) -> int:
        """The cells of a key and what it does, with the gap after it."""
        gaps = 2 if self.compact else 4
        return cell_len(key.key_display) + cell_len(key.description) + gaps


def _rank(key: FooterKey) -> int:
    if key.has_class("-command-palette"):
        return -1
    return FIRST.index(key.action) if key.action in FIRST else len(FIRST)
