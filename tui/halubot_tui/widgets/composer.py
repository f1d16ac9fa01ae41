"""The composer: where one writes or pastes, with the sources that go with the text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Static, TextArea

from halubot_tui.preferences import Preferences
from halubot_tui.widgets.editor import Editor
from halubot_tui.widgets.pane import Pane

if TYPE_CHECKING:
    from pathlib import Path

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot_tui.session_store import Draft
    from halubot_tui.sources import Given
    from halubot_tui.text_check import Kind
    from halubot_tui.theme import Signs

LONGEST_QUESTION: Final = 300
"""Characters of a question; what is longer is a text."""
LEAST_WORDS: Final = 3
"""Words of a paste that can be another answer."""
COMMANDS: Final = {"+": "screen.sources", "?": "app.help"}
"""Signs that are commands while nothing is written; "/" begins a path."""
WITH_MODEL: Final = "Ask, or paste a text to check"
WITHOUT_MODEL: Final = "Paste a text to check"


class Prompt(Editor, Pane):
    """The field of the composer. While it is empty, ``+`` and ``?`` are commands."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "check"),
        Binding("escape", "screen.review", "facts"),
    ]

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Whether a key is written here."""
        if not self.text and character in COMMANDS:
            return False
        return super().check_consume_key(key, character)

    async def _on_key(self, event: events.Key) -> None:
        if not self.text and event.character in COMMANDS:
            event.prevent_default()
            event.stop()
            await self.run_action(COMMANDS[event.character])
            return
        await super()._on_key(event)


class SourcesLine(Static, can_focus=True):
    """What the text will be compared with, or was, on one line; Enter opens the sources."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.sources", "add or remove sources"),
        Binding("escape", "screen.review", show=False),
    ]

    def on_click(self) -> None:
        self.run_worker(self.run_action("screen.sources"), exit_on_error=False)


