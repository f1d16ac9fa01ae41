"""Rows dealt to folds: groups stay whole, every fold has its share."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from halubot.evaluation.statistics import FOLDS, dealt

UNITS = st.lists(st.tuples(st.sampled_from("abcdefghij"), st.booleans()), max_size=60)


@given(UNITS, st.integers(1, 7))
def test_no_group_is_parted(units: list[tuple[str, bool]], folds: int) -> None:
    fold = dealt([group for group, _ in units], [wrong for _, wrong in units], folds)
    assert all(0 <= one < folds for one in fold)
    assert len({(group, one) for (group, _), one in zip(units, fold, strict=True)}) == len(
        {group for group, _ in units}
    )


@given(UNITS)
def test_groups_with_and_without_a_fault_are_spread_evenly(units: list[tuple[str, bool]]) -> None:
    groups = [group for group, _ in units]
    fold = dict(zip(groups, dealt(groups, [wrong for _, wrong in units]), strict=True))
    faulty = {group for group, wrong in units if wrong}
    for kind in (faulty, set(groups) - faulty):
        shares = Counter(fold[group] for group in kind)
        assert max(shares.values(), default=0) - min(shares[i] for i in range(FOLDS)) <= 1


def test_single_rows_are_dealt_in_turn() -> None:
    assert dealt("abcdefg", [True, False, True, True, False, True, True], 3) == (
        *(0, 0, 1, 2),
        *(1, 0, 1),
    )
