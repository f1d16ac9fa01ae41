"""Texts cut to size: nothing lost, fences whole, lengths as the service counts them."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from halubot_bots.chat_text import BREAK, inert, length, split_to

LETTERS = st.text(
    st.characters(codec="utf-8", exclude_characters=BREAK, exclude_categories=["Mn"]), max_size=80
)
TEXTS = st.text(st.sampled_from("ab .\n`~é😀中 "), max_size=400)


@given(TEXTS, st.integers(40, 120))
def test_parts_fit_and_nothing_is_lost(text: str, most: int) -> None:
    parts = split_to(text, most)
    units = [len(part.encode("utf-16-le")) // 2 for part in parts]
    assert units == list(map(length, parts))
    assert all(one <= most for one in units)
    assert all(part.strip() for part in parts)
    assert re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", text)


def shown(text: str) -> str:
    """What a reader sees: escapes and characters without width left out."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text.replace(BREAK, ""))


@given(LETTERS)
@example("1. item")
@example("2) item")
def test_a_reader_sees_the_text_itself(text: str) -> None:
    assert shown(inert(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "@everyone @here look",
        "<@1> <@&22> <#33> <:name:123> </command:1> <t:1618953630:R> <id:customize> :smile:",
        "[x](javascript:alert(1)) https://evil.example/x mailto:a@b.example",
        "discord.gg/abc discord.com/invite/abc www.example.org",
        "**bold** __u__ ~~s~~ ||spoiler|| `code`",
        "```py\ncode\n```",
        "# heading\n> quote\n- item\n1. item",
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


def test_stacked_marks_do_not_cover_other_lines() -> None:
    assert inert("a" + "\u0301" * 20 + "b") == "a" + "\u0301" * 3 + "b"
