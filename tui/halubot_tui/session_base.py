"""An app whose messages last: the session is read and kept, and so is what is typed."""

from __future__ import annotations

import asyncio
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Final

from textual.css.query import NoMatches

from halubot.errors import StateError
from halubot_tui.drafts import Draft
from halubot_tui.follower import Following
from halubot_tui.looks import Signs
from halubot_tui.main import MainScreen
from halubot_tui.marked import LONG, blocks
from halubot_tui.messages import Selected
from halubot_tui.problems import in_app_words
from halubot_tui.terminal import PatientApp

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from halubot.errors import HalubotError
    from halubot.feedback import Word
    from halubot.render.items import Entry
    from halubot.report import Report
    from halubot.state.sessions import Session
    from halubot_tui.conversation import Unread
    from halubot_tui.forms import CheckForm
    from halubot_tui.preferences import Preferences
    from halubot_tui.session_keeper import Found, Keeper, Unsent
    from halubot_tui.turns import Turn


TYPED_SECONDS: Final = 0.5
"""What is typed in so many seconds is kept together."""


class LastingApp(PatientApp):
    """Shows the messages of one session after another; work on those of one that was left goes on.
    ``folder`` is the place at which sessions are kept."""

    def __init__(self, preferences: Preferences, folder: Path | None) -> None:
        super().__init__()
        self._preferences = preferences
        self._signs = Signs()
        self._main = MainScreen(self._signs)
        self._turns: dict[str, Turn] = {}
        self._left: dict[str, Turn] = {}
        self._typing = asyncio.Event()
        self._keeping: asyncio.Task[None] | None = None
        self._selected: tuple[str, int | None] | None = None
        self._form = Draft()
        self._checking: CheckForm | None = None
        self._folder = folder or preferences.state
        self._last: Session | None = None
        self._words: tuple[Word, ...] = ()
        self._begin_at: str | None = None
        self.opened = asyncio.Event()
        """Set while a session is open: it is read while the first frame is in sight already."""

    @cached_property
    def _keeper(self) -> Keeper:
        """Return the keeper of sessions; it is loaded once the first frame is drawn."""
        from halubot_tui.session_keeper import Keeper

        return Keeper(self._warn, self._folder)

    @cached_property
    def _following(self) -> Following:
        return Following(self._keeper)

    async def _show_session(self) -> None:
        """Shows the open session, its newest messages first."""
        busy = {turn.place[1]: turn for turn in self._left.values() if turn.place}
        turns = await asyncio.to_thread(self._keeper.turns, busy)
        self.heed(turns)
        self._turns = {turn.id: turn for turn in turns}
        for turn in turns:
            self._left.pop(turn.id, None)
        self._selected = None
        self._main.unselect()
        is_check = bool(turns) and turns[-1].inputs.kind == "check"
        self._begin_at = turns[-1].id if is_check else None
        await self._main.conversation.open(turns)
        unsent = await asyncio.to_thread(self._keeper.unsent)
        self._main.composer.restore(unsent.text, unsent.files)
        self._form = unsent.form
        self._following.begin(unsent)
        asked = [turn.inputs.text for turn in turns if turn.inputs.kind == "ask"]
        self._main.composer.remember(asked)
        self._last = await asyncio.to_thread(self._keeper.last)
        self._name_session()
        self.greet_anew()
        if turns:
            # the result of a check stands in the head of its message, an answer ends below
            self.post_message(Selected(turns[-1].id, bring=is_check))
        self.refresh_bindings()

    def greet_anew(self) -> None:
        """Says who will answer; and in an empty session what to begin with."""
        self._main.welcome(self._preferences, empty=not self._turns, resume=self.resumable)

    @property
    def resumable(self) -> str:
        """Return what the session that was open last is called, while the open one is empty; else
        ""."""
        if self._turns or self._last is None:
            return ""
        from halubot_tui.sessions import title, when

        now = datetime.now().astimezone()
        return f"{title(self._last)} ({when(self._last.changed, now)})"

    def _name_session(self) -> None:
        session = self._keeper.session
        self._main.composer.title(session.name if session is not None else "")

    async def action_resume(self) -> None:
        """Opens the session that was open last; what stands in the form goes with it."""
        if self._last is None or self._turns:
            return
        typed, self._form = self._form, Draft()
        await self._go_over(self._last.id)
        if not self._form:
            self._form = typed

    def on_unread(self, message: Unread) -> None:
        self.run_worker(self._recall(message.turns), exit_on_error=False)

    async def _recall(self, turns: Sequence[Turn]) -> None:
        """Reads outlines of the reports of messages that are in sight; those read long ago rest."""
        found = await asyncio.to_thread(self._outlines, turns)
        for turn in turns:
            report, whole, entries = found.get(turn.id, (None, True, None))
            turn.recall(report, whole=whole, entries=entries)
            self._main.conversation.show(turn)
            if turn.id == self._begin_at:  # its head grew, and will its lines beside the inspector
                self._begin_at = None
                self._main.conversation.bring_head(turn.id)
        self._main.conversation.rest(self._selected[0] if self._selected else None)

    async def fill(self, turn: Turn) -> None:
        """Reads the whole report of a message that is looked at."""
        from halubot_tui.turns import list_entries

        def read() -> tuple[Report | None, tuple[Entry, ...] | None]:
            report = self._keeper.report(turn)
            return report, None if report is None else list_entries(report)

        report, entries = await asyncio.to_thread(read)
        turn.recall(report, entries=entries)
        self.redraw(turn)

    def _outlines(self, turns: Sequence[Turn]) -> dict[str, tuple[Report, bool, tuple[Entry, ...]]]:
        """The outlines of the reports of messages, with what is listed of each; on another thread,
        as it is for long texts that are read there too."""
        from halubot_tui.turns import list_entries

        found = {}
        for id, (report, whole) in self._keeper.outlines(turns).items():
            if len(report.text) > LONG:
                blocks(report.text)
            found[id] = report, whole, list_entries(report)
        return found

    def redraw(self, turn: Turn) -> None:
        """Draws a message as it stands now."""
        entry = self._selected[1] if self._selected else None
        self._main.show(turn, entry, selected=self._looked_at(turn))

    def heed(self, turns: Iterable[Turn]) -> None:
        """Has messages heed what the person said of facts."""
        if not self._preferences.no_feedback:
            for turn in turns:
                turn.heed(self._words)

    def turn(self, name: str) -> Turn | None:
        """A message of the open session, or one of a session that was left while it is busy."""
        return self._turns.get(name) or self._left.get(name)

    def note_rest(self, turn: Turn) -> None:
        """Work on a message has ended."""
        if not self.is_busy(turn):
            self._left.pop(turn.id, None)
        self.refresh_bindings()

    def is_busy(self, turn: Turn) -> bool:
        """Return whether work on a message is under way."""
        return turn.running

    def _looked_at(self, turn: Turn) -> bool:
        return self._selected is not None and self._selected[0] == turn.id

    def _warn(self, error: HalubotError) -> None:
        """Hears why something could not be kept, on any thread."""
        self.call_later(self._say_unkept, error)

    def _say_unkept(self, error: HalubotError) -> None:
        """Says it; if a damaged file is the reason, asks whether to begin a fresh one."""
        from halubot.state import DamagedStateError
        from halubot_tui.form import ask_about_damage

        if isinstance(error, DamagedStateError):
            self.push_screen(ask_about_damage(error), self._set_aside)
        else:
            why = in_app_words(str(error))
            self.notify(why, title="Not saved", severity="warning", markup=False, timeout=15)

    async def _set_aside(self, yes: bool | None) -> None:
        if not yes:
            return
        try:
            aside = await asyncio.to_thread(self._keeper.set_aside)
        except StateError as error:
            self._say_unkept(error)
        else:
            self.notify(f"The old file is {aside}", title="A fresh file is begun", markup=False)

    def on_text_area_changed(self) -> None:
        self._typing.set()

    def on_input_changed(self) -> None:
        self._typing.set()

    async def _keep_typed(self) -> None:
        """Keeps what is typed, anywhere, as it is typed."""
        while await self._typing.wait():
            await asyncio.sleep(TYPED_SECONDS)
            self._typing.clear()
            await self._keep_unsent()

    def _keep_up(self) -> None:
        """Once a second: keeps what is given otherwise, a file say, and hears of another app on the
        same session. If neither is to be done the processor rests."""
        # The timer goes on while the app closes: a worker that is begun then is never awaited.
        if not (self.opened.is_set() and self.is_running):
            return
        unsent = None if self._is_sending else self._unsent
        new = unsent is not None and self._following.is_new(unsent)
        if new or self._following.may_have_changed():
            self.run_worker(self._follow(), group="following", exit_on_error=False)

    async def _follow(self) -> None:
        if self._following.busy:
            return
        await self._keep_unsent()
        new, changed = await self._following.since(self._turns)
        self.heed(new)
        for turn in new:
            self._turns[turn.id] = turn
            await self._main.conversation.add(turn)
            self.greet_anew()
        for turn in changed:
            self.redraw(turn)

    async def _keep_unsent(self) -> None:
        """Keeps what is typed; what was sent is on its way to be kept as a message."""
        await self.opened.wait()
        if not self._is_sending and (unsent := self._unsent) is not None:
            await self._following.keep(unsent)

    @property
    def _is_sending(self) -> bool:
        """Return whether a message is on its way to be kept."""
        return any(turn.running and turn.run is None for turn in self._turns.values())

    @property
    def _unsent(self) -> Unsent | None:
        """Return what is typed and not sent, in the composer and in the form; None while their
        fields are not there yet, or not any more."""
        from halubot_tui.session_keeper import Unsent

        form = self._checking
        there = form is not None and form.is_mounted and form in self.screen_stack
        try:
            standing = form.current_draft if form is not None and there else self._form
            written = self._main.composer.editor.content_written
        except NoMatches:
            return None
        return Unsent.of(written.text, written.files, standing)

    async def action_quit(self) -> None:
        """Leaves; what is typed is kept too."""
        await self._keep_unsent()
        self.exit()

    def action_sessions(self) -> None:
        from halubot_tui.sessions import SessionsScreen

        if isinstance(self.screen, SessionsScreen):
            return
        self.push_screen(SessionsScreen(self._keeper, self._signs), self._go_over)

    def action_find(self) -> None:
        from halubot_tui.finding import FindScreen

        if not isinstance(self.screen, FindScreen):
            self.push_screen(FindScreen(self._keeper, self._signs), self._go_to_found)

    async def _go_to_found(self, found: Found | None) -> None:
        """Goes to a message that was found, in whichever session it is."""
        if found is None:
            return
        await self._go_over(found.session.id)
        places = {turn.place: turn.id for turn in self._turns.values()}
        if (id := places.get((found.hit.session, found.hit.message))) is not None:
            self.post_message(Selected(id))

    async def action_new_session(self) -> None:
        await self._go_over(0)

    async def _go_to(self, name: str) -> bool:
        """Goes over to the session of that name, or begins it; whether it is open."""
        session = await asyncio.to_thread(self._keeper.find_named, name)
        if session is not None:
            await self._go_over(session.id)
        return session is not None

    async def _go_over(self, session: int | None) -> None:
        """Goes over to another session, to a new one for 0; if the open one was deleted, a new
        one takes its place."""
        here = self._keeper.session
        if session is None and (here is not None or not self._turns):
            self._name_session()  # it may have another name now
            return
        if session is not None:
            await self._keep_unsent()
        if session and here is not None and here.id == session:
            return
        self.opened.clear()  # what is typed meanwhile belongs to neither
        self._left.update((turn.id, turn) for turn in self._turns.values() if self.is_busy(turn))
        try:
            if session:
                await asyncio.to_thread(self._keeper.enter, session)
            else:
                await asyncio.to_thread(self._keeper.leave)
            self._main.composer.take()
            await self._show_session()
        finally:
            self.opened.set()
