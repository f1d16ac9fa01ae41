"""How a source is cited: what it is called, where in it, from when it is, and where it lies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from halubot.render.captions import source_name
from halubot.render.inert import one_line

if TYPE_CHECKING:
    from halubot.report import Report, Source

_ADDRESS: Final = re.compile(
    r"https?://[A-Za-z0-9.-]+(?::\d+)?(?:/[A-Za-z0-9._~%!$&()+,;=:/?#-]*)?"
)


def citation(source: Source, report: Report) -> str:
    """The name of a source, the place in it and its date, as far as they are known: "Ada Lovelace,
    section Early life, 2026-03-01"."""
    name, place = source_name(source, report), one_line(source.place)
    known = (name, "" if place == f"section {name}" else place, one_line(source.date or ""))
    return ", ".join(part for part in known if part)


def location(source: Source) -> str:
    """The file or address of a passage of knowledge; "" of other sources, for whoever gave them
    knows, and where it is the title."""
    place = one_line(source.location) if source.kind == "knowledge" else ""
    return "" if place == one_line(source.title) else place


def address(location: str) -> str | None:
    """A location that can be followed: a plain address of the web; None where it is none."""
    return location if _ADDRESS.fullmatch(location) else None
