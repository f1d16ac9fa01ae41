"""What the tests of models share."""

from __future__ import annotations

import pytest

from halubot.models import learning


@pytest.fixture
def nothing_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model was ever called."""
    monkeypatch.setattr(learning, "_learnt", {})
