"""`halubot check`: what to doubt in a text, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from halubot.cli import output as printing
from halubot.cli.parameters import TEXT_FILE, Command, shown_by
from halubot.options import FailOn


@click.command(
    cls=Command,
    example="answer.txt --samples others.jsonl --reference notes/",
    params=[TEXT_FILE, *shown_by("checks", "reports", also=("question", "paste"))],
)
def command(
    file: Path | None,
    *,
    state: Path | None,
    no_feedback: bool,
    fail_on: FailOn,
    format: str,
    verbose: bool,
    output: Path | None,
    **given: Any,
) -> int:
    """Check a text and say what to doubt, and why.

    \b
    Ends with 0   nothing doubted, everything checked
              1   something doubted or contradicted
              3   nothing doubted, but something not checked, or no fact found
              2   wrong usage or unreadable input

    With --fail-on doubtful, what was not checked does not count; with --fail-on contradicted,
    doubtful facts do not count either.
    """
    printing.require_files(given, output, file)
    from halubot.api import acheck
    from halubot.cli import check_run, input_files
    from halubot.feedback import with_own_words
    from halubot.inputs import Options

    text = input_files.message(file)
    with input_files.comparing(text=text, once=True, **given) as comparing:
        if given["dry_run"]:
            from halubot.dry_run import rehearse

            plan = rehearse(text, **comparing)
            return check_run.show(plan, format=format, output=output)
        report, interrupted = check_run.run(
            lambda watch: acheck(text, **(comparing | Options(watch=watch))), once=True
        )
    if not no_feedback:
        # Last, on the finished report: a person's word decides what they see, and not what is
        # stored or learnt.
        report = with_own_words(report, state)
    printing.show(report, format=format, verbose=verbose, output=output)
    return check_run.exit_status(report, interrupted, fail_on)
