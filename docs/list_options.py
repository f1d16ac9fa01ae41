"""Write `docs/options.md`, the reference of commands and options: ``python -m docs.list_options``.

Made from `halubot.options` and the commands; a test compares.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

import click

from halubot.cli import GROUPS, group
from halubot.cli.parameters import Parameter
from halubot.options import OPTIONS, Option

PAGE: Final = Path(__file__).with_name("options.md")

HEAD: Final = """# Commands and options

Made from the code by `python -m docs.list_options`. [Checking and correcting](checking.md)
explains the commands that most people need; [settings](settings.md) says how an option becomes a
line of the settings file. The variable of `--on-doubt` is `HALUBOT_ON_DOUBT`, and so on.
"""


def write_page() -> str:
    """Return the page in Markdown."""
    parts = [HEAD]
    for heading, options in groupby(OPTIONS.values(), key=lambda option: option.group):
        parts += [f"## {heading}", "", "| option | what it does | default |", "| --- | --- | --- |"]
        parts += [*map(_row, options), ""]
    for heading, names in GROUPS.items():
        parts += [f"## Commands: {heading.lower()}", ""]
        parts += [line for name in names for line in _describe(name)]
    return "\n".join(parts).rstrip() + "\n"


def _row(option: Option) -> str:
    opposite = f" / `--no-{option.flag[2:]}`" if option.off else ""
    if option.methods and not option.fronts:
        shown = f"`--set {option.name}={option.takes}`"
    else:
        shown = f"`{f'{option.flag} {option.takes}'.strip()}`{opposite}"
    said = f"{option.help} ({', '.join(option.methods)})" if option.methods else option.help
    repeated = " May be repeated." if option.many else ""
    cells = (shown.replace("|", "\\|"), _escaped(said + repeated), _escaped(option.usual))
    return f"| {' | '.join(cells)} |"


def _describe(name: str) -> Iterator[str]:
    """Yield the lines of a command and of those below it."""
    command = group.get_command(click.Context(group), name)
    assert command is not None  # noqa: S101 - GROUPS has the names that are there
    found = [(f"halubot {name}", command)]
    if isinstance(command, click.Group):
        found += [(f"halubot {name} {inner}", one) for inner, one in command.commands.items()]
    for title, one in found:
        usage = " ".join(one.collect_usage_pieces(click.Context(one, info_name=title)))
        yield f"**`{title} {usage}`**"
        first = inspect.cleandoc(one.help or "").split("\n\n")[0]
        yield f"{_escaped(' '.join(first.split()))}"
        yield ""
        own = [
            param
            for param in one.params
            if isinstance(param, Parameter) and not param.hidden and not param.declared.group
        ]
        for param in own:
            takes = f" {param.declared.takes}" if param.declared.takes else ""
            usual = f" Default: {param.declared.usual}." if param.declared.usual else ""
            yield f"- `{param.opts[0]}{takes}`: {_escaped(param.declared.help + usual)}"
        if own:
            yield ""


def _escaped(text: str) -> str:
    """Return a text in which Markdown finds no markup."""
    return re.sub(r"([<>*_\[\]`|{}])", r"\\\1", text)


if __name__ == "__main__":
    PAGE.write_text(write_page(), encoding="utf-8")
