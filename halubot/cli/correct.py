"""`halubot correct`: a text checked, corrected, and checked again."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halubot.cli import options, printing

if TYPE_CHECKING:
    from halubot.correcting import Hints, OnDoubt


@click.command(
    params=[
        options.FILE,
        *options.shared("question", "paste", *options.COMPARING),
        *options.shared("on_doubt", "hints", *options.SHOWING),
    ]
)
def command(
    *,
    file: Path | None,
    on_doubt: OnDoubt,
    hints: Hints,
    state: Path | None,
    no_feedback: bool,
    fail_on: options.FailOn,
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
    from halubot.amending import acorrect
    from halubot.cli import planning, reading, running
    from halubot.feedback import heeded
    from halubot.given import Options

    printing.require_writable(output, file, *options.read(given))
    printing.require_writable(given["record"], file, output, *options.read(given))
    text = reading.message(file)
    with reading.comparing(text=text, **given) as comparing:
        if given["dry_run"]:
            from halubot.rehearsal import rehearse

            plan = rehearse(text, work="correct", hints=hints, **comparing)
            return planning.show(plan, work="correct", format=format, output=output)
        report, interrupted = running.run(
            lambda watch: acorrect(
                text,
                on_doubt=on_doubt,
                hints=hints,
                heed=None if no_feedback else partial(heeded, folder=state),
                **(comparing | Options(watch=watch)),
            )
        )
    if not no_feedback:
        report = heeded(report, state)
    printing.show(report, format=format, verbose=verbose, output=output, file=file)
    return running.ended(report, interrupted, fail_on)
