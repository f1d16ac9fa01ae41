"""What an ensemble of methods is worth beside its members, calibrated and not.

    python benchmarks/pooling.py DATA

DATA (or $HALUBOT_DATA) is a folder with a `wikibio*.jsonl.gz` and a `wikibio_verdicts*.jsonl.gz`.
Each member judges every passage once, with its 20 samples, and with recorded verdicts in place of
a model; then only the sums of `halubot.methods.ensemble.members` are repeated, with and without the
calibration of each member. This is fitted on four fifths of the passages and used on the fifth left
out. Figures are AUC-PR of hallucinated and factual sentences by rank and by score, the AUROC inside
passages, and the balanced accuracy of doubting from 0.5 on. It takes some minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score

from halubot import check
from halubot.calibration.store import NONE
from halubot.evaluation.datasets import DATASETS
from halubot.evaluation.recorded_verdicts import with_verdicts
from halubot.evaluation.rows import Row, read_rows
from halubot.evaluation.weighted import best_cut
from halubot.events import SentenceJudged
from halubot.methods import registry
from halubot.methods.consensus.log_odds import level_of
from halubot.methods.ensemble.members import Opinion, pool_odds
from halubot.report import Calibration

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDS: Final = 5
OF_FACTS: Final = ("consensus", "cascade")
"""The members that speak of facts."""
MEMBERS: Final = (*OF_FACTS, "selfcheck-prompt", "selfcheck-ngram")
ENSEMBLES: Final = (
    ("consensus", "selfcheck-ngram"),
    ("consensus", "selfcheck-prompt"),
    ("consensus", "selfcheck-prompt", "selfcheck-ngram"),
    ("cascade", "selfcheck-prompt"),
    ("cascade", "selfcheck-prompt", "selfcheck-ngram"),
)
FIGURES: Final = ("rank hall", "fact", "score hall", "fact", "within", "balanced")
_NEARLY: Final = 1e-6

Scores = Mapping[str, Sequence[Sequence[float]]]
"""For each member and passage the scores of the sentences."""


@dataclass(frozen=True)
class Passages:
    """What is wrong in each passage, and what each member says of its sentences."""

    wrong: Sequence[NDArray[np.bool_]]
    scores: Scores

    def opinion(self, name: str, passage: int, fold: int | None) -> Opinion:
        """What a member says of a passage, calibrated on other folds than this one."""
        scores = self.scores[name][passage]
        return Opinion(
            name,
            sentences={
                index: SentenceJudged(index=index, score=score, verdict="supported")
                for index, score in enumerate(scores)
            },
            of_facts=name in OF_FACTS,
            threshold=self.threshold(name, fold),
            calibration=None if fold is None else self.calibration(name, fold),
        )

    def threshold(self, name: str, fold: int | None) -> float:
        """A member's own threshold; or, by Youden's J, that of all folds but one."""
        if fold is None:
            return registry.get(name).default_threshold.value
        cut = best_cut(*self.others(name, fold))
        return 0.5 if cut is None else cut.threshold

    def others(self, name: str, fold: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """What is wrong on all folds but one, and what a member says there."""
        kept = [at for at in range(len(self.wrong)) if at % FOLDS != fold]
        scores = np.concatenate([self.scores[name][at] for at in kept])
        return np.concatenate([self.wrong[at] for at in kept]), scores

    def calibration(self, name: str, fold: int) -> Calibration:
        """A member's scores as probabilities, fitted on all folds but one."""
        wrong, scores = self.others(name, fold)
        nearly = np.clip(scores, _NEARLY, 1 - _NEARLY)
        odds = np.log(nearly / (1 - nearly))[:, None]
        fitted = LogisticRegression(C=1e6).fit(odds, wrong)
        slope = max(0.0, float(fitted.coef_[0, 0]))
        return Calibration(intercept=float(fitted.intercept_[0]), slope=slope, fitted_on="folds")

    def figures(self, names: Sequence[str], *, calibrated: bool) -> list[float]:
        """The figures of `FIGURES` of these members together."""
        own, rank, inside = [], [], []
        for at, wrong in enumerate(self.wrong):
            fold = at % FOLDS if calibrated else None
            opinions = [self.opinion(name, at, fold) for name in names]
            parts = (
                [one.of_sentence(i, overruled=False) for one in opinions] for i in range(len(wrong))
            )
            odds = np.array([pool_odds(part for part in row if part is not None) for row in parts])
            own.append(odds)
            rank.append((odds + np.mean([level_of(one) for one in odds])) / 2)
            if 0 < wrong.sum() < len(wrong):
                inside.append(roc_auc_score(wrong, odds))
        wrong, score, ranks = np.concatenate(self.wrong), np.concatenate(own), np.concatenate(rank)
        doubted = score >= 0
        return [
            *_precision(wrong, ranks),
            *_precision(wrong, score),
            float(np.mean(inside)),
            float((doubted[wrong].mean() + (~doubted[~wrong]).mean()) / 2),
        ]


def _precision(wrong: NDArray[np.bool_], by: NDArray[np.float64]) -> tuple[float, float]:
    return float(average_precision_score(wrong, by)), float(average_precision_score(~wrong, -by))


def judged(rows: Sequence[Row], name: str) -> list[list[float]]:
    """What one member says of the sentences of all rows."""
    asks = "model" in registry.get(name).needs
    return [
        [
            0.5 if sentence.score is None else sentence.score
            for sentence in check(
                row.text,
                samples=row.samples,
                sentences=row.sentences,
                subject=row.subject,
                method=name,
                verdicts=row.verdicts if asks else None,
                calibrations=NONE,
            ).sentences
        ]
        for row in rows
    ]


@click.command()
@click.argument(
    "data", envvar="HALUBOT_DATA", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--model", default="gemma-31b", show_default=True, help="Whose verdicts are used.")
def main(data: Path, model: str) -> None:
    """Prints the table."""
    recorded = sorted(data.glob("wikibio_verdicts*")) or sys.exit("no recorded verdicts there")
    (file, *_) = sorted(set(data.glob("wikibio*.jsonl.gz")) - set(recorded)) or sys.exit(
        "no wikibio data there"
    )
    rows = with_verdicts(read_rows(DATASETS["wikibio"], file), recorded[0], model)
    passages = Passages(
        [np.array(row.gold) > 0 for row in rows], {name: judged(rows, name) for name in MEMBERS}
    )
    table = Table(box=None)
    table.add_column("members")
    for heading in ("as they are", "calibrated out of fold"):
        table.add_column(f"{heading}\n{', '.join(FIGURES)}", justify="right")
    for names in (*((name,) for name in MEMBERS), *ENSEMBLES):
        cells = (passages.figures(names, calibrated=calibrated) for calibrated in (False, True))
        table.add_row(
            ", ".join(names), *(" ".join(f"{100 * value:.1f}" for value in cell) for cell in cells)
        )
    Console(width=200).print(table)


if __name__ == "__main__":
    main()
