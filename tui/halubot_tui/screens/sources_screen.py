"""The sources of a text: other answers, documents, files, knowledge, the web."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import work
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static, TabbedContent, TabPane
from textual.widgets.option_list import Option

from halubot_tui.sources import WIKIPEDIA, Given, compared_with, refusal
from halubot_tui.theme import Signs
from halubot_tui.widgets.editor import Editor, is_like_a_path, path_in
from halubot_tui.widgets.key_bar import KeyBar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widgets import TextArea

    from halubot_tui.preferences import Preferences

ABOUT: Final = "Paste another answer to the same question, or the path of a document or folder"
DOCUMENT: Final = "Added as a document that counts as true; ^T makes it another answer."
ANSWER: Final = "Added as another answer; ^T makes it a document that counts as true."


class GivenList(OptionList):
    """The sources that were given."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("delete,d,backspace", "screen.remove", "remove"),
    ]


class BaseList(OptionList):
    """The knowledge and the search providers that can be switched on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "select", "on or off"),
        Binding("enter", "screen.use", "use"),
    ]


class SourceField(Editor):
    """The field for a source: Enter adds what stands in it, and on the empty field uses the
    sources. A paste on top of a pasted text adds that one first. Tab completes a path."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "add"),
        Binding("tab", "complete", "next"),
    ]

    def key_label(self, action: str, label: str) -> str:
        """What Enter and Tab do."""
        if action == "complete" and is_like_a_path(self.text.strip() or "-"):
            return "complete"
        if action != "submit" or self.text.strip():
            return label
        assert isinstance(self.screen, SourcesScreen)  # noqa: S101 - it is in no other
        return self.screen.use_label.lower()

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "tab" and is_like_a_path(self.text.strip() or "-"):
            longer = await asyncio.to_thread(complete_path, self.text.strip())
            if longer != self.text.strip():
                event.prevent_default()
                event.stop()
                self.text = longer
                self.move_cursor(self.document.end)
                return
        assert isinstance(self.screen, SourcesScreen)  # noqa: S101 - it is in no other
        if event.key == "enter" and self.text.strip() in ("", self.screen.adding):
            event.prevent_default()
            event.stop()
            await self.run_action("screen.use")
            return
        await super()._on_key(event)

    def action_complete(self) -> None:
        self.screen.focus_next()


