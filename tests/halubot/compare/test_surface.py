"""Words and pairs of words that no source has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare.surface import Surface, unseen_bigrams, unseen_pairs, unseen_words
from halubot.compare.tokens import with_tokens
from halubot.text import read

SOURCE = read("The old bridge was opened in 1894. It has two towers.")


@pytest.mark.parametrize(
    ("message", "words", "bigrams"),
    [
        ("The old bridge was opened in 1894.", 0, 0),
        ("the OLD bridge", 0, 0),
        ("The bridge was old.", 0, 2 / 3),
        ("The bridge was new.", 1 / 4, 2 / 3),
        ("New new new towers.", 3 / 4, 1),
        ("1894. It has", 0, 0),
        ("Towers", 0, 0),
        ("...", 0, 0),
    ],
)
def test_shares_of_a_message(message: str, words: float, bigrams: float) -> None:
    document = read(message)
    assert unseen_words(document, [SOURCE]) == pytest.approx(words)
    assert unseen_bigrams(document, [SOURCE]) == pytest.approx(bigrams)


@pytest.mark.parametrize(
    ("message", "pairs"),
    [
        ("The old bridge was opened in 1894.", 0),
        ("Old bridge opened 1894", 0),
        ("The old bridge was, they say, opened.", 2 / 3),
        ("The old opened.", 0),
        ("The old 1894.", 1),
        ("The bridge is old.", 1),
        ("In 1894 it has two towers.", 1 / 2),
        ("The bridge has towers.", 1),
        ("1894. Two towers.", 0),
        ("It was.", 0),
    ],
)
def test_pairs_of_content_words_near_each_other(message: str, pairs: float) -> None:
    assert unseen_pairs(read(message), [SOURCE]) == pytest.approx(pairs)


def test_one_source_of_several_is_enough() -> None:
    message = read("The bridge has two spans.")
    others = [read("The bridge collapsed."), read("Two spans."), SOURCE]
    assert unseen_words(message, others) == 0
    # "bridge has" stands in no source: pairs do not cross from one source to the next.
    assert unseen_bigrams(message, others) == pytest.approx(1 / 4)


def test_without_sources_everything_is_unseen() -> None:
    assert unseen_words(SOURCE, []) == unseen_bigrams(SOURCE, []) == 1


def test_markup_is_no_word_and_parts_of_a_token_are() -> None:
    assert unseen_bigrams(read("The **old** [bridge](https://a.example)"), [SOURCE]) == 0
    assert unseen_words(read("3.5"), [read("5 of 3")]) == 0


def test_scripts_without_spaces_are_cut_into_pairs_of_characters() -> None:
    message, source = read("大桥于1894年通车。"), read("大桥于1895年通车。")
    assert 0 < unseen_words(message, [source]) < unseen_bigrams(message, [source]) < 1


def test_a_text_and_its_tokens_give_the_same() -> None:
    message = read("The bridge was new. It has two towers.")
    assert unseen_bigrams(with_tokens(message), [with_tokens(SOURCE)]) == unseen_bigrams(
        message, [SOURCE]
    )
    surface = Surface([SOURCE])
    shares = [surface.unseen_words(sentence) for sentence in with_tokens(message).tokens]
    assert shares == [1 / 4, 0]


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_text_is_seen_in_itself_and_more_sources_never_unsee(message: str, other: str) -> None:
    document, source = read(message), read(other)
    for share in (unseen_words, unseen_bigrams, unseen_pairs):
        assert share(document, [document]) == 0
        assert share(document, [source, document]) == 0
        assert 0 <= share(document, [source]) <= 1
