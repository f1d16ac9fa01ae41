"""How well triples are matched: pairs by hand, people's labels, and time.

    python -m benchmarks.triples
    python -m benchmarks.triples --refchecker "$HALUBOT_DATA/refchecker_dev.jsonl.gz" [--limit N]
    python -m benchmarks.triples --fit

`triple_pairs.jsonl`, `training/data/unseen_triples.jsonl.gz` (60 pairs each) and
`unseen_triples_2.jsonl.gz` (260) were written without sight of the match and chose nothing of it.
`triple_pairs_development.jsonl` and `triple_pairs_development_2.jsonl` hold those on which its
regression is fitted: `--fit` does so again, as new weights of the verifier demand, and writes it.
With a file of RefChecker each triple
is ranked by how many answers of the other models to the same prompt hold it, and the AUROC is that
of the label "Entailment".
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import click
import numpy as np
from rapidfuzz import fuzz, process

from benchmarks.rows import read_records
from benchmarks.statistics import Unit, Units, auroc
from halubot.methods.triple_match import (
    SAID,
    WAYS,
    WEIGHTS,
    Way,
    match_triples,
    same_fact,
    verified_signals,
)
from halubot.methods.triple_signals import SIGNALS, compare
from halubot.report import Triple

HERE: Final = Path(__file__).parent
TESTS: Final = {
    "60 pairs": HERE / "triple_pairs.jsonl",
    "60 unseen pairs": HERE.parent / "training" / "data" / "unseen_triples.jsonl.gz",
    "260 pairs of another hand": HERE.parent / "training" / "data" / "unseen_triples_2.jsonl.gz",
}
DEVELOPMENT: Final = {
    "development": HERE / "triple_pairs_development.jsonl",
    "development, other subjects": HERE / "triple_pairs_development_2.jsonl",
}
PRECISION: Final = 0.92
"""The least precision of "the same", out of fold, at the threshold that `fit` takes. On pairs of
other hands .95 had no better precision than this, and a recall of .56 for .68."""

ROUNDS: Final = 10
"""Repetitions of ten folds whose scores are averaged, so that the threshold is no accident."""

SEED: Final = 1


NEIGHBOURS: Final = 2


class Fitted(NamedTuple):
    """A regression, and what it finds of the development pairs out of fold."""

    weights: list[float]
    intercept: float
    precision: float
    recall: float


def read_pairs(path: Path) -> list[tuple[Triple, Triple, bool]]:
    """Return the pairs of a file, and whether they are the same fact."""
    rows = [row for _, row in read_records(path)]
    return [(Triple(*row["a"]), Triple(*row["b"]), row["same"]) for row in rows]


def neighbours(pairs: Sequence[tuple[Triple, Triple, bool]]) -> list[tuple[Triple, Triple]]:
    """Return triples of different pairs that are alike in letters, as a match meets them: two for
    each triple at most, none of pairs that have a triple or a pair in common."""
    triples = [(triple, at) for at, (a, b, _) in enumerate(pairs) for triple in (a, b)]
    known: defaultdict[str, set[int]] = defaultdict(set)
    for triple, at in triples:
        known[" ".join(triple).lower()].add(at)
    near = [set().union(*(known[" ".join(one).lower()] for one in pair[:2])) for pair in pairs]
    texts = [" ".join(triple).lower() for triple, _ in triples]
    likeness = process.cdist(texts, texts, scorer=fuzz.token_sort_ratio) / 100
    found: dict[frozenset[Triple], tuple[Triple, Triple]] = {}
    for (triple, at), row in zip(triples, likeness, strict=True):
        taken = 0
        for other, of in (triples[place] for place in np.argsort(-row)):
            if near[at].isdisjoint(near[of]) and taken < NEIGHBOURS:
                taken += 1
                found.setdefault(frozenset((triple, other)), (triple, other))
    return list(found.values())


def fit(*, verifier: bool) -> Fitted:
    """Return the regression over the development pairs that nothing exact settles, and over pairs
    of their neighbours, with the most recall of the former at a precision of `PRECISION`."""
    # It takes seconds to load, and only this needs it.
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.model_selection import StratifiedKFold, cross_val_predict  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415

    files = [read_pairs(path) for path in DEVELOPMENT.values()]
    pairs = [pair for of_file in files for pair in of_file]
    open_ = [(a, b) for a, b, _ in pairs if compare(a, b).score is None]
    same = np.array([one for a, b, one in pairs if compare(a, b).score is None])
    others = [one for of_file in files for one in neighbours(of_file)]
    triples = open_ + [one for one in others if compare(*one).score is None]
    given = verified_signals(triples) if verifier else [compare(*one).signals for one in triples]
    signals, labels = np.array(given), np.zeros(len(triples), dtype=bool)
    labels[: len(same)] = same
    model = make_pipeline(StandardScaler(), LogisticRegression())
    odds = np.zeros(len(same))
    for seed in range(ROUNDS):
        folds = StratifiedKFold(10, shuffle=True, random_state=seed)
        left_out = cross_val_predict(model, signals, labels, cv=folds, method="decision_function")
        odds += left_out[: len(same)] / ROUNDS
    settled = [one for a, b, one in pairs if compare(a, b).score]
    counts = [
        (int(sum(settled) + same[odds >= at].sum()), len(settled) + int((odds >= at).sum()), at)
        for at in odds.tolist()
    ]
    good = [one for one in counts if one[0] >= PRECISION * one[1]]
    hits, named, limit = max(good, key=lambda one: (one[0], one[2]))
    model.fit(signals, labels)
    weights = model[1].coef_[0] / model[0].scale_
    intercept = float(model[1].intercept_[0] - weights @ model[0].mean_ - limit)
    there = sum(one for *_, one in pairs)
    return Fitted(weights.tolist(), intercept, hits / named, hits / there)


def write_fit() -> None:
    kept = {}
    for name in ("verifier", "words"):
        fitted = fit(verifier=name == "verifier")
        click.echo(f"{name}: precision {fitted.precision:.3f}, recall {fitted.recall:.3f}")
        names = (*SIGNALS, *SAID)[: len(fitted.weights)]
        for weight, signal in zip(fitted.weights, names, strict=True):
            click.echo(f"    {weight:7.3f}  {signal}")
        kept[name] = {
            "weights": [round(one, 4) for one in fitted.weights],
            "intercept": round(fitted.intercept, 4),
        }
    WEIGHTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


class Labelled(NamedTuple):
    """A triple of an answer, and whether people found it supported."""

    triple: Triple
    right: bool


def precision_and_recall(path: Path, way: Way) -> tuple[float, float]:
    """Return the precision and the recall of "the same" on a file of pairs."""
    hits = found = there = 0
    for a, b, label in read_pairs(path):
        same = same_fact(a, b, way)
        hits, found, there = hits + (same and label), found + same, there + label
    return hits / max(1, found), hits / max(1, there)


def read_answers(path: Path) -> list[list[list[Labelled]]]:
    """Return the triples of each answer, by prompt."""
    prompts: defaultdict[tuple[str, str], list[list[Labelled]]] = defaultdict(list)
    for _, row in read_records(path):
        claims = [(Triple(*map(str, one["triplet"])), one["label"]) for one in row["claims"]]
        own = [Labelled(triple, label == "Entailment") for triple, label in claims]
        prompts[row["source"], row["item"]].append(own)
    return list(prompts.values())


def frequencies(prompts: Sequence[list[list[Labelled]]], way: Way | None) -> Iterator[Unit]:
    """Yield each triple with the mean match in the other answers; with None that is rapidfuzz
    ``token_sort_ratio``. What is wrong scores high, as in `benchmarks.statistics`."""
    for answers in prompts:
        for at, own in enumerate(answers):
            facts = [one.triple for one in own]
            others = [[one.triple for one in answers[i]] for i in range(len(answers)) if i != at]
            if not facts:
                continue
            rows = (
                _letters(facts, others)
                if way is None
                else [[match.score for match in row] for row in match_triples(facts, others, way)]
            )
            for one, mean in zip(own, np.mean(rows, axis=0).tolist(), strict=True):
                yield Unit(wrong=not one.right, score=1 - mean)


def _letters(facts: list[Triple], others: list[list[Triple]]) -> list[list[float]]:
    mine = [" ".join(one).lower() for one in facts]
    rows = []
    for sample in others:
        theirs = [" ".join(one).lower() for one in sample] or [""]
        near = process.cdist(mine, theirs, scorer=fuzz.token_sort_ratio).max(axis=1) / 100
        rows.append(near.tolist())
    return rows


def seconds(prompts: Sequence[list[list[Labelled]]], way: Way) -> tuple[float, float]:
    """Return the time on the clock and of the processor for 30 facts beside 20 samples of 30
    triples, taken at random."""
    triples = [one.triple for answers in prompts for own in answers for one in own]
    rows = [Random(SEED + at).sample(triples, 30) for at in range(21)]  # noqa: S311 - no secret
    match_triples(rows[0][:1], [rows[1][:1]], way)
    began, worked = time.perf_counter(), time.process_time()
    match_triples(rows[0], rows[1:], way)
    return time.perf_counter() - began, time.process_time() - worked


@click.command()
@click.option("--refchecker", type=click.Path(path_type=Path, exists=True))
@click.option("--limit", type=click.IntRange(1), help="Take the first N prompts.")
@click.option("--way", "ways", type=click.Choice(WAYS), multiple=True, default=WAYS)
@click.option("--fit", "fits", is_flag=True, help="Fit the regression, and write it.")
def main(refchecker: Path | None, limit: int | None, ways: Sequence[Way], fits: bool) -> None:
    """Print the figures of each way of matching."""
    if fits:
        write_fit()
        return
    for way in ways:
        for name, path in {**DEVELOPMENT, **TESTS}.items():
            precision, recall = precision_and_recall(path, way)
            click.echo(f"{way}: {name}: precision {precision:.3f}, recall {recall:.3f}")
    if refchecker is None:
        return
    prompts = read_answers(refchecker)[:limit]
    for measured in (None, *ways):
        units = Units.gather([(0, unit) for unit in frequencies(prompts, measured)])
        area = float(auroc(units)(np.ones((1, 1)))[0])
        name = measured or "token_sort_ratio"
        click.echo(f"{name}: AUROC {area:.4f} of {len(units.row)} triples")
    for way in ways:
        clock, work = seconds(prompts, way)
        click.echo(f"{way}: 30 facts, 20 x 30 triples: {clock:.2f} s, {work:.2f} s of a processor")


if __name__ == "__main__":
    main()
