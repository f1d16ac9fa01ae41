"""The terminal app in a browser: what `halubot tui --web` starts."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

import click
from click.core import ParameterSource

from halubot.cli import tell
from halubot.errors import MissingExtraError
from halubot.listener import is_loopback

NOT_PASSED_ON = ("web", "host", "port")
"""Options of the server, not of the app in it."""


def serve_app(ctx: click.Context, words: list[str], host: str, port: int) -> int:
    """Serve the app, one for each page that is opened, with ``words`` and the options of ``ctx``
    that were given. Raises MissingExtraError, and HalubotError if it cannot listen there."""
    if find_spec("textual_serve") is None:
        raise MissingExtraError("halubot tui --web", "web")
    if not is_loopback(host):
        tell(
            f"what goes to {host} is not encrypted: whoever can listen on the way can use this"
            " halubot, read your files with it and spend your money"
        )
    app = [sys.executable, "-m", "halubot", "tui", *_options_given(ctx), *words]
    status: int = import_module("halubot_tui.server").serve(_shell_line(app), host, port)
    return status


def _options_given(ctx: click.Context) -> Iterator[str]:
    """Yield the options of the app that were given, as they are written on a command line."""
    for option in ctx.command.params:
        name = str(option.name)
        if not isinstance(option, click.Option) or name in NOT_PASSED_ON:
            continue
        if ctx.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        value = ctx.params[name]
        if option.is_flag:
            yield option.opts[0] if value else option.secondary_opts[0]
        else:
            for item in value if option.multiple else [value]:
                yield f"{option.opts[0]}={item}"


def _shell_line(words: list[str]) -> str:
    """Return a command for the shell of this system."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
