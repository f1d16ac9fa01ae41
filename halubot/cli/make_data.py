"""`halubot make-data`: texts with labels, made for calibration and benchmarks."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from halubot.cli import hosted, option_types, options, output, tell
from halubot.cli.option_types import Setting

if TYPE_CHECKING:
    from halubot.evaluation.synthesis.data_files import Made, Plan, Recipe
    from halubot.inputs import Options

# Written out, since the table of kinds loads pydantic and the methods, and --help needs the names
# alone.
KINDS = ("changes", "answers", "questions", "hallucinated", "negated")


@click.command(
    params=[
        click.Argument(["kind"], metavar="KIND", type=click.Choice(KINDS)),
        click.Argument(["source"], metavar="IN.jsonl", type=option_types.File()),
        click.Argument(["target"], metavar="OUT.jsonl", type=option_types.File()),
        Setting(
            ["--seed"],
            type=option_types.Whole(),
            default=0,
            show_default=True,
            help="What changes are drawn by.",
        ),
        Setting(
            ["--changes"],
            type=option_types.Whole(min=1),
            metavar="N",
            default=1,
            show_default=True,
            help="Change at most N places of a text.",
        ),
        Setting(
            ["--questions"],
            type=option_types.Whole(min=1, max=20),
            metavar="N",
            default=1,
            show_default=True,
            help="Make at most N questions of a record (questions).",
        ),
        *options.shared_options("model", "api_base", "max_calls", "max_cost", "timeout"),
        *options.shared_options("store", "record", "replay", "offline", "dry_run"),
        options.LIST_FORMAT,
    ]
)
def command(
    kind: str,
    source: Path,
    target: Path,
    *,
    seed: int,
    changes: int,
    questions: int,
    format: str,
    **given: Any,
) -> int:
    """Make rows with labels from the texts and sources of IN.jsonl.

    \b
    KIND
      changes       copies with a number, date, name or negation changed by
                    rule; no model, English only (--seed, --changes)
      answers       answers that a model writes from the references alone
      questions     questions from a record, with a right and a wrong answer each
                    (--questions)
      hallucinated  answers, and copies with absolute fabrications,
                    contextual fabrications and modified details
      negated       copies with terms negated or exchanged in 1 to 3 sentences
    A line of IN.jsonl    {"text": ..., "references": [...], "question": ...},
                          or {"record": ...} with any value; and where known
                          "id", "group", "subject"
    A line of OUT.jsonl   {"id", "group", "text", "references", "label",
                          "changes", "maker", "key", ...}: halubot bench own
                          and halubot calibrate --data read it

    Stopped at any moment, the same command goes on where it stopped. Read what models have made
    before you rely on it.
    """
    from halubot.errors import SettingError
    from halubot.evaluation.synthesis.data_files import Recipe

    if questions > 1 and kind != "questions":
        raise SettingError(f"{kind} asks no questions of a record: leave --questions out")
    recipe = Recipe(kind, seed=seed, most=changes, questions=questions)
    source, target = source.expanduser(), target.expanduser()
    for name in ("store", "record", "replay"):
        given[name] = given[name] and given[name].expanduser()
    dry_run, offline = given.pop("dry_run"), given.pop("offline")
    if not dry_run:
        output.require_writable(given["record"], source, target)
        output.require_writable(target, source, given["replay"])
    # A model in the settings file is none of a kind that is made by rule: it is not looked for, and
    # no price asked.
    asked = cast("Options", {} if kind == "changes" else given)
    hosted.require_sense(asked, offline=offline and not dry_run)
    with ExitStack() as stack:
        if offline:
            from halubot.offline import network_refused

            stack.enter_context(network_refused())
        if dry_run:
            return _plan(recipe, source, asked, format)
        return _make(recipe, source, target, asked=asked, format=format, stack=stack)


def _make(
    recipe: Recipe, source: Path, target: Path, *, asked: Options, format: str, stack: ExitStack
) -> int:
    from halubot.cli.screen import bar
    from halubot.evaluation.synthesis.data_files import make_file
    from halubot.inputs import open_models
    from halubot.render.captions import number

    panel = open_models(asked)
    if panel is not None:
        stack.enter_context(panel)
        stack.callback(hosted.tell_of_store, panel)
        hosted.say_who_receives(asked)
    progress = stack.enter_context(bar())
    task = progress.add_task("making", total=None)

    def watch(made: Made) -> None:
        progress.update(task, completed=made.place)
        if made.why is not None:
            tell(f"{made.record.id}: {made.why}")
        elif panel is not None:
            hosted.text_left()

    tally = make_file(source, target, recipe, panel=panel, watch=watch)
    progress.stop()
    if format == "json":
        found = {name: value for name, value in asdict(tally).items() if name != "stopped"}
        output.say(json.dumps(found))
    else:
        output.say(
            f"{number(tally.rows, 'row')} in {target}: of {number(tally.made, 'record')} made now,"
            f" {tally.kept} there before; {tally.failed} gave nothing"
        )
    if tally.stopped is None:
        return 0
    tell(f"stopped with {number(tally.left, 'record')} left: {tally.stopped}")
    tell("the same command goes on there")
    return tally.stopped.exit_status


def _plan(recipe: Recipe, source: Path, asked: Options, format: str) -> int:
    """Prints what it would take; nothing is called or written."""
    from halubot.errors import SettingError
    from halubot.evaluation.synthesis.data_files import Plan, rehearse
    from halubot.evaluation.synthesis.makers import BY_RULES, records
    from halubot.models.panel import named_models

    found = tuple(records(source))
    models = named_models(asked)
    if recipe.kind == BY_RULES or asked.get("replay"):
        plan = Plan(recipe.kind, len(found), 0, 0, 0, 0, 0.0)
    elif not models:
        raise SettingError(f"{recipe.kind} needs a model: name one with --model")
    else:
        plan = rehearse(recipe.kind, found, models[0])
    output.say(json.dumps(asdict(plan)) if format == "json" else _table(plan))
    return 0


def _table(plan: Plan) -> str:
    from halubot.money import dollars
    from halubot.render.captions import number

    cost = "not known" if plan.cost_usd is None else dollars(plan.cost_usd)
    rows = [
        ("model calls", f"{plan.calls:,}", f"{plan.most_calls:,}"),
        ("prompt tokens", f"{plan.prompt_tokens:,}", ""),
        ("answer tokens", f"{plan.completion_tokens:,}", ""),
        ("cost", cost, ""),
    ]
    head = f"{plan.kind} from {number(plan.records, 'record')}; nothing was called."
    return f"{head}\n{output.table(('', 'usually', 'at most'), rows)}"
