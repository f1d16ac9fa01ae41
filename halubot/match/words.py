"""Words with their places: the tokens that matching and scoring compare."""

from __future__ import annotations

from typing import Literal, NamedTuple

TokenKind = Literal["word", "name", "number", "stop"]


class Token(NamedTuple):
    """A word. ``text`` is as written, ``norm`` is case-folded, without accents, lightly
    stemmed; start and end are code points into the document. A ``name`` is capitalised inside
    its sentence, a ``number`` starts with a digit, a ``stop`` is a function word."""

    text: str
    norm: str
    start: int
    end: int
    kind: TokenKind


def tokens(plain: str, start: int, end: int) -> tuple[Token, ...]:
    """The tokens of ``plain[start:end]``, in order. Chinese and Japanese runs are cut into
    overlapping pairs of characters."""
    raise NotImplementedError
