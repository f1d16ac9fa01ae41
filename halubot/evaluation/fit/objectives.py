"""What a threshold is to make largest.

``youden``      J = TPR + TNR - 1
``weighted:W``  2 [W TPR + (1 - W) TNR] - 1: above 0.5, what is missed weighs more
``balanced``    the balanced accuracy, (TPR + TNR) / 2: the same threshold as by J
``f1``          the harmonic mean of precision and recall of what is doubted

Source of the first two: `halubot.evaluation.youden`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from halubot.errors import SettingError
from halubot.evaluation.weighted import Flags, Floats
from halubot.evaluation.youden import EVEN, best_cut

Kind = Literal["youden", "weighted", "f1", "balanced"]
HELP: Final = "youden, weighted:W (W from 0 to 1), f1 or balanced"


@dataclass(frozen=True, slots=True)
class Objective:
    """An objective by its kind, and the weight of what is caught."""

    kind: Kind
    weight: float = EVEN

    def __str__(self) -> str:
        return f"weighted:{self.weight:g}" if self.kind == "weighted" else self.kind

    @property
    def words(self) -> str:
        """The objective for people."""
        match self.kind:
            case "youden":
                return "Youden's J"
            case "weighted":
                return f"Youden's J, weighted {self.weight:g}"
            case "balanced":
                return "balanced accuracy"
            case _:
                return "F1"

    def threshold(self, wrong: Flags, scores: Floats) -> float | None:
        """The score from which on to doubt, the highest of several that are best, half way to the
        next lower score; None where a class is missing."""
        if self.kind == "f1":
            best = best_f1(wrong, scores)
        else:
            cut = best_cut(wrong, scores, self.weight)
            best = None if cut is None else cut.threshold
        if best is None:
            return None
        below = float(scores[scores < best].max(initial=-np.inf))
        middle = (best + below) / 2
        return middle if middle > below else best


_PLAIN: Final = {
    "youden": Objective("youden"),
    "f1": Objective("f1"),
    "balanced": Objective("balanced"),
}


def parse(text: str) -> Objective:
    """The objective of these words. Raises SettingError for words that are none."""
    name, _, weight = text.partition(":")
    if name == "weighted" and weight:
        try:
            value = float(weight)
        except ValueError:
            value = -1.0
        if 0 <= value <= 1:
            return Objective("weighted", value)
    elif text in _PLAIN:
        return _PLAIN[text]
    raise SettingError(f"there is no objective {text!r}: write {HELP}")


def best_f1(wrong: Flags, scores: Floats) -> float | None:
    """The score with the largest F1 where it and what is above it is doubted, the highest of
    several; None where a class is missing."""
    if wrong.all() or not wrong.any():
        return None
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
    caught = np.cumsum(wrong[order])[ends]
    f1 = 2 * caught / (ends + 1 + wrong.sum())
    return float(scores[order][ends[int(np.argmax(f1))]])
