"""Canaries: known answers, the same each time, cheap, and no fact that is asked about."""

from __future__ import annotations

import pytest

from halubot.methods.calls.canaries import LONGEST, Canary, plant

SOURCE = (
    "Ada Lovelace was born in London in 1815. She wrote notes on the Analytical Engine. Her"
    " mentor was Mary Somerville. She died in 1852 and was buried in Hucknall."
)
FACTS = [
    f"Ada Lovelace | wrote | the long letter number {number} to a friend" for number in range(26)
]


def canaries(source: str, facts: list[str]) -> list[Canary]:
    return [one for one in plant(source, facts) if isinstance(one, Canary)]


def test_the_same_call_has_the_same_canaries() -> None:
    assert plant(SOURCE, FACTS) == plant(SOURCE, FACTS)
    assert plant(SOURCE, FACTS) != plant(SOURCE, FACTS[:-1])
    assert [one for one in plant(SOURCE, FACTS) if isinstance(one, int)] == [*range(26)]


@pytest.mark.parametrize("number", range(12))
def test_one_is_quoted_one_exchanged_and_one_about_something_else(number: int) -> None:
    found = canaries(SOURCE, FACTS[: number + 1])
    assert sorted(one.right for one in found) == [False, False, True]
    (right,) = (one.text for one in found if one.right)
    assert all(word in SOURCE for word in right.replace(" | ", " ").split())
    for one in found:
        assert len(one.text) <= LONGEST + 40
        assert one.text not in FACTS
        if not one.right:
            assert any(word.strip("|") not in SOURCE for word in one.text.split())


def test_canaries_stand_in_other_places_in_other_calls() -> None:
    places = {
        at
        for number in range(20)
        for at, one in enumerate(plant(f"{SOURCE} It was {1900 + number}.", FACTS))
        if isinstance(one, Canary)
    }
    assert len(places) > 15
