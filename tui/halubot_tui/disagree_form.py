"""The form in which a person says what they think of a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from halubot.render import captions
from halubot_tui import actions
from halubot_tui.form import Fields, Form, hint, label, wrong
from halubot_tui.keys import Keys
from halubot_tui.looks import STYLES, Signs
from halubot_tui.picks import Pick, Picks

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot.feedback import Says, Word
    from halubot.render.items import Entry

LONGEST: Final = 2000
"""Characters that a note may have."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a person says of a fact, None to take back what they said; and why."""

    says: Says | None
    note: str = ""


class DisagreeForm(Form[Said]):
    """Asks what is to be said of a fact; dismissed with that."""

    BINDINGS: ClassVar[list[BindingType]] = [actions.find_action("keep-word").binding()]
    DEFAULT_CSS = """
    DisagreeForm > #panel { height: auto; max-height: 90%; max-width: 84; }
    DisagreeForm #fields { height: auto; max-height: 24; }
    DisagreeForm.-small > #panel { height: 100%; }
    DisagreeForm.-small #fields { height: 1fr; max-height: 100%; }
    DisagreeForm #says { margin-bottom: 1; }
    DisagreeForm .fact { height: auto; padding-bottom: 1; }
    """

    def __init__(self, entry: Entry, before: Word | None, signs: Signs) -> None:
        super().__init__()
        self._entry = entry
        self._before = before
        self._signs = signs

    def compose(self) -> ComposeResult:
        before = self._before
        wrong_now = before.says == "wrong" if before else not self._entry.is_doubted
        with Vertical(id="panel") as panel:
            panel.border_title = "Disagree"
            with Fields():
                yield Static(self._verdict(), classes="fact", markup=False)
                yield label("You say")
                yield Picks(
                    [Pick("right", "it is right"), Pick("wrong", "it is wrong")],
                    id="says",
                    chosen="wrong" if wrong_now else "right",
                )
                yield label("Why")
                yield Input(
                    before.note if before else "",
                    placeholder="a note for yourself, and for others (optional)",
                    max_length=LONGEST,
                    id="note",
                )
                yield wrong("note")
                yield hint(
                    "Your word wins in what you see of this text from now on. It is kept on this"
                    " machine, and F9 exports it."
                )
            with Horizontal(classes="buttons"):
                yield Button("Back", id="back", compact=True)
                if before is not None:
                    yield Button("Take back", id="take-back", compact=True)
                yield Button("Keep", id="keep", variant="primary", compact=True)
        yield Keys()

    def on_mount(self) -> None:
        self.query_one("#says").focus()

    def on_input_submitted(self) -> None:
        self.action_keep_word()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        match event.button.id:
            case "keep":
                self.action_keep_word()
            case "take-back":
                self.dismiss(Said(None))
            case _:
                self.action_back()

    def action_keep_word(self) -> None:
        says: Says = "wrong" if self.query_one("#says", Picks).value == "wrong" else "right"
        self.dismiss(Said(says, self.query_one("#note", Input).value.strip()))

    def _verdict(self) -> Content:
        entry = self._entry
        style = STYLES[entry.verdict].replace("underline ", "")
        lines = [
            Content.assemble((entry.reading, "bold")),
            Content.assemble(
                (f"{self._signs.verdict(entry.verdict)} {captions.VERDICTS[entry.verdict]}", style),
                self._signs.plain(f" · {entry.said}" if entry.said else ""),
            ),
        ]
        if entry.word:
            lines.append(Content(entry.word))
        if entry.reason:
            lines.append(Content(entry.reason[:1].upper() + entry.reason[1:]))
        return Content("\n").join(lines)