class Composer(Horizontal):
    """The field and the sources. What is pasted while a pasted text stands there is taken as
    another answer to compare it with, and so is a file."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+t", "trust", "counts as true")]

    class Sent(Message):
        """Enter was pressed on something written."""

    class Changed(Message):
        """What is written, or a source, is another than before."""

    class SourceTaken(Message):
        """A paste or a file was taken as a source."""

        def __init__(self, source: Given) -> None:
            super().__init__()
            self.source = source

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="composer")
        self.prompt = Prompt(self._take_paste, id="prompt")
        self._signs = signs
        self._pasted = ""
        self._forced: Kind | None = None
        self._preferences = Preferences()
        self._compared = ""
        self.sources: tuple[Given, ...] = ()
        self.unadded = ""
        """What stands in the field of the sources and was not added."""

    def compose(self) -> ComposeResult:
        yield Static(id="kind", markup=False)
        yield self.prompt
        yield SourcesLine(id="sources", markup=False)

    def on_mount(self) -> None:
        self._draw()

    def say(self, preferences: Preferences, *, compared: str) -> None:
        """Tell what is set, and what the shown check was compared with."""
        self._preferences, self._compared = preferences, compared
        self._draw()

    @property
    def kind(self) -> Kind:
        """Whether what is written is a question to ask or a text to check."""
        if not self._preferences.model:
            return "check"
        if self._forced is not None:
            return self._forced
        text = self.prompt.text.strip()
        if text.endswith("?") and len(text) <= LONGEST_QUESTION:
            return "ask"
        pasted = bool(text) and text == self._pasted.strip()
        long = len(self.prompt.whole) > LONGEST_QUESTION or "\n" in text
        return "check" if pasted or long or self.prompt.written.files else "ask"

    def switch_kind(self) -> None:
        """Ask what is written instead of checking it, or the other way round."""
        self._forced = "check" if self.kind == "ask" else "ask"
        self._draw()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is written; sources may be given."""
        return not self.prompt.text.strip()

    @property
    def draft(self) -> Draft:
        """What is written and given."""
        from halubot_tui.session_store import Draft

        return Draft(self.prompt.whole, self.sources, self.unadded)

    def restore(self, draft: Draft) -> None:
        """Replace what is written and given."""
        self.prompt.write(draft.text)
        self._pasted = self.prompt.text
        self.sources, self.unadded = draft.sources, draft.source
        self._draw()

    def mark_pasted(self) -> None:
        """Take what stands in the field for a whole text, so that what is pasted next is a
        source."""
        self._pasted = self.prompt.text
        self._draw()

    def clear(self) -> None:
        """Empty the composer."""
        self.prompt.text = ""
        self._pasted, self._forced, self.sources, self.unadded = "", None, (), ""
        self._draw()

    def give(self, sources: tuple[Given, ...], unadded: str = "") -> None:
        """Replace the sources; ``unadded`` is what was typed as one and not added."""
        self.sources, self.unadded = tuple(dict.fromkeys(sources)), unadded
        self._draw()
        self.refresh_bindings()
        self.post_message(self.Changed())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there is a text among the sources that can be trusted or not."""
        if action == "trust":
            return bool(self.sources) and self.sources[-1].kind in ("answer", "document")
        return super().check_action(action, parameters)

    def key_label(self, action: str, label: str) -> str:
        """What a key does with the last source."""
        trusted = bool(self.sources) and self.sources[-1].kind == "document"
        return "is another answer" if action == "trust" and trusted else label

    def action_trust(self) -> None:
        """Take the last source for a document that counts as true, or for another answer again."""
        *others, last = self.sources
        trusts = last.kind == "answer"
        self.give((*others, replace(last, kind="document" if trusts else "answer")), self.unadded)
        now = "The last source counts as true now." if trusts else "It is another answer again."
        self.notify(now, timeout=3)

    def _take_paste(self, text: str, path: Path | None) -> bool:
        """Take a paste as a source if a whole text stands in the field."""
        from halubot_tui.sources import Given

        prompt = self.prompt
        stands = bool(prompt.text.strip()) and prompt.text == self._pasted
        given: Given | None = None
        if path is not None:
            given = Given("file", str(path)) if prompt.text.strip() else None
        elif stands and self.kind == "check" and len(text.split()) >= LEAST_WORDS:
            given = Given("answer", text.strip())
        if given is None:
            whole = not prompt.text.strip()
            prompt.put(text if path is None else path)
            if whole:
                self._pasted = prompt.text
                prompt.call_after_refresh(prompt.scroll_home, animate=False)
            return True
        self.give((*self.sources, given))
        self.post_message(self.SourceTaken(given))
        return True

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if not self.prompt.text:
            self._pasted, self._forced = "", None
        self._draw()
        self.post_message(self.Changed())

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        event.stop()
        if self.is_empty:
            back = "The text is checked already: Esc goes back to its facts, c checks it again."
            self.notify(back if self._compared else "Paste a text first.", timeout=3)
        else:
            self.post_message(self.Sent())

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        word = ""
        if self._preferences.model and not self.is_empty:
            word = "Ask " if self.kind == "ask" else "Check "
        label = Content.assemble(
            (f"{word}{self._signs.plain('›')} ", "bold $primary @click=screen.switch_kind")
        )
        self.query_one("#kind", Static).update(label)
        self.prompt.placeholder = WITH_MODEL if self._preferences.model else WITHOUT_MODEL
        self.query_one(SourcesLine).update(self._sources_words())

    def _sources_words(self) -> Content:
        from halubot_tui.sources import compared_with

        if self.is_empty and self._compared and not self.sources:
            return Content.assemble(("compared with: ", "$secondary"), self._compared)
        said = compared_with(self.sources, self._preferences)
        of = " of the new text" if self._compared and not self.sources else ""
        look = "" if self.sources else "$secondary"
        return Content.assemble((f"+ sources{of}: ", "$secondary"), (said or "none yet", look))
