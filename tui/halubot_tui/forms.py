"""The form in which a text is checked: the text, what it answers, what to compare it with."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, Select, Static

from halubot.errors import HalubotError
from halubot.render.inert import one_line
from halubot_tui import actions
from halubot_tui.drafts import Draft, Given
from halubot_tui.form import Form, hint, label, wrong
from halubot_tui.keys import Keys
from halubot_tui.materials import Materials
from halubot_tui.preferences import parted
from halubot_tui.turns import Inputs
from halubot_tui.writing import Editor, path_in

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot_tui.preferences import Preferences

Choice = tuple[Content, str]

NOTHING: Final = (
    "Give a sample, a reference or knowledge, or choose a model in the settings (F8): there is"
    " nothing to compare the text with."
)


class CheckForm(Form[Inputs]):
    """What to check, and what to compare it with; dismissed with it, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        actions.named("check-now").binding(),
        Binding("f8", "app.settings", "Settings", id="settings"),
    ]
    DEFAULT_CSS = """
    CheckForm #text { min-height: 4; max-height: 12; }
    """

    def __init__(self, draft: Draft, preferences: Preferences) -> None:
        super().__init__()
        self._draft = draft
        self._preferences = preferences

    def compose(self) -> ComposeResult:
        draft = self._draft
        with Vertical(id="panel") as panel:
            panel.border_title = "Check a text"
            with VerticalScroll(id="fields", can_focus=False):
                yield label("Text")
                with Vertical(classes="field"):
                    yield Editor(id="text", placeholder="Paste the text, or drop its file")
                yield wrong("text")
                yield label("Question")
                yield Input(draft.question, id="question", placeholder="What it answers (optional)")
                yield label("Samples")
                yield Materials(
                    draft.samples, "Another answer to the same question, or a file", "samples"
                )
                yield wrong("samples")
                yield label("References")
                yield Materials(
                    draft.references,
                    "A text to be taken at its word, a file or a folder",
                    "references",
                )
                yield wrong("references")
                yield hint("Enter adds, Del takes out of the list. A path becomes its file.")
                yield label("Method")
                yield Select([self._usual], allow_blank=False, id="method")
                yield label("Knowledge")
                yield Input(
                    shlex.join(draft.knowledge),
                    id="knowledge",
                    placeholder="names, parted by spaces",
                )
                yield Static(classes="hint", id="bases", markup=False)
                yield wrong("knowledge")
            with Horizontal(classes="buttons"):
                yield Button("Back", id="back", compact=True)
                yield Button("Check", id="check", variant="primary", compact=True)
        yield Keys()

    def on_mount(self) -> None:
        editor = self.query_one("#text", Editor)
        editor.write(self._draft.text)
        editor.focus()
        self.run_worker(self._list_methods(self._draft.method), exit_on_error=False)
        self.run_worker(self._list_knowledge(), exit_on_error=False)

    def prefer(self, preferences: Preferences) -> None:
        """Lists the methods anew: the usual one may be another."""
        self._preferences = preferences
        self.run_worker(self._list_methods(self._method), exit_on_error=False)

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "check":
            self.action_check_now()
        else:
            await self.run_action("back")

    async def action_back(self) -> None:  # type: ignore[override]
        """Leaves the form; what was typed is there when it is opened again."""
        draft = self._draft
        draft.text = self.query_one("#text", Editor).whole
        draft.question = self.query_one("#question", Input).value
        draft.samples = await self.query_one("#samples", Materials).collected()
        draft.references = await self.query_one("#references", Materials).collected()
        draft.knowledge = self._knowledge
        draft.method = self._method
        self.dismiss(None)

    @property
    def written(self) -> Draft:
        """What stands in the form now."""
        return Draft(
            text=self.query_one("#text", Editor).whole,
            question=self.query_one("#question", Input).value,
            samples=self.query_one("#samples", Materials).standing,
            references=self.query_one("#references", Materials).standing,
            knowledge=self._knowledge,
            method=self._method,
        )

    def action_check_now(self) -> None:
        self.run_worker(self._check(), exclusive=True, group="check", exit_on_error=False)

    async def on_editor_dropped(self, event: Editor.Dropped) -> None:
        """The text of a file that is dropped where the text goes stands there."""
        try:
            text = await asyncio.to_thread(_text_of, event.path)
        except HalubotError as error:
            self.complain("text", str(error))
            return
        event.editor.write(text)

    @property
    def _knowledge(self) -> tuple[str, ...]:
        return tuple(parted(self.query_one("#knowledge", Input).value))

    @property
    def _method(self) -> str:
        return str(self.query_one("#method", Select).value)

    async def _check(self) -> None:
        """Hands over what is given, or says what is missing."""
        for name in ("text", "samples", "references", "knowledge"):
            self.complain(name, "")
        written = self.query_one("#text", Editor).written
        text, files = written.text, written.files
        if not files and (path := await asyncio.to_thread(path_in, text)):
            text, files = "", (path,)
        try:
            for path in files:
                text += await asyncio.to_thread(_text_of, path)
        except HalubotError as error:
            self._refuse("text", str(error))
            return
        if not text.strip():
            self._refuse("text", "There is no text yet.")
            return
        samples = await self.query_one("#samples", Materials).collected()
        references = await self.query_one("#references", Materials).collected()
        try:
            answers = [one for given in samples for one in await asyncio.to_thread(_answers, given)]
        except HalubotError as error:
            self._refuse("samples", str(error))
            return
        if not (answers or references or self._knowledge or self._preferences.compares):
            self._refuse("samples", NOTHING)
            return
        inputs = Inputs(
            kind="check",
            text=text,
            question=self.query_one("#question", Input).value.strip(),
            samples=tuple(answers),
            references=tuple(one for one in references if isinstance(one, str)),
            files=tuple(str(one) for one in references if isinstance(one, Path)),
            knowledge=self._knowledge,
            settings={"method": self._method} if self._method else {},
        )
        self.dismiss(inputs)

    def _refuse(self, field: Literal["text", "samples"], why: str) -> None:
        self.complain(field, why)
        place = self.query_one(f"#{field}")
        (place if isinstance(place, Editor) else place.query_one(Editor)).focus()

    @property
    def _usual(self) -> Choice:
        """The method of the settings."""
        preferences = self._preferences
        usual = preferences.method or ("cascade" if preferences.model else "consensus")
        return Content(f"as in the settings: {one_line(usual)}"), ""

    async def _list_methods(self, wanted: str) -> None:
        choices = [self._usual, *await asyncio.to_thread(method_choices)]
        chosen = self.query_one("#method", Select)
        chosen.set_options(choices)
        chosen.value = wanted if any(name == wanted for _, name in choices) else ""

    async def _list_knowledge(self) -> None:
        """Lists what may be looked up: the bases of this machine, and Wikipedia."""
        try:
            names = await asyncio.to_thread(_bases, self._preferences.knowledge_folder)
        except HalubotError as error:
            self.complain("knowledge", str(error))
            names = []
        there = ", ".join([*names, "wikipedia (online)", "the path of a ZIM file"])
        self.query_one("#bases", Static).update(f"What the text says is looked up there: {there}")


def method_choices() -> list[Choice]:
    """All methods to choose from, each with what it does."""
    from halubot.methods import registry

    found: list[Choice] = []
    for name in registry.known():
        summary = one_line(getattr(registry.get(name), "summary", ""))
        found.append((Content.assemble((name, "bold"), f"  {summary}"), name))
    return found


def _bases(folder: Path | None) -> list[str]:
    from halubot.knowledge.bases import homes

    return [home.name for home in homes(folder)]


def _text_of(path: Path) -> str:
    from halubot_tui.opening import text_of

    return text_of(path)


def _answers(given: Given) -> list[str]:
    """The other answers of an entry: a text, those of a file, one a line of JSON lines, or of the
    files of a folder."""
    from halubot import evidence

    if isinstance(given, str):
        return [given]
    found = evidence.load_all(given, kind="sample")
    return [source.text for source in found if source.text]
