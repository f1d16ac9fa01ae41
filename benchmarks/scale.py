"""What several processes cost and bring, and what one process does with a model, in one run.

    python -m benchmarks.scale                        all of it
    python -m benchmarks.scale --only engine          processor time and speed of processes
    python -m benchmarks.scale --only flight          calls in flight and messages a second
    python -m benchmarks.scale --only guardrail       a call of the guardrail

Processes check made-up messages without a model. Each figure is of the lines
after the first third, so that starting the processes and ending them is told apart from the work;
the runs to be compared follow one another, round by round, because other work on the machine
changes with time. Memory over thousands of messages is `python -m benchmarks.batch --memory`.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click
import psutil

from benchmarks import batch, service

PLACES = ("Harrow", "Selby", "Wick", "Alder", "Marsh", "Tarn", "Cole", "Ashby")


@dataclass(frozen=True)
class Took:
    """What the lines of a batch after its first ones took, for each of them: milliseconds of
    processor of the command itself and of the processes below it, and seconds by the clock."""

    command: float
    workers: float
    wall: float

    @property
    def processor(self) -> float:
        """Milliseconds of all processes together."""
        return self.command + self.workers


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
    command = [sys.executable, "-m", "halubot", "batch", str(source), str(target), *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:  # noqa: S603 - itself
        looks = list(watch_work(process, target))
    assert process.returncode == 0, command
    # The first third warms the caches of words up, in each process of its own.
    first = next(look for look in looks if look.lines >= lines / 3)
    last = looks[-1]
    done = last.lines - first.lines
    return Took(
        1000 * (last.command - first.command) / done,
        1000 * (last.workers - first.workers) / done,
        (last.at - first.at) / done,
    )


@dataclass(frozen=True)
class Look:
    """One look at a batch at work: lines written, seconds of processor, and the time."""

    lines: int
    command: float
    workers: float
    at: float


def watch_work(process: subprocess.Popen[bytes], target: Path) -> Iterator[Look]:
    """Look at a batch each time that it has written more, until it has ended. Starting the
    processes and ending them is before the first look and after the last one."""
    top, below, written = psutil.Process(process.pid), list[psutil.Process](), 0
    while process.poll() is None and not target.exists():
        time.sleep(0.02)
    with target.open("rb") as out:
        while process.poll() is None:
            time.sleep(0.05)
            new = out.read().count(b"\n")
            if not new:
                continue
            written += new
            with suppress(psutil.NoSuchProcess):
                # No process begins or ends between the first chunk and the last.
                below = below or top.children(recursive=True)
                yield Look(written, seconds(top), sum(map(seconds, below)), time.perf_counter())


def seconds(process: psutil.Process) -> float:
    """Seconds of processor that a process has taken."""
    times = process.cpu_times()
    return float(times.user + times.system)


def measure_engine(folder: Path, lines: int, rounds: int) -> None:
    """Print processor time against one process, and the speed of two processes."""
    ways: dict[str, tuple[str, ...]] = {
        "one process": (),
        "2 processes": ("--processes", "2"),
    }
    found: dict[str, list[Took]] = {name: [] for name in ways}
    for number in range(rounds):
        for name, words in ways.items():
            work = run_batch(folder, lines, *words)
            found[name].append(work)
            click.echo(
                f"round {number + 1}, {name}: {work.processor:.1f} ms of processor a line, of which"
                f" {work.command:.1f} in the command; {1 / work.wall:.1f} lines/s"
            )
    pairs = list(zip(found["one process"], found["2 processes"], strict=True))
    ratio = statistics.median(two.processor / one.processor for one, two in pairs)
    click.echo(f"processor time of two processes against one: {ratio:.2f}")
    speed = statistics.median(one.wall / two.wall for one, two in pairs)
    click.echo(f"two processes against one: {speed:.2f} times as fast (bar 1.6)")


@click.command()
@click.option("--only", type=click.Choice(["engine", "flight", "guardrail"]))
@click.option("--lines", default=600, show_default=True, help="Lines of a batch.")
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
