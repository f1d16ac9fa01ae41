"""Calls to a plain OpenAI-compatible server while litellm is being loaded, which takes seconds.

Only the plainest case: an address, a key of one header, an answer with status 200. Whatever else a
server says is left to litellm, which is waited for then and asks again.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import httpx

_KEYS: Final = {
    "openai": "OPENAI_API_KEY",
    "hosted_vllm": "HOSTED_VLLM_API_KEY",
    "llamafile": "LLAMAFILE_API_KEY",
    "lm_studio": "LM_STUDIO_API_KEY",
}
"""The providers whose servers speak OpenAI's protocol as it is, and the variables of their keys."""

_NO_LIMIT: Final = 86_400.0
"""Seconds: the time a call may take is limited elsewhere."""

_OURS: Final = frozenset({"extra_body", "allowed_openai_params"})
"""What is said to litellm alone."""


class NotPlainError(Exception):
    """The server did not begin an answer: litellm finds out why."""


class Part:
    """An object of an answer's JSON; what it lacks is None."""

    def __init__(self, value: dict[str, Any]) -> None:
        self._value = value

    def __getattr__(self, name: str) -> Any:
        return _part(self._value.get(name))


def _part(value: Any) -> Any:
    if isinstance(value, list):
        return [_part(one) for one in value]
    return Part(value) if isinstance(value, dict) else value


def is_plain(provider: str, base: str | None) -> bool:
    """Return True if calls to a server of that provider at that address can be made here."""
    # Without a variable of the environment litellm may find a key in a file.
    return (
        provider in _KEYS
        and base is not None
        and base.startswith(("http://", "https://"))
        and "?" not in base
        and "@" not in base
    )


async def complete(provider: str, base: str, body: dict[str, Any]) -> Part:
    """The answer to a request. Raises NotPlainError."""
    async with _answering(provider, base, body) as response:
        return Part(json.loads(await response.aread()))


async def stream(provider: str, base: str, body: dict[str, Any]) -> AsyncIterator[Part]:
    """The pieces of an answer as they come. Raises NotPlainError."""
    wanted = {**body, "stream": True, "stream_options": {"include_usage": True}}
    async with _answering(provider, base, wanted) as response:
        async for line in response.aiter_lines():
            name, _, data = line.partition(":")
            if name == "data" and data.strip() == "[DONE]":
                return
            if name == "data":
                yield Part(json.loads(data))


@asynccontextmanager
async def _answering(
    provider: str, base: str, body: dict[str, Any]
) -> AsyncIterator[httpx.Response]:
    """The beginning of an answer."""
    import httpx

    from halubot.network import bind_limits

    key = os.environ.get(_KEYS[provider]) or "none"
    sent = {name: value for name, value in body.items() if name not in _OURS}
    sent |= body.get("extra_body", {})
    # To make a TLS context takes longer than the call, and http:// needs none.
    client = httpx.AsyncClient(timeout=_NO_LIMIT, verify=base.startswith("https://"))
    async with bind_limits(client):
        try:
            request = client.build_request(
                "POST",
                f"{base}/chat/completions",
                json=sent,
                headers={"Authorization": f"Bearer {key}"},
            )
            response = await client.send(request, stream=True)
        except httpx.ConnectError as error:  # nothing was sent: asking again costs nothing
            raise NotPlainError from error
        try:
            if response.status_code != 200:
                raise NotPlainError
            yield response
        finally:
            await response.aclose()
