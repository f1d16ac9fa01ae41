"""Triples found against triples given: which of them pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rapidfuzz import fuzz, process

from halubot.evaluation.checked import ALIKE
from halubot.report import Triple


def pair_triples(found: Sequence[Triple], given: Sequence[Triple]) -> tuple[bool, ...]:
    """For each triple found, whether it pairs with a given one; best pairs first, and no triple
    pairs twice."""
    if not found or not given:
        return (False,) * len(found)
    likeness = process.cdist(
        [str(triple).casefold() for triple in found],
        [str(triple).casefold() for triple in given],
        scorer=fuzz.token_sort_ratio,
        score_cutoff=ALIKE,
        dtype=np.float64,
    )
    order = np.argsort(-likeness, axis=None, kind="stable")
    taken: set[int] = set()
    pairs: set[int] = set()
    for at in order:
        i, j = divmod(int(at), len(given))
        if likeness[i, j] < ALIKE:
            break
        if i not in pairs and j not in taken:
            pairs.add(i)
            taken.add(j)
    return tuple(i in pairs for i in range(len(found)))
