"""Keys and pauses wait for the app, and an app that a test leaves ends as one that is quit."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual.app import App
from textual.notifications import Notification, Notifications

from halubot_tui.checker import Checker
from tests.halubot_tui.driving import quiet


@pytest.fixture(autouse=True)
def _waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textual.app.wait_for_idle", quiet)
    monkeypatch.setattr("textual.pilot.wait_for_idle", quiet)


@pytest.fixture(autouse=True)
def _remembering(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told goes after some seconds, or with the next key, before a slow test looks at it:
    `notices` reads it here."""
    add = Notifications.add

    def remember(self: Notifications, notification: Notification) -> Notifications:
        vars(self).setdefault("notices", []).append(notification)
        return add(self, notification)

    monkeypatch.setattr(Notifications, "add", remember)


@pytest.fixture(autouse=True)
def _loading_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library of models takes seconds to load: the first call of a test loads it."""

    async def load(checker: Checker, model: str, api_base: str | None) -> None:
        return

    monkeypatch.setattr("halubot_tui.checker.load_library", load)


@pytest.fixture(autouse=True)
def _quitting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work ends before the widgets that it fills: `run_test` takes these from under it."""
    shutdown = App._shutdown

    async def first_its_workers(self: App[Any]) -> None:
        self._running = False
        # One that is cancelled before its first step leaves a coroutine that nobody awaits.
        await asyncio.sleep(0)
        self.workers.cancel_all()
        await shutdown(self)

    monkeypatch.setattr(App, "_shutdown", first_its_workers)
