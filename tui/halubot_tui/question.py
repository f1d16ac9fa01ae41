"""A question that is answered with yes or no, before something that cannot be taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Static

from halubot.render.inert import one_line
from halubot_tui.form import Form
from halubot_tui.keys import Keys

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot.state import DamagedStateError


class Question(Form[bool]):
    """Dismissed with True where it was confirmed. ``no`` is at hand first: Enter alone changes
    nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,right", "other", "Other answer"),
    ]
    DEFAULT_CSS = """
    Question > #panel { height: auto; max-width: 76; max-height: 90%; }
    Question.-small > #panel { width: 94%; height: auto; }
    Question #fields { height: auto; max-height: 14; }
    Question Static { height: auto; }
    """

    def __init__(self, title: str, text: str, *, yes: str, no: str) -> None:
        super().__init__()
        self._about = title
        self._text = text
        self._yes = yes
        self._no = no

    def compose(self) -> ComposeResult:
        with Vertical(id="panel") as panel:
            panel.border_title = self._about
            with VerticalScroll(id="fields", can_focus=False):
                yield Static(self._text, markup=False)
            with Horizontal(classes="buttons"):
                yield Button(self._no, id="no", compact=True)
                yield Button(self._yes, id="yes", variant="error", compact=True)
        yield Keys()

    def on_mount(self) -> None:
        self.query_one("#no").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")

    def action_other(self) -> None:
        """Goes to the other answer."""
        self.focus_next()


def ask_about_damage(error: DamagedStateError) -> Question:
    """Asks whether a file that cannot be read is to give place to a fresh one."""
    text = (
        f"{one_line(str(error.path))} cannot be read. halubot works without it, but keeps nothing"
        " of what you do. Set aside, the file stays under another name, and a fresh one is begun."
    )
    return Question("The sessions are damaged", text, yes="Set it aside", no="Go on without")
