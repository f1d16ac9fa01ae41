"""Tests of the lexical knowledge of English."""

from __future__ import annotations

import pytest

from halubot.compare import lexicon


@pytest.mark.parametrize(
    ("word", "bases"),
    [
        ("running", {"run", "running"}),
        ("studies", {"study"}),
        ("left", {"left", "leave"}),
        ("better", {"better", "good", "well"}),
        ("retweeted", {"retweeted", "retweet"}),
        ("was", {"be"}),
    ],
)
def test_base_forms(word: str, bases: set[str]) -> None:
    assert lexicon.lemmas(word) == bases


def test_an_alternative_is_another_thing_of_one_kind() -> None:
    assert lexicon.are_alternatives("violin", "trumpet")
    assert not lexicon.are_alternatives("dog", "animal")
    assert lexicon.is_kind_of("dog", "animal")
