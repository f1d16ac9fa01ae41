"""`halubot demo`: a bundled message with planted errors, checked and corrected."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from halubot.cli import output as printing
from halubot.cli.parameters import Command, Parameter, own, shared
from halubot.options import OPTIONS, SWITCH

if TYPE_CHECKING:
    from halubot.correction.corrector import OnDoubt


@click.command(
    cls=Command,
    params=[
        own(
            "web",
            "Check twenty recorded questions by recorded pages, as --web checks by live ones.",
            SWITCH,
            default=False,
            dest="on_web",
        ),
        # Removes, so that the demonstration shows that too.
        Parameter(replace(OPTIONS["on_doubt"], default="remove")),
        *shared("format", "verbose", "output"),
    ],
)
def command(
    on_web: bool, on_doubt: OnDoubt, format: str, verbose: bool, output: Path | None
) -> int:
    """Check and correct a bundled message by the embedded engine: no key, no network.

    Ends with 0 although it finds errors: they are planted.
    """
    printing.require_writable(output)
    if on_web:
        return _check_web(format, verbose, output)
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


def _check_web(format: str, verbose: bool, output: Path | None) -> int:
    """Check the recorded questions by their recorded pages, one after the other."""
    from halubot import check
    from halubot.demo.web import RecordedWeb, load
    from halubot.inputs import Options
    from halubot.render.captions import verdict
    from halubot.render.items import listing, quotes
    from halubot.report import DOUBTED

    recorded = load()
    web = RecordedWeb(recorded)
    blocks, found, alarms = [], 0, 0
    for one in recorded:
        report = check(one.text, **Options(question=one.question, web=web))
        lines = [one.question]
        for entry in listing(report):
            if entry.fact is None or not entry.is_doubted:
                continue
            why = f"; {entry.reason}" if entry.reason else ""
            lines.append(f"  {entry.reading}: {verdict(entry.verdict, entry.fact.kind)}{why}")
            told = quotes(entry.fact, report, most=None)
            # Where pages disagree, a quote of each side.
            sides = {quote.evidence.stance: quote for quote in reversed(told)}
            lines += (
                f"    “{quote.text}” — {quote.name}, {quote.location}"
                for quote in told
                if verbose or quote is sides[quote.evidence.stance]
            )
        for sentence, judged, planted in zip(
            one.sentences, report.sentences, one.wrong, strict=True
        ):
            doubted = judged.verdict in DOUBTED
            found += doubted and planted
            alarms += doubted and not planted
            if planted != doubted:
                lines.append(f"  {'not found' if planted else 'wrongly doubted'}: {sentence}")
        blocks.append("\n".join(lines))
        if format == "text" and output is None:
            printing.say(blocks[-1] + "\n", "text")
    wrong = sum(sum(one.wrong) for one in recorded)
    right = sum(len(one.wrong) for one in recorded) - wrong
    total = (
        f"{found} of {wrong} planted errors were found; {alarms} of {right} right sentences were"
        " doubted. Recorded questions and pages, all invented; no connection was made."
    )
    web.close()
    if format == "json":
        figures = {"questions": len(recorded), "found": found, "of": wrong, "false_alarms": alarms}
        printing.deliver(json.dumps(figures), "json", output)
    elif format == "text" and output is None:
        printing.say(total, "text")
    else:
        printing.deliver("\n\n".join([*blocks, total]), format, output)
    return 0
