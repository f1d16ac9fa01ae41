"""The table of docs/benchmarks.md for a model of yours, hosted or on your machine.

    python benchmarks/volunteer.py --judge nli:nli-deberta-v3-xsmall
    python benchmarks/volunteer.py --model ollama_chat/llama3.2 [--max-calls 500]
    python benchmarks/volunteer.py --judge grounding:FOLDER --data "$HALUBOT_DATA" --limit 100

`cascade` with the model stands beside `consensus` without any, on the same rows, with the paired
difference. The files in this folder are always measured: 150 sentence pairs, and everyday messages
beside their references. Of the data sets in --data those that are there are measured too. What the
model answers is kept, so a run that was stopped goes on where it was. The last lines tell what the
figures rest on; send them with the table.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from halubot.errors import HalubotError, SettingError
from halubot.evaluation import side_by_side
from halubot.evaluation.plan import Plan
from halubot.models.local.encoder_judge import judge_name, require_judge
from halubot.models.local.model_folder import ModelFolder, find_model, hash_file
from halubot.models.panel import open_panel
from halubot.version import __version__

HERE: Final = Path(__file__).parent
SETS: Final = {
    "wikibio": "wikibio, 20 samples",
    "faithbench": "faithbench",
    "ragtruth": "ragtruth",
    "qags": "qags",
    "summedits": "summedits",
}
"""Data sets that are measured if their files are there, and what heads their rows."""


def plans(data: Path | None, limit: int | None) -> Iterator[tuple[str, Plan]]:
    """What is measured with `consensus`, with the words that head it."""
    yield "sentence pairs", Plan("pairs", HERE / "pairs.jsonl", "consensus", limit=limit)
    for number in (1, 2):
        file = HERE / f"everyday_{number}.jsonl"
        everyday = Plan("everyday", file, "consensus", with_reference=True, limit=limit)
        yield f"everyday messages {number}, reference", everyday
    for name, head in SETS.items() if data is not None else ():
        for ending in ("_dev.jsonl.gz", ".jsonl.gz"):
            file = (data or HERE) / f"{name}{ending}"
            if file.exists():
                yield head, Plan(name, file, "consensus", limit=limit)
                break


def lines(head: str, found: side_by_side.Comparison) -> Iterator[str]:
    """The rows of the table that hold one data set."""
    alone, judged = found.results
    (difference,) = found.differences
    for name, value in judged.metrics.items():
        ends = difference.intervals.get(name)
        between = "" if ends is None else f" ({ends[0]:+.3f} to {ends[1]:+.3f})"
        by = difference.metrics.get(name)
        more = "" if by is None else f"{by:+.3f}{between}"
        figures = f"{_figure(alone.metrics.get(name))} | {_figure(value)}"
        yield f"| {head} | {name} | {figures} | {more} |"
        head = ""


def provenance(judge: str | None, model: str | None) -> Iterator[str]:
    """What the figures rest on."""
    yield f"halubot {__version__}, Python {platform.python_version()}, {platform.platform()}"
    if judge is None:
        yield f"model: {model}"
        return
    kind, name = require_judge(judge)
    folder = ModelFolder.open(find_model(name, kind))
    yield f"judge: {judge_name(judge)}, {folder.weights.name}, SHA-256 {hash_file(folder.weights)}"
    if folder.record is not None:
        yield f"from {folder.record.repository} at {folder.record.revision}"


@click.command()
@click.option("--judge", help="A judge on this machine: nli:MODEL or grounding:MODEL.")
@click.option("--model", help="A language model: provider/model.")
@click.option("--api-base", help="The address of its server.")
@click.option("--max-calls", type=int, help="Make at most so many calls.")
@click.option(
    "--data",
    envvar="HALUBOT_DATA",
    type=click.Path(path_type=Path, file_okay=False),
    help="A folder with data sets.",
)
@click.option("--limit", type=int, help="Measure only the first rows of each data set.")
def main(judge: str | None, model: str | None, limit: int | None, **given: Any) -> None:
    """Measure a model and print its table."""
    try:
        _measure(judge, model, limit, **given)
    except HalubotError as error:
        raise click.ClickException(str(error)) from error


def _measure(
    judge: str | None,
    model: str | None,
    limit: int | None,
    *,
    api_base: str | None,
    max_calls: int | None,
    data: Path | None,
) -> None:
    if (judge is None) == (model is None):
        raise SettingError("name a --judge or a --model, and only one of them")
    opened = None
    if model is not None:
        opened = open_panel(model, api_base=api_base, max_calls=max_calls)
    options = {} if judge is None else {"judge": judge}
    told = list(provenance(judge, model))  # a model that cannot be used ends it before any row
    click.echo("| data set | metric | `consensus` | `cascade` with the model | difference |")
    click.echo("| --- | --- | --- | --- | --- |")
    rows, seconds, calls = 0, 0.0, 0
    with opened or nullcontext() as panel:
        for head, plan in plans(data, limit):
            judged = replace(plan, method="cascade", options=options)
            found = side_by_side.compare([plan, judged], panel=panel)
            click.echo("\n".join(lines(head, found)))
            rows += found.results[1].rows
            seconds += found.results[1].seconds
            calls += found.results[1].usage.calls
    click.echo("\n" + "\n".join(told))
    click.echo(f"{rows} rows, {seconds / max(1, rows):.2f} s a row, {calls} calls")


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


if __name__ == "__main__":
    main()
