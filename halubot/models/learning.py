"""What a model can do, learnt from its answers and kept for as long as the program runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from halubot.models.model import Capabilities, Completion, Parameter, Request

_learnt: dict[tuple[str, str], Capabilities] = {}


def learnt(model: str, endpoint: str) -> Capabilities:
    """What was learnt of that model at that address; nothing where it was never called."""
    return _learnt.get((model, endpoint), Capabilities())


def remember(model: str, endpoint: str, capabilities: Capabilities) -> None:
    """Keeps what was learnt."""
    _learnt[model, endpoint] = capabilities


def after(known: Capabilities, request: Request, completions: Sequence[Completion]) -> Capabilities:
    """What is known after one more call: pure. A False is never taken back."""
    if request.n > 1 and known.n is not False:
        known = replace(known, n=len(completions) >= request.n)
    if request.logprobs and known.logprobs is not False:
        known = replace(known, logprobs=all(one.logprobs for one in completions))
    whole = [one.text for one in completions if one.finish_reason == "stop"]
    if request.schema is not None and whole and known.schema is not False:
        required = request.schema.value.get("required", ())
        known = replace(known, schema=all(_has(text, required) for text in whole))
    return known


def refusing(known: Capabilities, parameter: Parameter) -> Capabilities:
    """What is known once the server turned a parameter down."""
    known = replace(known, refused=known.refused | {parameter})
    match parameter:
        case "n":
            return replace(known, n=False)
        case "schema":
            return replace(known, schema=False)
        case "logprobs":
            return replace(known, logprobs=False)
        case _:
            return known


def _has(text: str, required: Sequence[str]) -> bool:
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, dict) and value.keys() >= set(required)
