"""The terminal app: a conversation whose answers show what to doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final
from uuid import uuid4

from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.widgets import Footer

from halubot.jobs import Jobs, News
from halubot_tui import actions
from halubot_tui.composer import Composer
from halubot_tui.conversation import Conversation
from halubot_tui.inspector import Inspector
from halubot_tui.looks import DARK, THEMES, Signs, wants_ascii
from halubot_tui.messages import Heard, Selected, Sent
from halubot_tui.turns import Inputs, Turn
from halubot_tui.work import judging

if TYPE_CHECKING:
    from textual.binding import BindingType

NARROW: Final = 100
"""Columns below which the inspector is a screen of its own."""


class HalubotApp(App[None]):
    """halubot in the terminal."""

    TITLE = "halubot"
    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("app"), *actions.bindings("main")]
    CSS = """
    Screen { background: $background; }
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name
        self._settings = settings
        self._signs = Signs(ascii=wants_ascii())
        self._turns: dict[str, Turn] = {}
        self._selected: tuple[str, int | None] | None = None
        self._jobs = Jobs(self._tell)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The variables of our own themes, for themes of others."""
        return dict(DARK.variables)

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Conversation(self._signs)
            yield Inspector(self._signs)
        yield Composer()
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(Composer).focus()

    def _tell(self, news: News) -> None:
        """Called on the core's thread."""
        self.post_message(Heard(news))

    def on_unmount(self) -> None:
        self._jobs.close()

    async def on_sent(self, message: Sent) -> None:
        await self.begin(message.inputs)

    async def begin(self, inputs: Inputs) -> Turn:
        """Starts work on one more message."""
        turn = Turn(uuid4().hex[:12], inputs, state="working")
        self._turns[turn.id] = turn
        await self.query_one(Conversation).add(turn)
        self._jobs.start(turn.id, judging(inputs, self._settings))
        self.post_message(Selected(turn.id))
        return turn

    def on_heard(self, message: Heard) -> None:
        news = message.news
        turn = self._turns.get(news.job)
        if turn is None:
            return
        turn.hear(news.events)
        if news.ended:
            turn.failure = news.failure
            turn.state = "failed" if news.failure else "stopped" if news.cancelled else "done"
        self.query_one(Conversation).show(turn)
        if self._selected is not None and self._selected[0] == turn.id:
            self.query_one(Inspector).show(turn, self._selected[1])

    def on_selected(self, message: Selected) -> None:
        if (message.turn, message.entry) == self._selected:
            return
        self._selected = (message.turn, message.entry)
        self.query_one(Conversation).select(message.turn, message.entry)
        self.query_one(Inspector).show(self._turns[message.turn], message.entry)

    def action_cancel(self) -> None:
        for turn in self._turns.values():
            if turn.running:
                self._jobs.cancel(turn.id)
