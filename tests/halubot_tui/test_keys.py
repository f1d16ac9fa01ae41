"""The line that names the keys: what matters is there at every width, and nothing is cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from textual.app import App
from textual.binding import Binding, BindingType
from textual.widgets import Input

from halubot_tui.keys import Keys
from tests.halubot_tui.driving import driven, settled

if TYPE_CHECKING:
    from textual.app import ComposeResult


class Shown(App[None]):
    """Many actions, the one that matters most last."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(f"f{at}", f"do({at})", f"What number {at} does") for at in range(2, 9)),
        Binding("f1,question_mark", "help", "Help", tooltip="Says what can be done."),
    ]
    done: ClassVar[list[int]] = []
    may: bool | None = True

    def compose(self) -> ComposeResult:
        yield Input()
        yield Keys()

    def action_do(self, number: int) -> None:
        self.done.append(number)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.may if action == "do" else True


def line(app: App[Any]) -> str:
    """The line as it is drawn."""
    keys = app.query_one(Keys)
    return keys.render_line(0).text


@pytest.mark.parametrize("width", [40, 60, 100, 160, 300])
@driven
async def test_what_matters_is_named_and_nothing_is_cut_off(width: int) -> None:
    app = Shown()
    async with app.run_test(size=(width, 10)) as pilot:
        await settled(pilot, lambda: "Help" in line(app))
        said = line(app)
        named = app.query_one(Keys).shown_keys
        assert all(key.label_shown in said for key in named)
        assert len(said) <= width
        assert said.rstrip().endswith("^P palette")
        if width == 300:
            assert len(named) == 9


@driven
async def test_more_room_names_more_keys() -> None:
    app = Shown()
    async with app.run_test(size=(60, 10)) as pilot:
        await settled(pilot, lambda: "Help" in line(app))
        few = len(app.query_one(Keys).shown_keys)
        await pilot.resize_terminal(160, 10)
        await settled(pilot, lambda: len(app.query_one(Keys).shown_keys) > few)


@driven
async def test_a_click_presses_the_key_and_a_key_that_does_nothing_now_is_not_pressed() -> None:
    app = Shown()
    app.done.clear()
    async with app.run_test(size=(160, 10)) as pilot:
        await settled(pilot, lambda: "Help" in line(app))
        at = line(app).index("F3")
        await pilot.click(Keys, offset=(at, 0))
        assert app.done == [3]
        app.may = None
        app.refresh_bindings()
        await settled(pilot, lambda: not app.query_one(Keys).shown_keys[0].enabled)
        await pilot.click(Keys, offset=(at, 0))
        assert app.done == [3]


@driven
async def test_what_a_key_does_is_said_where_the_mouse_is() -> None:
    app = Shown()
    async with app.run_test(size=(300, 10)) as pilot:
        await settled(pilot, lambda: "Help" in line(app))
        await pilot.hover(Keys, offset=(line(app).index("Help"), 0))
        assert app.query_one(Keys).tooltip == "Says what can be done."
        await pilot.hover(Input)
        assert app.query_one(Keys).tooltip is None


@driven
async def test_nothing_is_laid_out_anew_where_other_things_can_be_done() -> None:
    app = Shown()
    async with app.run_test(size=(160, 10)) as pilot:
        await settled(pilot, lambda: "F3" in line(app))
        laid: list[object] = []
        app.screen.screen_layout_refresh_signal.subscribe(app.screen, laid.append)
        app.may = False
        app.refresh_bindings()
        await settled(pilot, lambda: "F3" not in line(app))
        assert not laid
