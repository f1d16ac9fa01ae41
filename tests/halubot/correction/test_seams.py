"""The article before words that are replaced fits them."""

from __future__ import annotations

import pytest

from halubot import correct
from halubot.correction.seams import takes_an, with_article


@pytest.mark.parametrize(
    ("words", "an"),
    [
        ("American", True),
        ("Canadian", False),
        ("hour", True),
        ("European", False),
        ("university", False),
        ("unimportant", True),
        ("one-year", False),
        ("8 km", True),
        ("18-year-old", True),
        ("11,000", True),
        ("15 km", False),
        ("800", True),
        ("FBI agent", True),
        ("NASA", True),
        ("UFO", False),
        ("Émile", True),
        ("", False),
    ],
)
def test_an_stands_before_the_sound_of_a_vowel(words: str, an: bool) -> None:
    assert takes_an(words) is an


def place(text: str, words: str) -> tuple[int, int]:
    start = text.index(words)
    return start, start + len(words)


@pytest.mark.parametrize(
    ("text", "before", "after", "wanted"),
    [
        ("the death of a Canadian there", "Canadian", "American", "the death of an American there"),
        ("An American fell", "American", "Canadian", "A Canadian fell"),
        ("a 15-year-old girl", "15-year", "18-year", "an 18-year-old girl"),
        ("a Dane fell", "Dane", "Swede", "a Swede fell"),
        ("vitamin a Danish", "Danish", "the Irish", "vitamin a the Irish"),
        ("plan a American", "American", "Danish", "plan a Danish"),
        ("data Canadian", "Canadian", "American", "data American"),
    ],
)
def test_the_article_goes_with_the_words(text: str, before: str, after: str, wanted: str) -> None:
    (start, end), put = with_article(text, place(text, before), after)
    assert text[:start] + put + text[end:] == wanted


def test_a_correction_keeps_the_grammar_of_its_sentence() -> None:
    claim = "The police arrested a Canadian who fell from a cliff in Osby."
    source = "The police arrested an American who fell from a cliff in Osby."
    made = correct(claim, references=[source]).correction
    assert made is not None
    assert made.text == source
    (edit,) = made.edits
    assert claim[edit.start : edit.end] == edit.before == "a Canadian"
