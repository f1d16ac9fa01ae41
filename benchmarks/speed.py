"""How time and memory of `consensus` grow with the number and the length of texts.

    python -m benchmarks.speed                 made-up biographies, 1x, 10x, 100x
    python -m benchmarks.speed --data FILE     also the passages of a WikiBio file
    python -m benchmarks.speed --repetitive    only texts that repeat themselves, and long ones

1x is a message of 8 sentences with 20 samples of 8 sentences, the size of a WikiBio passage.
Each case runs in a process of its own; times are the best of several, memory is the peak of the
whole process, Python and libraries included.
"""

from __future__ import annotations

import json
import operator
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from benchmarks.datasets import DATASETS
from benchmarks.rows import Row, load
from halubot import check

SENTENCES, SAMPLES = 8, 20
TIMES = (1, 10, 100)
PATIENCE_SECONDS = 3.0

NAMES = ("Orla", "Tomas", "Ines", "Bertil", "Wanda", "Kofi", "Mirela", "Hugh", "Saskia", "Dario")
FAMILIES = ("Venn", "Okafor", "Lindqvist", "Marchetti", "Dunmore", "Havel", "Ferreira", "Sato")
PLACES = ("Bergen", "Porto", "Leeds", "Graz", "Turin", "Lyon", "Gdansk", "Ghent", "Cork", "Basel")
TRADES = ("botanist", "engraver", "surveyor", "composer", "chemist", "historian", "glazier")
TOPICS = ("alpine mosses", "river tides", "organ pipes", "old maps", "salt mines", "wool dyes")
SHAPES = (
    "{name} was born in {place} on {day} May {year}.",
    "{name} was a {trade} and a {other} from {place}.",
    "In {year}, {name} moved to {place} and studied {topic}.",
    "{name} wrote {count} books about {topic}, the first of them in {year}.",
    "The academy of {place} elected {name} a member in {year}.",
    "{name} married {friend}, a {trade} from {place}, in {year}.",
    "About {count},000 letters of {name} on {topic} are kept in {place}.",
    "{name} died in {place} at the age of {count}.",
)

SHORT = "The Kellan Bridge was opened in 1931. It cost 5% of the market and a silver letter."
REPEATED = {
    "one value": "5% ",
    "two letters": "a b ",
    "one sentence": "The Kellan Bridge was opened in 1931. ",
    "one clause": "they sang in the garden, but ",
    "one denial": "not ",
    "one modal": "must go ",
}
LENGTHS = (1000, 2000, 4000, 8000)
PATIENCE_FOR_ONE = 30.0


@dataclass(frozen=True)
class Case:
    """What is measured: sentences of the message, samples, sentences of each sample."""

    sentences: int
    samples: int
    sample_sentences: int


@dataclass(frozen=True)
class Cost:
    """Facts found, seconds a check takes, and the peak of memory in megabytes."""

    facts: int
    seconds: float
    megabytes: float


def biography(sentences: int, random: random.Random) -> list[dict[str, str]]:
    """The blanks of so many sentences, a new person every eight."""
    blanks = []
    for index in range(sentences):
        if index % len(SHAPES) == 0:
            person = f"{random.choice(NAMES)} {random.choice(FAMILIES)}"
        blanks.append(
            {
                "name": person,
                "friend": f"{random.choice(NAMES)} {random.choice(FAMILIES)}",
                "place": random.choice(PLACES),
                "trade": random.choice(TRADES),
                "other": random.choice(TRADES),
                "topic": random.choice(TOPICS),
                "day": str(random.randint(1, 28)),
                "year": str(random.randint(1700, 1990)),
                "count": str(random.randint(20, 90)),
            }
        )
    return blanks


def text(blanks: Sequence[dict[str, str]], random: random.Random, *, wrong: float = 0.0) -> str:
    """The sentences written out; a blank is filled from another one with probability wrong."""
    written = []
    for index, blank in enumerate(blanks):
        filled = {
            key: random.choice(blanks)[key] if random.random() < wrong else value
            for key, value in blank.items()
        }
        written.append(SHAPES[index % len(SHAPES)].format(**filled))
    return " ".join(written)


