"""The inspector as a screen of its own, where there is no room for it beside the conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.screen import Screen

from halubot_tui import actions
from halubot_tui.inspector import Inspector
from halubot_tui.keys import Keys

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot_tui.looks import Signs
    from halubot_tui.turns import Turn


class InspectorScreen(Screen[None]):
    """The inspector of the selected message, which it goes on showing as it is told. Esc and F3 go
    back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        actions.find_action("back").binding(),
        Binding("f3", "back", "Back", show=False, id="inspect"),
    ]
    DEFAULT_CSS = """
    InspectorScreen Inspector, InspectorScreen Inspector.-plain {
        border-left: none; width: 1fr; height: 1fr; min-width: 1;
    }
    InspectorScreen Inspector.-low { padding: 0 0 0 1; }
    """

    def __init__(self, signs: Signs, turn: Turn | None, entry: int | None, view: str) -> None:
        super().__init__()
        self._signs = signs
        self._turn = turn
        self._entry = entry
        self._view = view

    def compose(self) -> ComposeResult:
        yield Inspector(self._signs, self._view)
        yield Keys()

    def on_mount(self) -> None:
        inspector = self.query_one(Inspector)
        inspector.show(self._turn, self._entry)
        inspector.focus_view()

    def show(self, turn: Turn, entry: int | None) -> None:
        """Shows a message as it stands now."""
        if self.is_mounted:
            self.query_one(Inspector).show(turn, entry)

    def action_back(self) -> None:
        """Goes back to the conversation."""
        self.dismiss(None)
