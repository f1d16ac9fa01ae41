"""Claims and windows: places in the message and the source are exact."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.claims import extract, read_message
from halubot.compare.tokens import with_tokens
from halubot.text import read
from halubot.verifier.reading import SourceText, clauses_of, units_of


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("The bridge opened in 1937.", []),
        (
            "The bridge opened in 1937, and the tolls were dropped in 1950.",
            ["The bridge opened in 1937", "and the tolls were dropped in 1950."],
        ),
        (
            "Stelle den Ofen auf 180 Grad; backe das Brot eine Stunde lang.",
            ["Stelle den Ofen auf 180 Grad", "backe das Brot eine Stunde lang."],
        ),
        (
            "桥于一九三七年通车，过桥费在一九五零年取消。",
            ["桥于一九三七年通车", "过桥费在一九五零年取消。"],
        ),
        ("Yes, the bridge opened in 1937.", []),
        (
            "The line was closed on April 11, 1969, and the rails were sold to a farmer.",
            ["The line was closed on April 11, 1969", "and the rails were sold to a farmer."],
        ),
    ],
)
def test_clauses(text: str, clauses: list[str]) -> None:
    assert [text[a:b] for a, b in clauses_of(text, (0, len(text)))] == clauses


PIECES = (
    "The the a of in from to by with that which who where and or but so because although while if"
    " not never only also it It she they her its is was were has had been became born died opened"
    " built says said report told known found Ada Bergen Norway Lake Smith engineer bridge river"
    " city members such as including 1815 three 4 May 10.5 % $ km , , , ; : . ( ) [ ] — – - / “ ” "
    " ' ’ * _ # | … ! ?"
)
"""Words and marks: in any order they are read as English, and the parser makes a tree of them."""


@given(
    st.one_of(
        st.text(max_size=300),
        st.lists(st.sampled_from(PIECES.split()), max_size=40).map(" ".join),
        st.lists(st.sampled_from(PIECES.split()), max_size=25).map(
            "The city was built in 1815 ".join
        ),
    )
)
def test_whatever_stands_there_has_facts_and_units_within_its_sentences(text: str) -> None:
    message = read_message(text)
    for fact in extract(message):
        assert all(0 <= start < end <= len(message.text) for start, end in fact.spans)
    for sentence, units in zip(message.sentences, units_of(message), strict=True):
        for unit in units:
            assert sentence[0] <= unit.span[0] < unit.span[1] <= sentence[1]
            assert unit.text == " ".join(unit.text.split())


@given(st.text(max_size=300), st.text(max_size=60))
def test_windows_are_places_of_the_source(text: str, claim: str) -> None:
    source = read(text)
    windows = SourceText(with_tokens(source)).windows(claim)
    assert bool(windows) == bool(source.sentences)
    for window in windows:
        assert 0 <= window.span[0] < window.span[1] <= len(source.text)


def test_the_nearest_sentence_comes_first() -> None:
    source = read("Fog came. It rained. The bridge opened in May. Tea was served. All went home.")
    first, around, together = SourceText(with_tokens(source)).windows("the opening of the bridge")
    assert first.text == "The bridge opened in May."
    assert source.text[slice(*around.span)] == (
        "It rained. The bridge opened in May. Tea was served."
    )
    assert together.span == (0, 46)
