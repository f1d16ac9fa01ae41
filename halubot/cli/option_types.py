"""Types of commands, options and values, and the parsers of values."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from halubot import settings as config
from halubot.errors import SettingError
from halubot.rate import Rate, parse_rate


class Group(click.Group):
    """A command of commands; alone, it shows its help, which is no mistake."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)


class Whole(click.IntRange):
    """A whole number in a range."""

    name = "whole number"


class Number(click.FloatRange):
    """A number in a range; "nan" is none."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        # A NaN passes every check of a range, since each comparison with it is false.
        if math.isnan(found):
            self.fail(f"{value!r} is not a valid {self.name}.", param, ctx)
        return found


class File(click.Path):
    """The path of a file. An empty one is refused: it would mean the folder one is in, and mostly
    comes from a variable of the shell that is not set."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(path_type=Path, **attributes)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value).strip():
            self.fail("the name is empty", param, ctx)
        return super().convert(value, param, ctx)


class Folder(File):
    """The path of a folder, which need not exist."""

    def __init__(self) -> None:
        super().__init__(file_okay=False)


class FileOrAddress(File):
    """The path of a file or a folder, or an address of the web, which stays a string."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and value.lower().startswith(("http://", "https://")):
            return value
        return super().convert(value, param, ctx)

    def split_envvar_value(self, rv: str) -> list[str]:
        # The ":" that separates paths on most systems is in every address too, and before its port.
        other = rf"[^{re.escape(os.pathsep)}]"
        return re.findall(rf"https?://[^/:;]*(?::\d+)?{other}*|{other}+", rv)


class WholeOrAll(click.ParamType[Any]):
    """A whole number from 1, or the word "all"."""

    name = "whole number or all"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "all":
            return value
        return Whole(min=1).convert(value, param, ctx)


class Weights(click.ParamType[Any]):
    """A name, or four numbers with commas between them."""

    name = "weights"

    def __init__(self, *names: str) -> None:
        self._names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value in self._names or not isinstance(value, str):
            return value
        try:
            found = [float(part) for part in value.split(",")]
        except ValueError:
            found = []
        # float reads "nan" and "inf".
        if len(found) != 4 or not all(map(math.isfinite, found)):
            named = " or ".join(self._names)
            self.fail(f"{value!r} is not {named}, or four numbers like .7,.1,.1,.1", param, ctx)
        return found


FORMATS = ("text", "json", "markdown", "html")


class Setting(click.Option):
    """An option that is also read from its variable, HALUBOT_ and its name."""

    def __init__(self, declarations: Sequence[str], **attributes: Any) -> None:
        super().__init__(declarations, **attributes)
        self.envvar = config.variable(str(self.name))


class ListFormat(click.Choice[str]):
    """text or json; a format for reports that a variable or the file asks for is text here."""

    def __init__(self) -> None:
        super().__init__(["text", "json"])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if ctx is not None and param is not None and value in FORMATS:
            asked = ctx.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE
            value = value if asked or value in self.choices else "text"
        return super().convert(value, param, ctx)


def without_secrets(value: str) -> str:
    """A value for people to read: a key, or the user and the password of an address, struck out."""
    from halubot.models.vendor_errors import without_keys

    return without_keys(value)


def parse_address(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """The address of a server, as it was given."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(value or "")
        # urlsplit checks a port only when it is asked for, and raises then.
        port = parts.netloc.rpartition(":")[2]
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        usable = usable and not (port.isdecimal() and int(port) >= 1 << 16)
    except ValueError:
        usable = False
    if value and not usable:
        # An address without a scheme may hold a password too, which is found only behind "://".
        shown = without_secrets(value if "://" in value else f"://{value}").removeprefix("://")
        raise click.BadParameter(
            f"{shown!r} is no address: write it like http://127.0.0.1:8000/v1", ctx, param
        )
    return value or None


def parse_parameters(
    ctx: click.Context, param: click.Parameter, value: Sequence[str] | None
) -> dict[str, Any] | None:
    """Parameters by name."""
    if not value:
        return None
    from halubot.models.server_settings import parse_parameter

    try:
        return dict(map(parse_parameter, value))
    except SettingError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def convert_rate(ctx: click.Context, param: click.Parameter, value: str | None) -> Rate | None:
    """A rate such as 500/min."""
    if not value:
        return None
    try:
        return parse_rate(value)
    except SettingError as error:
        raise click.BadParameter(str(error), ctx, param) from error
