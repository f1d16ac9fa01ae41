"""The library that talks to models: it is loaded beside the app, since that takes seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halubot_tui.orders import LoadLibrary

if TYPE_CHECKING:
    from halubot_tui.checker import Checker


async def load(checker: Checker) -> None:
    """Loads it if calls are made; returns at once if it is loaded."""
    await checker.carry_out(LoadLibrary(), lambda _: None)
