"""The terminal app. It owns what is worked with: the store of sessions, the open session, the
process that checks, the preferences. The screens draw."""

from __future__ import annotations

import asyncio
import time
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import events, work
from textual._compositor import LayoutUpdate
from textual.app import App
from textual.binding import Binding
from textual.constants import TEXTUAL_ANIMATIONS
from textual.widgets import Input, TextArea

from halubot.errors import HalubotError, SettingError, StateError
from halubot_tui.garbage import EVERY_SECONDS, Idle, Sweeper
from halubot_tui.preferences import Preferences
from halubot_tui.screens.main_screen import MainScreen
from halubot_tui.terminal import drop_drawings, has_terminal, is_behind
from halubot_tui.theme import DARK, THEMES, Signs, wants_ascii

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType
    from textual.binding import BindingType
    from textual.command import Provider
    from textual.screen import Screen

    from halubot.report import Report
    from halubot_tui.checker import Checker
    from halubot_tui.open_session import OpenSession
    from halubot_tui.orders import Order
    from halubot_tui.session_store import Draft, SessionStore
    from halubot_tui.sources import Given
    from halubot_tui.text_check import Inputs, TextCheck
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
)
"""Modules that the first check needs; they are loaded on another thread."""
REDRAW_SECONDS: Final = 0.1
"""The least time between two drawings of what changes by itself; more while somebody types."""
FOLD_REST: Final = 3
"""How much longer than it took to fold a log nothing is folded again."""
TYPED_SECONDS: Final = 0.5
"""Seconds after which what is typed is stored."""
QUIT_SECONDS: Final = 1.0
"""Seconds in which a second Ctrl+C asks whether to quit."""
TERMINAL_SECONDS: Final = 5
READ_SECONDS: Final = 1.0
"""Seconds for which a message stays in any case."""
EXAMPLE: Final = "Example"
"""The name of the session of the example."""


def palette() -> type[Provider]:
    """The provider of commands, loaded when the palette is opened."""
    from halubot_tui.commands import Commands

    return Commands


