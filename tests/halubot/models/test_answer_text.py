"""Tokens that a server tells are believed if they can be."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from halubot.models.answer_text import usage
from halubot.models.model import TokenUsage


@pytest.mark.parametrize(
    ("told", "read"),
    [
        ({"prompt_tokens": 7, "completion_tokens": 2}, TokenUsage(7, 2)),
        ({"prompt_tokens": 7}, TokenUsage(7, 0)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, None),
        ({"prompt_tokens": -9, "completion_tokens": 2}, None),
        ({"prompt_tokens": 7, "completion_tokens": -2}, None),
        ({"prompt_tokens": "7", "completion_tokens": 2}, None),
        ({}, None),
        (None, None),
    ],
)
def test_tokens_that_cannot_be_are_not_told(
    told: dict[str, object] | None, read: TokenUsage | None
) -> None:
    used = None if told is None else SimpleNamespace(**told)
    assert usage(SimpleNamespace(usage=used)) == read
