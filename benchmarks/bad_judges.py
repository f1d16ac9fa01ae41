"""What judges that cannot judge do to a check, beside words alone.

    python benchmarks/bad_judges.py DATA [--limit 60]

DATA (or $HALUBOT_DATA) is a folder with a `wikibio*.jsonl.gz` and a `wikibio_verdicts*.jsonl.gz`.
Recorded verdicts stand in for a model, as they are and as worse judges would have given them. A
judge answers 60 canaries as it answers all else, or none: then it is measured by how far it agrees
with words. Each cell has the share of wrong and of right sentences that are doubted, and how often
the judge was ignored. It takes some minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final

import click

import halubot
from halubot.evaluation.datasets import DATASETS
from halubot.evaluation.recorded_verdicts import Noise, with_verdicts
from halubot.evaluation.rows import Row, read_rows
from halubot.reliability import CANNOT_JUDGE, NOTHING
from halubot.report import DOUBTED

METHODS: Final = ("cascade", "ensemble")


@dataclass(frozen=True, slots=True)
class Mostly(Noise):
    """A judge that says yes to all but one of twenty."""

    def turn(self, verdict: int, random: Random) -> int:
        """Return yes, or rarely no."""
        return int(random.random() < self.share)


JUDGES: Final = {
    "as recorded": Noise("flip", 0.0),
    "30 % of its verdicts flipped": Noise("flip", 0.3),
    "a coin": Noise("coin"),
    "yes to 95 %": Mostly("yes", 0.05),
    "yes to all": Noise("yes"),
    "no to all": Noise("no"),
}


def measure(rows: Sequence[Row], method: str) -> str:
    """The shares of wrong and of right sentences that are doubted, and the judges ignored."""
    doubted = {True: list[bool](), False: list[bool]()}
    ignored = 0
    for row in rows:
        report = halubot.check(
            row.text,
            samples=row.samples,
            sentences=row.sentences,
            subject=row.subject,
            method=method,
            verdicts=row.verdicts,
            canaries=row.canaries,
        )
        ignored += any(one.what == CANNOT_JUDGE for one in report.problems)
        for sentence, wrong in zip(report.sentences, row.gold, strict=True):
            doubted[bool(wrong)].append(sentence.verdict in DOUBTED)
    shares = (f"{sum(said) / max(1, len(said)):.2f}" for said in (doubted[True], doubted[False]))
    return f"{' / '.join(shares)} ({ignored})"


@click.command()
@click.argument("data", envvar="HALUBOT_DATA", type=click.Path(path_type=Path, file_okay=False))
@click.option("--limit", default=60, help="Measure only the first passages.", show_default=True)
@click.option("--model", default="gemma-31b", help="Whose verdicts.", show_default=True)
def main(data: Path, limit: int, model: str) -> None:
    """Print the table."""
    (verdicts,) = data.glob("wikibio_verdicts*.jsonl.gz")
    (file,) = (one for one in data.glob("wikibio*.jsonl.gz") if one != verdicts)
    read = with_verdicts(read_rows(DATASETS["wikibio"], file), verdicts, model)[:limit]
    bare = [replace(row, verdicts=None, canaries=NOTHING) for row in read]
    click.echo("| judge | canaries: `cascade` | `ensemble` | agreement: `cascade` | `ensemble` |")
    click.echo("| --- | --- | --- | --- | --- |")
    click.echo(f"| none (`consensus`) | {measure(bare, 'consensus')} | | | |")
    for name, noise in JUDGES.items():
        known = [noise.row(row) for row in read]
        unknown = [replace(row, canaries=NOTHING) for row in known]
        cells = (measure(rows, method) for rows in (known, unknown) for method in METHODS)
        click.echo(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
