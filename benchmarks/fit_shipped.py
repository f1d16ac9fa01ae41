"""Fits the calibrations that come with halubot and writes them into its package.

    python benchmarks/fit_shipped.py DATA

DATA (or $HALUBOT_DATA) is a folder with `wikibio_dev.jsonl.gz` and `wikibio_verdicts_dev.jsonl.gz`.
Only a probability is shipped: the threshold stays the method's own, which was chosen so that
verdicts on facts read right. A model's answers are the recorded ones; those of all recorded models
are fitted together, each passage a group, and serve for every model. It prints the figures of what
the folds left out, and takes a few minutes; with a method's name after DATA it fits that one anew
and leaves the others as they are.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

import halubot.calibration
from halubot.calibration.store import AND, NONE, Calibrated, load_shipped
from halubot.evaluation.fit import calibrator
from halubot.evaluation.fit.calibrator import Data, Fitted, Plan
from halubot.evaluation.fit.cross_validation import parse
from halubot.evaluation.recorded_verdicts import with_verdicts
from halubot.report import Calibration

SHIPPED = Path(halubot.calibration.__file__).with_name("shipped.json")
JUDGES = ("gemma-31b", "qwen-9b")
FIGURES = ("brier", "brier_of_base_rate", "ece", "auroc", "balanced_accuracy")
ON = "WikiBio GPT-3, development part (179 passages)"
PLANS = (
    ("consensus", ("samples",)),
    ("consensus", ("references",)),
    ("consensus", ("samples", "references")),
    ("selfcheck-ngram", ("samples",)),
    ("ensemble", ("samples",)),
    ("cascade", ("samples",)),
)
JUDGED = ("ensemble", "cascade")


def plan(file: Path, method: str, given: tuple[str, ...]) -> Plan:
    """What is fitted: sentences of WikiBio, compared with what is named."""
    return Plan(
        file,
        method,
        parse("youden"),
        dataset="wikibio",
        with_samples="samples" in given,
        with_reference="references" in given,
    )


def judged(data: Data, verdicts: Path) -> Data:
    """The rows once for each recorded model, the same passage in the same group."""
    rows = tuple(replace(row, group=row.id) for row in data.rows)
    return replace(
        data, rows=tuple(row for name in JUDGES for row in with_verdicts(rows, verdicts, name))
    )


def published(fitted: Fitted) -> Calibrated:
    """What is shipped of it: a probability, for any model where one judged."""
    found = fitted.calibrated
    by_model = found.method in JUDGED
    on = f"{ON}; answers of {' and '.join(JUDGES)}" if by_model else ON
    line = Calibration(
        intercept=round(found.calibration.intercept, 4),
        slope=round(found.calibration.slope, 4),
        fitted_on=on,
    )
    return found.model_copy(
        update={
            "model": AND.join(JUDGES) if by_model else None,
            "threshold": None,
            "calibration": line,
            "figures": {name: found.figures[name] for name in FIGURES},
        }
    )


def figure(fitted: Fitted, name: str) -> str:
    """A figure with its interval."""
    value, ends = fitted.out_of_fold.figures[name], fitted.out_of_fold.intervals[name]
    assert value is not None
    assert ends is not None
    return f"{value:.3f} ({ends[0]:.3f} to {ends[1]:.3f})"


@click.command(help="Fits the calibrations that come with halubot.")
@click.argument(
    "data",
    envvar="HALUBOT_DATA",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@click.argument("method", required=False, type=click.Choice(sorted({name for name, _ in PLANS})))
def main(data: Path, method: str | None) -> None:
    """Fits, prints the figures, and writes the file."""
    file, verdicts = data / "wikibio_dev.jsonl.gz", data / "wikibio_verdicts_dev.jsonl.gz"
    for needed in (file, verdicts):
        if not needed.exists():
            sys.exit(f"{data} holds no {needed.name}")
    console = Console()
    table = Table("method", "compared with", *FIGURES, title="What the folds left out")
    made = [one for one in load_shipped() if method is not None and one.method != method]
    for name, given in PLANS:
        if method not in (None, name):
            continue
        planned = plan(file, name, given)
        rows = calibrator.read(planned)
        if name in JUDGED:
            rows = judged(rows, verdicts)
        fitted = calibrator.calibrate(planned, rows, calibrations=NONE)
        made.append(published(fitted))
        table.add_row(
            name,
            " and ".join(given),
            *(figure(fitted, wanted) for wanted in FIGURES),
        )
        said = "  ".join(f"{one.said:.2f}:{one.wrong:.2f}" for one in fitted.out_of_fold.bins)
        console.print(f"{name}, {' and '.join(given)}: said:wrong of each bin  {said}")
        for note in fitted.notes:
            console.print(f"  {note}")
    console.print(table)
    made.sort(key=lambda one: (one.method, one.material))
    written = [one.model_dump(mode="json") for one in made]
    SHIPPED.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
