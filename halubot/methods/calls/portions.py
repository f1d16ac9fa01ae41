"""Texts, lists and messages cut into portions, so that no call overflows a model's context."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, TypeVar

from halubot.concurrency import aside
from halubot.evidence.retrieval import passages
from halubot.text import Document, read

T = TypeVar("T")

WINDOW: Final = 24_000
"""Characters of a source that are shown in one call."""
TOLD: Final = 6_000
"""Characters of a text that is read into triples in one call: they take more room than it."""
WORD: Final = 6
"""Characters of a word, with the space after it, about."""
SMALLEST: Final = 1_000
"""Characters of a window that is not cut further."""
ITEMS: Final = 60
"""Facts or sentences that are asked about in one call at most."""
LONGEST: Final = 12_000
"""Characters of those together, and of a single one, at most."""


async def windows(text: str, longest: int = WINDOW) -> list[str]:
    """A text as windows of whole sentences of about ``longest`` characters, itself alone if it
    is short. Never empty. A long one is cut off the loop."""
    if len(text) <= longest:
        return [text]
    # A text without a sentence, such as code alone, has no passages.
    return await aside(lambda: _cut_text(text, longest // WORD)) or [text[:longest]]


def halves(text: str) -> list[str]:
    """A window as two or more smaller ones, cut between sentences or else words; itself alone
    if it is too small for that."""
    if len(text) <= SMALLEST:
        return [text]
    words = len(text.split()) or 1
    for share in (2, 4, 8):
        pieces = _cut_text(text, max(1, words // share))
        if len(pieces) > 1:
            return pieces
    return [text]


def _cut_text(text: str, words: int) -> list[str]:
    return [text[start:end] for start, end in passages(read(text), words)]


def batches(items: Mapping[int, str]) -> Iterator[tuple[int, ...]]:
    """The indexes of the items, as many together as fit one call, those too long for any left out
    (`too_long`)."""
    fit = {index: item for index, item in items.items() if not too_long(item)}
    return rows_of(fit, LONGEST, ITEMS)


def rows_of(items: Mapping[int, str], longest: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the indexes of the items in rows: in order, of ``longest`` characters together unless
    one alone has more, and at most ``most`` of them."""
    row: list[int] = []
    size = 0
    for index, item in items.items():
        if row and (len(row) == most or size + len(item) > longest):
            yield tuple(row)
            row, size = [], 0
        row.append(index)
        size += len(item)
    if row:
        yield tuple(row)


def too_long(item: str) -> str | None:
    """Why this cannot be asked about; None if it can."""
    if len(item) <= LONGEST:
        return None
    return f"it has {len(item):,} characters, and a model is asked about {LONGEST:,} at most"


def main_reason(reasons: Iterable[str]) -> str:
    """The commonest of some reasons, at least one; it says so if there are others."""
    (why, _), *others = Counter(reasons).most_common()
    return f"{why}; and other reasons" if others else why


def some(count: int, of: int, things: str) -> str:
    """So many of so many things, to begin a sentence of the past with: "1 of 3 facts were", "the
    only fact was"."""
    if of == 1:
        return f"the only {things.removesuffix('s')} was"
    return f"{count} of {of} {things} were"


def split_in_half(indexes: Sequence[T]) -> tuple[Sequence[T], Sequence[T]]:
    """The first half and the second."""
    middle = (len(indexes) + 1) // 2
    return indexes[:middle], indexes[middle:]


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
    lengths = [end - start for start, end in message.sentences]
    too_long: dict[int, str] = {}
    rows: list[tuple[int, ...]] = []
    # A row is shown as one stretch of text, which must not hold what is too long to be shown.
    for long, group in groupby(range(len(lengths)), lambda at: lengths[at] > LONGEST_SENTENCE):
        if long:
            most = f"and a model is shown {LONGEST_SENTENCE:,} at most"
            too_long |= {at: f"the sentence has {lengths[at]:,} characters, {most}" for at in group}
            continue
        shown = {at: message.plain[slice(*message.sentences[at])] for at in group}
        told = {at: one for at, one in shown.items() if any(map(str.isalnum, one))}
        rows += rows_of(told, STRETCH, sentences)
    return too_long, rows


def surroundings(message: Document, sentences: Sequence[int]) -> str:
    """The text around some sentences in a row: their own stretch, a little before it, and the
    opening of the message."""
    places = message.sentences
    first, end = sentences[0], places[sentences[-1]][1]
    if sentences[-1] == len(places) - 1:
        end = len(message.plain)
    low = places[first][0] - BEFORE
    # Whole sentences: half of one may say the opposite.
    start = next(start for start, _ in places[: first + 1] if start >= low)
    opening = "" if start == places[0][0] else f"{message.plain[:OPENING]}\n[...]\n"
    text = opening + message.plain[start if opening else 0 : end]
    return _LINES.sub("\n\n", _BLANKS.sub(" ", text)).strip()


def sentence_text(message: Document, index: int) -> str:
    """The words of a sentence on one line, without markup; a tab parts the cells of a table."""
    return _BLANKS.sub(" ", message.plain[slice(*message.sentences[index])].replace("\n", " "))
