"""What a text has in the place of a value, name or noun that it lacks, and what most samples
have."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from halubot.compare.alignment import Alignment
from halubot.compare.alternatives import Conflict, Kind, alternative, are_kin_of_others, is_alike
from halubot.compare.analysis import Analysis, Term
from halubot.compare.occasions import count_the_same, is_of_one_occasion, may_be_exchanged
from halubot.compare.occurrences import are_other_events
from halubot.compare.replacement import is_like_noun
from halubot.text import Span
from halubot.values.comparison import compatible
from halubot.values.names import IMPERSONAL

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
    """The choice of most samples in the place of a term: their rivals under their numbers."""

    place: Place
    rivals: dict[int, Rival]

    @property
    def context(self) -> float:
        return sum(one.context for one in self.rivals.values())


class Votes:
    """Counts what the samples of one message have in the place of its terms."""

    def __init__(self, places: Iterable[Place]) -> None:
        self._open: dict[Place, dict[int, list[Rival]]] = {place: {} for place in places}
        self._holders: dict[Place, int] = dict.fromkeys(self._open, 0)
        self._samples = 0

    @property
    def places(self) -> Collection[Place]:
        """The terms that are counted."""
        return self._holders.keys()

    def holders(self, place: Place) -> int:
        """Return the number of samples that have a term."""
        return self._holders.get(place, 0)

    def is_open(self, place: Place) -> bool:
        """Return True for a term that no sample had so far."""
        return place in self._open

    def count(self, held: Iterable[Place], rivals: Iterable[tuple[Place, Rival]]) -> None:
        """Count one more sample: the terms that it has, and the rivals of others."""
        for place in held:
            self._holders[place] += 1
            self._open.pop(place, None)
        for place, rival in rivals:
            self._open[place].setdefault(self._samples, []).append(rival)
        self._samples += 1

    def choices(self) -> list[Choice]:
        """Return the rivals that most samples have, each in one place of a sentence only."""
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
    """Return what more than half of the samples that have a rival have; each is heard on its
    closest."""
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
    """Return what a choice says, to know it in another place."""
    return frozenset(one.term.norm for one in choice.rivals.values())


def may_have_rivals(sentence: Analysis, at: int) -> bool:
    """Return True for a value, a noun that has alternatives, a name of one word, and the first of
    two of which the other says what it is ("Lena River")."""
    term = sentence.terms[at]
    if term.kind == "name":
        first, *rest = sentence.runs[term.run]
        one = not rest or (len(rest) == 1 and sentence.terms[rest[0]].low in IMPERSONAL)
        return first == at and one and term.end - term.start == len(term.text)
    return term.value is not None or bool(term.lore.rivals)


def list_rivals(claim: Analysis, at: int, source: Analysis) -> list[tuple[int, Kind]]:
    """Return the terms of a sentence that may rival a term of the claim, and how, whatever stands
    around them: most sentences have none, and need no alignment."""
    term = claim.terms[at]
    found: list[tuple[int, Kind]] = []
    if term.kind == "word" and term.lore.rivals.isdisjoint(source.lore.rivals):
        return found
    for j in source.of_class.get(claim.classes[at], ()):
        kind: Kind | None = "name"
        if term.kind != "name":
            kind = alternative(term, source.terms[j])
        if kind is not None and may_have_rivals(source, j):
            found.append((j, kind))
    return found


def find_rivals(
    found: Alignment, at: int, listed: Sequence[tuple[int, Kind]], plain: str, other: str
) -> Iterator[Rival]:
    """Return which of the ``listed`` terms of a source's sentence may stand in the place of an
    unpaired term of the claim, if anything else of the claim stands there. ``plain`` and ``other``
    are the texts of the message and of the source."""
    claim, source = found.claim, found.source
    term = claim.terms[at]
    share = sum(found.weights[i] for i in found.paired_terms if i != at)
    if found.pairs[at] >= 0 or not share:
        return
    for j, kind in listed:
        rival = source.terms[j]
        if found.back[j] >= 0 or (kind == "noun" and are_kin_of_others(found, at, j)):
            continue
        mine, theirs = (term.start, term.end), (rival.start, rival.end)
        conflict = Conflict(kind, at, j, mine, theirs, found.context(at, j))
        if term.value is not None and not (
            may_be_exchanged(found, conflict, plain, other) and count_the_same(found, conflict)
        ):
            continue
        if term.value is not None and _stand_by_others(found, at, j):
            continue
        if kind == "noun" and not is_like_noun(found, conflict, other):
            continue
        conflict = conflict._replace(alike=is_alike(found, at, j))
        sure = _is_sure(found, conflict, plain, other)
        yield Rival(rival, theirs, source.span, conflict.context, share, sure)


def _stand_by_others(found: Alignment, at: int, other: int) -> bool:
    """Return True if a name that the other text lacks stands right before both values: "Charles
    Dickens (1812-1870)", "Charles Babbage (1791-1871)", not "World Heritage Site in 1987", "World
    Heritage List in 1996"."""
    if min(at, other) < 1 or found.pairs[at - 1] >= 0 or found.back[other - 1] >= 0:
        return False
    mine, theirs = found.claim.terms[at - 1], found.source.terms[other - 1]
    if not mine.kind == theirs.kind == "name":
        return False
    whole, named = found.claim.runs[mine.run], set(found.source.runs[theirs.run])
    return 2 * sum(found.pairs[i] in named for i in whole) <= min(len(whole), len(named))


def _is_sure(found: Alignment, conflict: Conflict, plain: str, other: str) -> bool:
    """Return True unless a date is led to by other words, or a name by another preposition; two
    rivers, or two schools, are alike."""
    term = found.claim.terms[conflict.term]
    if term.kind == "name":
        slot = found.claim.slot(conflict.term)
        return conflict.alike or (bool(slot) and slot == found.source.slot(conflict.other))
    if term.value is not None and term.value.kind == "date":
        if are_other_events(found, conflict):
            return False
        return conflict.alike or is_of_one_occasion(found, conflict, plain, other)
    return True
