"""What the views of the inspector draw with: hanging lines, and the signs of stances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.content import Content

from halubot_tui import laying
from halubot_tui.looks import STYLES, Signs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from halubot.facts import Stance, Verdict
    from halubot.render.listing import Entry
    from halubot_tui.turns import Turn

QUIET: Final = "$secondary"
NOTHING: Final = "No message is selected."
STANCE_STYLES: Final[Mapping[Stance, str]] = {
    "contradicts": "bold $contradicted",
    "supports": "$supported",
    "silent": "$unchecked",
}
"""How what a source says is written."""

_ASCII_STANCES: Final[Mapping[Stance, str]] = {"contradicts": "x", "supports": "+", "silent": "."}
_STANCES: Final[Mapping[Stance, str]] = {"contradicts": "✗", "supports": "✓", "silent": "·"}
_NARROWEST: Final = 8


def stance(said: Stance, signs: Signs) -> str:
    """The sign of what a source says, one cell wide."""
    return (_ASCII_STANCES if signs.ascii else _STANCES)[said]


def ink(verdict: Verdict) -> str:
    """How words about a verdict are written; marks in a text are underlined as well."""
    return STYLES[verdict].replace("underline ", "")


def ordered(turn: Turn, *, by_place: bool) -> list[Entry]:
    """The entries of a message, the most doubted first, or in the order of the text."""
    entries = list(turn.entries)
    if by_place:
        entries.sort(key=lambda entry: (entry.spans or ((0, 0),))[0])
    return entries


def hung(content: Content, width: int, lead: Content | str = "") -> Iterator[Content]:
    """A text as lines at a width, the first behind ``lead``, the others set in as far."""
    before = Content(lead) if isinstance(lead, str) else lead
    indent = before.cell_length
    for start, end in laying.wrapped(content.plain, max(_NARROWEST, width - indent)):
        yield before + content[start:end]
        before = Content(" " * indent)


def phrases(
    parts: Iterable[Content], width: int, signs: Signs, lead: str = "", between: str = ""
) -> Iterator[Content]:
    """Short phrases one after the other, parted by a dash or what else is ``between``; a line ends
    between two of them."""
    gap = Content(between or f" {signs.dash} ").stylize(QUIET)
    room = max(_NARROWEST, width - cell_len(lead))
    line: Content | None = None
    for part in parts:
        longer = part if line is None else line + gap + part
        if line is not None and longer.cell_length > room:
            yield Content(lead) + line
            longer = part
        *full, line = hung(longer, room)
        yield from (Content(lead) + one for one in full)
    if line is not None:
        yield Content(lead) + line


def stacked(lines: Sequence[Content]) -> Content:
    """The lines as one text."""
    return Content("\n").join(lines)
