"""What is said below the conversation: the entry that is looked at, or what the signs mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from halubot.render import words
from halubot.render.inert import one_line
from halubot_tui.looks import STYLES, Signs

if TYPE_CHECKING:
    from halubot.render.listing import Entry


def named(entry: Entry, signs: Signs) -> Content:
    """The sign of an entry, what it says, and what was found of it."""
    style = STYLES[entry.verdict].replace("underline ", "")
    sign = signs.key(entry.verdict, entry.number)
    said = f" {signs.dash} {one_line(entry.said)}" if entry.said else ""
    return Content.assemble((f"{sign} ", style), (entry.reading, "bold"), said)


def legend(signs: Signs) -> Content:
    """The signs of the verdicts that are marked, and what they mean."""
    parts: list[tuple[str, str]] = []
    for verdict in ("contradicted", "doubtful", "not_checked"):
        style = STYLES[verdict].replace("underline ", "")
        parts += [(f"{signs.verdict(verdict)} ", style), (f"{words.VERDICTS[verdict]}   ", "")]
    return Content.assemble(*parts).rstrip()
