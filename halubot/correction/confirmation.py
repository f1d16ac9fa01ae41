"""Does a quote say what a sentence says with a change in it?

The new check of a corrected text calls a fact supported only if a source says all of it. A quote
that holds the new words in the same surroundings confirms the change too.
"""

from __future__ import annotations

from typing import Final

from halubot.compare.alignment import Alignment, is_same_value
from halubot.compare.matcher import Matcher
from halubot.report import Span
from halubot.text import read

SHARE: Final = 0.35
"""The least weight of a sentence that the quote must hold."""

TOGETHER: Final = 0.65
"""The least sum of that weight and of the weight of what stands around the changed words and
around them in the quote."""


def says_nearly(text: str, place: Span, quote: str) -> bool:
    """Return True if a quote has the words at ``text[place]`` in the same surroundings, and most of
    the sentence around them. On summaries, biographies and everyday texts this parted right
    changes from wrong ones."""
    spans = [span for span in read(text).sentences if span[0] <= place[0] < span[1]]
    if not spans:
        return False
    start, end = spans[0]
    matcher = Matcher(read(text[start:end]), [], None)
    quoted = matcher.text(read(quote))
    return any(
        _holds(beside.alignment, (place[0] - start, place[1] - start))
        for number in range(len(matcher.sentences))
        for beside in matcher.beside(number, quoted)
    )


def _holds(found: Alignment, place: Span) -> bool:
    terms = found.claim.terms
    own = [at for at, term in enumerate(terms) if term.start < place[1] and place[0] < term.end]
    pairs = [_counterpart(found, at) for at in own]
    if not own or min(pairs) < 0 or found.share < SHARE:
        return False
    contexts = [found.context(at, pair) for at, pair in zip(own, pairs, strict=True)]
    return found.share + max(contexts) >= TOGETHER


def _counterpart(found: Alignment, at: int) -> int:
    """The term of the source that says the same; of a range the one that says its first end, if
    both ends are said."""
    value = found.claim.terms[at].value
    if found.pairs[at] >= 0 or value is None or value.ends is None:
        return found.pairs[at]
    held = [(j, found.source.terms[j].value) for j in found.source.values]
    places = [
        next((j for j, one in held if one is not None and is_same_value(end, one)), -1)
        for end in value.ends
    ]
    return min(places)
