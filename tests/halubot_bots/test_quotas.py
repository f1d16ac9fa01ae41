"""Quotas: exact side by side, over days, and after a crash."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from halubot.state import Base
from halubot_bots.quotas import UPGRADE, UPGRADE_2, Amount, QuotaError, Quotas, Use
from halubot_bots.settings import Quota

DAY = 86_400.0


class Clock:
    def __init__(self) -> None:
        self.now = 100 * DAY + 5

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Base]:
    made = Base(tmp_path / "bots.db", [UPGRADE, UPGRADE_2], holds="quotas")
    yield made
    made.close()


def test_a_check_counts_while_it_runs_and_as_what_it_took_afterwards(base: Base) -> None:
    quotas = Quotas(base, Clock())
    held = quotas.reserve({"user:1": Quota(calls=10)}, Amount(calls=8, dollars=0.5))
    assert quotas.use_of("user:1") == Use(1, 8, 0.5)
    with pytest.raises(QuotaError, match="10 calls a day is held by checks"):
        quotas.reserve({"user:1": Quota(calls=10)}, Amount(calls=3))
    quotas.settle(held, Amount(calls=2, dollars=0.25))
    quotas.settle(held, Amount(calls=2, dollars=0.25))
    assert quotas.use_of("user:1") == Use(1, 2, 0.25)
    quotas.reserve({"user:1": Quota(calls=10)}, Amount(calls=8))


def test_all_limits_hold_at_once_or_nothing_is_reserved(base: Base) -> None:
    quotas = Quotas(base, Clock())
    limits = {"user:1": Quota(checks=5), "server:9": Quota(dollars=0.1)}
    with pytest.raises(QuotaError) as caught:
        quotas.reserve(limits, Amount(dollars=0.2))
    assert (caught.value.whose, caught.value.what) == ("server:9", "dollars")
    assert quotas.use_of("user:1") == Use()


def test_a_check_that_did_not_come_about_counts_only_what_was_spent(base: Base) -> None:
    quotas = Quotas(base, Clock())
    held = quotas.reserve({"a": Quota(checks=1)}, Amount(calls=5))
    quotas.settle(held, Amount(calls=1), counted=False)
    assert quotas.use_of("a") == Use(0, 1, 0.0)
    quotas.reserve({"a": Quota(checks=1)}, Amount())


def test_nothing_is_allowed_by_zero_and_everything_without_a_limit(base: Base) -> None:
    quotas = Quotas(base, Clock())
    with pytest.raises(QuotaError):
        quotas.reserve({"a": Quota(checks=0)}, Amount())
    for _ in range(30):
        quotas.reserve({"a": Quota()}, Amount(calls=1_000, dollars=100))


def test_a_day_begins_anew_and_days_add_up(base: Base) -> None:
    clock = Clock()
    quotas = Quotas(base, clock)
    limits = {"a": Quota(checks=1)}
    quotas.settle(quotas.reserve(limits, Amount()), Amount(calls=3))
    clock.now += DAY
    held = quotas.reserve(limits, Amount(calls=1))
    clock.now += DAY
    quotas.settle(held, Amount(calls=4))
    assert quotas.use_of("a") == Use()
    assert quotas.use_of("a", days=2) == Use(1, 4, 0.0)
    assert quotas.use_of("a", days=3) == Use(2, 7, 0.0)
    clock.now += 100 * DAY
    quotas.reserve(limits, Amount())
    assert quotas.use_of("a", days=400) == Use(1)


def test_of_a_check_that_was_killed_what_it_had_spent_counts_and_no_more(tmp_path: Path) -> None:
    clock = Clock()
    file = tmp_path / "bots.db"
    first = Base(file, [UPGRADE, UPGRADE_2], holds="quotas")
    killed = Quotas(first, clock)
    for _ in range(117):  # each process was killed while its check ran
        killed.reserve({"a": Quota()}, Amount(calls=60, dollars=0.1))
    noted = killed.reserve({"a": Quota()}, Amount(calls=60, dollars=0.1))
    killed.note(noted, Amount(calls=2, dollars=0.0009))
    assert killed.use_of("a").calls == 118 * 60
    first.close()
    again = Base(file, [UPGRADE, UPGRADE_2], holds="quotas")
    quotas = Quotas(again, clock)
    assert quotas.release() == 118
    assert quotas.use_of("a") == Use(1, 2, 0.0009)
    quotas.settle(noted, Amount(calls=5))  # too late
    assert quotas.use_of("a") == Use(1, 2, 0.0009)
    quotas.reserve({"a": Quota(calls=5, dollars=2.5)}, Amount(calls=3, dollars=0.1))
    again.close()


def test_what_others_hold_is_busy_and_not_used_up(base: Base) -> None:
    quotas = Quotas(base, Clock())
    limits = {"a": Quota(dollars=2.50)}
    held = [quotas.reserve(limits, Amount(dollars=0.10)) for _ in range(25)]
    with pytest.raises(QuotaError, match="held by checks that run") as caught:
        quotas.reserve(limits, Amount(dollars=0.10))
    assert caught.value.busy
    for one in held:
        quotas.settle(one, Amount(calls=1, dollars=0.0000009))
    quotas.settle(quotas.reserve(limits, Amount(dollars=2.45)), Amount(dollars=2.45))
    with pytest.raises(QuotaError, match="used up") as caught:
        quotas.reserve(limits, Amount(dollars=0.10))
    assert not caught.value.busy
    assert caught.value.spent == pytest.approx(2.45, abs=1e-3)


def test_checks_side_by_side_never_spend_what_is_left_twice(base: Base) -> None:
    quotas = Quotas(base, Clock())

    def check(_: int) -> bool:
        try:
            held = quotas.reserve({"a": Quota(checks=7), "b": Quota(calls=30)}, Amount(calls=4))
        except QuotaError:
            return False
        quotas.settle(held, Amount(calls=4))
        return True

    with ThreadPoolExecutor(8) as pool:
        done = sum(pool.map(check, range(40)))
    assert done == 7
    assert quotas.use_of("a") == quotas.use_of("b") == Use(7, 28, 0.0)


def test_forgetting_opens_no_quota_again(base: Base) -> None:
    clock = Clock()
    quotas = Quotas(base, clock)
    quotas.reserve({"a": Quota()}, Amount(calls=1))
    clock.now += DAY
    quotas.settle(quotas.reserve({"a": Quota()}, Amount()), Amount(calls=2))
    quotas.forget("a")
    assert quotas.use_of("a", days=5).calls == 3


def test_what_was_used_by_somebody_forgotten_goes_with_the_day(base: Base) -> None:
    clock = Clock()
    quotas = Quotas(base, clock)
    for key in ("user:3:77", "user:4:77", "user:3:777"):
        quotas.settle(quotas.reserve({key: Quota()}, Amount()), Amount(calls=1))
    quotas.forget("user:*:77")
    assert quotas.use_of("user:3:77").calls == 1
    clock.now += DAY
    quotas.expire()
    assert quotas.use_of("user:3:77", days=9) == quotas.use_of("user:4:77", days=9) == Use()
    assert quotas.use_of("user:3:777", days=9) == Use(1, 1)
