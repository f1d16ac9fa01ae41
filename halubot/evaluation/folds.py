"""Rows dealt to folds, so that what is found on some is measured on the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

FOLDS: Final = 5


def dealt(groups: Sequence[str], wrong: Sequence[bool], folds: int = FOLDS) -> tuple[int, ...]:
    """The fold of each unit, from 0. Units of one group are never parted; groups that hold
    something wrong, and those that do not, are each dealt in turn, so that every fold has its
    share of both."""
    kinds: dict[str, bool] = {}
    for group, bad in zip(groups, wrong, strict=True):
        kinds[group] = kinds.get(group, False) or bool(bad)
    fold: dict[str, int] = {}
    for kind in (True, False):
        alike = [group for group, bad in kinds.items() if bad == kind]
        fold.update((group, place % folds) for place, group in enumerate(alike))
    return tuple(fold[group] for group in groups)
