"""How time and memory of `consensus` grow with the number and the length of texts.

    python -m benchmarks.speed                 made-up lives, 1x, 10x, 100x
    python -m benchmarks.speed --data FILE     the passages of a WikiBio file too

1x is a message of 8 sentences with 20 samples of 10, about the size of a WikiBio passage. Each case
runs in a process of its own; times are the best of several, memory is the peak of the whole
process, Python and libraries included.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from benchmarks.datasets import DATASETS
from benchmarks.lives import life
from benchmarks.rows import load
from halubot import check

SAMPLES = 20
TIMES = (1, 10, 100)
PATIENCE_SECONDS = 3.0


@dataclass(frozen=True)
class Case:
    """What is measured: lives in the message, samples, and lives in each sample."""

    lives: int = 1
    samples: int = SAMPLES
    lives_of_sample: int = 1


@dataclass(frozen=True)
class Cost:
    """Facts found, seconds a check takes, and the peak of memory in megabytes."""

    facts: int
    seconds: float
    megabytes: float


def measured(case: Case) -> Cost:
    """Checks made-up texts of that size in this process."""
    told = [
        life(seed, samples=case.samples, agreement=0.7)
        for seed in range(max(case.lives, case.lives_of_sample))
    ]
    message = " ".join(one.text for one in told[: case.lives])
    samples = [" ".join(row) for row in zip(*(one.samples for one in told), strict=True)]
    if case.lives_of_sample < case.lives:
        samples = list(told[0].samples)
    taken: list[float] = []
    began = time.perf_counter()
    while len(taken) < 2 or time.perf_counter() - began < PATIENCE_SECONDS:
        start = time.perf_counter()
        report = check(message, samples=samples, method="consensus")
        taken.append(time.perf_counter() - start)
    return Cost(len(report.facts), min(taken), peak_megabytes())


def peak_megabytes() -> float:
    """The most memory this process has held."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def in_own_process(case: Case) -> Cost:
    """`measured`, where nothing was loaded or kept before."""
    command = [sys.executable, "-m", "benchmarks.speed", "--case", json.dumps(asdict(case))]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    return Cost(**json.loads(answer.stdout))


def growth(name: str, cases: Sequence[Case], console: Console) -> None:
    """Prints one table: a size at 1x, 10x, 100x."""
    table = Table("", "facts", "ms", "times 1x", "peak MB", title=name, title_justify="left")
    first: Cost | None = None
    for times, case in zip(TIMES, cases, strict=True):
        cost = in_own_process(case)
        first = first or cost
        table.add_row(
            f"{times}x",
            str(cost.facts),
            f"{cost.seconds * 1000:.1f}",
            f"{cost.seconds / first.seconds:.1f}",
            f"{cost.megabytes:.0f}",
        )
    console.print(table)


def passages(path: Path, console: Console) -> None:
    """Prints what the passages of a WikiBio file take, each checked once after a first."""
    rows = load(DATASETS["wikibio"], path).rows
    taken = []
    for row in [rows[0], *rows]:
        start = time.perf_counter()
        check(row.text, samples=row.samples, sentences=row.sentences, subject=row.subject)
        taken.append(time.perf_counter() - start)
    once = sorted(taken[1:])
    console.print(
        f"{len(once)} passages: median {statistics.median(once) * 1000:.1f} ms,"
        f" 95 % within {once[int(0.95 * len(once))] * 1000:.1f} ms, {sum(once):.1f} s in all,"
        f" peak {peak_megabytes():.0f} MB",
        highlight=False,
    )


@click.command()
@click.option("--data", type=click.Path(path_type=Path, exists=True), help="A WikiBio file.")
@click.option("--case", hidden=True)
def main(data: Path | None, case: str | None) -> None:
    """Measure speed, memory, and how they grow."""
    if case is not None:
        click.echo(json.dumps(asdict(measured(Case(**json.loads(case))))))
        return
    console = Console()
    growth("samples (1x: 20)", [Case(samples=SAMPLES * times) for times in TIMES], console)
    growth("length of the message (1x: 8 sentences)", [Case(lives=n) for n in TIMES], console)
    wide = [Case(lives_of_sample=times) for times in TIMES]
    growth("length of each sample (1x: 10 sentences)", wide, console)
    if data is not None:
        passages(data, console)


if __name__ == "__main__":
    main()
