"""The terminal app: a conversation whose answers show what to doubt.

The app holds the messages of the open session, has the core work on them, and tells the screens
what to draw. Each screen is a module of its own.
"""

from __future__ import annotations

import asyncio
import time
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final
from uuid import uuid4

from textual import events, work
from textual.constants import TEXTUAL_ANIMATIONS
from textual.widgets import Input, TextArea

from halubot.errors import HalubotError, SettingError, StateError
from halubot.jobs import Jobs
from halubot_tui import actions, marked
from halubot_tui import keys as keymaps
from halubot_tui.composer import is_question
from halubot_tui.drafts import Draft
from halubot_tui.follower import SECONDS
from halubot_tui.hangup import has_terminal
from halubot_tui.idle import EVERY_SECONDS, Idle, Sweeper, give_back
from halubot_tui.looks import DARK, THEMES, wants_ascii
from halubot_tui.main import MainScreen
from halubot_tui.marked import LONG
from halubot_tui.messages import Heard, Selected
from halubot_tui.offers import load_library, say_price
from halubot_tui.preferences import Preferences
from halubot_tui.problems import in_app_words
from halubot_tui.review import Reviewing
from halubot_tui.watching import SECONDS as WATCH_SECONDS
from halubot_tui.watching import Watched, Watcher, text_of
from halubot_tui.welcome import Welcome

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.command import Provider
    from textual.notifications import SeverityLevel

    from halubot.jobs import News
    from halubot.report import Report
    from halubot_tui.checker import Checker
    from halubot_tui.messages import Commanded, Offered, Sent
    from halubot_tui.turns import Inputs, Turn


def palette() -> type[Provider]:
    """Return the provider of the list of commands, loaded when the list is opened."""
    from halubot_tui.help import Palette

    return Palette


WRONG: Final = {"warning": "Warning", "error": "Error"}
"""What stands above a message that has no title of its own."""
NOBODY: Final = "F8 chooses a model that answers. F2 checks a text of yours without one."
EXAMPLE: Final = "Example"
"""The session of the example."""
AFTER_THE_FRAME: Final = ("session_keeper", "inspector", "markdown_parser", "work")
"""Modules that the first message needs; they are loaded on another thread."""
TERMINAL_SECONDS: Final = 5
"""How often the app looks whether its terminal is still there."""
_PAUSE: Final = 0.05
_REST: Final = 3
"""How much longer than it took to fold a log nothing is folded again."""


