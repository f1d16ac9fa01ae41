"""The terminal app. It owns what is worked with: the store of sessions, the open session, the
process that checks, the preferences. The screens draw."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import events, work
from textual.app import App
from textual.binding import Binding
from textual.constants import TEXTUAL_ANIMATIONS
from textual.widgets import Input, TextArea

from halubot.errors import HalubotError, SettingError, StateError
from halubot_tui.garbage import EVERY_SECONDS, Garbage
from halubot_tui.preferences import Preferences
from halubot_tui.screens.main_screen import MainScreen
from halubot_tui.terminal import LEAVE_SECONDS
from halubot_tui.theme import DARK, Signs, themes, wants_ascii
from halubot_tui.typed_input import TypedInput
from halubot_tui.widgets.composer import Prompt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType
    from textual.command import Provider

    from halubot.feedback import Says
    from halubot.render.items import Entry
    from halubot_tui.check_runner import CheckRunner
    from halubot_tui.checker import Checker
    from halubot_tui.open_session import OpenSession
    from halubot_tui.own_verdicts import OwnVerdicts
    from halubot_tui.session_store import Draft, SessionStore
    from halubot_tui.sources import Given
    from halubot_tui.text_check import TextCheck
    from halubot_tui.watcher import Watcher

STYLES: Final = Path(__file__).parent / "styles"
AFTER_THE_FRAME: Final = (
    "session_store",
    "open_session",
    "text.laid_text",
    "headings",
    "explanation",
    "widgets.fact_list",
    "widgets.evidence_pane",
    "widgets.notes",
    "text.markdown_parser",
    "checker",
    "check_runner",
    "own_verdicts",
)
"""Modules that the first check needs; they are loaded on another thread."""
TYPED_SECONDS: Final = 0.5
"""Seconds after which what is typed is stored."""
QUIT_SECONDS: Final = 1.0
"""Seconds in which a second Ctrl+C asks whether to quit."""
READ_SECONDS: Final = 1.0
"""Seconds for which a message stays in any case."""
INTERRUPT: Final = "ctrl+c"
"""The key that does not wait for what others began."""
EXAMPLE_ANSWERS: Final = 2
"""Other answers that the example is compared with, beside its document: it takes some seconds."""
EXAMPLE: Final = "Example"
"""The name of the session of the example."""


def palette() -> type[Provider]:
    """The provider of commands, loaded when the palette is opened."""
    from halubot_tui.commands import Commands

    return Commands


class HalubotApp(App[None]):
    """halubot in the terminal.

    ``session`` names the session to open or begin, ``text`` is one to check at once, read from
    ``file``, which is watched for changes if ``watch`` is set; it is compared with ``samples``, as
    is the first text that is pasted without a file. ``folder`` is where sessions are
    stored.
    """

    TITLE = "halubot"
    CSS_PATH: ClassVar = [STYLES / name for name in ("app.tcss", "main_screen.tcss")]
    COMMANDS: ClassVar = {palette}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "stop", priority=True),
        Binding("ctrl+p", "command_palette", "commands", priority=True),
        Binding("question_mark", "help", "help"),
        Binding("ctrl+q", "quit", "quit", priority=True),
        Binding("f1", "help", show=False),
    ]

    def __init__(
        self,
        *,
        session: str | None = None,
        text: str | None = None,
        file: Path | None = None,
        watch: bool = False,
        samples: Sequence[Given] = (),
        folder: Path | None = None,
        preferences: Preferences | None = None,
    ) -> None:
        super().__init__()
        self.preferences = preferences or Preferences()
        self.signs = Signs()
        self._start = session, text, file, watch
        self._samples = tuple(samples)
        self._folder = folder or self.preferences.state
        self.main = MainScreen(self.signs)
        """The screen below all others."""
        self._watcher: Watcher | None = None
        self._last = "", ""
        self._told_at = 0.0
        """When a message was told in the first line."""
        self._garbage: Garbage | None = None
        self._typed = TypedInput(self, self._deliver)
        self.pressed = time.monotonic()
        """When a key was pressed last."""
        self._interrupted = float("-inf")
        self._storing: asyncio.Task[None] | None = None
        self._draft_changed = asyncio.Event()
        self.farewell = ""
        """What is said on the terminal once the app is left."""
        self.opened = asyncio.Event()
        """Set while a session is open."""
        for theme in themes(few=self.console.color_system == "standard"):
            self.register_theme(theme)
        self.theme = self.preferences.theme
        self._choose_signs()

    # What the app owns. The store and the checker are loaded after the first frame.

    @cached_property
    def store(self) -> SessionStore:
        """The sessions on disk."""
        from halubot_tui.session_store import SessionStore

        return SessionStore(self._warn, self._folder)

    @cached_property
    def open_checks(self) -> OpenSession:
        """The open session."""
        from halubot_tui.open_session import OpenSession

        return OpenSession(
            self.store, verdicts=None if self.preferences.no_feedback else self.verdicts
        )

    @cached_property
    def verdicts(self) -> OwnVerdicts:
        """What the person says of verdicts."""
        from halubot_tui.own_verdicts import OwnVerdicts

        return OwnVerdicts(self._warn, self._folder)

    @cached_property
    def checks(self) -> CheckRunner:
        """What carries out checks."""
        from halubot_tui.check_runner import CheckRunner

        return CheckRunner(self)

    @cached_property
    def checker(self) -> Checker:
        """The place of the core's work."""
        from halubot_tui.checker import Apart

        return Apart(
            lambda why: self._warn(StateError(why)),
            self._folder,
            offline=self.preferences.offline,
        )

    @property
    def session_id(self) -> int | None:
        """The id of the open session; None if it has not begun."""
        return None if self.store.session is None else self.store.session.id

    @property
    def asks_model(self) -> bool:
        """Whether a model can be asked for corrections."""
        return bool(self.preferences.model)

    # Start and end.

    def get_default_screen(self) -> MainScreen:
        """The main screen lies below all others."""
        return self.main

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The variables of our themes, for themes of others."""
        return dict(DARK.variables)

    def on_mount(self) -> None:
        self._garbage = Garbage()
        self.set_interval(EVERY_SECONDS, self._look_for_garbage)
        self.animation_level = TEXTUAL_ANIMATIONS if self.preferences.motion else "none"

    def on_ready(self) -> None:
        """The first frame is drawn: open the session."""
        self.run_worker(self._begin(), group="opening", exit_on_error=True)

    async def _begin(self) -> None:
        session, text, file, watch = self._start
        # Now, not with the first dialog: what that lays out while they are read is lost.
        self.stylesheet.read(STYLES / "dialogs.tcss")
        self.stylesheet.parse()
        for name in AFTER_THE_FRAME:
            # One after the other: importing holds Python's lock, and keys are answered between.
            await asyncio.to_thread(import_module, f"halubot_tui.{name}")
        if session is not None:
            await asyncio.to_thread(self.store.open, session)
            self.open_checks.pinned = True
        await self._show_session()
        self.run_worker(asyncio.to_thread(self._warm_up), group="warming")
        self._storing = asyncio.create_task(self._store_typed())
        self.set_interval(1.0, self._keep_up)
        if text is not None and file is not None:
            if watch:
                from halubot_tui.watcher import Watcher

                self._watcher = Watcher(self, file, text)
                self.main.status.watched = file.name
                self.set_interval(1.0, self._watcher.look)
            from halubot_tui import submission

            await submission.check_file(self, text, file, self._samples)
        elif self._samples:
            self.main.composer.give(self._samples)
        if self.preferences.model:
            self.load_library()

    def _warm_up(self) -> None:
        """Start the process that checks, and load what reads the options of a check."""
        self.checker.warm_up()
        self.preferences.plain_values()

    async def on_unmount(self) -> None:
        if self._storing is not None:
            self._storing.cancel()
        if self._garbage is not None:
            self._garbage.end()
        await asyncio.to_thread(self.checker.close)
        await asyncio.to_thread(self.store.close)

    async def action_quit(self) -> None:
        """Store what is typed, and leave."""
        if self.main.is_mounted and self.main.composer.draft:
            with suppress(TimeoutError):  # its session may still be opening
                await asyncio.wait_for(self.opened.wait(), LEAVE_SECONDS)
        await self._store_draft()
        if self.opened.is_set() and (title := self.open_checks.title):
            self.farewell = f"{self.signs.quote(title)} is stored: halubot, then Ctrl+R, opens it."
            if self.open_checks.running:
                self.farewell += " Its check was stopped; c checks it again."
        self.exit()

    def action_interrupt(self) -> None:
        """Copy a selection, or stop the work; a second time within a second ask whether to quit."""
        now = time.monotonic()
        twice, self._interrupted = now - self._interrupted < QUIT_SECONDS, now
        if twice:
            self._ask_to_quit()
        elif (selected := self._selected_text()) is not None:
            self.copy_to_clipboard(selected)
            self.notify("Copied, if your terminal allows it.", timeout=2)
        elif self.opened.is_set() and self.checks.stop():
            self.notify("Stopped. Ctrl+C again quits.", timeout=2)
        else:
            self.notify("Ctrl+C again quits.", timeout=2)

    def _selected_text(self) -> str | None:
        focused = self.focused
        if isinstance(focused, (TextArea, Input)) and focused.selected_text:
            return focused.selected_text
        return self.screen.get_selected_text()

    def _ask_to_quit(self) -> None:
        from halubot_tui.screens.dialogs import ConfirmDialog

        def answer(yes: bool | None) -> None:
            if yes:
                self.run_worker(self.action_quit(), exit_on_error=False)

        if not isinstance(self.screen, ConfirmDialog):
            question = "Quit halubot? Everything is stored."
            self.push_screen(ConfirmDialog(question), answer)

    # Preferences.

    def prefer(self, preferences: Preferences | None) -> None:
        """Take over other settings: they hold for what is asked or checked from now on."""
        if preferences is None:
            return
        before, self.preferences = self.preferences, preferences
        self.theme = preferences.theme
        self.animation_level = TEXTUAL_ANIMATIONS if preferences.motion else "none"
        self._choose_signs()
        if self.opened.is_set() and self.open_checks.latest is None:
            self.greet()
        self.describe()
        if preferences.model and preferences.model != before.model:
            self.load_library()

    def _choose_signs(self) -> None:
        wanted = self.preferences.ascii
        self.signs.ascii = wants_ascii() if wanted is None else wanted
        self.set_class(self.signs.ascii, "-ascii")

    @work(exclusive=True, group="library", exit_on_error=False)
    async def load_library(self) -> None:
        """Load what calls models before the first call needs it."""
        from halubot_tui import checker

        if model := self.preferences.model:
            await checker.load_library(self.checker, model, self.preferences.api_base)

    def action_settings(self) -> None:
        from halubot_tui.screens.settings_screen import SettingsScreen

        if not isinstance(self.screen, SettingsScreen):
            self.push_screen(
                SettingsScreen(self.preferences, self.checker, self.signs), self.prefer
            )

    async def action_show_neighbour(self, by: int) -> None:
        """Show another check of the session."""
        await self.show_check(self.open_checks.neighbour(by))

    def action_help(self) -> None:
        from halubot_tui.screens.help_screen import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.signs))

    # The open session.

    async def open_session(self, session: int | str) -> None:
        """Open another session, by its id or name; 0 begins a new one. Work in the one that is left
        goes on."""
        if not self.opened.is_set() or (session and session == self.session_id):
            return
        await self._store_draft()
        self.opened.clear()  # what is typed meanwhile belongs to the other
        self.main.composer.clear()
        try:
            await self.open_checks.go_to(session)
        finally:
            await self._show_session()

    async def _show_session(self) -> None:
        await self.open_checks.load()
        draft = await asyncio.to_thread(self.store.draft)
        typed = self.main.composer.draft  # before the session was open
        if draft:
            self.main.composer.restore(draft + typed)
        await self.show_check(self.open_checks.latest)
        if self.open_checks.latest is None:
            listed = await asyncio.to_thread(self.store.find)
            others = [one for one in listed if one.id != self.session_id]
            unsent = next((one for one in others if one.draft), None)
            self._last = ("Not sent yet", unsent.title) if unsent is not None else ("", "")
            if unsent is None and others:
                self._last = "The last session", others[0].title
            self.greet()
        self.opened.set()
        self._draft_changed.set() if typed else self._draft_changed.clear()
        self.name_session()

    def greet(self) -> None:
        """Show how to begin."""
        from halubot_tui.welcome import welcome

        lines = welcome(
            has_model=bool(self.preferences.model),
            compares=self.preferences.compares,
            asked=self.asked_on_the_web() if self.main.is_mounted else (),
            signs=self.signs,
            last=self._last,
        )
        self.main.welcome((*lines,))
        self.describe()

    async def show_check(self, check: TextCheck | None) -> None:
        """Show a check of the open session, its report read if it was not."""
        if check is not None:
            await self.open_checks.read(check)
            if check.is_long:
                from halubot_tui.text.markdown_blocks import blocks

                await asyncio.to_thread(blocks, check.text)
        self.open_checks.shown = check
        before = self.open_checks.version_before(check)
        if before is not None:
            await self.open_checks.read(before)
            if check is not None:
                check.take_over(before)
        if check is not None and not check.running:
            self.checks.propose(check)
        await self.main.open(check, before)
        self.describe()

    def name_session(self) -> None:
        """Show the title of the session."""
        self.main.status.session_title = self.open_checks.title or "halubot"
        self.describe()

    def describe(self) -> None:
        """Show who judges, what is being done, and what the shown check was compared with."""
        if not self.main.is_mounted or not self.main.is_attached:
            return
        self.main.status.model = self.preferences.who
        shown = self.open_checks.shown if "open_checks" in self.__dict__ else None
        compared = ""
        if shown is not None:
            from halubot_tui.sources import compared_with, of_inputs

            compared = compared_with(of_inputs(shown.inputs), self.preferences)
        self.main.composer.say(self.preferences, compared=compared)
        self.main.status.work = self.checks.work_words()

    async def open_example(self) -> None:
        """Open the example in a session of its own; it is checked there once."""
        from halubot import demo
        from halubot_tui.text_check import Inputs

        await self.opened.wait()
        await self.open_session(EXAMPLE)
        if self.open_checks.latest is None:
            given = await asyncio.to_thread(demo.load)
            inputs = Inputs(
                kind="check",
                text=given.text,
                question=given.question,
                samples=given.samples[:EXAMPLE_ANSWERS],
                references=tuple(source.text or "" for source in given.references),
            )
            await self.checks.begin(inputs, preferences=Preferences(), stay=True)
        self.main.action_review()

    # Checks.

    async def send(self) -> None:
        """Check or ask what stands in the composer."""
        from halubot_tui import submission

        await submission.send(self)

    def key_label(self, action: str, label: str) -> str:
        """What a key does: Ctrl+C stops the work while there is some; Ctrl+P is for where / is
        written."""
        if action == "interrupt":
            return label if self.opened.is_set() and self.checks.is_busy else ""
        return label if action != "command_palette" or isinstance(self.focused, Prompt) else ""

    def say(self, check: TextCheck, entry: Entry, says: Says | None) -> None:
        """Keep that the person says that a fact is right or wrong; None takes that back."""
        if self.preferences.no_feedback:
            self.notify("The settings leave your own verdicts out.", severity="warning")
            return
        work = self.checks.say(check, entry, says, self.verdicts)
        self.run_worker(work, group="verdicts", exit_on_error=False)

    def note_work(self, *, ended: bool = False) -> None:
        """Something was heard of a check, or it has ended and leaves garbage."""
        if self._garbage is not None:
            self._garbage.heard = True
            if ended:
                self._garbage.look(pressed=self.pressed, busy=False, ended=True)

    def asked_on_the_web(self, check: TextCheck | None = None) -> tuple[str, ...]:
        """Who receives what if a check, or what is sent next, is looked up on the web; or why it
        cannot be. () without the web."""
        web = () if check is None else check.inputs.web
        if not (web or self.preferences.web):
            return ()
        try:
            return self.preferences.who_is_asked(web)
        except SettingError as error:
            from halubot_tui.problems import in_app_words

            return (in_app_words(str(error)),)

    def notes_of(self, check: TextCheck) -> tuple[str, ...]:
        """What went less well than it should, and what is to be said of the watched file."""
        from halubot_tui.problems import problems

        report = check.report
        known = "it was stopped" if check.state == "stopped" else check.failure
        said = () if report is None else problems(report, known)
        watched = () if self._watcher is None or not self._watcher.note else (self._watcher.note,)
        return (*watched, *said)

    # What is typed, and what another app does.

    def on_composer_changed(self) -> None:
        self._draft_changed.set()

    async def _store_typed(self) -> None:
        """Store what is typed as it is typed."""
        while await self._draft_changed.wait():
            await asyncio.sleep(TYPED_SECONDS)
            await self._store_draft()

    async def _store_draft(self) -> None:
        if not self.opened.is_set() or not self.main.is_attached:
            return
        if any(one.running and one.run is None for one in self.open_checks.checks):
            return  # what was sent is on its way to the store; until then its draft stays
        self._draft_changed.clear()
        draft: Draft = self.main.composer.draft
        await self.open_checks.store_draft(draft)

    async def _keep_up(self) -> None:
        """Each second: time goes on, and another app may work on the same session."""
        if not (self.opened.is_set() and self.is_running):
            return
        if self.open_checks.running:
            self.main.status.work = self.checks.work_words()
        changed = await self.open_checks.follow()
        if changed is None:
            return
        if changed is not self.open_checks.shown and not (
            self.open_checks.shown and self.open_checks.shown.running
        ):
            await self.show_check(changed)
        else:
            self.main.redraw()
        self.name_session()

    async def on_event(self, event: events.Event) -> None:
        """Deliver keys and pastes in order, and all else at once."""
        typed = isinstance(event, (events.Key, events.Paste)) and not event.is_forwarded
        if isinstance(event, events.Key):
            self.pressed = time.monotonic()
            self._forget_messages()
        if typed and not (isinstance(event, events.Key) and event.key == INTERRUPT):
            self._typed.take(event)
        else:
            await super().on_event(event)

    async def _deliver(self, event: events.Event) -> None:
        """Take a paste that no field would take into the one that is for it."""
        find = getattr(self.screen, "paste_field", None)
        takes = isinstance(self.focused, (TextArea, Input))
        if isinstance(event, events.Paste) and find is not None and not takes:
            self.screen.set_focus(find())
        await super().on_event(event)

    def _forget_messages(self) -> None:
        """Take away messages that were read: the next key goes on from them."""
        self._end_notice()
        until = time.time() - READ_SECONDS
        read = [one for one in self._notifications if one.raised_at <= until]
        for one in read:
            self._unnotify(one, refresh=one is read[-1])

    def notify(self, message: str, **options: Any) -> None:
        """Show a message in the place of what was told before it, on the main screen in its first
        line, where it covers no quote; warnings stay."""
        for one in [one for one in self._notifications if one.severity == "information"]:
            self._unnotify(one, refresh=False)
        plain = options.get("severity", "information") == "information"
        if plain and self.screen is self.main and len(message) < self.size.width - 1:
            self.main.status.notice, self._told_at = message, time.monotonic()
            self.set_timer(options.get("timeout") or self.NOTIFICATION_TIMEOUT, self._end_notice)
        else:
            super().notify(message, **options)

    def _end_notice(self) -> None:
        if time.monotonic() > self._told_at + READ_SECONDS:
            self.main.status.notice = ""

    def refuse(self, title: str, error: HalubotError) -> None:
        """Say why something was not done."""
        from halubot_tui.problems import in_app_words

        words = in_app_words(str(error))
        self.notify(words, title=title, severity="warning", markup=False, timeout=10)

    def _warn(self, error: HalubotError) -> None:
        """Say, from any thread, why something could not be stored."""
        self.call_later(self._say_not_stored, error)

    def _say_not_stored(self, error: HalubotError) -> None:
        from halubot.state import DamagedStateError
        from halubot_tui.screens.dialogs import ConfirmDialog

        if isinstance(error, DamagedStateError):
            question = f"{error}\n\nMove the damaged file aside and begin a new one?"
            self.push_screen(ConfirmDialog(question), self._set_aside)
        else:
            self.refuse("Not stored", error)

    async def _set_aside(self, yes: bool | None) -> None:
        if not yes:
            return
        try:
            aside = await asyncio.to_thread(self.store.set_aside)
        except StateError as error:
            self.refuse("Not stored", error)
        else:
            self.notify(f"The damaged file is now {aside}.", markup=False)

    def _look_for_garbage(self) -> None:
        if self._garbage is not None and "open_checks" in self.__dict__:
            self._garbage.look(pressed=self.pressed, busy=bool(self.open_checks.running))
