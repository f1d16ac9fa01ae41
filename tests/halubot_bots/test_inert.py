"""Texts of others do nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot_bots.inert import BREAK, inert, inert_line


def shown(text: str) -> str:
    """What a reader sees: escapes and characters without width left out."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text.replace(BREAK, ""))


@given(st.text(st.characters(codec="utf-8", exclude_characters=BREAK), max_size=80))
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
