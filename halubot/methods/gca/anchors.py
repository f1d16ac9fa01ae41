"""Theta_t found for the vectors at hand: from which cosine on two tails are the same.

The paper publishes no theta_t, and none would do for all: of one pair of entities models give
cosines between .2 and .9. So some made-up facts are embedded with those of a check, each with its
tail in other words and with another tail of the same kind. Theta_t is the cosine that parts the
same tails from all others best, by Youden's J, after the same convolution.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from halubot.methods.gca.graphs import Convolution, Vector, graph, unit, unit_cosine
from halubot.report import Triple

HEAD: Final = "Ada Weir"

_TOLD: Final = (
    ("was born in", "Ulm, Germany", "the German town of Ulm", "Basel, Switzerland"),
    ("worked as", "a painter of landscapes", "landscape painter", "a composer of operas"),
    ("studied at", "the University of Vienna", "Vienna University", "Leipzig University"),
    ("received", "the Schiller Prize for poetry", "the Schiller Prize", "a medal for bravery"),
    ("died on", "3 May 1911", "May 3, 1911", "17 June 1924"),
)
"""Each relation with a tail, the same in other words, and another one."""

OURS: Final = tuple(Triple(HEAD, relation, tail) for relation, tail, _, _ in _TOLD)
SAME: Final = tuple(Triple(HEAD, relation, tail) for relation, _, tail, _ in _TOLD)
OTHER: Final = tuple(Triple(HEAD, relation, tail) for relation, _, _, tail in _TOLD)
TEXTS: Final = (HEAD, *(triple.tail for triple in (*OURS, *SAME, *OTHER)))
"""What has to be embedded for it: heads and tails. Relations only name the types of edges."""

USUAL: Final = 0.7
"""Theta_t where vectors do not part the same tails from others at all."""


class Fitted(NamedTuple):
    """Theta_t, and Youden's J there: 1 where it parts all pairs, 0 where it parts none."""

    value: float
    youden: float


def fit_tail(vectors: Mapping[str, Vector], convolution: Convolution = "none") -> Fitted:
    """Theta_t for these vectors, which hold all `TEXTS`: midway between the lowest cosine that
    counts as the same and the next below it. Of equally good cuts the highest is taken, because
    one wrong match hides an error."""
    ours, *theirs = (
        [unit(node) for node in graph(row).convolved(vectors, convolution)][1:]
        for row in (OURS, SAME, OTHER)
    )
    pairs = [
        (unit_cosine(mine, other), place == at and row is theirs[0])
        for row in theirs
        for place, mine in enumerate(ours)
        for at, other in enumerate(row)
    ]
    pairs.sort(reverse=True)
    count = len(OURS)
    best, hits = Fitted(USUAL, 0.0), 0
    for place, (one, same) in enumerate(pairs):
        hits += same
        below = pairs[place + 1][0] if place + 1 < len(pairs) else -1.0
        if below == one:
            continue
        youden = hits / count - (place + 1 - hits) / (len(pairs) - count)
        if youden > best.youden:
            best = Fitted((one + below) / 2, youden)
    return best
