"""`halubot demo`: a bundled message with planted errors, checked and corrected."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from halubot.cli import options, printing

if TYPE_CHECKING:
    from halubot.correcting import OnDoubt


@click.command(params=options.shared("on_doubt", "format", "verbose", "output"))
def command(on_doubt: OnDoubt, format: str, verbose: bool, output: Path | None) -> int:
    """Check and correct a bundled message by the embedded engine: no key, no network.

    Ends with 0 although it finds errors: they are planted.
    """
    from halubot import demo
    from halubot.amending import acorrect
    from halubot.cli import running

    printing.require_writable(output)
    given = demo.load()
    report, interrupted = running.run(
        lambda watch: acorrect(
            given.text,
            on_doubt=_shown(on_doubt),
            question=given.question,
            samples=given.samples,
            references=given.references,
            watch=watch,
        )
    )
    printing.show(report, format=format, verbose=verbose, output=output)
    return running.ended(report, interrupted) if interrupted else 0


def _shown(on_doubt: OnDoubt) -> OnDoubt:
    """What becomes of doubted words: they are removed unless the user says otherwise, so that the
    demonstration shows removal too."""
    source = click.get_current_context().get_parameter_source("on_doubt")
    return "remove" if source is ParameterSource.DEFAULT else on_doubt
