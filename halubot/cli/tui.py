"""`halubot tui`: the terminal app, with a text or a session."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import click

from halubot.errors import HalubotError


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--session", metavar="NAME", help="Open the session of that name, or begin it.")
def command(file: Path | None, session: str | None) -> int:
    """Open the terminal app: ask, read, see what to doubt, and correct it.

    FILE is a text to check at once. `halubot` alone opens the app too.
    """
    require_terminal()
    status: int = import_module("halubot_tui").run(file=file, session=session)
    return status


def require_terminal() -> None:
    """Raises HalubotError where there is no terminal to draw on."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise HalubotError(
            "the terminal app needs a terminal: use halubot check, halubot ask or another command"
            " (halubot --help) in a pipe"
        )
