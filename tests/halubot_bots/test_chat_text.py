"""Texts cut to size: nothing lost, fences whole, lengths as the service counts them."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from halubot_bots.chat_text import BREAK, _open_at_end, cut_to, inert, inert_line, length, split_to

TEXTS = st.text(st.sampled_from("ab .\n`~é😀中 "), max_size=400)


def slow_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@given(st.text(max_size=200))
def test_lengths_are_those_of_utf_16(text: str) -> None:
    assert length(text) == slow_length(text)


@given(TEXTS, st.integers(40, 120))
def test_parts_fit_and_nothing_is_lost(text: str, most: int) -> None:
    parts = split_to(text, most)
    assert all(length(part) <= most for part in parts)
    assert all(part.strip() for part in parts)
    assert all(not _open_at_end(part) for part in parts)
    if "```" not in text and "~~~" not in text:
        assert re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", text)


@given(TEXTS, st.integers(1, 80))
def test_what_is_cut_fits_and_is_a_beginning(text: str, most: int) -> None:
    found = cut_to(text, most)
    assert length(found) <= most
    assert found == text or (found.endswith("…") and text.startswith(found[:-1]))


@pytest.mark.parametrize(("size", "parts"), [(1, 1), (1999, 1), (2000, 1), (2001, 2), (40_000, 20)])
def test_the_usual_sizes(size: int, parts: int) -> None:
    text = ("word " * (size // 5 + 1))[: size - 1] + "x"
    found = split_to(text)
    assert len(found) == parts
    assert max(map(len, found)) <= 2000


def test_a_fence_that_is_cut_is_closed_and_opened_again() -> None:
    code = "\n".join(f"line {n}" for n in range(20))
    found = split_to(f"Before\n```python\n{code}\n```\nafter", 80)
    assert len(found) > 2
    assert all(part.count("```") % 2 == 0 for part in found)
    inside = [part for part in found if "line 5\n" in part or "line 12" in part]
    assert all(part.startswith("```python\n") or "Before" in part for part in inside)
    assert [int(n) for n in re.findall(r"line (\d+)", "".join(found))] == list(range(20))


def test_paragraphs_are_cut_between() -> None:
    found = split_to("First words here and more of them.\n\nSecond words here.", 45)
    assert found == ["First words here and more of them.", "Second words here."]


def test_parts_that_are_too_short_are_refused() -> None:
    with pytest.raises(ValueError, match="too short"):
        split_to("words", 39)


def shown(text: str) -> str:
    """What a reader sees: escapes and characters without width left out."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text.replace(BREAK, ""))


@given(st.text(st.characters(codec="utf-8", exclude_characters=BREAK), max_size=80))
@example("1. item")
@example("2) item")
def test_a_reader_sees_the_text_itself(text: str) -> None:
    assert shown(inert(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "@everyone",
        "@here look",
        "<@1>",
        "<@&22>",
        "<#33>",
        "[x](javascript:alert(1))",
        "https://evil.example/x",
        "discord.gg/abc",
        "discord.com/invite/abc",
        "**bold** __u__ ~~s~~ ||spoiler|| `code`",
        "```py\ncode\n```",
        "# heading",
        "> quote",
        "- item",
        "1. item",
        "<:name:123>",
        ":smile:",
        "</command:1>",
        "<t:1618953630:R>",
        "www.example.org",
        "mailto:a@b.example",
        "<id:customize>",
    ],
)
def test_nothing_in_a_text_acts(text: str) -> None:
    found = inert(text)
    assert not re.search(r"@(?:everyone|here|[!&]?\d)", found)
    assert not re.search(r"<(?:@|#|:|/|t:|id:|a:)", found)
    assert not re.search(r"(?i)\b(?:https?|mailto|javascript):|discord\.(?:gg|com)|www\.", found)
    assert not re.search(r"(?<!\\)[*_~|`\[\]]", found)
    assert not re.search(r"(?m)^\s*(?:[#>-]|\d+[.)])\s", found)
    assert not re.search(r":\w+:", found)


@given(st.text(max_size=200), st.integers(1, 50))
def test_a_line_is_one_and_short(text: str, longest: int) -> None:
    found = shown(inert_line(text, longest))
    assert "\n" not in found
    assert len(found) <= longest
