"""All figures of docs/benchmarks.md, as the Markdown table that stands there.

    python benchmarks/figures.py DATA
    python benchmarks/figures.py DATA --blind

The second prints `consensus` beside the blind baselines on the same rows, instead.
DATA (or $HALUBOT_DATA) is the folder of the data sets; `wikibio*` and the other files may end in
`_dev.jsonl.gz` or in `.jsonl.gz`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

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


BLIND: Final = ("ngram", "unseen_words", "all_positive", "all_negative", "random")
COLUMNS: Final = {
    "AUROC": ("auroc",),
    "AUC-PR, wrong": ("auc_pr", "sentence_hallucination_auc_pr"),
    "right": ("sentence_factual_auc_pr",),
    "BA": ("balanced_accuracy",),
    "J": ("youden",),
    "J_w": ("youden_weighted",),
    "in-sample BA": ("in_sample_balanced_accuracy",),
    "in-sample J": ("in_sample_youden",),
    "in-sample J_w": ("in_sample_youden_weighted",),
}
"""The columns of the table of baselines, and the metrics that stand in each."""


def blind_line(head: str, name: str, metrics: Mapping[str, float | None]) -> str:
    """One row of the table of baselines; a metric that a data set does not have is left blank."""
    found = (next((metrics[n] for n in names if n in metrics), None) for names in COLUMNS.values())
    cells = ("" if value is None else f"{value:.3f}" for value in found)
    return f"| {head} | `{name}` | {' | '.join(cells)} |"


def print_blind(folder: Path) -> None:
    """Measure `consensus` on each data set, and print it beside the blind baselines."""
    click.echo(f"| data set | | {' | '.join(COLUMNS)} |")
    click.echo("| --- " * (2 + len(COLUMNS)) + "|")
    for head, plan in plans(folder):
        if plan.method == "consensus" and plan.dataset != "refchecker" and plan.n_samples is None:
            result = run(plan)
            click.echo(blind_line(head, result.method, result.metrics))
            for name in BLIND:
                click.echo(blind_line("", name, result.baselines[name].metrics))


@click.command()
@click.argument("data", envvar="HALUBOT_DATA", type=click.Path(path_type=Path, file_okay=False))
@click.option("--blind", is_flag=True)
def main(data: Path, blind: bool) -> None:
    """Measure everything and print the table of docs/benchmarks.md."""
    if blind:
        print_blind(data)
        return
    click.echo("| data set | method | metric | value | 95 % interval |")
    click.echo("| --- | --- | --- | --- | --- |")
    for head, plan in plans(data):
        result = run(plan)
        click.echo("\n".join(lines(head, result)))
        click.echo(f"{head}: {result.rows} rows in {result.seconds:.1f} s", err=True)


if __name__ == "__main__":
    main()
