"""Fit the calibrations that come with halubot, and write them into its package.

    python -m benchmarks.fit_calibrations DATA

DATA is a folder with ``wikibio_dev.jsonl.gz`` and ``wikibio_verdicts_dev.jsonl.gz``. A calibration
is a logistic regression of the labels of sentences on the log-odds of their scores. One that asks a
model is fitted on the recorded answers of all models together. The figures are measured out of
fold: ten times five folds of whole passages.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold

import halubot.calibration
from benchmarks import metrics, statistics
from benchmarks.outcomes import Outcome
from benchmarks.runner import Plan, run
from benchmarks.statistics import Floats, Units
from halubot.calibration import AND, Calibrated, Material, material_of
from halubot.fold import log_odds
from halubot.report import Calibration
from halubot.version import __version__

NAME: Final = "WikiBio GPT-3, development part"
MODELS: Final = ("gemma-31b", "qwen-9b")
ROUNDS, FOLDS = 10, 5
FITTED: Final = (
    ("cascade", MODELS, True, False),
    ("consensus", (), True, True),
    ("consensus", (), False, True),
    ("consensus", (), True, False),
    ("ensemble", MODELS, True, False),
    ("selfcheck-ngram", (), True, False),
)
"""What is fitted: the method, the models whose answers were recorded, and what it compares with."""


def fit(odds: Floats, wrong: statistics.Flags) -> tuple[float, float]:
    """Return intercept and slope of the log-odds of being wrong by those of the score."""
    found = LogisticRegression(C=np.inf).fit(odds[:, None], wrong)
    return float(found.intercept_[0]), float(found.coef_[0, 0])


def out_of_fold(units: Units, odds: Floats, passages: Sequence[str]) -> dict[str, float | None]:
    """Return the figures of probabilities that were fitted on other passages."""
    folds = []
    for seed in range(ROUNDS):
        dealer = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed)
        chance = np.zeros(len(odds))
        for known, held in dealer.split(odds, units.wrong, [passages[row] for row in units.row]):
            intercept, slope = fit(odds[known], units.wrong[known])
            chance[held] = 1 / (1 + np.exp(-(intercept + slope * odds[held])))
        told = Units(units.row, units.wrong, chance, units.scored, chance)
        measures = {
            "brier": statistics.brier(told),
            "ece": statistics.calibration_error(told),
            "auroc": statistics.auroc(told),
        }
        folds.append(statistics.values(measures, len(passages)))
    return {name: float(np.mean([one[name] for one in folds])) for name in folds[0]}


def calibrate(
    data: Path, method: str, models: Sequence[str], *, samples: bool, references: bool
) -> Calibrated:
    """Fit one calibration on a file of WikiBio."""
    file = data / "wikibio_dev.jsonl.gz"
    outcomes: list[Outcome] = []
    result = None
    for model in models or (None,):
        verdicts = None if model is None else data / "wikibio_verdicts_dev.jsonl.gz"
        plan = Plan("wikibio", file, method, samples, references, verdicts, model)
        result = run(plan)
        outcomes += result.outcomes
    assert result is not None
    units = metrics.labelled(outcomes)
    units = units.only(units.scored)
    odds = np.array([log_odds(score) for score in units.scores])
    intercept, slope = fit(odds, units.wrong)
    passages = [one.row.id for one in outcomes]
    told = f"{NAME} ({result.rows} passages)"
    material: Material = material_of(samples, references)
    return Calibrated(
        method=method,
        model=AND.join(models) or None,
        material=material,
        calibration=Calibration(
            intercept=round(intercept, 4),
            slope=round(slope, 4),
            fitted_on=f"{told}; answers of {' and '.join(models)}" if models else told,
        ),
        data_sha256=result.data_sha256,
        rows=len(outcomes),
        units=len(units.row),
        wrong=int(units.wrong.sum()),
        figures=out_of_fold(units, odds, passages),
        engine=__version__,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
    )


@click.command()
@click.argument("data", type=click.Path(path_type=Path, exists=True, file_okay=False))
def main(data: Path) -> None:
    """Fit all calibrations on the files in DATA."""
    fitted = []
    for method, models, samples, references in FITTED:
        one = calibrate(data, method, models, samples=samples, references=references)
        click.echo(f"{method} {one.material}: {one.calibration} {one.figures}")
        fitted.append(one.model_dump(mode="json"))
    path = Path(halubot.calibration.__file__).parent / "shipped.json"
    path.write_text(json.dumps(fitted, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
