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
    from textual.notifications import Notification
    from textual.pilot import Pilot

PATIENCE = 90.0
"""Seconds after which waiting is a failure of the test."""


class Bare(App[None]):
    """An app for a widget alone, in our colours."""

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(DARK.variables)

    @property
    def told(self) -> list[str]:
        """What the person was told."""
        return [one.message for one in notices(self)]


def notices(app: App[Any]) -> list[Notification]:
    """All that the app told the person, also what is gone from the screen since."""
    return list(vars(app._notifications).get("notices", ()))


SOON = 1 / 30
"""Seconds in which what is put off until the next frame is done."""

LOOK_AGAIN = 0.01
"""Seconds between two looks at what a thread or a process does."""


async def quiet(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Returns once nothing on this event loop can go on and no timer of it ends soon; it waits for
    no thread.

    Stands in the place of Textual's own wait, which looks at the processor time of the process:
    that one takes a busy machine for a quiet app, and 20 ms and more.
    """
    loop = asyncio.get_running_loop()
    ready, timers = vars(loop)["_ready"], vars(loop)["_scheduled"]
    until = loop.time() + max_sleep
    while loop.time() < until:
        while ready and loop.time() < until:  # noqa: ASYNC110 - no event tells of it
            await asyncio.sleep(0)
        due = min((one.when() for one in timers if not one.cancelled()), default=until)
        if due - loop.time() > SOON:
            return
        await asyncio.sleep(max(0.0, due - loop.time()))


async def settled(pilot: Pilot[Any], condition: Callable[[], object]) -> None:
    """Returns once the condition holds and all messages of the app were handled."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, "what the test waits for does not come"
        await asyncio.sleep(LOOK_AGAIN)
        await pilot.pause()
    await pilot.pause()


def driven(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that drives the app on an event loop of its own."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(test(*args, **kwargs))

    run.__signature__ = inspect.signature(test)  # type: ignore[attr-defined]
    return run
