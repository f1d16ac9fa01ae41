"""`halubot calibrate`: a threshold and a probability for a method, from labelled rows."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from halubot.cli import option_types, options, output, tell
from halubot.cli.bench_options import DATASETS, MODELS, require_extra
from halubot.cli.option_types import Setting
from halubot.interrupt import INTERRUPTED

if TYPE_CHECKING:
    from halubot.calibration.store import Calibrated
    from halubot.evaluation.fit.calibrator import Data, Fitted, Plan
    from halubot.inputs import Options
    from halubot.models.panel import Panel

REFUSED = 2
"""The exit status if the threshold is refused."""

_FILE = option_types.File()
_MATERIALS = ("samples", "references", "both", "none")


@click.group(
    invoke_without_command=True,
    params=[
        Setting(
            ["--data"], type=_FILE, metavar="FILE", help="Labelled rows as JSON lines; see above."
        ),
        Setting(
            ["--dataset"],
            type=click.Choice([name for name in DATASETS if name != "refchecker"]),
            default="own",
            metavar="NAME",
            help="The data set that the file is of, as halubot bench knows it.  [default: own]",
        ),
        *options.shared_options("method"),
        Setting(
            ["--objective"],
            default="youden",
            show_default=True,
            metavar="NAME",
            help="What the threshold makes largest: youden, weighted:W (above 0.5, what is missed"
            " weighs more), f1 or balanced.",
        ),
        Setting(["--with-samples"], is_flag=True, help="Compare with the samples of the rows."),
        Setting(
            ["--with-reference"], is_flag=True, help="Compare with the references of the rows."
        ),
        Setting(
            ["--limit"],
            type=option_types.Whole(min=1),
            metavar="N",
            help="Use only the first N rows.",
        ),
        Setting(
            ["--html"],
            type=_FILE,
            metavar="FILE",
            help="Write a page with the reliability diagram there.",
        ),
        Setting(
            ["--use"], is_flag=True, help="Keep what was fitted, and use it in your later checks."
        ),
        *options.shared_options(*MODELS, "n_samples", "as_published", *options.OF_METHODS),
        *options.shared_options("calibrations", "dry_run", "offline"),
        options.LIST_FORMAT,
    ],
)
@click.pass_context
def command(ctx: click.Context, /, data: Path | None, **given: Any) -> int:
    """Fit a threshold and a probability for a method, and measure them.

    \b
    A line of FILE   {"text": ...}, and where known "group", "question",
                     "subject", "samples", "references", and one of
                     "label"                 right or hallucinated
                     "sentences", "labels"   the same for each sentence
                     "facts"                 as halubot feedback export writes

    Both are measured in folds, on rows that they were not fitted on. With --use what was fitted on
    all rows is kept: it takes part in every later check of yours by this method with this judge,
    this kind of material and these settings, and is named in the report. Without --use no later
    check changes. A threshold that doubts most of what is labelled right is refused. Rows that a
    rule made tell little of the texts of models: you are warned of them.

    \b
    halubot calibrate list           what is in use, and what comes with halubot
    halubot calibrate remove METHOD  forget what is kept
    """
    if ctx.invoked_subcommand is not None:
        # The settings of the file hold for the commands below as well; click would look for them
        # under their own names.
        ctx.default_map = dict.fromkeys(command.commands, ctx.default_map)
        return 0
    if data is None:
        raise click.UsageError("no rows to calibrate on: name a file with --data", ctx)
    return _calibrate(data, **given)


def _calibrate(
    data: Path,
    *,
    html: Path | None,
    calibrations: Path | None,
    dry_run: bool,
    offline: bool,
    use: bool,
    format: str,
    **given: Any,
) -> int:
    require_extra("halubot calibrate")
    from halubot.calibration import store
    from halubot.calibration.store import Calibrations
    from halubot.cli import hosted
    from halubot.evaluation.fit import calibrator
    from halubot.inputs import open_models
    from halubot.offline import network_refused

    output.require_writable(html, data)
    output.require_writable(given["record"], data, html)
    folder = calibrations.expanduser() if calibrations else store.folder()
    models = cast("Options", {name: given.pop(name) for name in MODELS})
    for name in ("store", "record", "replay"):
        path = models.get(name)
        models[name] = path.expanduser() if isinstance(path, Path) else None
    plan = _plan(data, models, **given)
    hosted.require_sense(models, offline=offline and not dry_run)
    rows = calibrator.read(plan)
    if dry_run:
        return _rehearse(plan, rows, models, format)
    with ExitStack() as stack:
        if offline:
            stack.enter_context(network_refused())
        panel = open_models(models)
        if panel is not None:
            stack.enter_context(panel)
            stack.callback(hosted.tell_of_store, panel)
            hosted.say_who_receives(models)
        fitted = _fit(plan, rows, panel, Calibrations(folder))
        if isinstance(fitted, int):
            return fitted
        if fitted.usage.completion_tokens:
            hosted.text_left()
    # Kept after the panel is closed: a record that cannot be written should not leave a calibration
    # behind.
    file = store.keep(folder, fitted.calibrated) if use and not fitted.refused else None
    if html is not None:
        from shlex import join

        from halubot.evaluation.fit.calibration_page import page

        output.deliver(page(fitted, command=join(["halubot", *sys.argv[1:]])), "html", html)
    if format == "json":
        output.say(json.dumps(as_dict(fitted, file), ensure_ascii=False, indent=2))
    else:
        output.say(text(fitted, file))
    if fitted.refused:
        tell(f"nothing was kept: {fitted.refused}")
        return REFUSED
    return 0


def _plan(data: Path, models: Options, **given: Any) -> Plan:
    from halubot.cli import method_options
    from halubot.evaluation.fit import cross_validation
    from halubot.evaluation.fit.calibrator import Plan
    from halubot.inputs import Options

    own = {name: given.pop(name) for name in options.OF_METHODS}
    method = method_options.chosen_method(models | Options(method=given.pop("method")), own)
    published = bool(given.pop("as_published"))
    return Plan(
        data=data,
        method=method,
        objective=cross_validation.parse(given.pop("objective")),
        as_published=method_options.wants_published(
            method, models | Options(as_published=published)
        ),
        options=method_options.of_the_method(method, own),
        **given,
    )


def _fit(plan: Plan, rows: Data, panel: Panel | None, calibrations: Any) -> Fitted | int:
    """The calibration; or the exit status if ctrl+C or a model ended it: then nothing is kept,
    and what models answered by then is in the store."""
    from halubot.cli.screen import bar
    from halubot.evaluation.fit import calibrator
    from halubot.models.model_errors import ModelError

    done = 0
    stopped: ModelError | None = None
    with bar() as progress:
        task = progress.add_task(plan.data.name, total=len(rows.rows))

        def advance(count: int, of: int) -> None:
            nonlocal done
            done = count
            progress.update(task, completed=count, total=of)

        try:
            return calibrator.calibrate(
                plan, rows, panel=panel, calibrations=calibrations, advance=advance
            )
        except KeyboardInterrupt:
            pass
        except ModelError as error:
            stopped = error
    tell(f"stopped after {done} rows of {plan.data.name}: nothing is kept of them")
    if stopped is None:
        return INTERRUPTED
    tell(str(stopped))
    return stopped.exit_status


def _rehearse(plan: Plan, rows: Data, models: Options, format: str) -> int:
    """Print what checking all rows would take."""
    from halubot.cli import check_run
    from halubot.dry_run import rehearse
    from halubot.inputs import Options

    plans = [
        rehearse(
            row.text,
            **(
                models
                | Options(
                    question=row.question,
                    subject=row.subject,
                    samples=row.samples,
                    references=row.references,
                    sentences=row.sentences,
                    method=plan.method,
                    options=plan.options,
                    as_published=plan.as_published,
                )
            ),
        )
        for row in rows.rows
    ]
    # The budget is that of all rows together, and each plan knows only its own.
    whole = check_run.together(plans, models.get("max_calls"), models.get("max_cost"))
    return check_run.show(whole, format=format, messages=len(plans))


@command.command("list", params=[*options.shared_options("calibrations"), options.LIST_FORMAT])
def list_(calibrations: Path | None, format: str) -> None:
    """List your calibrations, which later checks use, and those that come with halubot."""
    from halubot.calibration import store

    folder = calibrations.expanduser() if calibrations else store.folder()
    own, damaged = store.list_calibrations(folder)
    for error in damaged:
        tell(str(error))
    everything = [(str(file), one) for file, one in own]
    everything += [("comes with halubot", one) for one in store.load_shipped()]
    if format == "json":
        told = [one.model_dump(mode="json") | {"place": place} for place, one in everything]
        output.say(json.dumps(told, ensure_ascii=False, indent=2))
        return
    head = ("method", "judge", "compared with", "doubts from", "fitted on", "place")
    output.say(output.table(head, [_row(place, one) for place, one in everything]))


def _row(place: str, one: Calibrated) -> tuple[str, ...]:
    judge = "any model" if one.model == "*" else one.model or "none"
    value = "its default" if one.threshold is None else f"{one.threshold.value:.3f}"
    return (one.method, judge, one.material, value, one.fitted_on, place)


@command.command(
    params=[
        click.Argument(["method"], metavar="METHOD"),
        *options.shared_options("calibrations"),
        Setting(["--judge"], metavar="NAME", help="Only those with that judge."),
        Setting(
            ["--material"], type=click.Choice(_MATERIALS), help="Only those compared with that."
        ),
    ]
)
def remove(method: str, calibrations: Path | None, judge: str | None, material: str | None) -> None:
    """Forget the kept calibrations of a method; those that come with halubot stay."""
    from halubot.calibration import store
    from halubot.errors import SettingError

    folder = calibrations.expanduser() if calibrations else store.folder()
    own, _ = store.list_calibrations(folder)
    there = [
        file
        for file, one in own
        if one.method == method and judge in (None, one.model) and material in (None, one.material)
    ]
    if not there:
        raise SettingError(
            f"no such calibration of {method} is kept in {folder}: halubot calibrate list shows"
            " which are"
        )
    for file in there:
        store.remove(file)
        output.say_line(f"removed {file}")


def as_dict(fitted: Fitted, file: Path | None) -> dict[str, Any]:
    """The JSON of the contract; ``file`` is the place at which it was kept for later checks, None
    if it was not."""
    found, measured = fitted.calibrated, fitted.out_of_fold
    told = found.model_dump(mode="json", exclude={"figures"})
    return told | {
        "groups": fitted.groups,
        "folds": measured.folds,
        "metrics": measured.figures,
        "intervals": measured.intervals,
        "bins": [one._asdict() for one in measured.bins],
        "usage": fitted.usage.model_dump(),
        "seconds": round(fitted.seconds, 3),
        "notes": list(fitted.notes),
        "refused": fitted.refused,
        "used": file is not None,
        "file": None if file is None else str(file),
    }


def text(fitted: Fitted, file: Path | None) -> str:
    """Return the figures as a table for people, and the fitted threshold and probability."""
    from halubot.evaluation.fit.calibration_page import lead

    found, measured = fitted.calibrated, fitted.out_of_fold
    figures = [
        (
            name,
            "undefined" if value is None else f"{value:.3f}",
            "" if (ends := measured.intervals[name]) is None else f"{ends[0]:.3f} to {ends[1]:.3f}",
        )
        for name, value in measured.figures.items()
    ]
    bins = [(str(one.examples), f"{one.said:.2f}", f"{one.wrong:.2f}") for one in measured.bins]
    judge = f", judged by {found.model}" if found.model else ""
    return "\n".join(
        [
            f"{found.method} with {found.material}{judge}, on {found.fitted_on}",
            f"{found.units} labels, {found.wrong} of them wrong, in {fitted.groups} groups;"
            f" {measured.folds} folds",
            "",
            output.table(("left out", "value", "95 % interval"), figures),
            "",
            output.table(("labels", "said", "wrong"), bins),
            "",
            output.sentence(lead(fitted)),
            *(f"! {note}" for note in fitted.notes),
            *([] if fitted.refused else [_phrase_kept(file)]),
        ]
    )


def _phrase_kept(file: Path | None) -> str:
    if file is None:
        return "No later check uses this: add --use to have it kept and used."
    return f"Kept in {file}; your later checks use it."
