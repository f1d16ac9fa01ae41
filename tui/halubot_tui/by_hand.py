"""The form in which one edit of a correction is written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Static, TextArea

from halubot_tui.form import Form, hint, label
from halubot_tui.keys import Keys

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.content import Content


class _Field(TextArea):
    """A field for some words: Enter takes them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.take", "Take", priority=True, tooltip="Take these words."),
        Binding("alt+enter,shift+enter", "newline", "New line", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    _Field, _Field:focus { border: none; padding: 0; background: $background; height: 1fr; }
    """

    def action_newline(self) -> None:
        self.insert("\n")


class ByHand(Form[str]):
    """Writes one edit by hand; dismissed with its words ("" takes out what stands there)."""

    DEFAULT_CSS = """
    ByHand > #panel { height: 18; }
    ByHand .field { height: 1fr; }
    ByHand #change { height: auto; max-height: 5; padding-bottom: 1; }
    """

    def __init__(self, before: str, begun: str, change: Content) -> None:
        super().__init__()
        self._before = before
        self._begun = begun
        self._change = change

    def compose(self) -> ComposeResult:
        with Vertical(id="panel") as panel:
            panel.border_title = "By hand"
            with Vertical(id="fields"):
                yield label("In place of" if self._before else "To put in")
                yield Static(self._change, id="change", markup=False)
                with Vertical(classes="field"):
                    yield _Field(
                        self._begun,
                        soft_wrap=True,
                        tab_behavior="focus",
                        highlight_cursor_line=False,
                    )
                yield hint("Enter takes these words; an empty field takes out what stands there.")
        yield Keys()

    def on_mount(self) -> None:
        field = self.query_one(_Field)
        field.cursor_blink = False
        field.select_all()
        field.focus()

    def action_take(self) -> None:
        self.dismiss(self.query_one(_Field).text.strip())
