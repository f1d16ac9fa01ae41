"""`halubot check`: what to doubt in a text, and why."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halubot.cli import options
from halubot.cli import output as printing
from halubot.cli.option_types import Setting
from halubot.cli.options import files_to_read

if TYPE_CHECKING:
    from halubot.report import Report


@click.command(
    params=[
        options.FILE,
        *options.shared_options("question", "paste", *options.COMPARING, *options.SHOWING),
        Setting(
            ["--explain"],
            type=click.IntRange(min=1),
            metavar="N",
            help="Show how sentence N, counted from 1, was compared with each source, in place of"
            " the report.",
        ),
    ]
)
def command(
    file: Path | None,
    *,
    state: Path | None,
    no_feedback: bool,
    fail_on: options.FailOn,
    format: str,
    verbose: bool,
    output: Path | None,
    explain: int | None,
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
    from halubot.api import acheck
    from halubot.cli import check_run, input_files
    from halubot.feedback import with_own_words
    from halubot.inputs import Options

    # Before anything is read or asked: an answer that was paid for and cannot be written is lost.
    printing.require_writable(output, file, *files_to_read(given))
    printing.require_writable(given["record"], file, output, *files_to_read(given))
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
    if explain is None:
        printing.show(report, format=format, verbose=verbose, output=output)
    else:
        printing.deliver(_explain(report, explain, format), format, output)
    return check_run.exit_status(report, interrupted, fail_on)


def _explain(report: Report, number: int, format: str) -> str:
    """Tell how one sentence was compared, as text or as JSON."""
    from halubot.compare.explanation import explain, to_lines

    found = explain(report, number)
    if format == "json":
        return json.dumps(asdict(found), ensure_ascii=False, indent=2)
    return "\n".join(to_lines(found))
