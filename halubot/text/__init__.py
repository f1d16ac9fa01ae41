"""A text as halubot reads it: cleaned, its markup blanked, cut into sentences.

Offsets are code points into the cleaned text. `Document.plain` has the same length, with
every character of markup (emphasis, link targets, code, table rules, footnote marks) replaced by a
space, so that what is found in ``plain`` stands at the same place in ``text``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from halubot.text.clean_text import clean, unify
from halubot.text.entities import decode_letters
from halubot.text.language import language
from halubot.text.markdown import blocks
from halubot.text.sentences import Span, cut_sentences, locate, uncover
from halubot.text.unread import Unread, find_unread

__all__ = [
    "Document",
    "Segment",
    "Span",
    "Unread",
    "clean",
    "decode_letters",
    "find_unread",
    "language",
    "read",
    "segments",
    "unread_sentences",
]


@dataclass(frozen=True, slots=True)
class Document:
    """A text ready to be read. ``sentences`` are in order, disjoint, never blank and without
    white space at their ends; what lies between them is white space, markup or code. A sentence
    holds the marks that touch it (``**Bold** words.[1]`` is one span), so it may begin or end with
    characters that are blank in ``plain``. ``notes`` tell what was changed at the door (lone
    surrogates replaced, control characters blanked). ``language`` is an ISO 639-1 code guessed
    from script and function words, "und" where nothing tells. ``apart`` are lines and sentences
    that claim nothing, where they were set apart (`halubot.extract.set_titles_apart`): they lie
    between
    the sentences too. ``unread`` are stretches whose words are not read, with the reason; the same
    function finds them, and makes sentences of those that lie in none.

    ``plain`` is ``text`` with markup blanked; its line breaks are all ``\\n``, and a tab stands
    between the cells of a table row."""

    text: str
    plain: str
    sentences: tuple[Span, ...]
    language: str = "und"
    notes: tuple[str, ...] = ()
    apart: tuple[Span, ...] = ()
    unread: tuple[Unread, ...] = ()


class Segment(NamedTuple):
    """A piece of a text: a sentence, or the gap (white space, markup, code, titles) between two."""

    kind: Literal["sentence", "gap"]
    start: int
    end: int


def read(text: str, *, sentences: Sequence[str] | None = None, markdown: bool = True) -> Document:
    """Reads a text. With ``sentences`` the caller's own are located in it, in order, exactly or
    with other white space. With ``markdown=False`` nothing is taken for markup.

    Never fails on a text of its own accord: a blank text has no sentences. Takes time linear
    in the length. Raises InputError where a sentence given is blank, or is not in the text after
    the one before it.
    """
    text, notes = clean(text)
    unified = unify(text)
    plain, places = blocks(unified, markdown=markdown)
    guess = language(plain)
    if sentences is None:
        spans = tuple(cut_sentences(unified, plain, places, guess))
    else:
        spans = locate(unified, [unify(clean(sentence)[0]) for sentence in sentences])
        plain = uncover(unified, plain, spans)
    return Document(text, plain, spans, guess, notes)


def unread_sentences(document: Document) -> dict[int, str]:
    """Return the sentences of which a part is not read, by their indexes, and why."""
    ends = [end for _, end in document.sentences]
    found: dict[int, str] = {}
    for start, end, why in document.unread:
        at = bisect_right(ends, start)
        while at < len(ends) and document.sentences[at][0] < end:
            found.setdefault(at, why)
            at += 1
    return found


def segments(document: Document) -> tuple[Segment, ...]:
    """The whole text as sentences and the gaps around them: joined, they give it back."""
    pieces: list[Segment] = []
    position = 0
    for start, end in document.sentences:
        if position < start:
            pieces.append(Segment("gap", position, start))
        pieces.append(Segment("sentence", start, end))
        position = end
    if position < len(document.text):
        pieces.append(Segment("gap", position, len(document.text)))
    return tuple(pieces)
