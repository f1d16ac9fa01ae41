"""What comes first and what follows: causes and effects, conditions, steps in time.

Two sentences may hold the same words and exchange the two: "it is closed because it rains" beside
"it rains because it is closed".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import takewhile
from typing import Final, Literal, NamedTuple

from halubot.compare.alignment import Alignment
from halubot.compare.alternatives import Conflict
from halubot.compare.analysis import Analysis

Family = Literal["cause", "effect", "time"]
"""What links two clauses as a cause or condition; a verb of causing; what links them in time."""


class _Link(NamedTuple):
    """Two sides of a sentence by the indexes of their terms: the cause, condition or earlier event,
    and what follows from it. ``governed`` is the side that follows the word."""

    family: Family
    first: frozenset[int]
    second: frozenset[int]
    governed: frozenset[int]


def find_order(found: Alignment) -> Iterator[Conflict]:
    """Yield the places at which a source has causes, conditions or steps in another order, or
    another cause."""
    yield from _find_exchanged_sides(found)
    yield from _find_reordered(found)
    yield from _find_other_causes(found)


# What follows one of these words comes first, in time or as a cause.
_THEN_FIRST: Final[dict[Family, tuple[str, ...]]] = {
    "cause": (
        "because", "because of", "due to", "owing to", "thanks to", "as a result of", "if",
        "provided", "provided that",
    ),
    "effect": (
        "caused by", "triggered by", "result of", "consequence of", "results from",
        "resulted from", "stems from", "stemmed from",
    ),
    "time": ("after", "once", "as soon as"),
}  # fmt: skip
# What stands before one of these comes first.
_FIRST_THEN: Final[dict[Family, tuple[str, ...]]] = {
    "cause": ("therefore", "which is why", "that is why"),
    "effect": (
        "caused", "causes", "leads to", "led to", "results in", "resulted in", "triggered",
        "triggers",
    ),
    "time": ("before", "prior to", "and then"),
}  # fmt: skip
_LONGEST: Final = 4
_CLEARLY: Final = 3
"""Times as much must have changed sides as has kept them."""


def _table() -> dict[str, tuple[Family, bool]]:
    table: dict[str, tuple[Family, bool]] = {}
    for after, families in ((True, _THEN_FIRST), (False, _FIRST_THEN)):
        for family, phrases in families.items():
            table.update(dict.fromkeys(phrases, (family, after)))
    return table


_LINKS: Final = _table()
_OPENERS: Final = frozenset(phrase.split()[0] for phrase in _LINKS)


def _links(found: Analysis) -> list[_Link]:
    """The links of a sentence. One that opens it governs the words up to the next comma."""
    links = []
    at = 0
    while at < len(found.lows):
        width = _width(found.lows, at) if found.lows[at] in _OPENERS else 0
        if not width:
            at += 1
            continue
        family, after = _LINKS[" ".join(found.lows[at : at + width])]
        link = _sides(found, at, width, family, after=after)
        if link is not None:
            links.append(link)
        at += width
    return links


def _width(lows: tuple[str, ...], at: int) -> int:
    longest = min(_LONGEST, len(lows) - at)
    return next((w for w in range(longest, 0, -1) if " ".join(lows[at : at + w]) in _LINKS), 0)


def _sides(found: Analysis, at: int, width: int, family: Family, *, after: bool) -> _Link | None:
    firsts = [term.start for term in found.terms]
    place = found.starts[at]
    # A semicolon parts what has nothing to do with each other.
    low = bisect_left(firsts, max((one for one in found.stops if one < place), default=0))
    high = bisect_left(firsts, min((one for one in found.stops if one > place), default=1 << 31))
    begin = bisect_left(firsts, place)
    if at + width >= len(found.lows):
        return None
    end = bisect_left(firsts, found.starts[at + width])
    opens = low == begin or found.lows[at - 1] in _JOINING
    comma = min(high, bisect_left(firsts, _comma(found, at + width)))
    if opens:
        if comma == high:
            return None
        governed, rest = range(end, comma), range(comma, high)
    else:
        governed, rest = range(end, comma if family == "effect" else high), range(low, begin)
    first, second = (governed, rest) if after else (rest, governed)
    return _Link(family, frozenset(first), frozenset(second), frozenset(governed))


_JOINING: Final = frozenset({"and", "but", "or"})


def _comma(found: Analysis, start: int) -> int:
    """The place of the word after the first comma from a token on; beyond the end if there is
    none."""
    for at in range(start, len(found.lows) - 1):
        if found.starts[at + 1] - found.starts[at] > len(found.lows[at]) + 1:
            return found.starts[at + 1]
    return found.span[1]


def _find_exchanged_sides(found: Alignment) -> Iterator[Conflict]:
    """Two sides that have changed places. Names do not count: the subject of both sides may be
    one."""
    # Finding links takes longer than seeing that there are none.
    if _OPENERS.isdisjoint(found.claim.lows) or _OPENERS.isdisjoint(found.source.lows):
        return
    theirs = _links(found.source)
    for mine in _links(found.claim) if theirs else ():
        for other in theirs:
            if mine.family != other.family:
                continue
            # "After the vote" beside "before the vote" is a difference of that word alone.
            if mine.family == "time" and _weigh(found, mine.governed, other.governed):
                continue
            kept = _weigh(found, mine.first, other.first) + _weigh(found, mine.second, other.second)
            turned = (
                _weigh(found, mine.first, other.second),
                _weigh(found, mine.second, other.first),
            )
            if not all(turned) or sum(turned) < _CLEARLY * kept:
                continue
            i = min(i for i in mine.first if found.pairs[i] in other.second)
            j = found.pairs[i]
            own = sorted(mine.first)
            terms, source = found.claim.terms, found.source.terms
            yield Conflict(
                "roles", i, j, (terms[own[0]].start, terms[own[-1]].end),
                (source[j].start, source[j].end), 1.0,
            )  # fmt: skip


def _weigh(found: Alignment, mine: frozenset[int], theirs: frozenset[int]) -> float:
    """The weight of the claim's terms on one side that stand on a side of the source."""
    return sum(
        found.weights[i]
        for i in mine
        if found.pairs[i] in theirs and found.claim.terms[i].kind != "name"
    )


