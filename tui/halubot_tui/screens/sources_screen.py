"""The sources of a text: other answers, documents, files, knowledge, the web."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import work
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import DirectoryTree, OptionList, Static, TabbedContent, TabPane
from textual.widgets.option_list import Option

from halubot.errors import HalubotError
from halubot_tui.problems import in_app_words
from halubot_tui.sources import LABELS, Given, compared_with, refusal
from halubot_tui.theme import Signs
from halubot_tui.widgets.editor import Editor, is_like_a_path, path_in
from halubot_tui.widgets.key_bar import KeyBar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot_tui.preferences import Preferences
    from halubot_tui.sources import SourceKind

ANSWERS: Final = "Paste another answer to the same question, or type the path of a file"
DOCUMENTS: Final = "Paste a text that you trust, or type the path of a file or folder"


class GivenList(OptionList):
    """The sources that were given."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("delete,d,backspace", "remove", "remove"),
        Binding("u", "undo", "undo remove"),
    ]

    class Asked(Message):
        """A source is to be removed, or brought back."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    def action_remove(self) -> None:
        self.post_message(self.Asked("remove"))

    def action_undo(self) -> None:
        self.post_message(self.Asked("undo"))


class SourceField(Editor):
    """The field for a source: a paste into the empty field is added at once, Enter adds what is
    typed, Tab completes a path."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "add"),
        Binding("tab", "complete", show=False),
    ]

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "tab" and is_like_a_path(self.text.strip() or "-"):
            longer = await asyncio.to_thread(complete_path, self.text.strip())
            if longer != self.text.strip():
                event.prevent_default()
                event.stop()
                self.text = longer
                self.move_cursor(self.document.end)
                return
        if event.key == "enter" and not self.text.strip():
            event.prevent_default()
            event.stop()
            await self.run_action("screen.done")
            return
        await super()._on_key(event)

    def action_submit(self) -> None:
        self.post_message(self.Submitted())

    def action_complete(self) -> None:
        self.screen.focus_next()


