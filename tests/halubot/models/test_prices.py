"""What litellm's own table says of models, read without loading litellm."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from halubot.models import prices

if TYPE_CHECKING:
    from pathlib import Path

PRICED = {"mode": "chat", "litellm_provider": "openai", "input_cost_per_token": 1e-6}


def entries(monkeypatch: pytest.MonkeyPatch, **table: dict[str, object]) -> None:
    monkeypatch.setattr(prices, "_table", lambda: {**table})


def test_chat_models_of_a_provider_are_those_with_a_price_under_their_usual_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = {
        "openai/gpt-b": PRICED,
        "gpt-a": PRICED,  # the table names some with their provider, some without
        "gpt-a-2024-08-06": PRICED,
        "gpt-a-0125": PRICED,
        "gpt-a-audio": PRICED,
        "gpt-latest": PRICED,
        "gpt-free": {**PRICED, "input_cost_per_token": 0},
        "vectors": {**PRICED, "mode": "embedding"},
        "claude": {**PRICED, "litellm_provider": "anthropic"},
    }
    entries(monkeypatch, **table)
    assert prices.chat_models("openai") == ("openai/gpt-a", "openai/gpt-b")
    assert prices.chat_models("anthropic") == ("anthropic/claude",)
    assert prices.chat_models("nobody") == ()


def test_the_table_of_the_installed_library_has_them_and_does_not_load_it() -> None:
    loaded = "litellm" in sys.modules
    names = prices.chat_models("openai")
    assert names
    assert all(name.startswith("openai/") for name in names)
    assert ("litellm" in sys.modules) == loaded


@pytest.mark.parametrize("content", [None, "no JSON"])
def test_without_a_table_there_are_none(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if content is not None:
        (tmp_path / "model_prices_and_context_window_backup.json").write_text(content)
    (tmp_path / "litellm.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(prices, "_table", prices._table.__wrapped__)
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "litellm", raising=False)
        assert prices.chat_models("openai") == ()
