"""What a text is compared with, as it was given: texts, files, folders, sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from halubot import evidence
from halubot.errors import HalubotError, InputError
from halubot.events import Note
from halubot.evidence.sources import MOST_CHARACTERS
from halubot.facts import Source
from halubot.text import clean

Material = str | Path | Source

MOST_LEFT_OUT = 5
"""Unreadable files of a folder that are named one by one; the others are counted."""

MOST_REFERENCES = 20_000
MOST_SAMPLES = 2_000
MOST_OF_SAMPLES = 4_000_000
"""Texts that are compared with at most, and the characters of all samples together."""


def sources(
    given: Iterable[Material],
    kind: Literal["sample", "reference"],
    left_out: list[HalubotError] | None = None,
) -> tuple[Source, ...]:
    """The given material as sources with ids of their own, in order. Why a file of a given folder
    could not be read is added to ``left_out``. Raises InputError for more of them than a check has
    memory for."""
    if isinstance(given, (str, Path, Source)):
        given = [given]
    found: list[Source] = []
    size = counted = 0
    most, most_characters, remedy = MOST_SAMPLES, MOST_OF_SAMPLES, "give fewer"
    if kind == "reference":
        most, most_characters = MOST_REFERENCES, MOST_CHARACTERS
        remedy = "`halubot knowledge add` makes a base of them, which --knowledge names"
    for item in given:
        if isinstance(item, Source):
            cleaned = None if item.text is None else clean(item.text)[0]
            found.append(item.model_copy(update={"text": cleaned}))
        elif isinstance(item, Path):
            found.extend(evidence.load_all(item, kind=kind, left_out=left_out))
        elif isinstance(item, str):
            if not item.strip():
                raise InputError(f"{kind} {len(found) + 1} is empty")
            found.append(evidence.text_source(item, kind, len(found) + 1))
        else:
            raise InputError(f"{kind} {len(found) + 1} is {type(item).__name__}, not a text")
        size += sum(len(one.text or "") for one in found[counted:])
        counted = len(found)
        if size > most_characters or counted > most:
            raise InputError(
                f"there are more than {most_characters:,} characters or {most:,} texts among the"
                f" {kind}s: {remedy}"
            )
    counts: Counter[str] = Counter()
    for place, source in enumerate(found):
        # What was found in knowledge before, and is given again, keeps its kind.
        letter = "k" if source.kind == "knowledge" else kind[0]
        counts[letter] += 1
        found[place] = source.model_copy(update={"id": f"{letter}{counts[letter]}"})
    return tuple(found)


def told(left_out: Sequence[HalubotError]) -> tuple[Note, ...]:
    """Why files were left out, the first of them one by one."""
    notes = [Note(what="a file was left out", why=str(e)) for e in left_out[:MOST_LEFT_OUT]]
    if len(left_out) > MOST_LEFT_OUT:
        more = len(left_out) - MOST_LEFT_OUT
        notes.append(Note(what="files were left out", why=f"{more} more could not be read"))
    return tuple(notes)
