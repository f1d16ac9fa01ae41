"""Keys and pauses wait for the app, and an app that a test leaves ends as one that is quit."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual._compositor import Compositor
from textual.app import App
from textual.css.stylesheet import Stylesheet
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


class _NoGarbage:
    """Stands in the place of `Garbage`, which would look through all that pytest and the tests
    before hold, at the end of each check."""

    heard = False

    def look(self, **_: object) -> None:
        """Leave garbage to Python and to the end of the file."""

    def end(self) -> None:
        """Nothing was changed."""


_rules: dict[Any, Any] = {}
_parse_rules = Stylesheet._parse_rules


def _parse_once(self: Stylesheet, *source: Any, **given: Any) -> Any:
    key = (source, *sorted(given.items()), *self._variables.items())
    if key not in _rules:
        _rules[key] = _parse_rules(self, *source, **given)
    return _rules[key]


def _draw_nothing(self: Compositor, **_: object) -> None:
    self._dirty_regions.clear()


@pytest.fixture(autouse=True)
def _doing_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Styles are parsed for the first app alone, and what no terminal would receive is not drawn:
    `shown` draws the whole screen."""
    monkeypatch.setattr("halubot_tui.app.Garbage", _NoGarbage)
    monkeypatch.setattr(Stylesheet, "_parse_rules", _parse_once)
    monkeypatch.setattr(Compositor, "render_full_update", _draw_nothing)
    monkeypatch.setattr(Compositor, "render_partial_update", _draw_nothing)


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
