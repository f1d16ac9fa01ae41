"""Several methods on the same rows, and how far each lies from the first.

A difference is drawn from the same resamplings for both methods, so that what makes a row hard for
all of them cancels out: its interval is narrower than those of the two figures suggest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from halubot.evaluation.plan import Plan
from halubot.evaluation.result import Result, provenance
from halubot.evaluation.runner import Advance, run_all
from halubot.evaluation.statistics import Metrics, differences

if TYPE_CHECKING:
    from halubot.models.panel import Panel


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much a method's figures lie above those of another, with 95 % intervals."""

    method: str
    than: str
    metrics: Mapping[str, float | None]
    intervals: Mapping[str, tuple[float, float] | None]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The figures of several methods on the same rows, and what parts them from the first."""

    results: tuple[Result, ...]
    differences: tuple[Difference, ...]

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON."""
        first = self.results[0]
        return {
            "dataset": first.dataset,
            "rows": first.rows,
            "data_sha256": first.data_sha256,
            "engine": first.engine,
            **provenance(),
            "methods": [result.to_dict() for result in self.results],
            "differences": [
                {
                    "method": one.method,
                    "than": one.than,
                    "metrics": dict(one.metrics),
                    "intervals": dict(one.intervals),
                }
                for one in self.differences
            ],
        }


def compare(
    plans: Sequence[Plan],
    *,
    panel: Panel | None = None,
    advance: Advance = lambda done, of: None,
) -> Comparison:
    """Measures several methods, each by a plan, on the same rows. Raises as `run_all`."""
    results = run_all(plans, panel=panel, advance=advance)
    first = results[0]
    # All methods have the same rows in the same order, so that one resampling fits all.
    groups = [one.row.group for one in first.scored]
    return Comparison(
        results,
        tuple(
            Difference(
                method=other.method,
                than=first.method,
                metrics={
                    name: _less(other.metrics[name], value)
                    for name, value in first.metrics.items()
                    if name in _drawable(other)
                },
                intervals=differences(_drawable(other), _drawable(first), groups),
            )
            for other in results[1:]
        ),
    )


def _drawable(result: Result) -> Metrics:
    """Its metrics without the threshold, which is higher or lower but not better."""
    return {name: metric for name, metric in result.figures.items() if name != "threshold"}


def _less(value: float | None, other: float | None) -> float | None:
    return None if value is None or other is None else value - other
