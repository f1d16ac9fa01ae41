"""Messages as Markdown on the screen: every character stands where it says."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from halubot.render.inert import inert
from halubot_tui.text.line_layout import ENTRY, Laid, Mark, lay, marks_of, wrap_lines
from halubot_tui.text.markdown_blocks import Block, blocks

MARKDOWN = """\
# Ada *Lovelace* #

Ada was **born in 1816** in [London](http://x "t"). She has `code_x` \\* and &amp; a
second line, ~~struck~~, <http://y.org>, ![a picture](z).

- first item
  - nested [@click=app.quit]x[/]
- second

3. three
4. four

> quoted text
> goes on

```python
def f(x):
\treturn x
```

| a | b \\| c |
|---|---|
| 1 | **two** |

the end [/b]
"""

PIECES = st.sampled_from(
    [
        *("a", "b c", " ", "  ", "\n", "\n\n", "\r\n", "\t", "*", "**", "_", "`", "```\n", "> "),
        *("- ", "1. ", "    ", "# ", "|", "|a|b|\n|-|-|\n|c|d|\n", "[", "](u)", "![", "<b>"),
        *("&amp;", "&copy;", "\\", "\\|", "~~", "---\n", "===\n", "é", "日本", "\u200b", "e\u0301"),
        *("👩\u200d🚀", "\x1b[31m", "\x00", "\u202e", "[@click=app.quit]", "[/b]", "[x]: u\n"),
    ]
)
TEXTS = st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=60)


def every(text: str) -> list[Block]:
    """The blocks of a text."""
    return list(blocks(text))


def shown(laid: Laid) -> list[str]:
    """The lines of a block."""
    return [laid.line(number).plain for number in range(len(laid.lines))]


@given(text=TEXTS)
def test_each_character_stands_where_it_says(text: str) -> None:
    clean = inert(text)
    for block in every(text):
        assert len(block.places) == len(block.text)
        for character, place in zip(block.text, block.places, strict=True):
            if place < 0:
                continue
            there = inert(text[place])
            if there == "&":  # an entity stands where it begins
                assert character in html.unescape(clean) + "&"
            elif character == " ":
                assert there in " \t\n"
            else:
                assert character == there


@given(text=TEXTS)
def test_places_grow(text: str) -> None:
    for block in every(text):
        known = [place for place in block.places if place >= 0]
        assert known == sorted(known)


def test_all_words_of_a_message_are_shown_once_and_in_order() -> None:
    places = [place for block in every(MARKDOWN) for place in block.places if place >= 0]
    assert places == sorted(set(places))
    words = "".join(MARKDOWN[place] for place in places)
    for word in ("Lovelace", "born in 1816", "London", "nested", "goes on", "return", "two", "/b"):
        assert word in words


@pytest.mark.parametrize(
    "phrase",
    [
        "born in 1816",
        "Lovelace",
        "code_x",
        "second line",
        "first item",
        "goes on",
        "two",
        "b \\| c",
    ],
)
def test_a_mark_finds_its_words(phrase: str) -> None:
    start = MARKDOWN.index(phrase)
    mark = Mark(start, start + len(phrase), "underline", "7")
    found = [
        laid.text[span.start : span.end]
        for block in every(MARKDOWN)
        for laid in [lay(block, marks_of(block, [mark]), 80)]
        for span in laid.styles
        if not isinstance(span.style, str) and span.style.meta.get(ENTRY) == "7"
    ]
    assert found == [phrase]


def test_a_word_of_an_address_is_not_taken_for_one_of_the_text() -> None:
    text = "[see](http://year.org/1816) in 1816."
    (block,) = every(text)
    assert [text[place] for place in block.places] == list(block.text) == list("see in 1816.")
    assert block.places[-5:] == list(range(text.rindex("1816"), len(text)))


def test_signs_stand_behind_their_marks_and_styles_keep_to_their_words() -> None:
    text = "Born in **1816** in London."
    (block,) = every(text)
    start = text.index("1816")
    laid = lay(block, [Mark(start, start + 4, "underline", "1", "✗¹", "bold red")], 80)
    assert laid.text == "Born in 1816✗¹ in London."
    styles = {laid.text[a:b]: style for a, b, style in laid.styles if isinstance(style, str)}
    assert styles == {"1816": "underline", "✗¹": "bold red"} | {"1816": "underline"}


def test_the_selected_entry_stands_out() -> None:
    (block,) = every("Born in 1816.")
    laid = lay(block, [Mark(8, 12, "underline", "1")], 80, selected="1")
    assert (8, 12, "underline reverse") in [tuple(span) for span in laid.styles]
    assert laid.line_of("1") == 0
    assert laid.line_of("2") is None


def test_a_table_stands_as_it_is_written() -> None:
    text = "| year | place |\n|---|---|\n| 1816 | Paris |"
    found = every(text)
    assert [block.text for block in found] == text.split("\n")
    start = text.index("Paris")
    laid = lay(found[-1], [Mark(start, start + 5, "underline", "1", "✗¹")], 80)
    assert shown(laid) == ["| 1816 | Paris✗¹ |"]
    assert [block.text for block in every("> | a |\n> |---|\n> | b |")] == [
        "| a |",
        "|---|",
        "| b |",
    ]


def test_plain_signs_where_the_terminal_needs_them() -> None:
    found = [
        line
        for block in every("- a\n\n> b │\n\n---\n\n| c | d |\n|-|-|\n| e | f |\n\n    code")
        for line in shown(lay(block, (), 40, ascii=True))
    ]
    assert found == [
        "* a",
        "| b │",
        "-" * 24,
        "| c | d |",
        "|-|-|",
        "| e | f |",
        "| code",
    ]


@given(text=TEXTS, width=st.integers(2, 12), words=st.booleans())
def test_lines_fit_and_hold_every_word(text: str, width: int, words: bool) -> None:
    clean = inert(text).replace("\t", " ")
    lines = wrap_lines(clean, width, words=words)
    assert lines
    done = 0
    for start, end in lines:
        assert set(clean[done:start]) <= {" ", "\n"}
        assert cell_len(clean[start:end]) <= width
        assert "\n" not in clean[start:end]
        done = end
    assert set(clean[done:]) <= {" "}


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 5, ["one", "two", "three"]),
        ("unbreakable", 4, ["unbr", "eaka", "ble"]),
        ("日本語の文", 5, ["日本", "語の", "文"]),
        ("ae\u0301e\u0301b", 2, ["ae\u0301", "e\u0301b"]),
        ("", 5, [""]),
    ],
)
def test_lines_end_between_words_where_they_can(text: str, width: int, lines: list[str]) -> None:
    assert [text[start:end] for start, end in wrap_lines(text, width)] == lines


def test_a_long_line_of_anything_is_read() -> None:
    for text in ("x" * 100_000, "word " * 20_000, "日本" * 50_000, "[/b]" * 25_000):
        (block,) = every(text)
        laid = lay(block, marks_of(block, [Mark(50_000, 50_004, "underline", "1")]), 80)
        assert all(cell_len(laid.line(number).plain) <= 80 for number in (0, 500))
        assert laid.line_of("1") is not None
