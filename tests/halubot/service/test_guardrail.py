"""Answers on their way through LiteLLM's proxy, asked by the client that litellm ships."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from halubot.inputs import Options
from halubot.models.litellm_door import load_litellm
from halubot.service.pages import Limits
from tests.halubot.service.conftest import Served
from tests.halubot.service.holding import held

if TYPE_CHECKING:
    import httpx

WRONG = "Ada Lovelace was born in 1816."
RIGHT = "Ada Lovelace was born in 1815."
MESSAGES = [{"role": "user", "content": "When was Ada Lovelace born?"}]


def applied(
    client: httpx.Client,
    texts: list[str],
    input_type: str = "response",
    **wishes: Any,
) -> list[str]:
    """What litellm's own client makes of texts. Raises what it raises."""
    module = "litellm.proxy.guardrails.guardrail_hooks.generic_guardrail_api.generic_guardrail_api"
    load_litellm()  # offline, as the product loads it
    made = import_module(module)
    inputs = {"texts": texts, "structured_messages": MESSAGES}

    async def whole() -> list[str]:
        guardrail = made.GenericGuardrailAPI(
            api_base=str(client.base_url),
            headers={},
            guardrail_name="halubot",
            additional_provider_specific_params=wishes,
        )
        try:
            found: Mapping[str, Any] = await guardrail.apply_guardrail(
                inputs=inputs, request_data={}, input_type=input_type
            )
        finally:
            await guardrail.async_handler.close()
            in_memory_llm_clients_cache.flush_cache()
        return list(found["texts"])

    in_memory_llm_clients_cache = import_module("litellm").in_memory_llm_clients_cache
    return asyncio.run(whole())


@pytest.fixture
def proxied(served: Served) -> httpx.Client:
    """A service that knows one reference."""
    return served(Options(references=[RIGHT]))


def test_a_doubted_answer_goes_on_with_a_note_below_it(proxied: httpx.Client) -> None:
    (text,) = applied(proxied, [WRONG])
    assert text.startswith(f"{WRONG}\n\n---\nhalubot: 1 of 1 fact in doubt\n")
    assert f"- contradicted: “1816” - a source says: “{RIGHT}”" in text


def test_what_is_supported_stays_byte_for_byte(proxied: httpx.Client) -> None:
    assert applied(proxied, [RIGHT]) == [RIGHT]


def test_what_a_person_writes_is_never_changed(proxied: httpx.Client) -> None:
    assert applied(proxied, [WRONG], "request", block_on="doubtful") == [WRONG]


def test_an_answer_in_json_stays_as_it_is(proxied: httpx.Client) -> None:
    text = '{"answer": "Ada Lovelace was born in 1816."}'
    assert applied(proxied, [text]) == [text]


def test_nothing_to_compare_with_is_said(served: Served) -> None:
    (text,) = applied(served(), [WRONG])
    assert text.startswith(f"{WRONG}\n\n---\nhalubot: not checked: ")


def test_an_answer_is_refused_only_if_that_is_asked_for(proxied: httpx.Client) -> None:
    with pytest.raises(Exception, match=r"1 of 1 fact in doubt.*1816"):
        applied(proxied, [WRONG], block_on="contradicted")
    assert applied(proxied, [RIGHT], block_on="contradicted") == [RIGHT]


def test_a_busy_service_says_that_nothing_was_checked(served: Served) -> None:
    with held() as method:
        client = served(Options(method="held"), Limits(at_once=1, waiting=0))
        with client.stream("POST", "/v1/check?stream=true", json={"text": "Held."}):
            assert method.came.acquire(timeout=60)
            (text,) = applied(client, [WRONG])
        assert "halubot: not checked: 0 checks wait already" in text


def test_more_texts_than_a_proxy_sends_are_refused(served: Served) -> None:
    client = served(Options(references=[RIGHT]))
    body = {"input_type": "response", "texts": [WRONG] * 101}
    answer = client.post("/beta/litellm_basic_guardrail_api", json=body)
    assert answer.status_code == 422
    assert "too many" in answer.json()["error"]["message"]
    body["input_type"] = "request"
    assert client.post("/beta/litellm_basic_guardrail_api", json=body).json() == {"action": "NONE"}
