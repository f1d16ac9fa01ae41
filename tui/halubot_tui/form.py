"""The base of all forms: a panel above the conversation, and the yes-or-no question."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Generic, TypeVar

from textual.binding import Binding
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from halubot_tui import actions
from halubot_tui.problems import in_app_words

if TYPE_CHECKING:
    from textual import events
    from textual.binding import BindingType

    from halubot_tui.preferences import Preferences

from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button

from halubot.render.inert import one_line
from halubot_tui.keys import Keys

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from halubot.state import DamagedStateError

T = TypeVar("T")

TALL: Final = 40
"""Rows from which fields for long texts have more room."""


class Fields(VerticalScroll, can_focus=False):
    """The fields of a form. If there is no room for all of them, the line below says that there is
    more, above or below."""

    DEFAULT_CSS = """
    Fields.-more {
        border-bottom: solid $rule; border-subtitle-color: $primary; border-subtitle-style: bold;
    }
    .-ascii Fields.-more { border-bottom: ascii $rule; }
    """
    SCOPED_CSS = False  # the class of plain signs is the app's

    def __init__(self) -> None:
        super().__init__(id="fields", can_focus=False)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._say_more()

    def watch_virtual_size(self) -> None:
        """Other fields are there, or they are higher."""
        self.call_after_refresh(self._say_more)  # once its own size is known too

    def on_resize(self) -> None:
        self.call_after_refresh(self._say_more)

    def _say_more(self) -> None:
        line = self.has_class("-more")
        self.set_class(self.virtual_size.height > self.container_size.height + line, "-more")
        below = self.scroll_offset.y < self.max_scroll_y
        plain = self.app.has_class("-ascii")
        said = "v more below: Tab" if plain else "▼ more below: Tab"
        if not below:
            said = "^ more above: Shift+Tab" if plain else "▲ more above: Shift+Tab"
        if self.border_subtitle != said:
            self.border_subtitle = said


class Form(ModalScreen[T | None], Generic[T]):
    """A form: Esc leaves it, F1 helps, what does not fit is scrolled to. Its keys are those of
    ``PLACE`` in the registry."""

    PLACE: ClassVar[actions.Place] = "form"
    SCOPED_CSS = False  # the class of plain signs is the app's

    BINDINGS: ClassVar[list[BindingType]] = [
        actions.find_action("back").binding(),
        Binding(
            "f1,question_mark",
            "app.help",
            "Help",
            tooltip=actions.find_action("help").about,
            id="help",
        ),
        Binding("ctrl+q", "app.quit", "Quit", show=False, id="quit", priority=True),
        # before the keys after them are handed to the field that is left
        Binding("tab", "app.focus_next", show=False, priority=True),
        Binding("shift+tab", "app.focus_previous", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    Form { align: center middle; background: $background; }
    Form > #panel {
        width: 90%; max-width: 110; height: 90%; max-height: 44; background: $surface;
        border: round $primary; padding: 0 1;
        border-title-color: $primary; border-title-style: bold;
    }
    .-ascii Form #panel { border: ascii $primary; }
    Form.-small > #panel { width: 100%; height: 100%; }
    Form #fields { height: 1fr; padding: 1 1 0 1; }
    Form.-small #fields { padding-top: 0; }
    Form * {
        scrollbar-size-vertical: 1; scrollbar-color: $rule; scrollbar-background: $surface;
        scrollbar-color-hover: $secondary; scrollbar-background-hover: $surface;
        scrollbar-color-active: $primary; scrollbar-background-active: $surface;
    }
    Form .label { color: $primary; text-style: bold; height: auto; }
    Form .hint { color: $secondary; height: auto; padding-bottom: 1; }
    Form .wrong { color: $text-error; text-style: bold; height: auto; display: none; }
    Form .wrong.-shown { display: block; }
    Form Input, Form Select { width: 1fr; }
    Form Input > .input--placeholder { color: $secondary; }
    Form Input, Form Editor, Form Editor:focus { background: $background; }
    Form Input, Form .field {
        border: round $rule; background: $background; padding: 0 1; height: auto;
    }
    Form SelectCurrent { border: round $rule; background: $background; }
    Form Select > SelectOverlay, Form Select > SelectOverlay:focus {
        border: round $primary; background: $surface; background-tint: $surface 0%;
    }
    Form Input:focus, Form .field:focus-within, Form Select:focus > SelectCurrent {
        border: round $primary;
    }
    .-ascii Form Input, .-ascii Form .field, .-ascii Form SelectCurrent { border: ascii $rule; }
    .-ascii Form Select > SelectOverlay { border: ascii $primary; }
    .-ascii Form Input:focus, .-ascii Form .field:focus-within,
    .-ascii Form Select:focus > SelectCurrent { border: ascii $primary; }
    Form .buttons { height: 1; margin-top: 1; align-horizontal: right; }
    Form.-small .buttons { margin-top: 0; }
    Form .buttons Button.-style-default {
        margin-left: 2; min-width: 12; text-style: bold;
        background: $panel; color: $foreground; background-tint: $panel 0%;
    }
    Form .buttons Button.-style-default.-primary { color: $primary; }
    Form .buttons Button.-style-default.-error { color: $contradicted; }
    Form .buttons Button.-style-default:hover { background: $rule; color: $foreground; }
    Form .buttons Button.-style-default:focus {
        background: $primary; color: $background; text-style: bold;
    }
    Form .buttons Button.-style-default.-error:focus { background: $contradicted; }
    Form OptionList > .option-list--option-highlighted {
        background: $surface; color: $foreground; text-style: none;
    }
    Form OptionList:focus > .option-list--option-highlighted {
        background: $primary 12%; color: $foreground; text-style: none;
    }
    Form OptionList:focus:nocolor > .option-list--option-highlighted {
        background: $foreground 18%;
    }
    Form .rows:focus:nocolor > .option-list--option-highlighted { background: $panel; }
    Form .rows {
        border: none; padding: 0; background: $surface; background-tint: $surface 0%;
        scrollbar-gutter: stable;
    }
    Form .rows > .option-list--option-highlighted,
    Form .rows:focus > .option-list--option-highlighted {
        background: $panel; color: $foreground; text-style: none;
    }
    """

    def on_mount(self) -> None:
        for field in self.query(Input):
            field.cursor_blink = False
        if self.app.has_class("-ascii"):
            self.call_after_refresh(self._draw_plainly)

    def on_resize(self) -> None:
        self.set_class(self.size.width < 80 or self.size.height < 26, "-small")
        self.set_class(self.size.height >= TALL, "-tall")

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Shows the frame of a field too, which has its name."""
        around = event.widget.parent
        if isinstance(around, Vertical) and around.has_class("field"):
            self.call_after_refresh(around.scroll_visible, animate=False)

    def action_back(self) -> None:
        """Leaves the form; a subclass keeps what was typed."""
        self.dismiss(None)

    def _draw_plainly(self) -> None:
        """Draws the arrows of lists to choose from with a plain sign."""
        for arrow in self.query("Select .arrow").results(Static):
            arrow.update("v")

    def prefer(self, preferences: Preferences) -> None:
        """Takes over other settings, which were chosen meanwhile; a subclass that asks for what
        depends on them asks anew."""

    def complain(self, field: str, why: str, *, first: bool = True) -> None:
        """Says below a field what is wrong with it; "" for nothing. The ``first`` of several
        complaints is scrolled into sight."""
        shown = self.query_one(f"#wrong-{field}", Static)
        shown.update(in_app_words(why))
        shown.set_class(bool(why), "-shown")
        if why and first:
            self.call_after_refresh(shown.scroll_visible, animate=False)


def label(text: str) -> Static:
    """The name of a field."""
    return Static(text, classes="label", markup=False)


def hint(text: str) -> Static:
    """Return what is to be known of a field."""
    return Static(text, classes="hint", markup=False)


def wrong(field: str) -> Static:
    """Return the widget that says what is wrong with a field."""
    return Static(id=f"wrong-{field}", classes="wrong", markup=False)


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
            with Fields():
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
