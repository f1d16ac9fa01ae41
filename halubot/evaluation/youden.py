"""Youden's J, its weighted form, and the threshold that is best by it.

Source: Díaz de Rábago, "Detección de alucinaciones en modelos del lenguaje grandes en el ámbito
médico" (2024), appendix C for J, section 9.4 for the weighted form.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from halubot.errors import SettingError
from halubot.evaluation.weighted import Flags, Floats

EVEN: Final = 0.5
"""The weight that makes the weighted form J itself."""


class Cut(NamedTuple):
    """A threshold, what it catches and what it lets pass, and the value of J there."""

    threshold: float
    tpr: float
    tnr: float
    value: float


def youden(tpr: float, tnr: float) -> float:
    """J = TPR + TNR - 1 (C.1): 1 parts the classes, 0 is chance, -1 parts them the wrong way."""
    return tpr + tnr - 1


def weighted_youden(tpr: float, tnr: float, w: float) -> float:
    """J_w = 2 [w TPR + (1 - w) TNR] - 1 (9.1), in [-1, 1]; w = 0.5 gives J, and 0.67, as for
    medicine, counts a hallucination that is missed twice. Raises SettingError for a weight outside
    of [0, 1]."""
    _require_weight(w)
    return 2 * (w * tpr + (1 - w) * tnr) - 1


def best_cut(
    wrong: Flags, scores: Floats, w: float = EVEN, scored: Flags | None = None
) -> Cut | None:
    """The score with the largest J_w where it and what is above it is doubted (C.2, 9.2), the
    highest of several; None where a class is missing. What is not ``scored`` is an abstention:
    right for neither class, whatever the threshold. Raises SettingError for a weight outside of
    [0, 1]."""
    _require_weight(w)
    bad, good = int(wrong.sum()), int((~wrong).sum())
    here = np.ones(len(wrong), dtype=bool) if scored is None else scored
    if not bad or not good or not here.any():
        return None
    known, said = wrong[here], scores[here]
    order = np.argsort(-said, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(said[order]) != 0, True))
    caught = np.cumsum(known[order])[ends]
    passed = int((~known).sum()) - np.cumsum(~known[order])[ends]
    # Times both counts, the even form is made of whole numbers, so that ties are ties.
    best = int(np.argmax(w * (caught * good) + (1 - w) * (passed * bad)))
    tpr, tnr = float(caught[best] / bad), float(passed[best] / good)
    return Cut(float(said[order][ends[best]]), tpr, tnr, weighted_youden(tpr, tnr, w))


def _require_weight(w: float) -> None:
    if not 0 <= w <= 1:
        raise SettingError(f"the weight of Youden's J is {w:g}, not between 0 and 1")
