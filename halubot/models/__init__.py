"""Language models: what they are asked, what they answer, and what may be spent on them.

    model        a request, a completion, the protocol of a model
    model_errors the errors of models, in one tree; `halubot.models.errors` is the same module
    limits       a model within the provider's pace, a budget and its time
    draws        samples of one prompt
    structured   answers of a fixed shape
    stored       a model whose completions are kept, and not asked for again
    replayed     a run again from its record
    litellm_door the one door to hosted models and local servers
    local        encoders and embedding models that run on this machine without a server

    model = open_model("ollama_chat/llama3", budget=Budget(max_calls=30))
    completions = await model.complete(Request((Message("user", "Who was Ada Lovelace?"),)))

Importing this loads no vendor's library: that comes with the first call.
"""

from __future__ import annotations

import sys

from halubot.models import model_errors
from halubot.models.budget import Budget
from halubot.models.draws import Drawn, draw
from halubot.models.limits import LimitedModel, Limits
from halubot.models.model import (
    Capabilities,
    Completion,
    LanguageModel,
    Listed,
    Message,
    Request,
    Schema,
    TokenLogprob,
    TokenUsage,
)
from halubot.models.model_errors import ModelError
from halubot.models.structured import Answer, Answers, ask, ask_each

__all__ = [
    "Answer",
    "Answers",
    "Budget",
    "Capabilities",
    "Completion",
    "Drawn",
    "LanguageModel",
    "LimitedModel",
    "Limits",
    "Listed",
    "Message",
    "ModelError",
    "Request",
    "Schema",
    "TokenLogprob",
    "TokenUsage",
    "ask",
    "ask_each",
    "draw",
    "open_model",
]

errors = model_errors
# Programs import these errors from `halubot.models.errors`: one module, two names.
sys.modules[f"{__name__}.errors"] = model_errors


def open_model(
    name: str,
    api_base: str | None = None,
    *,
    budget: Budget | None = None,
    limits: Limits | None = None,
) -> LimitedModel:
    """A model by its name in litellm ("openai/gpt-5", "ollama_chat/llama3"), hosted or, with
    ``api_base``, at that address; or ``local:MODEL``, an embedding model on this machine
    (`halubot.models.local`). Nothing is called, and nothing loaded, before the first call. Raises
    LocalModelError for a model on this machine that cannot be used."""
    if name.startswith("local:"):
        from halubot.models.local.encoder import LocalEmbedder

        return LimitedModel(LocalEmbedder(name), budget=budget, limits=limits)
    from halubot.models.litellm_door import LitellmModel

    return LimitedModel(LitellmModel(name, api_base), budget=budget, limits=limits)
