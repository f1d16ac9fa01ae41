"""`halubot demo`: a bundled message with planted errors, checked and corrected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from halubot.cli import output as printing
from halubot.cli.parameters import Command, Parameter, shared
from halubot.options import OPTIONS

if TYPE_CHECKING:
    from halubot.correction.corrector import OnDoubt


@click.command(
    cls=Command,
    params=[
        # Removes, so that the demonstration shows that too.
        Parameter(replace(OPTIONS["on_doubt"], default="remove")),
        *shared("format", "verbose", "output"),
    ],
)
def command(on_doubt: OnDoubt, format: str, verbose: bool, output: Path | None) -> int:
    """Check and correct a bundled message by the embedded engine: no key, no network.

    Ends with 0 although it finds errors: they are planted.
    """
    printing.require_writable(output)
    from halubot import demo
    from halubot.cli import check_run
    from halubot.correction_api import acorrect

    given = demo.load()
    report, interrupted = check_run.run(
        lambda watch: acorrect(
            given.text,
            on_doubt=on_doubt,
            question=given.question,
            samples=given.samples,
            references=given.references,
            watch=watch,
        )
    )
    printing.show(report, format=format, verbose=verbose, output=output)
    return check_run.exit_status(report, interrupted) if interrupted else 0
