"""The tables of words in the data files: strings of rows, of which one that begins with # is a
comment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping


def rows(table: str) -> Iterator[str]:
    """Yield the rows of a table, without blank ones and comments."""
    for line in table.splitlines():
        if line.strip() and not line.startswith("#"):
            yield line


def parse_opposites(
    table: str, split: Callable[[str], Iterable[str]]
) -> Mapping[str, frozenset[str]]:
    """Return for each word the words of the other side, from rows of "a, b / c, d". ``split``
    parts the words of a side."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in rows(table):
        left, _, right = row.partition("/")
        for one in split(left):
            for other in split(right):
                found[one].add(other)
                found[other].add(one)
    return {word: frozenset(others) for word, others in found.items()}
