"""A calibration as a page for a browser: the reliability diagram, the figures, how it was made."""

from __future__ import annotations

from importlib.resources import files

from halubot.evaluation.bench_page import Line, chart
from halubot.evaluation.fit.calibrator import Fitted
from halubot.render.inert import POLICY, Html, join, tag


def page(fitted: Fitted, *, command: str) -> str:
    """The page, one file that loads nothing; ``command`` is what made it."""
    found = fitted.calibrated
    head = join(
        Html('<meta charset="utf-8">'),
        POLICY,
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", f"halubot calibrate: {found.method}"),
        tag("style", Html(files("halubot.evaluation").joinpath("page.css").read_text("utf-8"))),
    )
    # Of the folds that were left out: on the rows that it was fitted on, any line looks good.
    points = [(one.said, one.wrong) for one in fitted.out_of_fold.bins]
    diagram = chart(
        "Reliability, on what the folds left out",
        "probability of being wrong",
        "share that is wrong",
        [Line(found.method, points, 0, marked=True)],
        guide=((0, 0), (1, 1)),
    )
    body = tag(
        "main",
        tag("h1", f"halubot calibrate: {found.method}"),
        tag("p", lead(fitted), class_="lead"),
        tag("section", tag("div", diagram, class_="charts"), _bins(fitted)),
        tag("section", tag("h2", "Figures"), _figures(fitted)),
        _describe_making(fitted, command),
    )
    return f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n{tag("body", body)}\n</html>\n'


def lead(fitted: Fitted) -> str:
    """Return the fitted threshold and probability in one line."""
    found = fitted.calibrated
    value = None if found.threshold is None else found.threshold.value
    doubted = "" if value is None else f"doubt from {value:.3f} on (by {found.objective}); "
    line = found.calibration
    return (
        f"{doubted}log-odds of being wrong {line.intercept:+.3f} {line.slope:+.3f} x those of"
        " the score"
    )


def _bins(fitted: Fitted) -> Html:
    head = tag("tr", *(tag("th", name) for name in ("examples", "said", "wrong")))
    rows = (
        tag("tr", tag("td", str(one.examples)), tag("td", f"{one.said:.3f}"), _td(one.wrong))
        for one in fitted.out_of_fold.bins
    )
    return _table(head, *rows)


def _figures(fitted: Fitted) -> Html:
    head = tag("tr", *(tag("th", name) for name in ("figure", "value", "95 % interval")))
    intervals = fitted.out_of_fold.intervals
    rows = []
    for name, value in fitted.out_of_fold.figures.items():
        ends = intervals[name]
        between = "" if ends is None else f"{ends[0]:.3f} to {ends[1]:.3f}"
        rows.append(tag("tr", tag("td", name), _td(value), tag("td", between)))
    return _table(head, *rows)


def _td(value: float | None) -> Html:
    return tag("td", "undefined" if value is None else f"{value:.3f}")


def _table(head: Html, *rows: Html) -> Html:
    return tag("div", tag("table", tag("thead", head), tag("tbody", *rows)), class_="wide")


def _describe_making(fitted: Fitted, command: str) -> Html:
    found = fitted.calibrated
    # All that is needed to make the same figures again, or to see why they are others.
    known = [
        ("Command", tag("code", command)),
        ("Data", tag("code", f"{found.fitted_on}, sha256 {found.data_sha256}")),
        ("Compared with", found.material),
        ("Judged by", found.model or "no model"),
        ("Labels", f"{found.units}, of which {found.wrong} wrong, in {fitted.groups} groups"),
        ("Folds", str(fitted.out_of_fold.folds)),
        ("Version", f"halubot {found.engine}"),
        *(("Note", note) for note in fitted.notes),
    ]
    rows = (join(tag("dt", name), tag("dd", said)) for name, said in known)
    return tag("section", tag("h2", "How this was made"), tag("dl", *rows))
