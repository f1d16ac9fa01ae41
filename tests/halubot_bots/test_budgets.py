"""Budgets of models: nothing is spent twice, everything that was spent counts."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from halubot_bots.budgets import Amount, BudgetError, Budgets
from halubot_bots.check_options import budgets_of
from halubot_bots.records import Place
from halubot_bots.settings import OwnerLimits, Quota
from halubot_bots.store import Store

DAY = 86_400.0
Opened = Callable[..., Budgets]


@pytest.fixture
def opened(tmp_path: Path, request: pytest.FixtureRequest) -> Opened:
    def make(clock: Callable[[], float] = lambda: DAY) -> Budgets:
        store = Store.open(tmp_path)
        request.addfinalizer(store.close)
        return Budgets(store.base, clock)

    return make


@pytest.mark.parametrize(
    ("quota", "most", "fits"),
    [
        (Quota(checks=2), Amount(), 2),
        (Quota(calls=10), Amount(1, 4), 2),
        (Quota(dollars=0.3), Amount(1, 0, 0.1), 3),
        (Quota(checks=0), Amount(), 0),
    ],
)
def test_reservations_count_until_they_are_settled(
    opened: Opened, quota: Quota, most: Amount, fits: int
) -> None:
    budgets = opened()
    held = [budgets.reserve({"all": quota}, most) for _ in range(fits)]
    with pytest.raises(BudgetError) as refused:
        budgets.reserve({"person:1": Quota(), "all": quota}, most)
    assert refused.value.whose == "all"
    assert refused.value.busy is (fits > 0)  # what others hold may come back
    assert budgets.used("person:1") == Amount(0)  # all of it or nothing
    for one in held:
        budgets.settle(one, Amount())
    assert budgets.used("all") == Amount(0)


def test_what_a_killed_process_had_spent_counts(opened: Opened) -> None:
    budgets = opened()
    held = budgets.reserve({"all": Quota()}, Amount(1, 60, 0.1))
    budgets.reserve({"all": Quota()}, Amount(1, 60, 0.1))
    budgets.note(held, Amount(1, 3, 0.02))
    budgets.settle_all()
    assert budgets.used("all") == Amount(1, 3, 0.02)
    budgets.settle(held, Amount(1, 9, 0.09))  # settled already
    assert budgets.used("all") == Amount(1, 3, 0.02)


def test_a_day_begins_anew(opened: Opened) -> None:
    now = [DAY]
    budgets = opened(lambda: now[0])
    held = budgets.reserve({"all": Quota(calls=5)}, Amount(1, 5))
    budgets.settle(held, Amount(1, 5))
    now[0] += DAY
    budgets.reserve({"all": Quota(calls=5)}, Amount(1, 5))


def test_checks_side_by_side_never_spend_what_is_left_twice(opened: Opened) -> None:
    budgets = opened()

    def try_one(_: int) -> int:
        try:
            budgets.reserve({"all": Quota(dollars=0.5)}, Amount(1, 1, 0.1))
        except BudgetError:
            return 0
        return 1

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(try_one, range(40))) == 5


def test_money_adds_up_to_the_millionth(opened: Opened) -> None:
    budgets, spent = opened(), (1, 33_333, 99_999, 7)
    for one in spent:
        budgets.settle(
            budgets.reserve({"all": Quota()}, Amount(1, 1, 0.1)), Amount(1, 1, one / 1e6)
        )
    assert round(budgets.used("all").dollars * 1e6) == sum(spent)


def test_a_server_has_a_fifth_of_the_day() -> None:
    owner = OwnerLimits(day=Quota(dollars=10, calls=100), person_checks=3)
    found = budgets_of(owner, Place(5, 7), 9)
    assert found["server:7"] == Quota(dollars=2, calls=20)
    assert found["person:9"] == Quota(checks=3)
    assert set(found) == {"all", "server:7", "channel:5", "person:9"}
    # Strangers without a server have no more than one.
    direct = budgets_of(owner, Place(5, None), 9)
    assert direct["direct:0"] == found["server:7"]
    assert OwnerLimits.model_validate({"day": {"calls": 5}}).day == Quota(calls=5, dollars=2.5)
