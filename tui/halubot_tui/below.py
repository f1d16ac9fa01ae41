"""The line below the conversation: the entry that is looked at, or what the signs mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content

from halubot.render import captions
from halubot.render.inert import one_line
from halubot_tui.inspecting.drawing import hung
from halubot_tui.looks import STYLES, Signs
from halubot_tui.marked import QUIET

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from halubot.render.items import Entry
    from halubot.report import Verdict

EMPTY: Final = "Nothing is checked yet. Once a text is checked, these signs stand behind its facts:"
_MEANINGS: Final[Mapping[Verdict, str]] = {
    "contradicted": "a source says something else",
    "doubtful": "little speaks for it",
    "not_checked": "no source confirms or denies it",
}
_COLUMN: Final = 17


def entry_line(entry: Entry, signs: Signs) -> Content:
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
        parts += [(f"{signs.verdict(verdict)} ", style), (f"{captions.VERDICTS[verdict]}   ", "")]
    return Content.assemble(*parts).rstrip()


def fit_line(said: Content, width: int, signs: Signs) -> Content:
    """As much of a line as there is room for, and a sign that there is more."""
    if said.cell_length <= width:
        return said
    more = "..." if signs.ascii else "…"
    return said.truncate(max(0, width - len(more))) + more


def empty(signs: Signs, width: int) -> Sequence[Content]:
    """Return what stands if nothing was asked yet: how to begin, and what the marks will mean."""
    lines = [*hung(Content(EMPTY).stylize(QUIET), width), Content("")]
    for verdict, meaning in _MEANINGS.items():
        style = STYLES[verdict].replace("underline ", "")
        word = f"{signs.verdict(verdict)} {captions.VERDICTS[verdict]}".ljust(_COLUMN)
        lines += hung(Content(meaning).stylize(QUIET), width, Content(word).stylize(style))
    return lines
