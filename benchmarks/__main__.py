"""Measure a method on a data set: ``python -m benchmarks DATASET --data FILE``."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from benchmarks.datasets import DATASETS
from benchmarks.runner import Plan, Result, run, score_line
from halubot.cli.parameters import Parameter
from halubot.errors import HalubotError, SettingError, explain
from halubot.inputs import Options, open_options
from halubot.options import OPTIONS

FILE = click.Path(path_type=Path, dir_okay=False)
MODELS = (
    *("model", "judge_model", "api_base", "max_calls", "max_cost", "timeout"),
    *("concurrency", "store", "record", "replay"),
)
"""The options that say which models are asked, as `halubot check` has them."""


@click.command(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    # Under a name they have no variable.
    params=[Parameter(OPTIONS[name], name) for name in MODELS],
)
@click.argument("dataset", type=click.Choice(sorted(DATASETS)), metavar="DATASET")
@click.option("--data", type=FILE, required=True, help="The data set as JSON lines.")
@click.option("--method", default="consensus", show_default=True, help="See halubot methods.")
@click.option("--with-samples", is_flag=True, help="Compare with the samples of each row.")
@click.option("--with-reference", is_flag=True, help="Compare with the references of each row.")
@click.option("--verdicts", type=FILE, help="Recorded verdicts, which stand in for a model.")
@click.option("--verdict-model", metavar="NAME", help="The model whose verdicts are used.")
@click.option(
    "--verdict-samples",
    type=click.IntRange(1),
    metavar="K",
    help="Have at most K samples of each row judged.",
)
@click.option("--also", type=FILE, help="The file of truthfulqa (for truthfulqa_judged).")
@click.option("--validation", type=FILE, help="Find the threshold on this file.")
@click.option("--threshold", type=click.FloatRange(0, 1), help="Doubt from this score on.")
@click.option(
    "--n-samples",
    type=click.IntRange(1),
    metavar="K",
    help="Use the first K samples of each row, or have a model draw K.",
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Measure the first N rows.")
@click.option("--correct", is_flag=True, help="Correct each message as well (everyday, wikibio).")
@click.option("--knowledge", multiple=True, metavar="NAME", help="A base to look up texts in.")
@click.option("--as-published", is_flag=True, help="Follow the method's paper in every step.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the method; may be repeated.",
)
@click.option("--scores", type=FILE, help="Write the scores and ranks of each row there.")
@click.option(
    "--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True
)
def command(scores: Path | None, style: str, settings: tuple[str, ...], **given: Any) -> None:
    """Measure a method on DATASET, with 95 % intervals, beside plain baselines.

    docs/benchmarks.md says what each data set measures. Settings of halubot are not read: a figure
    depends on its command alone. A threshold is never found on the rows that it decides.
    """
    models: Any = {name: given.pop(name) for name in MODELS}
    result = _measure(Plan(options=dict(map(_setting, settings)), **given), models)
    if scores is not None:
        _write_scores(result, scores)
    if style == "json":
        click.echo(json.dumps(result.to_dict(), ensure_ascii=False, indent=2, allow_nan=False))
    else:
        click.echo(_text(result))


def _measure(plan: Plan, models: Options) -> Result:
    with ExitStack() as stack:
        panel = open_options(models, stack).get("panel")
        if panel is not None:
            for model in {panel.answer.endpoint: panel.answer, panel.judge.endpoint: panel.judge}:
                click.echo(f"{model} receives the texts", err=True)
        bar = stack.enter_context(
            click.progressbar(
                label=plan.dataset, length=1, file=sys.stderr, hidden=not sys.stderr.isatty()
            )
        )

        def advance(done: int, of: int) -> None:
            bar.length = of
            bar.update(done - bar.pos)

        return run(plan, panel=panel, advance=advance)


def _setting(text: str) -> tuple[str, Any]:
    """Return the name and the value of NAME=VALUE; numbers and lists are written as in JSON."""
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"{text!r} is no NAME=VALUE")
    try:
        return name.replace("-", "_"), json.loads(value)
    except ValueError:
        return name.replace("-", "_"), value


def _write_scores(result: Result, path: Path) -> None:
    try:
        with path.open("w", encoding="utf-8") as file:
            for one in result.outcomes:
                file.write(json.dumps(score_line(one)) + "\n")
    except OSError as error:
        raise SettingError(f"cannot write {path}: {explain(error)}") from error


def _text(result: Result) -> str:
    """Return the figures as a table, those of the baselines, and the notes."""
    wide = max(map(len, result.metrics))
    lines = [f"{result.dataset}: {result.method}, halubot {result.engine}", ""]
    for name, value in result.metrics.items():
        ends = result.intervals[name]
        between = f"{_figure(ends[0])} to {_figure(ends[1])}" if ends and ends[0] != ends[1] else ""
        lines.append(f"{name:{wide}}  {_figure(value):>9}  {between}".rstrip())
    for name, found in result.baselines.items():
        first = [(metric, value) for metric, value in found.items() if metric in result.metrics]
        told = ", ".join(f"{metric} {_figure(value)}" for metric, value in first[:4])
        lines += ["", "baselines (all figures: --format json)"] * (
            name == next(iter(result.baselines))
        )
        lines.append(f"{name}: {told}")
    lines += ["", f"{result.rows} rows in {result.seconds:.1f} s (file {result.data_sha256[:12]})"]
    if result.usage.calls or result.usage.cached_calls:
        lines.append(f"{result.usage.calls} calls, {result.usage.cached_calls} from the store")
    return "\n".join([*lines, *result.notes])


def _figure(value: float | None) -> str:
    # Shares and differences lie in [-1, 1]; what is above is a count.
    return "undefined" if value is None else f"{value:.3f}" if value <= 1 else f"{value:.0f}"


def main() -> int:
    try:
        command.main(prog_name="python -m benchmarks", standalone_mode=False)
    except HalubotError as error:
        click.echo(f"benchmarks: {error}", err=True)
        return error.exit_status
    except click.ClickException as error:
        click.echo(f"benchmarks: {error.format_message()}", err=True)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("benchmarks: interrupted", err=True)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
