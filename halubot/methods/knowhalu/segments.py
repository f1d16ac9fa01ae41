"""A summary cut into the segments that are judged one by one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from halubot.evidence.passages import passages, word_starts
from halubot.report import Span
from halubot.text import Document


def segments(document: Document, words: int = 30, *, packed: bool = False) -> tuple[Span, ...]:
    """Each sentence by itself, or, where it has more than ``words`` words, as few pieces of it as
    will do, about equally long and cut between words. ``packed``, as published: as many whole
    sentences together as have at most ``words`` words. In order, disjoint, never blank."""
    return passages(document, words) if packed else tuple(_segments(document, words))


def _segments(document: Document, words: int) -> Iterator[Span]:
    for start, end in document.sentences:
        starts = word_starts(document.plain, (start, end))
        pieces = max(1, math.ceil(len(starts) / words))
        cuts = [starts[number * len(starts) // pieces] for number in range(1, pieces)]
        for first, after in pairwise((start, *cuts, end)):
            yield first, first + len(document.plain[first:after].rstrip() or "x")
