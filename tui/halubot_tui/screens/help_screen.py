"""The help: the keys of the app, and its signs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from halubot.render.captions import VERDICTS
from halubot_tui.theme import MEANINGS, STYLES, Signs
from halubot_tui.widgets.key_bar import KeyBar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.binding import BindingType

KEYS: Final = (
    ("Tab", "the next pane: text, facts, why, the field below"),
    ("n, p", "the next fact in doubt, or sentence with undecided facts; back; round"),
    ("Enter", "use the proposed value; in the field below, check or ask"),
    ("e", "edit the sentence; Tab takes words of the sources, Shift+Tab marks the next word"),
    ("k", "leave the words as they stand and go on; the verdict stays"),
    ("w", "say that the fact is right or wrong: that becomes its verdict, in reports too"),
    ("u", "undo the last of these: a change, a k, a w"),
    ("c", "check the corrected text again"),
    ("s", "save the text or a report"),
    ("+", "add or remove sources"),
    ("Ctrl+T", "the source that was added last counts as true, or is another answer"),
    ("/", "all commands; in a field, where / is a letter, Ctrl+P"),
    ("Ctrl+R", "sessions; F2 there renames one, Del deletes it"),
    ("Ctrl+N", "a new session"),
    ("Ctrl+C", "copy a selection, or stop the work; twice: quit"),
    ("Ctrl+J", "a new line in the field below (also Shift+Enter)"),
    ("Esc", "back: out of a dialog, or from the field below to the facts"),
    ("Ctrl+Q", "quit"),
)
COUNTS: Final = (
    ("2✗ 3✓", "2 sources speak against the fact, 3 for it; others are silent"),
    ("→ 1815 (was 1816)", "changed by you; = marks what you kept"),
)
TRUTH: Final = (
    "That sources agree does not make a fact true: halubot tells what they say, and where."
)


class HelpScreen(ModalScreen[None]):
    """Everything that there is to know, on one page."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q", "dismiss", "close"),
    ]

    def __init__(self, signs: Signs) -> None:
        super().__init__()
        self._signs = signs

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="help"):
            with VerticalScroll(id="page"):
                yield Static(id="said", markup=False)
            yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#help").border_title = "Help: Up and Down scroll"
        self.query_one("#page").focus()

    def on_resize(self) -> None:
        """Wrap what keys and signs mean beside them, not below."""
        page = self.query_one("#page").scrollable_content_region.width
        self.query_one("#said", Static).update(Content("\n").join(self._lines(page)))

    def _lines(self, width: int) -> Iterator[Content]:
        def beside(lead: tuple[str, str], room: int, words: str) -> Content:
            lines = Content(words).wrap(max(10, width - room))
            indented = Content("\n" + " " * room).join(lines)
            return Content.assemble((f"{lead[0]:<{room}}", lead[1]), indented)

        for key, what in KEYS:
            yield beside((key, "bold $primary"), 8, what)
        yield Content("")
        for verdict, meaning in MEANINGS.items():
            look = STYLES[verdict].replace("underline ", "")
            sign, word = self._signs.verdict(verdict), VERDICTS[verdict]
            yield beside((f"{sign} {word}", look), 19, meaning)
        for example, meaning in COUNTS:
            yield beside((self._signs.plain(example), "$secondary"), 19, meaning)
        yield Content("")
        yield Content(TRUTH).stylize("$secondary")
