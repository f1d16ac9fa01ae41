"""Whether a sentence of a reference speaks of what a fact is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.match.words import worded
from halubot.methods.naming import speaks_of
from halubot.text import read

BRIDGE = "the Kellan Bridge"
ADA = "Ada Weir"


def last(head: str, text: str, title: str = "") -> bool:
    """Whether the last sentence of a text speaks of the head."""
    found = worded(read(text))
    return speaks_of(head, found, len(found.document.sentences) - 1, title)


@pytest.mark.parametrize(
    ("head", "text"),
    [
        (BRIDGE, "The Kellan Bridge was opened in 1932."),
        (BRIDGE, "The bridge of Kellan was opened in 1932."),
        (BRIDGE, "The Kellan Bridge is long. It was opened in 1932."),
        (BRIDGE, "The Ostby Bridge and the Kellan Bridge were opened in 1932."),
        (BRIDGE, "In 1932 it was opened."),
        (ADA, "Weir was born in 1829."),
        (ADA, "Augusta Ada Weir was born in 1829."),
        (ADA, "Ada Weir wrote songs. They were sung. She was born in 1829."),
        ("die Kellan-Brücke", "Im Jahr 1932 wurde die Brücke eröffnet."),
        ("el Puente de Kellan", "El puente se abrió en 1932."),
        ("東京タワー", "東京タワーは1959年に完成した。"),
        ("a study", "Mary Holm was asked. The study had 120 patients."),
    ],
)
def test_it_does(head: str, text: str) -> None:
    assert last(head, text)


@pytest.mark.parametrize(
    ("head", "text"),
    [
        (BRIDGE, "The Ostby Bridge was opened in 1932."),
        (BRIDGE, "The Kellan Bridge is old. The Ostby Bridge was opened in 1932."),
        (BRIDGE, "The Ostby Bridge is long. It was opened in 1932."),
        (ADA, "Mary Holm was born in 1829."),
        (ADA, "Ada Weir had an aunt, Mary Holm. Mary was born in 1829."),
        (ADA, "Mary Holm was an aunt. She was born in 1829."),
        ("die Kellan-Brücke", "Die Ostby-Brücke wurde 1932 eröffnet."),
    ],
)
def test_it_does_not(head: str, text: str) -> None:
    assert not last(head, text)


def test_where_nobody_is_named_the_title_decides() -> None:
    text = "She was born in 1829."
    assert last(ADA, text, "Ada Weir (composer)")
    assert last(ADA, text, "a.txt")
    assert not last(ADA, text, "Mary Holm")


@given(st.text(max_size=20), st.lists(st.text(min_size=1, max_size=12), max_size=6), st.text())
def test_any_text_is_read(head: str, pieces: list[str], title: str) -> None:
    found = worded(read(". ".join(pieces)))
    for number in range(len(found.document.sentences)):
        assert speaks_of(head, found, number, title) in (True, False)