def _find_reordered(found: Alignment) -> Iterator[Conflict]:
    """Two steps that have changed places: "first close the files, then eject the drive"."""
    mine, theirs = found.claim.second_step, found.source.second_step
    if mine < 0 or theirs < 0:
        return
    moved = {
        (term.start > mine, found.source.terms[j].start > theirs): (i, j)
        for i, (term, j) in enumerate(zip(found.claim.terms, found.pairs, strict=True))
        if j >= 0 and term.value is None
    }
    if moved.keys() == {(False, True), (True, False)}:
        i, j = moved[True, False]
        term, other = found.claim.terms[i], found.source.terms[j]
        yield Conflict("roles", i, j, (term.start, term.end), (other.start, other.end), 1.0)


def _find_other_causes(found: Alignment) -> Iterator[Conflict]:
    """Two causes of the same that share no word: "because of a gas leak", "because of fog"."""
    mine, theirs = _cause(found.claim, found.pairs), _cause(found.source, found.back)
    if not mine or not theirs:
        return
    own = [found.claim.terms[i] for i in mine]
    if any(found.pairs[i] >= 0 for i in mine) or any(found.back[j] >= 0 for j in theirs):
        return
    rest = [i for i in range(len(found.claim.terms)) if i not in mine]
    whole = sum(found.weights[i] for i in rest)
    context = sum(found.weights[i] for i in rest if found.pairs[i] >= 0) / whole if whole else 0.0
    others = [found.source.terms[j] for j in theirs]
    yield Conflict(
        "cause", mine[0], theirs[0], (own[0].start, own[-1].end),
        (others[0].start, others[-1].end), context,
    )  # fmt: skip


def _cause(found: Analysis, pairs: tuple[int, ...]) -> list[int]:
    """The indexes of the terms that name a cause: those after "because" up to the next clause."""
    at = found.causal
    if at < 0:
        return []
    start = found.starts[at]
    after = [i for i, term in enumerate(found.terms) if term.start > start]
    here = [i for i in after if found.terms[i].clause == found.terms[after[0]].clause]
    if at == 0:  # "Because of fog, the ride was called off": the cause ends where the two agree
        return list(takewhile(lambda i: pairs[i] < 0, here))
    return here
