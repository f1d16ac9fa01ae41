"""The bins of a reliability diagram: what was said beside what came true."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from halubot.evaluation.statistics import BINS
from halubot.evaluation.weighted import Flags, Floats


class Bin(NamedTuple):
    """Examples of like probability: how many there are, the mean of what was said, and the share
    of them that is wrong."""

    examples: int
    said: float
    wrong: float


def bins(probability: Floats, wrong: Flags) -> tuple[Bin, ...]:
    """Bins of equally many examples each (to one), the least likely wrong first; the same as those
    of the expected calibration error. Fewer where there are fewer examples."""
    parts = np.array_split(np.argsort(probability, kind="stable"), BINS)
    return tuple(
        Bin(len(held), float(probability[held].mean()), float(wrong[held].mean()))
        for held in parts
        if len(held)
    )
