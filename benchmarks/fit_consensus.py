"""Chooses the constants of `consensus` and shows what each is worth.

    python benchmarks/fit_consensus.py DATA

DATA (or $HALUBOT_DATA) is a folder with a `wikibio*.jsonl.gz`; where it also holds `phd*` and
`faithbench*`, the last table shows how the choices carry over to them.

Folds are over passages, whole. On four fifths the constants are chosen one after the other from
the grid, starting from none of the ideas (all words alike and whole, no habit); the fifth left
out is scored with that choice. Figures of folds are averaged, not pooled: each fold has a scale of
its own.
What is made large is the mean, over 20 samples, the first 5, and the reference alone, of
five figures: AUC-PR of sentences (hallucinated, factual) by score and by rank, and the AUROC
inside passages by score. Last, on samples and the reference together, what the words of the
reference count beside those of samples, starting from nothing. Another value must gain 0.1 points.
It takes about ten minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.metrics import average_precision_score, roc_auc_score

from halubot.evaluation.datasets import DATASETS
from halubot.evaluation.rows import Row, read_rows
from halubot.methods.consensus.word_scores import (
    CONSTANTS,
    NO_HABITS,
    Constants,
    SentenceScore,
    message_score,
    score_sentences,
)
from halubot.text import Document, read

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDS = 5
LEAST_GAIN = 0.001
FIGURES = ("score hall", "fact", "within", "rank hall", "fact")

Set = Callable[[Constants, float], Constants]
GRID: Mapping[str, tuple[Set, tuple[float, ...]]] = {
    "number": (lambda c, v: replace(c, weights=replace(c.weights, number=v)), (1, 2, 4, 6)),
    "name": (lambda c, v: replace(c, weights=replace(c.weights, name=v)), (1, 2, 3, 4)),
    "prefix": (lambda c, v: replace(c, prefix=int(v)), (0, 3, 4, 5, 6)),
    "agreement": (lambda c, v: replace(c, agreement=v), (0, 0.1, 0.25, 0.4)),
    "sharpness": (
        lambda c, v: replace(c, habits=replace(c.habits, sharpness=v)),
        (1, 1.25, 1.5, 2, 3),
    ),
    "year": (lambda c, v: replace(c, habits=replace(c.habits, year=v)), (0, 0.05, 0.1, 0.15)),
    "hedge": (lambda c, v: replace(c, habits=replace(c.habits, hedge=v)), (0, 0.02, 0.04, 0.06)),
}
BESIDE = (0, 0.5, 1, 1.5, 2, 3)
NEUTRAL = replace(
    CONSTANTS,
    beside=0,
    weights=replace(CONSTANTS.weights, name=1, number=1),
    prefix=0,
    agreement=0,
    habits=NO_HABITS,
)
WITHOUT: Mapping[str, Constants] = {
    "as it is": CONSTANTS,
    "habit: no year": replace(CONSTANTS, habits=replace(CONSTANTS.habits, year=0)),
    "habit: no hedges": replace(CONSTANTS, habits=replace(CONSTANTS.habits, hedge=0)),
    "habit: no sharpness": replace(CONSTANTS, habits=replace(CONSTANTS.habits, sharpness=1)),
    "no habit at all": replace(CONSTANTS, habits=NO_HABITS),
    "no agreement": replace(CONSTANTS, agreement=0),
    "words meet whole": replace(CONSTANTS, prefix=0),
    "all words alike": replace(CONSTANTS, weights=replace(CONSTANTS.weights, name=1, number=1)),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """What a message is compared with: so many samples, the reference or not."""

    samples: int
    reference: bool

    def __str__(self) -> str:
        given = ["1 sample" if self.samples == 1 else f"{self.samples} samples"]
        return " + ".join(given[: self.samples] + ["reference"] * self.reference)


FITTED = (Setting(20, False), Setting(5, False), Setting(0, True))
TOGETHER = (Setting(20, True), Setting(5, True))
SHOWN = (*FITTED, *TOGETHER, Setting(1, False), Setting(1, True))


@dataclass(frozen=True, slots=True)
class Passage:
    """A row, read once."""

    row: Row
    message: Document
    samples: tuple[Document, ...]
    references: tuple[Document, ...]

    @property
    def wrong(self) -> NDArray[np.bool_]:
        return np.array(self.row.gold) > 0

    def scores(self, setting: Setting, constants: Constants) -> list[SentenceScore]:
        return score_sentences(
            self.message,
            self.samples[: setting.samples],
            self.references if setting.reference else (),
            self.row.subject,
            constants=constants,
        )


def passages(name: str, file: Path) -> tuple[Passage, ...]:
    """The rows of a data set, with all their texts read."""
    return tuple(
        Passage(
            row,
            read(row.text, sentences=row.sentences),
            tuple(map(read, row.samples)),
            tuple(map(read, row.references)),
        )
        for row in read_rows(DATASETS[name], file)
    )


def figures(rows: Sequence[Passage], scored: Sequence[Sequence[SentenceScore]]) -> list[float]:
    """The five figures of `FIGURES`."""
    wrong = np.concatenate([row.wrong for row in rows])
    found: list[float] = []
    for by in ("score", "rank"):
        values = np.concatenate([[getattr(one, by) for one in scores] for scores in scored])
        found.append(float(average_precision_score(wrong, values)))
        found.append(float(average_precision_score(~wrong, -values)))
    within = [
        roc_auc_score(row.wrong, [one.score for one in scores])
        for row, scores in zip(rows, scored, strict=True)
        if 0 < row.wrong.sum() < len(row.wrong)
    ]
    return [*found[:2], float(np.mean(within)), *found[2:]]


class Fit:
    """The choice of constants on some of the passages; what was scored once is kept."""

    def __init__(self, rows: Sequence[Passage]) -> None:
        self.rows = rows
        self.scored = cache(self._scored)

    def _scored(self, setting: Setting, constants: Constants) -> list[list[SentenceScore]]:
        return [row.scores(setting, constants) for row in self.rows]

    def goal(
        self, which: Sequence[int], constants: Constants, settings: Sequence[Setting] = FITTED
    ) -> float:
        """The mean of all figures over these settings."""
        rows = [self.rows[i] for i in which]
        values = []
        for setting in settings:
            scored = self.scored(setting, constants)
            values += figures(rows, [scored[i] for i in which])
        return float(np.mean(values))

    def choose(self, which: Sequence[int]) -> Constants:
        """The constants for these passages, chosen one after the other from neutral ones."""
        chosen = NEUTRAL
        best = self.goal(which, chosen)
        for change, values in GRID.values():
            for candidate in [change(chosen, value) for value in values]:
                goal = self.goal(which, candidate)
                if goal > best + LEAST_GAIN:
                    best, chosen = goal, candidate
        best = self.goal(which, chosen, TOGETHER)
        for candidate in [replace(chosen, beside=value) for value in BESIDE]:
            goal = self.goal(which, candidate, TOGETHER)
            if goal > best + LEAST_GAIN:
                best, chosen = goal, candidate
        return chosen

    def middle(self, which: Sequence[int], chosen: Constants) -> float:
        """With these constants, the doubt that best parts wrong sentences from right ones, to a
        twentieth: the balanced accuracy, its mean over the fitted settings, is largest there."""
        middles = np.arange(0.75, 1.36, 0.05)
        return float(
            middles[np.argmax([self.balanced(which, replace(chosen, middle=m)) for m in middles])]
        )

    def balanced(self, which: Sequence[int], constants: Constants) -> float:
        """The balanced accuracy of doubting from 0.5 on, mean over the fitted settings."""
        wrong = np.concatenate([self.rows[i].wrong for i in which])
        values = []
        for setting in FITTED:
            scored = self.scored(setting, constants)
            doubted = np.concatenate([[one.score >= 0.5 for one in scored[i]] for i in which])
            values.append((doubted[wrong].mean() + (~doubted[~wrong]).mean()) / 2)
        return float(np.mean(values))


def by_fold(fit: Fit, setting: Setting) -> list[list[float]]:
    """The figures of each fold with the present constants."""
    scored = fit.scored(setting, CONSTANTS)
    return [figures(fit.rows[fold::FOLDS], scored[fold::FOLDS]) for fold in range(FOLDS)]


def table(title: str, columns: Sequence[str], rows: Iterator[tuple[str, Sequence[str]]]) -> Table:
    """A table whose first column is the name of the row."""
    made = Table(title=title, title_justify="left")
    made.add_column("")
    for column in columns:
        made.add_column(column, justify="right")
    for name, values in rows:
        made.add_row(name, *values)
    return made


def points(values: Sequence[float]) -> list[str]:
    """Shares as points of a hundred."""
    return [f"{100 * value:.1f}" for value in values]


def carried(folder: Path, constants: Constants) -> list[str]:
    """The AUROC of message scores on PHD and FaithBench, "" where the file is missing."""
    found = []
    for name, setting in (("phd", Setting(3, False)), ("faithbench", Setting(0, True))):
        rows = [row for row in other(folder, name) if row.row.gold]
        scores = [
            message_score([one.score for one in row.scores(setting, constants)]) or 0.5
            for row in rows
        ]
        wrong = [row.row.gold[0] > 0 for row in rows]
        found.append(f"{100 * roc_auc_score(wrong, scores):.1f}" if rows else "")
    return found


@cache
def other(folder: Path, name: str) -> tuple[Passage, ...]:
    """The rows of another data set in the folder, none where there is no such file."""
    files = sorted(folder.glob(f"{name}*.jsonl.gz"))
    return passages(name, files[0]) if files else ()


@click.command(help="Chooses the constants of consensus on the data sets in a folder.")
@click.argument(
    "data",
    envvar="HALUBOT_DATA",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
def main(data: Path) -> None:
    """Prints the choice of each fold and the tables."""
    files = sorted(set(data.glob("wikibio*.jsonl.gz")) - set(data.glob("wikibio_verdicts*")))
    if not files:
        sys.exit(f"{data} holds no wikibio*.jsonl.gz")
    console = Console()
    rows = passages("wikibio", files[0])
    fit = Fit(rows)
    everything = range(len(rows))

    console.print(
        table(
            "Each constant alone: the mean of all figures",
            ("value: points",),
            (
                (
                    name,
                    [
                        "  ".join(
                            f"{v:g}: {100 * fit.goal(everything, change(CONSTANTS, v)):.2f}"
                            for v in values
                        )
                    ],
                )
                for name, (change, values) in GRID.items()
            ),
        )
    )
    held: dict[Setting, list[list[float]]] = {setting: [] for setting in SHOWN}
    accuracies = []
    for fold in range(FOLDS):
        left_out = [i for i in everything if i % FOLDS == fold]
        kept = [i for i in everything if i % FOLDS != fold]
        chosen = fit.choose(kept)
        chosen = replace(chosen, middle=fit.middle(kept, chosen))
        accuracies.append(fit.balanced(left_out, chosen))
        console.print(f"fold {fold + 1}: {chosen}")
        out = [rows[i] for i in left_out]
        for setting, found in held.items():
            found.append(figures(out, [row.scores(setting, chosen) for row in out]))
    console.print(f"balanced accuracy at the middle, left out: {100 * np.mean(accuracies):.1f}")
    console.print(
        table(
            "Left out, constants chosen on the other folds: means of the folds",
            FIGURES,
            ((str(setting), points(np.mean(found, axis=0))) for setting, found in held.items()),
        )
    )
    console.print(
        table(
            "The same passages with the present constants: means of the folds",
            FIGURES,
            ((str(setting), points(np.mean(by_fold(fit, setting), axis=0))) for setting in SHOWN),
        )
    )
    console.print(
        table(
            "What the reference's words count beside those of samples",
            FIGURES,
            (
                (
                    f"{setting}, {value:g}",
                    points(figures(rows, fit.scored(setting, replace(CONSTANTS, beside=value)))),
                )
                for setting in TOGETHER
                for value in BESIDE
            ),
        )
    )
    for setting in FITTED:
        console.print(
            table(
                f"With and without, {setting}",
                FIGURES,
                (
                    (name, points(figures(rows, fit.scored(setting, constants))))
                    for name, constants in WITHOUT.items()
                ),
            )
        )
    console.print(
        table(
            "Carried over: AUROC of message scores",
            ("phd, 3 samples", "faithbench, reference"),
            ((name, carried(data, constants)) for name, constants in WITHOUT.items()),
        )
    )


if __name__ == "__main__":
    main()
