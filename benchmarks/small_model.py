"""The published methods asked merged and as published, by a small model of one's own machine.

    python benchmarks/small_model.py DATA OUT --model openai/smollm2 --api-base
    http://127.0.0.1:8080/v1

DATA is a folder with the data sets of docs/benchmarks.md. OUT gets the rows that are measured, what
each part printed as JSON, and the model's answers; a part that is there is not measured again. The
rows are the first of each class in the order of the file, right ones and wrong ones in turn. On a
processor such a model takes seconds for each call: the rows are few, and the figures show that the
methods work, and what they take, not how well they judge.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

import click
from rich.console import Console
from rich.table import Table


class Data(NamedTuple):
    """A data set: the name of its file, and which of its rows are right."""

    dataset: str
    file: str
    field: str
    right: str


WIKIBIO: Final = Data("wikibio", "wikibio_dev", "labels", "accurate")
PHD: Final = Data("phd", "phd_dev", "label", "factual")
QA: Final = Data("halueval_qa", "halueval_qa_dev", "label", "right")
HELD: Final = Data("halueval_qa", "halueval_qa_knowhalu_val", "label", "right")

PARTS: Final[dict[str, tuple[Data, int, str]]] = {
    "selfcheck-prompt": (WIKIBIO, 4, "--n-samples 2"),
    "fsc-text": (WIKIBIO, 2, "--n-samples 1"),
    "fsc-frequency": (WIKIBIO, 2, "--n-samples 1"),
    "fsc-kg": (WIKIBIO, 2, "--n-samples 1"),
    "bcv": (QA, 8, "--repeats 2"),
    "bcv-cot": (QA, 8, "--repeats 2"),
    "sca": (QA, 8, "--repeats 2"),
    "knowhalu": (HELD, 4, "--repeats 1"),
}
"""What is asked both ways: the data, how many rows, and the options."""

ONCE: Final[dict[str, tuple[Data, int, str]]] = {
    "gca, phd": (PHD, 2, "--method gca --repeats 1 --n-samples 1 --weights phd --threshold 0.5"),
    "gca, wikibio": (WIKIBIO, 2, "--method gca --repeats 1 --n-samples 1 --threshold 0.5"),
    "correction": (WIKIBIO, 2, "--method fsc-text --n-samples 1 --with-correction"),
}
"""What is asked merged alone."""

FIGURES: Final = (
    *("sentence_hallucination_auc_pr_score", "passage_f1", "passage_accuracy"),
    *("auroc", "balanced_accuracy", "tpr", "tnr", "f1", "accuracy"),
)


def parts() -> Iterator[tuple[str, Data, int, str]]:
    """All parts, with the rest of their commands."""
    for name, (data, rows, options) in PARTS.items():
        yield name, data, rows, f"--method {name} {options}"
        yield f"{name} as published", data, rows, f"--method {name} {options} --as-published"
    for name, (data, rows, options) in ONCE.items():
        yield name, data, rows, options


def picked(folder: Path, out: Path, data: Data, rows: int) -> Path:
    """A file of the first rows of each class, in turn."""
    lines = gzip.decompress((folder / f"{data.file}.jsonl.gz").read_bytes()).splitlines()
    of_class: dict[bool, list[bytes]] = {True: [], False: []}
    for line in lines:
        labels = json.loads(line)[data.field]
        right = {labels} == {data.right} if isinstance(labels, str) else set(labels) == {data.right}
        of_class[right].append(line)
    path = out / f"{data.file}_{rows}.jsonl"
    chosen = chain.from_iterable(zip(of_class[True], of_class[False], strict=False))
    path.write_bytes(b"\n".join(list(chosen)[:rows]) + b"\n")
    return path


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--model", required=True)
@click.option("--api-base", required=True)
def main(folder: Path, out: Path, model: str, api_base: str) -> None:
    """Measures each part, and prints what is there."""
    out.mkdir(parents=True, exist_ok=True)
    table = Table("part", "rows", "calls", "tokens read", "written", "seconds", "figures")
    for name, data, rows, options in parts():
        path = out / f"{name.replace(', ', '-').replace(' ', '-')}.json"
        if not path.exists():
            file = picked(folder, out, data, rows)
            asked = [*("--model", model, "--api-base", api_base, "--timeout", "600")]
            command = [sys.executable, "-m", "halubot", "bench", data.dataset, "--data", str(file)]
            command += [*options.split(), *asked, "--store", str(out / "store")]
            path.write_bytes(subprocess.check_output([*command, "--format", "json"]))  # noqa: S603
        found: dict[str, Any] = json.loads(path.read_bytes())
        usage, figures = found["usage"], found["metrics"]
        told = (f"{key} {figures[key]:.3f}" for key in FIGURES if figures.get(key) is not None)
        tokens = usage["prompt_tokens"], usage["completion_tokens"]
        numbers = (found["rows"], usage["calls"], *tokens, round(found["seconds"]))
        table.add_row(name, *map(str, numbers), "\n".join(told))
    Console().print(table)


if __name__ == "__main__":
    main()
