"""The command line: a module a command, loaded when it is called.

For `halubot --help` nothing of halubot is imported but this module, `halubot.interrupt` and
`halubot.own_process`.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

import click

from halubot import own_process
from halubot.interrupt import FAULT, INTERRUPTED, end_soon_after_ctrl_c

GROUPS = {
    "Check": {
        "check": "Check a text and say what to doubt, and why.",
        "correct": "Check a text, correct it, and check it again.",
        "batch": "Check many messages, one a line; resumable.",
        "tui": "Open the terminal app; halubot alone does it too.",
        "demo": "Check and correct a bundled message.",
    },
    "Ask with a model": {
        "ask": "Ask a model, and check its answer.",
        "models": "List the models that can be reached.",
    },
    "Run for others": {
        "discord": "Run the Discord bot.",
        "serve": "Check and correct texts for other programs, over HTTP.",
        "mcp": "Offer checks as tools to an assistant (MCP).",
    },
    "Manage": {
        "methods": "List the methods and their settings.",
        "knowledge": "Build knowledge bases from files, and search them.",
        "feedback": "Say which verdicts are wrong.",
        "store": "Look after the stored answers of models.",
        "config": "Show and change settings.",
        "doctor": "Check the installation.",
    },
}
"""The commands in the order of the help; each lives in the module of its name, as ``command``."""

IN_CHECK = ("correct", "ask")
"""Commands that live beside `check`, by their names."""

COMMANDS = {name: said for commands in GROUPS.values() for name, said in commands.items()}
"""All commands."""

MOVED = {
    "bench": "benchmarks run in a checkout of halubot: python -m benchmarks (docs/benchmarks.md)",
    "calibrate": "scores are not turned into probabilities: --threshold sets when to doubt",
    "make-data": "labelled texts are made in a checkout of halubot: see training/README.md",
    "cache": "the stored answers of models are in halubot store",
    "completion": "a shell's completion script is printed by _HALUBOT_COMPLETE=bash_source halubot"
    " (or zsh_source, fish_source)",
}
"""Commands of earlier versions, and where what they did is now."""

WITHOUT_SETTINGS = {"config", "doctor"}
"""Commands that do not read the settings file, because they help when it is broken."""

USAGE = 2

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EIO}
"""What a write fails with where nothing is wrong with halubot."""


class Commands(click.Group):
    """The commands by name, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        from importlib import import_module

        # Imported here and not at the top: the help needs none of the commands.
        home, name = ("check", cmd_name) if cmd_name in IN_CHECK else (cmd_name, "command")
        command: click.Command = getattr(import_module(f"halubot.cli.{home}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name in MOVED:
            raise click.UsageError(MOVED[name], ctx)
        if name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else "see halubot --help"
            raise click.UsageError(f"there is no command {name!r}: {hint}", ctx)
        # Each command has its settings by its own name: click hands the map down one level at a
        # time.
        if name not in WITHOUT_SETTINGS:
            from halubot.cli.parameters import read_settings

            ctx.default_map = {name: read_settings()}
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for group, commands in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(width), said) for name, said in commands.items()])


def script() -> NoReturn:
    """The command `halubot`: runs `main` and ends with its status, deaf to more ctrl+C."""
    import signal

    own_process.claim()
    end_soon_after_ctrl_c()
    status = main()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Python would take itself apart under a thread that still works, which can end in a crash and
    # so with another status: an answer of 8 MB is parsed in C for seconds.
    if status != INTERRUPTED:
        import atexit

        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from halubot.version import __version__

        click.echo(f"halubot {__version__}")
        ctx.exit()


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Each option has a variable (--on-doubt: HALUBOT_ON_DOUBT) and a place in the"
    " settings file (halubot config path).",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Print the version.",
)
@click.pass_context
def group(ctx: click.Context) -> int | None:
    """Tells you which facts of a text to doubt, why, and what to read instead."""
    if ctx.invoked_subcommand is not None:
        return None
    # In a pipe the app would draw escape codes into a file, or wait for keys that never come.
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        click.echo(ctx.get_help())
        return None
    from halubot.cli.tui import open_app

    return open_app(ctx)


def main(args: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit status; never raises.

    2 for wrong usage and unreadable input, 70 for a fault of halubot's own (HALUBOT_DEBUG=1
    shows where), 130 for ctrl+C; otherwise what the command returns.
    """
    _open_closed()
    try:
        status: Any = group.main(args, prog_name="halubot", standalone_mode=False)
    except click.UsageError as error:
        return _complain(_usage(error), error.exit_code)
    except click.ClickException as error:
        return _complain(error.format_message(), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _complain("interrupted", INTERRUPTED)
    except OSError as error:
        if error.errno not in _FULL:
            return _fault(error)
        silence()
        return _complain(f"cannot write the output: {error.strerror}", USAGE)
    except ValueError as error:
        # Python raises ValueError for such a name wherever it is opened; it came from the command
        # line.
        if "null byte" in str(error):
            return _complain("the name of a file holds a null byte", USAGE)
        return _fault(error)
    except Exception as error:  # noqa: BLE001 - the last resort: one line instead of a traceback
        return _fault(error)
    return status if isinstance(status, int) else 0


def _open_closed() -> None:
    """Lets what is printed to a closed stream (``>&-``) go nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))


def silence() -> None:
    """Sends what is still to be printed nowhere: the reader of our output is gone."""
    # The descriptor and not just sys.stdout: Python flushes its buffer again when it ends, and
    # would print a traceback.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def tell(message: str) -> None:
    """Prints one line of message to standard error, if anybody reads it; cut between words
    if that is a terminal."""
    from halubot.render.inert import one_line

    with suppress(OSError, KeyboardInterrupt):
        line = f"halubot: {one_line(message)}"
        if sys.stderr.isatty():
            from halubot.cli.output import wrap_paragraph

            line = wrap_paragraph(line, then="  ")
        click.echo(line, err=True)


def _complain(message: str, status: int) -> int:
    tell(message)
    return status


def _usage(error: click.UsageError) -> str:
    """Say what is wrong, where the value came from, and which help to read."""
    message = error.format_message().removesuffix(".")
    if isinstance(error, click.NoSuchOption):
        from halubot.options import OF_METHODS

        name = error.option_name.lstrip("-").replace("-", "_")
        if name in OF_METHODS:
            return f"{error.option_name} is set by --set {name}=VALUE (halubot methods NAME)"
    if error.ctx is None:
        return message
    if isinstance(error, click.BadParameter) and error.param is not None:
        from halubot.cli.parameters import name_origin

        message += name_origin(error.ctx, error.param)
    if error.ctx.command is group:
        return message
    return f"{message} (see {error.ctx.command_path} --help)"


def _fault(error: Exception) -> int:
    from halubot.errors import HalubotError

    if os.environ.get("HALUBOT_DEBUG"):
        import traceback

        traceback.print_exc()
    if isinstance(error, HalubotError):
        return _complain(str(error), error.exit_status)
    return _complain(
        f"a fault of halubot's own: {type(error).__name__}: {error} (HALUBOT_DEBUG=1 shows where)",
        FAULT,
    )
