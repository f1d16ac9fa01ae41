"""The main screen: conversation, inspector and composer; the inspector alone if there is no
room."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding
from textual.containers import Horizontal
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarRender

from halubot_tui import actions
from halubot_tui.composer import Composer
from halubot_tui.conversation import Conversation
from halubot_tui.keys import Keys
from halubot_tui.looks import Signs
from halubot_tui.welcome import Welcome

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot_tui.inspector import Inspector, InspectorScreen
    from halubot_tui.messages import Paged, Walked
    from halubot_tui.preferences import Preferences
    from halubot_tui.turns import Turn

NARROW: Final = 100
"""Columns below which the inspector is a screen of its own."""


class Bar(ScrollBarRender):
    """A scrollbar of whole cells: it needs no signs, so it looks alike in every terminal."""

    VERTICAL_BARS = HORIZONTAL_BARS = [" "] * 8


ScrollBar.renderer = Bar


class MainScreen(Screen[None]):
    """The screen for reading and writing. It draws what it is told to; the app decides."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *actions.bindings("main"),
        *(
            Binding(one.keys, f"show_view_at_once('{one.method}')", show=False, priority=True)
            for one in actions.of("inspector")
            if one.id.startswith("view-")
        ),
    ]
    DEFAULT_CSS = """
    MainScreen.-narrow #inspector, MainScreen.-unselected #inspector { display: none; }
    MainScreen.-narrow Conversation { width: 1fr; }
    MainScreen #reading { height: 1fr; }
    """

    def __init__(self, signs: Signs) -> None:
        super().__init__()
        self._signs = signs
        self._beside: Inspector | None = None
        self._aside: InspectorScreen | None = None

    def compose(self) -> ComposeResult:
        with Horizontal(id="reading"):
            yield Conversation(self._signs)
        yield Welcome()
        yield Composer()
        yield Keys()

    def on_mount(self) -> None:
        self.query_one(Composer).focus()

    def welcome(self, preferences: Preferences, *, empty: bool, resume: str = "") -> None:
        """Says who will answer; and, while nothing is here yet, what to begin with and which
        session to ``resume``."""
        self.composer.say(preferences.who, asks=bool(preferences.model))
        self.query_one(Welcome).show(preferences, empty=empty, resume=resume)

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < NARROW, "-narrow")
        self.query_one(Welcome).fit(event.size.height)

    @property
    def narrow(self) -> bool:
        """Return whether the inspector has no room here."""
        return self.size.width < NARROW

    @property
    def stands(self) -> bool:
        """Return whether its widgets are there: not any more while the app ends."""
        return bool(self.query(Conversation))

    @property
    def conversation(self) -> Conversation:
        """The messages."""
        return self.query_one(Conversation)

    @property
    def composer(self) -> Composer:
        """Return the composer."""
        return self.query_one(Composer)

    def unselect(self) -> None:
        """No message is looked at."""
        self.add_class("-unselected")
        if self._beside is not None:
            self._beside.show(None)

    def show(self, turn: Turn, entry: int | None, *, selected: bool) -> None:
        """Draws a message as it stands now, and what is known of it if it is looked at."""
        self.conversation.show(turn)
        if selected:
            self._inspect(turn, entry)

    def select(self, turn: Turn, entry: int | None, *, bring: bool = True) -> None:
        """Shows which message, and which entry of it, is looked at; to ``bring`` it is to scroll
        there."""
        self.conversation.select(turn.id, entry, bring=bring)
        self._inspect(turn, entry)

    def action_inspect(self) -> None:
        """Goes to the inspector, a screen of its own if there is no room; or back from it."""
        from halubot_tui.inspector import InspectorScreen

        inspector = self._inspector
        if self.narrow:
            number = None if inspector.entry is None else inspector.entry.number
            self._aside = InspectorScreen(self._signs, inspector.turn, number, inspector.view)
            self.app.push_screen(self._aside)
        elif inspector.has_focus_within:
            self.conversation.focus()
        else:
            inspector.focus_view()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Esc goes back to the composer, unless one is there."""
        if action == "show_view_at_once":
            # Without a model nobody writes more than a command here: a digit is meant for a view,
            # and would stand in front of the next text.
            waiting = self.stands and self.composer.waits_for_text
            return waiting and bool(self.conversation.turns)
        if action == "write":
            return not self.query("Composer:focus-within")
        if action == "inspect":
            return bool(self.conversation.turns) if self.stands else False
        return super().check_action(action, parameters)

    def on_walked(self, message: Walked) -> None:
        """Goes through the facts that are listed; where no list is in sight, through the marks."""
        if not self.conversation.turns:
            return
        inspector = self._inspector
        if not self.narrow and inspector.view == "facts-view":
            inspector.walk(message.by)
            return
        reading = self.conversation
        step = reading.action_next_fact if message.by > 0 else reading.action_previous_fact
        # On its own turn: Textual carries no message further up than the one who caused it.
        reading.call_later(step)

    def on_paged(self, message: Paged) -> None:
        """Scrolls the conversation by a page."""
        reading = self.conversation
        reading.scroll_relative(y=message.by * max(1, reading.size.height - 1), animate=False)

    def action_show_view(self, name: str) -> None:
        """Shows a view of the inspector from where one reads."""
        getattr(self._inspector, f"action_{name}")()

    def action_show_view_at_once(self, name: str) -> None:
        """Shows a view of the inspector from the empty field where one writes."""
        self.action_show_view(name)
        if self.narrow:
            self.action_inspect()

    def action_write(self) -> None:
        """Goes back to the composer."""
        self.composer.focus()

    def action_next_part(self) -> None:
        """Goes on to the next part of the screen."""
        self.focus_next()

    def action_next_message(self) -> None:
        """Goes to the message after the selected one."""
        self.conversation.to_message(1)

    def action_previous_message(self) -> None:
        """Goes to the message before the selected one."""
        self.conversation.to_message(-1)

    @property
    def _inspector(self) -> Inspector:
        """The inspector beside the conversation."""
        if self._beside is None:
            from halubot_tui.inspector import Inspector

            self._beside = Inspector(self._signs)
            self.query_one("#reading").mount(self._beside)
        return self._beside

    def _inspect(self, turn: Turn, entry: int | None) -> None:
        """Has the inspector show a message, and the one that is a screen of its own."""
        self.remove_class("-unselected")
        self._inspector.show(turn, entry)
        if self._aside is not None and self._aside.is_attached:
            self._aside.show(turn, entry)
