"""What the views of the inspector draw with: hanging lines, and the signs of stances."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.content import Content

from halubot_tui import layout
from halubot_tui.looks import STYLES, Signs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from halubot.render.items import Entry
    from halubot.report import Stance, Verdict
    from halubot_tui.turns import Turn

QUIET: Final = "$secondary"
SOURCE: Final = "source"
"""Under this name the style of a quote holds the id of its source."""
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
_MARKUP: Final = re.compile(r"[*_`~\[]")


def stance(said: Stance, signs: Signs) -> str:
    """The sign of what a source says, one cell wide."""
    return (_ASCII_STANCES if signs.ascii else _STANCES)[said]


def ink(verdict: Verdict) -> str:
    """How words about a verdict are written; marks in a text are underlined as well."""
    return STYLES[verdict].replace("underline ", "")


def order_entries(turn: Turn, *, by_doubt: bool) -> list[Entry]:
    """The entries of a message in the order of the text, or the most doubted first: those before
    what could not be checked, that before what is supported."""
    if not by_doubt:
        return list(turn.entries)
    return sorted(turn.entries, key=_doubt)


def _doubt(entry: Entry) -> tuple[int, float, int]:
    """The place of an entry among others by its doubt."""
    judged = entry.fact or entry.sentence
    rank = judged.rank if judged is not None and judged.rank is not None else entry.score or 0.0
    if entry.doubted:
        return 0, -rank, entry.number
    return 1 if entry.verdict == "not_checked" else 2, 0.0, entry.number


def hung(content: Content, width: int, lead: Content | str = "") -> Iterator[Content]:
    """A text as lines at a width, the first behind ``lead``, the others set in as far."""
    before = Content(lead) if isinstance(lead, str) else lead
    indent = before.cell_length
    for start, end in layout.wrap_lines(content.plain, max(_NARROWEST, width - indent)):
        yield before + content[start:end]
        before = Content(" " * indent)


def strip_marks(text: str) -> str:
    """Words on one line without the marks of Markdown: emphasis, code, and the targets of links."""
    if not _MARKUP.search(text):
        return text
    from halubot.text import read  # not before the first frame

    return " ".join(read(text).plain.split()) or text


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


def stack_lines(lines: Sequence[Content]) -> Content:
    """The lines as one text."""
    return Content("\n").join(lines)
