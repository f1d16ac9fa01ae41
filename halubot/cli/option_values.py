"""The values of shared options: read from the settings file, checked, and named by their origin."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from halubot import settings as config
from halubot.cli.options import _BY_NAME, NAMES, shared_options
from halubot.errors import SettingError


def files_to_read(given: Mapping[str, Any]) -> list[Path]:
    """The files that the options of a check name to be read."""
    from halubot.knowledge.bases import is_file

    single = filter(None, [given["samples"], given["replay"]])
    archives = [Path(name) for name in given["knowledge"] if is_file(name)]
    references = [path for path in given["reference"] if isinstance(path, Path)]
    return [*given["sample"], *single, *references, *archives]


def read_settings() -> dict[str, Any]:
    """The settings of the file, written as on a command line. Raises SettingError."""
    return {name: _write_value(name, value) for name, value in config.read(NAMES).items()}


def _write_value(name: str, value: Any) -> Any:
    """A value of the file as the words that the option of this name takes."""
    many = _BY_NAME[name].multiple
    values = value if many and isinstance(value, list) else [value]
    for item in values:
        if not isinstance(item, (str, int, float)):
            wanted = "text, or a list of texts" if many else "text, number, true or false"
            raise SettingError(f"{name} in {config.path()} is {item!r:.40}, no {wanted}")
    written = [str(item).lower() if isinstance(item, bool) else str(item) for item in values]
    return written if many else written[0]


def make_context(values: Mapping[str, Any]) -> click.Context:
    """A context in which every setting has its value, with ``values`` as those of the file.

    Raises click.BadParameter for a value that a setting cannot have.
    """
    command = click.Command("halubot", params=shared_options(*NAMES), add_help_option=False)
    return command.make_context("halubot", [], default_map=dict(values))


def name_origin(ctx: click.Context, param: click.Parameter) -> str:
    """Return the origin of a value, if it is not the command line, to end a sentence with."""
    match ctx.get_parameter_source(str(param.name)):
        case ParameterSource.ENVIRONMENT:
            return f", in the variable {param.envvar}"
        case ParameterSource.DEFAULT_MAP:
            return f", in {config.path()}"
        case _:
            return ""
