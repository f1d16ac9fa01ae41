"""The composer, in which a person writes: a question, several lines of it, a file, or a command."""

from __future__ import annotations

import asyncio
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from textual.actions import SkipAction
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, TextArea
from textual.widgets.option_list import Option

from halubot.render.inert import one_line
from halubot_tui import actions
from halubot_tui.messages import Commanded, Offered, Paged, Sent, Walked
from halubot_tui.text_area import Editor, is_like_a_path, path_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult

ASKING: Final = "Ask a question or drop a file; / lists commands"
CHECKING: Final = "Paste or drop a text to check; / lists commands"
"""What stands in the empty field with a model, and without one."""
TO_CHECK: Final = "Enter checks this text"
TO_ASK: Final = "Enter asks, F2 checks it as a text"
"""What to do with what is written, without a model and with one."""
LONGEST_QUESTION: Final = 300
"""Characters of a question; what is longer is a text."""
LOADING: Final = " (the model library is being loaded)"


class Prompt(Editor):
    """The field where one writes. While it is empty the keys that move by pages move what is read,
    and without a model digits show views."""

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Return whether a key is written here."""
        composer = self.parent
        waits = isinstance(composer, Composer) and composer.waits_for_text
        if waits and (character or "").isdigit():
            return False
        return super().check_consume_key(key, character)

    def action_cursor_page_up(self) -> None:
        if self.text:
            super().action_cursor_page_up()
        else:
            self.post_message(Paged(-1))

    def action_cursor_page_down(self) -> None:
        if self.text:
            super().action_cursor_page_down()
        else:
            self.post_message(Paged(1))


class Composer(Vertical):
    """Enter sends, shift+enter or alt+enter begins a new line; up and down at the edges go through
    what was sent before; while nothing is written or to come back, through the facts. A line that
    begins with / is a command: the name of an action."""

    BINDINGS = actions.bindings("composer")
    SCOPED_CSS = False  # the class of plain signs is the app's
    DEFAULT_CSS = """
    Composer {
        height: auto; max-height: 14; border: round $rule; padding: 0 1; background: $surface;
        border-subtitle-color: $text-muted;
        border-title-color: $secondary;
    }
    Composer:focus-within { border: round $primary; border-subtitle-color: $text-muted; }
    .-ascii Composer { border: ascii $rule; }
    .-ascii Composer:focus-within { border: ascii $primary; }
    Composer Editor { min-height: 1; max-height: 8; }
    Composer #suggested {
        display: none; height: auto; max-height: 6; border: none; padding: 0;
        background: $surface; scrollbar-size-vertical: 1;
        scrollbar-color: $rule; scrollbar-background: $surface;
        scrollbar-color-hover: $secondary; scrollbar-background-hover: $surface;
        scrollbar-color-active: $primary; scrollbar-background-active: $surface;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    .-ascii Composer #suggested { text-overflow: clip; }
    Composer.-command #suggested { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(id="composer")
        self._sent: list[str] = []
        self._at: int | None = None
        self._draft = ""
        self._who = ""
        self._loading = self._asks = False
        self._cost = ""
        self._suggestions: OptionList | None = None
        """The commands that are suggested; mounted with the first."""

    def compose(self) -> ComposeResult:
        yield Prompt(id="written", placeholder=CHECKING)

    @property
    def editor(self) -> Editor:
        """The field itself."""
        return self.query_one(Editor)

    @property
    def waits_for_text(self) -> bool:
        """Return whether it has the focus, is empty, and is for texts to check, not questions."""
        return not self._asks and self.editor.has_focus and not self.editor.text

    @property
    def text(self) -> str:
        """Return what is written and not sent yet, long pastes and paths of files in full."""
        return self.editor.whole

    def focus(self, scroll_visible: bool = True, from_app_focus: bool = False) -> Self:
        self.editor.focus(scroll_visible)
        return self

    def restore(self, text: str, files: Iterable[str] = ()) -> None:
        """Puts back what could not be answered, unless something else is written by now."""
        if not self.editor.text.strip():
            self.editor.write(text, tuple(Path(file) for file in files))

    def take(self) -> str:
        """Takes away what is written, to be gone on with elsewhere."""
        text = self.text.strip()
        self.editor.text = ""
        return text

    def remember(self, sent: Iterable[str]) -> None:
        """Remember the messages sent before in this session, the latest last."""
        self._sent, self._at = list(sent), None

    def say(self, who: str, *, asks: bool) -> None:
        """Says on the lower edge who will answer, and in the empty field what to write there:
        questions only if a model ``asks`` for them."""
        self._who = one_line(who)
        self._cost = ""
        self._asks = asks
        self._say()
        self.editor.placeholder = ASKING if asks else CHECKING

    def load(self, *, loading: bool) -> None:
        """Says beside it that the library of models is being loaded."""
        self._loading = loading
        self._say()

    def price(self, cost: str) -> None:
        """Says beside it what a message costs."""
        self._cost = f", {cost}" if cost else ""
        self._say()

    def title(self, session: str) -> None:
        """Says on the upper edge which session is open; nothing of one without a name."""
        self.border_title = Content(one_line(session))

    def _say(self) -> None:
        said = self._who + (LOADING if self._loading else self._cost)
        if self.editor.text.strip() and _command_in(self.editor.text) is None:
            both = f"{said}: {TO_ASK}"  # who receives the text is more than how it is sent
            said = TO_CHECK if not self._asks else both if len(both) < self.size.width - 4 else said
        if said != str(self.border_subtitle):
            self.border_subtitle = Content(said)

    def action_send(self) -> None:
        """Sends what is written, if anything is, once all keys before are written: those of one
        who types fast, or over a slow line, come after this one."""
        self.editor.call_later(self._send)

    async def _send(self) -> None:
        editor = self.editor
        if editor.break_line() or await self._command():
            return
        written, typed = editor.content_written, editor.text
        text, files = written.text, written.files
        if not files and (path := await asyncio.to_thread(path_in, text, relative=True)):
            text, files = "", (path,)
        if not text and not files:
            return
        if not files and is_like_a_path(text):
            self.notify(f"There is no file {one_line(text)}.", severity="warning", markup=False)
            return
        self._sent.append(typed)
        self._at = None
        editor.text = ""
        if text:
            given = tuple(str(path) for path in files)
            from halubot_tui.turns import Inputs

            self.post_message(Sent(Inputs(kind="ask", text=text, files=given)))
        else:
            for path in files:
                self.post_message(Offered(path))

    def action_new_line(self) -> None:
        self.editor.call_later(self.editor.action_new_line)

    def action_complete(self) -> None:
        """Writes out the command that is suggested."""
        chosen = self._suggestion()
        if chosen is None:
            raise SkipAction
        self.editor.write(f"/{chosen.id}")

    def action_earlier(self) -> None:
        self._go(-1)

    def action_later(self) -> None:
        self._go(1)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        self._say()
        word = _command_in(event.text_area.text)
        found = [] if word is None else [one for one in actions.commands() if _fits(one, word)]
        self.set_class(bool(found), "-command")
        if not found and self._suggestions is None:
            return
        suggested = self._suggestions or self._begin_to_suggest()
        suggested.clear_options()
        width = max((len(one.id) for one in found), default=0) + 3
        for one in found:
            line = Content.assemble((f"/{one.id}".ljust(width), "$primary"), one.about)
            suggested.add_option(Option(line, id=one.id))
        if found:
            suggested.highlighted = 0

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_id is not None:
            self._carry_out(actions.find_action(event.option_id))

    def on_editor_pasted(self, event: Editor.Pasted) -> None:
        """A text that is pasted into the empty field is checked, unless a model is to say more."""
        event.stop()
        text = event.editor.whole
        if event.alone and not (self._asks or is_question(text)) and _command_in(text) is None:
            self.action_send()

    async def _command(self) -> bool:
        """Carries out the command that is written; whether one is."""
        word = _command_in(self.editor.text)
        if word is None:
            return False
        exact = next((one for one in actions.commands() if one.id == word), None)
        chosen = exact or self._suggestion()
        if chosen is not None:
            self._carry_out(chosen)
            return True
        if await asyncio.to_thread(path_in, self.editor.text):
            return False
        near = get_close_matches(word, [one.id for one in actions.commands()], n=1, cutoff=0.5)
        hint = f"did you mean /{near[0]}?" if near else "F1 says what can be done"
        self.notify(f"there is no command /{one_line(word)}: {hint}", markup=False)
        return True

    def _carry_out(self, action: actions.Action) -> None:
        self.editor.text = ""
        self.post_message(Commanded(action))

    def _suggestion(self) -> actions.Action | None:
        """The command that is suggested first, or was chosen."""
        option = None if self._suggestions is None else self._suggestions.highlighted_option
        return None if option is None or option.id is None else actions.find_action(option.id)

    def _begin_to_suggest(self) -> OptionList:
        self._suggestions = suggested = OptionList(id="suggested", markup=False)
        suggested.can_focus = False
        self.mount(suggested, before=self.editor)
        return suggested

    def _go(self, by: int) -> None:
        """Goes through the suggestions, or at the edges through what was sent; from the empty field
        through the facts; else the cursor moves as ever."""
        suggested = self._suggestions
        if suggested is not None and suggested.option_count:
            move = suggested.action_cursor_up if by < 0 else suggested.action_cursor_down
            move()
            return
        editor = self.editor
        row, last = editor.cursor_location[0], editor.document.line_count - 1
        if row == (0 if by < 0 else last) and self._recall(by):
            return
        if editor.text:
            raise SkipAction
        self.post_message(Walked(by))

    def _recall(self, by: int) -> bool:
        """Shows what was sent before, or after; whether there was anything."""
        if not self._sent or (self._at is None and by > 0):
            return False
        editor = self.editor
        if self._at is None:
            self._draft, self._at = editor.text, len(self._sent)
        self._at = max(0, self._at + by)
        if self._at >= len(self._sent):
            self._at = None
        editor.text = self._draft if self._at is None else self._sent[self._at]
        editor.move_cursor(editor.document.end)
        return True


def is_question(text: str) -> bool:
    """Return whether a text asks for an answer more than for a check."""
    return text.rstrip().endswith("?") and len(text) <= LONGEST_QUESTION


def _command_in(text: str) -> str | None:
    """The command that is being written; None if it is none."""
    text = text.rstrip()
    if not text.startswith("/") or "\n" in text or " " in text or "/" in text[1:]:
        return None
    return text[1:].lower()


def _fits(action: actions.Action, word: str) -> bool:
    """Return whether a command may be meant by its beginning."""
    return any(part.startswith(word) for part in (action.id, action.label.lower()))
