"""Rows of a table with three cells or more: (first cell, column's header, cell)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from halubot.extract.clause_reader import Reading
from halubot.extract.drafts import Draft
from halubot.extract.mentions import Mentions
from halubot.extract.nouns import Item
from halubot.extract.tokenizer import Word
from halubot.text import Document

Span = tuple[int, int]
FEWEST: Final = 3  # cells of a row that needs its header
_RULE: Final = re.compile(r"[^\n]{0,20}\n\s{0,3}\|?[ \t]*:?-{2,}[-:| \t]*(?:\n|$)")


def cells(document: Document, start: int, end: int) -> list[Span]:
    """The places of a row's cells, trimmed; an empty cell keeps its place in the row. One place
    where the sentence is no row."""
    bars = [k for k in range(start, end) if document.text[k] == "|" and document.plain[k].isspace()]
    edges = [start, *(k + 1 for k in bars), end + 1]
    found: list[Span] = []
    for first, following in pairwise(edges):
        cell = document.plain[first : following - 1]
        left = first + len(cell) - len(cell.lstrip())
        found.append((left, max(left, left + len(cell.strip()))))
    return found


def is_header(document: Document, end: int) -> bool:
    """Whether the line that ends near ``end`` stands above a table's rule."""
    return _RULE.match(document.text, end) is not None


def row(
    document: Document, places: Sequence[Span], header: Sequence[Span], mentions: Mentions
) -> Iterator[tuple[Reading, Draft]]:
    """The facts of a row: its first cell with each other cell, told by the column's header."""
    plain = document.plain
    columns = [k for k, (start, end) in enumerate(places) if end > start]
    if not columns or columns[0] != 0:
        return
    words = [
        Word(plain[start:end], plain[start:end].lower(), start, end, "NP")
        for start, end in (places[k] for k in columns)
    ]
    reading = Reading(plain, words, mentions)
    nouns = reading.nouns
    head = Item(nouns.text(0, 1), 0, 1, "", True)
    for position, column in enumerate(columns[1:], 1):
        name = " ".join(plain[slice(*header[column])].split()) if column < len(header) else ""
        tail = Item(nouns.text(position, position + 1), position, position + 1)
        yield reading, Draft(head, (), tail, False, name)
