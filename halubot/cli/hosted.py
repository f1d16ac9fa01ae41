"""Who receives a text: said before a hosted model sees one for the first time, and refused if
the network is."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from halubot.cli import tell
from halubot.cli.parameters import is_typed
from halubot.errors import SettingError
from halubot.inputs import Options, names_models, not_negative, web_settings

if TYPE_CHECKING:
    from halubot.evidence.web.providers import WebSettings
    from halubot.models.model import LanguageModel
    from halubot_cache import Problem


def require_sense(options: Options, *, offline: bool) -> None:
    """Raises SettingError, before anything is called, for options of a model that do not go
    together."""
    if options.get("record") and options.get("replay"):
        raise SettingError("--record writes what --replay has already: give one of them")
    if options.get("replay"):
        return
    models: list[LanguageModel] = []
    if names_models(options):
        from halubot.models.panel import named_models, require_providers

        models = named_models(options)
        require_providers(models)
    for option in ("api_base", "record"):
        if options.get(option) and not models and is_typed(option):
            spelled = f"--{option.replace('_', '-')}"
            raise SettingError(f"{spelled} is of no use without a model: name one with --model")
    # Prices are only needed if calls have no limit of their own: then nothing else would hold.
    cost = not_negative("dollars", options.get("max_cost"))
    if cost is not None and options.get("max_calls") is None:
        from halubot.models.panel import require_prices

        require_prices(models)
    for model in models if offline else ():
        if not _is_local(model):
            raise SettingError(
                f"{model.name} is a hosted model, and --offline lets nothing out of this machine:"
                ' leave out --offline, or the model (--model "" names none)'
            )


def load_library(options: Options) -> None:
    """Has the library of models loaded in the background, unless a replay makes it needless."""
    if names_models(options) and not options.get("replay"):
        from halubot.models.panel import load_library as load

        load(options)


def require_reachable(options: Options) -> None:
    """Raises a ModelError, before any other work, for a model that no call would reach: its key is
    not set, or nobody answers at its address. A model that has answers in the store is not looked
    for: they may be all that is asked of it."""
    if options.get("replay") or not names_models(options):
        return
    from halubot.models.model import Remote
    from halubot.models.panel import named_models

    for model in named_models(options):
        # A model whose server is down can still serve what it answered before.
        if isinstance(model, Remote) and not _has_answered(model.name, options):
            obstacle = model.find_obstacle()
            if obstacle is not None:
                raise obstacle


def _has_answered(model: str, options: Options) -> bool:
    """Return True if the store holds answers of a model."""
    from halubot.settings import store_folder
    from halubot_cache import Store, StoreError

    folder = options.get("store") or store_folder()
    try:
        if not folder.is_dir():
            return False
        # Damage is mended here, and whoever opens it next finds nothing to tell.
        with Store.open(folder, warn=_tell_of_store) as store:
            return model in store.stats().models
    except (OSError, StoreError):
        return True  # what is wrong with it is said where it is used


def _tell_of_store(problem: Problem) -> None:
    tell(f"{problem.what}: {problem.why}")


def say_who_receives(options: Options) -> None:
    """Says, once a provider on this machine, that it will receive the text; nothing if its key
    is not set, and so no text can leave."""
    if options.get("replay") or not names_models(options):
        return
    from platformdirs import user_data_path

    from halubot.models.panel import named_models
    from halubot.models.reachable import missing_key

    file = user_data_path("halubot", appauthor=False) / "providers.txt"
    try:
        told = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError):
        told = []
    for model in named_models(options):
        if _is_local(model) or model.endpoint in told:
            continue
        if missing_key(model.name, options.get("api_base")) is None:
            tell(f"{model.endpoint} receives the text: {model.name} is a hosted model (said once)")
            told.append(model.endpoint)
            with suppress(OSError):
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("a", encoding="utf-8") as lines:
                    lines.write(f"{model.endpoint}\n")


def read_web(options: Options, *, offline: bool) -> WebSettings | None:
    """Return what `--web` and its companions say; None without it. Raises SettingError for what is
    wrong, before anything is asked, and for `--offline` beside it."""
    settings = web_settings(options)
    if settings is not None and offline:
        raise SettingError("--web searches the web, and --offline lets nothing out: leave one out")
    return settings


def say_web(web: WebSettings | None) -> None:
    """Say who receives what of a text that is checked on the web, before the first query."""
    if web is not None:
        for line in web.describe():
            tell(f"web: {line}")


def _is_local(model: LanguageModel) -> bool:
    from halubot.models.published import is_local

    return is_local(model.endpoint)
