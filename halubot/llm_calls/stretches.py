"""A message cut into stretches of whole sentences, each short enough to be read in one call."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from halubot.text import Document

SENTENCES: Final = 40
"""Sentences that are read in one call at most."""
STRETCH: Final = 12_000
"""Characters of those together."""
LONGEST_SENTENCE: Final = 6_000
"""Characters of a sentence, beyond which it is read by rules."""
BEFORE: Final = 600
"""Characters before a stretch that are shown with it, for its pronouns."""
OPENING: Final = 300
"""Characters of the message's opening that are shown with every stretch: it names the subject."""

_BLANKS = re.compile(r"[^\S\n\t]+")
_LINES = re.compile(r"\n\s*\n")


def stretches(
    message: Document, sentences: int = SENTENCES
) -> tuple[dict[int, str], list[tuple[int, ...]]]:
    """The sentences too long to be shown, with the reason, and the others in rows that fit one
    call each, of so many at most. A sentence without a letter or digit states nothing."""
    too_long: dict[int, str] = {}
    rows: list[list[int]] = [[]]
    size = 0
    for index, (start, end) in enumerate(message.sentences):
        length = end - start
        if length > LONGEST_SENTENCE:
            too_long[index] = (
                f"the sentence has {length:,} characters, and a model is shown {LONGEST_SENTENCE:,}"
                " at most"
            )
            rows.append([])
        elif any(letter.isalnum() for letter in message.plain[start:end]):
            if len(rows[-1]) == sentences or size + length > STRETCH:
                rows.append([])
            size = size + length if rows[-1] else length
            rows[-1].append(index)
    return too_long, [tuple(row) for row in rows if row]


def surroundings(message: Document, sentences: Sequence[int]) -> str:
    """The text around some sentences in a row: their own stretch, a little before it, and the
    opening of the message."""
    places = message.sentences
    first, end = sentences[0], places[sentences[-1]][1]
    if sentences[-1] == len(places) - 1:
        end = len(message.plain)
    low = places[first][0] - BEFORE
    start = next(start for start, _ in places[: first + 1] if start >= low)
    opening = "" if start == places[0][0] else f"{message.plain[:OPENING]}\n[...]\n"
    text = opening + message.plain[start if opening else 0 : end]
    return _LINES.sub("\n\n", _BLANKS.sub(" ", text)).strip()


def sentence_text(message: Document, index: int) -> str:
    """The words of a sentence on one line, without markup; a tab parts the cells of a table."""
    return _BLANKS.sub(" ", message.plain[slice(*message.sentences[index])].replace("\n", " "))
