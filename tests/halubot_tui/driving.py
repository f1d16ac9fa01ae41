"""The terminal app driven by tests."""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

import pytest

from halubot_tui.app import HalubotApp
from halubot_tui.text_check import Inputs
from tests.halubot_tui.canned import ANSWER, TEXT, CannedChecker

if TYPE_CHECKING:
    from pathlib import Path

    from textual.app import App
    from textual.notifications import Notification
    from textual.pilot import Pilot

    from halubot_tui.text_check import TextCheck

PATIENCE = float(os.environ.get("HALUBOT_TEST_PATIENCE", "90"))
"""Seconds after which waiting is a failure of the test."""


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
        if time.monotonic() > until:
            pytest.fail(f"what the test waits for does not come; the screen is\n{shown(pilot.app)}")
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


def shown(app: App[Any]) -> str:
    """The screen as lines of text."""
    strips = app.screen._compositor.render_strips(app.screen.size)
    return "\n".join(strip.text.rstrip() for strip in strips)


async def ended(pilot: Pilot[Any], check: TextCheck | None = None) -> TextCheck:
    """Return the check that is shown, or this one, once it has ended and corrections were looked
    for."""
    app = pilot.app
    assert isinstance(app, HalubotApp)
    await app.opened.wait()

    def found() -> TextCheck | None:
        return check or app.open_checks.shown

    await settled(pilot, lambda: (one := found()) is not None and not one.running)
    await settled(pilot, lambda: not any("proposals" in one.group for one in app.workers))
    last = found()
    assert last is not None
    return last


def opened(folder: Path, checker: Any = None, **options: Any) -> HalubotApp:
    """The app on the sessions of a folder, whose checks need no engine."""
    app = HalubotApp(folder=folder, **options)
    vars(app)["checker"] = checker or CannedChecker()
    return app


async def check_text(pilot: Pilot[Any], text: str = TEXT, **inputs: Any) -> TextCheck:
    """Check a text as if it was sent from the composer."""
    app = pilot.app
    assert isinstance(app, HalubotApp)
    await app.opened.wait()
    given = {"samples": (ANSWER, ANSWER, ANSWER), **inputs}
    check = await app.checks.begin(Inputs(kind="check", text=text, **given))
    app.main.action_review()
    return await ended(pilot, check)
