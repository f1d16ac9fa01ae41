"""Who receives a text: said before a hosted model sees one for the first time, and refused if
the network is."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from halubot.cli import tell
from halubot.cli.parameters import is_typed
from halubot.errors import SettingError
from halubot.inputs import Options, names_models, web_settings

if TYPE_CHECKING:
    from halubot.evidence.web.providers import WebSettings
    from halubot.models.model import LanguageModel
    from halubot.models.model_errors import ModelError


def require_usable(options: Options, *, offline: bool, calls: bool) -> WebSettings | None:
    """Return what `--web` and its companions say, None without it.

    Raises SettingError, before anything is called, for options of models and of the web that do not
    go together or need the network though it is refused (``offline``); and, if models will be
    called (``calls``), a ModelError for one that no call would reach.
    """
    replays = options.get("replay")
    if options.get("record") and replays:
        raise SettingError("--record writes what --replay has already: give one of them")
    models: list[LanguageModel] = []
    if names_models(options) and not replays:
        from halubot.models import panel

        panel.require_sense(options)
        models = panel.named_models(options)
    for option in ("api_base", "record"):
        if options.get(option) and not (models or replays) and is_typed(option):
            spelled = f"--{option.replace('_', '-')}"
            raise SettingError(f"{spelled} is of no use without a model: name one with --model")
    for model in models if offline else ():
        if not _is_local(model):
            raise SettingError(
                f"{model.name} is a hosted model, and --offline lets nothing out of this machine:"
                ' leave out --offline, or the model (--model "" names none)'
            )
    web = web_settings(options)
    if web is not None and offline:
        raise SettingError("--web searches the web, and --offline lets nothing out: leave one out")
    for model in models if calls else ():
        if obstacle := _obstacle(model, options):
            raise obstacle
    return web


def _obstacle(model: LanguageModel, options: Options) -> ModelError | None:
    """Return the error with which every call would fail. A model that has answers in the store is
    not looked for: they may be all that is asked of it."""
    from halubot.models.model import Remote

    if not isinstance(model, Remote) or _has_answered(model.name, options):
        return None
    return model.find_obstacle()


def load_library(options: Options) -> None:
    """Has the library of models loaded in the background, unless a replay makes it needless."""
    if names_models(options) and not options.get("replay"):
        from halubot.models.panel import load_library as load

        load(options)


def _has_answered(model: str, options: Options) -> bool:
    """Return True if the store holds answers of a model."""
    from halubot.settings import store_folder
    from halubot_cache import Store, StoreError

    folder = options.get("store") or store_folder()
    try:
        if not folder.is_dir():
            return False
        with Store.open(folder) as store:
            found = model in store.stats().models
            # Damage is mended here, and whoever opens it next finds nothing to tell.
            for problem in store.problems:
                tell(f"{problem.what}: {problem.why}")
            return found
    except (OSError, StoreError):
        return True  # what is wrong with it is said where it is used


def say_who_receives(options: Options, web: WebSettings | None) -> None:
    """Says who receives the text: a provider, once on this machine, and what goes to the web."""
    if names_models(options) and not options.get("replay"):
        _say_providers(options)
    for line in () if web is None else web.describe():
        tell(f"web: {line}")


def _say_providers(options: Options) -> None:
    """Names those that were not named before; none whose key is not set, for no text can leave."""
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


def _is_local(model: LanguageModel) -> bool:
    from halubot.models.published import is_local

    return is_local(model.endpoint)
