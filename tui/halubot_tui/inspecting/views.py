"""The views of the inspector and the line that names them."""

from __future__ import annotations

from typing import Final

from textual.content import Content
from textual.style import Style

from halubot_tui.inspecting.drawing import QUIET

VIEWS: Final = {
    "facts-view": "Facts",
    "matrix": "Matrix",
    "sources": "Sources",
    "graph": "Graph",
    "details": "Details",
}
"""The names of the views, by the ids of their widgets."""

FIRST: Final = {
    "facts-view": "#facts",
    "matrix": "#cells",
    "sources": "#source-list",
    "graph": "#graph",
    "details": "#details",
}
"""Which widget of each view gets the keys first."""

VIEW: Final = "view"
"""Under this name the style of a view's name holds its id."""


def strip(here: str, width: int) -> Content:
    """The names of the views; the one in sight stands out, their keys where there is room, it alone
    where there is little."""
    if width < sum(len(name) + 1 for name in VIEWS.values()):
        which = [*VIEWS].index(here) + 1
        return Content.assemble(
            (VIEWS[here], "bold reverse $primary"), (f" {which} of {len(VIEWS)}", QUIET)
        )
    numbered = sum(len(name) + 4 for name in VIEWS.values()) <= width
    parts: list[Content] = []
    for number, (view, name) in enumerate(VIEWS.items(), start=1):
        key = (f"{number} " if numbered else "", QUIET)
        part = Content.assemble(key, (name, "bold reverse $primary" if view == here else ""))
        parts.append(part.stylize(Style.from_meta({VIEW: view})))
    return Content("  " if numbered else " ").join(parts)
