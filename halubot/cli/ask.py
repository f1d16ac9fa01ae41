"""`halubot ask`: a model's answer, and what to doubt in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from halubot.cli import output as printing
from halubot.cli.parameters import Command, shown_by
from halubot.options import FailOn


@click.command(
    cls=Command,
    example='"Who was Ada Lovelace?" --model ollama_chat/llama3.2',
    params=[
        click.Argument(["words"], nargs=-1, metavar="[QUESTION|-]"),
        *shown_by("checks", "reports"),
    ],
)
def command(
    words: tuple[str, ...],
    *,
    state: Path | None,
    no_feedback: bool,
    fail_on: FailOn,
    format: str,
    verbose: bool,
    output: Path | None,
    **given: Any,
) -> int:
    """Ask a model, and say what to doubt in its answer, and why.

    At a terminal the answer can be read while it is written; the report follows. Other answers to
    compare with are drawn meanwhile, unless some are given. Ends like halubot check.
    """
    printing.require_files(given, output)
    from halubot.api import aask
    from halubot.cli import check_run, hosted, input_files
    from halubot.feedback import with_own_words
    from halubot.inputs import Options

    question = input_files.question(words)
    with input_files.comparing(asked=question, once=True, **given) as comparing:
        if given["dry_run"]:
            from halubot.dry_run import rehearse

            plan = rehearse(question, work="ask", **comparing)
            return check_run.show(plan, work="ask", format=format, output=output)
        hosted.load_library(comparing)
        report, interrupted = check_run.run(
            lambda watch: aask(question, **(comparing | Options(watch=watch))),
            # Only at a terminal: in a pipe the answer would stand there twice, streamed and in the
            # report.
            live=printing.live(format, output),
        )
    if not no_feedback:
        report = with_own_words(report, state)
    printing.show(report, format=format, verbose=verbose, output=output)
    return check_run.exit_status(report, interrupted, fail_on)
