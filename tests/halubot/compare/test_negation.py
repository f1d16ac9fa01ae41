"""Negation: its scope by clause, what only looks like it, and words that are opposites."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare.negation import COUNTERPARTS, OPPOSITES, denials, is_negative
from halubot.compare.negation import is_denied as denied


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
