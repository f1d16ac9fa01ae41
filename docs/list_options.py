"""The options of the command line as Markdown, for the reference in the site of the documentation.

Options that several commands share are listed once, so that a command shows what is its own.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator

import click

from halubot.cli import COMMANDS, group

SHARED_BY = 3
"""An option of at least so many commands is listed once for all."""


def list_commands() -> str:
    """Return a section for the shared options and one for each command."""
    found = dict(_commands())
    # Two commands may have different options of one name; shared ones are the same object.
    counts = Counter(one for command in found.values() for one in _options(command))
    shared = sorted((one for one, count in counts.items() if count >= SHARED_BY), key=_name)
    parts = ["## Options of several commands", ""]
    parts += [line for one in shared for line in _entry(one)]
    for name, command in found.items():
        parts += [f"{'#' * min(4, name.count(' ') + 1)} {name}", "", *_about(name, command)]
        options = _options(command)
        parts += [line for one in options if one not in shared for line in _entry(one)]
        if common := [f"`{_name(one)}`" for one in options if one in shared]:
            several = "[several commands](#options-of-several-commands)"
            parts += [f"And of {several}: {', '.join(common)}.", ""]
    return "\n".join(parts)


def _commands() -> Iterator[tuple[str, click.Command]]:
    """Yield all commands with their names, each group before its own."""
    for name in COMMANDS:
        command = group.get_command(click.Context(group), name)
        assert command is not None  # noqa: S101 - COMMANDS has the names that are there
        yield f"halubot {name}", command
        if isinstance(command, click.Group):
            for inner, one in command.commands.items():
                yield f"halubot {name} {inner}", one


def _options(command: click.Command) -> list[click.Option]:
    return [one for one in command.params if isinstance(one, click.Option) and not one.hidden]


def _name(option: click.Option) -> str:
    return max(option.opts, key=len)


def _about(name: str, command: click.Command) -> list[str]:
    """Return the usage and the help of a command; paragraphs that the help keeps as they are stay
    so."""
    context = click.Context(command, info_name=name)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    lines = ["```text", usage, "```", ""]
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b\n"):
            lines += ["```text", paragraph.removeprefix("\b\n"), "```", ""]
        else:
            lines += [_escaped(" ".join(paragraph.split())), ""]
    return lines


def _entry(option: click.Option) -> list[str]:
    """Return an option as an item: its names, its value, its help, its default, its variable."""
    names = ", ".join(f"`{one}`" for one in (*option.opts, *option.secondary_opts))
    metavar = option.make_metavar(click.Context(click.Command("halubot")))
    takes = "" if option.is_flag else f" `{metavar}`"
    help_ = " ".join((option.help or "").split())
    default = f" [default: {option.default}]" if option.show_default and not option.is_flag else ""
    variable = f" (`{option.envvar}`)" if isinstance(option.envvar, str) else ""
    return [f"- {names}{takes}: {_escaped(help_ + default)}{variable}", ""]


def _escaped(text: str) -> str:
    """Return a text in which Markdown finds no markup."""
    return re.sub(r"([<>*_\[\]`|{}])", r"\\\1", text)
