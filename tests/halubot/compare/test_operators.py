"""Operators: modals, quantities, links, and which of them exclude each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare import lexicon
from halubot.compare.operators import (
    COUNTERPARTS,
    OPPOSITES,
    Sense,
    denials,
    exclude,
    find_operator,
    is_negative,
    is_operator,
)
from halubot.compare.operators import is_denied as denied


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


def is_denied(text: str, word: str) -> bool:
    return denied(denials(text), text.index(word))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("She was not born in Paris.", "Paris"),
        ("She never won a prize.", "prize"),
        ("He didn't go to school.", "school"),
        ("They had no children.", "children"),
        ("She denied that he had paid.", "paid"),
        ("The probe failed to land.", "land"),
        ("It is no longer open.", "open"),
        ("He left without his hat.", "hat"),
        ("They chose Lyon rather than Paris.", "Paris"),
        ("Neither the king nor the queen came.", "queen"),
        ("Er wurde nicht in Ulm geboren.", "Ulm"),
        ("他不是医生。", "医生"),
        ("彼は来ない。", "来"),
    ],
)
def test_denied(text: str, word: str) -> None:
    assert is_denied(text, word)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("She was born in Paris.", "Paris"),
        ("She not only sang but also danced.", "sang"),
        ("He was not born in Paris but in Lyon.", "Lyon"),
        ("They chose Lyon rather than Paris.", "Lyon"),
        ("She never sang, and he danced.", "danced"),
        ("He did not fail to reply.", "reply"),
        ("It was not without merit.", "merit"),
        ("The bridge did not open until 1990.", "open"),
        ("There is no doubt that it works.", "works"),
        ('Their song "Don\'t Wait Up" came out.', "came"),
        ("It is house No. 5 in the row.", "row"),
        ("他不仅是医生。", "医生"),
    ],
)
def test_not_denied(text: str, word: str) -> None:
    assert not is_denied(text, word)


def test_a_relation_that_denies() -> None:
    assert is_negative("was not born in")
    assert is_negative("never won")
    assert not is_negative("was born in")
    assert not is_negative("")


def test_opposites_go_both_ways() -> None:
    for table in (OPPOSITES, COUNTERPARTS):
        for word, others in table.items():
            assert word not in others
            assert all(word in table[other] for other in others)


CUES = "not never no nor neither , . but and he without 不 n't x until"


@given(st.text(max_size=60) | st.lists(st.sampled_from(CUES.split())).map(" ".join))
def test_denials_of_any_text_lie_in_it(text: str) -> None:
    for denial in denials(text):
        assert 0 <= denial.cue <= len(text)
        assert 0 <= denial.start <= denial.end <= len(text)
