"""What a source has in the place of words of a clause."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare.tokens import tokens, with_tokens
from halubot.text import read
from halubot.verifier.alignment import Aligned, Aligner, whole_name
from halubot.verifier.reading import SourceText


def align(message: str, source: str) -> Aligned:
    return Aligner(message, SourceText(with_tokens(read(source)))).align((0, len(message)))


@pytest.mark.parametrize(
    ("message", "source", "kind", "own", "other"),
    [
        (
            "Rest the meat for 15 seconds before carving.",
            "Rest the meat for 15 minutes before carving.",
            "value", "15 seconds", "15 minutes",
        ),
        (
            "The bridge opened in May 1851 after long delays.",
            "After long delays the bridge opened in May 1853.",
            "value", "May 1851", "May 1853",
        ),
        (
            "She was born in Dublin as a daughter of a naval officer.",
            "She was born in Jedburgh, the daughter of a naval officer.",
            "name", "Dublin", "Jedburgh",
        ),
        (
            "The vaccine was first authorised in the United States.",
            "The vaccine was first authorised in the United Kingdom.",
            "name", "United States", "United Kingdom",
        ),
        (
            "A small amount of soap is harmful to the pan.",
            "A small amount of soap is harmless to the pan.",
            "opposite", "harmful", "harmless",
        ),
    ],
)  # fmt: skip
def test_what_stands_in_its_place_differs(
    message: str, source: str, kind: str, own: str, other: str
) -> None:
    (found, *_) = align(message, source).differences
    assert found.kind == kind
    assert message[slice(*found.claim)] == own
    assert source[slice(*found.source)] == other
    assert source[slice(*found.sentence)] == source


@pytest.mark.parametrize(
    ("message", "source"),
    [
        # The source has the value elsewhere, or the message has that of the source.
        ("The tower is 90 m high.", "The tower is 30 m wide. It is 90 m high."),
        ("The tower is 90 m high and 30 m wide.", "The tower is 30 m wide."),
        # Two forms of one name; a title; a nation and its people.
        ("The captain was Ruth Haldane of Leith.", "The captain was Mrs Haldane of Leith."),
        ("The area was found by the Dane Johannes Schmidt.",
         "The Danish biologist Johannes Schmidt found the area."),
        # Another place in the sentence.
        ("Robert Stein worked as an agent in London.", "Robert Stein of Andromeda was an agent."),
        # A denied opposite says the same.
        ("Debit cards are often refused.", "Debit cards are often not accepted."),
        # A day of the week is nobody's name.
        ("Meals come from Harlan in Elm Road.", "Meals come from Monday in Elm Road."),
        # Nothing in common.
        ("It weighs 5 kg.", "The parliament has 300 members."),
        ("It rains.", ""),
    ],
)  # fmt: skip
def test_no_difference(message: str, source: str) -> None:
    assert not align(message, source).differences


@pytest.mark.parametrize(
    ("message", "source", "said"),
    [
        ("Work began in April 1859.", "Work on the canal began in April 1859 at Port Said.", True),
        ("Place the pan upside down.", "Lay the pan upside down.", False),
        ("Work began in April 1859.", "Work began in May 1859.", False),
        ("Work did not begin in April 1859.", "Work began in April 1859.", False),
        ("Ada Reyes taught Karl Voss.", "Karl Voss taught Ada Reyes.", False),
        ("Work began.", "Work began in April 1859.", False),
    ],
)
def test_a_sentence_that_has_all_words_says_it(message: str, source: str, said: bool) -> None:
    assert (align(message, source).said is not None) == said


@given(st.text(max_size=80), st.text(max_size=80))
def test_places_lie_in_their_texts(message: str, source: str) -> None:
    one, other = read(message), SourceText(with_tokens(read(source)))
    for span in one.sentences:
        for found in Aligner(one.plain, other).align(span).differences:
            assert span[0] <= found.claim[0] < found.claim[1] <= span[1]
            assert found.sentence[0] <= found.source[0] < found.source[1] <= found.sentence[1]
            assert 0 < found.strength <= 1


@pytest.mark.parametrize(
    ("name", "source", "named"),
    [
        ("John Kemp Starley", "J. K. Starley, nephew of James Starley, shows it.", True),
        ("John Boyd Dunlop", "Dunlop was a vet.", True),
        ("Pierre Curie", "Marie Curie, or Curie for short, found it.", False),
        ("Anna Holm", "Nobody is named here.", False),
    ],
)
def test_a_name_stands_there_in_another_form(name: str, source: str, named: bool) -> None:
    run = [one for one in tokens(name, 0, len(name)) if one.kind == "name"]
    assert Aligner(name, SourceText(with_tokens(read(source)))).is_named(run) is named


@pytest.mark.parametrize(
    ("text", "words", "whole"),
    [
        ("The Lord Mayor, Thomas Bloodworth, ordered it.", "Lord", "Lord Mayor"),
        ("The Lord Mayor, Thomas Bloodworth, ordered it.", "ordered", "ordered"),
        ("Credit went to Frank Capra in 1939.", "Capra", "Frank Capra"),
        ("In 1886 J. K. Starley showed it.", "Starley", "J. K. Starley"),
        ("It opened in Paris. Rome followed.", "Paris", "Paris"),
        ("It was built by Anna Holm of Leeds.", "by Anna", "by Anna Holm"),
    ],
)
def test_no_place_holds_half_a_name(text: str, words: str, whole: str) -> None:
    start = text.index(words)
    first, last = whole_name(text, (start, start + len(words)))
    assert text[first:last] == whole
