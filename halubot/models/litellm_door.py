"""The one door to litellm, which is imported here alone, before the first call that needs it, on a
thread beside all other work: it takes seconds, and 200 MB."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import AsyncGenerator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillRunning
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from halubot import own_process
from halubot.concurrency import begin
from halubot.models.loop import own_loop

NO_LIMIT: Final = 86_400.0
"""Seconds that litellm waits: the time a call may take is not its affair."""

_AT_THE_FIRST_CALL: Final = (
    "openai.resources.chat.completions",
    "httpcore",
    "tiktoken",
)
"""Modules that litellm and its clients load when they are first used: 0.3 s of the processor."""


class LitellmServer:
    """A model of any provider that litellm knows. Raises what litellm raises."""

    def __init__(self, name: str, provider: str, base: str | None) -> None:
        self._name = name
        self._provider = provider
        self._base = base

    async def complete(self, body: dict[str, Any]) -> Any:
        """Return the answer to a request, as litellm's object."""
        litellm = await _loaded()
        return await litellm.acompletion(**self._target(), **body)

    async def stream(self, body: dict[str, Any]) -> AsyncGenerator[Any, None]:
        """Yield the pieces of an answer as they come, as litellm's objects."""
        litellm = await _loaded()
        chunks = await litellm.acompletion(
            **self._target(), **body, stream=True, stream_options={"include_usage": True}
        )
        async for chunk in chunks:
            yield chunk

    def _target(self) -> dict[str, Any]:
        # Vendors' clients would try again by themselves, past the budget and the pace.
        target: dict[str, Any] = {"model": self._name, "max_retries": 0, "timeout": NO_LIMIT}
        if self._base is not None:
            target["api_base"] = self._base
        if self._keyless():
            target["api_key"] = "none"  # the client insists on a key, local servers do not
        return target

    def _keyless(self) -> bool:
        """Return True if there is no key of this provider, and the client would send
        OPENAI_API_KEY."""
        if self._provider == "openai":
            return self._base is not None and not os.environ.get("OPENAI_API_KEY")
        if "OPENAI_API_KEY" not in os.environ or not _takes_the_key_of_openai(self._provider):
            return False
        _, _, key, _ = load_litellm().get_llm_provider(self._name, api_base=self._base)
        return not key


async def search(provider: str, query: str, most: int) -> list[dict[str, Any]]:
    """Return the results of a search provider, as litellm writes them. Raises what litellm does."""
    litellm = await _loaded()
    found = await litellm.asearch(query=query, search_provider=provider, max_results=most)
    return [one.model_dump() for one in found.results]


async def _loaded() -> ModuleType:
    """litellm, waited for without holding up the loop of all calls."""
    return await asyncio.shield(asyncio.wrap_future(_begin_loading()))


_one_begins = threading.Lock()
_loading: list[Future[ModuleType]] = []


def load_litellm() -> ModuleType:
    """litellm, loaded when first needed. In a process of halubot's own it is quiet and within
    limits (`halubot.models.litellm_guards`)."""
    return _begin_loading().result()


def is_loaded() -> bool:
    return bool(_loading) and _loading[0].done()


def _begin_loading() -> Future[ModuleType]:
    """The loading of litellm, begun by the first who asks. Its thread is a daemon, so that a
    program that is to end does not wait for it."""
    with _one_begins:
        if not _loading:
            _loading.append(begin(_load, "halubot loads litellm"))
    return _loading[0]


def _load() -> ModuleType:
    # Else the import asks the network; whoever set it otherwise wants that.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    if own_process.is_own():
        from halubot.models.litellm_guards import guarded_import

        litellm = guarded_import(_import)
    else:
        litellm = _import()
    atexit.register(_close)
    return litellm


def _import() -> ModuleType:
    import litellm

    # Else the first call would load them, and count it as the time of its server.
    for name in _AT_THE_FIRST_CALL:
        import_module(name)
    return litellm


def _takes_the_key_of_openai(provider: str) -> bool:
    """Return True if litellm reaches it by OpenAI's client, which looks for OpenAI's key itself."""
    from litellm.llms.openai_like.json_loader import JSONProviderRegistry

    return provider in load_litellm().openai_compatible_providers or JSONProviderRegistry.exists(
        provider
    )


def _close() -> None:
    closing = load_litellm().close_litellm_async_clients()
    with suppress(StillRunning, RuntimeError):
        # A second at most: a server that does not take the farewell must not hold up the end of the
        # program.
        asyncio.run_coroutine_threadsafe(closing, own_loop()).result(1)
