"""The list of sessions: open, search, rename, delete, or begin one."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import set_cell_size
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from halubot.errors import StateError
from halubot.render.captions import number
from halubot.render.inert import crop, one_line
from halubot_tui import actions, below
from halubot_tui.form import Form, wrong
from halubot_tui.keys import Keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot.state.sessions import Session
    from halubot_tui.looks import Signs
    from halubot_tui.session_keeper import Keeper

NONE: Final = (
    "There is no session yet. One begins with your first question or check, and is saved as you"
    " work."
)
LATEST: Final = "; then "
"""What stands between the first text of a session and the latest."""
UNSENT: Final = "not sent yet"


class Deleted(Message):
    """A session was deleted: work on its messages is to stop."""

    def __init__(self, session: int) -> None:
        super().__init__()
        self.session = session


class Kept(OptionList):
    """The list itself."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Open", tooltip=actions.find_action("open-session").about),
    ]

    class Resized(Message):
        """The lines have another width."""

    def on_resize(self) -> None:
        self.post_message(self.Resized())


class SessionsScreen(Form[int]):
    """Dismissed with the session to open, 0 for a new one, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *actions.bindings("list"),
        Binding(
            "ctrl+n",
            "new_session",
            "New",
            tooltip=actions.find_action("new-session").about,
            id="new-session",
        ),
    ]
    DEFAULT_CSS = """
    SessionsScreen #kept, SessionsScreen #kept:focus {
        background-tint: $surface 0%;
        height: 1fr; border: none; padding: 0; background: $surface; scrollbar-size-vertical: 1;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    SessionsScreen #kept > .option-list--option-highlighted { background: $primary 12%; }
    SessionsScreen #none { height: 1fr; color: $text-muted; padding: 1 1; display: none; }
    SessionsScreen.-none #none { display: block; }
    SessionsScreen.-none #kept { display: none; }
    SessionsScreen #name, SessionsScreen #deleted { display: none; }
    SessionsScreen #deleted { height: auto; color: $text-warning; }
    SessionsScreen.-renaming #name { display: block; }
    """

    def __init__(self, keeper: Keeper, signs: Signs) -> None:
        super().__init__(id="list")
        self._keeper = keeper
        self._signs = signs
        self._found: tuple[Session, ...] = ()
        self._deleted: list[Session] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="panel") as panel:
            panel.border_title = "Sessions"
            yield Input(
                id="search",
                placeholder="Search in names, questions and texts",
                select_on_focus=False,
            )
            yield Kept(id="kept", markup=False)
            yield Static("reading", id="none", markup=False)
            name = Input(id="name")
            name.border_title = "New name"
            name.border_subtitle = "Enter renames, Esc leaves it as it is"
            yield name
            yield wrong("session")
            yield Static(id="deleted", markup=False)
        yield Keys()

    def on_mount(self) -> None:
        self.query_one("#kept").focus()
        self._list()

    def on_kept_resized(self) -> None:
        self._show()

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.input.id == "search":
            self._list()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.input.id == "search":
            self.action_open_session()
        else:
            self.run_worker(self._rename(event.value), group="rename", exit_on_error=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self._go(self._found[event.option_index].id)

    def on_key(self, event: events.Key) -> None:
        """Typing searches; the arrows go between the field and the list."""
        search, kept = self.query_one("#search", Input), self.query_one("#kept", OptionList)
        if search.has_focus and event.key == "down":
            kept.focus()
        elif kept.has_focus and event.key == "up" and not kept.highlighted:
            search.focus()
        elif kept.has_focus and event.is_printable and event.character:
            search.focus()
            search.insert_text_at_cursor(event.character)
        else:
            return
        event.stop()
        event.prevent_default()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether there is a session to do an action with."""
        if action in ("open_session", "rename", "delete"):
            return self._choice is not None and not self.has_class("-renaming")
        if action == "undelete":
            return bool(self._deleted)
        return super().check_action(action, parameters)

    def action_open_session(self) -> None:
        if session := self._choice:
            self._go(session.id)

    def _go(self, session: int | None) -> None:
        self.run_worker(self._leave(session), exclusive=True, group="leave", exit_on_error=False)

    def action_new_session(self) -> None:
        self._go(0)

    def action_rename(self) -> None:
        """Asks for another name, in a field below the list."""
        if session := self._choice:
            self.add_class("-renaming")
            self.refresh_bindings()
            field = self.query_one("#name", Input)
            field.value = session.name
            field.focus()

    def action_back(self) -> None:
        """Leaves the field of the name, or the list."""
        if self.has_class("-renaming"):
            self._name_session()
        else:
            self._go(None)

    def action_delete(self) -> None:
        """Takes a session out of the list; it can be taken back until the list is left."""
        session = self._choice
        if session is None:
            return
        self._keeper.discard(session.id)
        self._deleted.append(session)
        self._list(self.query_one("#kept", OptionList).highlighted)
        self._say_deleted()

    def action_undelete(self) -> None:
        """Takes back what was deleted last."""
        if self._keeper.take_back() is not None:
            self._deleted.pop()
            self._list()
            self._say_deleted()

    def _say_deleted(self) -> None:
        """Says what will be deleted for good, and how to take it back."""
        shown = self.query_one("#deleted", Static)
        shown.display = bool(self._deleted)
        if self._deleted:
            last = self._deleted[-1]
            kept = number(last.messages, "message")
            more = f" and {len(self._deleted) - 1} more" if len(self._deleted) > 1 else ""
            shown.update(
                f"Deleted: {title(last)} ({kept}){more}. F5 takes it back; it is gone for good"
                " when you leave this list."
            )
        self.refresh_bindings()

    async def _leave(self, session: int | None) -> None:
        """Deletes for good what was deleted, and closes."""
        for gone in await asyncio.to_thread(self._keeper.empty_bin):
            self.post_message(Deleted(gone))
        self.dismiss(session)

    @property
    def _choice(self) -> Session | None:
        at = self.query_one("#kept", OptionList).highlighted
        return self._found[at] if at is not None and at < len(self._found) else None

    def _list(self, at: int | None = None) -> None:
        self.run_worker(self._look_up(at), exclusive=True, group="list", exit_on_error=False)

    async def _look_up(self, at: int | None) -> None:
        query = self.query_one("#search", Input).value
        self._found = await asyncio.to_thread(self._keeper.all, query)
        self._show(at)
        none = f"No session holds {one_line(query)!r}." if query.strip() else NONE
        self.query_one("#none", Static).update(none)
        self.set_class(not self._found, "-none")

    def _show(self, at: int | None = None) -> None:
        """Lists what was found, the entry with this number marked, or the one that was."""
        kept = self.query_one("#kept", OptionList)
        at = kept.highlighted if at is None else at
        kept.clear_options()
        now = datetime.now().astimezone()
        width = kept.scrollable_content_region.width - 2
        open_now = self._keeper.session
        kept.add_options(
            Option(self._line(session, open_now, now, width)) for session in self._found
        )
        if self._found:
            kept.highlighted = min(at or 0, len(self._found) - 1)
        self.refresh_bindings()

    def _line(self, session: Session, opened: Session | None, now: datetime, width: int) -> Content:
        here = opened is not None and opened.id == session.id
        facts = ["open"] if here else []
        if width >= 60:
            facts.append(number(session.messages, "message"))
        facts.append(when(session.changed, now))
        rest = f" {self._signs.dash} ".join(facts)
        room = max(8, width - len(rest) - 4)
        name = below.fit_line(Content(title(session, room)), room, self._signs).plain
        name = set_cell_size(name, room)
        sign = f"{self._signs.selection} " if here else "  "
        style = "bold" if session.name else "" if session.messages else "italic"
        return Content.assemble((sign, "$primary"), (name, style), ("  " + rest, "$secondary"))

    def _name_session(self) -> None:
        self.remove_class("-renaming")
        self.refresh_bindings()
        self.complain("session", "")
        self.query_one("#kept").focus()

    async def _rename(self, name: str) -> None:
        session = self._choice
        if session is not None and await self._try_change(self._keeper.rename, session.id, name):
            self._name_session()
            self._list()

    async def _try_change(self, change: Callable[..., None], *values: object) -> bool:
        """Return whether a change was made; else it is said why not."""
        try:
            await asyncio.to_thread(change, *values)
        except StateError as error:
            self.complain("session", one_line(str(error)))
            return False
        self.complain("session", "")
        return True


def title(session: Session, width: int = 100) -> str:
    """Return what a session is called in a list: its name, or how its first text begins, and its
    latest one too."""
    first, last = (one_line(text).strip() for text in (session.opening, session.latest))
    if session.name or not last or last == first:
        return session.name or crop(first, width) or UNSENT
    room = max(8, (width - len(LATEST)) // 2)
    return f"{crop(first, room)}{LATEST}{crop(last, room)}"


def when(moment: datetime, now: datetime) -> str:
    """A moment as people say it, in the zone of ``now``."""
    local = moment.astimezone(now.tzinfo)
    days = (now.date() - local.date()) // timedelta(days=1)
    if days <= 1:
        day = "yesterday" if days == 1 else "today"
        return f"{day} {local:%H:%M}"
    return f"{local.day} {local:%b}" if local.year == now.year else f"{local.day} {local:%b %Y}"
