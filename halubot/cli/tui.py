"""`halubot tui`: the terminal app, with a text or a session, in the terminal or in a browser."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import click

from halubot import settings as config
from halubot.cli import tell
from halubot.cli.parameters import (
    Command,
    Parameter,
    file_argument,
    is_typed,
    origin,
    own,
    read_settings,
    shown_by,
)
from halubot.errors import HalubotError, MissingExtraError
from halubot.listener import is_loopback
from halubot.options import NAME, OPTIONS, SWITCH, whole


def _names(ctx: click.Context, param: click.Parameter, begun: str) -> list[str]:
    """The names of sessions that begin so, for the shell to complete."""
    from halubot.state.sessions import Sessions

    try:
        with Sessions.open(ctx.params.get("state")) as sessions:
            return [one.name for one in sessions.all() if one.name and one.name.startswith(begun)]
    except HalubotError:
        return []


def listening() -> list[click.Parameter]:
    """Return the options for where a server listens."""
    return [
        own(
            "host",
            "Where it listens. On another address than this machine's own, what you do can be read"
            " on the way: it is not encrypted.",
            NAME,
            # Who wants other machines to ask has to say so.
            default="127.0.0.1",
            metavar="ADDRESS",
        ),
        own("port", "Its port; 0 is any that is free.", whole(0, 65535), default=8000),
    ]


DRIVER: Final = "TEXTUAL_DRIVER"
"""The variable by which a page in a browser draws the app."""

_WORDS: Final = "halubot.words"
"""Under this the context keeps the words of the command."""


class _App(Command):
    """The command, which keeps its words."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_WORDS] = [*args]
        return super().parse_args(ctx, args)


BROWSER: Final = "browser"
"""What ``--web`` without a provider stands for: the first releases showed the app in a browser by
it."""


def _web_or_browser(param: click.Parameter) -> click.Parameter:
    """Return the parameter; the one that names search providers may stand alone."""
    if param.name != "web":
        return param
    return Parameter(OPTIONS["web"], is_flag=False, flag_value=BROWSER)


@click.command(
    cls=_App,
    example="draft.md --watch",
    params=[
        file_argument("file", "[FILE]", required=False),
        own(
            "session",
            "Open the session of that name, or begin it.",
            NAME,
            shell_complete=_names,
        ),
        own(
            "watch",
            "Check FILE again when it changes; only paragraphs that changed are checked again.",
            SWITCH,
            default=False,
        ),
        own(
            "browser",
            "Show it in a browser, one app for each page that is opened. The address that is"
            " printed lets one browser in, once; ctrl+C ends it.",
            SWITCH,
            default=False,
            one_run=True,
        ),
        *listening(),
        *map(_web_or_browser, shown_by("app", also=("sample",))),
    ],
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    file: Path | None,
    session: str | None,
    watch: bool,
    sample: tuple[Path, ...],
    browser: bool,
    host: str,
    port: int,
    **settings: Any,
) -> int:
    """Open the terminal app: ask, read, see what to doubt, and correct it.

    FILE is a text to check at once. `halubot` alone opens the app too. The options hold until it
    is left; its settings screen changes the settings file.
    """
    if BROWSER in settings["web"]:
        browser, settings["web"] = True, tuple(x for x in settings["web"] if x != BROWSER)
    if browser and not os.environ.get(DRIVER):
        return serve_app(ctx.meta[_WORDS], host, port)
    if settings["web"] and is_typed("web"):
        from halubot.evidence.web.providers import read_web

        read_web(settings["web"])  # what is wrong with it is said before the terminal changes
    if file is not None and str(file) == "-":
        raise click.UsageError(
            "the terminal app reads its keys from standard input: name a file, or use halubot"
            " check -",
            ctx,
        )
    if watch and file is None:
        raise click.UsageError(
            "--watch looks after a file: name it (halubot tui --watch FILE)", ctx
        )
    require_terminal()
    # The settings screen shows why a value holds, and that it cannot change one of the command line
    # for good.
    origins: dict[str, str] = {}
    for name in settings:
        origins[name] = origin(ctx, name)
        if origins[name] == "variable":
            origins[name] = config.variable(name)
    # By name: the core must not import a front end, and the command should start without Textual if
    # a terminal is missing.
    status: int = import_module("halubot_tui").run(
        file=file,
        session=session,
        watch=watch,
        samples=sample,
        settings=settings,
        origins=origins,
    )
    return status


def open_app(ctx: click.Context) -> int:
    """Opens the app as `halubot` alone does, with the settings of the file and the variables."""
    values = read_settings()
    with command.make_context("tui", [], parent=ctx, default_map=values) as opening:
        status: int = command.invoke(opening)
    return status


def require_terminal() -> None:
    """Raises HalubotError if there is no terminal to draw on."""
    if os.environ.get(DRIVER):
        return
    instead = "use halubot check, halubot ask or another command (halubot --help)"
    if os.environ.get("TERM") == "dumb":
        raise HalubotError(
            "the terminal app needs a terminal that can move the cursor, and TERM is dumb:"
            f" {instead}"
        )
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise HalubotError(f"the terminal app needs a terminal: {instead} in a pipe")


def serve_app(words: list[str], host: str, port: int) -> int:
    """Serve the app, one for each page that is opened, by the ``words`` of this command: where a
    page draws it, it is the app itself. Raises MissingExtraError, and HalubotError if it cannot
    listen there."""
    if find_spec("textual_serve") is None:
        raise MissingExtraError("halubot tui --browser", "web")
    if not is_loopback(host):
        tell(
            f"what goes to {host} is not encrypted: whoever can listen on the way can use this"
            " halubot, read your files with it and spend your money"
        )
    app = [sys.executable, "-m", "halubot", "tui", *words]
    line = subprocess.list2cmdline(app) if sys.platform == "win32" else shlex.join(app)
    status: int = import_module("halubot.service.tui_server").serve(line, host, port)
    return status
