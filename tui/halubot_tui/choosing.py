"""The form in which methods are chosen that are to judge a message too."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button

from halubot.methods import registry
from halubot.render.inert import one_line
from halubot_tui import actions
from halubot_tui.form import Form, hint, wrong
from halubot_tui.keys import Keys
from halubot_tui.picks import Pick, Picks

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot_tui.preferences import Preferences
    from halubot_tui.turns import Turn


class CompareForm(Form[tuple[str, ...]]):
    """Chooses the methods that are to judge a message too; dismissed with their names."""

    BINDINGS: ClassVar[list[BindingType]] = [
        actions.named("compare-now").binding(),
        Binding("f8", "app.settings", "Settings", id="settings"),
    ]
    DEFAULT_CSS = """
    CompareForm > #panel { height: auto; max-height: 94%; }
    CompareForm.-small > #panel { height: 100%; }
    CompareForm #fields { height: auto; max-height: 32; }
    CompareForm.-small #fields { height: 1fr; max-height: 100%; }
    """

    def __init__(self, turn: Turn, *, with_model: bool) -> None:
        super().__init__()
        self._turn = turn
        self._with_model = with_model

    def compose(self) -> ComposeResult:
        with Vertical(id="panel") as panel:
            panel.border_title = "Compare"
            with VerticalScroll(id="fields", can_focus=False):
                yield hint(
                    "The message is judged by these methods too, with the same samples and"
                    " references. Space marks one. Those that can run now come first."
                )
                yield Picks(id="methods", many=True)
                yield wrong("methods")
            with Horizontal(classes="buttons"):
                yield Button("Back", id="back", compact=True)
                yield Button("Compare", id="compare", variant="primary", compact=True)
        yield Keys()

    def on_mount(self) -> None:
        self.query_one("#methods").focus()
        self.run_worker(self._list(), exit_on_error=False)

    async def _list(self) -> None:
        choices = await asyncio.to_thread(self._choices)
        self.query_one("#methods", Picks).put(choices)

    def prefer(self, preferences: Preferences) -> None:
        """Lists the methods anew: with a model more of them can be chosen."""
        self._with_model = bool(preferences.options().get("model"))
        self.run_worker(self._list(), exit_on_error=False)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "compare":
            self.action_compare_now()
        else:
            self.action_back()

    def action_compare_now(self) -> None:
        chosen = self.query_one("#methods", Picks).marked
        if chosen:
            self.dismiss(chosen)
        else:
            self.complain("methods", "Mark a method with the space bar.")

    def _choices(self) -> list[Pick]:
        """The methods that did not judge it yet; those that need a model only with one."""
        report = self._turn.report
        done = {report.method if report else "", *self._turn.compared}
        found: list[Pick] = []
        for name in registry.known():
            if name in done:
                continue
            method = registry.get(name)
            lacks = "model" in method.needs and not self._with_model
            shown = Content.assemble(
                (f"{name:16} ", "bold"), (one_line(method.summary), "$secondary")
            )
            if lacks:
                shown += Content(" Needs a model: F8 chooses one.")
            found.append(Pick(name, shown, able=not lacks))
        found.sort(key=lambda one: not one.able)
        return found
