"""`halubot batch`: many messages, one a line; what is done is not done again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from halubot.cli import options, printing, tell


@click.command(
    params=[
        click.Argument(["source"], metavar="IN.jsonl", type=click.Path(path_type=Path)),
        click.Argument(["target"], metavar="OUT.jsonl", type=click.Path(path_type=Path)),
        *options.shared("question", *options.COMPARING, "dry_run", "verbose"),
        options.LIST_FORMAT,
    ]
)
def command(source: Path, target: Path, verbose: bool, format: str, **given: Any) -> int:
    """Check each message of IN.jsonl and write its report to OUT.jsonl, in the same order.

    \b
    A line of IN.jsonl    {"text": ...} and where known "id", "question",
                          "context", "samples", "references", "sentences",
                          "subject"
    A line of OUT.jsonl   {"id", "key", "report"} or {"id", "key", "error"}

    Stopped at any moment, the same command goes on where it stopped. A line that cannot be
    checked becomes an error line; it is counted and does not change the exit status.
    """
    from halubot import batch
    from halubot.cli import reading
    from halubot.cli.screen import bar
    from halubot.render.words import number, summary

    total = batch.count(source)
    with reading.comparing(**given) as comparing, bar() as progress:
        task = progress.add_task("checking", total=total)

        def watch(line: batch.Line) -> None:
            progress.update(task, completed=line.place)
            if line.error is not None:
                tell(line.error)
            elif verbose and line.report is not None:
                tell(f"{line.id}: {summary(line.report)}")

        tally = batch.check_file(source, target, options=comparing, watch=watch)
    lines = tally.checked + tally.errors + tally.kept
    found = {
        "lines": lines,
        "checked": tally.checked,
        "kept": tally.kept,
        "errors": tally.errors + tally.kept_errors,
    }
    if format == "json":
        printing.say(json.dumps(found))
    else:
        printing.say(
            f"{number(lines, 'line')} in {target}: {tally.checked} checked now,"
            f" {tally.kept} there before; {number(found['errors'], 'error')}"
        )
    return 0
