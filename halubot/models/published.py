"""Published facts of models and providers: prices, addresses.

Read from litellm's files without loading it, which takes seconds.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from halubot.models.model import Listed, TokenUsage
from halubot.offline import on_this_machine

_DEFAULT_BASE = {
    "hosted_vllm": "http://127.0.0.1:8000/v1",
    "litellm_proxy": "http://127.0.0.1:4000",
    "llamafile": "http://127.0.0.1:8080/v1",
    "lm_studio": "http://127.0.0.1:1234/v1",
    "ollama": "http://localhost:11434",
    "ollama_chat": "http://localhost:11434",
    "xinference": "http://127.0.0.1:9997/v1",
}
"""Where servers of one's own listen unless they are told otherwise; litellm sends what is meant for
one without an address to OpenAI."""

_FREE = frozenset({"llamafile", "lm_studio", "ollama", "ollama_chat"})
"""Providers whose models run on one's own machine."""

_FAMILIES = {
    "chatgpt": "openai",
    "claude": "anthropic",
    "command": "cohere",
    "gemini": "gemini",
    "gpt": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
}
"""Who runs a model whose name has no provider before it, by the first word of the name."""


def provider_of(name: str) -> str:
    """The provider of a model by litellm's name for it; "" if the name does not tell."""
    provider, slash, _ = name.partition("/")
    return provider if slash else _FAMILIES.get(re.split(r"[-.:]", name.lower())[0], "")


def price(listed: Listed, usage: TokenUsage | None) -> float | None:
    """Dollars for those tokens; None if the price or the tokens are not known."""
    if usage is None or listed.prompt_price is None or listed.completion_price is None:
        return None
    return usage.prompt * listed.prompt_price + usage.completion * listed.completion_price


def base_of(provider: str, api_base: str | None) -> str | None:
    """The address a provider's models are called at: the one given, else the one in the provider's
    variable, else that of a server on this machine; None for the provider's own."""
    owner = "OLLAMA" if provider in ("ollama", "ollama_chat") else provider.upper()
    for variable in (f"{owner}_API_BASE", f"{owner}_BASE_URL"):
        api_base = api_base or os.environ.get(variable)
    base = api_base or _DEFAULT_BASE.get(provider)
    if base is None or "?" in base:
        return base
    return base.rstrip("/")  # litellm puts a path behind it, and "//" is another page


def address(provider: str, api_base: str | None) -> str:
    """Who receives the text, for people to read: an address without user, password or key, or
    the provider's name."""
    base = base_of(provider, api_base)
    if base is None:
        return provider or "its provider"
    # Without a scheme urlsplit takes "localhost:8000" for a scheme and a path.
    parts = urlsplit(base if "://" in base else f"//{base}")
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", "")).removeprefix("//")


def is_local(endpoint: str) -> bool:
    """Return True if who is named by `address` is a server on this machine. A machine in the same
    house is another one."""
    try:
        host = urlsplit(endpoint if "://" in endpoint else f"//{endpoint}").hostname
    except ValueError:  # what a person took for the name of a provider: "x[/y"
        return False
    return host is not None and on_this_machine(host)


def listed_of(name: str) -> Listed:
    """Return a model's prices (US dollars a token) by litellm's name for it; None each if the table
    does not say. Models of servers that run on one's own machine are free."""
    table, provider = _table(), name.partition("/")[0] if "/" in name else ""
    entry = table.get(name)
    if entry is None:
        # The table has OpenAI's and Anthropic's models by their bare names, others with their
        # provider; a bare name of another provider has another price.
        bare = table.get(name.partition("/")[2], {}) if provider else {}
        entry = bare if bare.get("litellm_provider") == provider else {}
    free = 0.0 if provider in _FREE else None
    return Listed(entry.get("input_cost_per_token", free), entry.get("output_cost_per_token", free))


def misspelt(provider: str) -> str | None:
    """Return the provider whose name is meant, if this is none and its name is nearly that of one;
    else None: what has no model in litellm's table may be known to it all the same."""
    from difflib import get_close_matches

    known = {*_DEFAULT_BASE, *(entry.get("litellm_provider", "") for entry in _table().values())}
    if provider in known:
        return None
    return next(iter(get_close_matches(provider, known, n=1, cutoff=0.85)), None)


_SPECIAL = re.compile(
    r"\d{4}-?\d{2}-?\d{2}|-\d{4}\b|audio|realtime|search|image|preview|latest|ft:|/|transcribe"
)
"""What names of models have in them that are no plain chat model under its usual name."""


def search_price(name: str) -> float | None:
    """Return the price of one query to a search provider in US dollars, by its name in litellm's
    table ("tavily/search"); None if it is not listed."""
    entry = _table().get(name, {})
    tiers = entry.get("tiered_pricing") or [entry]
    cost = tiers[0].get("input_cost_per_query")
    return float(cost) if isinstance(cost, int | float) else None


def chat_models(provider: str) -> tuple[str, ...]:
    """The chat models of a provider that the table has a price for, by litellm's names, sorted;
    snapshots of one day and models for sound or pictures are left out."""
    found = set()
    for name, entry in _table().items():
        if entry.get("mode") == "chat" and entry.get("litellm_provider") == provider:
            bare = name.removeprefix(f"{provider}/")
            if entry.get("input_cost_per_token") and not _SPECIAL.search(bare):
                found.add(f"{provider}/{bare}")
    return tuple(sorted(found))


def _table() -> Mapping[str, Mapping[str, Any]]:
    # A program may have told litellm the prices of its own models.
    return getattr(sys.modules.get("litellm"), "model_cost", None) or _read_table()


@cache
def _read_table() -> Mapping[str, Mapping[str, Any]]:
    spec = find_spec("litellm")
    try:
        file = Path((spec and spec.origin) or "").with_name(
            "model_prices_and_context_window_backup.json"
        )
        table: dict[str, dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # of a path without a name too
        return {}
    return table
