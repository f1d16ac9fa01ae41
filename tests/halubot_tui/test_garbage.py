"""Python's own work while nobody waits for it."""

from __future__ import annotations

import gc
import sys
import time
import weakref
from collections.abc import Iterator

import pytest

from halubot_tui.garbage import Idle, Sweeper


class Ring:
    """Something that is garbage only to those who look for rings."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture
def idle() -> Iterator[Idle]:
    made = Idle()
    yield made
    made.end()


@pytest.mark.slow
def test_settings_are_as_before_at_the_end() -> None:
    before = gc.get_threshold(), sys.getswitchinterval(), gc.get_freeze_count()
    idle = Idle()
    try:
        assert gc.get_threshold()[0] > before[0][0]
        assert sys.getswitchinterval() < before[1]
        idle.sweep()
        assert gc.get_freeze_count() > 0
    finally:
        idle.end()
    assert gc.get_threshold() == before[0]
    assert abs(sys.getswitchinterval() - before[1]) < 1e-6
    assert gc.get_freeze_count() == 0


@pytest.mark.slow
def test_a_sweep_finds_garbage_also_among_what_was_left_alone(idle: Idle) -> None:
    ring = Ring()
    gone = weakref.ref(ring)
    idle.sweep()
    del ring
    assert gone() is not None
    idle.sweep()
    assert gone() is None


@pytest.mark.slow
def test_while_something_is_under_way_only_what_is_new_is_looked_through(idle: Idle) -> None:
    old = Ring()
    old_gone = weakref.ref(old)
    idle.sweep()
    new = Ring()
    new_gone = weakref.ref(new)
    del old, new
    idle.sweep(whole=False)
    assert new_gone() is None
    assert old_gone() is not None
    idle.sweep()
    assert old_gone() is None


@pytest.mark.slow
def test_what_is_spared_is_found_by_the_next_sweep_of_the_whole(idle: Idle) -> None:
    ring = Ring()
    gone = weakref.ref(ring)
    del ring
    idle.spare()
    idle.sweep(whole=False)
    assert gone() is not None
    idle.sweep()
    assert gone() is None


@pytest.mark.slow
@pytest.mark.parametrize(("seconds", "found"), [(0.0, False), (60.0, True)])
def test_what_a_check_leaves_is_found_at_its_end_if_nobody_types(
    idle: Idle, seconds: float, *, found: bool
) -> None:
    idle.sweep()
    ring = Ring()
    gone = weakref.ref(ring)
    del ring
    Sweeper.conclude(idle, pressed=time.monotonic() - seconds)
    assert (gone() is None) == found


@pytest.mark.slow
@pytest.mark.parametrize(("seconds", "found"), [(5.0, False), (60.0, True)])
def test_the_end_of_a_check_looks_at_the_whole_if_much_was_left_alone(
    idle: Idle, seconds: float, *, found: bool
) -> None:
    idle.sweep()
    assert not idle.is_due
    rings = [Ring() for _ in range(50_000)]
    gone = weakref.ref(rings[0])
    idle.spare()
    assert idle.is_due
    del rings
    Sweeper.conclude(idle, pressed=time.monotonic() - seconds)
    assert (gone() is None) == found
    assert idle.is_due != found
