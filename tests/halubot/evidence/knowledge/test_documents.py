"""Where in a document a passage stands, in words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from halubot.evidence.knowledge.additions import Kind, places
from halubot.evidence.retrieval import passages
from halubot.text import read

MARKDOWN = """Before all.

# The Bridge

It is of granite. It is old.

```
# no heading
```

## **Tolls** #

They were given up in 1958.
"""


def told(text: str, words: int, kind: Kind) -> list[str]:
    document = read(text)
    return places(document, passages(document, words), kind)


def test_markdown_has_sections() -> None:
    bridge, tolls = ["section The Bridge"] * 4, ["section Tolls"] * 3
    assert told(MARKDOWN, 3, "text") == ["line 1", *bridge, *tolls]


def test_text_has_lines_where_it_has_more_than_one_passage() -> None:
    assert told("One two.\nThree four.\n\nFive\nsix.", 2, "text") == [
        "line 1",
        "line 2",
        "lines 4 to 5",
    ]
    assert told("One two.\nThree four.", 50, "text") == [""]


def test_a_pdf_has_pages() -> None:
    assert told("One two.\u2029Three four.\u2029\u2029Five six.", 2, "pdf") == [
        "page 1",
        "page 2",
        "page 4",
    ]
    assert told("One two.\u2029Three four.", 50, "pdf") == ["pages 1 to 2"]


@given(st.text(st.sampled_from("ab. \n#\u2029"), max_size=60), st.integers(1, 5))
def test_lines_are_those_of_an_editor(text: str, words: int) -> None:
    document = read(text)
    spans = passages(document, words)
    found = places(document, spans, "text")
    assert len(found) == len(spans)
    for (start, end), place in zip(spans, found, strict=True):
        if place.startswith("line"):
            first = document.text.count("\n", 0, start) + 1
            last = document.text.count("\n", 0, end) + 1
            wanted = f"line {first}" if first == last else f"lines {first} to {last}"
            assert place == wanted
