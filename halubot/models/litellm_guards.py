"""Changes to litellm, and to this process for its sake: it is quiet, within the limits of
`halubot.network`, and asks no server what it was not told to ask.

litellm has no switches for these. They change its classes for whoever uses it in the process, and
so are made in halubot's own processes alone (`halubot.own_process`). Tried with litellm 1.84 to
1.106; one that lacks what is changed here is not used without limits, but ends the call with an
error.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import ModuleType
from typing import Any, Final

from halubot.models.vendor_errors import without_keys

DROPPED: Final = r"coroutine '\S*(completion|streaming|stream_function|dispatch)' was never awaited"
"""What litellm leaves if a call is cancelled just before it is sent."""

_LITELLM_IGNORES: Final = (
    ".*conflict with protected namespace.*",
    ".*Accessing the.*attribute on the instance is deprecated.*",
    ".*`ReadOnly` qualifier.*",
)
"""Warnings of pydantic about litellm's models."""


def guarded_import(load: Callable[[], ModuleType]) -> ModuleType:
    """Import litellm by ``load`` and change it."""
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).disabled = True  # they hold whole requests, and tear a screen
    # These write addresses, which may hold keys, if a program turns its logs on.
    for name in ("openai._base_client", "httpx"):
        logging.getLogger(name).addFilter(_without_keys)
    # Its expressions for secrets take 15 s for an error of 64 kB of "://", and while they run no
    # other thread does. `without_keys` takes secrets out of what is shown.
    os.environ["LITELLM_DISABLE_REDACT_SECRETS"] = "true"
    with _without_collection(), _without_warnings():
        litellm = load()
    warnings.filterwarnings("ignore", DROPPED, RuntimeWarning)
    # litellm ignores these itself, from the beginning of its import; what another thread had set
    # by then may have come back since.
    for message in _LITELLM_IGNORES:
        warnings.filterwarnings("ignore", message)
    switches: Any = litellm
    switches.suppress_debug_info = True
    switches.telemetry = False
    # Else it tries to download tokenizers to count tokens with, for 23 s without a network.
    switches.disable_hf_tokenizer_download = True
    switches.DEFAULT_MAX_RETRIES = 0  # second attempts are halubot's
    _bind_clients()
    _silence_inquiries()
    return litellm


def _bind_clients() -> None:
    """Have litellm put the limits of `halubot.network` around every client of HTTP that it makes
    from now on, for whoever uses litellm in this process."""
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler, HTTPHandler
    from litellm.llms.openai.common_utils import BaseOpenAILLM

    from halubot.network import bind_limits

    def bounding(make: Callable[..., Any]) -> Callable[..., Any]:
        return wraps(make)(lambda *args, **kwargs: bind_limits(make(*args, **kwargs)))

    # Patched where they are made: litellm makes a client for each provider, in many places.
    handlers: list[Any] = [AsyncHTTPHandler, HTTPHandler]
    for handler in handlers:
        if hasattr(handler, "create_client"):
            handler.create_client = bounding(handler.create_client)
        else:
            handler.__init__ = _bounding_its_client(handler.__init__)
    openai: Any = BaseOpenAILLM
    for name in ("_get_async_http_client", "_get_sync_http_client"):
        setattr(openai, name, staticmethod(bounding(getattr(openai, name))))


def _silence_inquiries() -> None:
    """Keep litellm from asking servers about their models. It would do so beside each call, waiting
    on the loop of all calls without their limit of time, and would ask Ollama at its usual address
    whatever address was named, with the key."""
    from litellm.utils import ProviderConfigManager

    def refuse(*_: object, **__: object) -> None:
        raise ValueError("halubot asks no server about its models here")

    manager: Any = ProviderConfigManager
    manager.get_provider_model_info = staticmethod(lambda *_, **__: None)
    ollama: Any = sys.modules["litellm"].OllamaConfig
    ollama.get_model_info = refuse


def _bounding_its_client(begin: Callable[..., None]) -> Callable[..., None]:
    """Return the beginning of a handler that makes its client there, as in litellm 1.84."""
    from halubot.network import bind_limits

    @wraps(begin)
    def bound_and_call(self: Any, *args: Any, **kwargs: Any) -> None:
        begin(self, *args, **kwargs)
        bind_limits(self.client)

    return bound_and_call


def _without_keys(record: logging.LogRecord) -> bool:
    """Lets a record pass without the keys in it: addresses may hold some."""
    record.msg, record.args = without_keys(record.getMessage()), ()
    return True


@contextmanager
def _without_collection() -> Iterator[None]:
    """Keep what is loaded here out of all later looks for garbage: it is a third of a million
    objects that last as long as the program, and a look at them takes 0.15 s amid a run."""
    running = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if running:
            gc.enable()


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Drop what is warned of on this thread. Filters would not do: they are those of the process,
    and another thread that puts its own back while litellm is loaded takes these away."""
    loading = threading.get_ident()
    warn = warnings.warn

    def unless_loading(
        message: Warning | str,
        category: type[Warning] | None = None,
        stacklevel: int = 1,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        if threading.get_ident() != loading:
            warn(message, category, stacklevel + 1, *args, **kwargs)

    vars(warnings)["warn"] = unless_loading
    try:
        yield
    finally:
        vars(warnings)["warn"] = warn
