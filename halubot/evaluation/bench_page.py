"""The figures of a benchmark as an HTML page: tables, curves as inline SVG, and how they were
made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np
from sklearn.metrics import precision_recall_curve, roc_curve

from halubot.evaluation.result import Figures, Result, format_figure, provenance
from halubot.evaluation.side_by_side import Comparison, Difference
from halubot.evaluation.statistics import BINS, Units, labelled_units
from halubot.evaluation.weighted import Floats
from halubot.render.inert import POLICY, Html, join, tag

Point = tuple[float, float]


# More colours and dashes than these cannot be told apart, least of all by the colour-blind.
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
    """Return the place of a point of the unit square in the drawing."""
    x, y = point
    return round(_LEFT + x * _SIDE, 1), round(_TOP + (1 - y) * _SIDE, 1)


# A curve of 100,000 rows would have as many corners, and the page some megabytes.
_POINTS: Final = 300
"""Points of a curve at most: more cannot be seen."""


def page(found: Comparison, *, command: str) -> str:
    """The page; ``command`` is what made it."""
    first = found.results[0]
    title = f"halubot bench {first.dataset}: {', '.join(one.method for one in found.results)}"
    head = join(
        Html('<meta charset="utf-8">'),
        POLICY,
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", title),
        tag("style", _style()),
    )
    body = tag(
        "main",
        tag("h1", f"halubot bench {first.dataset}"),
        tag("p", _lead(found), class_="lead"),
        _figures(found.results),
        _baselines(found.results),
        *(_apart(one, style) for style, one in enumerate(found.differences, start=1)),
        _curves(found.results),
        _describe_making(found.results, command),
    )
    return f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n{tag("body", body)}\n</html>\n'


@cache
def _style() -> Html:
    return Html(files(__package__).joinpath("page.css").read_text(encoding="utf-8"))


def _lead(found: Comparison) -> str:
    first = found.results[0]
    against = " and ".join(first.compared_with) or "nothing that was given"
    return f"{first.rows} rows, compared with {against}. Intervals hold 95 % of the resamplings."


def _figures(results: Sequence[Result]) -> Html:
    """A row a metric, a column a method."""
    names = dict.fromkeys(name for result in results for name in result.metrics)
    head = tag(
        "tr",
        tag("th", "metric", scope="col"),
        *(
            tag("th", swatch(i) if len(results) > 1 else None, one.method, scope="col")
            for i, one in enumerate(results)
        ),
    )
    rows = (
        tag("tr", tag("th", name, scope="row"), *(_cell(one, name) for one in results))
        for name in names
    )
    return tag("section", tag("h2", "Figures"), _table(head, rows))


def _baselines(results: Sequence[Result]) -> Html | None:
    """The figures of plain baselines, with those of the methods before them."""
    plain = results[0].baselines
    if not plain:
        return None
    names = dict.fromkeys(name for one in plain.values() for name in one.metrics)
    heads = (*(one.method for one in results), *(name.replace("_", " ") for name in plain))
    head = tag("tr", *(tag("th", name, scope="col") for name in ("metric", *heads)))
    columns: tuple[Result | Figures, ...] = (*results, *plain.values())
    rows = (
        tag("tr", tag("th", name, scope="row"), *(_cell(one, name) for one in columns))
        for name in names
    )
    return tag("section", tag("h2", "Plain baselines"), _table(head, rows))


def _cell(result: Result | Figures, name: str) -> Html:
    if name not in result.metrics:
        return tag("td", "-")
    value, ends = result.metrics[name], result.intervals[name]
    if value is None:
        return tag("td", "undefined", class_="muted")
    between = None
    if ends is not None and ends[0] != ends[1]:
        between = tag(
            "span", f"{format_figure(ends[0])} to {format_figure(ends[1])}", class_="interval"
        )
    return tag("td", format_figure(value), between)


def _apart(one: Difference, style: int) -> Html:
    """Draw how far a method lies from the first; its lines look as ``style`` says."""
    known = [ends for ends in one.intervals.values() if ends is not None]
    # One scale for all rows of a table, so that whiskers can be compared with the eye.
    reach = max((abs(end) for ends in known for end in ends), default=0.0)
    head = tag("tr", *(tag("th", name, scope="col") for name in ("metric", "difference", "", "")))
    rows = (
        tag(
            "tr",
            tag("th", name, scope="row"),
            *_with_sign(value, one.intervals[name], reach, style),
        )
        for name, value in one.metrics.items()
    )
    return tag(
        "section",
        tag("h2", f"{one.method} less {one.than}"),
        tag("p", "Drawn from the same resamplings for both.", class_="muted"),
        _table(head, rows),
    )


def _with_sign(
    value: float | None, ends: tuple[float, float] | None, reach: float, style: int
) -> Iterator[Html]:
    if value is None or ends is None:
        yield from (tag("td", "undefined", class_="muted"), tag("td"), tag("td"))
        return
    between = f"{ends[0]:+.3f} to {ends[1]:+.3f}" if ends[0] != ends[1] else ""
    yield tag("td", f"{value:+.3f}", tag("span", between, class_="interval"))
    yield tag("td", whisker(value, ends, reach, style))
    # In words too: of two intervals alone a reader cannot tell if a difference is chance.
    clear = ends[0] > 0 or ends[1] < 0
    yield tag("td", "0 lies outside" if clear else "0 lies inside", class_="" if clear else "muted")


def _curves(results: Sequence[Result]) -> Html | None:
    """The curves; nothing if triples are measured, or a class is missing."""
    # SelfCheckGPT and its successors report AUC-PR on wikibio, which needs an order over all
    # passages: that is what ranks are for.
    by = "rank" if results[0].dataset == "wikibio" else "score"
    found = [
        (i, one.method, labelled_units(one.scored, "rank" if by == "rank" else "score"), one)
        for i, one in enumerate(results)
    ]
    mixed = [(i, name, units) for i, name, units, _ in found if units.is_mixed]
    # No curve has a meaning with one class.
    if not mixed or results[0].dataset == "refchecker":
        return None
    share = float(mixed[0][2].wrong.mean())
    return tag(
        "section",
        tag("h2", "Curves"),
        tag("p", f"What is wrong is found by a high {by}.", class_="muted"),
        tag(
            "div",
            chart(
                "ROC",
                "false positive rate",
                "true positive rate",
                [Line(name, _roc(units), i) for i, name, units in mixed],
                guide=((0, 0), (1, 1)),
            ),
            chart(
                "Precision and recall",
                "recall",
                "precision",
                [Line(name, _precision(units), i) for i, name, units in mixed],
                guide=((0, share), (1, share)),
            ),
            chart(
                "Reliability",
                "probability, or score",
                "share that is wrong",
                [_reliability(i, one) for i, _, units, one in found if units.is_mixed],
                guide=((0, 0), (1, 1)),
            ),
            class_="charts",
        ),
    )


def _roc(units: Units) -> list[Point]:
    across, up, _ = roc_curve(units.wrong, units.scores)
    return _thin(across, up)


def _precision(units: Units) -> list[Point]:
    """As steps, whose area is the average precision."""
    precision, recall, _ = precision_recall_curve(units.wrong, units.scores)
    before = 0.0
    steps: list[Point] = []
    # scikit-learn ends its arrays with a point (0, 1) that no threshold reaches: it is left out.
    for x, y in _thin(recall[-2::-1], precision[-2::-1]):
        steps += [(before, y), (x, y)]
        before = x
    return steps


def _thin(across: Floats, up: Floats) -> list[Point]:
    # Both ends are always among them.
    picked = np.unique(np.linspace(0, len(across) - 1, _POINTS).astype(int))
    return [(float(across[i]), float(up[i])) for i in picked]


def _reliability(style: int, result: Result) -> Line:
    """The mean of what was said against the share that is wrong, of parts of equal size: the
    probability, or the score if a method has none."""
    units = labelled_units(result.scored)
    known = ~np.isnan(units.probability)
    name = f"{result.method}, probability"
    if not known.any():
        known, name = units.scored, f"{result.method}, score (not calibrated)"
    said = (units.probability if "probability" in name else units.scores)[known]
    # Parts of equal size and not of equal width: scores crowd at a few values, and a part with two
    # examples would draw noise.
    order = np.argsort(said, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if len(part)]
    wrong = units.wrong[known]
    points = [(float(said[part].mean()), float(wrong[part].mean())) for part in parts]
    return Line(name, points, style, marked=True)


def _describe_making(results: Sequence[Result], command: str) -> Html:
    """Everything that is needed to make the figures again."""
    first, how = results[0], provenance()
    known = [
        ("Command", tag("code", command)),
        ("Data", tag("code", f"sha256 {first.data_sha256}")),
        ("Resamplings", f"{how['resamplings']} of groups of rows, seed {how['seed']}"),
        ("Versions", ", ".join(f"{name} {number}" for name, number in how["versions"].items())),
        *((one.method, _method(one)) for one in results),
    ]
    return tag(
        "section",
        tag("h2", "How this was made"),
        tag("dl", *(join(tag("dt", name), tag("dd", said)) for name, said in known)),
    )


def _method(one: Result) -> Html:
    """List what the figures of one method rest on."""
    parts = [f"{one.seconds:.1f} s, {one.usage.calls} model calls"]
    parts += [f"{role} {name}" for role, name in one.models.items()]
    parts += [f"{name} {value}" for name, value in one.options.items()]
    return tag("ul", *(tag("li", part) for part in (*parts, *one.notes)))


def _table(head: Html, rows: Iterator[Html]) -> Html:
    return tag("div", tag("table", tag("thead", head), tag("tbody", *rows)), class_="wide")
