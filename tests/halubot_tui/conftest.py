"""Keys and pauses wait for the app."""

from __future__ import annotations

import pytest

from tests.halubot_tui.driving import quiet


@pytest.fixture(autouse=True)
def _waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textual.app.wait_for_idle", quiet)
    monkeypatch.setattr("textual.pilot.wait_for_idle", quiet)
