"""`halubot bench`: methods measured on a data set, with the figures as text."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from halubot.cli import options, output, tell
from halubot.cli.bench_options import MODELS, PARAMS, require_extra
from halubot.interrupt import INTERRUPTED

if TYPE_CHECKING:
    from halubot.evaluation.plan import Plan
    from halubot.evaluation.result import Result
    from halubot.evaluation.side_by_side import Comparison, Difference
    from halubot.inputs import Options
    from halubot.models.panel import Panel


@click.command(params=list(PARAMS))
def command(
    scores: Path | None, html: Path | None, offline: bool, format: str, **given: Any
) -> int:
    """Measure methods on a data set, with 95 % intervals.

    \b
    DATASET is one of
      wikibio, halueval_qa, halueval_sum, faithbench, phd, refchecker,
      truthfulqa, truthfulqa_judged, halueval_general, factbench,
      factscore, ragtruth, everyday, qags, summedits, pairs, made, medquad,
      pubmedqa; or own, rows of your own

    What each measures, and where its file comes from, is told in docs/benchmarks.md. With
    --methods several stand side by side, and the difference of each from the first is drawn from
    the same resamplings. The threshold, the number of samples, knowledge, recorded verdicts and
    models are taken from the command line alone, never from settings; of calibrations only those
    that come with halubot take part, and none that was fitted on the file that is measured.
    """
    require_extra("halubot bench")
    from halubot.cli import hosted
    from halubot.inputs import open_models
    from halubot.offline import network_refused

    read = (given["data"], given["validation"], given["verdicts"], given["also"])
    output.require_writable(scores, *read)
    output.require_writable(html, scores, *read)
    output.require_writable(given["record"], scores, html, *read)
    # All before the first row: a benchmark may take hours, and its figures are written at the end.
    output.require_writable(given["resume"], scores, html, given["record"], *read)
    models = cast("Options", {name: given.pop(name) for name in MODELS})
    plans = _plans(models, **given)
    if scores is not None and len(plans) > 1:
        raise click.UsageError("--scores holds those of one method: name one with --method")
    hosted.require_sense(models, offline=offline)
    with ExitStack() as stack:
        if offline:
            stack.enter_context(network_refused())
        panel = open_models(models)
        if panel is not None:
            stack.enter_context(panel)
            stack.callback(hosted.tell_of_store, panel)
            hosted.say_who_receives(models)
        found = _measure(plans, panel)
        if isinstance(found, int):
            return found
        if any(result.usage.completion_tokens for result in found.results):
            hosted.text_left()
    if scores is not None:
        _write_scores(found, scores)
    if html is not None:
        from halubot.evaluation.bench_page import page

        output.deliver(page(found, command=_spoken_line()), "html", html)
    if format == "json":
        alone = found.results[0] if len(plans) == 1 else found
        output.say(json.dumps(alone.to_dict(), ensure_ascii=False, indent=2, allow_nan=False))
    else:
        output.say(text(found))
    return 0


def _plans(models: Options, **given: Any) -> list[Plan]:
    """A plan for each method: they differ in the method and its own settings."""
    from halubot.cli import method_options
    from halubot.evaluation.plan import Plan
    from halubot.inputs import Options

    own = {name: given.pop(name) for name in options.OF_METHODS}
    named, several = given.pop("method"), given.pop("methods")
    if several and method_options.spoken("method"):
        raise click.UsageError("--methods names all that are measured: leave --method out")
    methods = several or (method_options.chosen_method(models | Options(method=named), own),)
    asked = models | Options(as_published=bool(given.pop("as_published")))
    # Of several methods --as-published is for those that ask a model; with none of them the first
    # is asked, which refuses it with a reason.
    stepping = [name for name in methods if _asks(name)] or methods[:1]
    given["knowledge"] = tuple(given["knowledge"] or ())
    return [
        Plan(
            method=name,
            as_published=name in stepping and method_options.wants_published(name, asked),
            options=method_options.of_the_method(name, _suiting(name, methods, own)),
            **given,
        )
        for name in methods
    ]


def _asks(method: str) -> bool:
    from halubot.methods import registry

    return "model" in registry.get(method).needs


def _suiting(method: str, methods: Sequence[str], own: dict[str, Any]) -> dict[str, Any]:
    """The settings of single methods without those that are meant for another of these."""

    def takes(name: str, option: str) -> bool:
        return name in options.OF_METHODS[option]

    return {
        option: value
        for option, value in own.items()
        if takes(method, option) or not any(takes(name, option) for name in methods)
    }


def _spoken_line() -> str:
    """The command as it was typed, as far as that is known."""
    from shlex import join

    # sys.argv, since click's own parameters would not show what was left to the default.
    return join(["halubot", *sys.argv[1:]])


def _measure(plans: Sequence[Plan], panel: Panel | None) -> Comparison | int:
    """The figures; or the exit status if ctrl+C or a model ended it: the figures of some rows,
    printed, would look like those of all."""
    from halubot.cli.screen import bar
    from halubot.evaluation import side_by_side
    from halubot.models.model_errors import ModelError

    done, first = 0, plans[0]
    stopped: ModelError | None = None
    with bar() as progress:
        task = progress.add_task(first.dataset, total=None)

        def advance(rows: int, of: int) -> None:
            nonlocal done
            done = rows
            progress.update(task, completed=rows, total=of)

        try:
            return side_by_side.compare(plans, panel=panel, advance=advance)
        except KeyboardInterrupt:
            pass
        except ModelError as error:
            stopped = error
    # After the bar is gone, or the line would be drawn over.
    tell(f"stopped after {done} rows of {first.dataset}: no figures are printed")
    if stopped is not None:
        tell(str(stopped))
    if first.resume is not None:
        tell("the same command goes on there")
    return INTERRUPTED if stopped is None else stopped.exit_status


def _write_scores(found: Comparison, path: Path) -> None:
    from halubot.errors import SettingError, explain
    from halubot.evaluation.result import score_line

    try:
        with path.open("w", encoding="utf-8") as file:
            for scored in found.results[0].scored:
                file.write(json.dumps(score_line(scored)) + "\n")
    except OSError as error:
        raise SettingError(f"cannot write {path}: {explain(error)}") from error


Interval = tuple[float, float] | None


_GAP = 2
"""Columns between two of a table."""


_INTERVAL = len("0.000 to 0.000")


ABREAST = 4
"""Baselines in one table."""


def text(found: Comparison) -> str:
    """A table of the figures, a column a method if there are several, then how far each lies
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
    """Return a figure with three places; a count without any."""
    from halubot.evaluation.result import format_figure

    return "undefined" if value is None else format_figure(value)


def interval(ends: Interval) -> str:
    """Return the ends of an interval; "" if there is none, or it is one point."""
    return "" if ends is None or ends[0] == ends[1] else f"{figure(ends[0])} to {figure(ends[1])}"


def rests_on(result: Result) -> Iterator[str]:
    """Yield what the figures of one method rest on: time, calls, notes."""
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
    """A row a metric, a column a method, the intervals under the values; in several tables if
    one would be wider than the terminal."""
    names = list(dict.fromkeys(name for result in results for name in result.metrics))
    # rich would break the words of a table that is too wide, and a figure in two lines cannot be
    # read.
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
    """Draw how far a method lies from the first, as a table."""
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