class HalubotApp(App[None]):
    """halubot in the terminal.

    ``session`` names the session to open or begin, ``text`` is one to check at once, read from
    ``file``, which is watched for changes if ``watch`` is set. ``folder`` is where sessions are
    stored. With ``apart`` checks run in a process of their own.
    """

    TITLE = "halubot"
    CSS_PATH: ClassVar = [
        STYLES / name for name in ("app.tcss", "main_screen.tcss", "dialogs.tcss")
    ]
    COMMANDS: ClassVar = {palette}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", show=False, priority=True),
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
        folder: Path | None = None,
        preferences: Preferences | None = None,
        apart: bool = False,
    ) -> None:
        super().__init__()
        self.preferences = preferences or Preferences()
        self.signs = Signs()
        self._start = session, text, file, watch
        self._folder = folder or self.preferences.state
        self._apart = apart
        self._main = MainScreen(self.signs)
        self._watcher: Watcher | None = None
        self._idle: Idle | None = None
        self._sweeper = Sweeper()
        self.pressed = time.monotonic()
        """When a key was pressed last."""
        if is_behind(self):
            self.set_timer(REDRAW_SECONDS, self._redraw_soon)
            return
        self._dirty = False
        self._drawn_at = 0.0
        self._folding: set[str] = set()
        self._interrupted = float("-inf")
        self._storing: asyncio.Task[None] | None = None
        self._draft_changed = asyncio.Event()
        self._closing_work: dict[str, asyncio.Task[object]] = {}
        self.opened = asyncio.Event()
        """Set while a session is open."""
        for theme in THEMES:
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

        return OpenSession(self.store)

    @cached_property
    def checker(self) -> Checker:
        """The place of the core's work."""
        from halubot_tui.checker import Apart, Here

        if not self._apart:
            return Here()
        return Apart(
            lambda why: self._warn(StateError(why)),
            self._folder,
            offline=self.preferences.offline,
        )

    @property
    def main(self) -> MainScreen:
        """The screen below all others."""
        return self._main

    @property
    def session(self) -> str:
        """The title of the open session."""
        return self.open_checks.title if self.opened.is_set() else ""

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
        return self._main

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The variables of our themes, for themes of others."""
        return dict(DARK.variables)

    def on_mount(self) -> None:
        self._idle = Idle()
        self.set_interval(EVERY_SECONDS, self._sweep)
        if has_terminal():
            self.set_interval(TERMINAL_SECONDS, self._leave_without_terminal)
        self.animation_level = TEXTUAL_ANIMATIONS if self.preferences.motion else "none"

    def on_ready(self) -> None:
        """The first frame is drawn: open the session."""
        self.run_worker(self._begin(), group="opening", exit_on_error=True)

    async def _begin(self) -> None:
        session, text, file, watch = self._start
        for name in AFTER_THE_FRAME:
            # One after the other: importing holds Python's lock, and keys are answered between.
            await asyncio.to_thread(import_module, f"halubot_tui.{name}")
        if session is not None:
            await asyncio.to_thread(self.store.open_named, session)
            self.open_checks.pinned = True
        await self._show_session()
        self.run_worker(asyncio.to_thread(self._warm_up), group="warming")
        self._storing = asyncio.create_task(self._store_typed())
        self.set_interval(1.0, self._keep_up)
        if text is not None and file is not None:
            if watch:
                from halubot_tui.watcher import Watcher

                self._watcher = Watcher(self, file, text)
                self._main.status.watched = file.name
                self.set_interval(1.0, self._watcher.look)
            await self._check_given(text, file)
        if self.preferences.model:
            self.load_library()

    def _warm_up(self) -> None:
        """Start the process that checks, and load what reads the options of a check."""
        self.checker.warm_up()
        self.preferences.plain_values()

    async def on_unmount(self) -> None:
        if self._storing is not None:
            self._storing.cancel()
        if self._idle is not None:
            self._idle.end()
        await asyncio.to_thread(self.checker.close)
        await asyncio.to_thread(self.store.close)

    async def _leave_without_terminal(self) -> None:
        """Quit once the terminal is gone: without a controlling terminal no signal says so."""
        if not has_terminal():
            await self.action_quit()

    async def action_quit(self) -> None:
        """Store what is typed, and leave."""
        await self._store_draft()
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
        elif self.stop_work():
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
            self.push_screen(ConfirmDialog(question, yes="quit", no="stay"), answer)

    # Preferences.

    def prefer(self, preferences: Preferences) -> None:
        """Take over other settings: they hold for what is asked or checked from now on."""
        before, self.preferences = self.preferences, preferences
        self.theme = preferences.theme
        self.animation_level = TEXTUAL_ANIMATIONS if preferences.motion else "none"
        self._choose_signs()
        self._describe()
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

        model = self.preferences.model
        if model:
            await checker.load_library(self.checker, model, self.preferences.api_base)

    async def store_settings(self, settings: dict[str, Any]) -> None:
        """Write settings into the settings file; say why if that fails."""
        from halubot import settings as config

        try:
            await asyncio.to_thread(config.change, settings)
        except SettingError as error:
            self._warn(error)

    def action_settings(self) -> None:
        from halubot_tui.screens.settings_screen import SettingsScreen

        if not isinstance(self.screen, SettingsScreen):
            self.push_screen(SettingsScreen(self.preferences, self.checker, self.signs), self._took)

    def _took(self, preferences: Preferences | None) -> None:
        if preferences is not None:
            self.prefer(preferences)

    def action_theme(self) -> None:
        """Change to the next theme, and store it."""
        names = [theme.name for theme in THEMES]
        at = names.index(self.preferences.theme) if self.preferences.theme in names else -1
        after = names[(at + 1) % len(names)]
        self.prefer(self.preferences.with_values(theme=after))
        self.notify(f"Theme: {after}", markup=False, timeout=2)
        self.run_worker(self.store_settings({"theme": after}), group="settings")

    def action_copy_text(self) -> None:
        """Copy the corrected text through the terminal, which does not tell whether it did."""
        shown = self.open_checks.shown
        if shown is not None:
            self.copy_to_clipboard(shown.corrected)
            self.notify("Copied, if your terminal allows it. s saves it in a file.", timeout=4)

    def action_stop(self) -> None:
        """Stop the work on the shown check."""
        self.stop_work()

    async def action_show_neighbour(self, by: int) -> None:
        """Show another check of the session."""
        await self.show_check(self.open_checks.neighbour(by))

    def action_correct_with_model(self) -> None:
        """Ask the model for corrections of all that is doubted."""
        shown = self.open_checks.shown
        if not self.asks_model:
            self.notify("No model is chosen: choose one in the settings.", severity="warning")
        elif shown is not None and not shown.running:
            self.ask_for_corrections(shown)

    def take_file(self, path: Path) -> None:
        """Put a file into the composer, as if it was dropped there."""
        self._main.composer.prompt.focus()
        self._main.composer.prompt.post_message(events.Paste(str(path)))

    def action_help(self) -> None:
        from halubot_tui.screens.help_screen import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.signs))

    # The open session.

    async def open_session(self, session: int) -> None:
        """Open another session; 0 begins a new one. Work in the one that is left goes on."""
        if not self.opened.is_set() or (session and session == self.session_id):
            return
        await self._store_draft()
        self.opened.clear()  # what is typed meanwhile belongs to neither
        try:
            await self.open_checks.go_to(session)
        finally:
            await self._show_session()

    async def _show_session(self) -> None:
        self._main.composer.clear()
        await self.open_checks.load()
        draft = await asyncio.to_thread(self.store.draft)
        if draft:
            self._main.composer.restore(draft)
        await self.show_check(self.open_checks.latest)
        if self.open_checks.latest is None:
            unsent = next(
                (one for one in await asyncio.to_thread(self.store.find) if one.draft), None
            )
            here = self.session_id
            self.greet("" if unsent is None or unsent.id == here else unsent.title)
        self.opened.set()
        self._draft_changed.clear()
        self.name_session()

    def greet(self, resume: str = "") -> None:
        """Show how to begin; ``resume`` is the title of a session with an unsent draft."""
        from halubot_tui.welcome import welcome

        lines = welcome(
            has_model=bool(self.preferences.model),
            compares=self.preferences.compares,
            signs=self.signs,
            resume=resume,
        )
        self._main.welcome((*lines,))
        self._describe()

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
        if check is not None and not check.running:
            self._propose(check)
        await self._main.open(check, before)
        self._describe()

    def name_session(self) -> None:
        """Show the title of the session."""
        self._main.status.session_title = self.open_checks.title or "halubot"
        self._describe()

    def _describe(self) -> None:
        """Show who judges, what is being done, and what the shown check was compared with."""
        if not self._main.is_mounted or not self._main.is_attached:
            return
        self._main.status.model = self.preferences.who_short
        shown = self.open_checks.shown if "open_checks" in self.__dict__ else None
        compared = ""
        if shown is not None:
            from halubot_tui.sources import compared_with, of_inputs

            compared = compared_with(of_inputs(shown.inputs), self.preferences)
        self._main.composer.say(has_model=bool(self.preferences.model), compared=compared)
        self._main.status.work = self._work_words()

    def _work_words(self) -> str:
        if "open_checks" not in self.__dict__:
            return ""
        shown = self.open_checks.shown
        if shown is not None and shown.running:
            return shown.progress.words()
        if shown is not None and shown.id in self._closing_work:
            return "asking for corrections"
        busy = len(self.open_checks.running)
        return f"{busy} more being checked" if busy else ""

    async def open_example(self) -> None:
        """Open the example in a session of its own; it is checked there once."""
        from halubot import demo
        from halubot_tui.text_check import Inputs

        await self._store_draft()
        self.opened.clear()
        await asyncio.to_thread(self.store.open_named, EXAMPLE)
        await self._show_session()
        if self.open_checks.latest is None:
            given = await asyncio.to_thread(demo.load)
            inputs = Inputs(
                kind="check",
                text=given.text,
                question=given.question,
                samples=given.samples,
                references=tuple(source.text or "" for source in given.references),
            )
            await self.begin(inputs, preferences=Preferences(), stay=True)
        self._main.action_review()

    # Checks.

    async def send(self) -> None:
        """Check or ask what stands in the composer."""
        from halubot_tui.sources import Given, as_inputs
        from halubot_tui.text_check import Inputs
        from halubot_tui.widgets.composer import LONGEST_QUESTION

        await self.opened.wait()
        composer = self._main.composer
        written, kind, given = composer.prompt.written, composer.kind, composer.sources
        files = [*written.files]
        text, file = written.text, ""
        if not text and files and kind == "check":
            path = files.pop(0)
            if (read := await self._read(path)) is None:
                return
            text, file = read, str(path)
        given = (*given, *(Given("file", str(path)) for path in files))
        if (path_there := await asyncio.to_thread(_file_named, text)) is not None and not file:
            if (read := await self._read(path_there)) is None:
                return
            text, file = read, str(path_there)
        if not text.strip():
            return
        asks = text.endswith("?") and len(text) <= LONGEST_QUESTION
        if asks and not given and not self.preferences.model:
            self.notify("No model is chosen to answer: / and then Settings.", severity="warning")
            return
        if kind == "check" and not given and not self.preferences.compares:
            self.notify("What is it to be compared with? Paste another answer, or add a file.")
            self._main.action_sources()
            return
        inputs = Inputs(kind=kind, text=text, file=file, **as_inputs(given))
        composer.clear()
        await self.begin(inputs, sent_from=self.session_id)
        self._main.action_review()

    async def _read(self, path: Path) -> str | None:
        from halubot_tui.watcher import text_of

        try:
            return await asyncio.to_thread(text_of, path)
        except HalubotError as error:
            self.refuse("Not read", error)
            return None

    async def _check_given(self, text: str, file: Path) -> None:
        """Check the text of the file that halubot was started with."""
        from halubot_tui.session_store import Draft
        from halubot_tui.text_check import Inputs

        if self.preferences.compares:
            await self.begin(Inputs(kind="check", text=text, file=str(file)))
            self._main.action_review()
        else:
            self._main.composer.restore(Draft(str(file)))
            self._main.composer.prompt.text = self._main.composer.prompt.sign_of(file)
            self._main.composer.mark_pasted()
            self.notify("What is it to be compared with? Paste another answer, or add a file.")

    async def begin(
        self,
        inputs: Inputs,
        *,
        order: Order | None = None,
        actions: Sequence[Any] = (),
        preferences: Preferences | None = None,
        stay: bool = False,
        sent_from: int | None = None,
    ) -> TextCheck:
        """Start a check of the open session, or of a new one; to ``stay`` is to add it to the open
        one in any case. ``actions`` are corrections that hold for it. ``sent_from`` is the session
        whose draft it was."""
        from halubot_tui.text_check import TextCheck

        if not stay and not self.open_checks.takes(inputs):
            await self.open_checks.go_to(0)
        check = TextCheck(f"n{time.monotonic_ns():x}", inputs)
        check.corrections.inherited.extend(actions)
        self.open_checks.add(check)
        await self.show_check(check)
        self.run_worker(
            self._work(check, order, preferences or self.preferences, sent_from),
            group=f"check {check.id}",
            exit_on_error=False,
        )
        return check

    async def _work(
        self,
        check: TextCheck,
        order: Order | None,
        preferences: Preferences,
        sent_from: int | None,
    ) -> None:
        """Carry out the work on a check, from storing what was typed to looking for corrections."""
        from halubot_tui.orders import Check

        # Reading the options loads the methods: not on the drawing loop.
        told = await asyncio.to_thread(preferences.plain_values, check.inputs.settings)
        recording = await asyncio.to_thread(self.store.begin, check, told)
        if sent_from is not None and check.place is not None and check.place[0] != sent_from:
            # Only now: until it is stored as a check, what was typed is stored as a draft.
            await asyncio.to_thread(self.store.clear_draft, sent_from)
        if check.corrections.inherited:
            self.store_corrections(check)
        self.name_session()
        stopped, failure = False, None
        try:
            if order is None:
                options = await asyncio.to_thread(preferences.check_options, check.inputs)
                order = Check(check.inputs.kind, check.inputs.text, options)
            await self.checker.carry_out(order, partial(self._hear, check), recording)
        except asyncio.CancelledError:
            stopped = True
        except HalubotError as error:
            failure = str(error)
        except Exception as error:  # noqa: BLE001 - nothing that a check does may end the app
            failure = f"a fault of halubot's own: {type(error).__name__}: {error}"
        check.end(stopped, failure)
        self.open_checks.note_end(check)
        if not self.is_running:
            return
        while check.late:
            check.take(await asyncio.to_thread(check.fold_aside()))
        if (
            failure
            and check.inputs.kind == "ask"
            and not check.text
            and self._main.composer.is_empty
        ):
            self._main.composer.prompt.write(check.inputs.text)
        self._propose(check)
        if self.open_checks.shown is check:
            self._main.redraw()
        self._describe()
        self._main.reload_side_bar()
        Sweeper.conclude(self._idle, pressed=self.pressed)

    def _hear(self, check: TextCheck, event: Any) -> None:
        """Take in an event of a check, and draw it soon."""
        check.hear((event,))
        self._sweeper.heard = True
        if check.late and check.id not in self._folding:
            self._folding.add(check.id)
            self.run_worker(self._fold(check), group="folding", exit_on_error=False)
        if not self._dirty:
            self._dirty = True
            wait = REDRAW_SECONDS * (10 if time.monotonic() - self.pressed < 1 else 1)
            self.set_timer(max(0.01, self._drawn_at + wait - time.monotonic()), self._redraw_soon)

    def _redraw_soon(self) -> None:
        if is_behind(self):
            self.set_timer(REDRAW_SECONDS, self._redraw_soon)
            return
        self._dirty = False
        self._drawn_at = time.monotonic()
        shown = self.open_checks.shown
        if shown is not None and self._main.is_attached:
            self._main.status.work = self._work_words()
            if not shown.late:
                self._main.redraw()

    async def _fold(self, check: TextCheck) -> None:
        """Fold the log of a long check aside while more is heard."""
        try:
            while check.late and check.running:
                began = time.monotonic()
                check.take(await asyncio.to_thread(check.fold_aside()))
                if self.open_checks.shown is check:
                    self._main.redraw()
                await asyncio.sleep(max(1.0, FOLD_REST * (time.monotonic() - began)))
        finally:
            self._folding.discard(check.id)

    def stop_work(self) -> bool:
        """Stop the work on the check that is shown; False if there is none."""
        shown = self.open_checks.shown if self.opened.is_set() else None
        if shown is None or not (shown.running or shown.id in self._closing_work):
            return False
        self.workers.cancel_group(self, f"check {shown.id}")
        self.workers.cancel_group(self, f"corrections {shown.id}")
        return True

    def check_again(self, check: TextCheck) -> None:
        """Check the corrected text; without changes, the same text again."""
        if check.running:
            return
        if check.corrections.changes:
            self.check_version(check, check.corrected, ())
            return
        self.run_worker(self._again(check, check.inputs), group="again", exit_on_error=False)

    async def _again(self, check: TextCheck, inputs: Inputs) -> None:
        corrections = check.corrections
        kept = [*corrections.carry_over(check.text, check.text)]
        kept += corrections.keeps_in(check.entries)
        await self.begin(inputs, actions=kept, stay=True)

    def change_sources(self, check: TextCheck, given: Sequence[Given]) -> None:
        """Check the same text with other sources."""
        from halubot_tui.sources import as_inputs, of_inputs

        if tuple(given) == of_inputs(check.inputs) or check.running:
            return
        inputs = check.inputs.model_copy(update=as_inputs(given))
        self.run_worker(self._again(check, inputs), group="again", exit_on_error=False)

    def check_version(self, check: TextCheck, text: str, actions: Sequence[Any]) -> None:
        """Check a changed text as an earlier version was checked; only paragraphs that changed are
        checked."""
        from halubot_tui.changed_text import CheckChanged

        report = check.report
        version = check.place[1] if check.place else 0
        update = {
            "text": text,
            "kind": "check",
            "question": check.question,
            "version_of": version,
        }
        inputs = check.inputs.model_copy(update=update)
        order: Order | None = None
        if report is not None and report.sentences and check.state == "done":
            order = CheckChanged(report, text, self.preferences.again_options(check.inputs, report))
        held = [*actions, *check.corrections.keeps_in(check.entries)]
        self.run_worker(
            self.begin(inputs, order=order, actions=held, stay=True),
            group="again",
            exit_on_error=False,
        )

    # Corrections.

    def _propose(self, check: TextCheck) -> None:
        """Look for corrections that the sources give, without a model."""
        report = check.report
        if report is None or check.corrections.proposed or check.running:
            return
        check.corrections.proposed = True
        check.corrections.propose_values(report)
        if report.doubted():
            order = _propose_order(report, {"on_doubt": self.preferences.on_doubt})
            self.run_worker(
                self._take_proposals(check, order),
                group=f"proposals {check.id}",
                exit_on_error=False,
            )

    def ask_for_corrections(self, check: TextCheck) -> None:
        """Have the model rewrite what is doubted."""
        report = check.report
        if report is None or check.id in self._closing_work:
            return
        options = self.preferences.again_options(check.inputs, report)
        options["hints"] = self.preferences.hints
        worker = self.run_worker(
            self._take_proposals(check, _propose_order(report, options), asked=True),
            group=f"corrections {check.id}",
            exit_on_error=False,
        )
        del worker

    async def _take_proposals(self, check: TextCheck, order: Order, *, asked: bool = False) -> None:
        task = asyncio.current_task()
        if asked and task is not None:
            self._closing_work[check.id] = task
            self._describe()
        before = dict(check.corrections.proposals)
        try:
            report: Report = await self.checker.carry_out(order, lambda _: None)
        except HalubotError as error:
            if asked:
                self.refuse("No correction", error)
            return
        finally:
            self._closing_work.pop(check.id, None)
            self._describe()
        edits = report.correction.edits if report.correction is not None else ()
        check.corrections.propose(edits)
        if asked and check.corrections.proposals == before:
            self.notify("The model offers no correction.", markup=False)
        if self.open_checks.shown is check:
            self._main.redraw()

    def store_corrections(self, check: TextCheck) -> None:
        """Store what was changed in a text, in the order in which it was changed."""
        record, text = check.corrections.record(), check.corrected
        self.run_worker(self._store_record(check, record, text), group="storing")

    async def _store_record(self, check: TextCheck, record: dict[str, Any], text: str) -> None:
        async with self.open_checks.storing:
            await asyncio.to_thread(self.store.store_corrections, check, record, text)

    def notes_of(self, check: TextCheck) -> tuple[str, ...]:
        """What went less well than it should, and what is to be said of the watched file."""
        from halubot_tui.problems import problems

        report = check.report
        said = () if report is None else problems(report, check.failure)
        watched = () if self._watcher is None or not self._watcher.note else (self._watcher.note,)
        return (*watched, *said)

    def new_words_of(
        self, check: TextCheck, before: TextCheck | None
    ) -> tuple[tuple[int, int], ...]:
        """The places of words that the version before does not have."""
        return self.open_checks.new_words(check, before)

    # What is typed, and what another app does.

    def on_composer_changed(self) -> None:
        self._draft_changed.set()

    async def _store_typed(self) -> None:
        """Store what is typed as it is typed."""
        while await self._draft_changed.wait():
            await asyncio.sleep(TYPED_SECONDS)
            await self._store_draft()

    async def _store_draft(self) -> None:
        if not self.opened.is_set() or not self._main.is_attached:
            return
        if any(one.running and one.run is None for one in self.open_checks.checks):
            return  # what was sent is on its way to the store; until then its draft stays
        self._draft_changed.clear()
        draft: Draft = self._main.composer.draft
        await self.open_checks.store_draft(draft)

    async def _keep_up(self) -> None:
        """Each second: time goes on, and another app may work on the same session."""
        if not (self.opened.is_set() and self.is_running):
            return
        if self.open_checks.running:
            self._main.status.work = self._work_words()
        changed = await self.open_checks.follow()
        if changed is None:
            return
        if changed is not self.open_checks.shown and not (
            self.open_checks.shown and self.open_checks.shown.running
        ):
            await self.show_check(changed)
        else:
            self._main.redraw()
        self.name_session()

    async def on_event(self, event: events.Event) -> None:
        """Note keys, and take a paste that no field would take into the composer."""
        if isinstance(event, events.Key):
            self.pressed = time.monotonic()
            self._forget_messages()
        if not isinstance(event, events.Paste):
            await super().on_event(event)
            return
        takes = isinstance(self.focused, (TextArea, Input))
        if not takes and self.screen is self._main:
            self._main.composer.prompt.focus()
            self._main.composer.prompt.post_message(events.Paste(event.text))
        else:
            await super().on_event(event)

    def _forget_messages(self) -> None:
        """Take away messages that were read: the next key goes on from them."""
        until = time.time() - READ_SECONDS
        read = [one for one in self._notifications if one.raised_at <= until]
        for one in read:
            self._unnotify(one, refresh=one is read[-1])

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if isinstance(renderable, LayoutUpdate):  # the whole screen
            drop_drawings(self)
        super()._display(screen, renderable)

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

    def _sweep(self) -> None:
        if self._idle is not None and "open_checks" in self.__dict__:
            busy = bool(self.open_checks.running)
            self._sweeper.sweep(self._idle, pressed=self.pressed, busy=busy)


def _propose_order(report: Report, options: dict[str, Any]) -> Order:
    from halubot_tui.orders import Propose

    return Propose(report, options)


def _file_named(text: str) -> Path | None:
    """The file whose path a text is, None if it is no such path."""
    from halubot_tui.widgets.editor import is_like_a_path, path_in

    if not is_like_a_path(text):
        return None
    path = path_in(text, relative=True)
    return path if path is not None and path.is_file() else None
