"""`halubot ask`: a model's answer, and what to doubt in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from halubot.cli import options, printing


@click.command(
    params=[
        click.Argument(["words"], nargs=-1, metavar="[QUESTION|-]"),
        *options.shared(*options.COMPARING, *options.SHOWING),
    ]
)
def command(
    words: tuple[str, ...],
    *,
    state: Path | None,
    no_feedback: bool,
    fail_on: options.FailOn,
    format: str,
    verbose: bool,
    output: Path | None,
    **given: Any,
) -> int:
    """Ask a model, and say what to doubt in its answer, and why.

    At a terminal the answer can be read while it is written; the report follows. Other answers to
    compare with are drawn meanwhile, unless some are given. Ends like halubot check.
    """
    from halubot.checking import aask
    from halubot.cli import planning, reading, running
    from halubot.feedback import heeded
    from halubot.given import Options

    printing.require_writable(output, *options.read(given))
    printing.require_writable(given["record"], output, *options.read(given))
    question = reading.question(words)
    with reading.comparing(asked=question, **given) as comparing:
        if given["dry_run"]:
            from halubot.rehearsal import rehearse

            plan = rehearse(question, work="ask", **comparing)
            return planning.show(plan, work="ask", format=format, output=output)
        report, interrupted = running.run(
            lambda watch: aask(question, **(comparing | Options(watch=watch))),
            live=printing.live(format, output),
        )
    if not no_feedback:
        report = heeded(report, state)
    printing.show(report, format=format, verbose=verbose, output=output)
    return running.ended(report, interrupted, fail_on)
