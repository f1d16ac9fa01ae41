"""`halubot demo`: a bundled message with planted errors, checked and corrected."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from halubot.cli import output as printing
from halubot.cli.parameters import Command, shared

if TYPE_CHECKING:
    from halubot.correction.corrector import OnDoubt


@click.command(cls=Command, params=shared("on_doubt", "format", "verbose", "output"))
def command(on_doubt: OnDoubt, format: str, verbose: bool, output: Path | None) -> int:
    """Check and correct a bundled message by the embedded engine: no key, no network.

    Ends with 0 although it finds errors: they are planted.
    """
    from halubot import demo
    from halubot.cli import check_run
    from halubot.correction_api import acorrect

    printing.require_writable(output)
    given = demo.load()
    report, interrupted = check_run.run(
        lambda watch: acorrect(
            given.text,
            on_doubt=_removing_unless_asked(on_doubt),
            question=given.question,
            samples=given.samples,
            references=given.references,
            watch=watch,
        )
    )
    printing.show(report, format=format, verbose=verbose, output=output)
    return check_run.exit_status(report, interrupted) if interrupted else 0


def _removing_unless_asked(on_doubt: OnDoubt) -> OnDoubt:
    """Return "remove" unless the user says otherwise, so that the demonstration shows removal."""
    source = click.get_current_context().get_parameter_source("on_doubt")
    return "remove" if source is ParameterSource.DEFAULT else on_doubt
