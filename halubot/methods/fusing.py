"""Verdicts of a model and the comparison of sources, as log-odds that add up."""

from __future__ import annotations

import math


def fused(odds: float, yes: int, no: int) -> float:
    """The log-odds that a fact or sentence is wrong, from those of the comparison and from so
    many samples of which a model said that they bear it out, and that they do not."""
    if yes + no == 0:
        return odds
    return odds + math.log((no + 0.5) / (yes + 0.5))
