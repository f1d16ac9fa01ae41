"""`halubot config`: the settings in force, where each comes from, and the file they live in."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import click

from halubot import settings
from halubot.cli import output
from halubot.cli.parameters import list_format, make_context, origin, read_settings
from halubot.errors import SettingError
from halubot.options import NAMES, OPTIONS
from halubot.render.inert import inert


@click.group(invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Show and change settings.

    An option beats its variable, the variable beats the settings file, the file beats the
    default. Without a command: show.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(show)


@command.command(params=[list_format()])
def show(format: str = "text") -> None:
    """Show each setting, its value, and where that comes from; keys and passwords struck out."""
    ctx = make_context(read_settings())
    found: dict[str, dict[str, Any]] = {}
    # Defaults that hang on other things are known only where they are used; they are repeated here
    # in words, for people.
    defaults = _defaults()
    for name in NAMES:
        value, source = _strike_out(ctx.params[name]), origin(ctx, name)
        from_ = f"variable {settings.variable(name)}" if source == "variable" else source
        found[name] = {"value": value, "from": from_}
        if value in (None, []) and name in defaults:
            found[name]["default"] = defaults[name]
    if format == "json":
        output.say_json({"path": str(settings.path()), "settings": found})
        return
    width = max(len(name) for name in NAMES)
    for name, one in found.items():
        shown = one.get("default") or _format(one["value"])
        output.say(f"{name:{width}}  {shown}  ({one['from']})")
    output.say(f"\nfile: {settings.path()}{'' if settings.path().exists() else ' (not there yet)'}")


@command.command()
def path() -> None:
    """Print where the settings file is, or would be."""
    output.say(str(settings.path()))


@command.command("set")
@click.argument("name")
@click.argument("values", nargs=-1, required=True)
def set_(name: str, values: tuple[str, ...]) -> None:
    """Write a setting into the file; several values for a setting that may be repeated."""
    settings.require(name, NAMES, "halubot config show lists them")
    given: Any = list(values) if OPTIONS[name].many or len(values) > 1 else values[0]
    try:
        # A value that a command would refuse never gets into the file.
        value = OPTIONS[name].read(given)
    except SettingError as error:
        raise click.UsageError(f"{name}: {error}", click.get_current_context()) from error
    # Parameters are read by their names, and written as they were said.
    kept = given if isinstance(value, dict) else _plain(value, absolute=True)
    file = settings.change({name: kept})
    # A key may have been set: what is echoed stays in the terminal's history.
    click.echo(inert(f"{name} = {_format(_strike_out(kept))}  ({file})"), err=True)


@command.command()
@click.argument("name")
def unset(name: str) -> None:
    """Take a setting out of the file, also one that halubot does not know."""
    file = settings.change({name: None})
    click.echo(inert(f"{name} is not set in {file}"), err=True)


def _defaults() -> dict[str, str]:
    """Return the defaults, in words, of settings that have no value of their own."""
    from halubot.evidence.knowledge.bases import bases_folder
    from halubot.state import state_folder

    said = {name: OPTIONS[name].otherwise for name in NAMES if OPTIONS[name].otherwise}
    return said | {
        "knowledge_folder": str(bases_folder()),
        "store": str(settings.store_folder()),
        "state": str(state_folder()),
        "output": "standard output",
    }


def _plain(value: Any, *, absolute: bool = False) -> Any:
    """A value as TOML and JSON know it; a path is written so that it holds from any folder."""
    if isinstance(value, Path):
        return str(value.expanduser().absolute() if absolute else value)
    if isinstance(value, tuple):
        return [_plain(item, absolute=absolute) for item in value]
    return value


_SECRET: Final = re.compile(r"(?i)key|secret|password|credential|auth|[^x]_?token$")
"""Names of parameters whose values nobody else may read."""


def _strike_out(value: Any) -> Any:
    """A value as JSON knows it, without what nobody else may read."""
    plain = _plain(value)
    if isinstance(plain, dict):
        return {
            name: "***" if _SECRET.search(name) else _strike_out(item)
            for name, item in plain.items()
        }
    if isinstance(plain, list):
        return [_strike_out(item) for item in plain]
    # A parameter as it is said; an address with a key is no name.
    name, said, _ = plain.partition("=") if isinstance(plain, str) else ("", "", "")
    if said and name.isidentifier() and _SECRET.search(name):
        return f"{name}=***"
    if not isinstance(plain, str):
        return plain
    from halubot.models.vendor_errors import without_keys

    return without_keys(plain)


def _format(value: Any) -> str:
    return "-" if value is None or value == [] else json.dumps(value, ensure_ascii=False)
