"""Python's own work while nobody waits for it."""

from __future__ import annotations

import gc
import sys
import time
import weakref
from collections.abc import Iterator

import pytest

from halubot_tui.garbage import Garbage

LONG_AGO = -60.0
pytestmark = pytest.mark.slow


class Ring:
    """Something that is garbage only to those who look for rings."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture
def garbage() -> Iterator[Garbage]:
    made = Garbage()
    made.heard = True
    made.look(pressed=LONG_AGO, busy=False)
    made.heard = True
    yield made
    made.end()


def left() -> weakref.ref[Ring]:
    """Garbage that was made now."""
    return weakref.ref(Ring())


def test_settings_are_as_before_at_the_end() -> None:
    before = gc.get_threshold(), sys.getswitchinterval()
    made = Garbage()
    made.end()
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before[0], 0)
    assert abs(sys.getswitchinterval() - before[1]) < 1e-6


def test_nothing_is_collected_while_somebody_types(garbage: Garbage) -> None:
    gone = left()
    garbage.look(pressed=time.monotonic(), busy=False)
    garbage.look(pressed=time.monotonic(), busy=True, ended=True)
    assert gone() is not None
    garbage.look(pressed=LONG_AGO, busy=False)
    assert gone() is None


def test_while_something_is_under_way_only_what_is_new_is_looked_through(
    garbage: Garbage,
) -> None:
    old = Ring()
    old_gone = weakref.ref(old)
    garbage.look(pressed=LONG_AGO, busy=True)
    del old
    new_gone = left()
    garbage.look(pressed=LONG_AGO, busy=True)
    assert new_gone() is None
    assert old_gone() is not None
    garbage.look(pressed=LONG_AGO, busy=False)
    assert old_gone() is None


def test_the_end_of_a_check_looks_at_the_whole_if_much_was_left_alone(garbage: Garbage) -> None:
    rings = [Ring() for _ in range(50_000)]
    gone = weakref.ref(rings[0])
    garbage.look(pressed=time.monotonic(), busy=True)
    del rings
    garbage.look(pressed=time.monotonic(), busy=False, ended=True)  # who types on never rests
    assert gone() is None