class HalubotApp(Reviewing):
    """halubot in the terminal. ``session`` names the session to open or begin, ``text`` is one to
    check at once, ``watch`` its file, to be checked again when it changes, ``folder`` in which
    sessions are kept; to ``greet`` is to open the form at once for somebody who has no model, to
    check ``apart`` is to do so in a process of its own."""

    TITLE = "halubot"
    COMMANDS: ClassVar = {palette}
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings("app")
    CSS = """
    ToastRack { layer: default; max-height: 8; overflow-y: auto; }
    Toast { width: 1fr; max-width: 100%; margin-top: 0; padding: 0 1; background: $panel; }
    .-ascii Toast.-information { border-left: ascii $success; }
    .-ascii Toast.-warning { border-left: ascii $warning; }
    .-ascii Toast.-error { border-left: ascii $error; }
    """

    def __init__(
        self,
        *,
        session: str | None = None,
        text: str | None = None,
        watch: Path | None = None,
        folder: Path | None = None,
        preferences: Preferences | None = None,
        greet: bool = False,
        apart: bool = False,
    ) -> None:
        super().__init__(preferences or Preferences(), folder)
        self._apart = apart
        for theme in THEMES:
            self.register_theme(theme)
        self._session_name = session
        self._text = text
        self._watcher: Watcher | None = None
        if watch is not None:
            self._watcher = Watcher(self, Watched(watch, text or ""), self._find_turn)
        self._greet = greet
        self._jobs = Jobs(self._hear)
        self._idle: Idle | None = None
        self._folding: set[str] = set()
        self._concluded: set[str] = set()
        self._sweeper = Sweeper()
        self.theme = self._preferences.theme
        self._decide_signs()

    @cached_property
    def checker(self) -> Checker:
        """Return the checker, which does the work of the core; it is loaded once the first frame is
        drawn."""
        from halubot_tui.checker import Apart, Here

        if not self._apart:
            return Here()
        offline = self._preferences.offline
        return Apart(lambda why: self._warn(StateError(why)), self._folder, offline=offline)

    @property
    def main(self) -> MainScreen:
        """The screen below all others."""
        return self._main

    @property
    def preferences(self) -> Preferences:
        """The settings that hold for new messages, and how the app looks."""
        return self._preferences

    def prefer(self, preferences: Preferences) -> None:
        """Takes over other settings: they hold for what is asked or checked from now on."""
        self._preferences = preferences
        self.theme = preferences.theme
        if self._main.query(Welcome):
            self.greet_anew()
        if preferences.model:
            loading = load_library(self, preferences.model, preferences.api_base)
            self.run_worker(loading, group="library", exit_on_error=False)
            if not preferences.is_local:
                self.run_worker(say_price(self, preferences), group="price", exit_on_error=False)
        self.animation_level = TEXTUAL_ANIMATIONS if preferences.motion else "none"
        keys, wrong = keymaps.keymap(preferences.keys)
        self.set_keymap(keys)
        if wrong:
            why = "; ".join(wrong)
            self.notify(why, title="Keys", severity="warning", markup=False)
        if self._decide_signs():
            self.call_later(self._main.conversation.open, list(self._turns.values()))

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Says something in passing; what is wrong is named as such, not by its colour alone."""
        named = title or WRONG.get(severity, "")
        super().notify(message, title=named, severity=severity, timeout=timeout, markup=markup)

    def _decide_signs(self) -> bool:
        """Draws with plain signs if that is wanted; whether that is another way than before."""
        wanted = self._preferences.ascii
        plain = wants_ascii() if wanted is None else wanted
        before, self._signs.ascii = self._signs.ascii, plain
        self.set_class(plain, "-ascii")
        return plain != before

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The variables of our own themes, for themes of others."""
        return dict(DARK.variables)

    def get_default_screen(self) -> MainScreen:
        """The main screen lies below all others."""
        return self._main

    async def on_mount(self) -> None:
        self._idle = Idle()
        self.set_interval(EVERY_SECONDS, self._sweep)
        if has_terminal():
            self.set_interval(TERMINAL_SECONDS, self._leave_without_terminal)
        self.prefer(self._preferences)

    async def _leave_without_terminal(self) -> None:
        """Quit, with what was typed kept, once the terminal is gone: without a controlling terminal
        no signal says so, and reading an end without end takes a processor."""
        if not has_terminal():
            await self.action_quit()

    def on_ready(self) -> None:
        """The first frame is drawn: the session is opened."""
        self.run_worker(self._begin_session(), group="opening")

    async def _begin_session(self) -> None:
        for name in AFTER_THE_FRAME:
            # One after the other: importing holds Python's lock, and keys are answered between two
            # modules.
            await asyncio.to_thread(import_module, f"halubot_tui.{name}")
        await asyncio.to_thread(self._keeper.open, self._session_name)
        await self.read_words()
        await self._show_session()
        self.opened.set()
        self.run_worker(asyncio.to_thread(self.checker.warm_up), group="checker")
        # Kept in an attribute: a task that nobody refers to may be collected while it runs.
        self._keeping = asyncio.create_task(self._keep_typed())
        self.set_interval(SECONDS, self._keep_up)
        if self._watcher is not None:
            self.set_interval(WATCH_SECONDS, self._watcher.look)
        if self._text is not None:
            await self._check_given(self._text)
        elif self.screen is not self._main:
            pass  # somebody was faster, and opened another screen
        elif self._greet and not self._turns and (self._form or not self._preferences.model):
            await self._open_form(first=True)

    async def on_unmount(self) -> None:
        if self._keeping is not None:
            self._keeping.cancel()
        if self._idle is not None:
            self._idle.end()
        await asyncio.to_thread(self._jobs.close)
        await asyncio.to_thread(self.checker.close)
        await asyncio.to_thread(self._keeper.close)

    async def on_sent(self, message: Sent) -> None:
        inputs = message.inputs
        if inputs.kind == "check" or self._preferences.model:
            await self.begin(inputs)
        elif is_question(inputs.text):
            self._main.composer.restore(inputs.text, inputs.files)
            self.notify(NOBODY, title="No model is chosen", severity="warning", markup=False)
        else:  # without a model what is written can only be a text to check
            self._form.replace_text(inputs.text)
            self._form.references += [Path(file) for file in inputs.files]
            await self._open_form()

    async def on_event(self, event: events.Event) -> None:
        """Takes a paste that no field would take, wherever the focus is."""
        if isinstance(event, events.Paste) and not isinstance(self.focused, (TextArea, Input)):
            from halubot_tui.pastes import take_paste

            await take_paste(self, event.text)
        else:
            await super().on_event(event)

    def on_offered(self, message: Offered) -> None:
        self.run_worker(self._check_file(message.path), group="files", exit_on_error=False)

    async def on_commanded(self, message: Commanded) -> None:
        await self.perform(message.action)

    async def perform(self, action: actions.Action) -> None:
        """Does an action that was asked for by name."""
        doer = actions.doer(self.screen, action)
        if doer is None:
            self.notify(f"{action.label}: there is nothing here to do that with", markup=False)
        else:
            await self.run_action(action.method, doer)

    async def begin(
        self,
        inputs: Inputs,
        preferences: Preferences | None = None,
        *,
        before: Report | None = None,
    ) -> Turn:
        """Starts work on one more message, with other preferences if some are given; of a text of
        which an earlier version was checked ``before`` only what has changed is checked."""
        from halubot_tui.turns import Turn
        from halubot_tui.work import judging

        await self.opened.wait()
        turn = Turn(uuid4().hex[:12], inputs, state="working")
        self.heed([turn])
        if inputs.kind == "check":
            self._latest = inputs
        # Cutting a text of 200,000 characters into blocks takes longer than a key may wait; the
        # result is kept for the first drawing.
        if len(inputs.text) > LONG:
            await asyncio.to_thread(marked.blocks, inputs.text)
        self._turns[turn.id] = turn
        await self._main.conversation.add(turn)
        chosen = preferences or self._preferences
        self._jobs.start(turn.id, judging(turn, chosen, self._keeper, self.checker, before=before))
        if self._watcher is not None:
            self._watcher.note(turn)
        self.greet_anew()
        self.refresh_bindings()
        self.post_message(Selected(turn.id))
        return turn

    def on_heard(self, message: Heard) -> None:
        if not self._main.stands:
            return
        news = message.news
        turn = self.turn(news.job)
        if turn is None:
            self.heard_of(news)
            return
        turn.hear(news.events)
        self._sweeper.heard = True
        if news.ended:
            unanswered = turn.streaming
            turn.failure = news.failure
            turn.state = "failed" if news.failure else "stopped" if news.cancelled else "done"
            again = (unanswered and news.failure) or (turn.broken_off and not news.cancelled)
            if again and turn.id in self._turns:
                self._main.composer.restore(turn.inputs.text, turn.inputs.files)
            self.note_rest(turn)
        if turn.late:
            self._fold(turn)
        else:
            self._heard_all(turn)

    def _heard_all(self, turn: Turn) -> None:
        """Shows a message of which the report tells all that was heard; of one whose check has
        ended the first doubt is selected, if it is the message that is looked at."""
        if not turn.running and self._selected == (turn.id, None) and turn.first_doubted:
            self.post_message(Selected(turn.id, turn.first_doubted, bring=False))
        ended = not turn.running and turn.id not in self._concluded
        self.redraw(turn)
        if ended:
            self._concluded.add(turn.id)
            self._main.conversation.conclude(turn.id)
            self._sweeper.conclude(self._idle, pressed=self.pressed)
        if not turn.running:
            self._main.conversation.rest(self._selected[0] if self._selected else None)

    @work(group="folding", exit_on_error=False, description="fold")
    async def _fold(self, turn: Turn) -> None:
        await self.catch_up(turn)

    async def catch_up(self, turn: Turn) -> None:
        """Folds the log of a message on another thread until its report tells all of it."""
        if turn.id in self._folding:
            while turn.late and turn.id in self._folding:  # noqa: ASYNC110 - others fold it
                await asyncio.sleep(_PAUSE)
            return
        # One fold at a time for each message: two would do the same work and the older could win.
        self._folding.add(turn.id)
        try:
            while turn.late:
                began = time.monotonic()
                turn.take(await asyncio.to_thread(turn.fold_aside()))
                if not self._main.stands:
                    return
                self._heard_all(turn)
                if turn.running:
                    await asyncio.sleep(_REST * (time.monotonic() - began))
        finally:
            self._folding.discard(turn.id)
        # Folding a large report leaves much free memory with the allocator.
        await asyncio.to_thread(give_back)

    def on_selected(self, message: Selected) -> None:
        turn = self._turns.get(message.turn)
        if turn is None or (message.turn, message.entry) == self._selected or not self._main.stands:
            return
        before, self._selected = self._selected, (message.turn, message.entry)
        self._main.select(turn, message.entry, bring=message.bring)
        if before is None or (before[1] is None) != (message.entry is None):
            self.refresh_bindings()
        if turn.half_read:
            self.run_worker(self.fill(turn), group=f"fill {turn.id}", exit_on_error=False)

    async def action_check_text(self) -> None:
        """Opens the form; what is written in the composer becomes its text."""
        await self.opened.wait()  # what was typed there before is read
        if written := self._main.composer.take():
            self._form.replace_text(written)
        await self._open_form()

    def action_command_palette(self) -> None:
        from halubot_tui.help import Commands

        if not isinstance(self.screen, Commands):
            self.push_screen(Commands())

    def action_help_quit(self) -> None:
        """Ctrl+C does not leave; it says what does."""
        chosen, _ = keymaps.keymap(self._preferences.keys)
        keys = keymaps.key_names(chosen.get("quit", actions.find_action("quit").keys))
        said = f"{keys} leaves halubot, and so does /quit where you write."
        self.notify(said, title="Leave?", markup=False)

    def action_settings(self) -> None:
        from halubot_tui.form import Form
        from halubot_tui.settings import SettingsScreen

        async def save(preferences: Preferences | None) -> None:
            if preferences is not None:
                self.prefer(preferences)
            if preferences is not None and isinstance(self.screen, Form):
                self.screen.prefer(preferences)

        self.push_screen(SettingsScreen(self._preferences, self.checker), save)

    def action_theme(self) -> None:
        names = [theme.name for theme in THEMES]
        after = names[(names.index(self._preferences.theme) + 1) % len(names)]
        self.prefer(self._preferences.with_values(theme=after))
        self.notify(f"Theme: {after}", markup=False)
        self.run_worker(self._save({"theme": after}), group="settings", exit_on_error=False)

    def action_help(self) -> None:
        from halubot_tui.help import HelpScreen, place_of

        if not isinstance(self.screen, HelpScreen):
            here = place_of(self.focused)
            self.push_screen(HelpScreen(self._signs, self._preferences.keys, here, self.screen))

    async def action_demo(self) -> None:
        """Opens the example in its own session; there it is checked once."""
        from halubot import demo
        from halubot_tui.turns import Inputs

        if not await self._go_to(EXAMPLE) or self._turns:
            return
        given = await asyncio.to_thread(demo.load)
        references = tuple(source.text or "" for source in given.references)
        inputs = Inputs(
            kind="check",
            text=given.text,
            question=given.question,
            samples=given.samples,
            references=references,
        )
        await self.begin(inputs, Preferences())

    async def _open_form(self, *, first: bool = False) -> None:
        from halubot_tui.forms import CheckForm

        async def ready(inputs: Inputs | None) -> None:
            if inputs is not None:
                self._form = Draft()
                await self.begin(inputs)

        self._take_again()
        resume = self.resumable if first else ""
        before = self._sources_before
        self._checking = CheckForm(
            self._form, self._preferences, first=first, resume=resume, before=before
        )
        await self.push_screen(self._checking, ready)

    def _take_again(self) -> None:
        """Puts the selected text into the empty form if nothing it was compared with speaks of it:
        it needs other sources."""
        from halubot_tui.heads import speaks_of_nothing_given

        turn = self._meant_turn
        report = None if turn is None or turn.running else turn.report
        if turn is None or report is None or self._form:
            return
        if speaks_of_nothing_given(report):
            self._form.text, self._form.question = turn.answer, turn.inputs.question

    async def _check_file(self, path: Path) -> None:
        """Checks the text of a file."""
        await self.opened.wait()
        try:
            text = await asyncio.to_thread(text_of, path)
        except HalubotError as error:
            self._main.composer.restore("", [str(path)])
            self.notify(in_app_words(str(error)), severity="error", markup=False)
        else:
            await self._check_given(text)

    async def _check_given(self, text: str) -> None:
        """Checks a text; with nothing to compare it with, the form asks for that."""
        from halubot_tui.turns import Inputs

        if self._preferences.compares:
            await self.begin(Inputs(kind="check", text=text))
        else:
            self._form.replace_text(text)
            await self._open_form()

    async def _save(self, settings: dict[str, Any]) -> None:
        from halubot import settings as config

        try:
            await asyncio.to_thread(config.change, settings)
        except SettingError as error:
            self._warn(error)

    def _find_turn(self, name: str) -> Turn | None:
        """A message of the session that is open then."""
        return self._turns.get(name)

    def _sweep(self) -> None:
        if self._idle is not None:
            busy = any(turn.running for turn in self._turns.values())
            self._sweeper.sweep(self._idle, pressed=self.pressed, busy=busy)

    def _hear(self, news: News) -> None:
        """Hears of a job, on the core's thread."""
        self.post_message(Heard(news))
