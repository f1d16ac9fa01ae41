"""The words that the parser knows, and what they usually are in the treebanks that it was trained
on. A line of the file is a tag and its words; "-" is before words without a usual tag."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final

UNTAGGED: Final = "-"


def usual_tag(word: str) -> str:
    """Return the usual tag of a word, "" if it is rare."""
    number = tag_numbers().get(word.lower())
    return _stored_words()[number - 1][0] if number else ""


@cache
def tag_numbers() -> dict[str, int]:
    """Return the number of the usual tag of each known word: its line in the file from 1, 0 if it
    has none."""
    return {
        word: n * (line[0] != UNTAGGED)
        for n, line in enumerate(_stored_words(), 1)
        for word in line[1:]
    }


@cache
def _stored_words() -> list[list[str]]:
    stored = resources.files("halubot.claims").joinpath("data", "words.txt").read_text("utf-8")
    return [line.split() for line in stored.splitlines()]
