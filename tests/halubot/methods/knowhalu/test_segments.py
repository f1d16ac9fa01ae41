"""Summaries cut into segments of at most 30 words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.evidence.retrieval import word_starts
from halubot.methods.knowhalu.lookup import segments
from halubot.text import read


def cut(text: str, words: int = 30) -> list[str]:
    return [text[start:end] for start, end in segments(read(text), words)]


def test_a_sentence_is_a_segment() -> None:
    assert cut("One two. Three four five.") == ["One two.", "Three four five."]


@pytest.mark.parametrize(("count", "lengths"), [(30, [30]), (31, [15, 16]), (61, [20, 20, 21])])
def test_a_long_sentence_is_cut_evenly(count: int, lengths: list[int]) -> None:
    text = " ".join(f"w{number}" for number in range(count)) + "."
    found = cut(text)
    assert [len(piece.split()) for piece in found] == lengths
    assert " ".join(found) == text


@given(st.text(alphabet="ab .,\n*Ä漢", max_size=200), st.integers(1, 5))
def test_segments_are_in_order_short_and_never_blank(text: str, words: int) -> None:
    document = read(text)
    end = 0
    for start, stop in segments(document, words):
        assert end <= start < stop
        assert document.text[start:stop].strip()
        assert len(word_starts(document.plain, (start, stop))) <= words
        end = stop
