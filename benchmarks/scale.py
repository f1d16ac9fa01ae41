"""What several processes cost and bring, and what one process does with a model, in one run.

    python benchmarks/scale.py                        all of it
    python benchmarks/scale.py --only engine          processor time and speed of Dask's workers
    python benchmarks/scale.py --only flight          calls in flight and messages a second
    python benchmarks/scale.py --only guardrail       a call of the guardrail

Engines check made-up messages without a model, in chunks of 10 lines. Each figure is the difference
between a batch and one of twice as many lines, so that starting the processes is told apart from
the work; the runs to be compared follow one another, round by round, because other work on the
machine changes with time. Memory over thousands of messages is `benchmarks/batch.py --memory`.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click
import psutil

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import batch, service

PLACES = ("Harrow", "Selby", "Wick", "Alder", "Marsh", "Tarn", "Cole", "Ashby")
CHUNK = 10


@dataclass(frozen=True)
class Took:
    """What a batch took: seconds of all its processes together, and seconds by the clock."""

    processor: float
    wall: float

    def __sub__(self, other: Took) -> Took:
        return Took(self.processor - other.processor, self.wall - other.wall)


def write_lines(path: Path, count: int) -> None:
    """Messages of eight sentences, each with a reference of its own of sixteen."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            told = [
                f"The {place} Bridge opened in {1700 + (number * 7 + at) % 250}."
                f" It is {100 + (number * 3 + at) % 800} metres long."
                for at, place in enumerate(PLACES)
            ]
            row = {"text": " ".join(told[:4]), "references": [" ".join(told)]}
            file.write(f"{json.dumps(row)}\n")


def run_batch(folder: Path, lines: int, *words: str) -> Took:
    """Run `halubot batch` over so many lines in a process of its own."""
    source, target = folder / f"{lines}.jsonl", folder / "out.jsonl"
    if not source.exists():
        write_lines(source, lines)
    target.unlink(missing_ok=True)
    began = time.perf_counter()
    command = [sys.executable, "-m", "halubot", "batch", str(source), str(target), *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:  # noqa: S603 - itself
        seconds = watch_processor(process)
    wall = time.perf_counter() - began
    assert process.returncode == 0, command
    return Took(seconds, wall)


def watch_processor(process: subprocess.Popen[bytes]) -> float:
    """Wait until a process ends; the seconds of processor that it and all processes below it took.

    The system counts those of a process that ended for who waited for it, and of workers that are
    killed at the end nobody may: they are looked at ten times a second."""
    took: dict[int, float] = {}
    top = psutil.Process(process.pid)
    while process.poll() is None:
        with suppress(psutil.NoSuchProcess):
            for one in [top, *top.children(recursive=True)]:
                with suppress(psutil.NoSuchProcess):
                    times = one.cpu_times()
                    took[one.pid] = times.user + times.system
        time.sleep(0.1)
    return sum(took.values())


def measure_engine(folder: Path, lines: int, rounds: int) -> None:
    """Print processor time against one process, and the speed of two workers against one."""
    chunk = ("--chunk", str(CHUNK))
    ways = {
        "one process": (),
        "1 worker": ("--engine", "dask", "--workers", "1", *chunk),
        "2 workers": ("--engine", "dask", "--workers", "2", *chunk),
    }
    found: dict[str, list[Took]] = {name: [] for name in ways}
    for number in range(rounds):
        for name, words in ways.items():
            small = run_batch(folder, lines, *words)
            work = run_batch(folder, 2 * lines, *words) - small
            found[name].append(work)
            click.echo(
                f"round {number + 1}, {name}: {1000 * work.processor / lines:.1f} ms of processor"
                f" a line, {lines / work.wall:.1f} lines/s; start"
                f" {small.processor - work.processor:.1f} s of processor"
            )
    for name in ("1 worker", "2 workers"):
        pairs = zip(found[name], found["one process"], strict=True)
        ratio = statistics.median(one.processor / alone.processor for one, alone in pairs)
        click.echo(f"processor time of {name} against one process: {ratio:.2f} (bar 1.25)")
    pairs = zip(found["1 worker"], found["2 workers"], strict=True)
    speed = statistics.median(one.wall / two.wall for one, two in pairs)
    click.echo(f"two workers against one: {speed:.2f} times as fast (bar 1.6)")


@click.command()
@click.option("--only", type=click.Choice(["engine", "flight", "guardrail"]))
@click.option("--lines", default=400, show_default=True, help="Lines of the smaller batch.")
@click.option("--rounds", default=3, show_default=True)
def main(only: str | None, lines: int, rounds: int) -> None:
    """Measure."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    with tempfile.TemporaryDirectory() as folder:
        if only in (None, "engine"):
            measure_engine(Path(folder), lines, rounds)
        if only in (None, "flight"):
            batch.measure_flight(Path(folder), messages=96, latency=0.3)
    if only in (None, "guardrail"):
        service.measure(calls=100)


if __name__ == "__main__":
    main()
