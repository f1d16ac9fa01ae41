"""Chooses how words and a model's verdicts are fused, and shows what each constant is worth.

    python benchmarks/fit_fusing.py DATA

DATA (or $HALUBOT_DATA) is a folder with a `wikibio*.jsonl.gz` and a `wikibio_verdicts*.jsonl.gz`.
Each message is compared once with its 20 samples; then only the arithmetic of
`halubot.methods.consensus.log_odds` is repeated with other constants and other numbers of judged
samples,
those that bear the message out best. Folds are over passages, whole: the constants are chosen on
four fifths by the mean of four figures (AUC-PR by rank of hallucinated and factual sentences, the
AUROC inside passages by score, the balanced accuracy of doubting from 0.5 on) over all numbers of
judged samples, and the fifth left out is scored with the choice. Beside it stands a plain average
of the log-odds of words and of the share of noes. It takes several minutes.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.metrics import average_precision_score, roc_auc_score

from halubot.compare.matcher import Matcher
from halubot.compare.tokens import with_tokens
from halubot.evaluation.datasets import DATASETS
from halubot.evaluation.recorded_verdicts import with_verdicts
from halubot.evaluation.rows import Row, read_rows
from halubot.extract import extract
from halubot.methods.consensus.log_odds import (
    CONSTANTS,
    Constants,
    Unit,
    fuse_odds,
    heard_of,
    nearest_first,
    sentence_odds,
    votes,
)
from halubot.methods.consensus.word_scores import Scorer
from halubot.text import read

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDS = 5
FIGURES = ("rank hall", "fact", "within", "balanced")
JUDGED = (1, 3, 5, 20)
GRID: Mapping[str, tuple[float, ...]] = {
    "silence": (2.0, 4.0, 8.0, 16.0),
    "company": (5.0, 20.0, 80.0),
    "crowd": (1.0, 0.5, 0.25, 0.0),
}


@dataclass(frozen=True, slots=True)
class Scored:
    """The log-odds of a passage's sentences, their ranks, and the AUROC inside it, None where all
    are right or all wrong."""

    own: list[float]
    ranks: list[float]
    within: float | None


@dataclass(frozen=True, slots=True)
class Passage:
    """A row as far as constants do not matter: what is wrong, the odds of its sentences, the
    order in which samples are asked, what was said of each sentence in that order. ``kept`` are
    figures that were computed before."""

    wrong: NDArray[np.bool_]
    odds: tuple[float, ...]
    verdicts: tuple[tuple[int | None, ...], ...]
    scorer: Scorer
    kept: dict[tuple[int, Constants | None], Scored] = field(default_factory=dict)

    def scored(self, judged: int, constants: Constants | None) -> Scored:
        """All sentences with so many judged samples; None for a plain average of log-odds."""
        key = judged, constants
        if key not in self.kept:
            self.kept[key] = self._scored(judged, constants)
        return self.kept[key]

    def _scored(self, judged: int, constants: Constants | None) -> Scored:
        said = [row[:judged] for row in self.verdicts]
        if constants is None:
            own = [averaged(odds, row) for odds, row in zip(self.odds, said, strict=True)]
            level = self.scorer.level(own)
        else:
            asked = votes(said, constants)
            own = [
                fuse_odds(odds, yes, no, constants)
                for odds, (yes, no) in zip(self.odds, asked, strict=True)
            ]
            units = [Unit(odds, cast) for odds, cast in zip(self.odds, asked, strict=True)]
            level = self.scorer.level([unit.level for unit in units])
        mixed = 0 < self.wrong.sum() < len(self.wrong)
        within = float(roc_auc_score(self.wrong, own)) if mixed else None
        return Scored(own, [(odds + level) / 2 for odds in own], within)


def averaged(odds: float, said: Sequence[int | None]) -> float:
    """The mean of the log-odds of the words and of the share of noes; of the words alone where
    nothing was said."""
    no, asked = said.count(1), len(said) - said.count(None)
    return (odds + math.log((no + 0.5) / (asked - no + 0.5))) / 2 if asked else odds


def passage(row: Row, texts: int) -> Passage:
    """A row compared with its first ``texts`` samples."""
    message = read(row.text, sentences=row.sentences)
    facts = extract(message, subject=row.subject)
    samples = [with_tokens(read(text)) for text in row.samples[:texts]]
    matcher = Matcher(message, facts, row.subject)
    findings = [matcher.compare(sample, sample=True).facts for sample in samples]
    scorer = Scorer(message, samples, subject=row.subject)
    odds, support = [], []
    for index, span in enumerate(message.sentences):
        held = [fact.index for fact in facts if index in fact.sentences]
        heard = [heard_of(fact, findings, texts) for fact in held]
        odds.append(sentence_odds(scorer.odds([span]), heard))
        support.append(scorer.shares([span]))
    order = nearest_first(support)
    verdicts = [tuple(said[sample] for sample in order) for said in row.verdicts or ()]
    return Passage(np.array(row.gold) > 0, tuple(odds), tuple(verdicts), scorer)


def figures(rows: Sequence[Passage], judged: int, constants: Constants | None) -> list[float]:
    """The four figures of `FIGURES`; with None those of a plain average."""
    wrong = np.concatenate([row.wrong for row in rows])
    scored = [row.scored(judged, constants) for row in rows]
    score = np.concatenate([one.own for one in scored])
    rank = np.concatenate([one.ranks for one in scored])
    doubted = score >= 0
    return [
        float(average_precision_score(wrong, rank)),
        float(average_precision_score(~wrong, -rank)),
        float(np.mean([one.within for one in scored if one.within is not None])),
        float((doubted[wrong].mean() + (~doubted[~wrong]).mean()) / 2),
    ]


def goal(rows: Sequence[Passage], constants: Constants) -> float:
    """The mean of the figures over all numbers of judged samples."""
    return float(np.mean([figures(rows, judged, constants) for judged in JUDGED]))


def chosen(rows: Sequence[Passage]) -> Constants:
    """The constants of the grid with the largest goal on these passages."""
    options = [
        Constants(**dict(zip(GRID, values, strict=True))) for values in product(*GRID.values())
    ]
    return max(options, key=lambda constants: goal(rows, constants))


def table(title: str, rows: Mapping[str, Sequence[Sequence[float]]]) -> Table:
    """One row a name, with the four figures in percent for each number of judged samples."""
    made = Table(title=title, title_justify="left", box=None)
    made.add_column("")
    for judged in JUDGED:
        made.add_column(f"{judged} judged\n{', '.join(FIGURES)}", justify="right")
    for name, cells in rows.items():
        made.add_row(name, *(" ".join(f"{100 * value:.1f}" for value in cell) for cell in cells))
    return made


def folds(console: Console, rows: Sequence[Passage]) -> None:
    """What each fold chooses, and the figures of what it leaves out beside the present ones."""
    held: list[list[list[float]]] = []
    present: list[list[list[float]]] = []
    plain: list[list[list[float]]] = []
    for fold in range(FOLDS):
        out = rows[fold::FOLDS]
        best = chosen([row for i, row in enumerate(rows) if i % FOLDS != fold])
        held.append([figures(out, judged, best) for judged in JUDGED])
        present.append([figures(out, judged, CONSTANTS) for judged in JUDGED])
        plain.append([figures(out, judged, None) for judged in JUDGED])
        console.print(f"fold {fold + 1}: {best}")
    means = {
        "left out": np.mean(held, axis=0).tolist(),
        "as it is": np.mean(present, axis=0).tolist(),
        "plain average": np.mean(plain, axis=0).tolist(),
    }
    console.print(table("Left out by the folds, means of the folds", means))


@click.command()
@click.argument(
    "data", envvar="HALUBOT_DATA", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--model", default="gemma-31b", show_default=True, help="Whose verdicts are used.")
def main(data: Path, model: str) -> None:
    """Prints the choices of the folds and the tables."""
    console = Console(width=200)
    recorded = sorted(data.glob("wikibio_verdicts*")) or sys.exit("no recorded verdicts there")
    (file, *_) = sorted(set(data.glob("wikibio*.jsonl.gz")) - set(recorded)) or sys.exit(
        "no wikibio data there"
    )
    read_in = with_verdicts(read_rows(DATASETS["wikibio"], file), recorded[0], model)
    rows = [passage(row, 20) for row in read_in]
    folds(console, rows)
    console.print(
        table(
            "All passages",
            {
                name: [figures(rows, judged, constants) for judged in JUDGED]
                for name, constants in (
                    ("as it is", CONSTANTS),
                    ("plain average", None),
                    *(
                        (f"{name} {value:g}", replace(CONSTANTS, **{name: value}))
                        for name, values in GRID.items()
                        for value in values
                    ),
                )
            },
        )
    )
    alone = figures(rows, 0, CONSTANTS)
    console.print("no verdicts: " + " ".join(f"{100 * value:.1f}" for value in alone))


if __name__ == "__main__":
    main()
