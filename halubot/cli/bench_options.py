"""The options of `halubot bench`, of which `halubot calibrate` takes some, and their extra."""

from __future__ import annotations

from copy import copy
from importlib.util import find_spec
from typing import Any

import click
from click.core import ParameterSource

from halubot.cli import option_types, options
from halubot.cli.option_types import Setting
from halubot.errors import MissingExtraError

DATASETS = (
    *("wikibio", "halueval_qa", "halueval_sum", "faithbench", "phd", "refchecker"),
    *("truthfulqa", "truthfulqa_judged", "halueval_general", "factbench", "factscore", "ragtruth"),
    *("everyday", "qags", "summedits", "pairs", "made", "medquad", "pubmedqa", "own"),
)
"""The names known to `halubot.evaluation.datasets`, written out to keep the start fast."""

_FILE = option_types.File()

MODELS = (
    *("model", "judge_model", "api_base", "max_calls", "max_cost", "concurrency", "timeout"),
    *options.OF_SERVERS,
    *("store", "record", "replay"),
)
"""The options of models."""


def require_extra(command: str) -> None:
    """Raise MissingExtraError, for this command, without the libraries of the figures."""
    if find_spec("sklearn") is None or find_spec("numpy") is None:
        raise MissingExtraError(command, "bench")


def _spoken(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """A value from the command line alone, so that figures do not hang on a person's settings."""
    spoken = ctx.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE
    return value if spoken else None


def _names(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """The names of a list, each once."""
    value = _spoken(ctx, param, value)
    if value is None:
        return None
    names = tuple(name.strip() for name in value.split(",") if name.strip())
    if not names or len(set(names)) < len(names):
        raise click.BadParameter("name methods with commas between them, each once", ctx, param)
    return names


def _of_checks(*names: str) -> list[click.Parameter]:
    """Options of checks, taken from the command line alone."""
    found = []
    for option in options.shared_options(*names):
        # A copy: the shared option itself serves other commands, which do read settings.
        own, checked = copy(option), option.callback

        def callback(
            # As a default, since a closure would see the callback of the last option in all of
            # them.
            ctx: click.Context,
            param: click.Parameter,
            value: Any,
            checked: Any = checked,
        ) -> Any:
            value = _spoken(ctx, param, value)
            return value if checked is None else checked(ctx, param, value)

        own.callback = callback
        found.append(own)
    return found


PARAMS: tuple[click.Parameter, ...] = (
    click.Argument(["dataset"], type=click.Choice(DATASETS), metavar="DATASET"),
    Setting(
        ["--data"],
        required=True,
        type=_FILE,
        metavar="FILE",
        help="The data set as JSON lines, plain or compressed with gzip.",
    ),
    *options.shared_options("method"),
    Setting(
        ["--methods"],
        metavar="A,B,...",
        callback=_names,
        help="Measure several methods on the same rows; differences are from the first.",
    ),
    Setting(
        ["--with-samples"],
        is_flag=True,
        help="Compare with the samples; with --with-reference too, with both (wikibio, everyday,"
        " own).",
    ),
    Setting(
        ["--with-reference"],
        is_flag=True,
        help="Compare with the reference texts instead of the samples (wikibio, everyday, own).",
    ),
    Setting(
        ["--with-correction"],
        is_flag=True,
        help="Correct each message as well, and measure what became of its errors (everyday),"
        " or have a model correct it with each kind of hints and judge it by the reference"
        " (wikibio).",
    ),
    Setting(
        ["--also"],
        type=_FILE,
        metavar="FILE",
        help="The file of truthfulqa, whose correct answers are compared with (truthfulqa_judged).",
    ),
    Setting(
        ["--validation"],
        type=_FILE,
        metavar="FILE",
        help="Find the threshold on this file, and the quantiles of knowhalu; not for wikibio,"
        " faithbench, refchecker, everyday and pairs.",
    ),
    Setting(
        ["--threshold"],
        type=option_types.Number(0, 1),
        metavar="0..1",
        callback=_spoken,
        help="Doubt from this score on, in place of the threshold that would be found.",
    ),
    Setting(
        ["--n-samples"],
        type=option_types.Whole(min=1),
        metavar="K",
        callback=_spoken,
        help="Use only the first K samples of each row; have a model draw at most K where the"
        " rows hold none.",
    ),
    Setting(
        ["--verdicts"],
        type=_FILE,
        metavar="FILE",
        callback=_spoken,
        help="Answer for the model from verdicts that were recorded on the samples (wikibio).",
    ),
    Setting(
        ["--verdict-model"],
        metavar="NAME",
        callback=_spoken,
        help="The model whose recorded verdicts are used.",
    ),
    Setting(
        ["--verdict-samples"],
        type=option_types.Whole(min=1),
        metavar="K",
        callback=_spoken,
        help="Have at most K samples of each row judged (ensemble, cascade).",
    ),
    Setting(
        ["--judge-noise"],
        metavar="NOISE",
        callback=_spoken,
        help="Change the recorded verdicts as a worse judge would: flip:0.3, coin, yes or no.",
    ),
    Setting(
        ["--limit"],
        type=option_types.Whole(min=1),
        metavar="N",
        help="Measure only the first N rows.",
    ),
    Setting(
        ["--scores"],
        type=_FILE,
        metavar="OUT.jsonl",
        help="Write the scores and ranks of each row there (of one method).",
    ),
    Setting(
        ["--html"],
        type=_FILE,
        metavar="FILE.html",
        help="Write the figures and their curves there, as a page for a browser.",
    ),
    Setting(
        ["--resume"],
        type=_FILE,
        metavar="WORK.jsonl",
        help="Keep each row that is done there; stopped, the same command goes on.",
    ),
    *_of_checks("knowledge", "knowledge_folder", *MODELS, "as_published", *options.OF_METHODS),
    *options.shared_options("offline"),
    options.LIST_FORMAT,
)
"""All of them, in the order in which `--help` shows them."""
