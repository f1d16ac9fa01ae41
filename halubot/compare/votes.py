"""Which other value do most samples give in the place of a value that none of them has?

Other answers to one question are worded freely, so that few of their sentences can be aligned with
one of the message. What one such sentence says otherwise tells little. But if no sample has a value
of the message, and most of those that have another one of its kind beside the same words have the
same one, which the message lacks, then they speak of the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from halubot.compare.analysis import Term
from halubot.compare.values import compatible
from halubot.text import Span

FEWEST: Final = 3
"""Samples that must give the same value."""

OF_ALL: Final = 3
"""They must be one sample in so many, too."""

TOGETHER: Final = 0.2
"""The least sum of what stands around the value and around the rivals of all samples
(`Alignment.context`)."""

Place = tuple[int, int]
"""A term of the message: the number of its sentence and its index there."""


class Rival(NamedTuple):
    """A value, name or noun of a sample, at ``span``, that may stand in the place of a term that
    the sample lacks. ``context`` is how much of what stands around the two is the same, ``share``
    the weight of the message's sentence that the sample's sentence at ``near`` holds; ``is_sure``
    says that the same words lead to both, if it is a date or a name; one such rival is needed."""

    term: Term
    span: Span
    near: Span
    context: float
    share: float
    is_sure: bool

    @property
    def closeness(self) -> float:
        return self.context + self.share


class Choice(NamedTuple):
    """What most samples have in the place of a term: their rivals under their numbers."""

    place: Place
    rivals: dict[int, Rival]

    @property
    def context(self) -> float:
        return sum(one.context for one in self.rivals.values())


class Votes:
    """Counts what the samples of one message have in the place of its terms."""

    def __init__(self, places: Iterable[Place]) -> None:
        self._open: dict[Place, dict[int, list[Rival]]] = {place: {} for place in places}
        self._samples = 0

    @property
    def places(self) -> Collection[Place]:
        """The terms that no sample had so far."""
        return self._open.keys()

    def count(self, held: Iterable[Place], rivals: Iterable[tuple[Place, Rival]]) -> None:
        """Count one more sample: the terms that it has, and the rivals of others."""
        for place in held:
            self._open.pop(place, None)
        for place, rival in rivals:
            self._open[place].setdefault(self._samples, []).append(rival)
        self._samples += 1

    def choices(self) -> list[Choice]:
        """Return what most samples have instead, each of it in one place of a sentence only."""
        least = max(FEWEST, -(-self._samples // OF_ALL))
        found: list[Choice] = []
        for place, given in self._open.items():
            if len(given) >= least and (choice := _choose(place, given, least)) is not None:
                found.append(choice)
        found.sort(key=lambda one: -one.context)
        kept: list[Choice] = []
        for choice in found:
            words = _words(choice)
            if not any(words & _words(other) for other in kept):
                kept.append(choice)
        return kept


def _choose(place: Place, given: dict[int, list[Rival]], least: int) -> Choice | None:
    """What more than half of the samples that have a rival have; each is heard on its closest."""
    groups: list[dict[int, Rival]] = []
    for sample, rivals in given.items():
        closest = max(one.closeness for one in rivals)
        for rival in rivals:
            if rival.closeness < closest:
                continue
            own = next((one for one in groups if _agree(next(iter(one.values())), rival)), None)
            if own is None:
                groups.append(own := {})
            own.setdefault(sample, rival)
    best = max(groups, key=len)
    choice = Choice(place, best)
    if len(best) < least or 2 * len(best) <= len(given) or choice.context < TOGETHER:
        return None
    return choice if any(one.is_sure for one in best.values()) else None


def _agree(one: Rival, other: Rival) -> bool:
    mine, theirs = one.term.value, other.term.value
    if mine is not None and theirs is not None:
        return compatible(mine, theirs) or compatible(theirs, mine)
    return not one.term.bases.isdisjoint(other.term.bases)


def _words(choice: Choice) -> frozenset[str]:
    """What a choice says, to know it in another place."""
    return frozenset(one.term.norm for one in choice.rivals.values())
