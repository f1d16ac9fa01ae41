"""How long commands take to start, and how time and memory of `consensus` grow with a text.

    python -m benchmarks.speed

1x is a message of 8 sentences with 20 samples of 10, about the size of a WikiBio passage. Each case
runs in a process of its own; times are the best of several, memory is the peak of the whole
process, Python and libraries included.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import click
from rich.console import Console
from rich.table import Table

from benchmarks.lives import message, sample
from halubot import check

SAMPLES = 20
TIMES = (1, 10, 100)
PATIENCE_SECONDS = 3.0

EMPTY = "import click; click.command()(lambda: None)(['--help'])"
HALUBOT = "import sys; from halubot.cli import main; raise SystemExit(main(sys.argv[1:]))"
COMMANDS = {
    "empty click program --help": (EMPTY,),
    "halubot --help": (HALUBOT, "--help"),
    "halubot demo": (HALUBOT, "demo"),
}


def start_ups(runs: int) -> Table:
    """Start each command so often, in turns, so that a busy machine slows them alike."""
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(runs + 1):
        for name, command in COMMANDS.items():
            began = time.perf_counter()
            line = [sys.executable, "-c", *command]
            subprocess.run(line, stdout=subprocess.DEVNULL, check=False)  # noqa: S603
            taken[name].append(time.perf_counter() - began)
    table = Table("", "median ms", "best ms", title="start", title_justify="left")
    for name, times in taken.items():
        rest = times[1:]  # the first start fills the disk's cache
        table.add_row(name, f"{statistics.median(rest) * 1000:.0f}", f"{min(rest) * 1000:.0f}")
    return table


def measure(lives: int, samples: int, lives_of_sample: int) -> tuple[int, float, float]:
    """Check made-up lives in this process: facts, seconds, and the peak of memory in megabytes."""
    text = " ".join(map(message, range(lives)))
    others = [
        " ".join(sample(life, index) for life in range(lives_of_sample)) for index in range(samples)
    ]
    taken: list[float] = []
    began = time.perf_counter()
    while len(taken) < 2 or time.perf_counter() - began < PATIENCE_SECONDS:
        start = time.perf_counter()
        report = check(text, samples=others, method="consensus")
        taken.append(time.perf_counter() - start)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    return len(report.facts), min(taken), peak


def growth(title: str, cases: list[tuple[int, int, int]]) -> Table:
    """Measure a size at 1x, 10x and 100x, each in a process where nothing was loaded before."""
    table = Table("", "facts", "ms", "peak MB", title=title, title_justify="left")
    for times, case in zip(TIMES, cases, strict=True):
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            facts, seconds, megabytes = pool.submit(measure, *case).result()
        table.add_row(f"{times}x", str(facts), f"{seconds * 1000:.1f}", f"{megabytes:.0f}")
    return table


@click.command()
@click.option("--runs", default=20, show_default=True, help="How often each command is started.")
def main(runs: int) -> None:
    """Measure speed, memory, and how they grow."""
    console = Console()
    console.print(start_ups(runs))
    console.print(growth("samples (1x: 20)", [(1, SAMPLES * n, 1) for n in TIMES]))
    console.print(
        growth("length of the message (1x: 8 sentences)", [(n, SAMPLES, n) for n in TIMES])
    )
    console.print(growth("length of each sample (1x: 10)", [(1, SAMPLES, n) for n in TIMES]))


if __name__ == "__main__":
    main()
