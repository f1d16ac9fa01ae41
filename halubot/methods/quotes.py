"""Quotes: the sentence of a source that says what a judge read in it.

A judge names a sentence of the source, so that no quote is made up. If it names none, the sentence
most like the fact is looked for in the source itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from rapidfuzz import fuzz, process, utils

from halubot.report import Evidence, Source, Span, Stance, Triple
from halubot.text import read
from halubot.values import differ, find

LEAST: Final = 60.0
"""The least likeness of a fact and a sentence that is quoted for it (rapidfuzz, 0 to 150)."""


def quote(
    source: Source,
    stance: Stance,
    triple: Triple,
    *,
    cited: str | None = None,
    note: str = "",
    value_of: Triple | None = None,
) -> Evidence:
    """Return the stance of a source on a fact as evidence.

    It quotes the sentence that the judge ``cited``, if the source holds it letter by letter, else
    the sentence most like the ``triple``; nothing if none is like it. A silent source has no quote.
    The other value of a source that contradicts is that of ``value_of``, if the fact is another
    triple than the one that is quoted.
    """
    if stance == "silent":
        return Evidence(source=source.id, stance=stance)
    text = source.text or ""
    at = text.find(cited) if cited else -1
    start, end = (at, at + len(cited)) if cited and at >= 0 else nearest(text, triple)
    words = text[start:end]
    value = _other_value(value_of or triple, words) if stance == "contradicts" else None
    note = note or (f"says {value}" if value else "")
    return Evidence(
        source=source.id, stance=stance, start=start, end=end, quote=words, note=note, value=value
    )


def nearest(text: str, triple: Triple) -> Span:
    """Return the sentence of a text that is most like a triple; (0, 0) if none is like it."""
    spans, _ = _sentences(text)
    likeness, at = _likest(text, triple)
    return spans[at] if likeness >= LEAST else (0, 0)


def stretch(text: str, triple: Triple) -> str:
    """Return the sentence of a text that is most like a triple, with its two neighbours; the
    beginning of the text if none is like it."""
    spans, _ = _sentences(text)
    if not spans:
        return text
    likeness, at = _likest(text, triple)
    at = at if likeness >= LEAST else 0
    return text[spans[max(0, at - 1)][0] : spans[min(len(spans) - 1, at + 1)][1]]


def speaker(texts: Sequence[str], triple: Triple) -> int:
    """Return the number of the text that holds the sentence most like a triple, the first of
    several: what a judge said of all of them together is cited from it. There is one at least."""
    return max(range(len(texts)), key=lambda at: _likest(texts[at], triple)[0])


def _likest(text: str, triple: Triple) -> tuple[float, int]:
    """The likeness of a triple and the sentence that is most like it, and its number; 0 and 0
    without a sentence."""
    _, words = _sentences(text)
    if not words:
        return 0.0, 0
    head, *rest = map(utils.default_process, triple)
    told = [" ".join(rest), head]
    # Many a sentence speaks of a head, by a pronoun too; few of what is said of it.
    said, named = process.cdist(told, words, scorer=fuzz.token_set_ratio).tolist()
    likeness = [value + of_head / 2 for value, of_head in zip(said, named, strict=True)]
    at = max(range(len(words)), key=likeness.__getitem__)
    return likeness[at], at


def _other_value(triple: Triple, words: str) -> str | None:
    """The value of a sentence that excludes the only value of a fact, as written; else None."""
    own = find(triple.tail)
    if len(own) != 1:
        return None
    found = (words[slice(*one.span)] for one in find(words) if differ(own[0], one))
    return next(found, None)


@lru_cache(maxsize=256)
def _sentences(text: str) -> tuple[tuple[Span, ...], tuple[str, ...]]:
    document = read(text)
    words = (utils.default_process(document.plain[slice(*span)]) for span in document.sentences)
    return tuple(document.sentences), tuple(words)
