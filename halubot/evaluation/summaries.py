"""Summaries beside their source (QAGS, SummEdits): messages by rank, by score and by verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

import numpy as np

from halubot.evaluation import rows as own
from halubot.evaluation import statistics
from halubot.evaluation.checked import Scored
from halubot.evaluation.rows import Dataset, Record, Row
from halubot.evaluation.statistics import (
    APART,
    Metric,
    Metrics,
    Tally,
    Units,
    parts_of,
    plain,
    ratios,
    share,
    undefined_metric,
)
from halubot.evaluation.weighted import Flags

HALVES: Final = 2

VERDICTS: Final = ("contradicted", "doubtful", "unmarked")
"""The worst mark of a message."""

SIDES: Final = ("right", "wrong")

_FIGURES: Final = {
    f"{verdict}_{side}": (f"{verdict}_{side}", side) for side in SIDES for verdict in VERDICTS
}
"""Each figure as one count of a tally over another."""


def _rows(record: Record) -> tuple[Row, ...]:
    if not record.has("label"):
        raise record.wrong("label", "one of right, hallucinated")
    strata = {"domain": record.label("domain")}
    return tuple(replace(row, strata=strata) for row in own.rows(record))


def measure(rows: Sequence[Scored], threshold: float | None) -> Metrics:
    """Measure how well ranks and scores part wrong messages from right ones, the balanced accuracy
    of deciding by them, and the share of right and of wrong messages with each verdict; then the
    first two by domain.

    Scores are decided at ``threshold``; with None, and always for ranks, each half of the groups
    is decided at the threshold that is best on the other half.
    """
    ranked, scored = _order(rows, "rank", None), _order(rows, "score", threshold)
    both = {**ranked, **{_by_score(name): metric for name, metric in scored.items()}}
    first = ("auroc", "auroc_score", "balanced_accuracy", "balanced_accuracy_score")
    return {
        **{name: both[name] for name in first},
        **ratios([_tally(one) for one in rows], _FIGURES),
        **both,
    }


def count_verdicts(rows: Sequence[Scored]) -> Iterator[str]:
    """Return the numbers of right and of wrong messages with each verdict, in words."""
    counted = sum((_tally(one) for one in rows), Tally())
    for side in SIDES:
        if counted[side]:
            each = (f"{counted[f'{verdict}_{side}']} {verdict}" for verdict in VERDICTS)
            yield f"{counted[side]} {side} messages: {', '.join(each)}"


def _tally(one: Scored) -> Tally:
    tally = Tally()
    if one.judged is None:
        return tally
    side = SIDES[one.row.gold[0] > 0]
    verdicts = one.judged.verdicts()
    worst = next((one for one in VERDICTS if one in verdicts), "unmarked")
    tally[side] += 1
    tally[f"{worst}_{side}"] += 1
    return tally


def _by_score(name: str) -> str:
    """Return the name of a figure by rank as that of the same figure by score."""
    figure, apart, part = name.partition(APART)
    return f"{figure}_score{apart}{part}"


def _order(
    rows: Sequence[Scored], by: Literal["rank", "score"], threshold: float | None
) -> Mapping[str, Metric]:
    """Return the two figures of an order of the messages, in all and by domain."""
    found = statistics.labelled_units(rows, by)
    doubted: Flags | None
    # Each half decides the other: nothing is found on the rows that it decides.
    if threshold is None:
        doubted = statistics.by_folds(found, [one.row.group for one in rows], HALVES)
    else:
        doubted = found.scores >= threshold
    parts = sorted({part for one in rows for part in parts_of(one.row)})
    member = {part: [part in parts_of(rows[row].row) for row in found.row] for part in parts}
    chosen = {"": np.ones(len(found.row), dtype=bool)}
    chosen |= {f"{APART}{part}": np.array(belongs) for part, belongs in member.items()}
    return {
        **{f"auroc{part}": statistics.auroc(_of(found, here)) for part, here in chosen.items()},
        **{
            f"balanced_accuracy{part}": _balance(found, doubted, here, len(rows))
            for part, here in chosen.items()
        },
    }


def _of(found: Units, here: Flags) -> Units:
    return Units(
        found.row[here],
        found.wrong[here],
        found.scores[here],
        found.scored[here],
        found.probability[here],
    )


def _balance(found: Units, doubted: Flags | None, here: Flags, rows: int) -> Metric:
    """Return the mean of the shares of wrong and of right messages that are decided rightly."""
    if doubted is None:
        return undefined_metric()
    caught = share(found, doubted, found.wrong & here)
    passed = share(found, ~doubted, ~found.wrong & here)
    # The mean of both shares: plain accuracy would reward who says the commoner of the two always.
    return plain(lambda w: (caught(w) + passed(w)) / 2, rows)


SUMMARIES: Final = tuple(
    Dataset(name, _rows, ("references",), fitting="halves") for name in ("qags", "summedits")
)
