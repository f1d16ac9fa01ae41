"""`halubot bench`: a method measured on a public data set."""

from __future__ import annotations

import json
from contextlib import ExitStack
from copy import copy
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from click.core import ParameterSource

from halubot.cli import INTERRUPTED, options, printing, tell

if TYPE_CHECKING:
    from halubot.bench.plan import Plan
    from halubot.bench.runner import Result
    from halubot.facts import Usage
    from halubot.panel import Panel

DATASETS = ("wikibio", "halueval_qa", "halueval_sum", "faithbench", "phd", "refchecker")
"""The names known to `halubot.bench.datasets`, written out to keep the start fast."""

_FILE = click.Path(path_type=Path)

MODELS = (
    *("model", "judge_model", "api_base", "max_calls", "max_cost", "timeout"),
    *("store", "record", "replay"),
)
"""The options of models."""


def _spoken(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """A value from the command line alone, so that figures do not hang on a person's settings."""
    spoken = ctx.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE
    return value if spoken else None


def _of_checks(*names: str) -> list[click.Parameter]:
    """Options of checks, taken from the command line alone."""
    found = []
    for option in options.shared(*names):
        own, checked = copy(option), option.callback

        def callback(
            ctx: click.Context, param: click.Parameter, value: Any, checked: Any = checked
        ) -> Any:
            value = _spoken(ctx, param, value)
            return value if checked is None else checked(ctx, param, value)

        own.callback = callback
        found.append(own)
    return found


@click.command(
    params=[
        click.Argument(["dataset"], type=click.Choice(DATASETS), metavar="DATASET"),
        options.Setting(
            ["--data"],
            required=True,
            type=_FILE,
            metavar="FILE",
            help="The data set as JSON lines, plain or compressed with gzip.",
        ),
        *options.shared("method"),
        options.Setting(
            ["--with-reference"],
            is_flag=True,
            help="Compare with the reference texts instead of the samples (wikibio).",
        ),
        options.Setting(
            ["--validation"],
            type=_FILE,
            metavar="FILE",
            help="Find the threshold on this file (halueval_qa, halueval_sum).",
        ),
        options.Setting(
            ["--threshold"],
            type=click.FloatRange(0, 1),
            metavar="0..1",
            callback=_spoken,
            help="Doubt from this score on, in place of the threshold that would be found.",
        ),
        options.Setting(
            ["--n-samples"],
            type=click.IntRange(min=1),
            metavar="K",
            callback=_spoken,
            help="Use only the first K samples of each row.",
        ),
        options.Setting(
            ["--verdicts"],
            type=_FILE,
            metavar="FILE",
            callback=_spoken,
            help="Answer for the model from verdicts that were recorded on the samples (wikibio).",
        ),
        options.Setting(
            ["--verdict-model"],
            metavar="NAME",
            callback=_spoken,
            help="The model whose recorded verdicts are used.",
        ),
        options.Setting(
            ["--verdict-samples"],
            type=click.IntRange(min=1),
            metavar="K",
            callback=_spoken,
            help="Have at most K samples of each row judged (ensemble, cascade).",
        ),
        options.Setting(
            ["--limit"],
            type=click.IntRange(min=1),
            metavar="N",
            help="Measure only the first N rows.",
        ),
        options.Setting(
            ["--scores"],
            type=_FILE,
            metavar="OUT.jsonl",
            help="Write the scores and ranks of each row there.",
        ),
        *_of_checks(*MODELS, "as_published", *options.OF_METHODS),
        *options.shared("offline"),
        options.LIST_FORMAT,
    ]
)
def command(
    scores: Path | None, offline: bool, format: str, method: str | None, **given: Any
) -> int:
    """Measure a method on a public data set, with 95 % intervals.

    DATASET is wikibio, halueval_qa, halueval_sum, faithbench, phd or refchecker. What each
    measures, and where its file comes from, is told in docs/benchmarks.md. The threshold, the
    number of samples, recorded verdicts and models are taken from the command line alone, never
    from settings.
    """
    _require_extra()
    from halubot.bench.plan import Plan
    from halubot.cli import hosted, suiting
    from halubot.given import Options, open_models
    from halubot.offline import network_refused

    read = (given["data"], given["validation"], given["verdicts"])
    printing.require_writable(scores, *read)
    printing.require_writable(given["record"], scores, *read)
    models = cast("Options", {name: given.pop(name) for name in MODELS})
    own = {name: given.pop(name) for name in options.OF_METHODS}
    method = suiting.chosen(models | Options(method=method))
    published = bool(given.pop("as_published"))
    plan = Plan(
        method=method,
        as_published=suiting.published(method, models | Options(as_published=published)),
        options=suiting.of_the_method(method, own),
        **given,
    )
    hosted.require_sense(models, offline=offline)
    with ExitStack() as stack:
        if offline:
            stack.enter_context(network_refused())
        panel = open_models(models)
        if panel is not None:
            stack.enter_context(panel)
            hosted.say_who_receives(models)
        result = _run(plan, panel)
        if result is not None and result.usage.completion_tokens:
            hosted.text_left()
    if result is None:
        return INTERRUPTED
    if scores is not None:
        _write_scores(result, scores)
    if format == "json":
        printing.say(json.dumps(result.to_dict(), ensure_ascii=False, indent=2, allow_nan=False))
    else:
        printing.say(_shown(result))
    return 0


def _require_extra() -> None:
    """Raises MissingExtraError where the libraries of the metrics are not installed."""
    from halubot.errors import MissingExtraError

    if find_spec("sklearn") is None or find_spec("numpy") is None:
        raise MissingExtraError("halubot bench", "bench")


def _run(plan: Plan, panel: Panel | None) -> Result | None:
    """The result, or None where ctrl+C ended it: the figures of some rows, printed, would look
    like those of all."""
    from halubot.bench.runner import run
    from halubot.cli.screen import bar

    done = 0
    with bar() as progress:
        task = progress.add_task(plan.dataset, total=None)

        def advance(rows: int, of: int) -> None:
            nonlocal done
            done = rows
            progress.update(task, completed=rows, total=of)

        try:
            return run(plan, panel=panel, advance=advance)
        except KeyboardInterrupt:
            progress.stop()
            tell(f"stopped after {done} rows of {plan.dataset}: no figures are printed")
            return None


def _write_scores(result: Result, path: Path) -> None:
    from halubot.bench.runner import score_line
    from halubot.errors import SettingError, explain

    try:
        with path.open("w", encoding="utf-8") as file:
            for scored in result.scored:
                file.write(json.dumps(score_line(scored)) + "\n")
    except OSError as error:
        raise SettingError(f"cannot write {path}: {explain(error)}") from error


def _shown(result: Result) -> str:
    """The figures as a table for people, and under it what they rest on."""
    rows = [
        (
            name,
            "undefined" if value is None else f"{value:.3f}",
            "" if (ends := result.intervals[name]) is None else f"{ends[0]:.3f} to {ends[1]:.3f}",
        )
        for name, value in result.metrics.items()
    ]
    return "\n".join(
        [
            f"{result.dataset}: {result.method}, halubot {result.engine}",
            printing.table(("metric", "value", "95 % interval"), rows),
            "",
            f"{result.rows} rows in {result.seconds:.1f} s (file {result.data_sha256[:12]})",
            *_calls(result.usage),
            *result.notes,
        ]
    )


def _calls(usage: Usage) -> tuple[str, ...]:
    """What the method asked of models, where it did."""
    if not usage.calls and not usage.cached_calls:
        return ()
    return (f"{usage.calls} model calls, {usage.cached_calls} more answered from what is recorded",)
