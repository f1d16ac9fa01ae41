"""Operators: modals, quantities, links, and which of them exclude each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare import lexicon
from halubot.compare.operators import Sense, exclude, find_operator, is_operator


@pytest.mark.parametrize(
    ("phrase", "width", "sense"),
    [
        ("must leave", 1, Sense("modal", "must")),
        ("have to leave", 2, Sense("modal", "must")),
        ("do not need to leave", 4, Sense("modal", "need not")),
        ("all of them", 2, Sense("quantity", "1.0")),
        ("before noon", 1, Sense("link", "before")),
        ("even if it rains", 2, Sense("link", "even if")),
        ("no more than two", 3, None),
        ("house", 0, None),
    ],
)
def test_the_longest_phrase_is_found(phrase: str, width: int, sense: Sense | None) -> None:
    assert find_operator(tuple(phrase.split()), 0) == (width, sense)


def test_a_single_word_may_be_one() -> None:
    assert is_operator("must")
    assert is_operator("every")
    assert not is_operator("house")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Sense("modal", "must"), Sense("modal", "may")),
        (Sense("modal", "may"), Sense("modal", "cannot")),
        (Sense("quantity", "1.0"), Sense("quantity", "0.4")),
        (Sense("quantity", "0.0"), Sense("quantity", "0.1")),
        (Sense("link", "before"), Sense("link", "after")),
        (Sense("link", "with"), Sense("link", "without")),
        (Sense("degree", "more"), Sense("degree", "less")),
    ],
)
def test_what_excludes(one: Sense, other: Sense) -> None:
    assert exclude(one, other)
    assert exclude(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Sense("modal", "must"), Sense("modal", "should")),
        (Sense("modal", "must"), Sense("quantity", "1.0")),
        (Sense("quantity", "0.7"), Sense("quantity", "0.8")),
        (Sense("link", "before"), Sense("link", "with")),
    ],
)
def test_what_does_not(one: Sense, other: Sense) -> None:
    assert not exclude(one, other)
    assert not exclude(other, one)


WORDS = st.sampled_from(
    sorted({*lexicon.modal_phrases(), *lexicon.quantifiers(), "before", "after", "with", "without"})
)


@given(WORDS, WORDS)
def test_exclusion_goes_both_ways_and_nothing_excludes_itself(one: str, other: str) -> None:
    mine, theirs = (find_operator(tuple(words.split()), 0)[1] for words in (one, other))
    if mine is not None and theirs is not None:
        assert exclude(mine, theirs) == exclude(theirs, mine)
        assert not exclude(mine, mine)
