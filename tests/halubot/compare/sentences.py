"""Single sentences made ready to be compared, for tests."""

from __future__ import annotations

from halubot.compare.alignment import Alignment, align
from halubot.compare.analysis import Analysis, analyse
from halubot.compare.tokens import with_tokens
from halubot.text import read


def analysed(text: str) -> Analysis:
    """Return the analysis of the last sentence of a text, after the sentence before it."""
    document = read(text)
    before: Analysis | None = None
    for span, found in zip(document.sentences, with_tokens(document).tokens, strict=True):
        before = analyse(document, span, found, before)
    assert before is not None
    return before


def aligned(claim: str, source: str) -> Alignment:
    """Return the alignment of two sentences, all terms of the claim alike in weight."""
    mine = analysed(claim)
    return align(mine, analysed(source), (1 / max(1, len(mine.terms)),) * len(mine.terms))


def pairs(claim: str, source: str) -> set[tuple[str, str]]:
    """Return the texts of the terms that are aligned."""
    found = aligned(claim, source)
    return {
        (found.claim.terms[i].text, found.source.terms[j].text)
        for i, j in enumerate(found.pairs)
        if j >= 0
    }
