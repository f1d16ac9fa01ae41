"""Counts of each row, and the figures that are one count over another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from halubot.evaluation import weighted
from halubot.evaluation.rows import Row
from halubot.evaluation.statistics import Metric, Metrics, plain
from halubot.evaluation.weighted import Floats

APART: Final = ": "
"""Stands between the name of a figure and the part of the data set that it is limited to."""


class Tally(Counter[str]):
    """The counts of one row."""

    def add(self, name: str, count: int, *parts: str) -> None:
        """Add to a count, and to the same count of each of these parts of the data set."""
        self[name] += count
        for part in parts:
            self[f"{name}{APART}{part}"] += count


def parts_of(row: Row) -> tuple[str, ...]:
    """Return the parts of the data set that a row belongs to, such as "style news"."""
    return tuple(f"{dimension} {value}" for dimension, value in row.strata.items())


def ratio(tallies: Sequence[Tally], above: str, below: str) -> Metric:
    """Return the sum of one count over the sum of another."""
    upper, lower = counts(tallies, above), counts(tallies, below)
    return plain(lambda w: weighted.ratio(upper, lower, w), len(tallies))


def total(tallies: Sequence[Tally], name: str) -> Metric:
    """Return the sum of a count."""
    found = counts(tallies, name)
    return plain(lambda w: w @ found, len(tallies))


def counts(tallies: Sequence[Tally], name: str) -> Floats:
    """Return a count of each row."""
    return np.array([tally[name] for tally in tallies], dtype=float)


def ratios(tallies: Sequence[Tally], names: Mapping[str, tuple[str, str]]) -> Metrics:
    """Return each named figure, one count over another; a figure with nothing to divide by is left
    out."""
    return {
        name: ratio(tallies, above, below)
        for name, (above, below) in names.items()
        if any(tally[below] for tally in tallies)
    }


def ratios_apart(tallies: Sequence[Tally], names: Mapping[str, tuple[str, str]]) -> Metrics:
    """Return each named figure of each part of the data set for which both counts were added."""
    known = {key for tally in tallies for key in tally}
    return {
        name + (part := key.removeprefix(below)): ratio(tallies, above + part, below + part)
        for name, (above, below) in names.items()
        for key in sorted(known)
        if key.startswith(below + APART) and above + key.removeprefix(below) in known
    }
