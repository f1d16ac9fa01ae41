"""Text that repeats itself without end is found, and text that does not is left alone."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from halubot.models.answer_text import RepetitionWatch, repeated_from, usage
from halubot.models.model import TokenUsage

LOOP = "She wrote notes on the engine. "


@pytest.mark.parametrize(
    "unit", [LOOP, "ha", "\n", "A tale began here. A part of it followed then. No third. "]
)
def test_one_occurrence_and_its_sentence_are_kept(unit: str) -> None:
    text = "Once. " + unit * 400
    end = repeated_from(text)
    assert end is not None
    assert text[:end].startswith(f"Once. {unit[:-1]}")
    assert end <= len("Once. ") + 2 * len(unit)


def test_a_stream_that_repeats_is_stopped_soon_and_at_the_same_place() -> None:
    text = "Ada was born in 1815. " * 1 + LOOP * 2_000
    watch = RepetitionWatch()
    for heard in range(len(text)):
        end = watch.hear(text[heard])
        if end is not None:
            break
    assert end is not None
    assert heard < 1_000
    assert text[:end].count(LOOP.strip()) == 1


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
