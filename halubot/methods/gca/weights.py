"""The weighted sum of GCA: how true a fact is, by up to four terms.

    F = w1 S_h + w2 S_r + w3 S_t + w4 c        H = 1 - F

Each term is in [0, 1] and grows with truth: the shares of repeats that found the head, the relation
and the tail again, and c = (C_i / N + 1) / 2, how consistent the samples are with the fact. A term
that there is not is left out, and the weights of the others made to sum to 1.

As published the count itself is added, F = w1 S_h + w2 S_r + w3 S_t + w4 C_i. H is then F on the
scale from its largest value to its smallest, with which C_i is N or -N: the order is that of F.

Source: Fang et al., "Zero-resource Hallucination Detection for Text Generation via Graph-based
Contextual Knowledge Triples Modeling" (AAAI 2025), equation 3; the weights are those that its
repository tabulates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from halubot.errors import SettingError


class Weights(NamedTuple):
    """What each term counts: none below 0, and 1 together."""

    head: float
    relation: float
    tail: float
    consistency: float


NAMED: Final[Mapping[str, Weights]] = {
    "wikibio": Weights(0.7, 0.15, 0.1, 0.05),
    "phd": Weights(0.7, 0.1, 0.1, 0.1),
}
"""The published weights, by the data they were taken for."""


class Terms(NamedTuple):
    """The terms of one fact; None is one that there is not."""

    head: float | None
    relation: float | None
    tail: float | None
    consistency: float | None

    def truth(self, weights: Weights) -> float | None:
        """F, in [0, 1]. None where no term is left that counts, and where of the three that ask for
        the fact none is left though one should count: the samples alone would not be enough."""
        kept = [(w, term) for w, term in zip(weights, self, strict=True) if term is not None]
        total = math.fsum(w for w, _ in kept)
        asked = math.fsum(weights[:3])
        left = math.fsum(
            w for w, term in zip(weights[:3], self[:3], strict=True) if term is not None
        )
        if not total or (asked and not left):
            return None
        return min(1.0, max(0.0, math.fsum(w * term for w, term in kept) / total))


@dataclass(frozen=True, slots=True)
class Published:
    """Equation 3 as it stands: C_i is a count of ``samples`` samples, or more where one of them
    counts twice."""

    weights: Weights
    samples: int

    def truth(self, terms: Terms, count: int) -> float | None:
        """F. Shares that there are not are left out, and the others of the three count for them.
        None where none of the three that should count is left."""
        kept = [
            (w, term)
            for w, term in zip(self.weights[:3], terms[:3], strict=True)
            if term is not None
        ]
        asked, left = math.fsum(self.weights[:3]), math.fsum(w for w, _ in kept)
        if asked and not left:
            return None
        found = math.fsum(w * term for w, term in kept)
        return (found * asked / left if asked else 0.0) + self.weights.consistency * count

    def doubt(self, truth: float) -> float:
        """H, in [0, 1]: 0 for the largest F, 1 for the smallest."""
        edge = self.weights.consistency * self.samples
        most = math.fsum(self.weights[:3]) + edge
        return min(1.0, max(0.0, (most - truth) / (most + edge)))


def weights_of(value: Any) -> Weights:
    """The weights that an option names or gives as four numbers. Raises SettingError for others."""
    if isinstance(value, str) and value in NAMED:
        return NAMED[value]
    names = " or ".join(repr(name) for name in NAMED)
    wanted = f"{names}, or four numbers from 0 that sum to 1"
    if not isinstance(value, (list, tuple)) or len(value) != 4:
        raise SettingError(f"the weights are {value!r:.60}, not {wanted}")
    if not all(isinstance(w, (int, float)) and not isinstance(w, bool) and w >= 0 for w in value):
        raise SettingError(f"the weights are {value!r:.60}, not {wanted}")
    if abs(math.fsum(value) - 1) > 1e-6:
        raise SettingError(f"the weights {value!r:.60} sum to {math.fsum(value):g}, not to 1")
    return Weights(*map(float, value))
