"""A person's word on a verdict: the form, and keeping what was said."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from halubot.errors import HalubotError
from halubot_tui.meant import MeantApp

if TYPE_CHECKING:
    from halubot.feedback import Word
    from halubot_tui.turns import Turn

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from halubot.feedback import Says, Word
from halubot.render import captions
from halubot.render.items import Entry
from halubot_tui import actions
from halubot_tui.form import Fields, Form, hint, label, wrong
from halubot_tui.keys import Keys
from halubot_tui.looks import STYLES, Signs
from halubot_tui.picks import Pick, Picks

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType


class Disagreeing(MeantApp):
    """The part of the app that takes a person's word on facts."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether there is a fact to disagree about."""
        if action == "disagree":
            return self._selected is not None and self._selected[1] is not None
        return super().check_action(action, parameters)

    async def action_disagree(self) -> None:

        turn, number = await self._message(), self._selected[1] if self._selected else None
        entry = turn.entry(number) if turn else None
        if turn is None:
            return
        if entry is None or entry.fact is None:
            self.notify("Select a fact: what you say is kept of facts, not of whole sentences.")
            return
        fact, text = entry.fact, turn.answer
        before = next(
            (w for w in self._words if w.text == text and w.fact.triple == fact.triple), None
        )

        def take_answer(answer: Said | None) -> None:
            if answer is not None:
                work = self._say(turn, fact.index, answer, before)
                self.run_worker(work, group="feedback", exit_on_error=False)

        self.push_screen(DisagreeForm(entry, before, self._signs), take_answer)

    async def _say(self, turn: Turn, fact: int, answer: Said, before: Word | None) -> None:
        """Keeps a word on a fact, or takes one back."""
        from halubot.feedback import Feedback

        report = turn.current_report
        if report is None:
            return

        def keep() -> tuple[Word, ...]:
            with Feedback.open(self._folder) as feedback:
                if answer.says is not None:
                    feedback.add(report, fact, answer.says, note=answer.note)
                elif before is not None:
                    feedback.remove(before.id)
                return feedback.words()

        try:
            self._words = await asyncio.to_thread(keep)
        except HalubotError as error:
            self._show_refusal("Not kept", error)
            return
        self.heed(self._turns.values())
        self.redraw(turn)
        said = "It is kept" if answer.says else "It is taken back"
        self.notify(f"{said}. Export (F9) saves what you said for halubot calibrate.")

    async def read_words(self) -> None:
        """Reads what the person said of facts before."""

        def read() -> tuple[Word, ...]:
            from halubot.feedback.kept_words import Feedback, place

            if not place(self._folder).exists():
                return ()
            with Feedback.open(self._folder) as feedback:
                return feedback.words()

        if self._preferences.no_feedback:
            return
        try:
            self._words = await asyncio.to_thread(read)
        except HalubotError as error:
            self._show_refusal("What you said of facts is left out", error)


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
                    " machine, and F9 exports it for halubot calibrate."
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
