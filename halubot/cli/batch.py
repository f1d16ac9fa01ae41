"""`halubot batch`: many messages, one a line; what is done is not done again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halubot.cli import output, silence, tell
from halubot.cli.parameters import Command, file_argument, files_to_read, list_format, own, shown_by
from halubot.errors import SettingError
from halubot.options import NAME, SWITCH, whole

if TYPE_CHECKING:
    from halubot.batch import Detail, Line, Tally
    from halubot.batch._cluster import Cluster
    from halubot.rate import Rate
    from halubot.report import Report

SHOWN = 20
"""Lines that could not be checked that are told one by one; the others are counted."""


@click.command(
    cls=Command,
    example="in.jsonl out.jsonl --processes 4",
    params=[
        file_argument("source", "IN.jsonl|-"),
        file_argument("target", "OUT.jsonl|-"),
        own("processes", "Check in N processes of this machine.", whole(1), default=1),
        own(
            "address",
            "Check on the Dask cluster of this scheduler.",
            NAME,
            metavar="tls://HOST:8786",
        ),
        own(
            "insecure_cluster",
            "Use it without TLS: who reaches it can run code.",
            SWITCH,
            default=False,
        ),
        list_format(),
        *shown_by("checks", "batch", also=("question",)),
    ],
)
def command(
    source: Path,
    target: Path,
    *,
    rate: Rate | None,
    report: Detail,
    processes: int,
    address: str | None,
    insecure_cluster: bool,
    verbose: bool,
    format: str,
    **given: Any,
) -> int:
    """Check each message of IN.jsonl and write its report to OUT.jsonl, in the same order.

    \b
    A line of IN.jsonl    {"text": ...} and where known "id", "question",
                          "context", "samples", "references", "sentences",
                          "subject"
    A line of OUT.jsonl   {"id", "key", "report"} or {"id", "key", "error"}

    Stopped at any moment, the same command goes on, unless its lines went to standard output.
    --max-calls and --max-cost hold over all runs.

    \b
    Ends with 0   the work is done
              3   every line failed
              2   wrong usage, unreadable input, or it stopped before the end
    """
    from halubot import batch
    from halubot.cli import check_run, input_files
    from halubot.cli.check_run import UNCHECKED
    from halubot.cli.screen import bar
    from halubot.render.captions import number, summary
    from halubot.text.files.encodings import is_open_pipe

    printed = str(target) == "-"
    piped = str(source) == "-" or is_open_pipe(source)
    # A pipe can be read once: to count its lines would take them away.
    total = None if piped else batch.count(source)
    output.require_writable(given["record"], source, target, *files_to_read(given))
    lines_in = input_files.open_input("no messages: pipe them in") if str(source) == "-" else source
    # Bytes: lines are UTF-8 whatever the encoding of the terminal.
    lines_out = sys.stdout.buffer if printed else target
    told: set[str] = set()
    broken = failed = 0
    with input_files.comparing(**given) as comparing:
        if given["dry_run"]:
            plans = batch.rehearse_file(lines_in, lines_out, options=comparing)
            plan = check_run.together(plans, given["max_calls"], given["max_cost"])
            return check_run.show(plan, format=format, messages=len(plans))
        with bar() as progress:
            task = progress.add_task("checking", total=total)

            def watch(line: batch.Line) -> None:
                # By the place and not one by one: lines that were there before count as done.
                progress.update(task, completed=line.place)
                if line.error is not None:
                    nonlocal broken
                    broken += 1
                    if broken <= SHOWN:
                        tell(line.error)
                elif line.report is not None:
                    nonlocal failed
                    failed += _has_failed(line.report)
                    if verbose:
                        tell(f"{line.id}: {summary(line.report)}")
                    _tell_problems(line, told)

            try:
                tally = batch.check_file(
                    lines_in,
                    lines_out,
                    options=comparing,
                    rate=rate,
                    report=report,
                    processes=processes,
                    cluster=_cluster(address, processes, insecure=insecure_cluster),
                    watch=watch,
                )
            except BrokenPipeError:  # as with | head
                silence()
                return 0
    name = batch.STANDARD_OUTPUT if printed else str(target)
    if broken > SHOWN:
        tell(f"{number(broken - SHOWN, 'more error')}, as {name} says")
    # Standard output has the lines alone if they go there.
    (tell if printed else output.say)(_sum(tally, name, format))
    if tally.stopped is None:
        return UNCHECKED if tally.lines and tally.all_errors + failed == tally.lines else 0
    tell(f"stopped with {number(tally.left, 'line')} left: {tally.stopped}")
    if printed:
        tell("what went to standard output cannot be resumed: name a file to write to")
    else:
        tell("the same command goes on there")
    return tally.stopped.exit_status


def _cluster(address: str | None, processes: int, *, insecure: bool) -> Cluster | None:
    """The cluster that is named. Raises SettingError for settings that contradict each other."""
    if address is None:
        if insecure:
            raise SettingError("--insecure-cluster is for a cluster: name it with --address")
        return None
    if processes > 1:
        raise SettingError("--processes is for this machine: a cluster has its own workers")
    from halubot.batch._cluster import Cluster

    return Cluster(address, insecure)


def _sum(tally: Tally, name: str, format: str) -> str:
    """Sum a batch up, in words or as JSON."""
    from halubot.render.captions import number
    from halubot.render.inert import one_line

    if format == "json":
        found = {"lines": tally.lines, "checked": tally.checked, "kept": tally.kept}
        found |= {"errors": tally.all_errors}
        return json.dumps(found if tally.stopped is None else {**found, "left": tally.left})
    return (
        f"{number(tally.lines, 'line')} in {one_line(name)}: {tally.checked} checked now,"
        f" {tally.kept} there before; {number(tally.all_errors, 'error')}"
    )


def _has_failed(report: Report) -> bool:
    """Return True if something went wrong with its models and nothing was checked."""
    verdicts = {fact.verdict for fact in report.facts}
    verdicts |= {sentence.verdict for sentence in report.sentences}
    unchecked = verdicts <= {"not_checked"}
    return unchecked and bool(report.problems) and any(name for _, name in report.models)


def _tell_problems(line: Line, told: set[str]) -> None:
    """Says what went wrong with models, each kind once."""
    report = line.report
    if report is None or not any(name for _, name in report.models):
        return
    for problem in report.problems:
        if problem.why not in told:
            told.add(problem.why)
            tell(f"{line.id}: {problem.what}: {problem.why} (said once)")
