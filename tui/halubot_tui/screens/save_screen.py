"""Where to save the corrected text, a report or the whole session."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import work
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Label, Select, Static

from halubot.errors import HalubotError
from halubot.render.inert import one_line
from halubot_tui.exports import (
    SUFFIXES,
    ExistsError,
    Format,
    Saved,
    Wanted,
    What,
    default_path,
    find_whole_path,
    write_export,
)
from halubot_tui.theme import Signs
from halubot_tui.widgets.key_bar import KeyBar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot_tui.text_check import TextCheck

CHOICES: Final[Mapping[str, tuple[str, What, Format]]] = {
    "text": ("the corrected text", "text", "plain"),
    "markdown": ("a report, Markdown", "report", "markdown"),
    "html": ("a report, web page", "report", "html"),
    "json": ("a report, JSON", "report", "json"),
    "session": ("the whole session, Markdown", "session", "markdown"),
}


class SaveScreen(ModalScreen[None]):
    """What is saved, and where; Enter saves from every field."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "save", "save", priority=True),
        Binding("tab", "app.focus_next", "next field"),
        Binding("escape", "dismiss", "cancel"),
    ]

    def __init__(self, check: TextCheck, session: str, signs: Signs) -> None:
        super().__init__()
        self._signs = signs
        self._saved_check = check
        self._session_title = session
        self._replace: Path | None = None
        self._proposed: tuple[What, Format] | None = None

    def compose(self) -> ComposeResult:
        changed = bool(self._saved_check.corrections.changes or self._saved_check.inputs.version_of)
        label = "the corrected text" if changed else "the text (nothing is changed)"
        options = [
            (label if key == "text" else words, key) for key, (words, _, _) in CHOICES.items()
        ]
        with Vertical(classes="dialog small", id="saving"):
            with Horizontal(classes="row"):
                yield Label("Save", classes="label")
                yield Select(options, value="text", allow_blank=False, id="what", compact=True)
            with Horizontal(classes="row"):
                yield Label("As", classes="label")
                yield Input(id="path", compact=True)
            yield Static(id="whole", markup=False)
            yield KeyBar(ascii=self._signs.ascii)

    def on_mount(self) -> None:
        self.query_one("#saving").border_title = "Save"
        self._propose()
        self.query_one("#path").focus()

    @property
    def _choice(self) -> tuple[What, Format]:
        _, what, format = CHOICES[str(self.query_one("#what", Select).value)]
        return what, format

    def _propose(self) -> None:
        what, format = self._proposed = self._choice
        path = default_path(self._saved_check, what, format, self._session_title)
        field = self.query_one("#path", Input)
        field.value = str(path)
        field.cursor_position = len(field.value)

    def on_select_changed(self) -> None:
        # It also comes once by itself, when a path may have been typed.
        if self._choice != self._proposed:
            self._propose()
            self.query_one("#path").focus()  # where Enter saves

    def on_input_changed(self, event: Input.Changed) -> None:
        self._replace = None
        path = find_whole_path(Path(event.value.strip() or "."))
        self._say(Content(one_line(str(path))).stylize("$secondary"))

    def _say(self, words: Content) -> None:
        self.query_one("#whole", Static).update(words)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enter opens the list of a choice that has the focus."""
        if action == "save" and isinstance(self.focused, Select):
            return False
        if action == "save" and self.focused is not None and not isinstance(self.focused, Input):
            return False
        return super().check_action(action, parameters)

    @work(exclusive=True, group="saving", exit_on_error=False)
    async def action_save(self) -> None:
        """Write the file; a second Enter replaces one that is there."""
        what, format = self._choice
        name = self.query_one("#path", Input).value.strip()
        if not name:
            self._say(Content("Name a file.").stylize("$doubtful"))
            return
        path = Path(name)
        if not path.suffix:
            path = path.with_suffix(SUFFIXES[format])
        wanted = Wanted(what, format, path, replace=self._replace == path)
        try:
            checks = await self._checks(what)
            written = await asyncio.to_thread(write_export, wanted, checks, self._session_title)
        except ExistsError:
            self._replace = path
            words = f"{one_line(path.name)} is there already: Enter replaces it."
            self._say(Content(words).stylize("bold $doubtful"))
            return
        except HalubotError as error:
            self._say(Content(one_line(str(error))).stylize("$contradicted"))
            return
        self.app.notify(f"{written}", title="Saved", markup=False, timeout=8)
        self.dismiss()

    async def _checks(self, what: What) -> list[Saved]:
        from halubot_tui.app import HalubotApp

        if what != "session" or not isinstance(self.app, HalubotApp):
            return [Saved.of(self._saved_check)]
        found = []
        for check in self.app.open_checks.checks:
            await self.app.open_checks.read(check)
            found.append(Saved.of(check))
        return found
