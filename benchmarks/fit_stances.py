"""Chooses what stances count for in `consensus`, beside words, and shows what each is worth.

    python benchmarks/fit_stances.py DATA

DATA (or $HALUBOT_DATA) is a folder with a `wikibio*.jsonl.gz`. Each message is read once against
its 20 samples, the first 5, its reference alone, and 20 samples and the reference; then only the
arithmetic of `halubot.methods.consensus.consensus` is repeated with other weights. Folds are over
passages,
whole: the weights of a sentence are chosen on four fifths by the mean of AUC-PR (hallucinated,
factual) and of the AUROC inside passages, those of a fact by the balanced accuracy of "the worst
fact of the sentence is doubted", and the fifth left out is scored with the choice.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import click
import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.metrics import average_precision_score, roc_auc_score

from halubot.compare.matcher import Matcher
from halubot.compare.tokens import with_tokens
from halubot.evaluation.datasets import DATASETS
from halubot.evaluation.rows import Row, read_rows
from halubot.extract import extract
from halubot.methods.consensus.log_odds import (
    WEIGHTS,
    Heard,
    Weights,
    fact_odds,
    heard_of,
    sentence_odds,
)
from halubot.methods.consensus.word_scores import Scorer
from halubot.text import read

FOLDS = 5
SETTINGS = {
    "20 samples": (20, False),
    "5 samples": (5, False),
    "reference": (0, True),
    "20 samples + reference": (20, True),
}
SENTENCE_GRID = {"sentence": (0.0, 0.25, 0.5, 1.0), "denial": (0.0, 2.0, 4.0, 6.0)}
FACT_GRID = {"stance": (0.0, 1.0, 2.0, 3.0), "silence": (0.0, 0.1, 0.2)}


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence as far as weights do not matter: the odds of its words, and of each fact in
    it the odds of its words and what was heard of it."""

    wrong: bool
    words: float
    facts: tuple[tuple[float, Heard], ...]

    def odds(self, weights: Weights) -> float:
        return sentence_odds(self.words, [heard for _, heard in self.facts], weights)

    def worst(self, weights: Weights) -> float | None:
        odds = [fact_odds(words, heard, weights) for words, heard in self.facts]
        return max(odds, default=None)


Passage = tuple[Sentence, ...]


def passages(rows: Sequence[Row], samples: int, reference: bool) -> list[Passage]:
    """The passages of the data set, compared with so many samples and perhaps the reference."""
    return [_passage(row, samples, reference) for row in rows]


def _passage(row: Row, samples: int, reference: bool) -> Passage:
    message = read(row.text, sentences=row.sentences)
    facts = extract(message, subject=row.subject)
    spoken = [with_tokens(read(text)) for text in row.samples[:samples]]
    written = [with_tokens(read(text)) for text in row.references] if reference else []
    matcher = Matcher(message, facts, row.subject)
    findings = [
        *(matcher.compare(text, sample=True).facts for text in spoken),
        *(matcher.compare(text).facts for text in written),
    ]
    scorer = Scorer(message, spoken, written, row.subject)
    known = [
        (fact, scorer.odds(fact.spans), heard_of(fact.index, findings, len(spoken)))
        for fact in facts
    ]
    return tuple(
        Sentence(
            wrong=gold > 0,
            words=scorer.odds([span]),
            facts=tuple((words, heard) for fact, words, heard in known if index in fact.sentences),
        )
        for index, (span, gold) in enumerate(zip(message.sentences, row.gold, strict=True))
    )


def ordering(found: Sequence[Passage], weights: Weights) -> tuple[float, float, float]:
    """AUC-PR of hallucinated and of factual sentences, and the mean AUROC inside passages."""
    wrong = np.array([sentence.wrong for passage in found for sentence in passage])
    odds = np.array([sentence.odds(weights) for passage in found for sentence in passage])
    inside = [
        float(roc_auc_score([s.wrong for s in passage], [s.odds(weights) for s in passage]))
        for passage in found
        if len({s.wrong for s in passage}) == 2
    ]
    return (
        float(average_precision_score(wrong, odds)),
        float(average_precision_score(~wrong, -odds)),
        float(np.mean(inside)),
    )