def measured(case: Case) -> Cost:
    """Checks made-up texts of that size in this process."""
    chance = random.Random(1)  # noqa: S311 - it makes texts, not secrets
    blanks = biography(max(case.sentences, case.sample_sentences), chance)
    message = text(blanks[: case.sentences], chance)
    sampled = blanks[: case.sample_sentences]
    samples = [text(sampled, chance, wrong=0.3) for _ in range(case.samples)]
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


def repetitive(console: Console) -> None:
    """Prints the seconds that a check with a text of n equal pieces takes, and with a sentence
    of n different words: as the reference of a short message, as the message of a short reference,
    and as both. A linear check takes twice as long from column to column."""
    made: dict[str, Callable[[int], str]] = {
        name: partial(operator.mul, piece) for name, piece in REPEATED.items()
    }
    made["a long sentence"] = lambda n: " ".join(f"w{number}x" for number in range(n))
    made["a list of numbers"] = lambda n: " ".join(str(1000 + number) for number in range(n))
    table = Table("n", *map(str, LENGTHS), title="repetitive texts, seconds", title_justify="left")
    for name, written in made.items():
        for part in ("reference", "message", "both"):
            cells: list[str] = []
            for length in LENGTHS:
                taken = compared(written(length), part)
                cells.append(f"{taken:.2f}")
                if taken > PATIENCE_FOR_ONE:
                    break
            table.add_row(f"{name}, {part}", *cells)
    console.print(table)


def compared(text: str, part: str) -> float:
    """The seconds of a check in which a text has a part."""
    message = SHORT if part == "reference" else text
    reference = SHORT if part == "message" else text
    start = time.perf_counter()
    check(message, references=[reference], method="consensus")
    return time.perf_counter() - start


def passages(path: Path, console: Console) -> None:
    """Prints what the passages of a WikiBio file take, each checked once after a first."""
    rows = load(DATASETS["wikibio"], path).rows
    taken = []
    for row in [rows[0], *rows]:
        start = time.perf_counter()
        check_row(row)
        taken.append(time.perf_counter() - start)
    once = sorted(taken[1:])
    console.print(
        f"{len(once)} passages: median {statistics.median(once) * 1000:.1f} ms,"
        f" 95 % within {once[int(0.95 * len(once))] * 1000:.1f} ms, {sum(once):.1f} s in all,"
        f" peak {peak_megabytes():.0f} MB",
        highlight=False,
    )


def check_row(row: Row) -> None:
    """Checks a passage of WikiBio by its samples."""
    check(
        row.text,
        samples=row.samples,
        sentences=row.sentences,
        subject=row.subject,
        method="consensus",
    )


@click.command()
@click.option("--data", type=click.Path(path_type=Path, exists=True), help="A WikiBio file.")
@click.option("--repetitive", "only", is_flag=True, help="Only texts that repeat themselves.")
@click.option("--case", hidden=True)
def main(data: Path | None, only: bool, case: str | None) -> None:
    """Measure speed, memory, and how they grow."""
    if case is not None:
        click.echo(json.dumps(asdict(measured(Case(**json.loads(case))))))
        return
    console = Console()
    if only:
        repetitive(console)
        return
    many = [Case(SENTENCES, SAMPLES * times, SENTENCES) for times in TIMES]
    growth("samples (1x: 20)", many, console)
    long = [Case(SENTENCES * times, SAMPLES, SENTENCES) for times in TIMES]
    growth("length of the message (1x: 8 sentences)", long, console)
    wide = [Case(SENTENCES, SAMPLES, SENTENCES * times) for times in TIMES]
    growth("length of each sample (1x: 8 sentences)", wide, console)
    if data is not None:
        passages(data, console)


if __name__ == "__main__":
    main()
