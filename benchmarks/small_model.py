"""The published methods asked merged and as published, by a small model of one's own machine.

    python benchmarks/small_model.py DATA OUT --model openai/smollm2 --api-base
    http://127.0.0.1:8080/v1

DATA is a folder with the data sets of docs/benchmarks.md. OUT gets the rows that are measured, what
each part printed as JSON, and the model's answers; a part that is there is not measured again, and
one that was broken off goes on. The rows are the shortest of each class, right ones and wrong ones
in turn. On a processor such a model takes seconds for each call: the rows are few, and the figures
show that the methods work, and what they take, not how well they judge.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

import click


class Data(NamedTuple):
    """A data set: the name of its file, and which of its rows are right."""

    dataset: str
    file: str
    field: str
    right: str


class Part(NamedTuple):
    """What is measured: how many rows, the options, and in which ways."""

    name: str
    data: Data
    rows: int
    options: str
    ways: tuple[str, ...] = ("merged", "as published")


WIKIBIO: Final = Data("wikibio", "wikibio_dev", "labels", "accurate")
PHD: Final = Data("phd", "phd_dev", "label", "factual")
QA: Final = Data("halueval_qa", "halueval_qa_dev", "label", "right")
HELD: Final = Data("halueval_qa", "halueval_qa_knowhalu_val", "label", "right")

SAMPLED: Final = "--n-samples 1"
GCA: Final = "--method gca --repeats 1 --n-samples 1 --threshold 0.5"

MERGED: Final = ("merged",)
PUBLISHED: Final = ("as published",)

PARTS: Final = (
    Part("fsc-text", WIKIBIO, 2, f"--method fsc-text {SAMPLED}"),
    Part("fsc-frequency", WIKIBIO, 2, f"--method fsc-frequency {SAMPLED}"),
    Part("fsc-kg", WIKIBIO, 2, f"--method fsc-kg {SAMPLED}"),
    Part("selfcheck-prompt", WIKIBIO, 2, f"--method selfcheck-prompt {SAMPLED}"),
    Part("issc", WIKIBIO, 2, f"--method issc {SAMPLED}"),
    Part("triplet-check", QA, 4, "--method triplet-check"),
    Part("bcv", QA, 4, "--method bcv --repeats 2"),
    Part("bcv-cot", QA, 4, "--method bcv-cot --repeats 2"),
    Part("correction", WIKIBIO, 2, f"--method fsc-text {SAMPLED} --with-correction", PUBLISHED),
    Part("gca, phd", PHD, 2, f"{GCA} --weights phd", MERGED),
    Part("knowhalu", HELD, 2, "--method knowhalu --repeats 1"),
    Part("gca, wikibio", WIKIBIO, 2, GCA, MERGED),
)

FIGURES: Final = {
    "sentence_hallucination_auc_pr_score": "AUC-PR",
    "passage_f1": "passage F1",
    "passage_accuracy": "passage accuracy",
    "auroc": "AUROC",
    "tpr": "TPR",
    "tnr": "TNR",
    "balanced_accuracy": "BA",
    "youden": "J",
    "youden_weighted": "J_w",
    "f1": "F1",
    "accuracy": "accuracy",
    "in_sample_balanced_accuracy": "in-sample BA",
    "in_sample_youden": "in-sample J",
    "in_sample_youden_weighted": "in-sample J_w",
}
FATES: Final = ("factual", "non_factual", "refused", "removed", "not_judged")
BLIND: Final = ("all_positive", "all_negative", "random", "ngram")


def pick(folder: Path, out: Path, data: Data, rows: int) -> Path:
    """Write a file of the shortest rows of each class, in turn."""
    lines = gzip.decompress((folder / f"{data.file}.jsonl.gz").read_bytes()).splitlines()
    of_class: dict[bool, list[bytes]] = {True: [], False: []}
    for line in sorted(lines, key=len):
        labels = json.loads(line)[data.field]
        right = {labels} == {data.right} if isinstance(labels, str) else set(labels) == {data.right}
        of_class[right].append(line)
    path = out / f"{data.file}_{rows}.jsonl"
    chosen = chain.from_iterable(zip(of_class[True], of_class[False], strict=False))
    path.write_bytes(b"\n".join(list(chosen)[:rows]) + b"\n")
    return path


def measure(part: Part, way: str, out: Path, file: Path, asked: list[str]) -> Any:
    """Return what `halubot bench` prints of a part; it is made only once."""
    path = out / f"{part.name.replace(', ', '-')}-{way.removeprefix('as ')}.json"
    if not path.exists():
        command = [sys.executable, "-m", "halubot", "bench", part.data.dataset]
        command += [
            "--data",
            str(file),
            *part.options.split(),
            *["--as-published"] * (way != "merged"),
        ]
        command += [*asked, "--store", str(out / "store"), "--resume", str(path) + ".work"]
        printed = subprocess.check_output([*command, "--format", "json"])  # noqa: S603
        path.write_bytes(printed)
    return json.loads(path.read_bytes())


def figures(metrics: Mapping[str, float | None]) -> str:
    """The figures that are defined, in one cell."""
    there = ((told, metrics.get(name)) for name, told in FIGURES.items())
    return ", ".join(f"{told} {value:.2f}" for told, value in there if value is not None)


def lines(found: Mapping[Part, list[tuple[str, Any]]]) -> Iterator[str]:
    """The tables: each part, blind baselines on the same rows, and what became of corrections."""
    yield "| method | rows | | calls | from the store | tokens read | written | seconds | figures |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for part, ways in found.items():
        for way, one in ways:
            usage = one["usage"]
            calls = usage["calls"] + usage["cached_calls"], usage["cached_calls"]
            tokens = usage["prompt_tokens"], usage["completion_tokens"]
            cells = [f"`{part.name}`", f"{one['rows']} of `{part.data.file}`", way]
            seconds = round(
                max(usage["seconds"], one["seconds"])
            )  # of a part that went on, the sum
            cells += [f"{number:,}" for number in (*calls, *tokens, seconds)]
            yield f"| {' | '.join(cells)} | {figures(one['metrics'])} |"
    yield from ("", "| blind, on the same rows | | figures |", "| --- | --- | --- |")
    seen: set[Data] = set()
    for part, ((_, one), *_) in found.items():
        if part.data not in seen:
            seen.add(part.data)
            for name in BLIND:
                blind = figures(one["baselines"][name]["metrics"])
                yield f"| {one['rows']} of `{part.data.file}` | `{name}` | {blind} |"
    fates = {
        f"{way}: {at}": [one["metrics"].get(f"{fate}: {at}") for fate in FATES]
        for part, ways in found.items()
        if part.name == "correction"
        for way, one in ways
        for at in ("before", "hints none", "hints sentences", "hints facts")
    }
    yield from ("", f"| sentences | {' | '.join(FATES)} |", "| --- " * (len(FATES) + 1) + "|")
    for name, shares in fates.items():
        yield f"| {name} | {' | '.join('' if s is None else f'{s:.2f}' for s in shares)} |"


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--model", required=True)
@click.option("--api-base", required=True)
def main(folder: Path, out: Path, model: str, api_base: str) -> None:
    """Measures each part, and prints what is there."""
    out.mkdir(parents=True, exist_ok=True)
    asked = ["--model", model, "--api-base", api_base, "--timeout", "600"]
    found: dict[Part, list[tuple[str, Any]]] = {}
    for part in PARTS:
        file = pick(folder, out, part.data, part.rows)
        for way in part.ways:
            click.echo(f"{part.name}, {way}", err=True)
            found.setdefault(part, []).append((way, measure(part, way, out, file, asked)))
    click.echo("\n".join(lines(found)))


if __name__ == "__main__":
    main()
