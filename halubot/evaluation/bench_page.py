"""The figures of a benchmark as a page for a browser: tables, curves, and how they were made.

One file that loads nothing; it follows the reader's light or dark setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np
from sklearn.metrics import precision_recall_curve, roc_curve

from halubot.evaluation.plots import Line, Point, chart, swatch, whisker
from halubot.evaluation.result import Figures, Result, format_figure, provenance
from halubot.evaluation.side_by_side import Comparison, Difference
from halubot.evaluation.statistics import BINS, Units, labelled_units
from halubot.evaluation.weighted import Floats
from halubot.render.markup import POLICY, Html, join, tag

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
    """How far a method lies from the first; its lines look as ``style`` says."""
    known = [ends for ends in one.intervals.values() if ends is not None]
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
    clear = ends[0] > 0 or ends[1] < 0
    yield tag("td", "0 lies outside" if clear else "0 lies inside", class_="" if clear else "muted")


def _curves(results: Sequence[Result]) -> Html | None:
    """The curves; nothing where triples are measured, or a class is missing."""
    by = "rank" if results[0].dataset == "wikibio" else "score"
    found = [
        (i, one.method, labelled_units(one.scored, "rank" if by == "rank" else "score"), one)
        for i, one in enumerate(results)
    ]
    mixed = [(i, name, units) for i, name, units, _ in found if units.mixed]
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
                [_reliability(i, one) for i, _, units, one in found if units.mixed],
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
    for x, y in _thin(recall[-2::-1], precision[-2::-1]):
        steps += [(before, y), (x, y)]
        before = x
    return steps


def _thin(across: Floats, up: Floats) -> list[Point]:
    picked = np.unique(np.linspace(0, len(across) - 1, _POINTS).astype(int))
    return [(float(across[i]), float(up[i])) for i in picked]


def _reliability(style: int, result: Result) -> Line:
    """The mean of what was said against the share that is wrong, of parts of equal size: the
    probability, or the score where a method has none."""
    units = labelled_units(result.scored)
    known = ~np.isnan(units.probability)
    name = f"{result.method}, probability"
    if not known.any():
        known, name = units.scored, f"{result.method}, score (not calibrated)"
    said = (units.probability if "probability" in name else units.scores)[known]
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
    """What the figures of one method rest on."""
    parts = [f"{one.seconds:.1f} s, {one.usage.calls} model calls"]
    parts += [f"{role} {name}" for role, name in one.models.items()]
    parts += [f"{name} {value}" for name, value in one.options.items()]
    return tag("ul", *(tag("li", part) for part in (*parts, *one.notes)))


def _table(head: Html, rows: Iterator[Html]) -> Html:
    return tag("div", tag("table", tag("thead", head), tag("tbody", *rows)), class_="wide")
