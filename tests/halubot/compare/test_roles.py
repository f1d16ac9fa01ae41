"""Roles: who did what to whom, over passives, converse verbs and comparisons."""

from __future__ import annotations

import pytest

from halubot.compare.roles import find_swaps
from tests.halubot.compare.sentences import aligned


def is_swapped(claim: str, source: str) -> bool:
    return bool(list(find_swaps(aligned(claim, source))))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Edison sued Tesla.", "Tesla sued Edison."),
        ("Edison was sued by Tesla.", "Edison sued Tesla."),
        ("Edison was sued by Tesla.", "Tesla was sued by Edison."),
        ("Ada bought the mill from Karl.", "Ada sold the mill to Karl."),
        ("The train is faster than the bus.", "The bus is faster than the train."),
        ("In 1950 Ohio Steel acquired Iowa Coal.", "In 1950 Iowa Coal acquired Ohio Steel."),
    ],
)
def test_roles_are_exchanged(claim: str, source: str) -> None:
    assert is_swapped(claim, source)
    assert is_swapped(source, claim)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Edison sued Tesla.", "Edison sued Tesla in 1901."),
        ("Edison sued Tesla.", "Tesla was sued by Edison."),
        ("Ada bought the mill from Karl.", "Karl sold the mill to Ada."),
        ("The train is faster than the bus.", "The bus is slower than the train."),
        ("We saw Ada marry Karl.", "We saw Karl marry Ada."),
        ("Edison sued Tesla.", "Edison sued Ford."),
    ],
)
def test_roles_are_kept_or_unknown(claim: str, source: str) -> None:
    assert not is_swapped(claim, source)
    assert not is_swapped(source, claim)
