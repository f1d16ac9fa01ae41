"""The text of a report cut where a mark begins or ends.

If entries overlap, the worst verdict is shown. Of a doubted fact the value is marked strongly
which others replace, else its value with the words that lead to it; its other words lightly.
All else is marked strongly as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from halubot.render.captions import SEVERITY
from halubot.render.items import Entry
from halubot.report import Report, Span, Verdict

_BRIDGE = 10


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text under one mark, or under none (``verdict`` None).

    ``entries`` are those it is marked for, ``closing`` those whose mark ends with it: there
    their keys belong.
    """

    start: int
    end: int
    verdict: Verdict | None
    strong: bool
    entries: tuple[Entry, ...]
    closing: tuple[Entry, ...]


def pieces(report: Report, entries: Sequence[Entry]) -> tuple[Piece, ...]:
    """The text in pieces that follow each other without gap; empty for an empty text.

    Only the entries given are marked. Spans that reach beyond the text are cut off.
    """
    size = len(report.text)
    placed = [(entry, *_places(entry, size)) for entry in entries]
    placed = [(entry, strong, light) for entry, strong, light in placed if strong]
    ends = {entry.number: max(end for _, end in strong) for entry, strong, _ in placed}
    cuts = {0, size, *ends.values()}
    for _, strong, light in placed:
        cuts.update(edge for span in (*strong, *light) for edge in span)
    edges = sorted(cuts)
    starting: dict[int, list[tuple[Entry, Span, bool]]] = {}
    for entry, strong, light in placed:
        for spans, firm in ((strong, True), (light, False)):
            for span in spans:
                starting.setdefault(span[0], []).append((entry, span, firm))
    closing: dict[int, list[Entry]] = {}
    for entry, _, _ in placed:
        closing.setdefault(ends[entry.number], []).append(entry)
    found: list[Piece] = []
    open_: list[tuple[Entry, Span, bool]] = []
    for start, end in pairwise(edges):
        open_ = [one for one in open_ if one[1][1] > start] + starting.get(start, [])
        found.append(_piece(start, end, open_, closing.get(end, [])))
    return tuple(found)


def _piece(
    start: int, end: int, open_: Iterable[tuple[Entry, Span, bool]], closing: Iterable[Entry]
) -> Piece:
    worst: tuple[bool, int] | None = None
    holders: list[Entry] = []
    for entry, _, firm in open_:
        weight = (not firm, SEVERITY.index(entry.verdict))
        if worst is None or weight < worst:
            worst, holders = weight, []
        if weight == worst and entry not in holders:
            holders.append(entry)
    return Piece(
        start=start,
        end=end,
        verdict=SEVERITY[worst[1]] if worst else None,
        strong=worst is not None and not worst[0],
        entries=tuple(sorted(holders, key=lambda entry: entry.number)),
        closing=tuple(sorted(closing, key=lambda entry: entry.number)),
    )


def _places(entry: Entry, size: int) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return the places at which an entry is marked strongly, and those marked lightly beside
    them."""
    whole = _bridge(_inside(entry.spans, 0, size))
    fact = entry.fact
    if not entry.is_doubted or fact is None:
        return whole, ()
    tail, relation = fact.parts.tail, fact.parts.relation
    if tail is None or not any(start <= tail[0] and tail[1] <= end for start, end in whole):
        return whole, ()  # the words in doubt are known: they are marked, and nothing else
    if any(item.value for item in fact.evidence):
        return _inside([tail], 0, size) or whole, whole
    first = min(tail[0], relation[0]) if relation else tail[0]
    claim = [one for one in whole if one[0] < tail[1] and tail[0] < one[1]]
    return _inside(claim, first, tail[1]) or whole, whole


def _bridge(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans in order, as one if only a word or so is between them: an article."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start - found[-1][1] <= _BRIDGE:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return tuple(found)


def _inside(spans: Iterable[Span], low: int, high: int) -> tuple[Span, ...]:
    cut = ((max(start, low), min(end, high)) for start, end in spans)
    return tuple((start, end) for start, end in cut if start < end)
