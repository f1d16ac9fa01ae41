"""The options of `halubot.options` as those of commands, and the settings file and the variables
behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import click
from click.core import ParameterSource

from halubot import settings as config
from halubot.errors import SettingError
from halubot.options import (
    FILE,
    FORMATS,
    NAMES,
    OF_METHODS,
    OPTIONS,
    SWITCH,
    Front,
    Option,
    names_for,
    settings_of_method,
)

_SET = "halubot.set"
"""Under this the context keeps what --set gave."""

_LAST = "help"

WIDEST = 26
"""Columns of the help that names of options take at most."""


class Parameter(click.Option):
    """An option of a command, which is also read from its variable and the settings file."""

    def __init__(self, option: Option, dest: str = "", **attributes: Any) -> None:
        """``dest`` is another name for the value of an option that has no variable."""
        flag = option.kind is SWITCH
        opposite = f"/--no-{option.flag[2:]}" if option.off else ""
        given: dict[str, Any] = {"is_flag": True} if flag and not option.off else {}
        if not flag:
            given["type"] = option.kind
        super().__init__(
            [option.flag + opposite, *filter(None, [dest])],
            default=option.default,
            multiple=option.many,
            metavar=option.takes or None,
            help=option.help,
            envvar=None if dest else option.variable,
            **(given | attributes),
        )
        self.declared = option

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        found = super().process_value(ctx, value)
        return self.declared.gather(found) if self.multiple and found is not None else found

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        if self.hidden:
            return None
        usual = f"  [{self.declared.usual}]" if self.declared.usual else ""
        return " ".join(filter(None, (_names(self), self.declared.takes))), f"{self.help}{usual}"


class MethodParameter(Parameter):
    """A setting of some methods: given by --set, its variable, or the settings file."""

    def __init__(self, option: Option) -> None:
        super().__init__(option, hidden=True)

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Leave it out: it is not an option of its own."""

    def get_error_hint(self, ctx: click.Context | None) -> str:
        return f"{self.name}"

    def consume_value(
        self, ctx: click.Context, opts: Mapping[str, Any]
    ) -> tuple[Any, ParameterSource]:
        said = ctx.meta.get(_SET) or {}
        if self.name in said:
            return said[self.name], ParameterSource.COMMANDLINE
        return super().consume_value(ctx, opts)


class ListFormat(click.ParamType[str]):
    """text or json; a format for reports that a variable or the file asks for is text here."""

    name = "text|json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name = str(param.name) if param is not None else ""
        typed = ctx is None or ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if value not in FORMATS or (typed and value not in ("text", "json")):
            self.fail(f"{value!r} is not one of text, json", param, ctx)
        return "json" if value == "json" else "text"


