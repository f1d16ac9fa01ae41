"""Saves a corrected text, a report, the session, or what a person said of facts, to a file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Static

from halubot.errors import HalubotError
from halubot.render import captions
from halubot.render.inert import one_line
from halubot_tui import actions
from halubot_tui.exports import SUFFIXES, ExistsError, Format, Wanted, What, find_whole_path
from halubot_tui.form import Fields, Form, label, wrong
from halubot_tui.keys import Keys
from halubot_tui.picks import Pick, Picks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.binding import BindingType

FORMATS: Final[Mapping[Format, str]] = {
    "markdown": "Markdown: to read as it is, on GitHub and in chats",
    "html": "HTML: a page of its own, with all evidence",
    "json": "JSON: everything, for programs",
    "svg": "SVG: a picture",
}
"""The formats of a report. A corrected text is written as it is, what a person said as JSON
lines."""


class ExportForm(Form[Path]):
    """Asks what to save, how and in which folder; dismissed with the path of the file that was
    written. ``names`` are names of files without suffix, ``save`` writes, ``text`` is what the text
    is called as its correction stands, with how far that is; ``first`` is chosen if it can be."""

    BINDINGS: ClassVar[list[BindingType]] = [
        actions.find_action("write-file").binding(),
        # before a list of formats, which would take it for a choice
        Binding("enter", "enter", "Save", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    ExportForm > #panel { height: auto; max-height: 94%; max-width: 88; }
    ExportForm.-small > #panel { height: 100%; }
    ExportForm #fields { height: auto; max-height: 30; }
    ExportForm.-small #fields { height: 1fr; max-height: 100%; }
    ExportForm Picks, ExportForm #fixed { margin-bottom: 1; }
    """

    def __init__(
        self,
        names: Mapping[What, str],
        messages: int,
        save: Callable[[Wanted], Awaitable[Path]],
        text: tuple[str, str] = ("the corrected text", ""),
        first: What = "text",
    ) -> None:
        super().__init__()
        self._first: What = first if first in names else "message"
        self._text, self._standing = text
        self._names = names
        self._messages = messages
        self._save = save
        self._proposed = ""
        self._refused: Path | None = None

    def compose(self) -> ComposeResult:
        session = f"the session: {captions.number(self._messages, 'message')}"
        corrected = "text" in self._names
        with Vertical(id="panel") as panel:
            panel.border_title = "Save to a file"
            with Fields():
                yield label("What")
                yield Picks(
                    [
                        *([Pick("text", self._text)] if corrected else []),
                        Pick("message", "the result of the check"),
                        Pick("session", session),
                        Pick("feedback", "my own verdicts on facts (d)"),
                    ],
                    id="what",
                    chosen=self._first,
                )
                yield label("File")
                yield Input(id="path")
                yield wrong("path")
                yield Static(id="whole-path", classes="hint", markup=False)
                yield label("As")
                yield Static(id="fixed", markup=False)
                formats = [Pick(name, about) for name, about in FORMATS.items()]
                yield Picks(formats, id="format", chosen="markdown")
                more = Pick("verbose", "with all that is supported, and all evidence")
                yield Picks([more], id="verbose", many=True)
            with Horizontal(classes="buttons"):
                yield Button("Back", id="back", compact=True)
                yield Button("Save", id="save", variant="primary", compact=True)
        yield Keys()

    def on_mount(self) -> None:
        self.on_picks_changed()
        self.query_one("#what").focus()

    def on_picks_changed(self) -> None:
        fixed = self._what in ("text", "feedback")
        for name in ("#format", "#verbose"):
            self.query_one(name).display = not fixed
        said = "JSON lines, for programs"
        if self._what == "text":
            said = "a plain text, without the result of the check"
            said += f"\n{self._standing}" if self._standing else ""
        self.query_one("#fixed", Static).update(said)
        self.query_one("#fixed").display = fixed
        self._propose()

    def on_input_changed(self) -> None:
        self._refused = None
        self.complain("path", "")
        named = self.query_one("#path", Input).value.strip()
        path = one_line(str(find_whole_path(Path(named)))) if named else ""
        self.query_one("#whole-path", Static).update(path)

    def on_input_submitted(self) -> None:
        self.action_write_file()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "save":
            self.action_write_file()
        else:
            self.action_back()

    def action_enter(self) -> None:
        """Saves, from every field; presses the button that has the focus."""
        if isinstance(self.focused, Button):
            self.focused.press()
        else:
            self.action_write_file()

    def action_write_file(self) -> None:
        self.run_worker(self._write(), exclusive=True, group="export", exit_on_error=False)

    @property
    def _what(self) -> What:
        match self.query_one("#what", Picks).value:
            case "text":
                return "text"
            case "session":
                return "session"
            case "feedback":
                return "feedback"
            case _:
                return "message"

    @property
    def _format(self) -> Format:
        if self._what in ("text", "feedback"):
            return "plain" if self._what == "text" else "jsonl"
        chosen = self.query_one("#format", Picks).value
        return next((name for name in FORMATS if name == chosen), "markdown")

    def _propose(self) -> None:
        """Writes a path for what is chosen, unless the person wrote one of their own."""
        field = self.query_one("#path", Input)
        if field.value.strip() in ("", self._proposed):
            self._proposed = self._names[self._what] + SUFFIXES[self._format]
            field.value = self._proposed

    async def _write(self) -> None:
        named = self.query_one("#path", Input).value.strip()
        if not named:
            self._complain("Name a file.")
            return
        path = Path(named)
        wanted = Wanted(
            what=self._what,
            format=self._format,
            path=path,
            replace=self._refused == path,
            verbose=bool(self.query_one("#verbose", Picks).value),
        )
        try:
            made = await self._save(wanted)
        except ExistsError as error:
            self._complain(f"{one_line(str(error))}: save again to replace it.")
            self._refused = path
            return
        except HalubotError as error:
            self._complain(one_line(str(error)))
            return
        said, title = one_line(str(made)), "Saved"
        if self._what == "text":
            title = f"Saved: {self._text}"
            said += f" ({self._standing})" if self._standing else ""
        self.app.notify(said, title=title, markup=False)
        self.dismiss(made)

    def _complain(self, why: str) -> None:
        self.complain("path", why)
        self.query_one("#path").focus()
