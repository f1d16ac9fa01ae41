"""Where a person writes: a question, several lines of it, with what was written before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.widgets import TextArea

from halubot_tui import actions
from halubot_tui.messages import Sent
from halubot_tui.turns import Inputs

if TYPE_CHECKING:
    from textual import events

PLACEHOLDER: Final = "Ask a question, or press F2 to check a text"


class Composer(TextArea):
    """Enter sends, shift+enter or alt+enter begins a new line; up and down at the edges go through
    what was sent before."""

    BINDINGS = actions.bindings("composer")
    DEFAULT_CSS = """
    Composer {
        height: auto; min-height: 3; max-height: 10; border: round $rule; padding: 0 1;
        background: $surface;
    }
    Composer:focus { border: round $primary; }
    """

    def __init__(self) -> None:
        super().__init__(
            id="composer",
            placeholder=PLACEHOLDER,
            soft_wrap=True,
            tab_behavior="focus",
            highlight_cursor_line=False,
        )
        self._sent: list[str] = []
        self._at: int | None = None
        self._draft = ""

    def action_send(self) -> None:
        """Sends what is written, where anything is."""
        text = self.text.strip()
        if not text:
            return
        self._sent.append(text)
        self._at = None
        self.text = ""
        self.post_message(Sent(Inputs(kind="ask", text=text)))

    def action_new_line(self) -> None:
        self.insert("\n")

    def restore(self, text: str) -> None:
        """Puts back what could not be answered, unless something else is written by now."""
        if not self.text.strip():
            self.text = text
            self.move_cursor(self.document.end)

    async def _on_key(self, event: events.Key) -> None:
        if event.key in ("enter", "shift+enter", "alt+enter"):
            event.prevent_default()
            event.stop()
            if event.key == "enter":
                self.action_send()
            else:
                self.action_new_line()
            return
        row, last = self.cursor_location[0], self.document.line_count - 1
        by = {"up": -1, "down": 1}.get(event.key, 0)
        at_edge = row == (0 if by < 0 else last)
        if by and at_edge and self._recall(by):
            event.prevent_default()
        await super()._on_key(event)

    def _recall(self, by: int) -> bool:
        """Shows what was sent before, or after; whether there was anything."""
        if not self._sent or (self._at is None and by > 0):
            return False
        if self._at is None:
            self._draft, self._at = self.text, len(self._sent)
        self._at = max(0, self._at + by)
        if self._at >= len(self._sent):
            self._at = None
        self.text = self._draft if self._at is None else self._sent[self._at]
        self.move_cursor(self.document.end)
        return True