class Command(click.Command):
    """A command whose help shows an example and its options in groups."""

    def __init__(self, *args: Any, example: str = "", **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.example = example

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_usage(ctx, formatter)
        if self.example:
            formatter.write_usage(f"{ctx.command_path} {self.example}", "", prefix="Example: ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                group = param.declared.group if isinstance(param, Parameter) else _LAST
                groups.setdefault(group or "Options", []).append(record)
        # Those of this command alone stand first.
        for name in sorted(groups, key=lambda group: (group == _LAST, group != "Options")):
            rows = [(shown.ljust(WIDEST), said) for shown, said in groups[name]]
            if name == _LAST:
                with formatter.indentation():
                    formatter.write_dl(rows, WIDEST)
                continue
            with formatter.section(name):
                formatter.write_dl(rows, WIDEST)


class Group(click.Group):
    """A command of commands; alone, it shows its help, which is no mistake."""

    command_class = Command

    def invoke(self, ctx: click.Context) -> Any:
        # Its own settings hold for each of its commands.
        ctx.default_map = dict.fromkeys(self.commands, ctx.default_map)
        return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)


def _names(param: click.Option) -> str:
    return "/".join([*param.opts, *param.secondary_opts])


def _note_settings(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    ctx.meta[_SET] = dict(value or ())
    return value


def shared(*names: str) -> list[click.Parameter]:
    """Return the parameters of these options, in this order."""
    return [_made(OPTIONS[name]) for name in names]


def shown_by(*fronts: Front, also: Sequence[str] = ()) -> list[click.Parameter]:
    """Return the parameters of the options that these front ends show, and of others by name, in
    the order of the help."""
    names = {*names_for(*fronts), *also}
    return shared(*(name for name in OPTIONS if name in names))


def _made(option: Option) -> Parameter:
    if option.name == "set":
        # Eager: it gives values to others.
        return Parameter(option, is_eager=True, expose_value=False, callback=_note_settings)
    return MethodParameter(option) if option.methods and not option.fronts else Parameter(option)


def own(*declared: Any, shell_complete: Any = None, dest: str = "", **attributes: Any) -> Parameter:
    """Return a parameter of one command alone; the other arguments are those of `Option`."""
    return Parameter(Option(*declared, **attributes), dest, shell_complete=shell_complete)


TEXT_FILE = click.Argument(["file"], required=False, type=FILE, metavar="[FILE|-]")
"""The text to check; see `halubot.cli.input_files.message`."""


def file_argument(name: str, metavar: str, *, required: bool = True) -> click.Argument:
    """Return an argument that is the path of a file."""
    return click.Argument([name], type=FILE, metavar=metavar, required=required)


def list_format() -> click.Option:
    """Return the option for the format of a command that lists things."""
    shown = Option("format", "How to print.", metavar="text|json", default="text")
    return Parameter(shown, type=ListFormat())


def files_to_read(given: Mapping[str, Any]) -> list[Path]:
    """The files that the options of a check name to be read."""
    single = filter(None, [given["samples"], given["replay"]])
    references = [path for path in given["reference"] if isinstance(path, Path)]
    found = [*given["sample"], *single, *references]
    if given["knowledge"]:
        from halubot.evidence.knowledge.bases import is_file

        found += [Path(name) for name in given["knowledge"] if is_file(name)]
    return found


def read_settings() -> dict[str, Any]:
    """The settings of the file, written as on a command line. Raises SettingError."""
    return {name: _write_value(name, value) for name, value in config.read(NAMES).items()}


def _write_value(name: str, value: Any) -> Any:
    """A value of the file as the words that the option of this name takes."""
    many = OPTIONS[name].many
    values = value if many and isinstance(value, list) else [value]
    for item in values:
        if not isinstance(item, (str, int, float)):
            wanted = "text, or a list of texts" if many else "text, number, true or false"
            raise SettingError(f"{name} in {config.path()} is {item!r:.40}, no {wanted}")
    # Through the words of a command line, so that a value of the file is checked by the same type.
    written = [str(item).lower() if isinstance(item, bool) else str(item) for item in values]
    return written if many else written[0]


def make_context(values: Mapping[str, Any]) -> click.Context:
    """A context in which every setting has its value, with ``values`` as those of the file.

    Raises click.BadParameter for a value that a setting cannot have.
    """
    # A command that is never run: click then merges variables, file and defaults by its own rules.
    command = click.Command("halubot", params=shared(*NAMES), add_help_option=False)
    return command.make_context("halubot", [], default_map=dict(values))


Origin = Literal["option", "variable", "file", "default"]


def origin(ctx: click.Context, name: str) -> Origin:
    """Return where the value of a parameter comes from."""
    found: dict[ParameterSource | None, Origin] = {
        ParameterSource.COMMANDLINE: "option",
        ParameterSource.ENVIRONMENT: "variable",
        ParameterSource.DEFAULT_MAP: "file",
    }
    return found.get(ctx.get_parameter_source(name), "default")


def name_origin(ctx: click.Context, param: click.Parameter) -> str:
    """Return the origin of a value, if it is not the command line, to end a sentence with."""
    told = {"variable": f", in the variable {param.envvar}", "file": f", in {config.path()}"}
    return told.get(origin(ctx, str(param.name)), "")


def is_typed(option: str) -> bool:
    """Return True if an option was given on this command line, and not for all runs."""
    return origin(click.get_current_context(), option) == "option"


def require_taken(method: str, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of methods that this one takes; those given for all runs that it does not
    take are left out. Raises SettingError for one that was typed."""
    kept = settings_of_method(method, own)
    for name in own:
        if own[name] is not None and name not in kept and is_typed(name):
            takers = ", ".join(OF_METHODS[name])
            raise SettingError(f"{name} is a setting of {takers}; {method} knows no {name}")
    return kept
