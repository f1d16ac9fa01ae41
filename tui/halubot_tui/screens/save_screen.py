"""Where to save the corrected text or a report."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import work
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from halubot.errors import HalubotError
from halubot.render.inert import one_line
from halubot_tui.exports import (
    SUFFIXES,
    ExistsError,
    Format,
    default_path,
    find_whole_path,
    is_corrected,
    write_export,
)
from halubot_tui.theme import Signs
from halubot_tui.widgets.key_bar import KeyBar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot_tui.text_check import TextCheck

CHOICES: Final[Mapping[Format, str]] = {
    "text": "the corrected text",
    "markdown": "a report, Markdown",
    "html": "a report, web page",
    "json": "a report, JSON",
}


class SaveScreen(ModalScreen[None]):
    """What is saved, and where; Enter saves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "save", "save", priority=True),
        Binding("tab", "app.focus_next", "text or report"),
        Binding("escape", "dismiss", "cancel"),
    ]

    def __init__(self, check: TextCheck, signs: Signs) -> None:
        super().__init__()
        self._signs = signs
        self._saved_check = check
        self._replace: Path | None = None

    def compose(self) -> ComposeResult:
        choices: dict[Format, str] = dict(CHOICES)
        if not is_corrected(self._saved_check):
            choices["text"] = "the text (nothing is changed)"
        with Vertical(classes="dialog small", id="saving"):
            yield OptionList(*(Option(words, key) for key, words in choices.items()), id="what")
            with Horizontal(classes="row"):
                yield Label("As", classes="label")
                yield Input(id="path", compact=True)
            yield Static(id="whole", markup=False)
            yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#saving").border_title = "Save"
        self.query_one("#what", OptionList).highlighted = 0
        self.query_one("#path").focus()

    @property
    def _choice(self) -> Format:
        return [*CHOICES][self.query_one("#what", OptionList).highlighted or 0]

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        field = self.query_one("#path", Input)
        field.value = str(default_path(self._saved_check, self._choice))
        field.cursor_position = len(field.value)

    def on_input_changed(self, event: Input.Changed) -> None:
        self._replace = None
        path = find_whole_path(Path(event.value.strip() or "."))
        told = "" if str(path) == event.value.strip() else one_line(str(path))
        self._say(told, "$secondary")

    def _say(self, words: str, look: str) -> None:
        self.query_one("#whole", Static).update(Content(words).stylize(look))

    @work(exclusive=True, group="saving", exit_on_error=False)
    async def action_save(self) -> None:
        """Write the file; a second Enter replaces one that is there."""
        name = self.query_one("#path", Input).value.strip()
        if not name:
            self._say("Name a file.", "$doubtful")
            return
        path = Path(name)
        if not path.suffix:
            path = path.with_suffix(SUFFIXES[self._choice])
        try:
            written = await asyncio.to_thread(
                write_export,
                self._saved_check,
                self._choice,
                path,
                replace=self._replace == path,
            )
        except ExistsError:
            self._replace = path
            there = f"{one_line(path.name)} is there already: Enter replaces it."
            self._say(there, "bold $doubtful")
            return
        except HalubotError as error:
            self._say(one_line(str(error)), "$contradicted")
            return
        self._saved_check.saved = one_line(str(written))
        self.dismiss()
