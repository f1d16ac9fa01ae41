"""Parameters of a model's server: effort of reasoning, context size, any other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from halubot.errors import SettingError
from halubot.models.model import Settings

OURS: Final = frozenset(
    ("messages", "model", "stream", "n", "response_format", "logprobs", "seed", "extra_body")
)
"""Parameters that halubot sets itself."""


def read_settings(
    reasoning_effort: str | None = None,
    think: bool | None = None,
    num_ctx: int | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Settings:
    """Return the settings that are given, in one spelling, so that they can be part of a key.

    ``reasoning_effort`` is what the provider knows ("low", "medium", "high"), ``think`` turns
    thoughts on or off, ``num_ctx`` is the context, in tokens, that Ollama opens, ``parameters`` go
    into the request as they are. Raises SettingError for a parameter that halubot sets itself or
    that is no JSON, and for a context below 1.
    """
    named = {"reasoning_effort": reasoning_effort, "think": think, "num_ctx": num_ctx}
    given = {name: value for name, value in named.items() if value is not None}
    if num_ctx is not None and num_ctx < 1:
        raise SettingError(f"the context is {num_ctx} tokens: write 1 or more")
    for name, value in (parameters or {}).items():
        if name in OURS:
            raise SettingError(f"halubot sets {name!r} itself: leave it out of the parameters")
        given[name] = value
    try:
        return tuple(sorted((name, json.dumps(value)) for name, value in given.items()))
    except (TypeError, ValueError) as error:
        raise SettingError(f"a parameter is no JSON: {error}") from error


def parse_parameter(text: str) -> tuple[str, Any]:
    """Parse ``top_k=40`` or ``stop=["."]``; what is no JSON is a text. Raises SettingError."""
    name, equals, value = text.partition("=")
    if not name.isidentifier() or not equals:
        raise SettingError(f"{text!r:.60} is no parameter: write NAME=VALUE, such as top_k=40")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def with_settings(body: dict[str, Any], settings: Settings, *, ollama: bool) -> dict[str, Any]:
    """Return the body of a request with the settings in the places at which servers look for them.
    Servers other than Ollama take ``think`` as an argument of their chat template."""
    extra: dict[str, Any] = dict(body.get("extra_body", {}))
    more: dict[str, Any] = {}
    for name, value in ((name, json.loads(text)) for name, text in settings):
        if name == "reasoning_effort":
            more["reasoning_effort"] = value
            # litellm refuses it for every model that its table does not call a reasoning one.
            more["allowed_openai_params"] = ["reasoning_effort"]
        elif name == "num_ctx" and ollama:
            more["num_ctx"] = value
        elif name == "think" and not ollama:
            # As vLLM and llama-server take it; Ollama has a parameter of its own.
            extra["chat_template_kwargs"] = {"enable_thinking": value}
        else:
            extra[name] = value
    return {**body, **more, **({"extra_body": extra} if extra else {})}
