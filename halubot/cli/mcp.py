"""`halubot mcp`: checks and corrections as tools for assistants."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import click

from halubot.cli.parameters import Command, shown_by
from halubot.errors import MissingExtraError


@click.command(cls=Command, params=shown_by("checks", also=("question",)))
def command(**given: Any) -> int:
    """Offer check and correct as tools to an assistant, over the Model Context Protocol.

    An assistant starts this command and talks to it over standard input and output: name it in the
    assistant's settings, such as {"command": "halubot", "args": ["mcp"]}. The options hold for
    every check: what it is compared with beside what the assistant gives, the model, and what it
    may spend in all.
    """
    if find_spec("mcp") is None:
        raise MissingExtraError("halubot mcp", "mcp")
    from halubot.cli import input_files
    from halubot.service.mcp_server import serve_tools

    with input_files.comparing(**given) as comparing:
        serve_tools(comparing)
    return 0
