"""`halubot correct`: a text checked, corrected, and checked again."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halubot.cli import output as printing
from halubot.cli.parameters import TEXT_FILE, Command, Parameter, shown_by
from halubot.options import FORMATS, OPTIONS, FailOn, choice

if TYPE_CHECKING:
    from halubot.correction.corrector import Hints, OnDoubt


_FORMAT = Parameter(
    replace(
        OPTIONS["format"],
        help="text, json, markdown, html, or plain: the corrected text alone.",
        kind=choice(*FORMATS, printing.PLAIN, metavar="FORMAT"),
    )
)
_SHOWN = shown_by("checks", "reports", "corrects", also=("question", "paste"))


@click.command(
    cls=Command,
    example="answer.txt --samples others.jsonl --reference notes/",
    params=[TEXT_FILE, *(_FORMAT if one.name == "format" else one for one in _SHOWN)],
)
def command(
    *,
    file: Path | None,
    on_doubt: OnDoubt,
    hints: Hints,
    state: Path | None,
    no_feedback: bool,
    fail_on: FailOn,
    format: str,
    verbose: bool,
    output: Path | None,
    **given: Any,
) -> int:
    """Check a text, correct what is doubted, and check the corrected text again.

    A doubted value that most samples, or a reference, replace by one other value is replaced by
    it; --on-doubt says what becomes of other doubted statements. With a model, the model rewrites
    what is doubted, and --hints says what it is told. The exit status is that of halubot check for
    the text as it was given.
    """
    printing.require_files(given, output, file)
    from halubot.cli import check_run, input_files
    from halubot.correction_api import acorrect
    from halubot.feedback import with_own_words
    from halubot.inputs import Options

    text = input_files.message(file)
    with input_files.comparing(text=text, once=True, **given) as comparing:
        if given["dry_run"]:
            from halubot.dry_run import rehearse

            plan = rehearse(text, work="correct", hints=hints, **comparing)
            return check_run.show(plan, work="correct", format=format, output=output)
        report, interrupted = check_run.run(
            lambda watch: acorrect(
                text,
                on_doubt=on_doubt,
                hints=hints,
                # Between the check and the correction, so that a fact that the person called right
                # is not corrected.
                heed=None if no_feedback else partial(with_own_words, folder=state),
                **(comparing | Options(watch=watch)),
            )
        )
    if not no_feedback:
        report = with_own_words(report, state)
    printing.show(report, format=format, verbose=verbose, output=output)
    return check_run.exit_status(report, interrupted, fail_on)
