"""The preferences of a person: the settings that hold for each message, and how the app looks.

They are declared once, as options of the command line, which reads them from options, variables
and the settings file (`halubot.options`) and gives their values to the app.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from halubot.errors import SettingError

if TYPE_CHECKING:
    from halubot.report import Report
    from halubot_tui.text_check import Inputs

ASKED: Final = (
    *("method", "threshold", "n_samples", "deadline"),
    *("knowledge", "knowledge_folder", "web", "web_queries", "web_allow", "web_deny"),
    *("model", "judge_model", "api_base", "max_calls", "max_cost", "concurrency", "timeout"),
    "store",
    *("reasoning_effort", "think", "num_ctx", "parameters"),
)
"""The preferences that `halubot.start` takes under their own names."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """The settings of a person. None and "" stand for what halubot chooses itself.

    ``method_options`` are the settings of single methods, ``reference`` files and folders that are
    taken at their word for each message. ``ascii`` is None if the terminal decides. ``origins``
    says of each setting where it came from: "option", the name of its variable, "file", "default".
    """

    model: str | None = None
    judge_model: str | None = None
    api_base: str | None = None
    method: str | None = None
    n_samples: int | None = None
    threshold: float | None = None
    reference: tuple[Path, ...] = ()
    knowledge: tuple[str, ...] = ()
    knowledge_folder: Path | None = None
    web: tuple[str, ...] = ()
    web_queries: int | None = None
    web_allow: tuple[str, ...] = ()
    web_deny: tuple[str, ...] = ()
    max_calls: int | None = None
    max_cost: float | None = None
    concurrency: int | None = None
    timeout: float | None = None
    reasoning_effort: str | None = None
    think: bool | None = None
    num_ctx: int | None = None
    parameters: Mapping[str, Any] | None = None
    deadline: float | None = None
    as_published: bool = False
    store: Path | None = None
    state: Path | None = None
    no_feedback: bool = False
    offline: bool = False
    hints: str = "facts"
    on_doubt: str = "mark"
    theme: str = "halubot-dark"
    ascii: bool | None = None
    motion: bool = True
    method_options: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Mapping[str, Any], origins: Mapping[str, str] | None = None) -> Self:
        """The preferences of settings by their names; those that are absent have their defaults.
        Raises SettingError for a name that is none."""
        from halubot.options import OF_METHODS  # with click, which the first frame does not need

        known = {one.name for one in fields(cls)} - {"method_options", "origins"}
        own = {name: value for name, value in settings.items() if name in OF_METHODS}
        given = {name: value for name, value in settings.items() if name not in OF_METHODS}
        if unknown := given.keys() - known:
            raise SettingError(f"the terminal app has no setting {min(unknown)!r}")
        for name in ("reference", "knowledge", "web", "web_allow", "web_deny"):
            given[name] = tuple(given.get(name) or ())
        for name in ("model", "judge_model", "api_base", "method", "reasoning_effort"):
            given[name] = given.get(name) or None
        for name in ("knowledge_folder", "store", "state"):
            path = given.get(name)
            given[name] = path.expanduser() if path else None
        if addresses := [one for one in given["reference"] if isinstance(one, str)]:
            raise SettingError(
                f"the app takes files as references, not {addresses[0]}: halubot check fetches it"
            )
        given["reference"] = tuple(path.expanduser() for path in given["reference"])
        return cls(**given, method_options=own, origins=dict(origins or {}))

    @property
    def compares(self) -> bool:
        """Return whether a text can be compared with anything although nothing comes with it."""
        named = (self.model, self.judge_model, self.reference, self.knowledge, self.web)
        return any(named)

    @property
    def who(self) -> str:
        """Who answers and judges, and who receives the text, in a few words."""
        names = [*dict.fromkeys(name for name in (self.model, self.judge_model) if name)]
        if not names:
            return "no model"
        from halubot.models.published import address, is_local, provider_of

        ends = dict.fromkeys(address(provider_of(name), self.api_base) for name in names)
        away = [end for end in ends if not is_local(end)]
        verb = "receives" if len(away) == 1 else "receive"
        where = f"{' and '.join(away)} {verb} the text" if away else "local"
        return f"{', '.join(names)} \u00b7 {where}"

    def check_options(self, inputs: Inputs) -> dict[str, Any]:
        """The options of `halubot.start` for a check with these inputs."""
        given = inputs.options()
        options: dict[str, Any] = {**self.options(inputs.settings), **given}
        options["references"] = [*given["references"], *self.reference]
        options.update(self._looked_up(inputs))
        if inputs.kind == "ask":
            options.pop("question")
        return options

    def again_options(self, inputs: Inputs, report: Report) -> dict[str, Any]:
        """The options of another check, or a correction, with the sources of a report."""
        options = self.options({**inputs.settings, "method": report.method})
        return {**options, **self._looked_up(inputs)}

    def _looked_up(self, inputs: Inputs) -> dict[str, Any]:
        """The knowledge of a check, and its search providers if it has any."""
        web = [*dict.fromkeys((*inputs.web, *self.web))]
        knowledge = [*dict.fromkeys((*inputs.knowledge, *self.knowledge))]
        return {"knowledge": knowledge, **({"web": web} if web else {})}

    def who_is_asked(self, web: Iterable[str] = ()) -> tuple[str, ...]:
        """Who receives what if a text is looked up by these search providers and those of the
        settings, and what it costs, a line each; () without any. Raises SettingError."""
        from halubot.evidence.web.providers import read_web

        settings = read_web((*web, *self.web), queries=self.web_queries, max_cost=self.max_cost)
        return () if settings is None else settings.describe()

    def with_values(self, **values: Any) -> Self:
        """The same with other values; those come from the file from now on."""
        from halubot.options import OF_METHODS

        origins = {**self.origins, **dict.fromkeys(values, "file")}
        own = {name: values.pop(name) for name in OF_METHODS if name in values}
        own = {**self.method_options, **own}
        return replace(self, **values, method_options=own, origins=origins)

    def options(self, chosen: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The options of `halubot.start` that do not belong to one message; ``chosen`` are those
        that hold for this one alone, by their names. References are left out: they come with
        those of the message (`reference`).

        A setting that the method does not take is put aside, as on the command line.
        """
        from halubot.inputs import default_method, names_models
        from halubot.methods import registry
        from halubot.options import settings_of_method

        found: dict[str, Any] = {}
        for name in ASKED:
            value = getattr(self, name)
            if value is not None and value != ():
                found[name] = value
        found.update(chosen or {})
        with_model = names_models(found)  # type: ignore[arg-type]
        own = {**found, "options": self.method_options}
        method = found.get("method") or default_method(own)  # type: ignore[arg-type]
        if own := settings_of_method(method, self.method_options):
            found["options"] = own
        asks = method not in registry.method_names() or "model" in registry.get(method).needs
        if self.as_published and with_model and asks:
            found["as_published"] = True
        return found

    def plain_values(self, chosen: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The same to be kept with a message: plain values, without keys and passwords."""
        from halubot.models.vendor_errors import without_keys

        def plain(value: Any) -> Any:
            if isinstance(value, (list, tuple)):
                return [plain(item) for item in value]
            if isinstance(value, Mapping):
                return {name: plain(item) for name, item in value.items()}
            if isinstance(value, (str, Path)):
                return without_keys(str(value))
            return value

        return {name: plain(value) for name, value in self.options(chosen).items()}


def preference_value(name: str, value: Any) -> Any:
    """A preference as the settings file holds it; None for one that is not to stand there."""
    if isinstance(value, tuple):
        return [str(item) for item in value] or None
    return None if value == "" or value is True else value


def write_preference(value: Any) -> str:
    """A preference as it is written in a field; keys and passwords struck out."""
    from halubot.models.vendor_errors import without_keys

    if value is None:
        return ""
    if isinstance(value, tuple):
        value = shlex.join(value)
    return f"{value:g}" if isinstance(value, float) else without_keys(str(value))


def split_words(text: str) -> list[str]:
    """The words of a text, of which one with spaces in it stands in quotes."""
    try:
        return shlex.split(text)
    except ValueError:  # a quote is open
        return text.split()


def parse_setting(name: str, value: str | list[str]) -> Any:
    """A setting as it is written, as the value that its option gives. Raises SettingError."""
    from halubot.options import OPTIONS

    return OPTIONS[name].read(value)


def help_of(name: str) -> str:
    """Return what a setting means, as its option says it."""
    from halubot.options import OPTIONS

    return OPTIONS[name].help
