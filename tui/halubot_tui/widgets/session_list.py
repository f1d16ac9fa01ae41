"""The side bar with all sessions: searched, opened, renamed, deleted with undo."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from halubot.errors import HalubotError
from halubot.render.inert import one_line
from halubot_tui.theme import Signs

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot_tui.session_store import Listed, SessionStore


class SessionOptions(OptionList):
    """The list itself."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "select", "open")]


class NameField(Input):
    """Where a session gets another name."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "rename")]
    BORDER_TITLE = "New name"


class SessionList(Vertical):
    """All sessions, the latest first, each with its time and what is left to a person."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "rename", "rename", key_display="F2"),
        Binding("delete", "discard", "delete"),
        Binding("ctrl+z", "bring_back", "undo delete"),
        Binding("escape", "close", "close"),
        Binding("ctrl+n", "new", "new"),
    ]
    BORDER_TITLE = "Sessions"

    @dataclass
    class Opened(Message):
        """A session is to be opened, by its id; 0 is a new one."""

        session: int

    class Closed(Message):
        """The side bar is to be closed."""

    @dataclass
    class Discarded(Message):
        """A session was deleted; it can be brought back until the app is left."""

        session: int
        title: str

    def __init__(self, store: SessionStore, signs: Signs) -> None:
        super().__init__(id="sessions")
        self._store = store
        self._signs = signs
        self._listed: tuple[Listed, ...] = ()
        self._renaming: int | None = None
        self._marked = 0
        """The row that has the sign of the cursor."""

    def compose(self) -> ComposeResult:
        yield Input(placeholder="Type to search all sessions", id="search", compact=True)
        yield NameField(id="name", compact=True)
        yield SessionOptions(id="listed", markup=False)
        yield Static(id="no-session", markup=False)

    def key_label(self, action: str, label: str) -> str:
        """What a key does; while a name is written only what belongs to that."""
        if self._renaming is None:
            return label
        return "cancel" if action == "close" else ""

    def on_mount(self) -> None:
        self.reload()

    def focus_list(self) -> None:
        """Put the cursor into the list."""
        self.query_one(SessionOptions).focus()

    def on_key(self, event: events.Key) -> None:
        """What is typed in the list is searched for; Down goes from the search into the list."""
        field, options = self.query_one("#search", Input), self.query_one(SessionOptions)
        if self.screen.focused is options and event.is_printable and event.character:
            event.stop()
            field.select_on_focus = False  # else the next letter would replace this one
            field.focus()
            field.value += event.character
            field.cursor_position = len(field.value)
        elif self.screen.focused is field and event.key == "down":
            event.stop()
            options.focus()

    @work(exclusive=True, group="sessions", exit_on_error=False)
    async def reload(self) -> None:
        """Read the sessions that hold the words of the search."""
        words = self.query_one("#search", Input).value
        listed = await asyncio.to_thread(self._store.find, words)
        options = self.query_one(SessionOptions)
        at = options.highlighted or 0
        self._listed = listed
        options.clear_options()
        now = datetime.now().astimezone()
        options.add_options(Option(self._row(one, now), id=str(one.id)) for one in listed)
        self._marked = 0
        if listed:
            options.highlighted = min(at, len(listed) - 1)
        none = self.query_one("#no-session", Static)
        none.display = not listed
        none.update("Nothing is found." if words.strip() else "No session yet.")

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Put the sign of the cursor before the row that it is on."""
        event.stop()
        now = datetime.now().astimezone()
        for at in {self._marked, event.option_index}:
            if at < len(self._listed):
                row = self._row(self._listed[at], now, chosen=at == event.option_index)
                event.option_list.replace_option_prompt_at_index(at, row)
        self._marked = event.option_index

    def _row(self, one: Listed, now: datetime, *, chosen: bool = False) -> Content:
        """Two lines: the title, then the time and what was found."""
        here = self._store.session
        lead = self._signs.plain("▌") if chosen else " "
        opened = here is not None and here.id == one.id
        doubted = one.counts.get("contradicted", 0) + one.counts.get("doubtful", 0)
        found = "draft" if one.draft else "not checked"
        if one.counts:
            undecided = one.counts.get("not_checked", 0)
            parts = [f"{doubted} in doubt"] if doubted else []
            parts += [f"{undecided} undecided"] if undecided else []
            found = f" {self._signs.dash} ".join(parts) or "nothing left to do"
        style = "$contradicted" if doubted else "$secondary"
        dash = f" {self._signs.dash} "
        return Content.assemble(
            (lead, "$primary"),
            (f" {one_line(one.title)}", "bold"),
            ("\n  ", ""),
            ("open" if opened else when(one.changed, now), "$secondary"),
            (dash, "$secondary"),
            (found, style),
        )

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.input.id == "search":
            self.reload()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.input.id == "search":
            self.query_one(SessionOptions).action_select()
        elif self._renaming is not None:
            self._rename(self._renaming, event.value)

    @work(exclusive=True, group="renaming", exit_on_error=False)
    async def _rename(self, session: int, name: str) -> None:
        try:
            await asyncio.to_thread(self._store.rename, session, name)
        except HalubotError as error:
            self.app.notify(str(error), severity="warning", markup=False)
            return
        self._end_renaming()
        self.reload()
        self.post_message(self.Renamed())

    class Renamed(Message):
        """A session has another name."""

    def _end_renaming(self) -> None:
        self._renaming = None
        self.query_one("#name").display = False
        self.focus_list()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.Opened(int(event.option_id or 0)))

    @property
    def _chosen(self) -> Listed | None:
        """The session under the cursor."""
        at = self.query_one(SessionOptions).highlighted
        return self._listed[at] if at is not None and at < len(self._listed) else None

    def action_bring_back(self) -> None:
        if self._store.bring_back() is not None:
            self.reload()

    def action_rename(self) -> None:
        if (one := self._chosen) is not None:
            self._renaming = one.id
            field = self.query_one("#name", Input)
            field.value, field.display = one.title, True
            field.focus()
            self.refresh_bindings()

    def action_discard(self) -> None:
        if (one := self._chosen) is not None:
            self._store.discard(one.id)
            self.post_message(self.Discarded(one.id, one.title))
            self.reload()

    def action_close(self) -> None:
        if self._renaming is not None:
            self._end_renaming()
        else:
            self.post_message(self.Closed())

    def action_new(self) -> None:
        self.post_message(self.Opened(0))


def when(at: datetime, now: datetime) -> str:
    """A time as people say it: "today 14:02", "3 Nov 14:02", "2025-11-03"."""
    at = at.astimezone(now.tzinfo)
    if at.date() == now.date():
        return f"today {at:%H:%M}"
    if at.year == now.year:
        return f"{at.day} {at:%b} {at:%H:%M}"
    return f"{at:%Y-%m-%d}"
