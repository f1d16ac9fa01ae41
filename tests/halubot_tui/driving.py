"""The terminal app driven by tests."""

from __future__ import annotations

import asyncio
import functools
import inspect
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from textual.app import App

from halubot_tui.looks import DARK

if TYPE_CHECKING:
    from textual.pilot import Pilot

PATIENCE = 30.0
"""Seconds after which waiting is a failure of the test."""


class Bare(App[None]):
    """An app for a widget alone, in our colours."""

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(DARK.variables)

    @property
    def told(self) -> list[str]:
        """What the person was told."""
        return [one.message for one in self._notifications]


async def settled(pilot: Pilot[Any], condition: Callable[[], object]) -> None:
    """Returns once the condition holds and all messages of the app were handled."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, "what the test waits for does not come"
        await pilot.pause()
    await pilot.pause()


def driven(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that drives the app on an event loop of its own."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(test(*args, **kwargs))

    run.__signature__ = inspect.signature(test)  # type: ignore[attr-defined]
    return run
