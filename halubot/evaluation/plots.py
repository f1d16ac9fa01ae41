"""Curves of a benchmark as inline SVG: nothing is loaded, colours come from the page's style, and
each line has a dash of its own beside its colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from halubot.render.markup import Html, join, tag

Point = tuple[float, float]

STYLES: Final = 6
"""Lines that look different; more methods begin anew."""

_SIDE: Final = 280
_LEFT: Final = 46
_TOP: Final = 10
_BELOW: Final = 44
_TICKS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_BAR: Final = 120


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points of the unit square; ``style`` says how it looks, ``marked`` that its
    points are what was measured and not just a curve."""

    name: str
    points: Sequence[Point]
    style: int
    marked: bool = False


def chart(
    title: str,
    across: str,
    up: str,
    lines: Sequence[Line],
    *,
    guide: tuple[Point, Point] | None = None,
) -> Html:
    """A square of 0 to 1 each way with its lines, and below it which is which; ``guide`` is a thin
    line to compare with, as that of chance."""
    drawing = tag(
        "svg",
        tag("title", f"{title}: {', '.join(line.name for line in lines)}"),
        *_grid(across, up),
        None if guide is None else _path(guide, "guide"),
        *(_draw(line) for line in lines),
        viewBox=f"0 0 {_LEFT + _SIDE + 14} {_TOP + _SIDE + _BELOW}",
        role="img",
        xmlns="http://www.w3.org/2000/svg",
    )
    legend = tag("ul", *(tag("li", swatch(line.style), line.name) for line in lines), class_="key")
    return tag("figure", tag("figcaption", title), drawing, legend)


def swatch(style: int) -> Html:
    """A piece of a line as it looks in the charts."""
    line = _stroke([(0, 5), (26, 5)], f"line s{style % STYLES}")
    return tag("svg", line, viewBox="0 0 26 10", class_="swatch", aria_hidden="true")


def whisker(value: float, ends: tuple[float, float], reach: float, style: int) -> Html:
    """A difference and its interval on an axis from -``reach`` to ``reach``, 0 in the middle."""

    def at(number: float) -> float:
        share = 0.5 + number / (2 * reach) if reach > 0 else 0.5
        return round(4 + share * (_BAR - 8), 2)

    look = f"line s{style % STYLES}"
    return tag(
        "svg",
        _stroke([(at(0), 1), (at(0), 15)], "guide"),
        _stroke([(at(ends[0]), 8), (at(ends[1]), 8)], look),
        tag("circle", cx=str(at(value)), cy="8", r="3.2", class_=f"dot s{style % STYLES}"),
        viewBox=f"0 0 {_BAR} 16",
        class_="whisker",
        aria_hidden="true",
    )


def _grid(across: str, up: str) -> Iterator[Html]:
    for tick in _TICKS:
        x, y = _place((tick, tick))
        yield _path(((tick, 0), (tick, 1)), "grid")
        yield _path(((0, tick), (1, tick)), "grid")
        below = str(_TOP + _SIDE + 16)
        yield tag("text", f"{tick:g}", x=str(x), y=below, text_anchor="middle")
        yield tag("text", f"{tick:g}", x=str(_LEFT - 7), y=str(y + 4), text_anchor="end")
    middle = _TOP + _SIDE / 2
    end = str(_TOP + _SIDE + 36)
    yield tag("text", across, x=str(_LEFT + _SIDE / 2), y=end, text_anchor="middle")
    turned = f"rotate(-90 12 {middle:g})"
    yield tag("text", up, x="12", y=f"{middle:g}", text_anchor="middle", transform=turned)


def _draw(line: Line) -> Html:
    look = f"s{line.style % STYLES}"
    dots = (
        tag("circle", cx=str(x), cy=str(y), r="3.2", class_=f"dot {look}")
        for x, y in map(_place, line.points)
    )
    return join(_path(line.points, f"line {look}"), *(dots if line.marked else ()))


def _path(points: Sequence[Point], look: str) -> Html:
    return _stroke([_place(point) for point in points], look)


def _stroke(places: Sequence[Point], look: str) -> Html:
    drawn = " ".join(f"{x:g},{y:g}" for x, y in places)
    return tag("polyline", points=drawn, class_=look, fill="none")


def _place(point: Point) -> Point:
    """Where a point of the unit square lies in the drawing."""
    x, y = point
    return round(_LEFT + x * _SIDE, 1), round(_TOP + (1 - y) * _SIDE, 1)
