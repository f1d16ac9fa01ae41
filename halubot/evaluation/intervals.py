"""How far a metric can be trusted: 95 % bootstrap intervals over passages.

Rows are drawn with replacement as often as there are, groups of dependent rows together. The seed
is fixed, so the same rows give the same intervals. What was fitted before (a threshold) is held.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from halubot.evaluation.statistics import Metric
from halubot.evaluation.weighted import Floats

REPLICATES: Final = 1000
SEED: Final = 0
_AT_ONCE: Final = 100  # resamplings held in memory together


def intervals(
    metrics: Mapping[str, Metric], groups: Sequence[str]
) -> dict[str, tuple[float, float] | None]:
    """The 2.5th and 97.5th percentile of each metric over resamplings of the rows.

    ``groups`` names each row's group; an empty name is a group of its own. None where the metric
    has no value. Resamplings that leave a metric undefined are left out.
    """
    drawn: dict[str, list[Floats]] = {name: [] for name in metrics}
    for weights in resamplings(groups):
        for name, metric in metrics.items():
            drawn[name].append(metric.resampled(weights))
    return {
        name: None if metric.value is None else _middle(np.concatenate(drawn[name]))
        for name, metric in metrics.items()
    }


def differences(
    metrics: Mapping[str, Metric], than: Mapping[str, Metric], groups: Sequence[str]
) -> dict[str, tuple[float, float] | None]:
    """The same of each metric less that of the same name in ``than``, on the same resamplings;
    of those that both have. None where one of them has no value."""
    return intervals(
        {name: _pair(metric, than[name]) for name, metric in metrics.items() if name in than},
        groups,
    )


def _pair(one: Metric, other: Metric) -> Metric:
    known = one.value is not None and other.value is not None
    return Metric(0.0 if known else None, lambda w: one.resampled(w) - other.resampled(w))


def resamplings(groups: Sequence[str]) -> Iterator[Floats]:
    """How often each row is drawn, in blocks of shape (some resamplings, rows)."""
    member = np.unique(
        [group or f"\0{index}" for index, group in enumerate(groups)], return_inverse=True
    )[1]
    count = int(member.max()) + 1
    random = np.random.default_rng(SEED)
    for _ in range(REPLICATES // _AT_ONCE):
        picks = random.integers(count, size=(_AT_ONCE, count))
        times = np.stack([np.bincount(pick, minlength=count) for pick in picks])
        yield times[:, member].astype(np.float64)


def _middle(values: Floats) -> tuple[float, float] | None:
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None
    low, high = np.percentile(defined, [2.5, 97.5])
    return float(low), float(high)
