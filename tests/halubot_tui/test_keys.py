"""The line that names the keys: what matters is there at every width, and nothing is cut off."""

from __future__ import annotations

import gc
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from textual.app import App
from textual.binding import Binding, BindingType
from textual.widgets._footer import FooterKey

from halubot_tui.keys import Keys
from tests.halubot_tui.driving import driven, settled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult


class Shown(App[None]):
    """Many actions, the one that matters most last."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(f"f{at}", f"do_{at}", f"What number {at} does") for at in range(2, 9)),
        Binding("f1", "help", "Help"),
    ]

    def compose(self) -> ComposeResult:
        yield Keys()


def named(app: App[Any]) -> Sequence[FooterKey]:
    return list(app.query(FooterKey))


@pytest.mark.parametrize("width", [40, 60, 100, 160, 300])
@driven
async def test_what_matters_is_named_and_nothing_is_cut_off(width: int) -> None:
    app = Shown()
    async with app.run_test(size=(width, 10)) as pilot:
        await settled(pilot, lambda: named(app))
        await pilot.pause()
        actions = [key.action for key in named(app)]
        assert "help" in actions
        assert all(key.region.right <= width for key in named(app))
        regions = sorted((key.region.x, key.region.right) for key in named(app))
        assert all(one[1] <= other[0] for one, other in pairwise(regions))
        if width == 300:
            assert len(actions) == 9


@driven
async def test_more_room_names_more_keys() -> None:
    app = Shown()
    async with app.run_test(size=(60, 10)) as pilot:
        await settled(pilot, lambda: named(app))
        few = len(named(app))
        await pilot.resize_terminal(160, 10)
        await settled(pilot, lambda: len(named(app)) > few)


@driven
async def test_keys_of_before_are_not_held() -> None:
    app = Shown()
    async with app.run_test(size=(100, 10)) as pilot:
        await settled(pilot, lambda: named(app))
        before = _held()
        for _ in range(5):
            app.query_one(Keys).refresh(recompose=True)
            await pilot.pause()
        assert _held() <= before + len(Shown.BINDINGS)


def _held() -> int:
    """How many keys of a line of keys are in memory, those of other apps too."""
    gc.collect()
    return sum(isinstance(one, FooterKey) for one in gc.get_objects())
