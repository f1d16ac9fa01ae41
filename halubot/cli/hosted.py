"""Who receives a text: said before a hosted model sees one for the first time, and refused where
the network is."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from halubot.cli import tell
from halubot.cli.suiting import spoken
from halubot.errors import SettingError
from halubot.given import Options, not_negative

if TYPE_CHECKING:
    from halubot.models.model import LanguageModel


def require_sense(options: Options, *, offline: bool) -> None:
    """Raises SettingError, before anything is called, for options of a model that do not go
    together."""
    if options.get("record") and options.get("replay"):
        raise SettingError("--record writes what --replay has already: give one of them")
    if options.get("replay"):
        return
    models = named(options)
    for option in ("api_base", "record"):
        if options.get(option) and not models and spoken(option):
            spelled = f"--{option.replace('_', '-')}"
            raise SettingError(f"{spelled} is of no use without a model: name one with --model")
    cost = not_negative("dollars", options.get("max_cost"))
    if cost is not None and options.get("max_calls") is None:
        _require_prices(models)
    for model in models if offline else ():
        if not _is_local(model):
            raise SettingError(
                f"{model.name} is a hosted model, and --offline lets nothing out of this machine:"
                ' leave out --offline, or the model (--model "" names none)'
            )


def _require_prices(models: Sequence[LanguageModel]) -> None:
    from halubot.models.model import TokenUsage
    from halubot.models.prices import listed_of
    from halubot.models.published import price

    for model in models:
        if price(listed_of(model.name), TokenUsage(1, 1)) is None:
            raise SettingError(
                f"the price of {model.name} is not known, so --max-cost cannot hold:"
                " limit its calls with --max-calls"
            )


def say_who_receives(options: Options) -> None:
    """Says, once a provider on this machine, that it will receive the text."""
    if options.get("replay"):
        return
    file = _told()
    try:
        told = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError):
        told = []
    for model in named(options):
        if _is_local(model) or model.endpoint in told:
            continue
        tell(f"{model.endpoint} receives the text: {model.name} is a hosted model (said once)")
        told.append(model.endpoint)
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a", encoding="utf-8") as lines:
                lines.write(f"{model.endpoint}\n")


def named(options: Options) -> list[LanguageModel]:
    """The models that are named, each once; nothing is called, and litellm not loaded."""
    names = dict.fromkeys([options.get("model"), options.get("judge_model")])
    if not any(names):
        return []
    from halubot.models.litellm_door import LitellmModel

    base = options.get("api_base")
    return [LitellmModel(name, base) for name in names if isinstance(name, str) and name]


def _is_local(model: LanguageModel) -> bool:
    from halubot.models.published import is_local

    return is_local(model.endpoint)


def _told() -> Path:
    """The file of the providers that were named before."""
    from platformdirs import user_data_path

    return user_data_path("halubot", appauthor=False) / "providers.txt"
