"""Other answers that a person pastes into an editor: something to compare with, without a model."""

from __future__ import annotations

import os
import re
import sys

import click

from halubot.errors import InputError, SettingError
from halubot.evidence import text_source
from halubot.report import Source

SECTIONS = 3
"""Sections that are there to be filled; more can be written."""

_LINE = "====== answer {} ======"
# No line of an answer: Markdown underlines a heading with = alone.
_SEPARATOR = re.compile(r"^=+ [^=\n]{0,80} =+[ \t]*$", re.MULTILINE)
_SHOWN = 2_000
_HEAD = """Paste other answers to the same question below, one below each line of equals signs.
Write more such lines for more answers; empty ones are left out. Then save, and leave the editor.
What stands above the first line is not read. The message that is checked:

{}

"""


def paste_answers(message: str, before: int = 0) -> list[Source]:
    """Open an editor and return what was pasted into it, as samples numbered after ``before``.

    Raises SettingError if there is no editor or no terminal for one, InputError if nothing was
    pasted.
    """
    chosen = any(os.environ.get(name) for name in ("VISUAL", "EDITOR"))
    if not chosen and not sys.stdin.isatty():
        raise SettingError("--paste opens an editor, and there is no terminal for one")
    shown = message if len(message) <= _SHOWN else f"{message[:_SHOWN]} ..."
    # A line of the message must not begin a section.
    head = _HEAD.format(_SEPARATOR.sub("", shown).strip())
    sections = (f"{_LINE.format(number)}\n\n\n" for number in range(1, SECTIONS + 1))
    try:
        written = click.edit(head + "\n".join(sections), extension=".md")
    except (click.ClickException, OSError) as error:
        raise SettingError(f"--paste cannot open an editor: {error}: set EDITOR") from error
    answers = split_sections(written or "")
    if not answers:
        raise InputError("nothing was pasted: save the answers before you leave the editor")
    return [
        text_source(answer, "sample", number, title=f"pasted answer {number - before}")
        for number, answer in enumerate(answers, before + 1)
    ]


def split_sections(written: str) -> list[str]:
    """Return the sections of what was written, without what stands before the first."""
    return [part.strip() for part in _SEPARATOR.split(written)[1:] if part.strip()]
