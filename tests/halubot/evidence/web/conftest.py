"""Limits of time that only a hanging program reaches: these tests are not about speed."""

from __future__ import annotations

import pytest

PATIENT = (
    "halubot.evidence.json_api.SECONDS",
    "halubot.evidence.json_api.REACH_SECONDS",
    "halubot.evidence.web.pages.SECONDS",
    "halubot.evidence.web.lookup.READING_SECONDS",
    "halubot.evidence.web.registries.SECONDS",
)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PATIENT:
        monkeypatch.setattr(name, 90.0)
