"""Kinds of commands, and of values that options and arguments take."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click


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
        if len(found) != 4 or not all(map(math.isfinite, found)):
            named = " or ".join(self._names)
            self.fail(f"{value!r} is not {named}, or four numbers like .7,.1,.1,.1", param, ctx)
        return found
