"""Texts of one pattern are read and checked in time that grows with their length."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Final

import pytest

from halubot import check
from halubot.claims import read_message
from halubot.text import clean
from tests.patterns import texts

LENGTH: Final = 5_000
LONG: Final = 50_000

NAMES: Final = [name for name, text in texts(100).items() if clean(text)[0].strip()]
"""All patterns that are no blank text."""

MOST_TO_READ: Final = {LENGTH: 0.5, LONG: 5.0}
"""Seconds of the processor to read one, by its length: 0.6 are usual for the slowest long one, and
a quadratic pass over it took 25."""

MOST_TO_CHECK: Final = 30.0
"""Seconds of the processor to check a long one beside itself as a reference."""


made = cache(texts)


def seconds_for(work: Callable[[], object]) -> float:
    """Return the seconds of the processor that work takes, so that other processes do not count."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


@pytest.mark.parametrize("length", [LENGTH, pytest.param(LONG, marks=pytest.mark.slow)])
def test_a_text_of_one_pattern_is_read_in_time(length: int) -> None:
    took = {name: seconds_for(lambda one=name: read_message(made(length)[one])) for name in NAMES}  # type: ignore[misc]
    assert [one for one in took.items() if one[1] >= MOST_TO_READ[length]] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_text_of_one_pattern_is_checked_in_time(name: str) -> None:
    text = made(LONG)[name]
    assert seconds_for(lambda: check(text, references=[text])) < MOST_TO_CHECK
