"""What the tests of models share."""

from __future__ import annotations

import pytest

from halubot.models import capabilities


@pytest.fixture
def nothing_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model was ever called."""
    monkeypatch.setattr(capabilities, "_learnt", {})
