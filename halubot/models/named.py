"""The models that options name, before anything is called: whether they can be meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from halubot.errors import SettingError

if TYPE_CHECKING:
    from halubot.models.model import LanguageModel


def named_models(options: Mapping[str, Any]) -> list[LanguageModel]:
    """The models that are named, each once; nothing is called, and litellm not loaded. Those that
    run on this machine without a server are none of them."""
    base = options.get("api_base")
    names = dict.fromkeys(
        (name, base) for name in (options.get("model"), options.get("judge_model"))
    )
    embeddings = (options.get("options") or {}).get("embeddings")
    if isinstance(embeddings, str) and not embeddings.startswith("local:"):
        names[embeddings, None] = None
    if not any(name for name, _ in names):
        return []
    from halubot.models.litellm_door import LitellmModel

    return [LitellmModel(name, at) for name, at in names if isinstance(name, str) and name]


def require_sense(options: Mapping[str, Any]) -> None:
    """Raises SettingError for a model without a provider, and for a limit in dollars where a price
    is not known and calls are not limited."""
    models = named_models(options)
    require_providers(models)
    if options.get("max_cost") is not None and options.get("max_calls") is None:
        require_prices(models)


def require_providers(models: Iterable[LanguageModel]) -> None:
    """Raises SettingError for a model whose name does not tell who runs it, or names a provider
    that there is not."""
    from halubot.errors import NO_PROVIDER
    from halubot.models import providers
    from halubot.models.model import Listed
    from halubot.models.prices import listed_of
    from halubot.models.published import provider_of
    from halubot.models.vendor_errors import without_keys

    for model in models:
        if "://" in model.name:
            raise SettingError(
                f"the model {without_keys(model.name)!r} is an address: write provider/model, such"
                " as openai/NAME, and the address as --api-base"
            )
        if model.name.endswith("/"):
            raise SettingError(f"{model.name!r} names a provider alone: write {model.name}NAME")
        provider, slash, _ = model.name.partition("/")
        if slash and providers.is_unknown(provider) and listed_of(model.name) == Listed():
            near = providers.similar(provider)
            remedy = "write provider/model, such as ollama_chat/llama3"
            if near:
                remedy = f"did you mean {near!r}?"
            raise SettingError(f"{without_keys(model.name)}: {NO_PROVIDER} {provider!r}; {remedy}")
        if not provider_of(model.name) and listed_of(model.name) == Listed():
            raise SettingError(
                f"the model {model.name!r} has no provider: write provider/model, such as"
                " ollama_chat/llama3 (halubot models lists what can be reached)"
            )


def require_prices(models: Sequence[LanguageModel]) -> None:
    """Raises SettingError for a model whose price is not known: no limit in dollars can hold."""
    from halubot.models.model import TokenUsage
    from halubot.models.prices import listed_of
    from halubot.models.published import price

    for model in models:
        if price(listed_of(model.name), TokenUsage(1, 1)) is None:
            raise SettingError(
                f"the price of {model.name} is not known, so --max-cost cannot hold:"
                " limit its calls with --max-calls"
            )
