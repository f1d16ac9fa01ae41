"""`halubot serve`: the terminal app in a browser."""

from __future__ import annotations

import ipaddress
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import click
from click.core import ParameterSource

from halubot.cli import kinds, options, tell
from halubot.cli.tui import SESSION
from halubot.errors import MissingExtraError


@click.command(
    params=[
        options.Setting(
            ["--host"],
            default="127.0.0.1",
            show_default=True,
            metavar="ADDRESS",
            help="Where to listen. On another address than this machine's own, what you do can be"
            " read on the way: it is not encrypted.",
        ),
        options.Setting(
            ["--port"],
            type=kinds.Whole(0, 65535),
            default=8000,
            show_default=True,
            metavar="N",
            help="Which port to listen at; 0 is any that is free.",
        ),
        SESSION,
        *options.shared(*options.APP),
    ]
)
@click.pass_context
def command(ctx: click.Context, /, *, host: str, port: int, **settings: Any) -> int:
    """Show the terminal app in a browser, one for each page that is opened.

    The address that is printed lets one browser in, once. It listens to this machine alone unless
    --host says otherwise; ctrl+C ends it.
    """
    if find_spec("textual_serve") is None:
        raise MissingExtraError("halubot serve", "web")
    if not is_loopback(host):
        tell(
            f"what goes to {host} is not encrypted: whoever can listen on the way can use this"
            " halubot, read your files with it and spend your money"
        )
    given = {
        name: value
        for name, value in settings.items()
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    status: int = import_module("halubot_tui.serving").serve(
        line([sys.executable, "-m", "halubot", "tui", *written(ctx.command, given)]), host, port
    )
    return status


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def written(command: click.Command, given: Mapping[str, Any]) -> Iterator[str]:
    """The options that were given, as they are written on a command line."""
    for option in command.params:
        if not isinstance(option, click.Option) or option.name not in given:
            continue
        value = given[option.name]
        if option.is_flag:
            yield option.opts[0] if value else option.secondary_opts[0]
        else:
            for item in value if option.multiple else [value]:
                yield f"{option.opts[0]}={item}"


def line(words: list[str]) -> str:
    """A command for the shell of this system."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
