"""The figures of a benchmark as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from halubot.cli import output
from halubot.evaluation.result import format_figure

if TYPE_CHECKING:
    from halubot.evaluation.result import Result
    from halubot.evaluation.side_by_side import Comparison, Difference

Interval = tuple[float, float] | None

_GAP = 2
"""Columns between two of a table."""
_INTERVAL = len("0.000 to 0.000")

ABREAST = 4
"""Baselines in one table."""


def text(found: Comparison) -> str:
    """A table of the figures, a column a method where there are several, then how far each lies
    from the first, and what they rest on."""
    first, several = found.results[0], len(found.results) > 1
    who = ", ".join(result.method for result in found.results)
    return "\n".join(
        [
            f"{first.dataset}: {who}, halubot {first.engine}",
            _side_by_side(found.results) if several else _alone(first),
            *(_apart(one) for one in found.differences),
            *_baselines(found.results),
            "",
            *_rests_on(found.results),
        ]
    )


def figure(value: float | None) -> str:
    """A figure with three places; a count without any."""
    return "undefined" if value is None else format_figure(value)


def interval(ends: Interval) -> str:
    """The ends of an interval; nothing where there is none, or it is one point."""
    return (
        ""
        if ends is None or ends[0] == ends[1]
        else f"{format_figure(ends[0])} to {format_figure(ends[1])}"
    )


def rests_on(result: Result) -> Iterator[str]:
    """What the figures of one method rest on: time, calls, notes."""
    yield f"{result.rows} rows in {result.seconds:.1f} s (file {result.data_sha256[:12]})"
    usage = result.usage
    if usage.calls or usage.cached_calls:
        yield (
            f"{usage.calls} model calls, {usage.cached_calls} more answered from what is recorded"
        )
    yield from result.notes


def _alone(result: Result) -> str:
    rows = [
        (name, figure(value), interval(result.intervals[name]))
        for name, value in result.metrics.items()
    ]
    return output.table(("metric", "value", "95 % interval"), rows)


def _side_by_side(results: Sequence[Result]) -> str:
    """A row a metric, a column a method, the intervals under the values; in several tables where
    one would be wider than the terminal."""
    names = list(dict.fromkeys(name for result in results for name in result.metrics))
    room = output.console().width - max(map(len, names)) - _GAP
    tables = []
    for some in _fitting(results, room):
        rows = [
            (name, *(_cell(one.metrics, one.intervals, name) for one in some)) for name in names
        ]
        tables.append(output.table(("metric", *(result.method for result in some)), rows))
    return "\n\n".join(tables)


def _fitting(results: Sequence[Result], room: int) -> Iterator[Sequence[Result]]:
    """The results in runs that are no wider than that, of one at least."""
    run: list[Result] = []
    left = room
    for result in results:
        width = max(len(result.method), _INTERVAL) + _GAP
        if run and width > left:
            yield run
            run, left = [], room
        run.append(result)
        left -= width
    yield run


def _cell(values: Mapping[str, float | None], intervals: Mapping[str, Interval], name: str) -> str:
    if name not in values:
        return "-"
    between = interval(intervals[name])
    return figure(values[name]) + (f"\n{between}" if between else "")


def _baselines(results: Sequence[Result]) -> Iterator[str]:
    """The figures of plain baselines, with those of the methods before them."""
    plain = results[0].baselines
    if not plain:
        return
    names = dict.fromkeys(name for one in plain.values() for name in one.metrics)
    yield "\nbeside plain baselines:"
    named = list(plain.items())
    for at in range(0, len(named), ABREAST):
        some = dict(named[at : at + ABREAST])
        columns = [one.metrics for one in results] + [one.metrics for one in some.values()]
        rows = [
            (name, *(figure(one[name]) if name in one else "-" for one in columns))
            for name in names
        ]
        methods = (one.method for one in results)
        heads = (*methods, *(name.removeprefix("unseen_") for name in some))
        yield output.table(("metric", *heads), rows)


def _apart(one: Difference) -> str:
    """How far a method lies from the first."""
    rows = [
        (name, "undefined" if value is None else f"{value:+.3f}", _with_sign(one.intervals[name]))
        for name, value in one.metrics.items()
    ]
    head = f"\n{one.method} less {one.than}, on the same resamplings:\n"
    return head + output.table(("metric", "difference", "95 % interval"), rows)


def _with_sign(ends: Interval) -> str:
    return "" if ends is None or ends[0] == ends[1] else f"{ends[0]:+.3f} to {ends[1]:+.3f}"


def _rests_on(results: Sequence[Result]) -> Iterator[str]:
    for result in results:
        head = f"{result.method}: " if len(results) > 1 else ""
        for line in rests_on(result):
            yield output.sentence(f"{head}{line}")