class SourcesScreen(ModalScreen[tuple[Given, ...]]):
    """Add and remove sources; dismissed with those that are to be used now.

    ``unadded`` was typed in it before and not added; ``use_label`` says what is done with the
    sources, and ``say`` why they are asked for; ``keep`` is called with what is there whenever it
    changes, so that it can be stored."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "app.focus_next", "next"),
        Binding("ctrl+t", "trust", "counts as true or not"),
        Binding("escape", "dismiss", "close"),
    ]

    def __init__(
        self,
        given: Iterable[Given],
        preferences: Preferences,
        signs: Signs,
        *,
        unadded: str = "",
        use_label: str = "Use",
        say: str = "",
        keep: Callable[[tuple[Given, ...], str], None] = lambda given, unadded: None,
    ) -> None:
        super().__init__()
        self._given = list(given)
        self._preferences = preferences
        self._signs = signs
        self._unadded = unadded
        self.use_label = use_label
        self._first_words = say
        self._keep = keep
        self._known: list[tuple[Given, str]] = []
        self._pasted = self._said_of = ""
        self.adding = ""
        """What stands in the field and is being added."""
        self._lock = asyncio.Lock()

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="sources-dialog"):
            yield Static(id="compared-with", markup=False)
            yield GivenList(id="given", markup=False)
            with TabbedContent(id="ways"):
                with TabPane("Text or path", id="texts"):
                    yield SourceField(self._take_paste, placeholder=ABOUT, id="typed")
                with TabPane("Web and knowledge bases", id="knowledge"):
                    yield BaseList(id="bases", markup=False)
            yield Static(id="said", markup=False)
            yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#sources-dialog").border_title = "Compare with"
        self._list()
        self._list_knowledge()
        self._field.write(self._unadded)
        self._field.focus()
        self._say(self._first_words)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there is a source to be trusted or not."""
        return bool(self._given) if action == "trust" else super().check_action(action, parameters)

    @property
    def _field(self) -> SourceField:
        return self.query_one(SourceField)

    def _list(self) -> None:
        listed = self.query_one("#given", GivenList)
        at = listed.highlighted
        listed.clear_options()
        listed.add_options(
            Option(Content.assemble((f"{one.label:<10}", "$primary"), one.line))
            for one in self._given
        )
        listed.display = bool(self._given)
        self.refresh_bindings()
        if self._given:
            listed.highlighted = min(at or 0, len(self._given) - 1)
        said = compared_with(self._given, self._preferences)
        words = f"Compared with {said}" if said else "Nothing to compare with yet"
        self.query_one("#compared-with", Static).update(Content(words).stylize("bold"))
        more = f"Paste one more, or press Enter to {self.use_label.lower()}"
        self._field.placeholder = more if said else ABOUT

    def _change(self, given: list[Given]) -> None:
        self._given = list(dict.fromkeys(given))
        self._keep(tuple(self._given), self._field.whole)
        self._list()

    def _say(self, words: str, look: str = "$doubtful") -> None:
        self._said_of = self._field.text
        self.query_one("#said", Static).update(Content(words).stylize(look))

    # Texts and paths.

    def paste_field(self) -> Editor:
        """The field, which takes what is pasted while another part has the focus."""
        self.query_one("#ways", TabbedContent).active = "texts"
        return self._field

    def _take_paste(self, text: str, path: Path | None) -> bool:
        field = self._field
        before = field.text
        if before.strip() and before == self._pasted:
            self._add_typed()
            before = field.text = ""
        field.put(text if path is None else path)
        if not before.strip():
            self._pasted = field.text
        return True

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self._field.text != self._said_of:
            self._say("")  # it was said of what stood there
        self.refresh_bindings()
        self._keep(tuple(self._given), self._field.whole)

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        event.stop()
        self._add_typed()

    def _add_typed(self) -> None:
        """Add what stands in the field."""
        written = self._field.written
        self.adding = self._field.text.strip()
        self._add(written.text or str(next(iter(written.files), "")), self._field.text)

    @work(group="sources", exit_on_error=False)
    async def _add(self, text: str, shown: str = "") -> None:
        """Add a text, or the file whose path it is, and take it out of the field, which shows it as
        ``shown``; say what is wrong with it."""
        async with self._lock:
            added = await self._read(text)
            field, self.adding = self._field, ""
            if added is None:
                if not field.text:
                    field.text = shown  # a paste on top of it took it out
                return
            if field.text == shown:
                field.text = ""
            self._change([*self._given, added])
            self.query_one("#given", GivenList).highlighted = len(self._given) - 1
            self._say(ANSWER if added.kind == "answer" else DOCUMENT, "$supported")

    async def _read(self, text: str) -> Given | None:
        """The source that a text is; None, and why is said, if it is none."""
        path = await asyncio.to_thread(path_in, text, relative=True)
        if path is not None:
            return Given("file", str(path))
        missing = f"There is no file {text.strip()}." if is_like_a_path(text) else None
        if (why := missing or refusal(text)) is not None:
            self._say(why)
            return None
        return Given("answer", text.strip())

    # Knowledge and the web.

    @work(exclusive=True, group="knowledge", exit_on_error=False)
    async def _list_knowledge(self) -> None:
        self._known = await asyncio.to_thread(lambda: [*known_bases(self._preferences)])
        self._draw_knowledge()

    def _draw_knowledge(self) -> None:
        bases = self.query_one("#bases", OptionList)
        at = bases.highlighted
        bases.clear_options()
        for one, about in self._known:
            box = self._signs.plain("☑" if one in self._given else "☐")
            name = f"{box} {'web: ' if one.kind == 'web' else ''}{one.value}"
            bases.add_option(Option(Content.assemble(name, (f"  {about}", "$secondary"))))
        if self._known:
            bases.highlighted = at or 0

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_list.id != "bases":
            return
        one, _ = self._known[event.option_index]
        rest = [given for given in self._given if given != one]
        added = one not in self._given
        self._change([*self._given, one] if added else rest)
        self._draw_knowledge()
        # Before the first query: the list has room for the beginning alone.
        asked = self._preferences.who_is_asked([one.value]) if one.kind == "web" and added else ()
        self._say(f"{'; '.join(asked)}." if asked else "", "$secondary")

    # Removing, undoing, leaving.

    def action_remove(self) -> None:
        """Take a source off the list; a text goes into the field, from where Enter adds it."""
        at = self.query_one("#given", GivenList).highlighted
        if at is not None and at < len(self._given):
            removed = self._given[at]
            self._change([*self._given[:at], *self._given[at + 1 :]])
            self._draw_knowledge()
            if removed.kind not in ("knowledge", "web") and not self._field.text:
                self._field.write(removed.value)
                self._field.focus()
            self._say("Removed.")

    def action_trust(self) -> None:
        """Trust the source under the cursor of the list, which is the last one added, or not."""
        at = self.query_one("#given", GivenList).highlighted
        if at is None or at >= len(self._given):
            return
        one = self._given[at]
        if one.kind not in ("answer", "document"):
            self._say("It counts as true in any case.")
            return
        now = replace(one, kind="document" if one.kind == "answer" else "answer")
        self._change([now if one == given else given for given in self._given])
        self._say("It counts as true now." if now.kind == "document" else "It is an answer now.")

    async def action_use(self) -> None:
        """Close, and use the sources with what stands in the field; without any, say so."""
        if self._field.text.strip() not in ("", self.adding):
            self._add_typed()
        # What was added before the key counts. (Of no workers, `wait_for_complete` waits for all.)
        if adding := [one for one in self.workers if one.group == "sources"]:
            await self.workers.wait_for_complete(adding)
        if self._field.text.strip():
            return  # it could not be added, which was said
        if not compared_with(self._given, self._preferences):
            self._say("Add a source first; Esc closes.")
            return
        self.dismiss(tuple(self._given))


def known_bases(preferences: Preferences) -> Iterator[tuple[Given, str]]:
    """Yield the knowledge and search providers that can be chosen, Wikipedia first, each with a few
    words about it."""
    from halubot.errors import SettingError
    from halubot.evidence.knowledge.bases import homes
    from halubot.evidence.web.providers import PROVIDERS, read_web

    online = () if preferences.offline else PROVIDERS
    web: list[tuple[Given, str]] = []
    for one in online:
        try:
            settings = read_web([one.name], queries=preferences.web_queries)
        except SettingError:  # no key, or no address
            continue
        if settings is not None:
            web.append((Given("web", one.name), settings.describe()[0]))
    yield from (one for one in web if one[0] == WIKIPEDIA)
    for home in homes(preferences.knowledge_folder):
        yield Given("knowledge", home.name), "a base on this machine"
    yield from (one for one in web if one[0] != WIKIPEDIA)


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
