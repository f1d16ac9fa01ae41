"""The part of the tests' judge that makes data: it plants one mistake where it is told to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from halubot.text import read

INSTEAD = "nowhere"
"""What takes the place of the last word that stands in a text once."""


def made(prompt: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a prompt of `halubot make-data`. Raises AssertionError for any other."""
    match prompt:
        case "make-answer":
            return {"answer": _first_sentence(fields["source"])}
        case "make-changes":
            return {"changes": [_planted(fields["answer"], "detail modification")]}
        case "make-negations":
            return {"changes": [_planted(fields["text"], "exchanged")]}
        case "make-question":
            right = str(fields["record"])
            pair = {"question": "What does it say?", "right": right, "wrong": INSTEAD}
            return {"pairs": [pair]}
    raise AssertionError(f"the judge does not know the prompt {prompt!r}")


def _first_sentence(text: str) -> str:
    document = read(text)
    return document.plain[slice(*document.sentences[0])]


def _planted(text: str, kind: str) -> dict[str, str]:
    words = [word.strip(".,;:") for word in text.split()]
    once = next(word for word in reversed(words) if word and text.count(word) == 1)
    return {"kind": kind, "quote": once, "instead": INSTEAD}