class SourcesScreen(ModalScreen[tuple[Given, ...]]):
    """Add and remove sources; it is dismissed with those that are given then."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "done", "done"),
        Binding("ctrl+z", "undo", "undo", show=False),
    ]

    def __init__(self, given: Iterable[Given], preferences: Preferences, signs: Signs) -> None:
        super().__init__()
        self._given = list(given)
        self._history: list[list[Given]] = []
        self._preferences = preferences
        self._signs = signs
        self._known: list[tuple[Given, str]] = []

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="sources-dialog"):
            yield Static(id="compared-with", markup=False)
            yield GivenList(id="given", markup=False)
            with TabbedContent(id="ways"):
                with TabPane("Answers", id="answers"):
                    yield SourceField(self._take_paste, placeholder=ANSWERS, id="answer")
                with TabPane("Documents", id="documents"):
                    yield SourceField(self._take_paste, placeholder=DOCUMENTS, id="document")
                with TabPane("Files", id="files"):
                    yield DirectoryTree(os.curdir, id="tree")
                with TabPane("Knowledge and web", id="knowledge"):
                    yield OptionList(id="bases", markup=False)
            yield Static(id="said", markup=False)
            yield KeyBar(ascii=self._signs.ascii)

    def on_mount(self) -> None:
        self.query_one("#sources-dialog").border_title = "Compare with"
        self._list()
        self._list_knowledge()
        self.query_one("#answer").focus()

    def _list(self) -> None:
        listed = self.query_one("#given", GivenList)
        at = listed.highlighted
        listed.clear_options()
        listed.add_options(
            Option(Content.assemble((f"{LABELS[one.kind]:<10}", "$primary"), one.line))
            for one in self._given
        )
        listed.display = bool(self._given) or bool(self._history)
        if self._given:
            listed.highlighted = min(at or 0, len(self._given) - 1)
        said = compared_with(self._given, self._preferences)
        words = f"Compared with {said}" if said else "Nothing to compare with yet"
        self.query_one("#compared-with", Static).update(Content(words).stylize("bold"))

    def _change(self, given: list[Given]) -> None:
        self._history.append(list(self._given))
        self._given = list(dict.fromkeys(given))
        self._list()

    def _say(self, words: str, look: str = "$doubtful") -> None:
        self.query_one("#said", Static).update(Content(words).stylize(look))

    # Texts and paths.

    def _take_paste(self, text: str, path: Path | None) -> bool:
        field = self.focused
        if not isinstance(field, SourceField) or field.text.strip():
            return False
        self._add(str(path) if path is not None else text, field.id or "")
        return True

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        event.stop()
        field = self.focused
        if isinstance(field, SourceField):
            self._add(
                field.written.text or str(next(iter(field.written.files), "")), field.id or ""
            )

    @work(group="sources", exit_on_error=False)
    async def _add(self, text: str, where: str) -> None:
        """Add a text, or the file whose path it is; say what is wrong with it."""
        kind: SourceKind = "answer" if where == "answer" else "document"
        path = await asyncio.to_thread(path_in, text, relative=True)
        field = self.query_one(f"#{where}", SourceField)
        if path is None and is_like_a_path(text):
            self._say(f"There is no file {text.strip()}.")
            field.text = text
            return
        if path is None and (why := refusal(text)) is not None:
            self._say(why)
            return
        if path is None:
            added = Given(kind, text.strip())
        elif kind == "answer" and path.is_file():
            from halubot_tui.watcher import text_of

            try:
                added = Given("answer", await asyncio.to_thread(text_of, path), path.name)
            except HalubotError as error:
                self._say(in_app_words(str(error)), "$contradicted")
                return
        else:
            added = Given("file", str(path))
        field.text = ""
        if added in self._given:
            self._say("It is in the list already.")
            return
        self._change([*self._given, added])
        self._say("Added. Enter on the empty field is done.", "$supported")

    def on_directory_tree_file_selected(self, event: DirectoryTree.FileSelected) -> None:
        event.stop()
        self._add(str(event.path.absolute()), "document")

    # Knowledge.

    @work(exclusive=True, group="knowledge", exit_on_error=False)
    async def _list_knowledge(self) -> None:
        self._known = await asyncio.to_thread(known_bases, self._preferences)
        self._draw_knowledge()

    def _draw_knowledge(self) -> None:
        bases = self.query_one("#bases", OptionList)
        at = bases.highlighted
        bases.clear_options()
        for one, about in self._known:
            box = (
                ("[x]" if self._signs.ascii else "☑")
                if one in self._given
                else ("[ ]" if self._signs.ascii else "☐")
            )
            bases.add_option(
                Option(Content.assemble(f"{box} {one.value}", (f"  {about}", "$secondary")))
            )
        if self._known:
            bases.highlighted = at or 0

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_list.id != "bases":
            return
        one, _ = self._known[event.option_index]
        rest = [given for given in self._given if given != one]
        self._change(rest if one in self._given else [*self._given, one])
        self._draw_knowledge()

    # Removing and undoing.

    def on_given_list_asked(self, event: GivenList.Asked) -> None:
        event.stop()
        at = self.query_one("#given", GivenList).highlighted
        if event.what == "undo":
            self.action_undo()
        elif at is not None and at < len(self._given):
            self._change([*self._given[:at], *self._given[at + 1 :]])
            self._say("Removed. u brings it back.")

    def action_undo(self) -> None:
        if self._history:
            self._given = self._history.pop()
            self._list()
            self._draw_knowledge()
            self._say("")

    async def action_done(self) -> None:
        """Close with the sources that were added."""
        self.dismiss(tuple(self._given))


def known_bases(preferences: Preferences) -> list[tuple[Given, str]]:
    """The knowledge and web providers that can be chosen, with a few words about each."""
    found: list[tuple[Given, str]] = []
    from halubot.evidence.knowledge.bases import homes

    for home in homes(preferences.knowledge_folder):
        found.append((Given("knowledge", home.name), "a base on this machine"))
    if preferences.offline:
        return found
    from halubot.evidence.web import providers

    for one in providers():
        if one.missing is None:
            about = f"the web: the queries go to {one.title}; {one.says}"
            found.append((Given("web", one.name), about))
    return found


def complete_path(text: str) -> str:
    """A path continued as far as it is certain; the same if nothing begins so."""
    folder, begun = os.path.split(os.path.expanduser(text))
    try:
        names = [one.name for one in os.scandir(folder or ".") if one.name.startswith(begun)]
    except OSError:
        return text
    common = os.path.commonprefix(names)  # noqa: RUF071 - of names, letter by letter
    if not names or len(common) < len(begun):
        return text
    path = os.path.join(folder, common)
    if len(names) == 1 and os.path.isdir(path):
        path += os.sep
    return text if path == os.path.expanduser(text) else path