def verdicts(found: Sequence[Passage], weights: Weights) -> tuple[float, float, float]:
    """Balanced accuracy of "a fact of the sentence is doubted", its TPR and its TNR."""
    pairs = [
        (sentence.wrong, worst >= 0)
        for passage in found
        for sentence in passage
        if (worst := sentence.worst(weights)) is not None
    ]
    tpr = float(np.mean([doubted for wrong, doubted in pairs if wrong]))
    tnr = float(np.mean([not doubted for wrong, doubted in pairs if not wrong]))
    return (tpr + tnr) / 2, tpr, tnr


Figures = Callable[[Sequence[Passage], Weights], tuple[float, float, float]]


def chosen(
    found: Mapping[str, Sequence[Passage]],
    grid: Mapping[str, tuple[float, ...]],
    gain: Callable[[Sequence[Passage], Weights], float],
) -> Weights:
    """The weights of the grid with the largest mean gain over all settings."""
    options = [
        replace(WEIGHTS, **dict(zip(grid, values, strict=True)))
        for values in product(*grid.values())
    ]
    return max(options, key=lambda w: float(np.mean([gain(part, w) for part in found.values()])))


def _mean_order(found: Sequence[Passage], weights: Weights) -> float:
    return float(np.mean(ordering(found, weights)))


def _accuracy(found: Sequence[Passage], weights: Weights) -> float:
    return verdicts(found, weights)[0]


def table(
    found: Mapping[str, Sequence[Passage]],
    rows: Mapping[str, Weights],
    figures: Figures,
    names: tuple[str, str, str],
) -> Table:
    """One row for each weights, with three figures in percent for each setting."""
    table = Table(box=None)
    table.add_column("weights")
    for setting in found:
        for name in names:
            table.add_column(f"{setting}\n{name}", justify="right")
    for label, weights in rows.items():
        cells = [f"{100 * f:.1f}" for part in found.values() for f in figures(part, weights)]
        table.add_row(label, *cells)
    return table


def folds(
    console: Console,
    found: Mapping[str, Sequence[Passage]],
    grid: Mapping[str, tuple[float, ...]],
    gain: Callable[[Sequence[Passage], Weights], float],
) -> None:
    """What each fold chooses, and the gain on the passages it leaves out against the present."""
    for fold in range(FOLDS):
        parts = {
            setting: (
                [p for i, p in enumerate(passages_) if i % FOLDS != fold],
                [p for i, p in enumerate(passages_) if i % FOLDS == fold],
            )
            for setting, passages_ in found.items()
        }
        best = chosen({setting: kept for setting, (kept, _) in parts.items()}, grid, gain)
        left = np.mean([gain(out, best) for _, out in parts.values()])
        present = np.mean([gain(out, WEIGHTS) for _, out in parts.values()])
        names = ", ".join(f"{name} {getattr(best, name):g}" for name in grid)
        console.print(f"fold {fold + 1}: {names}; left out {left:.3f}, as it is {present:.3f}")
    console.print()


@click.command()
@click.argument(
    "data", envvar="HALUBOT_DATA", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
def main(data: Path) -> None:
    """Prints the choices of the folds and the tables."""
    console = Console(width=200)
    (file, *_) = sorted(data.glob("wikibio_dev*.jsonl.gz")) or sys.exit("no wikibio data there")
    rows = read_rows(DATASETS["wikibio"], file)
    found = {name: passages(rows, *setting) for name, setting in SETTINGS.items()}
    folds(console, found, SENTENCE_GRID, _mean_order)
    options = {"as it is": WEIGHTS, "words alone": replace(WEIGHTS, sentence=0.0, denial=0.0)}
    options |= {f"sentence {v:g}": replace(WEIGHTS, sentence=v) for v in SENTENCE_GRID["sentence"]}
    options |= {f"denial {v:g}": replace(WEIGHTS, denial=v) for v in SENTENCE_GRID["denial"]}
    names = ("hall", "fact", "within")
    console.print("Sentences", table(found, options, ordering, names), "", sep="\n")
    folds(console, found, FACT_GRID, _accuracy)
    options = {"as it is": WEIGHTS, "words alone": replace(WEIGHTS, stance=0.0)}
    options |= {f"stance {v:g}": replace(WEIGHTS, stance=v) for v in FACT_GRID["stance"]}
    options |= {f"silence {v:g}": replace(WEIGHTS, silence=v) for v in FACT_GRID["silence"]}
    names = ("balanced", "TPR", "TNR")
    console.print("Worst fact doubted", table(found, options, verdicts, names), sep="\n")


if __name__ == "__main__":
    main()
