"""Passages: the windows of a reference that are retrieved and shown as evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from halubot.text import Document, Span

# A word; a pair of characters where words are not parted by spaces; a long run of anything.
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{1,2}|[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{1,30}"
    r"|[^\w\s]{30}"
)


def passages(document: Document, words: int = 120) -> tuple[Span, ...]:
    """The document as windows of whole sentences, each of at most ``words`` words (at least 1),
    in order, disjoint, never blank. A longer sentence is cut between words. No sentences, no
    passages. Raises ValueError where ``words`` is below 1."""
    if words < 1:
        raise ValueError(f"words must be at least 1, not {words}")
    return tuple(_windows(document, words))


def word_starts(plain: str, span: Span) -> list[int]:
    """Where the words of ``plain`` begin inside a span, as passages count them: of scripts that do
    not part words, a pair of characters is one."""
    return [match.start() for match in _WORD.finditer(plain, *span)]


def _windows(document: Document, words: int) -> Iterator[Span]:
    start = end = length = 0
    for sentence in document.sentences:
        for piece_start, piece_end, count in _pieces(document.plain, sentence, words):
            if length and length + count > words:
                yield start, end
                length = 0
            if not length:
                start = piece_start
            end = piece_end
            length += count
    if length:
        yield start, end


def _pieces(plain: str, sentence: Span, words: int) -> Iterator[tuple[int, int, int]]:
    """A sentence in pieces of at most ``words`` words, with their number of words."""
    starts = word_starts(plain, sentence)
    if len(starts) <= words:
        yield *sentence, max(1, len(starts))
        return
    cuts = [sentence[0], *starts[words::words], sentence[1]]
    for number, (start, end) in enumerate(pairwise(cuts)):
        length = len(plain[start:end].rstrip())
        yield start, start + max(1, length), min(words, len(starts) - number * words)
