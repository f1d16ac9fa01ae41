"""Texts of one pattern are read and checked in time that grows with their length."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import pytest

from halubot import check
from halubot.claims import read_message
from halubot.text import clean
from tests.patterns import texts

LENGTH: Final = 50_000

TEXTS: Final = {name: text for name, text in texts(LENGTH).items() if clean(text)[0].strip()}
"""All patterns that are no blank text."""

MOST_SECONDS: Final = 5.0
"""Seconds of the processor to read one: 0.6 are usual for the slowest, and a quadratic pass over
`LENGTH` characters took 25."""

MOST_TO_CHECK: Final = 30.0
"""Seconds of the processor to check one beside itself as a reference."""


def seconds_for(work: Callable[[], object]) -> float:
    """Return the seconds of the processor that work takes, so that other processes do not count."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_of_one_pattern_is_read_in_time(name: str) -> None:
    assert seconds_for(lambda: read_message(TEXTS[name])) < MOST_SECONDS


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_of_one_pattern_is_checked_in_time(name: str) -> None:
    text = TEXTS[name]
    assert seconds_for(lambda: check(text, references=[text])) < MOST_TO_CHECK
