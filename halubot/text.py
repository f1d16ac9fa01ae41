"""A text as halubot reads it: cleaned, its markup blanked, cut into sentences.

Offsets are code points into the cleaned text. `Document.plain` has the same length, with
every character of markup (emphasis, link targets, code, table rules, footnote marks) replaced by a
space, so that what is found in ``plain`` stands at the same place in ``text``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Document:
    """A text ready to be read. ``sentences`` are in order, disjoint, and never blank; what
    lies between them is white space, markup or code. ``notes`` tell what was changed at the
    door (lone surrogates replaced, control characters blanked). ``language`` is an ISO 639-1
    code guessed from script and function words, "und" where nothing tells."""

    text: str
    plain: str
    sentences: tuple[Span, ...]
    language: str = "und"
    notes: tuple[str, ...] = ()


def read(text: str, *, sentences: Sequence[str] | None = None, markdown: bool = True) -> Document:
    """Reads a text. With ``sentences`` the caller's own are located in it, in order.

    Raises InputError where one of them is not in the text after the one before it.
    """
    raise NotImplementedError
