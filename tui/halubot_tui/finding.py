"""Words are found in the messages of the open session and of all others."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Final

from textual import work
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from halubot.render.inert import one_line
from halubot_tui.form import Form
from halubot_tui.keys import Keys
from halubot_tui.session_keeper import Found
from halubot_tui.sessions import title, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot_tui.looks import Signs
    from halubot_tui.session_keeper import Keeper

ASKED: Final = (
    "Type words: they are looked for in all questions, texts, other answers, documents that were"
    " pasted, and corrected texts."
)
_LEAD: Final = 24
"""Characters that are shown before the first word that was found."""
_LONGEST: Final = 200


class FindScreen(Form[Found]):
    """Dismissed with the message to go to, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "go", "Go there", tooltip="Go to this message.", priority=True),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("up", "move(-1)", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    FindScreen #hits {
        height: 1fr; border: none; padding: 0; background: $surface; scrollbar-size-vertical: 1;
        text-wrap: nowrap; text-overflow: ellipsis; background-tint: $surface 0%;
    }
    FindScreen #hits > .option-list--option-highlighted {
        background: $primary 12%; color: $foreground; text-style: none;
    }
    FindScreen #hits > .option-list--option-disabled { color: $text-muted; text-style: bold; }
    FindScreen #none { height: auto; color: $text-muted; padding: 0 1; }
    """

    def __init__(self, keeper: Keeper, signs: Signs) -> None:
        super().__init__()
        self._keeper = keeper
        self._signs = signs
        self._found: list[Found | None] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="panel") as panel:
            panel.border_title = "Find"
            yield Input(id="search", placeholder="Words of a question, a text or an answer")
            yield Static(ASKED, id="none", markup=False)
            hits = OptionList(id="hits", markup=False)
            hits.can_focus = False
            yield hits
        yield Keys()

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#search").focus()

    def on_input_changed(self) -> None:
        self._look_up()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_go()

    def on_option_list_option_highlighted(self) -> None:
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether there is a message to go to."""
        if action == "go":
            return self._choice is not None
        return super().check_action(action, parameters)

    def action_move(self, by: int) -> None:
        hits = self.query_one("#hits", OptionList)
        if by > 0:
            hits.action_cursor_down()
        else:
            hits.action_cursor_up()

    def action_go(self) -> None:
        """Goes to the message that is marked."""
        if self._choice is not None:
            self.dismiss(self._choice)

    @property
    def _choice(self) -> Found | None:
        if not self.is_mounted:
            return None
        at = self.query_one("#hits", OptionList).highlighted
        return self._found[at] if at is not None and at < len(self._found) else None

    @work(exclusive=True, group="find", exit_on_error=False)
    async def _look_up(self) -> None:
        query = self.query_one("#search", Input).value
        found = await asyncio.to_thread(self._keeper.find, query)
        hits = self.query_one("#hits", OptionList)
        hits.clear_options()
        self._found = []
        opened = self._keeper.session
        last: str | None = None
        for one in found:
            here = opened is not None and one.session.id == opened.id
            heading = "In this session" if here else "In other sessions"
            if heading != last:
                self._found.append(None)
                hits.add_option(Option(heading, disabled=True))
                last = heading
            self._found.append(one)
            hits.add_option(Option(self._line(one, query, here=here)))
        hits.highlighted = 1 if found else None
        none = (
            f"No message contains {self._signs.quote(one_line(query))}." if query.strip() else ASKED
        )
        shown = self.query_one("#none", Static)
        shown.update(none)
        shown.display = not found
        self.refresh_bindings()

    def _line(self, found: Found, query: str, *, here: bool) -> Content:
        """Return the line with a word that was found, in the midst of its text, when that was sent,
        and in which session."""
        text = one_line(found.hit.words)
        words = query.casefold().split()
        folded = text.casefold()
        first = min((folded.find(word) for word in words), default=0)
        at = max(0, first - _LEAD)
        if at:  # not in the midst of a word
            at = max(at, text.find(" ", at, first) + 1)
        shown = Content((self._cut_note if at else "") + text[at : at + _LONGEST])
        for start, end in _places(shown.plain.casefold(), words):
            shown = shown.stylize("bold $primary", start, end)
        moment = when(found.hit.at, datetime.now().astimezone())
        name = moment if here else f"{title(found.session)[:24]} ({moment})"
        return Content.assemble("  ", (f"{name}: ", "$secondary"), shown)

    @property
    def _cut_note(self) -> str:
        return "..." if self._signs.ascii else "\u2026"


def _places(text: str, words: list[str]) -> Iterator[tuple[int, int]]:
    for word in words:
        at = text.find(word)
        while at >= 0:
            yield at, at + len(word)
            at = text.find(word, at + len(word))
