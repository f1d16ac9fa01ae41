"""Claims and windows: places in the message and the source are exact."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare.tokens import with_tokens
from halubot.text import read
from halubot.verifier.claims import clauses_of, units_of
from halubot.verifier.windows import SourceText


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


@given(st.text(max_size=300))
def test_units_lie_in_their_sentence(text: str) -> None:
    message = read(text)
    for sentence in message.sentences:
        for unit in units_of(message, sentence):
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
