"""What several methods do with the answers of a judge."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel

from halubot.models.structured import Answer
from halubot.text import clean

T = TypeVar("T", bound=BaseModel)


def value_or_reason(answer: Answer[T]) -> T | str:
    """Return the value of an answer; if it has none, or was cut off, the reason."""
    if answer.value is None or answer.reason is not None:
        return answer.reason or "the judge gave no answer"
    return answer.value


def one_line(text: str) -> str:
    """Return a text on one line, without characters that no text may hold."""
    return " ".join(clean(text)[0].split())
