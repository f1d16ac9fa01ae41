"""The terminal app: a conversation whose answers show what to doubt.

The app holds the messages of the open session, has the core work on them, and tells the screens
what to draw. Each screen is a module of its own.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar
from uuid import uuid4

from textual.app import App
from textual.constants import TEXTUAL_ANIMATIONS

from halubot.jobs import Jobs, News
from halubot_tui import actions
from halubot_tui.keeping import Keeper
from halubot_tui.looks import DARK, THEMES, Signs, wants_ascii
from halubot_tui.main import MainScreen
from halubot_tui.messages import Heard, Selected, Sent
from halubot_tui.preferences import Preferences
from halubot_tui.turns import Inputs, Turn
from halubot_tui.work import judging

if TYPE_CHECKING:
    from pathlib import Path

    from textual.binding import BindingType


class HalubotApp(App[None]):
    """halubot in the terminal. ``session`` names the session to open or begin, ``text`` is one to
    check at once, ``folder`` where sessions are kept."""

    TITLE = "halubot"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings("app")
    CSS = """
    Screen { background: $background; }
    """

    def __init__(
        self,
        *,
        session: str | None = None,
        text: str | None = None,
        folder: Path | None = None,
        preferences: Preferences | None = None,
    ) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self._preferences = preferences or Preferences()
        self._session_name = session
        self._text = text
        self._signs = Signs()
        self._main = MainScreen(self._signs)
        self._turns: dict[str, Turn] = {}
        self._selected: tuple[str, int | None] | None = None
        self._jobs = Jobs(self._heard)
        self._keeper = Keeper(self._warned, folder or self._preferences.state)
        self.theme = self._preferences.theme

    @property
    def preferences(self) -> Preferences:
        """The settings that hold for new messages, and how the app looks."""
        return self._preferences

    def prefer(self, preferences: Preferences) -> None:
        """Takes over other settings: they hold for what is asked or checked from now on."""
        self._preferences = preferences
        self.theme = preferences.theme
        self.animation_level = TEXTUAL_ANIMATIONS if preferences.motion else "none"
        keys, wrong = actions.keymap(preferences.keys)
        self.set_keymap(keys)
        if wrong:
            why = "; ".join(wrong)
            self.notify(why, title="Keys", severity="warning", markup=False)
        ascii = wants_ascii() if preferences.ascii is None else preferences.ascii
        if ascii != self._signs.ascii:
            self._signs.ascii = ascii
            self.set_class(ascii, "-ascii")
            self.call_later(self._main.conversation.open, list(self._turns.values()))

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The variables of our own themes, for themes of others."""
        return dict(DARK.variables)

    def get_default_screen(self) -> MainScreen:
        """The main screen lies below all others."""
        return self._main

    async def on_mount(self) -> None:
        self.prefer(self._preferences)
        await asyncio.to_thread(self._keeper.open, self._session_name)
        await self._show_session()
        if self._text is not None:
            await self.begin(Inputs(kind="check", text=self._text))

    async def on_unmount(self) -> None:
        await asyncio.to_thread(self._jobs.close)
        await asyncio.to_thread(self._keeper.close)

    async def on_sent(self, message: Sent) -> None:
        await self.begin(message.inputs)

    async def begin(self, inputs: Inputs) -> Turn:
        """Starts work on one more message."""
        turn = Turn(uuid4().hex[:12], inputs, state="working")
        self._turns[turn.id] = turn
        await self._main.conversation.add(turn)
        self._jobs.start(turn.id, judging(turn, self._preferences, self._keeper))
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
            if news.failure and not turn.answer and turn.inputs.kind == "ask":
                self._main.composer.restore(turn.inputs.text)
        entry = self._selected[1] if self._selected else None
        self._main.show(turn, entry, selected=self._looked_at(turn))

    def on_selected(self, message: Selected) -> None:
        turn = self._turns.get(message.turn)
        if turn is None or (message.turn, message.entry) == self._selected:
            return
        self._selected = (message.turn, message.entry)
        self._main.select(turn, message.entry)
        if turn.outlined or (turn.report is None and turn.run is not None):
            self.run_worker(self._fill(turn), group=f"fill {turn.id}", exit_on_error=False)

    def action_cancel(self) -> None:
        for turn in self._turns.values():
            if turn.running:
                self._jobs.cancel(turn.id)

    async def _show_session(self) -> None:
        """Shows the open session, its newest messages first."""
        turns = await asyncio.to_thread(self._keeper.turns)
        self._turns = {turn.id: turn for turn in turns}
        self._selected = None
        await self._main.conversation.open(turns)
        self._main.composer.restore(await asyncio.to_thread(self._keeper.draft))

    async def _fill(self, turn: Turn) -> None:
        """Reads the whole report of a message that is looked at."""
        turn.recall(await asyncio.to_thread(self._keeper.report, turn))
        entry = self._selected[1] if self._selected else None
        self._main.show(turn, entry, selected=self._looked_at(turn))

    def _looked_at(self, turn: Turn) -> bool:
        return self._selected is not None and self._selected[0] == turn.id

    def _heard(self, news: News) -> None:
        """Hears of a job, on the core's thread."""
        self.post_message(Heard(news))

    def _warned(self, why: str) -> None:
        """Hears why something could not be kept, on any thread."""
        self.call_later(
            self.notify, why, title="Not saved", severity="warning", markup=False, timeout=15
        )
