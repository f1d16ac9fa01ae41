"""Texts that say nothing of their own: copies of the message, of a query, of each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

_WORD: Final = re.compile(r"\w+")

_RUN: Final = 5
"""Words that follow one another, of which two texts share many if one is a copy."""

ECHO: Final = 0.8
"""The share of a text's runs that stand in the message, from which it is an echo of it; and the
share of the message's runs that stand in a text. What says the same with another value has less."""

COPY: Final = 0.8
"""The share of the runs of the shorter of two passages that stand in the other."""

_LONG: Final = 25
"""Words of a message that nobody else writes by chance."""


def runs(text: str) -> frozenset[tuple[str, ...]]:
    """Return the runs of words of a text; of a shorter text all of it as one."""
    words = [word.casefold() for word in _WORD.findall(text)]
    if not words:
        return frozenset()
    length = min(_RUN, len(words))
    return frozenset(tuple(words[at : at + length]) for at in range(len(words) - length + 1))


class Echoes:
    """Tells if a text repeats the message, or one of the queries."""

    def __init__(self, message: str, queries: Iterable[str] = ()) -> None:
        self._message = runs(message)
        self._long = len(_WORD.findall(message)) >= _LONG
        self._queries = [_words(query) for query in queries]

    def repeats(self, text: str) -> bool:
        """Return True if most of the text is the message's, if most of the message stands in it, or
        if it holds little but the words of a query."""
        own = runs(text)
        if not own:
            return True
        shared = len(own & self._message)
        if shared / len(own) >= ECHO or (
            self._long and self._message and shared / len(self._message) >= ECHO
        ):
            return True
        words = _words(text)
        return any(len(words - query) <= len(words) * 0.2 for query in self._queries)


def distinct(texts: Sequence[str]) -> list[int]:
    """Return the places of the texts that are no copies of an earlier one."""
    kept: dict[int, frozenset[tuple[str, ...]]] = {}
    for place, text in enumerate(texts):
        own = runs(text)
        copies = (len(own & other) >= COPY * min(len(own), len(other)) for other in kept.values())
        if own and not any(copies):
            kept[place] = own
    return list(kept)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))
