"""Language models: requests, answers, limits and the store of answers.

    model        a request, a completion, the protocol of a model; samples of one prompt
    model_errors the errors of models, in one tree; `halubot.models.errors` is the same module
    limits       a model that keeps the provider's pace, a budget and a time limit
    structured   answers of a fixed shape
    stored       a model that takes its answers from the store if they are there
    replayed     a model that answers from a record
    panel        the models of a check by role
    server_model a model by its name: called by `openai_server` or through litellm
    litellm_door the only module that loads litellm; `litellm_guards` changes it

    model = open_model("ollama_chat/llama3", budget=Budget(max_calls=30))
    completions = await model.complete(Request((Message("user", "Who was Ada Lovelace?"),)))

Importing this does not load litellm, which takes 2 to 4 s; the first call that needs it does.
"""

from __future__ import annotations

import sys

from halubot.models import model_errors
from halubot.models.budget import Budget
from halubot.models.limits import LimitedModel, Limits
from halubot.models.model import (
    Capabilities,
    Completion,
    Drawn,
    LanguageModel,
    Listed,
    Message,
    Request,
    Schema,
    TokenLogprob,
    TokenUsage,
    draw,
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
    """Return a model by its name in litellm ("openai/gpt-5", "ollama_chat/llama3").

    ``api_base`` is the address of its server, if it is not the provider's own. Nothing is loaded or
    called before the first call.
    """
    from halubot.models.server_model import ServerModel

    return LimitedModel(ServerModel(name, api_base), budget=budget, limits=limits)
