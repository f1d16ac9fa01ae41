"""Servers that speak OpenAI's protocol at an address of their own, called by httpx.

litellm has no part in these calls: it takes seconds to load, and 5 ms of the processor a call.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from halubot.models.model import Listed
from halubot.models.published import listed_of

if TYPE_CHECKING:
    import httpx

_KEYS: Final = {
    "openai": "OPENAI_API_KEY",
    "hosted_vllm": "HOSTED_VLLM_API_KEY",
    "llamafile": "LLAMAFILE_API_KEY",
    "lm_studio": "LM_STUDIO_API_KEY",
}
"""The providers whose servers speak OpenAI's protocol as it is, and the variables of their keys."""

KEEP_SECONDS: Final = 4.0
"""How long an idle connection is kept: uvicorn, which vLLM runs on, closes it after 5 s."""

_FOR_LITELLM: Final = frozenset({"extra_body", "allowed_openai_params"})
"""Parts of a body that tell litellm what to do with others."""


class StatusError(Exception):
    """A server refused, or failed; ``body`` is what it said, if that is an object of JSON."""

    def __init__(self, text: str, response: httpx.Response | None) -> None:
        super().__init__(text)
        self.response = response
        self.status_code = None if response is None else response.status_code
        try:
            said = json.loads(text)
        except (ValueError, RecursionError):
            said = None
        if isinstance(said, dict) and isinstance(said.get("error"), dict):
            said = said["error"]
        self.body = said if isinstance(said, dict) else None


class _Token(BaseModel):
    token: str
    logprob: float


class _Logprobs(BaseModel):
    content: list[_Token] | None = None


class _Said(BaseModel):
    content: str | None = None
    refusal: str | None = None
    tool_calls: Any = None


class _Choice(BaseModel):
    message: _Said = _Said()
    delta: _Said = _Said()
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Answer(BaseModel):
    """An answer, or a piece of one: the fields that are read of it."""

    choices: list[_Choice] | None = None
    usage: _Usage | None = None


def is_plain(name: str, provider: str, base: str | None) -> bool:
    """Return True if a model is one of a server that can be called here. OpenAI's own models are
    left to litellm behind any address: some of them want parameters by other names."""
    return (
        provider in _KEYS
        and base is not None
        and base.startswith(("http://", "https://"))
        and "?" not in base
        and "@" not in base
        and not (provider == "openai" and listed_of(name) != Listed())
    )


class OpenAIServer:
    """A model at an address that ends with ``/v1``. Any exception may come of a call:
    `halubot.models.vendor_errors` tells them apart."""

    def __init__(self, name: str, provider: str, base: str) -> None:
        self._model = name.partition("/")[2]
        self._key = _KEYS[provider]
        self._base = base

    async def complete(self, body: dict[str, Any]) -> Answer:
        async with self._answering(self._chat_body(body)) as response:
            return Answer.model_validate_json(await response.aread())

    async def stream(self, body: dict[str, Any]) -> AsyncGenerator[Answer, None]:
        """Yield the pieces of an answer as they come."""
        wanted = self._chat_body(body) | {
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        async with self._answering(wanted) as response:
            async for line in _lines(response):
                name, _, data = line.partition(b":")
                # A server that knows no streams answers as a whole, or with half a whole.
                whole = line.startswith(b"{")
                if name != b"data" and not whole:
                    continue
                data = line if whole else data.strip()
                if data == b"[DONE]":
                    return
                piece = Answer.model_validate_json(data)
                if piece.choices is None and b'"error"' in data:
                    raise StatusError(data.decode(errors="replace"), None)
                yield piece

    def _chat_body(self, body: dict[str, Any]) -> dict[str, Any]:
        sent = {name: value for name, value in body.items() if name not in _FOR_LITELLM}
        return {"model": self._model, **sent, **body.get("extra_body", {})}

    @asynccontextmanager
    async def _answering(self, body: dict[str, Any]) -> AsyncIterator[httpx.Response]:
        """The beginning of an answer. Raises StatusError."""
        async with _connected(self._base) as client:
            request = client.build_request(
                "POST",
                f"{self._base}/chat/completions",
                json=body,
                headers={"Authorization": f"Bearer {os.environ.get(self._key) or 'none'}"},
            )
            response = await client.send(request, stream=True)
            try:
                if not response.is_success:
                    await response.aread()
                    raise StatusError(response.text, response)
                yield response
            finally:
                await response.aclose()


_idle: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, list[httpx.AsyncClient]]] = (
    WeakKeyDictionary()
)
"""The clients of each loop that have nothing to do, by address. Their connections belong to the
loop."""


@asynccontextmanager
async def _connected(base: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client for one call, with its connection to an address if there is one already."""
    # One connection a client: httpx looks at all connections of a client before and after each
    # call, which takes 5 ms with 64 of them.
    import httpx

    from halubot.network import bind_limits, tls_context

    idle = _idle.setdefault(asyncio.get_running_loop(), {}).setdefault(base, [])
    client = idle.pop() if idle else None
    if client is None:
        client = httpx.AsyncClient(
            timeout=None,  # noqa: S113 - how long a call may take is limited elsewhere
            limits=httpx.Limits(keepalive_expiry=KEEP_SECONDS),
            verify=tls_context() if base.startswith("https://") else False,
        )
        bind_limits(client)
    try:
        yield client
    finally:
        idle.append(client)


async def _lines(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """Yield the lines of an answer. httpx cuts at U+2028 too, which JSON may have in its texts."""
    unfinished = bytearray()
    async for piece in response.aiter_bytes():
        unfinished += piece
        if b"\n" in piece:
            *lines, rest = unfinished.split(b"\n")
            unfinished = rest
            for line in lines:
                yield bytes(line)
    yield bytes(unfinished)
