"""Places in a text, put together."""

from __future__ import annotations

from collections.abc import Sequence

from halubot.report import Span


def merge_spans(plain: str, places: Sequence[Span]) -> tuple[Span, ...]:
    """Places in order, joined where they overlap or only white space lies between."""
    joined: list[Span] = []
    for start, end in sorted(places):
        if joined and (start <= joined[-1][1] or not plain[joined[-1][1] : start].strip()):
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
