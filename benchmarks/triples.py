"""How well triples are matched: pairs by hand, people's labels, and time.

    python -m benchmarks.triples
    python -m benchmarks.triples --refchecker "$HALUBOT_DATA/refchecker_dev.jsonl.gz" [--limit N]

`triple_pairs.jsonl` holds 60 pairs that were written before the match and chose nothing of it,
`triple_pairs_development.jsonl` those on which its thresholds were chosen. With a file of
RefChecker each triple is ranked by how many answers of the other models to the same prompt hold
it, and the AUROC is that of the label "Entailment".
"""

from __future__ import annotations

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
from halubot.methods.triple_match import WAYS, Way, match_triples, same_fact
from halubot.report import Triple

HERE: Final = Path(__file__).parent
FILES: Final = {
    "60 pairs": HERE / "triple_pairs.jsonl",
    "development": HERE / "triple_pairs_development.jsonl",
}
SEED: Final = 1


class Labelled(NamedTuple):
    """A triple of an answer, and whether people found it supported."""

    triple: Triple
    right: bool


def precision_and_recall(path: Path, way: Way) -> tuple[float, float]:
    """Return the precision and the recall of "the same" on a file of pairs."""
    hits = found = there = 0
    for _, pair in read_records(path):
        same = same_fact(Triple(*pair["a"]), Triple(*pair["b"]), way)
        hits, found, there = hits + (same and pair["same"]), found + same, there + pair["same"]
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
            rows = _letters(facts, others) if way is None else _scores(facts, others, way)
            for one, mean in zip(own, np.mean(rows, axis=0).tolist(), strict=True):
                yield Unit(wrong=not one.right, score=1 - mean)


def _scores(facts: list[Triple], others: list[list[Triple]], way: Way) -> list[list[float]]:
    return [[match.score for match in row] for row in match_triples(facts, others, way)]


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
def main(refchecker: Path | None, limit: int | None, ways: Sequence[Way]) -> None:
    """Print the figures of each way of matching."""
    for way in ways:
        for name, path in FILES.items():
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
