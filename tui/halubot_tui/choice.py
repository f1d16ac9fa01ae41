"""The form in which methods are chosen that are to judge a message too."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button

from halubot.methods import registry
from halubot.render.inert import one_line
from halubot_tui import actions
from halubot_tui.form import Fields, Form, hint, wrong
from halubot_tui.inspecting.drawing import hung, stack_lines
from halubot_tui.keys import Keys
from halubot_tui.picks import Pick, Picks

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot.methods.registry import Method
    from halubot_tui.preferences import Preferences
    from halubot_tui.turns import Turn

CAN: Final = "Can run now"
CANNOT: Final = "No other method can run on this text as it is."
_BOX: Final = 4
"""Cells of the box before a method."""


class CompareForm(Form[tuple[str, ...]]):
    """Chooses the methods that are to judge a message too; dismissed with their names."""

    BINDINGS: ClassVar[list[BindingType]] = [
        actions.find_action("compare-now").binding(),
        Binding("f8", "app.settings", "Settings", id="settings"),
    ]
    DEFAULT_CSS = """
    CompareForm #methods { max-height: 200; }
    """

    def __init__(self, turn: Turn, *, with_model: bool) -> None:
        super().__init__()
        self._turn = turn
        self._with_model = with_model

    def compose(self) -> ComposeResult:
        with Vertical(id="panel") as panel:
            panel.border_title = "Compare"
            with Fields():
                yield hint(
                    "The text is judged by these methods too, with the same answers and"
                    " documents. Space marks one."
                )
                yield Picks(id="methods", many=True)
                yield wrong("methods")
            with Horizontal(classes="buttons"):
                yield Button("Back", id="back", compact=True)
                yield Button("Compare", id="compare", variant="primary", compact=True)
        yield Keys()

    def on_mount(self) -> None:
        self.query_one("#methods").focus()

    def on_resize(self) -> None:
        super().on_resize()
        self.call_after_refresh(self._list_anew)

    def _list_anew(self) -> None:
        self.run_worker(self._list(), exclusive=True, group="methods", exit_on_error=False)

    async def _list(self) -> None:
        width = self.query_one("#methods").content_size.width or self.size.width
        choices = await asyncio.to_thread(self._choices, width - 2)
        self.query_one("#methods", Picks).put_picks(choices)

    def prefer(self, preferences: Preferences) -> None:
        """Lists the methods anew: with a model more of them can be chosen."""
        self._with_model = bool(preferences.options().get("model"))
        self._list_anew()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "compare":
            self.action_compare_now()
        else:
            self.action_back()

    def action_compare_now(self) -> None:
        chosen = self.query_one("#methods", Picks).marked_names
        if chosen:
            self.dismiss(chosen)
        else:
            self.complain("methods", "Mark a method with the space bar.")

    def _choices(self, width: int) -> list[Pick]:
        """The methods that did not judge it yet, those that can run now first; the others by what
        is missing."""
        report = self._turn.report
        done = {report.method if report else "", *self._turn.compared}
        groups: dict[str, list[Pick]] = {"": []}
        for name in registry.method_names():
            if name not in done:
                method = registry.get(name)
                missing = self._missing(method)
                lead = Content.assemble((f"{name:16} ", "bold"))
                summary = Content(one_line(method.summary)).stylize("$secondary")
                first, *rest = hung(summary, width - _BOX, lead)
                label = stack_lines([first, *(Content(" " * _BOX) + line for line in rest)])
                groups.setdefault(missing, []).append(Pick(name, label, able=not missing))
        found: list[Pick] = []
        for missing, picks in groups.items():
            said = f"Missing: {missing}" if missing else CAN if picks else CANNOT
            found += [Pick(f"heading {missing}", said, able=False, heading=True), *picks]
        return found

    def _missing(self, method: Method) -> str:
        """Return what a method lacks to judge this message; "" if it can run."""
        report = self._turn.report
        kinds = {source.kind for source in report.sources} if report else set()
        model = "model" not in method.needs or self._with_model
        # a model writes the other answers itself
        answers = "sample" in kinds or self._with_model
        documents = bool(kinds - {"sample"})
        lacks = [] if model else ["a model (F8 chooses one)"]
        one_is_enough = {"samples", "references"} <= set(method.needs) and not method.needs_all
        if one_is_enough:
            return " and ".join(lacks)
        if "samples" in method.needs and not answers and model:
            lacks.append("other answers (give them in F2)")
        if "references" in method.needs and not documents:
            lacks.append("a document (give it in F2)")
        return " and ".join(lacks)
