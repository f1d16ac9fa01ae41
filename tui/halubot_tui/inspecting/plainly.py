"""Details of a method as they are: objects and lists of any shape as lines of text."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from textual.content import Content

from halubot.render.inert import crop, one_line
from halubot_tui.inspecting.drawing import QUIET, hung

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST: Final = 200
"""Items of one list that are shown."""
LONGEST: Final = 400
"""Characters of one value that are shown."""

_DEEPEST: Final = 6


def tree(value: Any, width: int, depth: int = 0) -> Iterator[Content]:
    """Any details as lines, what lies within others set in."""
    pad = "  " * min(depth, 4)
    items: list[tuple[str, Any]] = []
    if isinstance(value, Mapping):
        items = [(f"{one_line(str(key))}: ", inner) for key, inner in islice(value.items(), MOST)]
    elif isinstance(value, list | tuple):
        items = [("", inner) for inner in value[:MOST]]
    for name, inner in items:
        nested = isinstance(inner, Mapping) or (
            isinstance(inner, list | tuple)
            and any(isinstance(one, Mapping | list | tuple) for one in inner)
        )
        if nested and inner and depth < _DEEPEST:
            if name:
                yield from hung(Content(name.rstrip()).stylize(QUIET), width, pad)
            yield from tree(inner, width, depth + 1)
        else:
            said = crop(one_line(plain(inner)), LONGEST)
            yield from hung(Content.assemble((name, QUIET), said), width, pad)
    if isinstance(value, Mapping | list | tuple) and len(value) > MOST:
        yield from hung(Content(f"and {len(value) - MOST} more").stylize(QUIET), width, pad)


def rows(value: Any) -> Sequence[Mapping[str, Any]]:
    """The objects of a list."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def row(value: Any, index: int) -> Any:
    return value[index] if isinstance(value, list) and 0 <= index < len(value) else None


def plain(value: Any) -> str:
    """A value in words."""
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {plain(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value))
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return f"{value:.3g}" if isinstance(value, float) else str(value)
