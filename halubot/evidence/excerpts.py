"""What of a long text a model is shown: the passages whose words say most of what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from halubot.compare.support import Sources
from halubot.compare.tokens import tokens, with_tokens
from halubot.evidence.passages import passages
from halubot.text import read

LONGEST = 24_000
"""Characters of an excerpt."""

LEFT_OUT = "\n[...]\n"
"""Stands between passages that do not follow one another."""


class Excerpt(NamedTuple):
    """The part of a text that is shown, in its order, and the largest share of the words of
    anything wanted that one passage holds, in [0, 1]."""

    text: str
    share: float


def excerpt(text: str, wanted: Sequence[str], *, longest: int = LONGEST) -> Excerpt:
    """The text itself where it is short, else its passages that say most of each thing wanted,
    in turn, as many as fit. Empty where nothing wanted is spoken of."""
    document = read(text)
    spans = [span for span in passages(document) if _has_words(document.plain, span)]
    index = Sources(([with_tokens(read(text[start:end]))] for start, end in spans))
    shares = []
    for one in wanted:
        found = index.support(index.words(tokens(one, 0, len(one)))).shares
        shares.append(found if len(found) == len(spans) else (0.0,) * len(spans))
    best = max((share for row in shares for share in row), default=0.0)
    if len(text) <= longest:
        return Excerpt(text if best else "", best)
    chosen: set[int] = set()
    room = longest
    for place in range(len(spans)):
        before = len(chosen)
        for row in shares:
            passage = sorted(range(len(spans)), key=lambda at: (-row[at], at))[place]
            size = spans[passage][1] - spans[passage][0] + len(LEFT_OUT)
            if row[passage] and passage not in chosen and size <= room:
                chosen.add(passage)
                room -= size
        if len(chosen) == before:
            break
    return Excerpt(_join(text, [spans[at] for at in sorted(chosen)]), best)


def _join(text: str, spans: Sequence[tuple[int, int]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        if pieces:
            pieces.append(LEFT_OUT if text[done:start].strip() else text[done:start])
        pieces.append(text[start:end])
        done = end
    return "".join(pieces)


def _has_words(plain: str, span: tuple[int, int]) -> bool:
    return any(token.kind != "stop" for token in tokens(plain, *span))
