"""Tests wait for the app, not for a time, and an app that a test leaves ends as one that is quit."""

from __future__ import annotations

from typing import Any

import pytest
from textual.app import App

from halubot_tui.checker import Checker
from tests.halubot_tui.driving import quiet


@pytest.fixture(autouse=True)
def _waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textual.app.wait_for_idle", quiet)
    monkeypatch.setattr("textual.pilot.wait_for_idle", quiet)


@pytest.fixture(autouse=True)
def _told_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notifications go after 5 seconds: on a slow machine before a test has looked at them."""
    monkeypatch.setattr("textual.notifications.Notification.time_left", 3600.0)


@pytest.fixture(autouse=True)
def _loading_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library of models takes seconds to load: the first call of a test loads it."""

    async def load(checker: Checker) -> None:
        return

    monkeypatch.setattr("halubot_tui.checker.load_library", load)


@pytest.fixture(autouse=True)
def _quitting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work ends before the widgets that it fills: `run_test` takes these from under it."""
    shutdown = App._shutdown

    async def first_its_workers(self: App[Any]) -> None:
        self.workers.cancel_all()
        await shutdown(self)

    monkeypatch.setattr(App, "_shutdown", first_its_workers)
