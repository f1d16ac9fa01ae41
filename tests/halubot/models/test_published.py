"""Which endpoints are this machine, and what is published of a model without loading litellm."""

from __future__ import annotations

import pytest

from halubot.models import published
from halubot.models.published import address, is_local, listed_of


@pytest.mark.parametrize(
    "endpoint",
    [
        *("http://localhost:11434", "http://LOCALHOST", "http://me.localhost/v1"),
        *("http://127.0.0.1:8000/v1", "http://127.8.9.1", "https://[::1]:8000/v1"),
        *("http://0.0.0.0:8000", "http://[::ffff:127.0.0.1]:1", "localhost:8000", "127.0.0.1"),
    ],
)
def test_this_machine(endpoint: str) -> None:
    assert is_local(endpoint)


@pytest.mark.parametrize(
    "endpoint",
    [
        *("openai", "its provider", "", "https://api.example.org/v1", "http://192.168.1.5:8000"),
        *("http://127.0.0.1.example.org", "http://localhost.example.org", "http://127.evil"),
        *("http://example.org/localhost", "https://[2001:db8::1]/v1", "10.0.0.1:8000"),
        *("x[", "http://[localhost"),
    ],
)
def test_another_machine(endpoint: str) -> None:
    assert not is_local(endpoint)


def test_addresses_tell_local_from_hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_BASE", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert not is_local(address("openai", None))
    assert is_local(address("openai", "http://user:secret@127.0.0.1:8000/v1"))
    assert not is_local(address("openai", "http://localhost@example.org/v1"))
    assert is_local(address("ollama_chat", None))


def test_prices_are_read_from_the_table() -> None:
    known = listed_of("openai/gpt-4o")
    assert known.prompt_price is not None
    assert known.completion_price is not None
    assert 0 < known.prompt_price < known.completion_price < 1
    assert listed_of("openai/unheard-of").prompt_price is None
    assert listed_of("ollama_chat/anything").prompt_price == 0.0


PRICED = {"mode": "chat", "litellm_provider": "openai", "input_cost_per_token": 1e-6}


def entries(monkeypatch: pytest.MonkeyPatch, **table: dict[str, object]) -> None:
    monkeypatch.setattr(published, "_table", lambda: {**table})


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
    assert published.chat_models("openai") == ("openai/gpt-a", "openai/gpt-b")
    assert published.chat_models("anthropic") == ("anthropic/claude",)
    assert published.chat_models("nobody") == ()
