"""Evidence of a judge's stance: the quote is the source's own, exactly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.methods.quotes import nearest, quote, stretch
from halubot.report import Source, Stance, Triple

BORN = Triple("Ada Weir", "was born in", "1828")
SAID, OTHER = "Ada Weir was born in 1828.", "She was born in 1829."


@pytest.mark.parametrize(
    ("text", "stance", "cited", "expected", "value"),
    [
        ("She sang. Ada Weir was born in 1828.", "supports", None, SAID, None),
        ("Ada Weir sang. She was born in 1829.", "contradicts", None, OTHER, "1829"),
        ("One. Two was said.", "supports", "Two was said.", "Two was said.", None),
        (f"{SAID} Two.", "supports", "invented", SAID, None),
        ("Of no matter.", "supports", None, "", None),
        (SAID, "silent", "Ada", "", None),
        ("", "contradicts", None, "", None),
    ],
)
def test_the_sentence_that_shows_it(
    text: str, stance: Stance, cited: str | None, expected: str, value: str | None
) -> None:
    found = quote(Source(id="s1", kind="sample", text=text), stance, BORN, cited=cited)
    assert (found.quote, found.value) == (expected, value)
    assert found.quote == text[found.start : found.end]
    assert found.note == (f"says {value}" if value else "")


@given(st.text(), st.text(), st.text())
def test_whatever_the_words(text: str, head: str, tail: str) -> None:
    start, end = nearest(text, Triple(head, "is", tail))
    assert 0 <= start <= end <= len(text)
    assert stretch(text, Triple(head, "is", tail)) in text
