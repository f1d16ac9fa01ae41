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
    "details": "How",
    "why": "Why",
}
"""The names of the views, by the ids of their widgets."""

FIRST: Final = {
    "facts-view": "#facts",
    "matrix": "#cells",
    "sources": "#source-list",
    "graph": "#graph",
    "details": "#details",
    "why": "#why",
}
"""Which widget of each view gets the keys first."""

VIEW: Final = "view"
"""Under this name the style of a view's name holds its id."""


def strip(here: str, width: int) -> Content:
    """The names of the views with their keys; the one in sight stands out, and stands alone if
    there is no room for all."""
    wide = sum(len(name) + 4 for name in VIEWS.values()) - 2 <= width
    if width < sum(len(name) + 2 for name in VIEWS.values()) - 1:
        which = [*VIEWS].index(here) + 1
        return Content.assemble(
            (str(which), QUIET),
            (VIEWS[here], "bold reverse $primary"),
            (f" 1 to {len(VIEWS)} show others", QUIET),
        )
    parts: list[Content] = []
    for number, (view, name) in enumerate(VIEWS.items(), start=1):
        key = (f"{number} " if wide else str(number), QUIET)
        part = Content.assemble(key, (name, "bold reverse $primary" if view == here else ""))
        parts.append(part.stylize(Style.from_meta({VIEW: view})))
    return Content("  " if wide else " ").join(parts)
