"""All figures of docs/benchmarks.md, as the Markdown table that stands there.

    python benchmarks/figures.py DATA

DATA (or $HALUBOT_DATA) is the folder of the data sets; `wikibio*` and the other files may end in
`_dev.jsonl.gz` or in `.jsonl.gz`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from halubot.errors import UnreadableError
from halubot.evaluation.plan import Plan
from halubot.evaluation.result import Result
from halubot.evaluation.runner import run


def file(folder: Path, name: str) -> Path:
    """The file of a data set, of its development part where that is there."""
    for path in (folder / f"{name}_dev.jsonl.gz", folder / f"{name}.jsonl.gz"):
        if path.exists():
            return path
    raise UnreadableError(folder, f"there is no {name}_dev.jsonl.gz and no {name}.jsonl.gz in it")


def plans(folder: Path) -> Iterator[tuple[str, Plan]]:
    """What is measured, with the words that head it."""
    measured = ("wikibio", "faithbench", "refchecker", "halueval_qa", "halueval_sum", "phd")
    data = {name: file(folder, name) for name in measured}
    for method in ("consensus", "selfcheck-ngram"):
        wikibio = data["wikibio"]
        yield "wikibio, 20 samples", Plan("wikibio", wikibio, method)
        yield "wikibio, 5 samples", Plan("wikibio", wikibio, method, n_samples=5)
        if method == "consensus":
            referring = Plan("wikibio", wikibio, method, with_reference=True)
            yield "wikibio, reference", referring
            yield "wikibio, 20 samples and reference", replace(referring, with_samples=True)
            yield "faithbench", Plan("faithbench", data["faithbench"], method)
            yield "refchecker", Plan("refchecker", data["refchecker"], method)
            for name in ("halueval_qa", "halueval_sum"):
                validation = file(folder, f"{name}_knowhalu_val")
                yield name, Plan(name, data[name], method, validation=validation)
            correct = file(folder, "truthfulqa")
            yield "truthfulqa", Plan("truthfulqa", correct, method)
            judged = file(folder, "truthfulqa_judged")
            yield "truthfulqa_judged", Plan("truthfulqa_judged", judged, method, also=correct)
        yield "phd, 3 samples", Plan("phd", data["phd"], method)
    for judge in ("gemma-31b", "qwen-9b"):
        head = f"wikibio, 20 samples, verdicts of {judge}"
        recorded = Plan(
            "wikibio",
            data["wikibio"],
            "selfcheck-prompt",
            verdicts=file(folder, "wikibio_verdicts"),
            verdict_model=judge,
        )
        yield head, recorded
        yield head, replace(recorded, method="ensemble")
        yield head, replace(recorded, method="cascade")
        for most in (5, 3):
            plan = replace(recorded, method="cascade", verdict_samples=most)
            yield f"{head}, at most {most} samples judged", plan


def lines(head: str, result: Result) -> Iterator[str]:
    """The rows of the table that hold one result."""
    method = "rules alone" if result.dataset == "refchecker" else f"`{result.method}`"
    for name, value in result.metrics.items():
        ends = result.intervals[name]
        figure = "undefined" if value is None else f"{value:.3f}"
        between = "" if ends is None or ends[0] == ends[1] else f"{ends[0]:.3f} to {ends[1]:.3f}"
        yield f"| {head} | {method} | {name} | {figure} | {between} |"
        head = method = ""


@click.command()
@click.argument("data", envvar="HALUBOT_DATA", type=click.Path(path_type=Path, file_okay=False))
def main(data: Path) -> None:
    """Measure everything and print the table of docs/benchmarks.md."""
    click.echo("| data set | method | metric | value | 95 % interval |")
    click.echo("| --- | --- | --- | --- | --- |")
    for head, plan in plans(data):
        result = run(plan)
        click.echo("\n".join(lines(head, result)))
        click.echo(f"{head}: {result.rows} rows in {result.seconds:.1f} s", err=True)


if __name__ == "__main__":
    main()
