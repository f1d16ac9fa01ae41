"""Which sentences of a long text are the likeliest to speak of a claim.

Where very many sentences hold a claim's word, looking at all of them for each claim would take
time that grows with the square of the length, and looking at the first ones would hide the one
that says it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from halubot.compare.claim import Claim
from halubot.compare.textindex import TextIndex

MOST: Final = 128
"""In how many sentences of a text one word or value is looked up."""


def likeliest(claim: Claim, valued: Sequence[Sequence[int]], index: TextIndex) -> frozenset[int]:
    """The numbers of the sentences that hold a rare word or value of a claim, or go on after one
    that names its subject, and of those that hold most of the common ones; ``valued`` are the
    sentences that hold each of its values. At most a few times MOST."""
    heads = {*claim.head, *claim.own, *claim.subject.stems}
    found: set[int] = set()
    common: list[frozenset[int]] = []
    numbers: Sequence[int]
    for stem in sorted({*heads, *claim.tail, *claim.relation}):
        numbers = index.where.get(stem, [])
        if len(numbers) > MOST:
            common.append(index.holders(stem))
            continue
        found.update(numbers)
        if stem in heads:
            found.update(number + 1 for number in numbers if number + 1 < len(index.sentences))
    for numbers in valued:
        if len(numbers) <= MOST:
            found.update(numbers)
        else:
            common.append(frozenset(numbers))
    found.update(_overlap(common))
    return frozenset(found)


def _overlap(common: list[frozenset[int]]) -> list[int]:
    """The first sentences that hold as many of the common words as any do together, taken from
    the rarest on."""
    common.sort(key=len)
    best: frozenset[int] = frozenset()
    for holders in common:
        both = best & holders if best else holders
        best = both or best
    return sorted(best)[:MOST] if len(common) > 1 else []
