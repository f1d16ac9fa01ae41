"""The inspector: the facts of a message, and what speaks for and against each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from halubot.render.listing import Entry, quotes
from halubot.render.words import STANCE_GLYPHS, VERDICTS
from halubot_tui import actions
from halubot_tui.looks import STYLES, Signs
from halubot_tui.messages import Selected
from halubot_tui.turns import Turn

if TYPE_CHECKING:
    from textual.app import ComposeResult

NOTHING = "No message is selected."


class Inspector(Vertical):
    """The facts of the selected message above, the evidence of the selected fact below."""

    BINDINGS = actions.bindings("inspector")
    DEFAULT_CSS = """
    Inspector { width: 1fr; border-left: solid $rule; padding: 1 1 0 1; }
    Inspector OptionList { height: 1fr; border: none; background: $background; padding: 0; }
    Inspector #evidence { height: 1fr; border-top: solid $rule; padding-top: 1; }
    """

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="inspector")
        self._signs = signs
        self._turn: Turn | None = None
        self._by_place = False

    def compose(self) -> ComposeResult:
        yield OptionList(id="facts", markup=False)
        with VerticalScroll(id="evidence"):
            yield Static(NOTHING, markup=False)

    def show(self, turn: Turn | None, entry: int | None = None) -> None:
        """Shows the facts of a message, and the evidence of one."""
        self._turn = turn
        facts = self.query_one("#facts", OptionList)
        facts.clear_options()
        chosen = list(turn.entries) if turn is not None else []
        if self._by_place:
            chosen.sort(key=lambda one: one.spans)
        facts.add_options(Option(self._line(one), id=str(one.number)) for one in chosen)
        if entry is not None:
            facts.highlighted = next(
                (at for at, one in enumerate(chosen) if one.number == entry), None
            )
        self._explain(entry)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if self._turn is not None and event.option_id is not None:
            self._explain(int(event.option_id))
            self.post_message(Selected(self._turn.id, int(event.option_id)))

    def action_sort_facts(self) -> None:
        self._by_place = not self._by_place
        self.show(self._turn)

    def _line(self, entry: Entry) -> Content:
        style = STYLES[entry.verdict].replace("underline ", "")
        full, rest = self._signs.bar(entry.score or 0.0, 5)
        bar = [(full, style), (rest, "$text-muted")] if entry.score is not None else []
        return Content.assemble(
            (f"{self._signs.key(entry.verdict, entry.number)} ", style),
            entry.reading,
            "\n  ",
            *bar,
            (f" {VERDICTS[entry.verdict]}", style),
        )

    def _explain(self, number: int | None) -> None:
        """Shows who says what of the entry with this number."""
        shown = self.query_one("#evidence Static", Static)
        turn = self._turn
        entry = next((one for one in turn.entries if one.number == number), None) if turn else None
        if turn is None or turn.report is None or entry is None:
            shown.update(Content(NOTHING if turn is None else "Select a fact to see its evidence."))
            return
        lines: list[Content] = [Content(entry.reading).stylize("bold"), Content(entry.said)]
        if entry.reason:
            lines.append(Content(entry.reason))
        for quote in quotes(entry.fact, turn.report, most=None) if entry.fact else ():
            lines += [
                Content(""),
                Content.assemble(
                    (f"{STANCE_GLYPHS[quote.evidence.stance]} {quote.name}", "$text-muted")
                ),
                Content(quote.text),
            ]
        shown.update(Content("\n").join(lines))
